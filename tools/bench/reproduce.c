/* Does the same tuning crown the same winner, and is it the best? Forced tunings of each kernel at
 * three sizes; the winners and the runners-up of the last one are then judged by up to 2000
 * interleaved samples each.
 *
 *   reproduce [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] [KERNEL...]        20, 30, cuda, all
 *
 * A row a scenario: how many tunings, distinct winners, how many of them within 1% of the best,
 * the worst one's distance; with -v every candidate. */
#include "scenarios.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TUNINGS_MAX = 200, CANDIDATES_MAX = 24, RUNNERS_UP = 3, TEXT = 160 };

typedef struct candidate {
    char text[TEXT];
    int won;      /* tunings */
    double ratio; /* its time over the first candidate's; 0: not judged */
    double median_ns, low, high;
    unsigned samples;
} candidate;

typedef struct study {
    const bench_scenario *scenario;
    gputune *tuner;
    candidate items[CANDIDATES_MAX];
    size_t count;
    double medians[RUNNERS_UP]; /* of the best trials so far, ascending */
    char trials[RUNNERS_UP][TEXT];
    char sizes[TEXT];
} study;

static int tunings = 20, verbose;
static double judge_seconds = 30;

static void must(int status, const char *what)
{
    if (status < 0) {
        fprintf(stderr, "%s: %s\n", what, gputune_error());
        exit(1);
    }
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static candidate *find(study *study, const char *text)
{
    for (size_t i = 0; i < study->count; i++) {
        if (strcmp(study->items[i].text, text) == 0) {
            return &study->items[i];
        }
    }
    if (study->count == CANDIDATES_MAX) {
        fprintf(stderr, "more candidates than %d: %s is left out\n", CANDIDATES_MAX, text);
        return NULL;
    }
    candidate *item = &study->items[study->count++];
    *item = (candidate){0};
    snprintf(item->text, sizeof item->text, "%s", text);
    return item;
}

static gputune_options options_of(const bench_scenario *scenario, uint64_t seed)
{
    gputune_options options = GPUTUNE_OPTIONS_INIT;
    options.objective = scenario->objective;
    options.force = true;
    options.seed = seed;
    options.time_limit_s = 30;
    return options;
}

static void tune(study *study, int turn)
{
    gputune_options options = options_of(study->scenario, 1 + (uint64_t)turn);
    gputune_plan *plan;
    gputune_info info = {.version = GPUTUNE_INFO_VERSION};
    must(tune_kernel(&plan, study->tuner, study->scenario->kernel, bench_sizes(study->scenario),
                     &options),
         study->scenario->kernel);
    must(gputune_plan_info(&info, plan), "plan");
    candidate *item = find(study, info.configuration);
    if (item) {
        item->won++;
    }
    gputune_plan_release(plan);
}

/* Whether a record is of this scenario; its sizes may name more, with their defaults. */
static bool is_here(const study *study, const gputune_record *record)
{
    char padded[2 * TEXT], wanted[TEXT];
    snprintf(padded, sizeof padded, " %s ", record->sizes);
    for (size_t i = 0; i < study->scenario->size_count; i++) {
        const gputune_size *size = &study->scenario->sizes[i];
        snprintf(wanted, sizeof wanted, " %s=%lld ", size->name, (long long)size->value);
        if (!strstr(padded, wanted)) {
            return false;
        }
    }
    return record->objective == study->scenario->objective;
}

/* Keeps the best trials, eliminated ones too. */
static int take_trial(void *user, const gputune_record *record)
{
    study *study = user;
    double median = record->median_ns;
    bool ran = strcmp(record->status, "ok") == 0 || strcmp(record->status, "eliminated") == 0;
    if (!ran || record->samples < 3 || !is_here(study, record)) {
        return 0;
    }
    for (size_t i = 0; i < RUNNERS_UP; i++) {
        if (study->medians[i] == 0 || median < study->medians[i]) {
            size_t rest = RUNNERS_UP - i - 1;
            memmove(&study->medians[i + 1], &study->medians[i], rest * sizeof *study->medians);
            memmove(study->trials[i + 1], study->trials[i], rest * sizeof *study->trials);
            study->medians[i] = median;
            snprintf(study->trials[i], TEXT, "%s", record->configuration);
            return 0;
        }
    }
    return 0;
}

static void add_runners_up(study *study)
{
    gputune_record_filter filter = GPUTUNE_RECORD_FILTER_INIT;
    filter.kernel = study->scenario->kernel;
    filter.all_trials = true;
    must(gputune_records(study->tuner, &filter, take_trial, study), "records");
    for (size_t i = 0; i < RUNNERS_UP && study->medians[i] > 0; i++) {
        find(study, study->trials[i]);
    }
}

static int take_verdict(void *user, const gputune_record *record)
{
    candidate *item = find(user, record->configuration);
    if (item && strcmp(record->status, "ok") == 0) {
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
    for (size_t i = 0; i < study->count; i++) {
        texts[i] = study->items[i].text;
    }
    must(gputune_run(study->tuner, study->scenario->kernel, bench_sizes(study->scenario), texts,
                     study->count, &options, take_verdict, study),
         "judge");
}

static void report(const study *study, double tuning_s, double judging_s)
{
    double best = INFINITY, worst = 0;
    size_t winners = 0;
    int within = 0, total = 0;
    for (size_t i = 0; i < study->count; i++) {
        best = fmin(best, study->items[i].ratio > 0 ? study->items[i].ratio : INFINITY);
    }
    for (size_t i = 0; i < study->count; i++) {
        const candidate *item = &study->items[i];
        double over = item->ratio / best - 1;
        winners += item->won > 0;
        total += item->won;
        within += item->ratio > 0 && over <= 0.01 ? item->won : 0;
        worst = item->won ? fmax(worst, over) : worst;
        if (verbose) {
            printf("    %2d x %-60s %10.2f us %+6.2f%% [%+.2f, %+.2f], %u samples\n", item->won,
                   item->text, item->median_ns * 1e-3, 100 * over, 100 * (item->low / best - 1),
                   100 * (item->high / best - 1), item->samples);
        }
    }
    printf("%-10s %-24s %3d/%-3d within 1%%, worst %+.2f%%, %zu winners, %zu judged by %u, "
           "tuning %.2f s, judging %.1f s\n",
           study->scenario->kernel, study->sizes, within, total, 100 * worst, winners, study->count,
           study->items[0].samples, tuning_s / tunings, judging_s);
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
    for (size_t i = 0; i < scenario->size_count; i++) {
        size_t used = strlen(study->sizes);
        snprintf(study->sizes + used, TEXT - used, "%s%s=%lld", i ? " " : "",
                 scenario->sizes[i].name, (long long)scenario->sizes[i].value);
    }
    double begun = seconds();
    for (int i = 0; i < tunings; i++) {
        tune(study, i);
    }
    double tuned = seconds();
    add_runners_up(study);
    judge(study);
    report(study, tuned - begun, seconds() - tuned);
    free(study);
}

int main(int argc, char **argv)
{
    gputune_open_options open = GPUTUNE_OPEN_OPTIONS_INIT;
    int option;
    while ((option = getopt(argc, argv, "t:l:d:v")) != -1) {
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
        default:
            fprintf(stderr, "reproduce [-v] [-t TUNINGS] [-l JUDGE_SECONDS] [-d DRIVER] "
                            "[KERNEL...]\n");
            return 2;
        }
    }
    gputune *tuner;
    open.database = getenv("GPUTUNE_DB") ? NULL : ":memory:";
    open.keep_workers = true;
    must(gputune_open(&tuner, &open), "open");
    for (int i = 0; i < BENCH_SCENARIOS; i++) {
        if (bench_wanted(&bench_scenarios[i], argc - optind, argv + optind)) {
            run(tuner, &bench_scenarios[i]);
        }
    }
    gputune_close(tuner);
    return 0;
}
