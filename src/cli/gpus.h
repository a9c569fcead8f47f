/* The GPUs that a run measures on, each with a tuner of its own. */
#ifndef CLI_GPUS_H
#define CLI_GPUS_H

#include "cli/session.h"

typedef struct cli_gpu {
    cli_session session;
    char *label; /* "GPU 1 (NVIDIA H200)"; NULL where the run has one GPU */
} cli_gpu;

typedef struct cli_gpus {
    cli_gpu *items;
    size_t count;
} cli_gpus;

#define CLI_GPUS_OPTION(which)                                                                     \
    {                                                                                              \
        "gpus", 0, CLI_OPTION_TEXT, which, "all|N[,N...]",                                         \
            "on several GPUs of this machine at once, by their numbers in\n'gputune devices'; "    \
            "the cores are divided between them [--device]",                                       \
            NULL                                                                                   \
    }

/* Opens a tuner for each GPU of `which`, between which the cores are divided for compiling; NULL:
 * for the one GPU that `common` says. A GPU that cannot be used is an error where it is named by
 * its number, and is left out of "all" with a message. Returns CLI_CONTINUE, or an exit code after
 * saying what is wrong; then nothing is open. */
int cli_gpus_open(cli_gpus *out, const cli_common *common, cli_open_mode mode, const char *which);
void cli_gpus_close(cli_gpus *gpus);

/* Whether two GPUs are of one kind: a winner of the one is that of the other. */
bool cli_gpus_are_equal(const cli_gpu *a, const cli_gpu *b);

#endif
