/* How one GPU is shared between the variants that were compiled, which are to be launched for the
 * first time, and the contestants of the race, which are to be sampled; and how far compiling may
 * run ahead of it. A tuning and a replay decide by this alone. Pure; one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Of the GPU's time, what rounds of samples get beside a search that learns. */
#define GT_ROUND_SHARE 0.25
/* A first launch of so many times the best is a loser's, where only few of many variants are tried:
 * it is neither proved nor sampled. */
#define GT_CLEARLY_SLOWER 1.15

/* A newcomer is a variant that is compiled and was not launched yet. All zero is one that nothing
 * was noted of, with no time set aside for rounds. */
typedef struct gt_schedule {
    double round_share;      /* of the GPU's time that rounds of samples get while newcomers wait */
    double owed_s;           /* to rounds; below 0: they had more than their share */
    double newcomer_s;       /* seconds of the GPU that a newcomer takes; 0: not known */
    double compile_s;        /* seconds that a compile takes; 0: not known */
    double helped_per_s;     /* newcomers that other GPUs launch first, a second */
    uint32_t helped_in_hand; /* how many of them may be with those */
} gt_schedule;

/* A compile took so long. */
void gt_schedule_note_compile(gt_schedule *schedule, double seconds);
/* The GPU was at a newcomer for so long. `rounds_wait`: contestants waited to be sampled. */
void gt_schedule_note_newcomer(gt_schedule *schedule, double seconds, bool rounds_wait);
/* The GPU was at a round of samples for so long. */
void gt_schedule_note_round(gt_schedule *schedule, double seconds);

/* Whether the next thing that the GPU does is a round, if there are contestants to sample; else it
 * is a newcomer. `waiting`: newcomers that wait for the GPU. */
bool gt_schedule_is_rounds_turn(const gt_schedule *schedule, uint32_t waiting);
/* After how many seconds the GPUs are free for one more newcomer, rounds included; a guess until
 * the first one was launched. */
double gt_schedule_gpu_s(const gt_schedule *schedule);
/* How many newcomers may be with the measure worker: so many that it is at work while the session
 * thinks, and few, because what was handed over cannot be put off. At least 1. */
uint32_t gt_schedule_in_hand(const gt_schedule *schedule);
/* How many more variants may be proposed. `compiling`: sources with the compile workers or before
 * them; `on_their_way`: from there to the time of the first launch. What a search that learns
 * proposes before those times are there, it proposes without them. Where compiling is the
 * bottleneck, every worker has a source and the next free one finds another. Where the GPU is, as
 * many compile as it can take (by Little's law, L = lambda W), which is guessed until it has taken
 * one: those proposals are at random, and keep it from what is learnt. What does not learn keeps
 * all workers busy. */
uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way);
