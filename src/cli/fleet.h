/* Several GPUs: `warm --gpus` starts a process for each, which tunes there what it is told to. The
 * parent opens no GPU. It deals the turns out, one at a time to each process, shows how far they
 * are, and prints one table. A child writes nothing itself: its messages go to the parent. */
#pragma once

#include "cli/warm.h"

/* Tunes on the GPUs of --gpus. Returns the exit code. */
int cli_fleet_run(void);

/* Returns true if this process is a child of cli_fleet_run(). Then the first call chooses the GPU
 * that this process is for, and sends messages to the parent from now on. */
bool cli_fleet_join(void);
/* Returns true if this process leaves it to another child to print what each of them finds. */
bool cli_fleet_is_silent(void);
/* Tunes what the parent tells, until it tells no more. Returns the exit code. */
int cli_fleet_serve(const cli_session *session, const cli_scenarios *scenarios);
