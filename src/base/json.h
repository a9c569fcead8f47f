/* Reads JSON text into jansson's values. Jansson's own reader is not used: where memory is short,
 * it loses characters of a name or a number without an error, or ends the process. */
#ifndef GT_BASE_JSON_H
#define GT_BASE_JSON_H

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>

/* Reads one value, which is all of the text but for blanks around it. *out is a new reference.
 * EINVAL: it is malformed; the message says how, and *line where, from 1. ENOMEM. Of members of one
 * name the last counts. Safe in any locale and thread. */
gputune_status gt_json_parse(json_t **out, int *line, const char *text, size_t bytes);

#endif
