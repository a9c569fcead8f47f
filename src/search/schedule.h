/* Divides the time of one GPU between first launches of new variants and samples of contestants,
 * and limits how many compiles are started ahead. Used by tunings and replays. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fraction of GPU time for rounds of samples in a search that learns from results. */
#define GT_ROUND_SHARE 0.25
/* A search that learns does not verify a variant if its first launch takes more than this many
 * times as long as the fastest one. */
#define GT_CLEARLY_SLOWER 1.15

/* The state of the schedule. A new variant is one that was compiled and not launched yet. All zero:
 * no times are known, and rounds get no time. */
typedef struct gt_schedule {
    double round_share;   /* fraction of GPU time for rounds while new variants wait */
    double owed_s;        /* GPU seconds that rounds may still use; negative: overused */
    double new_variant_s; /* mean GPU seconds of a new variant; 0: unknown */
    double compile_s;     /* mean seconds of a compile; 0: unknown */
} gt_schedule;

/* Records that a compile took `seconds`. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* Records that a new variant took `seconds` of GPU time. `rounds_wait` is true if contestants were
 * waiting for the GPU. */
void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait);
/* Records that a round of samples took `seconds`. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Returns true if the GPU should sample a round next, provided there are contestants. Returns false
 * if it should launch one of the `waiting` new variants. */
bool gt_schedule_wants_round(const gt_schedule *schedule, uint32_t waiting);
/* Returns the measured or guessed GPU seconds per new variant, including its share of rounds. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* Returns the number of new variants to give the measure worker at a time, at least 1. It is enough
 * to keep the worker busy while the session does other work, but small, because submitted variants
 * cannot be postponed. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* Returns how many more variants may be proposed. `compiling` is the number of sources at the
 * compile workers or queued for them, `on_their_way` the number of variants not launched yet. A
 * search that does not learn keeps all workers busy. A search that learns proposes few variants
 * without results: one source per worker and a few in reserve if compiling is the bottleneck, or as
 * many as the GPU can process (Little's law, L = lambda W) if the GPU is the bottleneck. */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
