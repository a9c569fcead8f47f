/* Configurations that are judged side by side, and how two tuners' choices among them fare. */
#ifndef BENCH_CANDIDATES_H
#define BENCH_CANDIDATES_H

#include "choices.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { CANDIDATES_MAX = 64, TEXT = 160 };

typedef struct candidate {
    char text[TEXT];
    int won;      /* tunings */
    int chosen;   /* by the other tuner */
    double ratio; /* its time over the first candidate's; 0: not judged */
    double median_ns, low, high;
    unsigned samples;
} candidate;

typedef struct candidates {
    candidate items[CANDIDATES_MAX];
    size_t count;
} candidates;

typedef struct tally {
    int within, total; /* choices: within 1% of a best, all */
    double worst;      /* over that best */
    size_t distinct;
} tally;

/* NULL where there is none of that text. */
static inline candidate *candidate_find(candidates *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i].text, text) == 0) {
            return &list->items[i];
        }
    }
    return NULL;
}

/* The one of that text, a new one if need be; NULL, with a line on stderr, where all are taken. */
static inline candidate *candidate_enter(candidates *list, const char *text)
{
    candidate *item = candidate_find(list, text);
    if (item) {
        return item;
    }
    if (list->count == CANDIDATES_MAX) {
        fprintf(stderr, "more candidates than %d: %s is left out\n", CANDIDATES_MAX, text);
        return NULL;
    }
    item = &list->items[list->count++];
    *item = (candidate){0};
    snprintf(item->text, sizeof item->text, "%s", text);
    return item;
}

/* The least ratio among those that have the settings; INFINITY without any. */
static inline double candidates_best(const candidates *list, const char *settings)
{
    double best = INFINITY;
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        bool counts = item->ratio > 0 && bench_has_words(item->text, settings);
        best = fmin(best, counts ? item->ratio : INFINITY);
    }
    return best;
}

/* How the choices of one tuner compare with `best`; what failed in the judge is infinitely far. */
static inline tally candidates_tally(const candidates *list, bool other, double best)
{
    tally sum = {0};
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        int times = other ? item->chosen : item->won;
        double over = item->ratio > 0 ? item->ratio / best - 1 : INFINITY;
        sum.total += times;
        sum.within += over <= 0.01 ? times : 0;
        sum.worst = times ? fmax(sum.worst, over) : sum.worst;
        sum.distinct += times > 0;
    }
    return sum;
}

/* A line for each: how often either tuner chose it (`both`: the other one's too), and its times. */
static inline void candidates_print(const candidates *list, bool both, double best)
{
    for (size_t i = 0; i < list->count; i++) {
        const candidate *item = &list->items[i];
        char other[24] = "";
        if (both) {
            snprintf(other, sizeof other, " %2d x", item->chosen);
        }
        printf("    %2d x%s %-60s %10.2f us %+6.2f%% [%+.2f, %+.2f], %u samples\n", item->won,
               other, item->text, item->median_ns * 1e-3, 100 * (item->ratio / best - 1),
               100 * (item->low / best - 1), 100 * (item->high / best - 1), item->samples);
    }
}

#endif
