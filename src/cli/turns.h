/* The order of a run's scenarios, and the division of its time. A search begins with the results of
 * other sizes. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_turn {
    const cli_scenario *scenario;
    size_t place; /* index of the scenario in the user's order */
    double cost;  /* cost of a launch, by which scenarios of one kernel are compared */
    /* Set by cli_turns_sort(): the place of the kernel's first turn, and the distance from the cost
     * of the first size. */
    size_t kernel_place;
    double far;
    bool known;    /* true if a finished result is stored, so the turn probably takes no time */
    bool started;  /* true if something is stored for the kernel, at any size */
    double weight; /* the turn's weight in the division of time */
    double took_s; /* seconds that the kernel's latest search took, or 0 before the first search */
    const void *tried; /* the child on whose GPU the scenario failed, or NULL */
} cli_turn;

/* Returns true if two turns are of the same kernel. */
bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b);

/* Returns the product of the numbers in "m=64 n=64 T=half", an estimate of the cost of a launch. */
double cli_turn_cost(const char *sizes);

/* Makes the turns in the user's order, and if there are several, looks up their stored results. */
cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios);

/* Sorts the turns: known turns first, then kernel by kernel in the given order. Within a kernel,
 * the size with the middle cost comes first, then the others by their distance from this cost, and
 * at equal distance by their cost. */
void cli_turns_sort(cli_turn *turns, size_t count);

/* Weighs the sorted turns. The first search of a kernel for which nothing is stored weighs three
 * times as much as others, which begin with earlier results. */
void cli_turns_weigh(cli_turn *turns, size_t count);

/* Records how long the search of the turn `done` took, in the turns of its kernel from `at` on.
 * Does nothing if its result was known. */
void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s);
/* Returns the index, from `at` on, of the turn that will probably take longest: the first turn of a
 * kernel without a search, otherwise the costliest turn of the kernel with the longest latest
 * search. */
size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at);

/* Returns the share of `left_s` seconds that turn `at` gets by its weight, but at least one
 * second. `side_by_side` turns run at a time. */
double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side);
