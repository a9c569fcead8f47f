/* In which order the scenarios of a run are tuned, and how long each may take: what is found at one
 * size is where the search at the next size begins. */
#pragma once

#include "cli/scenarios.h"

typedef struct cli_turn {
    const cli_scenario *scenario;
    size_t place; /* in the order that the user gave */
    double cost;  /* of a launch; compares scenarios of one kernel */
    bool known;   /* a finished result is stored: it answers at once, if it was made for the same */
    bool begun;   /* something is stored of the kernel, at any size */
    double weight;     /* in the division of time */
    double took_s;     /* the latest search of the kernel; 0: there was none */
    const void *tried; /* by whom, without success; NULL: not yet */
} cli_turn;

/* Whether two turns are of one kernel. */
bool cli_turns_are_alike(const cli_turn *a, const cli_turn *b);

/* What a launch at these sizes ("m=64 n=64 T=half") may cost: the product of the numbers. */
double cli_turn_cost(const char *sizes);

/* The turns of the scenarios, in the order that the user gave, with what the database knows of each
 * (`objective` 0: any). */
cli_turn *cli_turns_make(const cli_session *session, const cli_scenarios *scenarios,
                         gputune_objective objective, gputune_cache cache);

/* Puts first what is known, then kernel by kernel in the order given, each from the size in the
 * middle of its costs' logarithms outward. Of two sizes that lie as far the cheaper one comes
 * first. */
void cli_turns_sort(cli_turn *turns, size_t count);

/* Weighs the turns, in the order in which they are taken: the first search of a kernel of which
 * nothing is begun weighs three times as much as another search, which begins with what was found
 * earlier. */
void cli_turns_weigh(cli_turn *turns, size_t count);

/* Notes how long a search took, in the kernel's turns from `at` on. */
void cli_turns_note(cli_turn *turns, size_t count, size_t at, const cli_turn *done, double took_s);
/* The turn from `at` on that will take longest: the first one of a kernel that was not searched
 * yet; else the dearest one of the kernel whose latest search took longest. */
size_t cli_turns_longest(const cli_turn *turns, size_t count, size_t at);

/* The seconds that the turn `at` gets by its weight of the `left_s` seconds that are left for it
 * and all turns behind it, of which `side_by_side` are taken at a time; a second at least. */
double cli_turns_share_s(const cli_turn *turns, size_t count, size_t at, double left_s,
                         size_t side_by_side);
