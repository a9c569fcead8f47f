/* Reads JSON text into jansson's values, or steps through the members of a large container without
 * building a tree. Jansson's own reader is not used: where memory is short, it loses characters of
 * a name or a number without an error, or ends the process. */
#pragma once

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>

/* Reads one value, which is all of the text but for blanks around it. *out is a new reference.
 * EINVAL: it is malformed; the message says how, and *line where, from 1. ENOMEM. Of members of one
 * name the last counts. Safe in any locale and thread. */
gputune_status gt_json_parse(json_t **out, int *line, const char *text, size_t bytes);

typedef struct gt_json_scan {
    const char *at, *end;
    int line; /* of `at`, from 1 */
    int depth;
} gt_json_scan;

/* A value's text, within the scanned one. */
typedef struct gt_json_piece {
    const char *key; /* of an object's member, without quotes, as written; NULL: of an array */
    size_t key_length;
    const char *text;
    size_t length;
    int line; /* where the value begins */
} gt_json_piece;

typedef enum gt_json_step {
    GT_JSON_MEMBER,
    GT_JSON_END, /* the closing brace or bracket, and the scan is behind it */
    GT_JSON_CUT, /* the text ends inside the container, perhaps inside a member */
    GT_JSON_BAD  /* something that cannot stand there; the scan is at it */
} gt_json_step;

/* Steps over the opening brace or bracket; false, where there is none. */
bool gt_json_enter(gt_json_scan *scan);
/* The next member of the container that the scan is in; of one that is cut, *out holds what there
 * is, and stays as it was where not even its name begins. */
gt_json_step gt_json_next(gt_json_scan *scan, gt_json_piece *out);
/* A scan of a member's own members. */
gt_json_scan gt_json_inside(const gt_json_piece *piece);
