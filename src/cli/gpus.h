/* The GPUs that a run measures on, each with a tuner of its own. */
#pragma once

#include "cli/session.h"

typedef struct cli_gpu {
    cli_session session; /* tuner NULL: it is not open */
    int number;          /* as the driver counts */
    const char *label;   /* "GPU 1 (NVIDIA H200)"; NULL where the run has one GPU */
    gputune_pace pace;   /* launch_ns 0: not known */
    bool is_out;         /* it failed at work that an equal GPU could do */
    bool is_slow;        /* it gets no work while an equal GPU gets some */
    bool is_in_doubt;    /* it failed, and waits until an equal GPU has tried the same work */
} cli_gpu;

enum { CLI_GPUS_MOST = 64 };

typedef struct cli_gpus {
    cli_gpu *items;      /* CLI_GPUS_MOST */
    size_t count, first; /* the index of the GPU that cli_gpus_open() has opened */
    bool is_only;        /* the run has one GPU, which was not chosen by --gpus */
    bool is_all;         /* one that cannot be used is left out */
    bool is_counted;     /* else there may be more than `count` */
    bool are_alike;      /* all that were counted are of one model */
} cli_gpus;

/* Lists the GPUs of `which`, and opens a tuner for the first one that can be used, since drivers
 * that start side by side all take as long as one after another. NULL: for the one GPU that
 * --device names.  A GPU that cannot be
 * used is an error where it is named by its number, and is left out of "all" with a message.
 * Returns CLI_CONTINUE, or an exit code after saying what is wrong. cli_gpus_close() closes those
 * that are open then, too. */
int cli_gpus_open(cli_gpus *out, cli_open_mode mode, const char *which);
/* The GPUs that there are. */
typedef struct cli_counted {
    int count;
    bool are_alike; /* they are surely of one model */
} cli_counted;
/* Counts the GPUs. Prints nothing: returns a gputune_status. Any thread may call it. */
int cli_gpus_count(cli_counted *out);
/* Takes over what was counted: of "all", the list goes up to there. */
void cli_gpus_add(cli_gpus *gpus, const cli_counted *counted);
/* Opens a tuner for one more GPU. Prints nothing, and changes nothing that other threads look at:
 * returns a gputune_status, for cli_gpus_take(). */
int cli_gpus_open_at(cli_session *out, const cli_gpus *gpus, size_t at);
/* Takes what cli_gpus_open_at() has opened, in the same thread. Returns CLI_CONTINUE, or an exit
 * code after saying why the GPU cannot be used. */
int cli_gpus_take(cli_gpus *gpus, size_t at, const cli_session *opened, int status);
void cli_gpus_close(cli_gpus *gpus);

/* Whether two GPUs are of one kind: a winner on the one is a winner on the other. */
bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b);

/* ---- how fast they are ----------------------------------------------------------------------- */

/* Whether another GPU is of the same kind as `gpu`. */
bool cli_gpus_has_equal(const cli_gpus *gpus, const cli_gpu *gpu);
/* Whether the GPU may get work. */
bool cli_gpus_is_usable(const cli_gpu *gpu);
/* Says how a GPU is slower than the usable GPUs of its kind: by the paces known it takes over 5%
 * longer than the fastest of them. NULL: it is not slower. */
char *cli_gpus_slower(const cli_gpus *gpus, const cli_gpu *gpu);
/* Prints that the usable GPUs of the kind of `like` are equally fast. False: they are not, or fewer
 * than two paces are known; it prints nothing then. */
bool cli_gpus_say_equal(const cli_gpus *gpus, const cli_gpu *like);
