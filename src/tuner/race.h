/* A race decides which contestants to sample next, which ones to eliminate, and which one has won.
 * It is a pure state machine: it has ids and sampled values, but no clock and no worker. Not
 * thread-safe.
 *
 * A round. gt_race_next_round() returns the contestants to sample, in order. The caller passes each
 * value to gt_race_record(). gt_race_end_round() eliminates contestants and reports whether the
 * race continues. Contestants may join between rounds.
 *
 * Comparison. Two contestants are compared only in rounds that they share, because the noise of a
 * round affects both. The result is the 20% trimmed mean of the log-ratios of their times. Its
 * variance combines the pair's own spread with that of all contestants. The incumbent is the best
 * contestant by this comparison.
 *
 * Elimination. If many contestants are new, they first get two quick rounds. A contestant leaves
 * immediately if it takes more than `drop_ratio` times as long as the best contestant of its first
 * round. After five shared rounds (`level`), it leaves if the lower bound of its log-ratio to the
 * incumbent is above 0. Three shared rounds suffice if at least eight contestants show how large
 * the noise is, and the contestant's own ratios vary no more than that. A contestant leaves even
 * earlier if each of its ratios shows that it cannot win by epsilon. The default never leaves.
 *
 * End. The race is decided when only one contestant is left, or when no lower bound is below
 * -epsilon. Then winner and default share a few final rounds. These give the interval of the
 * speed-up from samples that did not influence the choice. Among equal contestants, the one that
 * `precedes` the others wins; with `tie_break`, the caller chooses (gt_race_break_tie()). */
#pragma once

#include "base/array.h"
#include "stats/paired.h"
#include "stats/summary.h"

typedef struct gt_race gt_race;

/* Returns by what fraction the quick sample `value` may exceed full samples without noise. */
typedef double gt_race_doubt(double value);

/* Which contestants count as tied when a race is decided. */
typedef enum gt_race_tie {
    GT_TIE_NONE,   /* no contestants; `precedes` chooses the winner */
    GT_TIE_LIKELY, /* contestants that may be as good as the best */
    GT_TIE_WITHIN  /* contestants within epsilon of the best that were not shown to be slower */
} gt_race_tie;

typedef struct gt_race_options {
    uint64_t seed;  /* determines the order within rounds */
    double epsilon; /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    /* maximum ratio of a contestant's first time to the best; 0: 2; below 1: no maximum */
    double drop_ratio;

    uint32_t level;             /* shared rounds before confidence bounds may decide; 0: 5 */
    uint32_t max_rounds;        /* maximum number of full rounds per contestant; 0: 60 */
    uint32_t final_rounds;      /* number of final rounds of winner and default; 0: 8 */
    uint32_t quick_from;        /* number of new contestants that triggers quick rounds; 0: 5 */
    gt_race_doubt *quick_doubt; /* uncertainty of quick samples; NULL: as certain as full samples */
    bool exact;      /* true if values are modelled and have no noise, so one short round decides */
    bool exhaustive; /* true if contestants leave only after 10 shared rounds, or if they fail */
    /* true if only drop_ratio and failures eliminate contestants, and the caller ends the race */
    bool fixed;
    gt_race_tie tie_break;
    /* Returns true if contestant `a` wins a tie against `b`. NULL: the lower id wins. */
    bool (*precedes)(const void *user, uint64_t a, uint64_t b);
    const void *user;
} gt_race_options;

typedef enum gt_race_end {
    GT_RACE_RUNNING,
    GT_RACE_ONE_LEFT, /* every other contestant is slower or failed, or there is none */
    GT_RACE_NO_GAIN,  /* no other contestant can win by more than epsilon */
    GT_RACE_ROUNDS,   /* max_rounds was reached */
    GT_RACE_BUDGET,   /* stopped for lack of time */
    GT_RACE_CANCELED, /* stopped by the caller */
    GT_RACE_NONE_LEFT
} gt_race_end;

/* Returns the reason as text, such as "no other variant is as fast"; "" while the race runs. */
const char *gt_race_end_text(gt_race_end end);

typedef enum gt_race_leave {
    GT_RACE_IN,          /* still racing, or was racing at the end */
    GT_RACE_LEFT_FIRST,  /* far slower than the best in the first round (drop_ratio) */
    GT_RACE_LEFT_EARLY,  /* clearly slower in each of two to four rounds */
    GT_RACE_LEFT_SLOWER, /* the lower bound of the log-ratio to the incumbent is above 0 */
    GT_RACE_LEFT_FAILED  /* failed (gt_race_fail()) */
} gt_race_leave;

typedef enum gt_race_kind {
    GT_RACE_QUICK, /* short samples, ignored once there are full ones */
    GT_RACE_FULL,
    GT_RACE_FINAL, /* samples of winner and default, taken after the decision */
    GT_RACE_ANY    /* in comparisons: samples of all kinds */
} gt_race_kind;

typedef struct gt_race_sample {
    double value;
    uint32_t round; /* counted from 1; values of the same round were measured close in time */
    gt_race_kind kind;
} gt_race_sample;

typedef struct gt_runner {
    struct gt_runner *next; /* next contestant in the order of joining */
    uint64_t id;
    bool is_default, in_round;
    gt_race_leave left;
    uint32_t left_round; /* round after which the contestant left; 0: it is still in */
    uint32_t missed;     /* number of consecutive rounds without a value */
    double ratio;        /* time relative to the incumbent's, now or when leaving */
    double first;   /* log-ratio to the incumbent in the contestant's first round; NaN: unknown */
    double pending; /* value in the current round; NaN: none */
    GT_ARRAY(gt_race_sample) samples;
    gt_paired paired; /* comparison with the incumbent in shared full rounds; count 0: none */
    bool calm; /* true if the spread of all contestants allows a decision before round `level` */
    bool tied; /* true if the contestant may be as good as the winner of a decided race */
} gt_runner;

typedef struct gt_race_round {
    uint32_t number; /* counted from 1 */
    uint32_t count;  /* number of contestants; 0: nothing to sample now, or the race has ended */
    const uint64_t *ids; /* contestants in the order of sampling; valid until the next call */
    gt_race_kind kind;   /* QUICK if short samples suffice */
} gt_race_round;

typedef struct gt_race_result {
    gt_race_end end;
    uint64_t winner;
    bool has_default; /* true if the default has samples, even if it failed later */
    /* winner compared with the default (gt_race_compare()); 1 if the default won */
    gt_verdict verdict;
    uint32_t rounds, samples;
} gt_race_result;

/* Creates a race without contestants. The caller frees it with gt_race_free(). ENOMEM. */
gputune_status gt_race_new(gt_race **out, const gt_race_options *options);
void gt_race_free(gt_race *race);

/* Adds a contestant. `id` is an index, so it must be small; EINVAL if it is already in use. At most
 * one contestant may be the default. ENOMEM. */
gputune_status gt_race_add(gt_race *race, uint64_t id, bool is_default);
/* Declares that no more contestants will join. Until then, the race ends only by gt_race_stop(). */
void gt_race_complete(gt_race *race);
/* Returns true if there are contestants to sample now. */
bool gt_race_wants_round(gt_race *race);
/* Sets *out to the contestants to sample next, in random order. Samples new contestants together
 * with the incumbent until a decision is possible. Discards the samples of an unfinished round. */
gputune_status gt_race_next_round(gt_race *race, gt_race_round *out);
/* Records a value of the current round. Ignores a value that is not positive and finite; after
 * three rounds without a value, the contestant fails. EINVAL if `id` is not in the round. */
gputune_status gt_race_record(gt_race *race, uint64_t id, double value);
/* Marks a contestant as failed, at any time. Ignores an unknown id. If the decided winner fails,
 * the race continues. If the best contestant fails, or only the default is left, the best
 * eliminated contestant returns. */
void gt_race_fail(gt_race *race, uint64_t id);
/* Ends the round: eliminates contestants, and decides the race if possible. Sets *end to
 * GT_RACE_RUNNING if the race continues. ENOMEM. */
gputune_status gt_race_end_round(gt_race *race, gt_race_end *end);
/* Returns true if the race is decided except for a tie, which gt_race_break_tie() must break.
 * gt_runner.tied marks the tied contestants. If the race is stopped now, `precedes` breaks the tie.
 * If the winner or the default fails, the race continues. */
bool gt_race_is_tied(const gt_race *race);
/* Makes a tied contestant the winner. EINVAL if the contestant is not tied. */
gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end);
/* Ends the race with the best contestant so far. `reason` is BUDGET or CANCELED. */
void gt_race_stop(gt_race *race, gt_race_end reason);

/* Return the number of contestants still racing, and of all that joined. */
uint32_t gt_race_active(const gt_race *race);
uint32_t gt_race_count(const gt_race *race);
/* Returns the best contestant so far; NULL before the first round, or if all failed. */
const gt_runner *gt_race_incumbent(const gt_race *race);
/* Returns the first contestant that joined; `next` leads to the others. */
const gt_runner *gt_race_first(const gt_race *race);
/* Finds a contestant; NULL for an unknown id. */
const gt_runner *gt_race_find(const gt_race *race, uint64_t id);
/* Returns true if contestant `a` wins a tie against `b`. */
bool gt_race_precedes(const gt_race *race, uint64_t a, uint64_t b);
/* Returns true if a contestant was eliminated for good. Only the best eliminated one may return. */
bool gt_race_has_lost(const gt_race *race, const gt_runner *runner);
/* Summarises a contestant's samples. Uses the final samples if there are at least 5, because they
 * are the longest and did not influence the choice; otherwise the full samples or, if there are
 * none, the quick samples. ENOMEM. */
gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out);
/* Compares two contestants in the final rounds that they share; if these are fewer than 3, in the
 * shared full rounds; without these, in all shared rounds. Sets *out to the time of `other` divided
 * by that of `id`, with an interval. ENOMEM. */
gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other);
/* Gets the result so far, or of the ended race. ENOVARIANT if every contestant failed. */
gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out);
/* Writes why a contestant left, such as "4.2% slower after 6 samples", or "". Returns `out`. */
const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner);
