/* Says why the winners won, for `show --why` and `report`: how much each axis matters, according to
 * the stored trials. */
#pragma once

#include "cli/measured.h"
#include "cli/table.h"

/* What each axis is worth. */
typedef struct cli_why {
    cli_table values; /* of the axes, for programs */
    cli_table axes;   /* for people */
    cli_table pairs;  /* of axes that are better chosen together */
} cli_why;

/* Empty tables. */
cli_why cli_why_tables(void);
/* Adds the axes of a scenario and their values to the tables. The cost of a value is the best time
 * with the axis held at it over the best of all, minus 1; a trial that failed or was not proved has
 * no time. Adds the pairs of axes, at most three, where choosing one while the other is held at
 * another value than the best costs 1% or more: the cost is what the choice gains there, or what it
 * loses at the best, whichever is less. */
void cli_why_explain(cli_why *why, const cli_apart *data);
/* "120 variants, 1 of them failed or slower and not proved; one is left" */
char *cli_why_summary(const cli_apart *data);
/* Writes `standing`, the records of winners and defaults, and then for each scenario in the list
 * how much its axes matter. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list, cli_format_kind format,
                   FILE *file);
