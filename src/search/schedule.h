/* Shares one GPU between first launches of new variants and samples of contestants, and limits how
 * many compiles run ahead. Used by tunings and by replays. Not thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Fraction of GPU time for rounds of samples during a search that learns. */
#define GT_ROUND_SHARE 0.25
/* In a search that learns, a variant is not verified if its first launch takes more than this many
 * times as long as the best one. */
#define GT_CLEARLY_SLOWER 1.15

/* The state of the schedule. A new variant is compiled, but was not launched yet. All zero: no
 * times are known, and rounds get no time. */
typedef struct gt_schedule {
    double round_share;   /* fraction of GPU time for rounds while new variants wait */
    double owed_s;        /* unused GPU seconds of the rounds' share; negative: overused */
    double new_variant_s; /* GPU seconds of a new variant; 0: unknown */
    double compile_s;     /* seconds of a compile; 0: unknown */
} gt_schedule;

/* Records that a compile took `seconds`. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* Records that a new variant took `seconds` of GPU time. `rounds_wait`: contestants were
 * waiting. */
void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait);
/* Records that a round of samples took `seconds`. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Returns true if the GPU should next sample a round, if there are contestants. Returns false if it
 * should launch one of the `waiting` new variants. */
bool gt_schedule_wants_round(const gt_schedule *schedule, uint32_t waiting);
/* Returns the GPU seconds from one new variant to the next, including rounds, or a guess. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* Returns the number of new variants to give the measure worker at a time, at least 1. They keep it
 * busy while the session does other work, but are few, because submitted variants cannot be
 * postponed. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* Returns how many more variants may be proposed. `compiling` is the number of sources at the
 * compile workers or queued for them, `on_their_way` the number of variants not launched yet. A
 * search that does not learn keeps all workers busy. A search that learns proposes few variants
 * without results: if compiling is the bottleneck, one source per worker and a few in reserve; if
 * the GPU is the bottleneck, as many as it can process (Little's law, L = lambda W). */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
