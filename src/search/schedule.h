/* Shares one GPU between first launches of compiled variants and samples of the race's contestants,
 * and limits how far compiling runs ahead. A tuning and a replay both use it. Pure; one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The fraction of the GPU's time for rounds of samples while a search that learns goes on. */
#define GT_ROUND_SHARE 0.25
/* If only few of many variants are tried, one whose first launch takes this many times the best is
 * neither verified nor sampled. */
#define GT_CLEARLY_SLOWER 1.15

/* The state of the schedule. A new variant is compiled and was not launched yet. All zero: nothing
 * is known, and rounds get no time. */
typedef struct gt_schedule {
    double round_share; /* fraction of the GPU's time for rounds while new variants wait */
    double owed_s;      /* seconds that rounds are owed; below 0: they had more than their share */
    double new_variant_s; /* seconds of the GPU that a new variant takes; 0: not known */
    double compile_s;     /* seconds that a compile takes; 0: not known */
} gt_schedule;

/* Notes that a compile took `seconds`. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* Notes that a new variant took `seconds` of the GPU; `rounds_wait`: contestants waited. */
void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait);
/* Notes that a round of samples took `seconds`. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Returns true if the GPU samples a round next, if there are contestants; false: it launches one of
 * `waiting` new variants. */
bool gt_schedule_is_rounds_turn(const gt_schedule *schedule, uint32_t waiting);
/* Returns the seconds between two new variants on the GPU, rounds included, or a guess. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* Returns how many new variants the measure worker may hold, at least 1: enough to keep it busy
 * while the session thinks, but few, because they cannot be postponed. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* Returns how many more variants may be proposed. `compiling`: sources with or before the compile
 * workers; `on_their_way`: variants up to their first launch. A search that learns proposes few
 * variants without results. If compiling is the bottleneck, every worker has a source and the next
 * free one finds another; if the GPU is, as many compile as it can take (Little's law, L = lambda
 * W). A search that does not learn keeps all workers busy. */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
