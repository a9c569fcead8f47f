/* One entry of a recorded space: the result of its configuration, in either format. */
#pragma once

#include "search/recorded.h"

#include <jansson.h>

/* Reads all but the point from an entry of Kernel Tuner's cache or of T4 results. ERECORDED says
 * what is wrong, without the place. */
gputune_status gt_recorded_entry_cache(gt_recorded_entry *out, const json_t *json);
gputune_status gt_recorded_entry_t4(gt_recorded_entry *out, const json_t *json);

/* Whether a T4 result is of a configuration that the constraints exclude: no part of the space. */
bool gt_recorded_is_excluded(const json_t *json);
