/* Checking variants by the emulator's sanitizer. */
#pragma once

#include "tuner/request.h"

/* Launches the default and up to options.max_variants - 1 other configurations (0: all) under the
 * sanitizer, at the request's sizes and awkward ones, and calls `each` for every finding, and once
 * for a variant without any. Proves, measures and stores nothing. EUNSUPPORTED where the device is
 * not the emulator's. */
gputune_status gt_check(gt_request *request,
                        int (*each)(void *user, const gputune_finding *finding), void *user);
