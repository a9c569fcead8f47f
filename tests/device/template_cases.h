/* Compares variants of the shipped templates on both sides. */
#pragma once

#include "op_cases.h"

/* Runs the default and a sample of the variants of every template in `folder` (NULL: the folders
 * that gputune searches), with small sizes that leave a tail and equal inputs, and compares all
 * outputs bit by bit. Calls `each` for every template with the clock's reading, in seconds, before
 * the template. Fails if there is no compiler or no folder. */
gputune_status templates_run(pair *both, const char *folder,
                             void (*each)(void *user, const char *name, const tally *counts,
                                          double began),
                             void *user);
