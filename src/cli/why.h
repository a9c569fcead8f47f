/* Why the winners of `show --why` won: what each axis is worth, by the trials that are stored. */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "cli/export.h"
#include "cli/table.h"

/* Writes `standing`, the records of winners and defaults, and then of each scenario in the list
 * what its axes are worth. The cost of a value is the best time with the axis held at it over the
 * best of all, minus 1; a trial that failed or was not proved has no time. */
void cli_why_write(const cli_table *standing, const cli_measured_list *list, cli_format_kind format,
                   FILE *file);

#endif
