/* Reads JSON text into a list of values. The text is modified. */
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

/* A value, followed in the list by the values inside it. There can be millions of values. */
typedef struct gt_json {
    unsigned kind : 3;
    unsigned span : 29; /* number of list items of this value, including the values inside it */
    int line;
    const char *name; /* name of the member of an object; NULL for others */
    union {
        const char *text; /* content of a text */
        double number;    /* a number, or 0 or 1 for a boolean */
    };
} gt_json;
typedef GT_ARRAY(gt_json) gt_json_list;

typedef struct gt_json_reader {
    char *at, *end;
    int line, depth; /* line of `at`, counted from 1; number of containers that are open */
    char *member;    /* start of the incomplete member at depth 2, or `end` if there is none */
    gt_json_list *out;
} gt_json_reader;

/* Appends a value, and the values inside it, to the list. Decodes names and texts in place in
 * `text`. Fails with EINVAL if the text is malformed at reader->at, or with ENOMEM. After EINVAL,
 * the list has the values before reader->at, but at depth 2 only complete members. Does not depend
 * on the locale. Thread-safe. */
gputune_status gt_json_read(gt_json_reader *reader, gt_json_list *out, char *text, size_t bytes);
/* Returns true if the text may be malformed only because it was cut off in a word at reader->at. */
bool gt_json_is_cut(const gt_json_reader *reader);

/* Returns the value after `last` in the container `in`, or the first value if `last` is NULL.
 * Returns NULL after the last value, or if `in` is not a container. */
const gt_json *gt_json_after(const gt_json *in, const gt_json *last);
/* Returns the last member with that name, or NULL if `object` lacks it or is not an object. */
const gt_json *gt_json_member(const gt_json *object, const char *name);
/* Returns the text, or NULL if `value` is NULL or not a text. */
const char *gt_json_text(const gt_json *value);
