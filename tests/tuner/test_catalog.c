/* Tests finding kernels by name and by path. */
#include "support/folder.h"
#include "support/test.h"
#include "tuner/catalog.h"

#include <fcntl.h>

static char *folder;

static const char *path_of(const char *name)
{
    static char path[2][128];
    static int turn;
    char *out = path[turn++ % 2];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

static void write_file(const char *name, const char *const *kernels, size_t count)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    for (size_t i = 0; i < count; i++) {
        fprintf(file,
                "#pragma gputune kernel(%s) args(out int y[4]) block(1) grid(1)\n"
                "__global__ void %s(int *y) {}\n",
                kernels[i], kernels[i]);
    }
    fclose(file);
}

static int open_folder(void **state)
{
    static const char *const pair[] = {"scale", "add"}, *const copy[] = {"move"};
    gt_catalog *catalog;
    folder = folder_make();
    write_file("gputune.cuh", NULL, 0);
    write_file("pair.cu", pair, 2);
    write_file("copy.cu", copy, 1);
    ASSERT_OK(gt_catalog_open(&catalog, folder, NULL));
    *state = catalog;
    return 0;
}

static int close_folder(void **state)
{
    gt_catalog_close(*state);
    folder_remove(folder);
    return 0;
}

/* Checks that `name` finds this kernel of this file. */
static void assert_found(gt_catalog *catalog, const char *name, const char *kernel,
                         const char *file)
{
    const gt_template *found;
    if (gt_catalog_find(&found, catalog, name) != GPUTUNE_OK) {
        fail_msg("%s: %s", name, gt_message());
    }
    assert_string_equal(found->name, kernel);
    assert_string_equal(found->path, path_of(file));
}

static void assert_not_found(gt_catalog *catalog, const char *name, gputune_status status,
                             const char *message)
{
    const gt_template *found;
    char expected[256];
    assert_int_equal(gt_catalog_find(&found, catalog, name), status);
    snprintf(expected, sizeof expected, message, folder, folder);
    assert_string_equal(gt_message(), expected);
}

TEST_OF(test_names_and_paths, gt_catalog *catalog, open_folder, close_folder)
{
    char path[160];
    assert_int_equal(rename(path_of("copy.cu"), path_of("inner.cuh")), 0);
    file_write(path_of("copy.cu"), "#include \"inner.cuh\"\n");
    assert_found(catalog, "add", "add", "pair.cu");
    assert_found(catalog, "move", "move", "copy.cu");
    assert_found(catalog, path_of("copy.cu"), "move", "copy.cu");
    snprintf(path, sizeof path, "%s:add", path_of("pair.cu"));
    assert_found(catalog, path, "add", "pair.cu");
    assert_not_found(catalog, path_of("pair.cu"), GPUTUNE_EINVAL,
                     "%s/pair.cu has the kernels scale, add; expected one, as in %s/pair.cu:scale");
    assert_not_found(catalog, "scal", GPUTUNE_ENOTFOUND,
                     "no kernel 'scal' in %s; did you mean 'scale'?");
    snprintf(path, sizeof path, "%s:sub", path_of("pair.cu"));
    assert_not_found(catalog, path, GPUTUNE_ENOTFOUND,
                     "no kernel 'sub' in %s/pair.cu; the first kernel in it is scale");
}

static int count(void *user, const gt_template *template)
{
    ++*(int *)user;
    return strcmp(template->name, "stop") == 0;
}

TEST_OF(test_two_files_with_one_kernel, gt_catalog *catalog, open_folder, close_folder)
{
    static const char *const more[] = {"add"};
    write_file("more.cu", more, 1);
    assert_not_found(
        catalog, "add", GPUTUNE_EINVAL,
        "kernel 'add' is in several files: %s/more.cu, %s/pair.cu; give the path of one");
    int added = 0;
    ASSERT_OK(gt_catalog_add(catalog, path_of("more.cu"), NULL, NULL, count, &added));
    assert_int_equal(added, 1);
    assert_found(catalog, "add", "add", "more.cu");
    static const char *const other[] = {"subtract"};
    write_file("more.cu", other, 1);
    struct timespec times[2] = {{1, 0}, {1, 0}};
    assert_int_equal(utimensat(AT_FDCWD, path_of("more.cu"), times, 0), 0);
    assert_not_found(catalog, "add", GPUTUNE_ENOTFOUND,
                     "no kernel 'add' in %s/more.cu; the first kernel in it is subtract");
    assert_found(catalog, "subtract", "subtract", "more.cu");
}

/* Writes a file that was last modified in this second of 1970. */
static void write_text(const char *name, const char *text, time_t second)
{
    const struct timespec times[2] = {{second, 0}, {second, 0}};
    file_write(path_of(name), "%s", text);
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, 0), 0);
}

static gt_hash identity_of(gt_catalog *catalog, const char *kernel)
{
    const gt_template *found;
    ASSERT_OK(gt_catalog_find(&found, catalog, kernel));
    return found->identity;
}

/* The template includes the file either in quotes, as a part of the template, or in angle brackets,
 * as a header that the compiler reads. */
TEST_OF(test_a_file_changes_with_its_includes, gt_catalog *catalog, open_folder, close_folder)
{
    static const char *const forms[] = {"#include \"part.h\"\n", "#include <part.h>\n"};
    const char *const paths[] = {folder};
    ASSERT_OK(gt_catalog_set_include_paths(catalog, paths, 1));
    for (int i = 0; i < 2; i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "%s#pragma gputune kernel(part) args(out int y[4]) block(1) grid(1)\n"
                 "__global__ void part(int *y) { *y = PART; }\n",
                 forms[i]);
        write_text("part.h", "#define PART 1\n", 1);
        write_text("more.cu", text, i);
        gt_hash first = identity_of(catalog, "part");
        assert_true(gt_hash_equal(first, identity_of(catalog, "part")));
        write_text("part.h", "#define PART 2\n", 2);
        assert_false(gt_hash_equal(first, identity_of(catalog, "part")));
        unlink(path_of("part.h"));
        assert_false(gt_hash_equal(first, identity_of(catalog, "part")));
    }
}

TEST_OF(test_each, gt_catalog *catalog, open_folder, close_folder)
{
    int kernels = 0;
    assert_int_equal(gt_catalog_each(catalog, NULL, count, &kernels), 0);
    assert_int_equal(kernels, 3);
    assert_int_equal(gt_catalog_each(catalog, path_of("pair.cu"), count, &kernels), 0);
    assert_int_equal(kernels, 5);
    assert_int_equal(gt_catalog_each(catalog, "nothing", count, &kernels), GPUTUNE_ENOTFOUND);
}

typedef struct asking {
    gt_catalog *catalog;
    unsigned lines;
} asking;

static void ask_again(void *user, gputune_log_level level, const char *line)
{
    asking *a = user;
    const gt_template *template;
    assert_non_null(strstr(line, "template left out: "));
    ASSERT_OK(gt_catalog_find(&template, a->catalog, "move"));
    assert_int_equal(gt_catalog_find(&template, a->catalog, "./no.cu"), GPUTUNE_ENOTFOUND);
    a->lines++;
}

/* A callback of the log may call the tuner. */
TEST_WITHIN(test_a_warning_can_use_the_catalog, open_folder, close_folder)
{
    asking a = {.lines = 0};
    const gt_log log = {ask_again, &a};
    const gt_template *template;
    FILE *file = fopen(path_of("broken.cu"), "w");
    assert_non_null(file);
    assert_true(fputs("#pragma gputune kernel(\n", file) >= 0);
    fclose(file);
    ASSERT_OK(gt_catalog_open(&a.catalog, folder, &log));
    ASSERT_FAILS(gt_catalog_find(&template, a.catalog, "no_kernel"), GPUTUNE_ENOTFOUND,
                 "no kernel 'no_kernel' in");
    assert_int_equal(a.lines, 1);
    gt_catalog_close(a.catalog);
}

/* A program may change its folder after opening a tuner with a relative path. */
TEST_OF(folder_of_a_relative_path_stays, void *state, open_folder, close_folder)
{
    char before[256];
    const gt_template *found;
    gt_catalog *catalog;
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    ASSERT_OK(gt_catalog_open(&catalog, ".", NULL));
    assert_int_equal(chdir("/"), 0);
    ASSERT_OK(gt_catalog_find(&found, catalog, "move"));
    gt_catalog_close(catalog);
    assert_int_equal(chdir(before), 0);
}

TEST_WITHIN(test_a_folder_that_comes_later, open_folder, close_folder)
{
    gt_catalog *catalog;
    const gt_template *found;
    char away[80];
    snprintf(away, sizeof away, "%s-away", folder);
    assert_int_equal(rename(folder, away), 0);
    setenv("GPUTUNE_TEMPLATES", folder, 1);
    ASSERT_OK(gt_catalog_open(&catalog, NULL, NULL));
    assert_int_equal(gt_catalog_find(&found, catalog, "add"), GPUTUNE_ENOTFOUND);
    assert_int_equal(rename(away, folder), 0);
    assert_found(catalog, "add", "add", "pair.cu");
    gt_catalog_close(catalog);
    unsetenv("GPUTUNE_TEMPLATES");
}
