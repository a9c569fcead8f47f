/* The GPUs that a run measures on, each with a tuner of its own. */
#pragma once

#include "cli/session.h"

typedef struct cli_gpu {
    cli_session session; /* tuner NULL: it is not open */
    int number;          /* as the driver counts */
    const char *label;   /* "GPU 1 (NVIDIA H200)"; NULL where the run has one GPU */
    bool is_out;         /* it failed at work that an equal GPU could do */
    bool is_in_doubt;    /* it failed, and waits until an equal GPU has tried the same work */
} cli_gpu;

enum { CLI_GPUS_MOST = 64 };

typedef struct cli_gpus {
    cli_gpu *items;      /* CLI_GPUS_MOST */
    size_t count, first; /* the index of the GPU that cli_gpus_open() has opened */
    bool is_only;        /* the run has one GPU, which was not chosen by --gpus */
    bool is_all;         /* one that cannot be used is left out */
    bool is_counted;     /* else there may be more than `count` */
} cli_gpus;

/* Lists the GPUs of `which`, and opens a tuner for the first one that can be used, since drivers
 * that start side by side all take as long as one after another. NULL: for the one GPU that
 * --device names.  A GPU that cannot be
 * used is an error where it is named by its number, and is left out of "all" with a message.
 * Returns CLI_CONTINUE, or an exit code after saying what is wrong. cli_gpus_close() closes those
 * that are open then, too. */
int cli_gpus_open(cli_gpus *out, cli_open_mode mode, const char *which);
/* Counts the GPUs. Prints nothing: returns a gputune_status. Any thread may call it. */
int cli_gpus_count(int *out);
/* Takes over what was counted: of "all", the list goes up to there. */
void cli_gpus_add(cli_gpus *gpus, int counted);
/* Opens a tuner for one more GPU. Prints nothing, and changes nothing that other threads look at:
 * returns a gputune_status, for cli_gpus_take(). */
int cli_gpus_open_at(cli_session *out, const cli_gpus *gpus, size_t at);
/* Takes what cli_gpus_open_at() has opened, in the same thread. Returns CLI_CONTINUE, or an exit
 * code after saying why the GPU cannot be used. */
int cli_gpus_take(cli_gpus *gpus, size_t at, const cli_session *opened, int status);
void cli_gpus_close(cli_gpus *gpus);

/* Whether two GPUs are of one kind: a winner on the one is a winner on the other. */
bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b);

/* Whether the GPU may get work. */
bool cli_gpus_is_usable(const cli_gpu *gpu);
