/* The commands. */
#pragma once

#include "cli/options.h"

extern const cli_command cmd_warm, cmd_show, cmd_run, cmd_check, cmd_compare, cmd_kernels,
    cmd_space, cmd_emit, cmd_embed, cmd_template, cmd_devices, cmd_doctor, cmd_forget, cmd_prune,
    cmd_merge, cmd_replay, cmd_wisdom, cmd_report, cmd_export;
