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

/* A value in a list, followed by the values that it contains. Recorded spaces have millions of
 * values. */
typedef struct gt_json {
    unsigned kind : 3;  /* a gt_json_kind */
    unsigned span : 29; /* places in the list, including contained values */
    int line;           /* first line of the value, from 1 */
    const char *name;   /* name of an object's member, or NULL */
    union {
        const char *text; /* content of a text */
        double number;    /* the value of a number; 0 or 1 for a boolean */
    };
} gt_json;
typedef GT_ARRAY(gt_json) gt_json_list;

/* The state of a reader. */
typedef struct gt_json_reader {
    char *at, *end;
    int line, depth; /* the line of `at`, from 1, and the number of open containers */
    char *member;    /* start of the member that is being read at depth 2, otherwise `end` */
    gt_json_list *out;
} gt_json_reader;

/* Reads a value, and appends it and the values that it contains to the list. Names and texts are
 * decoded in place in `text`. EINVAL if the text is malformed at reader->at. The list then has the
 * values before it, but at depth 2 only complete members. ENOMEM. Safe in any locale and thread. */
gputune_status gt_json_read(gt_json_reader *reader, gt_json_list *out, char *text, size_t bytes);
/* Returns true if a malformed text may just be truncated: it ends at the reader's position, perhaps
 * within a word, an escape or a character. */
bool gt_json_is_cut(const gt_json_reader *reader);

/* Returns the value after `last` in a container, or the first value if `last` is NULL. Returns NULL
 * if there is no further value, or if `in` is not a container. */
const gt_json *gt_json_after(const gt_json *in, const gt_json *last);
/* Returns the last member with that name, or NULL if there is none or `object` is not an object. */
const gt_json *gt_json_member(const gt_json *object, const char *name);
/* Returns the text, or NULL if `value` is NULL or not a text. */
const char *gt_json_text(const gt_json *value);
