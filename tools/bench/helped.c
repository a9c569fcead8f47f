/* What more GPUs of one kind bring to a search: the same search on one of them and on all, in
 * turns, each with an empty database and with all cores; how long each takes until the best so far
 * is within 1% of the best of all, and how far the GPUs' paces are apart. SIZE is m, n and k of a
 * gemm; 0: the template's own sizes. With -1 all are the first GPU, which shows how it works, and
 * no gain.
 *
 * helped [-1] [-d DRIVER] [-g GPUS] [-r TIMES] [-s SECONDS] [-n SIZE] TEMPLATE.cu */
#include "base/number.h"
#include "program.h"

#include <getopt.h>
#include <string.h>

enum { GPUS_MAX = 8, POINTS_MAX = 4096, RUNS_MAX = 64 };

/* The best so far, whenever it changed. */
typedef struct run {
    size_t gpus, count;
    double at_s[POINTS_MAX], best_ns[POINTS_MAX];
    gputune_info info;
    char configuration[512];
} run;

static const char *driver;
static bool on_first;
static double seconds = 10;
static int64_t size = 2048;

static void note(void *user, const gputune_progress *at)
{
    run *run = user;
    bool better = at->best_ns > 0 && (!run->count || at->best_ns < run->best_ns[run->count - 1]);
    if (better && run->count < POINTS_MAX) {
        run->at_s[run->count] = at->elapsed_s;
        run->best_ns[run->count++] = at->best_ns;
    }
}

static void tell(void *user, gputune_log_level level, const char *line)
{
    (void)user;
    (void)level;
    if (strstr(line, "GPU") || strstr(line, "timeline")) {
        fprintf(stderr, "%s\n", line);
    }
}

static gputune *open_gpu(size_t number, const char *path)
{
    char device[24];
    gputune *tuner;
    gputune_open_options options = GPUTUNE_OPEN_OPTIONS_INIT;
    snprintf(device, sizeof device, "%zu", on_first ? 0 : number);
    options.driver = driver;
    options.device = device;
    options.database = ":memory:";
    options.tune_only = options.keep_workers = true;
    options.log = tell;
    must(gputune_open(&tuner, &options), device);
    must(gputune_add_template(tuner, path), path);
    return tuner;
}

/* The paces of all GPUs, five times in turns. */
static void compare(gputune **tuners, size_t count)
{
    for (int i = 0; i < 5; i++) {
        for (size_t k = 0; k < count; k++) {
            gputune_pace pace = GPUTUNE_PACE_INIT;
            double begun = now_s();
            must(gputune_measure_pace(&pace, tuners[k]), "gputune_measure_pace");
            printf("pace of GPU %zu: %.2f us at %u MHz%s%s%s, asked for %.0f ms\n", k,
                   pace.launch_ns * 1e-3, pace.sm_clock_mhz, pace.throttled ? ", throttled" : "",
                   pace.shared ? ", used by " : "", pace.other, (now_s() - begun) * 1e3);
        }
    }
}

static void search(run *run, const char *path, size_t gpus, uint64_t seed)
{
    gputune *tuners[GPUS_MAX];
    gputune_plan *plan;
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    for (size_t i = 0; i < gpus; i++) {
        tuners[i] = open_gpu(i, path);
    }
    if (gpus > 1 && seed == 1) {
        compare(tuners, gpus);
    }
    *run = (struct run){.gpus = gpus, .info = GPUTUNE_INFO_INIT};
    options.time_limit_s = seconds;
    options.progress = note;
    options.log = tell;
    options.user = run;
    options.seed = seed;
    options.helpers = tuners + 1;
    options.helper_count = gpus - 1;
    const gputune_sizes cube = GPUTUNE_SIZES({"m", size}, {"n", size}, {"k", size});
    must(tune_kernel(&plan, tuners[0], path, size ? cube : GPUTUNE_NO_SIZES, &options), path);
    must(gputune_plan_info(&run->info, plan), path);
    snprintf(run->configuration, sizeof run->configuration, "%s", run->info.configuration);
    gputune_plan_release(plan);
    for (size_t i = 0; i < gpus; i++) {
        gputune_close(tuners[i]);
    }
}

/* Seconds until the best so far is within so much of `best_ns`; -1: it never is. */
static double until(const run *run, double best_ns, double within)
{
    for (size_t i = 0; i < run->count; i++) {
        if (run->best_ns[i] <= best_ns * (1 + within)) {
            return run->at_s[i];
        }
    }
    return -1;
}

static void report(const run *runs, int count)
{
    double best_ns = runs[0].info.time_ns;
    for (int i = 1; i < count; i++) {
        best_ns = runs[i].info.time_ns < best_ns ? runs[i].info.time_ns : best_ns;
    }
    printf("GPUs  tried  winner us  over the best  to 5%% s  to 2%% s  to 1%% s\n");
    for (int i = 0; i < count; i++) {
        const run *run = &runs[i];
        printf("%4zu  %5u  %9.1f  %12.1f%%  %7.2f  %7.2f  %7.2f  %s\n", run->gpus,
               run->info.variants, run->info.time_ns * 1e-3,
               100 * (run->info.time_ns / best_ns - 1), until(run, best_ns, 0.05),
               until(run, best_ns, 0.02), until(run, best_ns, 0.01), run->configuration);
    }
}

int main(int argc, char **argv)
{
    static run runs[RUNS_MAX];
    size_t gpus = 2;
    int times = 3, option, count = 0;
    while ((option = getopt(argc, argv, "1d:g:r:s:n:")) != -1) {
        switch (option) {
        case '1':
            on_first = true;
            break;
        case 'd':
            driver = optarg;
            break;
        case 'g':
            gpus = strtoul(optarg, NULL, 10);
            break;
        case 'r':
            times = (int)strtol(optarg, NULL, 10);
            break;
        case 's':
            seconds = gt_strtod(optarg, NULL);
            break;
        case 'n':
            size = strtol(optarg, NULL, 10);
            break;
        default:
            return 2;
        }
    }
    if (optind + 1 != argc || gpus < 1 || gpus > GPUS_MAX || times < 1 || 2 * times > RUNS_MAX) {
        fprintf(stderr,
                "usage: helped [-1] [-d DRIVER] [-g GPUS] [-r TIMES] [-s SECONDS] [-n SIZE] "
                "TEMPLATE.cu\n");
        return 2;
    }
    for (int i = 0; i < times; i++) {
        search(&runs[count++], argv[optind], 1, (uint64_t)i + 1);
        search(&runs[count++], argv[optind], gpus, (uint64_t)i + 1);
    }
    report(runs, count);
    return 0;
}
