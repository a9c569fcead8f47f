/* Reads JSON into a list of values, in place. */
#pragma once

#include "base/array.h"

#include <stdint.h>

typedef enum gt_json_kind {
    GT_JSON_NULL,
    GT_JSON_BOOLEAN,
    GT_JSON_NUMBER,
    GT_JSON_TEXT,
    GT_JSON_ARRAY,
    GT_JSON_OBJECT
} gt_json_kind;

/* A value in a list. The values that a container holds follow it. Recorded spaces have millions. */
typedef struct gt_json {
    unsigned kind : 3;  /* a gt_json_kind */
    unsigned span : 29; /* how many places of the list the value takes, with all that it holds */
    int line;           /* where the value begins, from 1 */
    const char *name;   /* of an object's member; else NULL */
    union {
        const char *text; /* of a text */
        double number;    /* of a number; of a boolean 0 or 1 */
    };
} gt_json;
typedef GT_ARRAY(gt_json) gt_json_list;

/* How far a text was read. */
typedef struct gt_json_reader {
    char *at, *end;
    int line, depth; /* of `at`: the line, from 1, and how many containers are open there */
    char *member;    /* where the latest member of a member of the whole begins; else `end` */
    gt_json_list *out;
} gt_json_reader;

/* Reads a value, and appends it to the list. Names and texts are decoded in `text`. EINVAL: the
 * text is malformed at reader->at; the message says how. The list then has what is in front of
 * that, but of the members of the whole's members only those that are complete. ENOMEM. Safe in any
 * locale and thread. */
gputune_status gt_json_read(gt_json_reader *reader, gt_json_list *out, char *text, size_t bytes);
/* Returns true if text that is malformed at the reader's position may only be truncated: nothing
 * follows, or only a part of a word, an escape or a character. */
bool gt_json_is_cut(const gt_json_reader *reader);

/* The value behind `last` in a container, or its first one where `last` is NULL. NULL: there is no
 * other, or `in` is no container. */
const gt_json *gt_json_after(const gt_json *in, const gt_json *last);
/* The last member of that name; NULL: there is none, or `object` is no object. */
const gt_json *gt_json_member(const gt_json *object, const char *name);
/* The text; NULL if `value` is NULL, or no text. */
const char *gt_json_text(const gt_json *value);
