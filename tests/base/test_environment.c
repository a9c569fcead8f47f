/* Tests reading environment variables in an ordinary program and in a set-gid program. */
#include "base/environment.h"
#include "base/file.h"
#include "base_support.h"
#include "support/folder.h"

TEST(empty_variable_counts_as_unset)
{
    setenv("GPUTUNE_DB", "", 1);
    assert_null(gt_environment("GPUTUNE_DB"));
    setenv("GPUTUNE_DB", "x", 1);
    assert_string_equal(gt_environment("GPUTUNE_DB"), "x");
    unsetenv("GPUTUNE_DB");
    assert_null(gt_environment("GPUTUNE_DB"));
}

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

static int look(void)
{
    char *folder;
    bool sees = gt_environment("GPUTUNE_DB") || gt_file_cache_folder(&folder) == GPUTUNE_OK;
    return sees ? 1 : 0;
}

static int start(const char *program)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "look", (char *)NULL);
        _exit(99);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Runs a set-gid copy of this program, which must not see the environment variables. */
TEST_OF(privileged_program_sees_no_variable, char *folder, open_folder, close_folder)
{
    char *path, *bytes;
    size_t count;
    enum { OTHER_GROUP = 65534 };
    ASSERT_OK(gt_format(&path, "%s/privileged", folder));
    ASSERT_OK(gt_file_read_most(&bytes, &count, "/proc/self/exe", 64 << 20));
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
    setenv("GPUTUNE_DB", "/tmp/x.db", 1);
    setenv("HOME", "/tmp", 1);
    chmod(path, 0755);
    assert_int_equal(start(path), 1);
    bool may = chown(path, (uid_t)-1, OTHER_GROUP) == 0 && chmod(path, 02755) == 0;
    int seen = may ? start(path) : 0;
    unsetenv("GPUTUNE_DB");
    unlink(path);
    free(path);
    free(bytes);
    SKIP_IF(!may);
    assert_int_equal(seen, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return look();
    }
    return tests_run(NULL, NULL);
}
