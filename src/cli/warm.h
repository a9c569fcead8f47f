/* What `warm` asks for (cmd_warm.c, which also compiles alone), and its tuning (warm_tune.c). */
#pragma once

#include "cli/gpus.h"
#include "cli/scenarios.h"
#include "cli/session.h"
#include "cli/shard.h"
#include "cli/table.h"
#include "cli/tuning.h"

typedef struct cli_warm {
    cli_common common;
    cli_selection selection;
    cli_tuning tuning;
    bool compile_only, any_gpu, check, watch, live, canonical;
    double total_limit_s; /* for all scenarios together; 0: none */
    const char *from;     /* a file of misses, or NULL */
    const char *arch;
    const char *gpus; /* "all", "0,2"; NULL: the one that `common` says */
    cli_list compile_on;
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Tunes every scenario, in the order of cli/turns.h where they are not of a file of misses, and
 * prints a row for each in the order given; a scenario that fails does not stop the others.
 * scenarios[i] are those of GPU i; equal GPUs, which have the same, divide them between them.
 * Returns the exit code. */
int cli_warm_tune(const cli_warm *warm, const cli_gpus *gpus, const cli_scenarios *scenarios);

/* Checks the selected kernels on the emulator, whatever the common options' driver is, and prints
 * mistakes on stderr. CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(const cli_common *common, const cli_selection *selection);
