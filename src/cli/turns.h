/* Orders the scenarios of a run, and divides the run's time among them. The order matters because a
 * search begins with the results of other sizes. A cli_turn is one scenario. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_turn {
    const cli_scenario *scenario;
    size_t place; /* index of the scenario in the user's order */
    double cost;  /* estimated cost of a launch, to compare scenarios of one kernel */
    /* Set by cli_turns_sort(). `kernel_place` is the `place` of the kernel's first scenario. `far`
     * is the distance between `cost` and the cost of the size that is tuned first. */
    size_t kernel_place;
    double far;
    bool known;        /* true if a finished result is stored, so tuning probably takes no time */
    bool started;      /* true if the kernel has a stored result at any size */
    double weight;     /* weight of the scenario when the time is divided */
    double took_s;     /* seconds taken by the kernel's latest search; 0 before the first search */
    const void *tried; /* the child that failed to tune the scenario, or NULL */
} cli_turn;

bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b);

/* Estimates the cost of a launch as the product of the numbers in "m=64 n=64 T=half". */
double cli_turn_cost(const char *sizes);

/* Makes a cli_turn for each scenario, in the user's order, and looks up stored results. */
cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios);

/* Sorts the scenarios. Scenarios with stored results come first, then all other scenarios, kernel
 * by kernel in the given order. Within a kernel, the size with the middle cost comes first. The
 * other sizes follow, ordered by their distance from this cost, then by their cost. */
void cli_turns_sort(cli_turn *turns, size_t count);

/* Weighs the sorted scenarios. The first search of a kernel without stored results weighs three
 * times as much as later searches, which begin with earlier results. */
void cli_turns_weigh(cli_turn *turns, size_t count);

/* Records that the search for the turn `done` took `took_s` seconds, in all turns of the same
 * kernel from index `at` on. Does nothing if the turn's result was stored already. */
void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s);
/* Returns the index of the scenario that will probably take longest among those from `at` on. This
 * is the first scenario of a kernel that this run has not searched yet. If all kernels were
 * searched, it is the costliest scenario of the kernel whose latest search took longest. */
size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at);

/* Returns the time for turn `at`: a part of `left_s` in proportion to its weight, at least a
 * second. `side_by_side` is the number of scenarios that are tuned at the same time. */
double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side);
