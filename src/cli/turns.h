/* Orders a run's scenarios, with limits; a search begins with what the size before found. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_turn {
    const cli_scenario *scenario;
    size_t place; /* index in the order that the user gave */
    double cost;  /* cost of a launch, to compare scenarios of one kernel */
    /* set by cli_turns_sort(): the place of the kernel's first turn, and the distance of the cost
     * from that of the kernel's first search */
    size_t kernel_place;
    double far;
    bool known;        /* a finished result is stored, which probably answers at once */
    bool begun;        /* something is stored for the kernel, at any size */
    double weight;     /* its share in the division of time */
    double took_s;     /* seconds that the kernel's latest search took; 0: there was none */
    const void *tried; /* who tried the scenario without success; NULL: nobody yet */
} cli_turn;

/* Returns true if two turns are of one kernel. */
bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b);

/* Returns the product of the numbers in sizes ("m=64 n=64 T=half"), a guess of a launch's cost. */
double cli_turn_cost(const char *sizes);

/* Makes the turns of the scenarios in the order that the user gave, with what the database knows of
 * each. */
cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios);

/* Sorts the turns: first those that are known, then kernel by kernel in the order given. Within a
 * kernel it begins with the size in the middle of the costs' logarithms and goes outward; at equal
 * distance the cheaper size comes first. */
void cli_turns_sort(cli_turn *turns, size_t count);

/* Weighs the turns, in the order in which they are taken. The first search of a kernel for which
 * nothing is stored weighs three times as much as others, which begin with earlier results. */
void cli_turns_weigh(cli_turn *turns, size_t count);

/* Notes, from `at` on, that the kernel's search `done` took `took_s`, unless it was known. */
void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s);
/* Returns the index of the turn, from `at` on, that will probably take longest: the first one of a
 * kernel that was not searched yet; otherwise the dearest one of the kernel whose latest search
 * took longest. */
size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at);

/* Returns the share of the turn `at`, by its weight, in the `left_s` seconds for it and all later
 * turns, of which `side_by_side` are taken at a time; at least a second. */
double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side);
