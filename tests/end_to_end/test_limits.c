/* Tests processes with limits on processes, memory, descriptors or file sizes, or in a sandbox
 * without exec. They must still get a plan, and one line that says why the plan was not
 * measured. */
#include "world.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { KNOWN = 3000, ASKED = 3001, NO_PLAN = 100, WRONG_PLAN, MANY_LINES, NO_LIMIT };

static bool set_limit(int resource, rlim_t value)
{
    struct rlimit limit;
    return getrlimit(resource, &limit) == 0 &&
           setrlimit(resource, &(struct rlimit){value, limit.rlim_max}) == 0;
}

/* Limits memory to 20 MB above its current size. AddressSanitizer cannot run with such a limit. */
static bool little_memory(void)
{
#ifdef __SANITIZE_ADDRESS__
    return false;
#endif
    unsigned long pages = 0;
    char line[64] = "";
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fgets(line, sizeof line, file)) {
        pages = strtoul(line, NULL, 10);
    }
    if (file) {
        fclose(file);
    }
    return pages && set_limit(RLIMIT_AS, (rlim_t)pages * 4096 + (20 << 20));
}

static bool few_descriptors(void)
{
    return set_limit(RLIMIT_NOFILE, 10);
}

static bool small_files(void)
{
    return set_limit(RLIMIT_FSIZE, 4096);
}

static bool forbid(long number, long other, int error)
{
#ifdef __x86_64__
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)other, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false;
#endif
}

static bool no_exec(void)
{
    return forbid(SYS_execve, SYS_execveat, EPERM);
}

/* Forbids clone(), because root has no limit on processes. */
static bool no_clone(void)
{
    return forbid(SYS_clone, SYS_clone3, EAGAIN);
}

static const struct {
    const char *name;
    bool (*apply)(void);
    bool measures; /* true if the call can measure despite the limit */
} limits[] = {
    {"RLIMIT_AS", little_memory, true},
    {"RLIMIT_NOFILE", few_descriptors, false},
    {"RLIMIT_FSIZE", small_files, true},
    {"seccomp without exec", no_exec, false},
    {"seccomp without processes", no_clone, false},
};
enum { LIMITS = sizeof limits / sizeof *limits };

static int be_limited(size_t index)
{
    const gputune_options options = few_variants();
    gputune *tuner;
    gputune_plan *plan;
    if (gputune_open(&tuner, &OPEN_OPTIONS(.database = getenv("TEST_DATABASE"),
                                           .driver = "emu:h200", .log = on_log)) < 0) {
        return NO_PLAN;
    }
    if (!limits[index].apply()) {
        gputune_close(tuner);
        return NO_LIMIT;
    }
    if (tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", ASKED + (int)index}), &options) < 0) {
        fprintf(stderr, "%s\n", gputune_error());
        return NO_PLAN;
    }
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune_plan_info(&info, plan);
    bool unmeasured =
        (info.source == GPUTUNE_SOURCE_NEAREST || info.source == GPUTUNE_SOURCE_DEFAULT) &&
        info.stop_reason[0];
    bool expected = limits[index].measures ? info.source == GPUTUNE_SOURCE_MEASURED : unmeasured;
    bool one_line = world.warnings == 1 || (limits[index].measures && !world.warnings);
    if (!expected || !one_line) {
        fprintf(stderr, "%s: %s\n%s", gputune_source_name(info.source), info.stop_reason,
                world.log);
    }
    gputune_plan_release(plan);
    gputune_close(tuner);
    return !expected ? WRONG_PLAN : !one_line ? MANY_LINES : 0;
}

enum { FULL_BYTES = 4096, OWN_BYTES = 1 << 20 };

static void fill(const char *path)
{
    static const char bytes[FULL_BYTES];
    FILE *file = fopen(path, "w");
    if (!file || fwrite(bytes, 1, sizeof bytes, file) != sizeof bytes || fclose(file) != 0) {
        fprintf(stderr, "cannot fill %s\n", path);
    }
}

static bool reports_all(const char *const *parts)
{
    while (*parts && strstr(world.log, *parts)) {
        parts++;
    }
    if (*parts) {
        fprintf(stderr, "no '%s' in:\n%s", *parts, world.log);
    }
    return !*parts;
}

/* Tunes while no file may grow: database, log, samples, misses, wisdom, and the memory file of the
 * emulator. */
static int tune_with_full_files(const char *const files[3], rlim_t bytes)
{
    gputune_options options = few_variants();
    gputune_info info = GPUTUNE_INFO_INIT;
    gputune *tuner;
    gputune_plan *plan;
    options.samples_path = files[0];
    if (!set_limit(RLIMIT_FSIZE, bytes)) {
        return NO_LIMIT;
    }
    bool done =
        gputune_open(&tuner, &OPEN_OPTIONS(.record = files[1], .database = files[2],
                                           .driver = "emu:h200", .log = on_log)) == GPUTUNE_OK &&
        tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", KNOWN}), &options) == GPUTUNE_OK &&
        gputune_plan_info(&info, plan) == GPUTUNE_OK;
    bool saved = done && gputune_wisdom_save(NULL, tuner, files[2], NULL, false) == GPUTUNE_OK;
    if (done) {
        gputune_plan_release(plan);
        gputune_close(tuner);
    }
    set_limit(RLIMIT_FSIZE, OWN_BYTES);
    static const char *const told[2][4] = {
        {"cannot be written", "are incomplete", "cannot record a request", NULL},
        {"cannot be written", "samples", "are incomplete", NULL}};
    if (!done || info.source != GPUTUNE_SOURCE_MEASURED || (saved && !bytes)) {
        fprintf(stderr, "%s: %s\n%s", gputune_source_name(info.source), gputune_error(), world.log);
        return !done ? NO_PLAN : WRONG_PLAN;
    }
    return reports_all(told[bytes > 0]) ? 0 : MANY_LINES;
}

static int be_with_full_files(rlim_t bytes)
{
#ifdef __SANITIZE_THREAD__ /* with TSan, a worker must write a file to start */
    if (bytes == 0) {
        return NO_LIMIT;
    }
#endif
    static const char *const suffixes[] = {"samples", "misses", "new", "log"};
    char files[4][128], log[160];
    for (int i = 0; i < 4; i++) {
        snprintf(files[i], sizeof files[i], "%s.%s", getenv("TEST_DATABASE"), suffixes[i]);
    }
    fill(files[0]);
    fill(files[3]);
    snprintf(log, sizeof log, "debug:%s", files[3]);
    setenv("GPUTUNE_LOG", log, 1);
    int code = tune_with_full_files((const char *const[]){files[0], files[1], files[2]}, bytes);
    for (int i = 0; i < 4; i++) {
        unlink(files[i]);
    }
    return code;
}

static int run_limited(const char *text)
{
    int status = 0;
    setenv("TEST_DATABASE", world.database, 1);
    pid_t child = fork();
    if (child == 0) {
        execl("/proc/self/exe", "test_limits", text, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void expect_to_live(const char *limit, const char *text)
{
    int code = run_limited(text);
    if (code == NO_LIMIT) {
        print_message("%s: cannot be set here\n", limit);
    } else if (code != 0) {
        fail_msg("%s: %d", limit, code);
    }
}

TEST(limited_process_gets_a_plan_and_one_warning)
{
    const gputune_options options = few_variants();
    gputune_plan *plan;
    gputune *tuner = tuner_open(world.database);
    OK(tune_kernel(&plan, tuner, "axpy", GPUTUNE_SIZES({"n", KNOWN}), &options));
    gputune_plan_release(plan);
    gputune_close(tuner);
    for (size_t i = 0; i < LIMITS; i++) {
        char index[16];
        snprintf(index, sizeof index, "%zu", i);
        expect_to_live(limits[i].name, index);
    }
}

TEST(process_with_full_files_tunes)
{
    SKIP_IF(!world.ready);
    expect_to_live("no byte", "0 bytes");
    expect_to_live("4096 bytes", "4096 bytes");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strstr(argv[1], "bytes")) {
        return be_with_full_files((rlim_t)strtoul(argv[1], NULL, 10));
    }
    if (argc == 2) {
        /* exit() would run LeakSanitizer, which fails if it cannot start a process */
        _exit(be_limited((size_t)strtoul(argv[1], NULL, 10)));
    }
    return tests_run(open_h200, world_close);
}
