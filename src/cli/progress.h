/* Shows how far the tuning of one scenario after another is: a bar on a terminal, else a line every
 * few seconds. */
#pragma once

#include <gputune.h>

typedef struct cli_progress {
    const char *label;   /* the scenario at hand */
    size_t index, count; /* its index, from 0, and how many scenarios there are */
    double shown_s;      /* when something was last shown, on the scenario's own clock */
    /* Where several GPUs are at work side by side, each with a progress of its own: */
    const char *gpu;                         /* this GPU's name; NULL with one GPU */
    const struct cli_progress *first, *next; /* of all progresses; NULL: this is the last */
    char shown[160]; /* what is shown of this GPU; "": nothing is at work on it */
} cli_progress;

/* Begins a scenario, the `index`-th. */
void cli_progress_start(cli_progress *progress, const char *label, size_t index);
/* A gputune_progress_fn. `user` is a cli_progress. */
void cli_progress_update(void *user, const gputune_progress *at);
/* Removes the bar from the terminal. */
void cli_progress_end(cli_progress *progress);
