/* A race decides which contestants are sampled next, which of them are eliminated, and which one
 * wins. It is a pure state machine: it knows ids and sampled values, but has no clock and no
 * worker. Not thread-safe.
 *
 * Rounds. gt_race_next_round() returns the contestants to sample and their order. The caller passes
 * the values to gt_race_record(). Then gt_race_end_round() eliminates contestants and reports
 * whether the race continues. Contestants may join between two rounds.
 *
 * Comparison. Two contestants are compared only in rounds in which both were sampled, because both
 * are then affected by the same noise. The result is the 20% trimmed mean of the logarithms of the
 * ratios of their times. Its variance is estimated from the spread of the pair and from the spread
 * of all contestants. The incumbent is the contestant that is best by these comparisons.
 *
 * Elimination. If there are many new contestants, they have two quick rounds first. A contestant
 * leaves at once if it takes more than `drop_ratio` times as long as the best one in its first
 * round. After five shared rounds (`level`), it leaves if the lower bound of its log-ratio to the
 * incumbent is above 0. It leaves earlier if each of its ratios shows that it cannot win by
 * epsilon. The default never leaves.
 *
 * End. The race is decided when only one contestant is left, or when no lower bound is below
 * -epsilon. Then there are a few final rounds of the winner and the default, to compute the
 * interval of the speed-up from samples that had no influence on the decision. If several
 * contestants are equally good, the one that `precedes` the others wins. With `tie_break`, the
 * caller decides (gt_race_break_tie()). */
#pragma once

#include "base/array.h"
#include "stats/paired.h"
#include "stats/summary.h"

typedef struct gt_race gt_race;

/* Returns the largest systematic error of a quick sample of this value, as a fraction. */
typedef double gt_race_doubt(double value);

/* Which contestants are considered tied when a race is decided. */
typedef enum gt_race_tie {
    GT_TIE_NONE,   /* none: `precedes` decides between equally good contestants */
    GT_TIE_LIKELY, /* contestants that may be as good as the best one */
    GT_TIE_WITHIN  /* contestants within epsilon of the best one that are not known to be slower */
} gt_race_tie;

typedef struct gt_race_options {
    uint64_t seed;     /* determines the order in rounds */
    double epsilon;    /* smallest gain that matters, as a fraction; 0 means 0.005 */
    double drop_ratio; /* eliminate at this multiple of the best time; 0 means 2, below 1 never */

    uint32_t level;             /* minimum shared rounds for confidence bounds; 0 means 5 */
    uint32_t max_rounds;        /* maximum number of full rounds per contestant; 0 means 60 */
    uint32_t final_rounds;      /* number of final rounds; 0 means 8 */
    uint32_t quick_from;        /* minimum number of new contestants for a quick round; 0 means 5 */
    gt_race_doubt *quick_doubt; /* systematic error of quick samples; NULL: none */
    bool exact;      /* true if values are modelled, without noise; one short round then decides */
    bool exhaustive; /* true: contestants leave only after 10 shared rounds, or if they fail */
    bool fixed;      /* true: elimination only by drop_ratio or failure; the caller ends the race */
    gt_race_tie tie_break;
    /* Returns true if contestant `a` wins a tie against `b`. If NULL, the lower id wins. */
    bool (*precedes)(const void *user, uint64_t a, uint64_t b);
    const void *user;
} gt_race_options;

typedef enum gt_race_end {
    GT_RACE_RUNNING,
    GT_RACE_ONE_LEFT, /* all others are slower or failed, or there are no others */
    GT_RACE_NO_GAIN,  /* no other contestant can win by more than epsilon */
    GT_RACE_ROUNDS,   /* max_rounds was reached */
    GT_RACE_BUDGET,   /* stopped because time ran out */
    GT_RACE_CANCELED, /* stopped on request */
    GT_RACE_NONE_LEFT
} gt_race_end;

/* Returns a text such as "no other variant is as fast"; "" if the race has not ended. */
const char *gt_race_end_text(gt_race_end end);

typedef enum gt_race_leave {
    GT_RACE_IN,          /* in the race, or was in it when it ended */
    GT_RACE_LEFT_FIRST,  /* far slower in the first round (drop_ratio) */
    GT_RACE_LEFT_EARLY,  /* far slower in each of two to four rounds */
    GT_RACE_LEFT_SLOWER, /* the lower bound of the log-ratio to the incumbent is above 0 */
    GT_RACE_LEFT_FAILED  /* failed (gt_race_fail()) */
} gt_race_leave;

typedef enum gt_race_kind {
    GT_RACE_QUICK, /* short samples, used only for contestants without full samples */
    GT_RACE_FULL,
    GT_RACE_FINAL, /* samples of winner and default after the decision */
    GT_RACE_ANY    /* only for comparisons: samples of any kind */
} gt_race_kind;

typedef struct gt_race_sample {
    double value;
    uint32_t round; /* number of the round, from 1 */
    gt_race_kind kind;
} gt_race_sample;

typedef struct gt_runner {
    struct gt_runner *next; /* the contestant that joined next */
    uint64_t id;
    bool is_default, in_round;
    gt_race_leave left;
    uint32_t left_round; /* round after which the contestant left; 0: in the race */
    uint32_t missed;     /* number of consecutive rounds without a value */
    double ratio;        /* time relative to the incumbent's, now or when the contestant left */
    double first;        /* log-ratio to the incumbent in the first round; NaN: unknown */
    double pending;      /* value in the current round; NaN: none */
    GT_ARRAY(gt_race_sample) samples;
    gt_paired paired; /* comparison with the incumbent in full rounds; count 0: none */
    bool tied;        /* true if it may be as good as the winner of a decided race */
} gt_runner;

typedef struct gt_race_round {
    uint32_t number;     /* counted from 1 */
    uint32_t count;      /* number of contestants; 0: nothing to sample, or the race has ended */
    const uint64_t *ids; /* contestants in sampling order; valid until the next call */
    gt_race_kind kind;   /* GT_RACE_QUICK if short samples are enough */
} gt_race_round;

typedef struct gt_race_result {
    gt_race_end end;
    uint64_t winner;
    bool has_default;   /* true if the default was sampled, even if it failed later */
    gt_verdict verdict; /* winner compared with the default; the speed-up is 1 if the default won */
    uint32_t rounds, samples;
} gt_race_result;

/* Makes an empty race, which the caller frees with gt_race_free(). Fails only with ENOMEM. */
gputune_status gt_race_new(gt_race **out, const gt_race_options *options);
void gt_race_free(gt_race *race);

/* Adds a contestant, or returns an eliminated one to the race. If the race was decided, it
 * continues. `id` should be small, because it is used as an index. Only one contestant can be the
 * default. EINVAL if the contestant is still in the race. */
gputune_status gt_race_add(gt_race *race, uint64_t id, bool is_default);
/* Tells the race that no more contestants will join. Until then, only gt_race_stop() ends it. */
void gt_race_complete(gt_race *race);
/* Returns true if there are contestants that should be sampled now. */
bool gt_race_wants_round(gt_race *race);
/* Begins a round. Sets *out to the contestants to sample, in random order. New contestants are
 * sampled with the incumbent until they can be judged. Samples of an unfinished round are lost. */
gputune_status gt_race_next_round(gt_race *race, gt_race_round *out);
/* Records a value of this round. A value that is not finite and positive is ignored; after three
 * rounds without a value, a contestant fails. EINVAL if the contestant is not in the round. */
gputune_status gt_race_record(gt_race *race, uint64_t id, double value);
/* Records that a contestant has failed. May be called at any time; an unknown id is ignored. If it
 * had won, the race continues. If it was the best contestant, or if only the default is left, the
 * best one of the eliminated contestants returns. */
void gt_race_fail(gt_race *race, uint64_t id);
/* Ends a round. Eliminates contestants, and decides the race if that is possible. Sets *end to
 * GT_RACE_RUNNING if the race continues. Fails only with ENOMEM. */
gputune_status gt_race_end_round(gt_race *race, gt_race_end *end);
/* Returns true if the race is decided except for a tie, so gt_race_break_tie() must be called.
 * gt_runner.tied marks the tied contestants. If the race is stopped instead, `precedes` decides. If
 * the winner or the default fails, the race continues. */
bool gt_race_is_tied(const gt_race *race);
/* Makes a tied contestant the winner. EINVAL if the contestant is not tied. */
gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end);
/* Ends the race. The best contestant so far wins. `reason` is BUDGET or CANCELED. */
void gt_race_stop(gt_race *race, gt_race_end reason);

/* Return the number of contestants that are still in the race, and of all that have joined. */
uint32_t gt_race_active(const gt_race *race);
uint32_t gt_race_count(const gt_race *race);
/* Returns the best contestant so far; NULL before the first round, or if all have failed. */
const gt_runner *gt_race_incumbent(const gt_race *race);
/* Returns the contestant that joined first; `next` is the one that joined after it. */
const gt_runner *gt_race_first(const gt_race *race);
/* Finds a contestant; NULL for an unknown id. */
const gt_runner *gt_race_find(const gt_race *race, uint64_t id);
/* Returns true if contestant `a` wins a tie against `b`. */
bool gt_race_precedes(const gt_race *race, uint64_t a, uint64_t b);
/* Returns true if a contestant is eliminated for good. Only the best eliminated one may return. */
bool gt_race_has_lost(const gt_race *race, const gt_runner *runner);
/* Summarises the samples of a contestant. If there are at least 5 final samples, uses these,
 * because they are the longest and had no influence on the decision. Otherwise uses full samples
 * or, if there are none, quick samples. Fails only with ENOMEM. */
gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out);
/* Sets *out to the time of `other` divided by the time of `id`, with an interval. Compares the two
 * in the rounds that they share: in final rounds if they share at least 3, else in full and final
 * rounds, else in all rounds. If they share no round, divides their medians and sets no interval.
 * Fails only with ENOMEM. */
gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other);
/* Returns the result, or the result so far if the race runs. ENOVARIANT if all have failed. */
gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out);
/* Writes why a contestant has left, as "4.2% slower after 6 samples", or "". Returns `out`. */
const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner);
