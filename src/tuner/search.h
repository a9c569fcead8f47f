/* One race over a field, driven by the farm's events. Internal to search*.c and run.c. */
#ifndef GT_TUNER_SEARCH_H
#define GT_TUNER_SEARCH_H

#include "tuner/disturbance.h"
#include "tuner/field.h"
#include "tuner/race.h"
#include "tuner/tune.h"

/* When the parts of a search were over, in nanoseconds since it began (0: never), and how long the
 * workers were at them. For the debug log. */
typedef struct gt_timeline {
    int64_t compiled;       /* the last source */
    int64_t prepared;       /* inputs and reference */
    int64_t verified_first; /* the first variant */
    int64_t verified;       /* the last one */
    int64_t decided, rechecked, stored;
    int64_t busy_since;  /* the measure worker is at its oldest request since then; 0: at none */
    double compiling_ns; /* summed over sources: the compile workers are side by side */
    double preparing_ns; /* of the measure worker; as it says itself */
    double verifying_ns; /* the same; the recheck too */
    double sampling_ns;  /* the same */
    uint32_t sources, samples;
} gt_timeline;

typedef struct gt_search_state {
    gt_request *request;
    gt_farm *farm;
    gt_field field;
    gt_race *race;      /* by what was asked for, which decides; energy: first by time */
    gt_race *tie_break; /* by the host's clock: among those in a tie; NULL before the first */
    gt_race *heats; /* objective energy: the race by time, once `race` is by energy, else NULL */
    struct {
        gt_race *race, *heats; /* the last ones that were over, when everything races again */
        bool rechecked;
    } earlier;
    bool fell_back; /* `race` was not the last one: time was up */
    gt_history history;
    int64_t start_ns;
    uint64_t round_id;   /* of the sample job that is out; 0: none */
    gt_race_round round; /* that it samples; its ids are the race's until the next round */
    uint64_t rounds_sent;
    gt_disturbance disturbance;
    bool complete; /* the race was told that nobody else comes */
    bool stopped;  /* by time or on request */
    bool rechecking, rechecked;
    bool retried;  /* what hung was sent to verification again, after everything else */
    bool breaking; /* the race is tied, and those who are in the tie race in tie_break */
    gt_race_end end;
    int64_t last_progress_ns, last_renewal_ns;
    gt_timeline timeline;
} gt_search_state;

/* An empty race with the request's options. */
gputune_status gt_search_open_race(gt_search_state *state);
/* Runs the field to the end of its race, the winner checked again. OK also when nothing is left
 * (ask the race). Fails with what fails the whole: the reference, the farm, the compiler. */
gputune_status gt_search_run(gt_search_state *state);

/* The race whose rounds are sampled now: `race`, or `tie_break` while `breaking` (search_tie.c). */
gt_race *gt_search_current_race(const gt_search_state *state);
/* Lets those who are in the tie of `race` race by the device's time too. */
gputune_status gt_search_open_tie_break(gt_search_state *state);
/* Makes the one that takes host and device the least time together the winner of `race`, which goes
 * on. */
gputune_status gt_search_close_tie_break(gt_search_state *state);

/* Energy was asked for, and `race` is still by time (search_energy.c). */
bool gt_search_is_by_time(const gt_search_state *state);
/* A race is over whose end says that the next one is by energy (search_energy.c). */
bool gt_search_wants_energy_race(const gt_search_state *state);
/* Opens it, among the fastest by time and the default; or goes on with the race by time, where all
 * of them failed while they were weighed. */
gputune_status gt_search_open_energy_race(gt_search_state *state);

/* Everything that is right races anew, eliminated or not (search_again.c). */
gputune_status gt_search_race_again(gt_search_state *state);
/* No time is left: where the present race is not over, but one was before it, that one counts; and
 * the race by time where nothing was weighed yet. */
gputune_status gt_search_fall_back(gt_search_state *state);
/* Makes that race `race`, which it frees, without those that failed since. */
void gt_search_return_to(gt_search_state *state, gt_race *race);
void gt_search_free_races(gt_search_state *state);

/* A contestant is out for good. */
void gt_search_fail_contestant(gt_search_state *state, uint64_t id);

/* Calls the request's progress callback, at most 20 times a second unless `always`. */
void gt_search_progress(gt_search_state *state, const char *phase, bool always);
/* Notes that a part is over now. */
void gt_search_mark(const gt_search_state *state, int64_t *part);
/* The loop is about to wait: is the measure worker at work? */
void gt_search_mark_wait(gt_search_state *state);
/* An answer came, and is not dealt with yet. */
void gt_search_mark_event(gt_search_state *state, const gt_event *event);
/* The timeline as one line of the debug log. */
void gt_search_log_timeline(const gt_search_state *state);
/* Seconds that the request still has. */
double gt_search_time_left(const gt_search_state *state);

/* Stores trials and winner of a finished race, and makes the choice (search_store.c). */
gputune_status gt_search_conclude(gt_choice *out, gt_search_state *state);
/* Appends the raw samples of all races to options.samples_path (samples.h). */
void gt_search_write_samples(const gt_search_state *state);

#endif
