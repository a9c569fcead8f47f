/* What is too large for an emulated device. */
#pragma once

#include "tuner/request.h"

/* ETIMEOUT, with a message that says how long it would take, where an emulated device could not
 * make the inputs, run the reference and prove one variant within the request's time limit. OK on
 * any GPU. An estimate: a longer limit is the caller's word that it is to be tried. */
gputune_status gt_emulated_can(const gt_request *request);
