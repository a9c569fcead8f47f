/* Reads JSON text into jansson's values, or steps through the members of a large container without
 * building a tree. Jansson's own reader is not used: where memory is short, it loses characters of
 * a name or a number without an error, or ends the process. */
#pragma once

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>

/* Reads one value; the text may have blanks around it, and nothing else. *out is a new reference.
 * EINVAL: the text is malformed; the message says how, and *line is the line, from 1. ENOMEM. If
 * members have the same name, the last one counts. Safe in any locale and thread. */
gputune_status gt_json_parse(json_t **out, int *line, const char *text, size_t bytes);

typedef struct gt_json_scan {
    const char *at, *end;
    int line; /* line of `at`, from 1 */
    int depth;
} gt_json_scan;

/* The text of one value, as part of the scanned text. */
typedef struct gt_json_piece {
    const char *key; /* an object member's name as written, without quotes; NULL: in an array */
    size_t key_length;
    const char *text;
    size_t length;
    int line; /* line where the value begins */
} gt_json_piece;

typedef enum gt_json_step {
    GT_JSON_MEMBER,
    GT_JSON_END, /* the container ends; the scan is behind its closing brace or bracket */
    GT_JSON_CUT, /* the text ends inside the container, perhaps inside a member */
    GT_JSON_BAD  /* the text is malformed where the scan is */
} gt_json_step;

/* Steps over an opening brace or bracket; false if there is none. */
bool gt_json_enter(gt_json_scan *scan);
/* Steps to the next member of the container that the scan is in. If the text ends inside a member
 * (GT_JSON_CUT), *out holds the part that is there; if it ends before the member's name, *out is
 * unchanged. */
gt_json_step gt_json_next(gt_json_scan *scan, gt_json_piece *out);
/* A scan of the members inside a piece. */
gt_json_scan gt_json_inside(const gt_json_piece *piece);
