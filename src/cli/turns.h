/* Orders a run's scenarios, with limits; a search begins with what the size before found. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_turn {
    const cli_scenario *scenario;
    size_t place; /* index in the order that the user gave */
    double cost;  /* cost of a launch, to compare scenarios of one kernel */
    /* set by cli_turns_sort(): the place of the kernel's first turn, by which kernels are ordered;
     * and how far the cost is from that with which the kernel's searches begin */
    size_t kernel_place;
    double far;
    bool known;        /* a finished result is stored, which answers if its terms are the same */
    bool begun;        /* something is stored for the kernel, at any size */
    double weight;     /* its share in the division of time */
    double took_s;     /* seconds that the latest search of the kernel took; 0: there was none */
    const void *tried; /* who tried the scenario without success; NULL: nobody yet */
} cli_turn;

/* Returns true if two turns are of one kernel. */
bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b);

/* The likely cost of a launch at these sizes ("m=64 n=64 T=half"): the product of the numbers. */
double cli_turn_cost(const char *sizes);

/* Makes the scenarios' turns in the user's order, with what the database knows of each. */
cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios);

/* Sorts the turns: known ones, then kernel by kernel in the order given. A kernel's first size is
 * in the middle of the costs' logarithms; the others go outward, the cheaper of two first. */
void cli_turns_sort(cli_turn *turns, size_t count);

/* Weighs turns in the order in which they are taken: a kernel's first search, with nothing stored,
 * weighs three times as much as one that begins with earlier results. */
void cli_turns_weigh(cli_turn *turns, size_t count);

/* Notes, from `at` on, that the kernel's search `done` took `took_s`, unless it was known. */
void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s);
/* Finds the turn, from `at` on, that probably takes longest: the first of a kernel not searched
 * yet, else the dearest of the kernel whose last search took longest. */
size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at);

/* The seconds that the turn `at` gets by its weight of the `left_s` seconds that are left for it
 * and all turns behind it, of which `side_by_side` are taken at a time; a second at least. */
double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side);
