/* Divides the time of a GPU between new variants and rounds. */
#include "search/schedule.h"

#include <math.h>

/* Weight of a new value in a moving average, large enough to follow changes during a search. */
#define NEW_WEIGHT 0.1
/* Maximum number of GPU seconds by which rounds may be behind or ahead of their share. */
#define MEMORY_S 0.25
/* Seconds that the session needs to submit more work after an event. */
#define THINKING_S 0.02
/* If a new variant takes more seconds than this, the pause until the next one is negligible. */
#define LONG_S 0.05
/* Seconds that it takes to give a free compile worker its next source. */
#define REACTION_S 0.1
#define USUAL_S    0.4 /* assumed seconds of a compile until one is measured */
/* Assumed GPU seconds of a new variant until one is measured. */
#define USUAL_NEW_VARIANT_S 0.02
/* Factor for the number of variants to compile in advance, because some may compile slowly. */
#define SPARE 1.25

enum {
    LEAST_IN_HAND = 2,
    MOST_IN_HAND = 64,
    WAITING = 2,      /* compiled variants to keep waiting for the GPU */
    UNLAUNCHED = 24,  /* variants to propose until one was launched */
    COMPILE_AHEAD = 3 /* sources per compile worker in a search that does not learn */
};

static void update_mean(double *mean, double seconds)
{
    *mean = *mean > 0 ? *mean + NEW_WEIGHT * (seconds - *mean) : seconds;
}

void gt_schedule_note_compile(gt_schedule *schedule, double seconds)
{
    update_mean(&schedule->compile_s, seconds);
}

void gt_schedule_note_new_variant(gt_schedule *schedule, double seconds, bool rounds_wait)
{
    update_mean(&schedule->new_variant_s, seconds);
    if (rounds_wait) {
        double owed = schedule->owed_s + schedule->round_share * seconds;
        schedule->owed_s = fmin(owed, MEMORY_S);
    }
}

void gt_schedule_note_round(gt_schedule *schedule, double seconds)
{
    double owed = schedule->owed_s - (1 - schedule->round_share) * seconds;
    schedule->owed_s = fmax(owed, -MEMORY_S);
}

bool gt_schedule_wants_round(const gt_schedule *schedule, uint32_t waiting)
{
    return !waiting || schedule->owed_s > 0;
}

uint32_t gt_schedule_in_hand(const gt_schedule *schedule)
{
    double new_variant_s = schedule->new_variant_s;
    double count = new_variant_s > 0 ? ceil(THINKING_S / new_variant_s) : LEAST_IN_HAND;
    double least = new_variant_s > LONG_S ? 1 : LEAST_IN_HAND;
    return (uint32_t)fmax(least, fmin(count, MOST_IN_HAND));
}

double gt_schedule_gpu_s(const gt_schedule *schedule)
{
    double new_variant_s =
        schedule->new_variant_s > 0 ? schedule->new_variant_s : USUAL_NEW_VARIANT_S;
    return new_variant_s / (1 - schedule->round_share);
}

static uint32_t most_on_their_way(const gt_schedule *schedule, uint32_t workers)
{
    double compile_s = schedule->compile_s > 0 ? schedule->compile_s : USUAL_S;
    double reserve = fmin(ceil(workers * REACTION_S / compile_s), workers);
    bool launched = schedule->new_variant_s > 0;
    double gpu_s = gt_schedule_gpu_s(schedule);
    double taken = ceil(SPARE * compile_s / gpu_s);
    double compiling = launched ? ceil(workers * gpu_s / compile_s) : 0;
    uint32_t in_hand = gt_schedule_in_hand(schedule);
    double least = launched ? 1 : UNLAUNCHED;
    return (uint32_t)fmin(workers + reserve + compiling, fmax(taken + WAITING + in_hand, least));
}

uint32_t gt_schedule_room(const gt_schedule *schedule, uint32_t workers, bool learns,
                          uint32_t compiling, uint32_t on_their_way)
{
    uint32_t most = learns ? most_on_their_way(schedule, workers) : COMPILE_AHEAD * workers;
    uint32_t present = learns ? on_their_way : compiling;
    return present < most ? most - present : 0;
}
