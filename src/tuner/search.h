/* One race over a field, driven by the farm's events. Internal to search*.c and run.c. */
#ifndef GT_TUNER_SEARCH_H
#define GT_TUNER_SEARCH_H

#include "tuner/field.h"
#include "tuner/race.h"
#include "tuner/tune.h"

/* When the parts of a search were over, in nanoseconds since it began; 0: never. For the debug log.
 */
typedef struct gt_timeline {
    int64_t compiled;       /* the last source */
    int64_t prepared;       /* inputs and reference */
    int64_t verified_first; /* the first variant */
    int64_t verified;       /* the last one */
    int64_t decided, rechecked, stored;
} gt_timeline;

typedef struct gt_search_state {
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    gt_race *race;
    gt_history history;
    int64_t start_ns;
    uint64_t round_id;   /* of the sample job that is out; 0: none */
    gt_race_round round; /* that it samples; its ids are the race's until the next round */
    uint64_t rounds_sent;
    uint32_t spoiled; /* rounds repeated in a row */
    bool noisy;
    char other[96]; /* who else used the GPU */
    bool complete;  /* the race was told that nobody else comes */
    bool stopped;   /* by time or on request */
    bool rechecking, rechecked;
    gt_race_end end;
    int64_t last_progress_ns;
    gt_timeline timeline;
} gt_search_state;

/* An empty race with the request's options. */
gputune_status gt_search_open_race(gt_search_state *state);
/* Runs the field to the end of its race, the winner checked again. OK also when nothing is left
 * (ask the race). Fails with what fails the whole: the reference, the farm, the compiler. */
gputune_status gt_search_run(gt_search_state *state);

/* Calls the request's progress callback, at most 20 times a second unless `always`. */
void gt_search_progress(gt_search_state *state, const char *phase, bool always);
/* Notes that a part is over now. */
void gt_search_mark(const gt_search_state *state, int64_t *part);
/* Seconds that the request still has. */
double gt_search_time_left(const gt_search_state *state);

/* Stores trials and winner of a finished race, and makes the choice (search_store.c). */
gputune_status gt_search_conclude(gt_choice *out, gt_search_state *state);
/* Appends every raw sample to options.samples_path as CSV: kernel, sizes, configuration, objective,
 * round, value, quick, final. A file that cannot be written is a warning. */
void gt_search_write_samples(const gt_search_state *state);

#endif
