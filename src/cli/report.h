/* A report of what is stored, as one page that needs no network (the page itself is in cli/report),
 * or as Markdown. */
#pragma once

#include "cli/export.h"
#include "cli/session.h"
#include "cli/table.h"

typedef struct cli_report {
    cli_measured_list measured; /* not empty unless `live` */
    cli_table standing;         /* cli_record_table() with the records of winners and defaults */
    char **sources;             /* of the winner of each scenario; NULL: not known */
    bool live;                  /* the page asks again for its data, data.json */
} cli_report;

/* Serves the page of the whole database in a process of its own, beside what this one does: begun
 * before there are threads, it tells its address on stderr, and ends with cli_report_end_live(), or
 * with this process. Returns CLI_CONTINUE, or an exit code after a message. */
typedef struct cli_live_report {
    int process, until; /* this end of a pipe */
} cli_live_report;
int cli_report_begin_live(cli_live_report *out, const cli_common *common);
void cli_report_end_live(const cli_live_report *live);
