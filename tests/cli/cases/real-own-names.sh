# The library never calls functions of the application that have the names of gputune's. It finds its files even if
# its own path is relative and the application has changed its current folder.
include=$(dirname "$0")/../../../include
build=$(dirname "$FAKE")/../..
[ -e "$build/libgputune.so" ] || { echo "built without the shared library"; exit 77; }
cat >own.c <<'END'
#include <gputune.h>
#include <stdio.h>
#include <unistd.h>

int tune_kernel(gputune_plan **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                const gputune_options *options)
{
    (void)out, (void)tuner, (void)kernel, (void)sizes, (void)options;
    puts("the application's tune_kernel()");
    return -1;
}
void gputune_plan_release(gputune_plan *plan)
{
    (void)plan;
    puts("the application's gputune_plan_release()");
}
static int broadcast(void *user, void *data, size_t bytes)
{
    (void)user, (void)data, (void)bytes;
    return 0;
}
int main(void)
{
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    gputune_group group = GPUTUNE_GROUP_INIT;
    gputune *tuner;
    gputune_plan *plan;
    gputune_info info = GPUTUNE_INFO_INIT;
    open.database = ":memory:";
    open.driver = "emu";
    options.effort = GPUTUNE_CACHED_ONLY;
    group.broadcast = broadcast;
    int status = chdir("/") == 0 ? gputune_open(&tuner, &open) : GPUTUNE_EIO;
    if (status == GPUTUNE_OK) {
        status = gputune_tune_together(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", 1000}), &options,
                                       &group);
    }
    if (status == GPUTUNE_OK) {
        status = gputune_plan_info(&info, plan);
    }
    puts(status == GPUTUNE_OK ? info.configuration : gputune_error());
    gputune_close(tuner);
    return 0;
}
END
gcc -std=c11 -Wall -Wextra -Werror -I"$include" own.c -o own -L"$build" -lgputune
(cd "$build" && env -u GPUTUNE_EMULATOR LD_LIBRARY_PATH=. "$OLDPWD/own")
# The archive has no global names besides those of the header.
nm -g --defined-only "$build/libgputune.a" | awk 'NF == 3 && $3 !~ /^(gputune_|tune_kernel$)/ { print $3 }'
