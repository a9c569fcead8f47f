/* The race: which contestants are sampled next, who leaves, when it ends and who won. A pure state
 * machine: it knows ids, ranks and sampled values, no clock, no worker. One thread.
 *
 * One turn: gt_race_next_round() names the contestants and their order; the caller samples them one
 * after another and gives each value to gt_race_record(); gt_race_end_round() drops losers and says
 * how it goes on. Contestants may join between rounds at any time.
 *
 * Rules. Newcomers in numbers are first looked at in two quick rounds. A contestant above
 * `drop_ratio` times the best of its first round leaves at once. Two contestants are compared only
 * within rounds they share (noise common to a round cancels): by the 20% trimmed mean of the
 * log-ratios, with a moderated variance (own spread and that of the whole field). The incumbent is
 * the one that is best so compared. From the fifth (`level`) shared round a contestant leaves when
 * the lower bound of its log-ratio to the incumbent is above 0 (from the third where eight or more
 * contestants tell the noise, and its own ratios lie as close together); before, when every single
 * ratio says that it cannot win by epsilon (race_judge.c). The default never leaves. The race is
 * decided when one is left, or when no lower bound reaches below -epsilon; after that the winner is
 * chosen, and a few final rounds of winner and default give the interval of the speed-up from
 * samples that had no part in the choice. Of those that cannot be told apart the lowest rank wins,
 * or with `tie_break` whom the caller names before the final rounds. */
#ifndef GT_TUNER_RACE_H
#define GT_TUNER_RACE_H

#include "base/status.h"
#include "stats/summary.h"

typedef struct gt_race gt_race;

typedef struct gt_race_options {
    uint64_t seed;         /* of the shuffling */
    double epsilon;        /* smallest gain worth looking for, as a fraction; 0: 0.005 */
    double drop_ratio;     /* first elimination; 0: 2, below 1: none */
    double drop_error;     /* one-sided error of one bound that drops; 0: 0.003 */
    double stop_error;     /* one-sided error of one bound that ends the race; 0: 0.012 */
    uint32_t level;        /* shared rounds that a decision by bounds needs; 0: 5 */
    uint32_t max_rounds;   /* full rounds that one contestant is sampled in; 0: 60 */
    uint32_t final_rounds; /* of winner and default after the decision; 0: 8 */
    uint32_t quick_from;   /* this many newcomers at once get two quick rounds first; 0: 5 */
    bool exact;            /* equal work gives equal values (a model): one short round decides */
    bool exhaustive;       /* nobody leaves before 10 shared rounds, except by failure */
    bool tie_break;        /* the caller settles ties: gt_race_is_tied(), gt_race_settle() */
} gt_race_options;

typedef enum gt_race_end {
    GT_RACE_RUNNING,
    GT_RACE_ONE_LEFT, /* every other one was slower */
    GT_RACE_NO_GAIN,  /* nobody left can win by more than epsilon */
    GT_RACE_ROUNDS,   /* max_rounds */
    GT_RACE_BUDGET,   /* gt_race_stop: time */
    GT_RACE_CANCELED, /* gt_race_stop: on request */
    GT_RACE_NOBODY    /* no contestant without a failure */
} gt_race_end;

/* "every other variant is slower", "no variant left can win by more than epsilon", … Never NULL; ""
 * while running. */
const char *gt_race_end_text(gt_race_end end);

typedef enum gt_race_leave {
    GT_RACE_IN,          /* still racing, or at the end */
    GT_RACE_LEFT_FIRST,  /* beyond drop_ratio in its first round */
    GT_RACE_LEFT_EARLY,  /* far slower in each of its two to four rounds */
    GT_RACE_LEFT_SLOWER, /* lower bound above 0 */
    GT_RACE_LEFT_FAILED  /* gt_race_fail() */
} gt_race_leave;

/* One value of one contestant. */
typedef struct gt_race_sample {
    double value;
    uint32_t round; /* from 1; the same number: sampled side by side */
    bool quick;     /* of a quick round: not part of summary and comparison, except the first */
    bool final;     /* taken after the decision */
} gt_race_sample;

/* What is known of one contestant. */
typedef struct gt_race_contestant {
    uint64_t id;
    uint32_t rank;
    bool is_default;
    gt_race_leave left;
    uint32_t left_round; /* the round after which it left, 0: never */
    bool reserve;        /* the best of those that left: comes back should all others fail */
    bool tied;           /* once a race with `tie_break` is decided: may be as good as the best */
    double ratio;        /* estimated time over the incumbent's when it left, or at the end */
    uint32_t sample_count;
    const gt_race_sample *samples; /* every one; belongs to the race, until it is given more */
} gt_race_contestant;

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
    bool tie;            /* another one could not be told from the winner, within epsilon */
    uint64_t winner;     /* id */
    bool has_default;    /* the default was sampled at all (it may have failed) */
    double speedup;      /* default's time over the winner's, geometric; 1 when it won itself; 0 */
    double speedup_low;  /* 95% interval of the above, from the final rounds (fewer than 3 of */
    double speedup_high; /* them: from all shared rounds); 0 when unknown */
    uint32_t rounds, samples;
} gt_race_result;

/* A race without contestants. *out is the caller's, for gt_race_free(). ENOMEM. */
gputune_status gt_race_new(gt_race **out, const gt_race_options *options);
void gt_race_free(gt_race *race);

/* A contestant joins. `id` is new to the race (EINVAL else); of two that cannot be told apart the
 * lower `rank` wins. At most one is the default. ENOMEM. */
gputune_status gt_race_add(gt_race *race, uint64_t id, uint32_t rank, bool is_default);
/* No more contestants will come: until this is said the race does not end by itself. */
void gt_race_complete(gt_race *race);
/* Who is to be sampled next, shuffled. Newcomers come with the incumbent; those ahead sit out until
 * newcomers have as many rounds as a decision needs. Calling it again without gt_race_end_round()
 * abandons the round's samples (a spoiled round). ENOMEM. */
gputune_status gt_race_next_round(gt_race *race, gt_race_round *out);
/* A value (> 0, finite; others are ignored: that contestant has no sample in this round, and after
 * the third such round in a row it counts as failed) of the current round. EINVAL for an id that is
 * not in it. */
gputune_status gt_race_record(gt_race *race, uint64_t id, double value);
/* A contestant is out for good (crashed, hung, wrong at the end), during a round or between. An
 * unknown id is ignored. When the winner fails after the decision, the next best one takes its
 * place and the race goes on; where only the default is left, the reserve comes back. */
void gt_race_fail(gt_race *race, uint64_t id);
/* Ends the round: drops losers, decides. *end is GT_RACE_RUNNING while rounds are still wanted
 * (final ones too). ENOMEM. */
gputune_status gt_race_end_round(gt_race *race, gt_race_end *end);
/* With `tie_break`: the race is decided, others may be as good as the winner (their `tied`), and it
 * goes on, without rounds until then, when gt_race_settle() has named one of them. Stopped before,
 * it has the winner by rank. A failure of winner or default reopens it. */
bool gt_race_is_tied(const gt_race *race);
/* Makes `id` the winner of a tie; *end as of gt_race_end_round(). EINVAL where there is none to
 * settle, or it is not among them. */
gputune_status gt_race_settle(gt_race *race, uint64_t id, gt_race_end *end);
/* Ends the race now with the best so far: `reason` is BUDGET or CANCELED. Samples of an unfinished
 * round are dropped. */
gputune_status gt_race_stop(gt_race *race, gt_race_end reason);

/* How many have not left, and how many joined. */
uint32_t gt_race_active(const gt_race *race);
uint32_t gt_race_count(const gt_race *race);
/* The best so far; false before the first round or when all failed. */
bool gt_race_incumbent(const gt_race *race, uint64_t *id);
/* Contestant `index` in the order of joining. The struct is a copy, its samples are not. */
void gt_race_contestant_at(const gt_race *race, uint32_t index, gt_race_contestant *out);
/* The same by id; false when unknown. */
bool gt_race_find(const gt_race *race, uint64_t id, gt_race_contestant *out);
/* Summary of a contestant's final samples, if it has at least 5: they are the longest, and had no
 * part in the choice. Else of the full (not quick) ones, else of the quick ones. ENOMEM. */
gputune_status gt_race_summary(const gt_race *race, uint64_t id, gt_summary *out);
/* The outcome, also before the end (then the best so far). ENOVARIANT when nobody is left. */
gputune_status gt_race_result_get(const gt_race *race, gt_race_result *out);
/* "2.31x the best in its first round", "4.2% slower after 6 samples", … of a contestant that left;
 * "" else. Returns `out`. */
const char *gt_race_leave_text(char *out, size_t bytes, const gt_race_contestant *contestant);

#endif
