/* Refuses requests that are too large for an emulated device. */
#pragma once

#include "tuner/request.h"

/* ETIMEOUT if an emulated device could not make the inputs, run the reference and prove one variant
 * within the request's time limit; the message says how long that would take. Always OK on a GPU.
 * The time is an estimate: a caller who wants to try all the same sets a longer limit. */
gputune_status gt_emulated_can(const gt_request *request);
