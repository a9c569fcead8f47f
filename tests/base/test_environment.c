/* A set-uid program does not listen to its caller's environment. */
#include "base/environment.h"
#include "support/folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { IGNORED = 3, HEARD = 4, NOBODY = 65534 };

static void copy_self(const char *path)
{
    char buffer[65536];
    size_t count;
    FILE *in = fopen("/proc/self/exe", "rb"), *out = fopen(path, "wb");
    assert_non_null(in);
    assert_non_null(out);
    while ((count = fread(buffer, 1, sizeof buffer, in)) > 0) {
        assert_int_equal(fwrite(buffer, 1, count, out), count);
    }
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

/* What the program at `path` makes of GPUTUNE_WORKER. */
static int ask(const char *path)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        setenv("GPUTUNE_WORKER", "/tmp/mine", 1);
        execl(path, path, "ask", NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_set_uid_program_ignores_it(void **state)
{
    (void)state;
    char path[256], *folder = folder_make();
    snprintf(path, sizeof path, "%s/program", folder);
    copy_self(path);
    assert_int_equal(chmod(path, 0755), 0);
    assert_int_equal(ask(path), HEARD);
    bool possible = geteuid() == 0 && chown(path, NOBODY, NOBODY) == 0 &&
                    chmod(folder, 0755) == 0 && chmod(path, 04755) == 0;
    int heard = possible ? ask(path) : -1;
    folder_remove(folder);
    if (!possible) {
        skip(); /* only root can make a file of another user's */
    }
    assert_int_equal(heard, IGNORED);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "ask") == 0) {
        return gt_environment("GPUTUNE_WORKER") ? HEARD : IGNORED;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_set_uid_program_ignores_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
