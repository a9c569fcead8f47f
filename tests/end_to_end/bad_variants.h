/* The kernels of tests/poisoned/bad.cu. Each has variants that are bad in a different way. The
 * tests run on the emulator, or with GPUTUNE_TEST_DRIVER=cuda on a GPU. GPUTUNE_TEST_LONG=1 adds
 * the slow cases. */
#pragma once

#include "world.h"

#include <dirent.h>

enum { N = 4099, MILLION = 1 << 20 };

typedef struct bad {
    const char *name, *status; /* the kernel's name, and the status of its failed trials */
    int failure;               /* status of the call if every variant of the kernel is bad */
    double limit_s;            /* time limit of the tuning; 0 for the default limit */
    int n;
    /* true if a GPU may compute wrong results instead of crashing */
    bool strays;
} bad;

static bool may_be_wrong_instead(const bad *b)
{
    return b->strays && getenv("GPUTUNE_TEST_DRIVER") != NULL;
}

static bool is_as_expected(const char *status, const bad *b)
{
    return !strcmp(status, b->status) || (may_be_wrong_instead(b) && !strcmp(status, "wrong"));
}

static const bad table[] = {
    {"out_of_bounds", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"past_the_end", "crashed", GPUTUNE_ECRASHED, 0, N, true},
    {"misaligned", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"endless", "hung", GPUTUNE_ETIMEOUT, 120, N, false},
    {"deadlock", "hung", GPUTUNE_ETIMEOUT, 120, N, false},
    {"assertion", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"lost", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"deep", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"one_in_a_million", "wrong", GPUTUNE_EWRONG, 0, MILLION, false},
    {"restores_input", "crashed", GPUTUNE_ECRASHED, 0, N, false},
    {"too_much_shared", "compile", GPUTUNE_ECOMPILE, 0, N, false},
    {"too_many_registers", "launch", GPUTUNE_ECUDA, 0, N, false},
    {"no_compile", "compile", GPUTUNE_ECOMPILE, 0, N, false},
    {"slow_compile", "slow", GPUTUNE_ETIMEOUT, 8, N, false},
    {"greedy_compile", "compile", GPUTUNE_ECOMPILE, 0, N, false},
    {"endless_print", "hung", GPUTUNE_ETIMEOUT, 120, N, false},
};
enum { CASES = sizeof table / sizeof *table };

static int entries(const char *folder)
{
    int count = 0;
    DIR *open = opendir(folder);
    const struct dirent *entry;
    while (open && (entry = readdir(open))) {
        count += strncmp(entry->d_name, "gputune-test-", strlen("gputune-test-")) != 0;
    }
    if (open) {
        closedir(open);
    }
    return count;
}

/* Counts child processes, including those that have ended but were not reaped. */
static int children(void)
{
    char path[64], line[4096] = "";
    int count = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "r");
    if (file && fgets(line, sizeof line, file)) {
        for (char *at = line; (at = strchr(at, ' ')); at++) {
            count++;
        }
    }
    if (file) {
        fclose(file);
    }
    return count;
}

typedef struct traces {
    int children, descriptors, shared;
} traces;

static traces traces_now(void)
{
    return (traces){children(), entries("/proc/self/fd"), entries("/dev/shm")};
}

static void expect_no_traces(traces before)
{
    traces now = traces_now();
    for (int i = 0;
         i < 100 && (now.children > before.children || now.descriptors > before.descriptors); i++) {
        usleep(50000); /* killed workers may need a while to end */
        now = traces_now();
    }
    assert_true(now.children <= before.children);
    assert_true(now.descriptors <= before.descriptors);
    assert_true(now.shared <= before.shared);
}

/* Checks that the host's context can still launch the plan. */
static void expect_doubled(gputune_plan *plan, int n)
{
    size_t count = (size_t)n, bytes = count * sizeof(float);
    float *values = malloc(bytes);
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        values[i] = (float)i;
    }
    CUdeviceptr x = buffer_of(values, bytes), y = buffer_of(values, bytes);
    CUstream stream = stream_new();
    OK(gputune_launch(plan, stream, GPUTUNE_ARGS(&y, &x, &count)));
    CU(StreamSynchronize(stream));
    CU(MemcpyDtoH(values, y, bytes));
    for (size_t i = 0; i < count; i++) {
        if (values[i] != 2.0f * (float)i) {
            fail_msg("element %zu is %g", i, (double)values[i]);
        }
    }
    CU(StreamDestroy(stream));
    CU(MemFree(x));
    CU(MemFree(y));
    free(values);
}

static bool is_long_run(void)
{
    return getenv("GPUTUNE_TEST_LONG") != NULL;
}

/* A proof compares every element, so short runs on the emulator use fewer elements. */
static int size_of(const bad *b)
{
    bool whole = b->n < MILLION || is_long_run() || getenv("GPUTUNE_TEST_DRIVER");
    return whole ? b->n : b->n / 64;
}

static bool hangs(const bad *b)
{
    return strcmp(b->status, "hung") == 0;
}

/* Kernels that hang use a separate tuner with a short deadline, because the first call of a tuner
 * sets the deadline of its workers. */
static gputune_options options_of(const bad *b)
{
    setenv("GPUTUNE_EMU_DEADLINE", hangs(b) ? "0.5" : "4", 1);
    static const char *const only[] = {"BLOCK=64"};
    double limit_s = b->limit_s > 0 ? b->limit_s : 240;
    if (getenv("GPUTUNE_SANITIZED")) { /* sanitizers slow down everything except the compiler */
        limit_s *= 10;
    }
    gputune_options options = OPTIONS(.only = only, .only_count = 1, .time_limit_s = limit_s);
    return options;
}

/* Sanitizers reserve so much address space that a worker's memory cannot be limited. */
static bool can_be_tried(const bad *b)
{
    return !getenv("GPUTUNE_SANITIZED") || strcmp(b->name, "greedy_compile") != 0;
}

static int open_bad(void **state)
{
    setenv("GPUTUNE_COMPILE_MEMORY", "300", 1); /* limit in MB, so greedy_compile fails soon */
    return world_open(world_driver());
}
