/* Shows how far the tuning of one scenario after another is: a bar on a terminal, else a line every
 * few seconds. */
#pragma once

#include <gputune.h>

typedef struct cli_progress {
    const char *label;   /* the scenario at hand */
    size_t index, count; /* which one of how many, from 0 */
    double shown_s;      /* when something was last shown, on the scenario's own clock */
    /* Where several GPUs are at work side by side, each with a progress of its own: */
    const char *gpu;                         /* else NULL */
    const struct cli_progress *first, *next; /* of all of them; NULL: it is the last */
    char shown[160];                         /* "": nothing is at hand */
} cli_progress;

/* Begins a scenario, the `index`-th. */
void cli_progress_start(cli_progress *progress, const char *label, size_t index);
/* A gputune_progress_fn whose user is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Takes the bar away. */
void cli_progress_end(cli_progress *progress);
