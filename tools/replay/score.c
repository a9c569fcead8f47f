/* Scores replays of recorded spaces. */
#include "replay/score.h"

#include "base/patience.h"
#include "replay/read.h"
#include "replay/replay.h"
#include "stats/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SEEDS = 100, MOST_EVALUATIONS = 1000000 };

static const uint32_t default_evaluations[] = {50, 100, 200};
static const double reach[2] = {0.05, 0.02};

/* The totals of a strategy's runs. The arrays are in one allocation, which begins with `regret`. */
typedef struct scores {
    double *regret;     /* the sum over all runs, for each number of evaluations */
    double *reached[2]; /* virtual seconds of each run */
    double *best_ns;    /* best times of one run */
    uint64_t results;
} scores;

typedef int (*replayed_fn)(void *user, const replayed *replayed);

typedef struct replay {
    const replay_options *options; /* the options, including defaults */
    gt_recorded recorded;
    char space[128];
    uint32_t most;
    scores scores;
} replay;

/* Copies the name of the file without its folder and suffixes. */
static void name_space(char *out, size_t bytes, const char *path)
{
    const char *name = basename(path);
    static const char *const endings[] = {".gz", ".json"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && memcmp(name + length - ending, endings[i], ending) == 0) {
            length -= ending;
        }
    }
    length = length < bytes ? length : bytes - 1;
    memcpy(out, name, length);
    out[length] = '\0';
}

static gputune_status complete(replay_options *out, const replay_options *given)
{
    static const gputune_strategy automatic = GPUTUNE_STRATEGY_AUTO;
    *out = *given;
    if (!out->strategies) {
        out->strategies = &automatic;
        out->strategy_count = 1;
    }
    if (!out->evaluations) {
        out->evaluations = default_evaluations;
        out->evaluation_count = sizeof default_evaluations / sizeof *default_evaluations;
    }
    out->seeds = out->seeds ? out->seeds : SEEDS;
    for (size_t i = 0; i < out->evaluation_count; i++) {
        GT_REFUSE(!out->evaluations[i] || out->evaluations[i] > MOST_EVALUATIONS, GPUTUNE_EINVAL,
                  "%u evaluations; expected 1 to %d", out->evaluations[i], MOST_EVALUATIONS);
    }
    for (size_t i = 0; i < out->strategy_count; i++) {
        GT_REFUSE((uint32_t)out->strategies[i] >= GPUTUNE_STRATEGY_COUNT, GPUTUNE_EINVAL,
                  "%d is no strategy", (int)out->strategies[i]);
    }
    return GPUTUNE_OK;
}

static gputune_status make_scores(replay *at)
{
    const replay_options *options = at->options;
    for (size_t i = 0; i < options->evaluation_count; i++) {
        at->most = options->evaluations[i] > at->most ? options->evaluations[i] : at->most;
    }
    scores *scores = &at->scores;
    scores->regret =
        calloc(options->evaluation_count + 2 * (size_t)options->seeds + at->most, sizeof(double));
    GT_TRY(gt_allocated(scores->regret));
    scores->reached[0] = scores->regret + options->evaluation_count;
    scores->reached[1] = scores->reached[0] + options->seeds;
    scores->best_ns = scores->reached[1] + options->seeds;
    return GPUTUNE_OK;
}

static gputune_status run_once(replay *at, gputune_strategy strategy, uint32_t run)
{
    const replay_options *options = at->options;
    scores *scores = &at->scores;
    /* the seeds of two runs are adjacent, so they are mixed first */
    gt_random random = {options->seed + run};
    gt_replay_settings settings = {.kind = strategy,
                                   .seed = gt_random_next(&random),
                                   .workers = options->workers,
                                   .evaluations = at->most,
                                   .reach = {reach[0], reach[1]}};
    gt_replay_result result = {.best_ns = scores->best_ns};
    GT_TRY(gt_replay(&result, &at->recorded, &settings));
    for (size_t i = 0; i < options->evaluation_count; i++) {
        double best = scores->best_ns[options->evaluations[i] - 1];
        scores->regret[i] += best / at->recorded.best_ns - 1;
    }
    for (int i = 0; i < 2; i++) {
        scores->reached[i][run] = result.reached_s[i];
    }
    scores->results += result.results;
    return GPUTUNE_OK;
}

/* Returns the median, or 0 if half of the runs have not reached the goal. */
static double median(double *values, uint32_t count, bool is_measured)
{
    gt_sort(values, count);
    double middle = gt_median_sorted(values, count);
    return is_measured && isfinite(middle) ? middle : 0;
}

static int report(replay *at, gputune_strategy strategy, replayed_fn each, void *user)
{
    const replay_options *options = at->options;
    scores *scores = &at->scores;
    bool clock = options->workers > 0;
    struct replayed replayed = {
        .space = at->space,
        .strategy = gt_strategy_name(strategy),
        .seeds = options->seeds,
        .workers = options->workers,
        .seconds_to_5_percent = median(scores->reached[0], options->seeds, clock),
        .seconds_to_2_percent = median(scores->reached[1], options->seeds, clock),
        .configurations = at->recorded.entries.count,
        .valid = at->recorded.ok,
        .optimum_ns = at->recorded.best_ns};
    int answer = 0;
    for (size_t i = 0; i < options->evaluation_count && !answer; i++) {
        replayed.evaluations = options->evaluations[i];
        replayed.mean_regret = scores->regret[i] / options->seeds;
        answer = each(user, &replayed);
    }
    return answer;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int run_strategy(replay *at, gputune_strategy strategy, replayed_fn each, void *user)
{
    const replay_options *options = at->options;
    memset(at->scores.regret, 0, options->evaluation_count * sizeof(double));
    at->scores.results = 0;
    double start = cpu_seconds();
    for (uint32_t run = 0; run < options->seeds; run++) {
        GT_REFUSE(gt_is_canceled(options->cancel), GPUTUNE_ECANCELED, "stopped on request");
        GT_TRY(run_once(at, strategy, run));
    }
    gt_log line = {options->log, options->user};
    gt_log_line(&line, GPUTUNE_LOG_DEBUG, "%s: %s took %.3f ms of one core for a result", at->space,
                gt_strategy_name(strategy),
                (cpu_seconds() - start) * 1e3 / (double)at->scores.results);
    return report(at, strategy, each, user);
}

int replay_score(const char *path, const replay_options *options,
                 int (*each)(void *user, const replayed *replayed), void *user)
{
    replay_options all;
    GT_TRY(complete(&all, options));
    gt_log log = {all.log, all.user};
    replay at = {.options = &all};
    name_space(at.space, sizeof at.space, path);
    GT_TRY(gt_recorded_read(&at.recorded, path, &log, all.cancel));
    int answer = make_scores(&at);
    for (size_t i = 0; i < all.strategy_count && !answer; i++) {
        answer = run_strategy(&at, all.strategies[i], each, user);
    }
    gt_recorded_free(&at.recorded);
    free(at.scores.regret);
    return answer;
}
