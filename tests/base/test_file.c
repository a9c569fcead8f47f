/* Tests files and folders, and messages about missing ones. */
#include "base/file.h"
#include "base_support.h"
#include "support/folder.h"

static int open_folder(void **state)
{
    *state = folder_make();
    return 0;
}

static int close_folder(void **state)
{
    folder_remove(*state);
    return 0;
}

static char *path_in(const char *folder, const char *name)
{
    char *path;
    ASSERT_OK(gt_format(&path, "%s/%s", folder, name));
    return path;
}

static void write_bytes(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

TEST_OF(file_is_read_whole, char *folder, open_folder, close_folder)
{
    static char bytes[100000];
    char *path = path_in(folder, "data"), *text;
    size_t count = 0;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 7);
    }
    write_bytes(path, bytes, sizeof bytes);
    ASSERT_OK(gt_file_read(&text, &count, path));
    assert_int_equal(count, sizeof bytes);
    assert_memory_equal(text, bytes, sizeof bytes);
    assert_int_equal(text[count], '\0');
    free(text);
    free(path);
}

TEST_OF(empty_file_is_an_empty_string, char *folder, open_folder, close_folder)
{
    char *path = path_in(folder, "empty"), *text;
    write_bytes(path, "", 0);
    ASSERT_OK(gt_file_read(&text, NULL, path));
    assert_string_equal(text, "");
    free(text);
    free(path);
}

TEST_OF(output_replaces_the_file_of_a_link, char *folder, open_folder, close_folder)
{
    char *path = path_in(folder, "old"), *link = path_in(folder, "link"), *text;
    gt_output output;
    struct stat facts;
    write_bytes(path, "old", 3);
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink("old", link), 0);
    ASSERT_OK(gt_output_open(&output, link));
    fputs("new", output.file);
    ASSERT_OK(gt_file_read(&text, NULL, path));
    assert_string_equal(text, "old");
    free(text);
    ASSERT_OK(gt_output_close(&output));
    ASSERT_OK(gt_file_read(&text, NULL, path));
    assert_string_equal(text, "new");
    free(text);
    assert_true(lstat(link, &facts) == 0 && S_ISLNK(facts.st_mode));
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    free(link);
    free(path);
}

TEST_OF(message_names_a_missing_file, char *folder, open_folder, close_folder)
{
    char *path = path_in(folder, "nowhere.cu"), *text = NULL;
    assert_int_equal(gt_file_read(&text, NULL, path), GPUTUNE_ENOTFOUND);
    assert_null(text);
    assert_non_null(strstr(gputune_error(), "nowhere.cu: No such file"));
    assert_false(gt_file_exists(path));
    free(path);
}

TEST_OF(folder_is_not_read_as_a_file, char *folder, open_folder, close_folder)
{
    char *text = NULL;
    assert_int_equal(gt_file_read(&text, NULL, folder), GPUTUNE_EIO);
    assert_null(text);
    assert_non_null(strstr(gputune_error(), "Is a directory"));
}

/* Reading a device or a large file could fill the memory, and a FIFO could block forever. */
TEST_OF(only_regular_files_of_bounded_size_are_read, char *folder, open_folder, close_folder)
{
    char *fifo = path_in(folder, "fifo"), *large = path_in(folder, "large"), *text = NULL;
    ASSERT_FAILS(gt_file_read(&text, NULL, "/dev/zero"), GPUTUNE_EIO,
                 "/dev/zero: it is a device, a FIFO or a socket; "
                 "expected a regular file");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(gt_file_read(&text, NULL, fifo), GPUTUNE_EIO);
    write_bytes(large, "", 0);
    assert_int_equal(truncate(large, (off_t)GT_FILE_MOST + 1), 0);
    ASSERT_FAILS(gt_file_read(&text, NULL, large), GPUTUNE_EIO, "more than 8388608 bytes");
    assert_null(text);
    ASSERT_OK(gt_file_read_most(&text, NULL, large, GT_FILE_MOST + 1));
    free(text);
    free(large);
    free(fifo);
}

TEST_OF(parent_folders_are_created_private, char *folder, open_folder, close_folder)
{
    char *path = path_in(folder, "a/b/c.db"), *above = path_in(folder, "a/b");
    struct stat facts;
    ASSERT_OK(gt_file_make_parents(path));
    ASSERT_OK(gt_file_make_parents(path));
    assert_int_equal(stat(above, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    assert_false(gt_file_exists(path));
    ASSERT_OK(gt_file_make_parents("name-only.db"));
    free(above);
    free(path);
}

TEST_OF(folder_in_a_file_cannot_be_created, char *folder, open_folder, close_folder)
{
    char *file = path_in(folder, "file"), *path = path_in(folder, "file/sub/x.db");
    write_bytes(file, "x", 1);
    ASSERT_FAILS(gt_file_make_parents(path), GPUTUNE_EIO, "cannot create the folder");
    free(path);
    free(file);
}

TEST(cache_folder_follows_the_environment)
{
    char *folder = NULL;
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    ASSERT_OK(gt_file_cache_folder(&folder));
    assert_string_equal(folder, "/xdg/gputune");
    free(folder);
    setenv("XDG_CACHE_HOME", "relative", 1); /* the XDG standard ignores relative paths */
    setenv("HOME", "/tmp", 1);
    ASSERT_OK(gt_file_cache_folder(&folder));
    assert_string_equal(folder, "/tmp/.cache/gputune");
    free(folder);
    folder = NULL;
    setenv("HOME", "/nonexistent", 1); /* no cache folder is created if HOME does not exist */
    ASSERT_FAILS(gt_file_cache_folder(&folder), GPUTUNE_ENOTFOUND, "HOME is /nonexistent");
    unsetenv("HOME");
    assert_int_equal(gt_file_cache_folder(&folder), GPUTUNE_ENOTFOUND);
    assert_null(folder);
    assert_non_null(strstr(gputune_error(), "set GPUTUNE_DB"));
}

TEST(own_folder_holds_this_program)
{
    char *folder, *self;
    ASSERT_OK(gt_file_own_folder(&folder));
    self = path_in(folder, "test_file");
    assert_true(gt_file_exists(self));
    free(self);
    free(folder);
}

TEST(files_of_another_user_are_not_found)
{
    enum { NOBODY = 65534 };
    GT_SCOPED(gt_text_free) gt_text tried = {0};
    char *folder, *part, *found;
    if (geteuid() != 0) {
        skip(); /* only root can create files of another user */
    }
    ASSERT_OK(gt_file_own_folder(&folder));
    part = path_in(folder, "../../part-of-a-test");
    write_bytes(part, "", 0);
    ASSERT_OK(gt_file_find_part(&found, &tried, "part-of-a-test", R_OK));
    assert_non_null(found);
    free(found);
    assert_int_equal(chown(part, NOBODY, NOBODY), 0);
    ASSERT_OK(gt_file_find_part(&found, &tried, "part-of-a-test", R_OK));
    assert_null(found);
    assert_int_equal(unlink(part), 0);
    free(part);
    free(folder);
}
