/* Declarations that race.c and race_*.c share: the race's state, and the decisions between
 * rounds. */
#pragma once

#include "base/array.h"
#include "base/random.h"
#include "stats/paired.h"
#include "tuner/race.h"

#include <math.h>

enum {
    GT_RACE_LEVEL = 5,             /* shared rounds that a decision by bounds needs */
    GT_RACE_LEVEL_EXHAUSTIVE = 10, /* shared rounds for this in exhaustive races */
    GT_RACE_CALM_FIRST = 3,        /* shared rounds for this if the spread of all is known */
    GT_RACE_MISSED_MAX = 3,        /* rounds in a row without a value: the contestant has failed */
    GT_RACE_FREEDOM_MAX = 64       /* degrees of freedom whose quantiles are kept */
};

typedef struct gt_runner {
    uint64_t id;
    uint32_t rank;
    bool is_default, in_round;
    gt_race_leave left;
    uint32_t left_round;
    uint32_t missed; /* rounds in a row without a value */
    double ratio;    /* estimated time over the incumbent's */
    double first;    /* log-ratio to the incumbent of its first round, NaN: unknown */
    double pending;  /* value in the current round, NaN: none */
    GT_ARRAY(gt_race_sample) samples;
    gt_paired paired; /* compared with the incumbent in shared full rounds; count 0: not */
    bool calm; /* has fewer rounds than the level, and is judged by the spread of all contestants:
                  see race_judge.c */
    bool tied; /* may be as good as the winner of a decided race with `tie_break` */
} gt_runner;

/* Student quantiles of one error level by whole degrees of freedom; 0: not computed yet. */
typedef struct gt_quantiles {
    double error;
    double values[GT_RACE_FREEDOM_MAX + 1];
} gt_quantiles;

struct gt_race {
    gt_race_options options;
    gt_random random;
    GT_ARRAY(gt_runner) runners;
    uint32_t *table; /* hash table from an id to its index in `runners` plus 1, open addressing */
    uint32_t slots;
    uint32_t *order; /* the current round as indices into `runners` */
    uint64_t *ids;
    uint32_t order_capacity;
    gt_race_round round; /* number 0: none so far; count 0: none in progress */
    uint32_t rounds, samples;
    int64_t incumbent; /* index, -1: none */
    int64_t winner;    /* index once decided, -1 before */
    int64_t reserve;   /* index of the best contestant that left as slower, -1: none */
    bool tie, complete;
    bool is_tied;    /* decided, but tied: waits for gt_race_break_tie() */
    uint32_t finals; /* final rounds taken */
    gt_race_end decided, end;
    double deviation; /* standard deviation of one ratio over all contestants; negative: not known
                         yet */
    double *scratch;
    size_t scratch_capacity;
    gt_quantiles drop, stop;
};

bool gt_runner_is_in(const gt_runner *runner);
/* Whether a contestant has shared enough rounds with the incumbent for a decision by bounds. */
bool gt_runner_is_ready(const gt_race *race, const gt_runner *runner);
/* The rounds in which two contestants are compared: those in which both have a sample of that
 * kind. */
typedef enum gt_shared { GT_SHARED_FULL, GT_SHARED_ANY, GT_SHARED_FINAL } gt_shared;
uint32_t gt_race_shared(const gt_runner *a, const gt_runner *b, gt_shared kind);
/* Writes the log-ratios of `a` over `b` in their shared rounds to race->scratch, sorted; returns
 * how many. */
size_t gt_race_ratios(gt_race *race, const gt_runner *a, const gt_runner *b, gt_shared kind);
/* Makes room for the ratios of any two contestants; ENOMEM. */
gputune_status gt_race_reserve_scratch(gt_race *race);

/* After a round: finds the incumbent, compares all with it, and eliminates the slow ones. */
void gt_race_judge(gt_race *race);
/* Brings the reserve back if only the default is left. */
void gt_race_call_reserve(gt_race *race);
/* Whether more samples of this contestant cannot change the outcome; *at_limit: because of
 * max_rounds. */
bool gt_race_is_done_with(gt_race *race, const gt_runner *runner, bool *at_limit);
/* Whether the race can be decided; *end says why. */
bool gt_race_is_settled(gt_race *race, gt_race_end *end);
/* Picks the winner among the contestants that cannot be told apart, and says whether it was a
 * tie. */
void gt_race_choose(gt_race *race);
/* Marks the contestants that may be as good as the winner; false if there are none. */
bool gt_race_find_tied(gt_race *race);
