/* Makes a report of what is stored: one page that needs no network (its files are in cli/report),
 * or Markdown. */
#pragma once

#include "cli/records.h"

typedef struct cli_report {
    cli_measured_list measured; /* not empty unless `live` */
    cli_table standing;         /* cli_record_table() with the records of winners and defaults */
    char **sources;             /* the source of each scenario's winner; NULL: not known */
    bool live;                  /* the page fetches its data, data.json, again and again */
} cli_report;

/* cli_report_begin_live() starts a process that serves the page of the whole database while this
 * process works. Call it before there are threads. The new process prints the page's address on
 * stderr, and ends with cli_report_end_live(), or with this process. Returns CLI_CONTINUE, or an
 * exit code after a message. */
typedef struct cli_live_report {
    int process, until; /* this end of a pipe */
} cli_live_report;
int cli_report_begin_live(cli_live_report *out);
void cli_report_end_live(const cli_live_report *live);
