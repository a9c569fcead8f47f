/* How one GPU is shared between the variants that were compiled, which are to be launched for the
 * first time, and the contestants of the race, which are to be sampled; and how far compiling may
 * run ahead of the GPU. A tuning and a replay both decide by this schedule alone. Pure; one
 * thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The fraction of the GPU's time that rounds of samples get while a search that learns goes on. */
#define GT_ROUND_SHARE 0.25
/* Where only few of many variants are tried, a variant whose first launch takes this many times the
 * best is taken for a loser: it is neither proved nor sampled. */
#define GT_CLEARLY_SLOWER 1.15

/* What the schedule knows. A new variant is a variant that is compiled and was not launched yet.
 * All zero is a schedule that knows nothing yet, and sets no time aside for rounds. */
typedef struct gt_schedule {
    double round_share; /* fraction of the GPU's time that rounds of samples get while new variants
                           wait */
    double owed_s;      /* seconds that rounds are owed; below 0: they had more than their share */
    double new_variant_s; /* seconds of the GPU that a new variant takes; 0: not known */
    double compile_s;     /* seconds that a compile takes; 0: not known */
} gt_schedule;

/* Notes that a compile took `seconds`. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* Notes that the GPU was at a new variant for `seconds`. `rounds_wait`: contestants waited to be
 * sampled meanwhile. */
void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait);
/* Notes that the GPU was at a round of samples for `seconds`. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Returns true if the GPU is to sample a round next, if there are contestants; else it is to launch
 * a new variant. `waiting`: the number of new variants that wait for the GPU. */
bool gt_schedule_is_rounds_turn(const gt_schedule *schedule, uint32_t waiting);
/* The seconds between two new variants on the GPU, rounds included; a guess until the first new
 * variant was launched. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* How many new variants the measure worker may have in hand, at least 1. They keep the worker busy
 * while the session thinks, but are few, because a new variant that was handed over cannot be put
 * off. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* How many more variants may be proposed. `compiling`: sources with the compile workers or before
 * them; `on_their_way`: variants from there on to the time of their first launch. A search that
 * learns does not know those times yet, so it should propose few variants without them. If
 * compiling is the bottleneck, every worker has a source, and the next free worker finds another.
 * If the GPU is the bottleneck, as many sources compile as the GPU can take (by Little's law, L =
 * lambda W); that number is a guess until the GPU has taken one. A search that does not learn keeps
 * all workers busy. */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
