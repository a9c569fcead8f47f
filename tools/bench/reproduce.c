/* Does the same tuning crown the same winner, and is it the best? Forced tunings of each kernel at
 * three sizes; the winners and the runners-up of the last one are then judged by up to 2000
 * interleaved samples each.
 *
 *   reproduce [-v] [-w] [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] [-c FILE] [KERNEL...]
 *   reproduce -s [KERNEL...]             lists the scenarios: kernel, a tab, sizes
 *
 * 20 tunings, 30 seconds, the GPU at hand, all kernels. -w leaves the data in L2 between launches.
 * A row a scenario: how many tunings, distinct winners, how many of them within 1% of the best,
 * the worst one's distance; with -v every candidate.
 *
 * -c: what another tuner chose (choices.h) is judged in the same rounds, with counts of its own:
 * how many of its choices are within 1% of the best, and "in its space" within 1% of the best that
 * it could have chosen, with the settings that it cannot vary. For that best, gputune tunes in that
 * smaller space too, and its runners-up join. */
#include "candidates.h"
#include "choices.h"
#include "program.h"
#include "scenarios.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { RUNNERS_UP = 3, RESTRICTED_TUNINGS = 3, ONLY_MAX = 8 };

/* The best trials so far of those that have the settings, ascending. */
typedef struct podium {
    const char *settings;
    double medians[RUNNERS_UP];
    char trials[RUNNERS_UP][TEXT];
} podium;

typedef struct study {
    const bench_scenario *scenario;
    gputune *tuner;
    candidates list;
    podium all, restricted;
    const char *fixed; /* the settings that the other tuner cannot vary; NULL: it chose nothing */
    char sizes[TEXT];
} study;

static int tunings = 20, verbose;
static double judge_seconds = 30;
static gputune_cache cache = GPUTUNE_CACHE_COLD;
static bench_choices choices;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static gputune_options options_of(const bench_scenario *scenario, uint64_t seed)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.objective = scenario->objective;
    options.cache = cache;
    options.force = true;
    options.seed = seed;
    options.time_limit_s = 30;
    return options;
}

/* Tunes once and counts the winner; with `settings`, "AXIS=V AXIS=V", among configurations that
 * have them, and without counting. */
static void tune(study *study, int turn, const char *settings)
{
    gputune_options options = options_of(study->scenario, 1 + (uint64_t)turn);
    gputune_plan *plan;
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    const char *only[ONLY_MAX];
    char words[TEXT], *rest = words;
    snprintf(words, sizeof words, "%s", settings);
    options.only = only;
    while (*rest && options.only_count < ONLY_MAX) {
        only[options.only_count++] = strsep(&rest, " ");
        rest = rest ? rest : "";
    }
    must(tune_kernel(&plan, study->tuner, study->scenario->kernel, bench_sizes(study->scenario),
                     &options),
         study->scenario->kernel);
    must(gputune_plan_info(&info, plan), "plan");
    candidate *item = candidate_enter(&study->list, info.configuration);
    if (item && !options.only_count) {
        item->won++;
    }
    gputune_plan_release(plan);
}

/* Enters the other tuner's choices. */
static void add_choices(study *study)
{
    for (size_t i = 0; i < choices.count; i++) {
        const bench_choice *choice = &choices.items[i];
        if (strcmp(choice->kernel, study->scenario->kernel) == 0 &&
            strcmp(choice->sizes, study->sizes) == 0) {
            candidate *item = candidate_enter(&study->list, choice->configuration);
            study->fixed = choice->fixed;
            if (item) {
                item->chosen += choice->times;
            }
        }
    }
}

/* Variants that are one launch have the times of the one that was tried: no second place. */
static void place(podium *podium, const gputune_record *record)
{
    double median = record->median_ns;
    if (!podium->settings || !bench_has_words(record->configuration, podium->settings)) {
        return;
    }
    for (size_t i = 0; i < RUNNERS_UP && median != podium->medians[i]; i++) {
        if (podium->medians[i] == 0 || median < podium->medians[i]) {
            size_t rest = RUNNERS_UP - i - 1;
            memmove(&podium->medians[i + 1], &podium->medians[i], rest * sizeof *podium->medians);
            memmove(podium->trials[i + 1], podium->trials[i], rest * sizeof *podium->trials);
            podium->medians[i] = median;
            snprintf(podium->trials[i], TEXT, "%s", record->configuration);
            return;
        }
    }
}

/* Keeps the best trials, eliminated ones too. The record's sizes may name more, with defaults. */
static int take_trial(void *user, const gputune_record *record)
{
    study *study = user;
    bool ran = strcmp(record->status, "ok") == 0 || strcmp(record->status, "eliminated") == 0;
    bool here = record->objective == study->scenario->objective && record->cache == cache &&
                bench_has_words(record->sizes, study->sizes);
    if (ran && here && record->samples >= 3) {
        place(&study->all, record);
        place(&study->restricted, record);
    }
    return 0;
}

static void add_runners_up(study *study)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = study->scenario->kernel;
    filter.all_trials = true;
    study->all.settings = "";
    study->restricted.settings = study->fixed && *study->fixed ? study->fixed : NULL;
    must(gputune_records(study->tuner, &filter, take_trial, study), "records");
    for (size_t i = 0; i < RUNNERS_UP && study->all.medians[i] > 0; i++) {
        candidate_enter(&study->list, study->all.trials[i]);
    }
    for (size_t i = 0; i < RUNNERS_UP && study->restricted.medians[i] > 0; i++) {
        candidate_enter(&study->list, study->restricted.trials[i]);
    }
}

static int take_verdict(void *user, const gputune_record *record)
{
    study *study = user;
    candidate *item = candidate_find(&study->list, record->configuration);
    if (!item) {
        fprintf(stderr, "%s: gputune writes a candidate so; the choices must be written alike\n",
                record->configuration);
        exit(2);
    }
    if (strcmp(record->status, "ok") == 0) {
        item->ratio = record->speedup > 0 ? 1 / record->speedup : 1;
        item->low = record->speedup > 0 ? 1 / record->speedup_high : 1;
        item->high = record->speedup > 0 ? 1 / record->speedup_low : 1;
        item->median_ns = record->median_ns;
        item->samples = record->samples;
    }
    return 0;
}

static void judge(study *study)
{
    const char *texts[CANDIDATES_MAX];
    gputune_options options = options_of(study->scenario, 12345);
    options.effort = GPUTUNE_EXHAUSTIVE;
    options.time_limit_s = judge_seconds;
    for (size_t i = 0; i < study->list.count; i++) {
        texts[i] = study->list.items[i].text;
    }
    must(gputune_run(study->tuner, study->scenario->kernel, bench_sizes(study->scenario), texts,
                     study->list.count, &options, take_verdict, study),
         "judge");
}

static void report(const study *study, double tuning_s, double judging_s)
{
    const candidates *list = &study->list;
    const double best = candidates_best(list, "");
    const tally own = candidates_tally(list, false, best);
    if (verbose) {
        candidates_print(list, study->fixed != NULL, best);
    }
    printf("%-10s %-24s %3d/%-3d within 1%%, worst %+.2f%%, %zu winners", study->scenario->kernel,
           study->sizes, own.within, own.total, 100 * own.worst, own.distinct);
    if (study->fixed) {
        const double reachable = candidates_best(list, study->fixed);
        const tally other = candidates_tally(list, true, best);
        const tally fair = candidates_tally(list, true, reachable);
        printf("; other %d/%d, worst %+.2f%%, %zu choices; in its space %d/%d, worst %+.2f%%, best "
               "%+.2f%%",
               other.within, other.total, 100 * other.worst, other.distinct, fair.within,
               fair.total, 100 * fair.worst, 100 * (reachable / best - 1));
    }
    printf("; %zu judged by %u, tuning %.2f s, judging %.1f s\n", study->list.count,
           study->list.items[0].samples, tuning_s / tunings, judging_s);
    fflush(stdout);
}

static void run(gputune *tuner, const bench_scenario *scenario)
{
    study *study = calloc(1, sizeof *study);
    if (!study) {
        exit(1);
    }
    study->scenario = scenario;
    study->tuner = tuner;
    bench_sizes_text(study->sizes, TEXT, scenario);
    double begun = seconds();
    for (int i = 0; i < tunings; i++) {
        tune(study, i, "");
    }
    double tuned = seconds();
    add_choices(study);
    for (int i = 0; study->fixed && *study->fixed && i < RESTRICTED_TUNINGS; i++) {
        tune(study, tunings + i, study->fixed);
    }
    add_runners_up(study);
    double judging = seconds();
    judge(study);
    report(study, tuned - begun, seconds() - judging);
    free(study);
}

static void list_scenarios(int count, char **names)
{
    char sizes[TEXT];
    for (int i = 0; i < BENCH_SCENARIOS; i++) {
        if (bench_wanted(&bench_scenarios[i], count, names)) {
            bench_sizes_text(sizes, sizeof sizes, &bench_scenarios[i]);
            printf("%s\t%s\n", bench_scenarios[i].kernel, sizes);
        }
    }
}

static void run_all(const gputune_open_options *options, int count, char **names)
{
    gputune *tuner;
    must(gputune_open(&tuner, options), "open");
    for (int i = 0; i < BENCH_SCENARIOS; i++) {
        if (bench_wanted(&bench_scenarios[i], count, names)) {
            run(tuner, &bench_scenarios[i]);
        }
    }
    gputune_close(tuner);
}

int main(int argc, char **argv)
{
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    bool listing = false;
    int option;
    while ((option = getopt(argc, argv, "t:l:d:c:vws")) != -1) {
        switch (option) {
        case 't':
            tunings = (int)strtol(optarg, NULL, 10);
            break;
        case 'l':
            judge_seconds = strtod(optarg, NULL);
            break;
        case 'd':
            open.driver = optarg;
            break;
        case 'c':
            choices = bench_read_choices(optarg);
            break;
        case 'v':
            verbose = 1;
            break;
        case 'w':
            cache = GPUTUNE_CACHE_HOT;
            break;
        case 's':
            listing = true;
            break;
        default:
            fprintf(stderr, "reproduce [-v] [-w] [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] "
                            "[-c FILE] [KERNEL...]\nreproduce -s [KERNEL...]\n");
            return 2;
        }
    }
    if (listing) {
        list_scenarios(argc - optind, argv + optind);
        return 0;
    }
    open.database = getenv("GPUTUNE_DB") ? NULL : ":memory:";
    open.keep_workers = true;
    run_all(&open, argc - optind, argv + optind);
    return 0;
}
