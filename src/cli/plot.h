/* Small plots of a search for `show --plot`, from the trials that are stored. */
#pragma once

#include "cli/export.h"
#include "cli/table.h"

/* Writes for each scenario in the list how its best time fell while variants were tried, and how
 * many variants have which times. Times of trials are known to the second. */
void cli_plot_write(const cli_measured_list *list, cli_format_kind format, FILE *file);
