/* Divides the time of a GPU between the first launches of new variants and further samples of the
 * contestants, and limits how many variants are compiled in advance. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fraction of the GPU time that is used for rounds of samples if the search learns from results. */
#define GT_ROUND_SHARE 0.25
/* A search that learns does not verify a variant if its first launch takes at least this many times
 * as long as that of the fastest variant. */
#define GT_CLEARLY_SLOWER 1.15

/* The state of the schedule. A new variant is a variant that was compiled but not launched yet. In
 * a zeroed struct, no times are known and rounds get no GPU time. */
typedef struct gt_schedule {
    double round_share;   /* fraction of the GPU time for rounds while there are new variants */
    double owed_s;        /* GPU seconds that rounds may use; negative if they have used too many */
    double new_variant_s; /* mean GPU seconds of a new variant; 0 if unknown */
    double compile_s;     /* mean seconds of a compile; 0 if unknown */
} gt_schedule;

/* Records how many seconds a compile took. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* Records how many GPU seconds a new variant took. `rounds_wait` is true if there were contestants
 * that could have been sampled instead. */
void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait);
/* Records how many GPU seconds a round of samples took. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Returns true if the GPU should sample a round of contestants (if any). Returns false if it should
 * launch one of the `waiting` new variants instead. */
bool gt_schedule_wants_round(const gt_schedule *schedule, uint32_t waiting);
/* Returns the GPU seconds per new variant, including rounds, or a guess if no time is known yet. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* Returns how many new variants the measure worker should have at a time, at least 1. This is
 * enough to keep the worker busy while the session does other work. More variants are not given to
 * the worker, because they could not be postponed. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* Returns how many more variants may be proposed. `compiling` is the number of sources that are
 * being compiled or queued, and `on_their_way` the number of variants not launched yet. If the
 * search does not learn, all workers are kept busy. If it learns, few variants should be without a
 * result. If compiling is the bottleneck, allows one source per worker and a few in reserve. If the
 * GPU is the bottleneck, allows as many as it can process (Little's law, L = lambda W). */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
