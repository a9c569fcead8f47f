/* Why the winners won, for `show --why` and `report`: what each axis is worth, by the trials that
 * are stored. */
#pragma once

#include "cli/export.h"
#include "cli/table.h"

/* Empty tables: of the values of axes, for programs, and of the axes, for people. */
cli_table cli_why_values(void);
cli_table cli_why_axes(void);
/* Of the pairs of axes that are better chosen together. */
cli_table cli_why_pairs(void);
/* Adds the axes of a scenario and their values to the tables. The cost of a value is the best time
 * with the axis held at it over the best of all, minus 1; a trial that failed or was not proved has
 * no time. Adds the pairs of axes, at most three, where choosing one while the other is held at
 * another value than the best costs 1% or more: what the choice gains there, and loses at the best,
 * whichever is less. */
void cli_why_explain(cli_table *values, cli_table *axes, cli_table *pairs, const cli_export *data);
/* "120 variants, 1 of them failed or slower and not proved; one is left" */
char *cli_why_summary(const cli_export *data);
/* Writes `standing`, the records of winners and defaults, and then of each scenario in the list
 * what its axes are worth. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list, cli_format_kind format,
                   FILE *file);
