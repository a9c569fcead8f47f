/* Tests if repeated tunings find the same winner, and if it is the best variant. Tunes each kernel
 * several times at three sizes. Then compares the winners, and the runners-up of the last tuning,
 * with up to 2000 interleaved samples each.
 *
 *   reproduce [-v] [-w] [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] [KERNEL...]
 *
 * Defaults: 20 tunings, 30 seconds, this GPU, all kernels. With -w, the data stays in L2 between
 * launches. Prints one row per scenario: the number of tunings, distinct winners, winners within 1%
 * of the best, and the slowdown of the worst winner. With -v, also prints every candidate. */
#include "program.h"
#include "scenarios.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNNERS_UP = 3, CANDIDATES_MAX = 64, TEXT = 160 };

typedef struct candidate {
    char text[TEXT];
    int won;      /* number of tunings that the candidate won */
    double ratio; /* time divided by the time of the first candidate; 0 if not judged */
    double median_ns, low, high;
    unsigned samples;
} candidate;

typedef struct candidates {
    candidate items[CANDIDATES_MAX];
    size_t count;
} candidates;

typedef struct tally {
    int within, total; /* number of wins within 1% of the best, and number of all wins */
    double worst;      /* slowdown of the worst winner, relative to the best variant */
    size_t distinct;
} tally;

static candidate *candidate_find(candidates *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].text, text) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* Finds or adds a candidate. If the list is full, prints a line on stderr and returns NULL. */
static candidate *candidate_enter(candidates *list, const char *text)
{
    candidate *item = candidate_find(list, text);
    if (item) {
        return item;
    }
    if (list->count == CANDIDATES_MAX) {
        fprintf(stderr, "more candidates than %d: %s is left out\n", CANDIDATES_MAX, text);
        return NULL;
    }
    item = &list->items[list->count++];
    *item = (candidate){0};
    snprintf(item->text, sizeof item->text, "%s", text);
    return item;
}

static double candidates_best(const candidates *list)
{
    double best = INFINITY;
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        best = fmin(best, item->ratio > 0 ? item->ratio : INFINITY);
    }
    return best;
}

/* Compares the winners with `best`. A winner that failed during judging is infinitely slower. */
static tally candidates_tally(const candidates *list, double best)
{
    tally sum = {0};
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        double over = item->ratio > 0 ? item->ratio / best - 1 : INFINITY;
        sum.total += item->won;
        sum.within += over <= 0.01 ? item->won : 0;
        sum.worst = item->won ? fmax(sum.worst, over) : sum.worst;
        sum.distinct += item->won > 0;
    }
    return sum;
}

/* Prints how often each candidate won, and its times. */
static void candidates_print(const candidates *list, double best)
{
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        printf("    %2d x %-60s %10.2f us %+6.2f%% [%+.2f, %+.2f], %u samples\n", item->won,
               item->text, item->median_ns * 1e-3, 100 * (item->ratio / best - 1),
               100 * (item->low / best - 1), 100 * (item->high / best - 1), item->samples);
    }
}

static bool has_word(const char *text, const char *word, size_t length)
{
    for (; *text; text += strspn(text, " ")) {
        size_t here = strcspn(text, " ");
        if (here == length && memcmp(text, word, length) == 0) {
            return true;
        }
        text += here;
    }
    return false;
}

/* Returns true if `text` contains all words of `words`, such as the values of a configuration. */
static bool has_words(const char *text, const char *words)
{
    for (; *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        if (length && !has_word(text, words, length)) {
            return false;
        }
        words += length;
    }
    return true;
}

/* The best trials so far; the fastest comes first. */
typedef struct podium {
    double medians[RUNNERS_UP];
    char trials[RUNNERS_UP][TEXT];
} podium;

typedef struct study {
    const bench_scenario *scenario;
    gputune *tuner;
    candidates list;
    podium best;
    char sizes[TEXT];
} study;

static int tunings = 20, verbose;
static double judge_seconds = 30;
static gputune_cache cache = GPUTUNE_CACHE_COLD;

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

static void tune(study *study, int turn)
{
    gputune_options options = options_of(study->scenario, 1 + (uint64_t)turn);
    gputune_plan *plan;
    gputune_info info = GPUTUNE_INFO_INIT;
    must(tune_kernel(&plan, study->tuner, study->scenario->kernel, bench_sizes(study->scenario),
                     &options),
         study->scenario->kernel);
    must(gputune_plan_info(&info, plan), "plan");
    candidate *item = candidate_enter(&study->list, info.configuration);
    if (item) {
        item->won++;
    }
    gputune_plan_release(plan);
}

/* Adds a trial to the best trials, unless a trial with the same median is already among them. */
static void place(podium *podium, const gputune_record *record)
{
    double median = record->median_ns;
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

/* Keeps the best trials of the scenario, including eliminated ones. A record may list more sizes
 * than the scenario, because it also has the default sizes. */
static int take_trial(void *user, const gputune_record *record)
{
    study *study = user;
    bool ran = strcmp(record->status, "ok") == 0 || strcmp(record->status, "eliminated") == 0;
    bool here = record->objective == study->scenario->objective && record->cache == cache &&
                has_words(record->sizes, study->sizes);
    if (ran && here && record->samples >= 3) {
        place(&study->best, record);
    }
    return 0;
}

static void add_runners_up(study *study)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = study->scenario->kernel;
    filter.all_trials = true;
    must(gputune_records(study->tuner, &filter, take_trial, study), "records");
    for (size_t i = 0; i < RUNNERS_UP && study->best.medians[i] > 0; i++) {
        candidate_enter(&study->list, study->best.trials[i]);
    }
}

static int take_verdict(void *user, const gputune_record *record)
{
    study *study = user;
    candidate *item = candidate_find(&study->list, record->configuration);
    if (!item) {
        fprintf(stderr, "%s: judged, but no candidate\n", record->configuration);
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
    const double best = candidates_best(list);
    const tally own = candidates_tally(list, best);
    if (verbose) {
        candidates_print(list, best);
    }
    printf("%-10s %-24s %3d/%-3d within 1%%, worst %+.2f%%, %zu winners", study->scenario->kernel,
           study->sizes, own.within, own.total, 100 * own.worst, own.distinct);
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
    double started = now_s();
    for (int i = 0; i < tunings; i++) {
        tune(study, i);
    }
    double tuned = now_s();
    add_runners_up(study);
    double judging = now_s();
    judge(study);
    report(study, tuned - started, now_s() - judging);
    free(study);
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
    int option;
    while ((option = getopt(argc, argv, "t:l:d:vw")) != -1) {
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
        case 'v':
            verbose = 1;
            break;
        case 'w':
            cache = GPUTUNE_CACHE_HOT;
            break;
        default:
            fprintf(
                stderr,
                "reproduce [-v] [-w] [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] [KERNEL...]\n");
            return 2;
        }
    }
    open.database = getenv("GPUTUNE_DB") ? NULL : ":memory:";
    open.keep_workers = true;
    run_all(&open, argc - optind, argv + optind);
    return 0;
}
