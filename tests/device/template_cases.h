/* Compares variants of the shipped templates on the GPU and on the emulator. */
#pragma once

#include "op_cases.h"

/* Runs the default and a sample of the variants of every template in `folder`, or in the folders
 * that gputune searches if `folder` is NULL. The inputs are equal, and the sizes are small and not
 * multiples of blocks. Compares all outputs. Calls `each` after every template, with the time in
 * seconds at which the template began. Fails if there is no compiler or no folder. */
gputune_status templates_run(pair *both, const char *folder,
                             void (*each)(void *user, const char *name, const tally *counts,
                                          double began),
                             void *user);
