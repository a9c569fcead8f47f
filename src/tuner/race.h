/* A race: which contestants to sample next, which ones to eliminate, and which one has won. A pure
 * state machine that knows ids and sampled values, but no clock and no worker. Not thread-safe.
 *
 * A round. gt_race_next_round() returns the contestants to sample, in order. The caller gives each
 * value to gt_race_record(). gt_race_end_round() eliminates contestants and reports whether the
 * race continues. Contestants may join between two rounds.
 *
 * Comparison. Two contestants are compared only in rounds that they share, because the noise of a
 * round affects both: by the 20% trimmed mean of the log-ratios of their times. Its variance
 * combines the pair's own spread with that of all contestants. The incumbent is the best contestant
 * by this comparison.
 *
 * Elimination. Many new contestants first get two quick rounds. A contestant that takes more than
 * `drop_ratio` times the best of its first round leaves at once. From the fifth shared round on
 * (`level`), it leaves when the lower bound of its log-ratio to the incumbent is above 0. It leaves
 * earlier if every single ratio shows that it cannot win by epsilon. The default never leaves.
 *
 * End. The race is decided when one contestant is left, or no lower bound is below -epsilon. Then a
 * few final rounds of winner and default give the interval of the speed-up, from samples that did
 * not take part in the choice. Among contestants that cannot be told apart, the one that `precedes`
 * the others wins; with `tie_break`, the caller decides (gt_race_break_tie()). */
#pragma once

#include "base/array.h"
#include "stats/paired.h"
#include "stats/summary.h"

typedef struct gt_race gt_race;

/* Returns by which fraction a quick sample may differ from full ones, apart from noise. `value` is
 * the sample. */
typedef double gt_race_doubt(double value);

/* Which contestants count as tied when a race is decided. */
typedef enum gt_race_tie {
    GT_TIE_NONE,   /* no contestant; the race breaks ties by `precedes` */
    GT_TIE_LIKELY, /* contestants that may be as good as the best */
    GT_TIE_WITHIN  /* contestants within epsilon of the best that are not shown to be slower */
} gt_race_tie;

typedef struct gt_race_options {
    uint64_t seed;     /* decides the order within rounds */
    double epsilon;    /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    double drop_ratio; /* a first round above this ratio eliminates; 0: 2; below 1: none */

    uint32_t level;        /* shared rounds for a decision by bounds; 0: 5 */
    uint32_t max_rounds;   /* maximum number of full rounds of a contestant; 0: 60 */
    uint32_t final_rounds; /* rounds of winner and default after the decision; 0: 8 */
    uint32_t quick_from;   /* least number of new contestants that get two quick rounds; 0: 5 */
    gt_race_doubt *quick_doubt; /* how far quick samples are trusted; NULL: like full ones */
    bool exact;      /* true if values are a model's, without noise, so one short round decides */
    bool exhaustive; /* true if contestants leave only after 10 shared rounds, or if they fail */
    /* true if contestants leave only if they fail, or by drop_ratio, and the caller ends the
     * race */
    bool fixed;
    gt_race_tie tie_break;
    /* Returns true if contestant `a` wins a tie against `b`; NULL: the lower id wins. */
    bool (*precedes)(const void *user, uint64_t a, uint64_t b);
    const void *user; /* passed to precedes */
} gt_race_options;

typedef enum gt_race_end {
    GT_RACE_RUNNING,
    GT_RACE_ONE_LEFT, /* every other contestant is slower */
    GT_RACE_NO_GAIN,  /* no remaining contestant can win by more than epsilon */
    GT_RACE_ROUNDS,   /* max_rounds */
    GT_RACE_BUDGET,   /* stopped for lack of time */
    GT_RACE_CANCELED, /* stopped by the caller */
    GT_RACE_NONE_LEFT
} gt_race_end;

/* Returns the reason as text: "every other variant is slower", … Empty while the race runs. */
const char *gt_race_end_text(gt_race_end end);

typedef enum gt_race_leave {
    GT_RACE_IN,          /* still in the race when it ends */
    GT_RACE_LEFT_FIRST,  /* took more than drop_ratio times the best in its first round */
    GT_RACE_LEFT_EARLY,  /* far slower than the best contestant in each of its two to four rounds */
    GT_RACE_LEFT_SLOWER, /* the lower bound of its log-ratio to the incumbent is above 0 */
    GT_RACE_LEFT_FAILED  /* gt_race_fail() */
} gt_race_leave;

typedef enum gt_race_kind {
    GT_RACE_QUICK, /* short samples, which do not count once there are full ones */
    GT_RACE_FULL,
    GT_RACE_FINAL, /* samples of winner and default after the decision */
    GT_RACE_ANY    /* selects all kinds in a comparison */
} gt_race_kind;

typedef struct gt_race_sample {
    double value;
    uint32_t round; /* number from 1; values of the same round were sampled side by side */
    gt_race_kind kind;
} gt_race_sample;

/* A contestant. */
typedef struct gt_runner {
    struct gt_runner *next; /* next contestant in the order of joining */
    uint64_t id;
    bool is_default, in_round;
    gt_race_leave left;
    uint32_t left_round; /* the round after which it left; 0: never */
    uint32_t missed;     /* number of rounds in a row without a value */
    double ratio;        /* estimated time relative to the incumbent's, now or when it left */
    double first;        /* log-ratio to the incumbent in its first round; NaN: unknown */
    double pending;      /* value in the current round; NaN: none */
    GT_ARRAY(gt_race_sample) samples;
    gt_paired paired; /* comparison with the incumbent by shared full rounds; count 0: none yet */
    bool tied;        /* true if it may be as good as the winner of a decided race */
} gt_runner;

typedef struct gt_race_round {
    uint32_t number;     /* from 1 */
    uint32_t count;      /* 0: there is nothing to sample now, or the race is over */
    const uint64_t *ids; /* in the order to sample; valid until the next call */
    gt_race_kind kind;   /* QUICK if short samples are enough */
} gt_race_round;

typedef struct gt_race_result {
    gt_race_end end;
    uint64_t winner;    /* id */
    bool has_default;   /* true if the default was sampled, though it may have failed later */
    gt_verdict verdict; /* winner against default, by gt_race_compare(); 1 if the default won */
    uint32_t rounds, samples;
} gt_race_result;

/* Makes a race without contestants, for gt_race_free(). ENOMEM. */
gputune_status gt_race_new(gt_race **out, const gt_race_options *options);
void gt_race_free(gt_race *race);

/* Adds a contestant, or one that failed once more, without its samples. A decided race then
 * continues; if it is stopped before the next decision, its winner stays. EINVAL if `id` is in the
 * race. It must be small, because it indexes a table. At most one contestant is the default.
 * ENOMEM. */
gputune_status gt_race_add(gt_race *race, uint64_t id, bool is_default);
/* Declares that no more contestants will join. Before this call the race does not end by itself. */
void gt_race_complete(gt_race *race);
/* Returns true if there are contestants to sample now. */
bool gt_race_wants_round(gt_race *race);
/* Returns the contestants to sample next, shuffled. New ones are sampled beside the incumbent until
 * they have enough rounds for a decision. Drops the samples of a round that was not ended. */
gputune_status gt_race_next_round(gt_race *race, gt_race_round *out);
/* Records a contestant's value in the current round. A value that is not positive and finite is
 * ignored; after three rounds in a row without a value, the contestant counts as failed. EINVAL
 * if the id is not in the round. */
gputune_status gt_race_record(gt_race *race, uint64_t id, double value);
/* Removes a contestant that failed, at any time. An unknown id is ignored. If the winner fails
 * after the decision, the race continues. If only the default is left, the reserve returns. */
void gt_race_fail(gt_race *race, uint64_t id);
/* Ends the round: eliminates contestants and decides the race if it can. *end is GT_RACE_RUNNING if
 * the race continues. ENOMEM. */
gputune_status gt_race_end_round(gt_race *race, gt_race_end *end);
/* Returns true if the race is decided except for gt_race_break_tie(): other contestants
 * (gt_runner.tied) may be as good as the winner. If the race is stopped now, the first one by
 * `precedes` wins. If the winner or the default fails, the race continues. */
bool gt_race_is_tied(const gt_race *race);
/* Makes a tied contestant the winner. EINVAL if it is not tied. */
gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end);
/* Ends the race with the best contestant so far and drops an unfinished round. `reason` is BUDGET
 * or CANCELED. */
void gt_race_stop(gt_race *race, gt_race_end reason);

/* Return the number of contestants that are in the race, and of all that joined. */
uint32_t gt_race_active(const gt_race *race);
uint32_t gt_race_count(const gt_race *race);
/* Returns the best contestant so far; NULL: no round was taken, or all failed. */
const gt_runner *gt_race_incumbent(const gt_race *race);
/* Returns the contestant that joined first; `next` leads to the others. */
const gt_runner *gt_race_first(const gt_race *race);
/* Finds a contestant; NULL: unknown. */
const gt_runner *gt_race_find(const gt_race *race, uint64_t id);
/* Returns true if contestant `a` wins a tie against `b`. */
bool gt_race_precedes(const gt_race *race, uint64_t a, uint64_t b);
/* Returns true if a contestant has left and cannot return, as the reserve can. */
bool gt_race_has_lost(const gt_race *race, const gt_runner *runner);
/* Summarises a contestant's final samples if there are 5, because they are the longest and did not
 * decide the choice; otherwise its full samples; if it has none, its quick ones. ENOMEM. */
gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out);
/* Compares two contestants by the rounds that they share: the time of `other` relative to that of
 * `id`, with its interval. Uses the final rounds, or all if fewer than 3 are final. ENOMEM. */
gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other);
/* Returns the outcome so far, or at the end. ENOVARIANT if every contestant failed. */
gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out);
/* Writes why a contestant left, such as "4.2% slower after 6 samples"; "" if it has not. */
const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner);
