/* The options of `warm` (cmd_warm.c, which also implements compiling alone), and its tuning
 * (warm_tune.c). */
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
    double total_limit_s; /* seconds for all scenarios together; 0: no limit */
    const char *from;     /* a file of misses, or NULL */
    const char *arch;
    const char *gpus; /* "all", "0,2"; NULL: the one GPU that `common` names */
    cli_list compile_on;
    const char *shard_text;
    cli_shard shard;
} cli_warm;

/* Tunes every scenario, and prints a row for each in the order given; a scenario that fails does
 * not stop the others. The order of tuning is that of cli/turns.h, or for a file of misses the
 * order given. scenarios[i] are those of GPU i; equal GPUs have the same scenarios and divide them
 * between them. Returns the exit code. */
int cli_warm_tune(const cli_warm *warm, const cli_gpus *gpus, const cli_scenarios *scenarios);

/* Checks the selected kernels on the emulator, whatever the common options' driver is, and prints
 * mistakes on stderr. CLI_CONTINUE where there are none, else the exit code. */
int cli_check_first(const cli_common *common, const cli_selection *selection);
