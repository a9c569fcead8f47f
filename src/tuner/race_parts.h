/* Declarations that race.c and race_*.c share: the race's state, and the decisions between
 * rounds. */
#pragma once

#include "base/random.h"
#include "tuner/race.h"

#include <math.h>

enum {
    GT_RACE_LEVEL = 5,             /* shared rounds that a decision by bounds needs */
    GT_RACE_LEVEL_EXHAUSTIVE = 10, /* shared rounds for this in exhaustive races */
    GT_RACE_CALM_FIRST = 3,        /* shared rounds for this if the spread of all is known */
    GT_RACE_MISSED_MAX = 3,        /* rounds in a row without a value: the contestant has failed */
    GT_RACE_FREEDOM_MAX = 64       /* degrees of freedom whose quantiles are kept */
};

/* Student quantiles of one error level by whole degrees of freedom; 0: not computed yet. */
typedef struct gt_quantiles {
    double error;
    double values[GT_RACE_FREEDOM_MAX + 1];
} gt_quantiles;

struct gt_race {
    gt_race_options options;
    gt_random random;
    gt_runner *first, *last; /* of the contestants, in the order of joining; owned */
    uint32_t count;
    GT_ARRAY(gt_runner *) by_id; /* items[id]: the contestant with that id; NULL: there is none */
    uint64_t *ids;               /* of the current round */
    size_t ids_capacity;
    gt_race_round round; /* number 0: none so far; count 0: none in progress */
    uint32_t rounds, samples;
    gt_runner *standard;  /* the default; NULL: it has not joined */
    gt_runner *incumbent; /* NULL: none */
    gt_runner *winner;    /* NULL before the race is decided */
    gt_runner *reserve;   /* the best contestant that left as slower; NULL: none */
    bool tie, complete;
    bool is_tied;    /* decided, but tied: waits for gt_race_break_tie() */
    uint32_t finals; /* final rounds taken */
    gt_race_end decided, end;
    double deviation; /* standard deviation of one ratio over all contestants; negative: not known
                         yet */
    double *scratch;  /* room for the ratios of any two contestants */
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
