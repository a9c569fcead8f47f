/* A report of what is stored, as one page that needs no network (report_page.c; the page itself is
 * in cli/report), or as Markdown (report_markdown.c). */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "cli/export.h"
#include "cli/table.h"

typedef struct cli_report {
    cli_measured_list measured; /* not empty */
    cli_table standing;         /* cli_record_table() with the records of winners and defaults */
    char **sources;             /* of the winner of each scenario; NULL: not known */
} cli_report;

/* Writes it. The caller checks the file for errors. */
void cli_report_write_page(const cli_report *report, FILE *file);
void cli_report_write_markdown(const cli_report *report, FILE *file);

#endif
