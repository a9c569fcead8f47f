/* The race: which contestants are sampled next, which ones leave, when it ends and which one has
 * won. A pure state machine: it knows ids, ranks and sampled values, no clock and no worker. One
 * thread.
 *
 * A turn: gt_race_next_round() gives the contestants in the order in which to sample them. The
 * caller samples them one after another, and gives each value to gt_race_record().
 * gt_race_end_round() eliminates contestants, and says whether the race goes on. Contestants may
 * join between any two rounds.
 *
 * Rules. Many new contestants at once get two quick rounds first. A contestant above `drop_ratio`
 * times the best of its first round leaves at once. Two contestants are compared only within rounds
 * that they share, because noise common to a round cancels: by the 20% trimmed mean of the
 * log-ratios, with a moderated variance (the pair's own spread and that of all contestants). The
 * incumbent is the best one by this comparison. From the fifth (`level`) shared round on, a
 * contestant leaves when the lower bound of its log-ratio to the incumbent is above 0; from the
 * third, if eight or more contestants show the noise and its own ratios lie as close together. It
 * leaves before that when every single ratio says that it cannot win by epsilon, those of quick
 * samples with an allowance. The default never leaves. The race is decided when one contestant is
 * left, or when no lower bound is below -epsilon. A few final rounds of winner and default then
 * give the interval of the speed-up, from samples that did not take part in the choice. If several
 * contestants cannot be told apart, the one of lowest rank wins; with `tie_break`, the one among
 * them that the caller names before the final rounds (gt_race_break_tie()). */
#pragma once

#include "base/array.h"
#include "stats/paired.h"
#include "stats/summary.h"

typedef struct gt_race gt_race;

/* The fraction by which a quick sample of that value may differ from full ones, beside noise. */
typedef double gt_race_doubt(double value);

/* Which contestants are tied, if the caller breaks ties: gt_race_is_tied(), gt_race_break_tie(). */
typedef enum gt_race_tie {
    GT_TIE_NONE,   /* the caller breaks no ties */
    GT_TIE_LIKELY, /* those that may be as good as the best */
    GT_TIE_WITHIN  /* those that are within epsilon of the best, and not shown to be slower */
} gt_race_tie;

typedef struct gt_race_options {
    uint64_t seed;     /* seed of the shuffling of rounds */
    double epsilon;    /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    double drop_ratio; /* first elimination; 0: 2, below 1: none */

    uint32_t level;        /* shared rounds that a decision by bounds needs; 0: 5 */
    uint32_t max_rounds;   /* most full rounds of one contestant; 0: 60 */
    uint32_t final_rounds; /* rounds of winner and default after the decision; 0: 8 */
    uint32_t
        quick_from; /* from this many new contestants on, they get two quick rounds first; 0: 5 */
    gt_race_doubt *quick_doubt; /* NULL: quick samples are as good as full ones */
    bool exact;      /* equal work gives equal values (a model): one short round decides */
    bool exhaustive; /* no contestant leaves before 10 shared rounds, unless it fails */
    bool fixed; /* none leaves unless it fails, all are in every round, and the caller ends the race
                 */
    gt_race_tie tie_break;
} gt_race_options;

typedef enum gt_race_end {
    GT_RACE_RUNNING,
    GT_RACE_ONE_LEFT, /* every other contestant was slower */
    GT_RACE_NO_GAIN,  /* no contestant that is left can win by more than epsilon */
    GT_RACE_ROUNDS,   /* max_rounds */
    GT_RACE_BUDGET,   /* gt_race_stop: time */
    GT_RACE_CANCELED, /* gt_race_stop: on request */
    GT_RACE_NONE_LEFT /* every contestant has failed */
} gt_race_end;

/* "every other variant is slower", "no variant left can win by more than epsilon", … Never NULL; ""
 * while running. */
const char *gt_race_end_text(gt_race_end end);

typedef enum gt_race_leave {
    GT_RACE_IN,          /* still racing, or at the end */
    GT_RACE_LEFT_FIRST,  /* slower than drop_ratio times the best in its first round */
    GT_RACE_LEFT_EARLY,  /* far slower than the best in each of its two to four rounds */
    GT_RACE_LEFT_SLOWER, /* the lower bound of its log-ratio to the incumbent is above 0 */
    GT_RACE_LEFT_FAILED  /* gt_race_fail() */
} gt_race_leave;

/* One value of one contestant. */
typedef struct gt_race_sample {
    double value;
    uint32_t round; /* from 1; values of the same round were sampled side by side */
    bool quick; /* taken in a quick round: counts only while the contestant has no full samples */
    bool final; /* taken after the decision */
} gt_race_sample;

/* A contestant, with all that is known about it. */
typedef struct gt_runner {
    struct gt_runner *next; /* the contestant that joined next; NULL: none did */
    uint64_t id;
    uint32_t rank;
    bool is_default, in_round;
    gt_race_leave left;
    uint32_t left_round; /* the round after which it left, 0: never */
    uint32_t missed;     /* rounds in a row without a value */
    double ratio;        /* estimated time over the incumbent's when it left, or at the end */
    double first;        /* log-ratio to the incumbent of its first round, NaN: unknown */
    double pending;      /* value in the current round, NaN: none */
    GT_ARRAY(gt_race_sample) samples;
    gt_paired paired; /* compared with the incumbent in shared full rounds; count 0: not */
    bool calm; /* has fewer rounds than the level, and is judged by the spread of all (race.c) */
    bool tied; /* may be as good as the winner of a decided race with `tie_break` */
} gt_runner;

/* A round to sample. */
typedef struct gt_race_round {
    uint32_t number;     /* from 1 */
    uint32_t count;      /* 0: nothing to do now (wait for contestants), or the race is over */
    const uint64_t *ids; /* in the order to sample; belongs to the race until the next call */
    bool quick;          /* a short sample is enough */
    bool final;          /* winner and default after the decision */
} gt_race_round;

typedef struct gt_race_result {
    gt_race_end end;
    uint64_t winner;    /* id */
    bool has_default;   /* the default was sampled at all (it may have failed) */
    gt_verdict verdict; /* its interval is from the final rounds, or from all shared rounds if fewer
                           than 3 are final; it is 1 for a default that won; never noisy */
    uint32_t rounds, samples;
} gt_race_result;

/* A race without contestants. *out is the caller's, for gt_race_free(). ENOMEM. */
gputune_status gt_race_new(gt_race **out, const gt_race_options *options);
void gt_race_free(gt_race *race);

/* Adds a contestant. `id` must be new (else EINVAL) and small, as it indexes a table. The lower
 * `rank` wins among equals. At most one contestant is the default. ENOMEM. */
gputune_status gt_race_add(gt_race *race, uint64_t id, uint32_t rank, bool is_default);
/* Says that no more contestants will come. The race does not end by itself before this call. */
void gt_race_complete(gt_race *race);
/* Returns true if there are contestants to sample now. */
bool gt_race_wants_round(gt_race *race);
/* The contestants to sample next, shuffled: new ones beside the incumbent until they have the
 * rounds that a decision needs. A call without gt_race_end_round() before drops samples. ENOMEM. */
gputune_status gt_race_next_round(gt_race *race, gt_race_round *out);
/* Gives a contestant its value in the current round. A value that is not positive and finite is
 * ignored: the contestant then has no sample in this round, and after three such rounds in a row it
 * counts as failed. EINVAL for an id that is not in the round. */
gputune_status gt_race_record(gt_race *race, uint64_t id, double value);
/* Removes a contestant that crashed, hung or was wrong, during a round or between two. An unknown
 * id is ignored. If the winner fails after the decision, the race goes on, with the next best
 * contestant in its place. If only the default is left, the reserve comes back. */
void gt_race_fail(gt_race *race, uint64_t id);
/* Ends the round: eliminates, decides if it can, else *end is GT_RACE_RUNNING. ENOMEM. */
gputune_status gt_race_end_round(gt_race *race, gt_race_end *end);
/* With `tie_break`: whether the race is decided, but other contestants (those `tied` that have not
 * left) may be as good as the winner. There are no rounds until gt_race_break_tie() has named one
 * of them. If the race is stopped before, the winner is the one of lowest rank. A failure of winner
 * or default reopens the race. */
bool gt_race_is_tied(const gt_race *race);
/* Makes `id` the winner of a tie. EINVAL if there is no tie, or `id` is not one of the tied. */
gputune_status gt_race_break_tie(gt_race *race, uint64_t id, gt_race_end *end);
/* Ends the race with the best so far; drops an unfinished round. `reason`: BUDGET or CANCELED. */
gputune_status gt_race_stop(gt_race *race, gt_race_end reason);

/* How many contestants have not left, and how many have joined. */
uint32_t gt_race_active(const gt_race *race);
uint32_t gt_race_count(const gt_race *race);
/* The best contestant so far, the race's own; NULL: no round was taken, or all failed. */
const gt_runner *gt_race_incumbent(const gt_race *race);
/* The contestant that joined first, with the others behind it (`next`); NULL: there is none. */
const gt_runner *gt_race_first(const gt_race *race);
/* The contestant with this id, or NULL. */
const gt_runner *gt_race_find(const gt_race *race, uint64_t id);
/* Returns true if a contestant has left for good, not as the reserve, the best slower one. */
bool gt_race_has_lost(const gt_race *race, const gt_runner *runner);
/* Summarises a contestant's final samples if there are at least 5, because these are the longest
 * and did not take part in the choice; else the full ones; else the quick ones. ENOMEM. */
gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out);
/* Compares two contestants by shared rounds: *out has the time of `other` over that of `id`, and
 * its interval, from the final rounds, or all if fewer than 3 are final. ENOMEM. */
gputune_status gt_race_compare(gt_verdict *out, const gt_race *race, uint64_t id, uint64_t other);
/* Gets the outcome, so far or at the end. ENOVARIANT: every contestant failed. */
gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out);
/* Why a contestant left, in `out`, such as "4.2% slower after 6 samples"; "" if it has not. */
const char *gt_race_leave_text(char *out, size_t bytes, const gt_runner *runner);
