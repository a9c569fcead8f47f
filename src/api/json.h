/* Reads JSON into a list of values, in place. A large container can be stepped through, so that
 * only one of its members is in the list at a time. */
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

/* A value in a list. The values that a container holds follow it. */
typedef struct gt_json {
    gt_json_kind kind;
    uint32_t span;    /* how many places of the list the value takes, with all that it holds */
    const char *name; /* of an object's member; else NULL */
    const char *text; /* of a text */
    double number;    /* of a number; 1 for true, else 0 */
} gt_json;
typedef GT_ARRAY(gt_json) gt_json_list;

/* A container whose members are stepped through. */
typedef struct gt_json_place {
    char closing; /* the bracket that ends it */
    bool begun;   /* a member was read */
    char *member; /* where the latest member begins; the text's end where none does */
} gt_json_place;

/* A text that is read. */
typedef struct gt_json_reader {
    char *at, *end;
    int line;          /* of `at`, from 1 */
    gt_json_list *out; /* values are appended here, and names and texts are decoded in the text;
                          NULL: values are checked only, but for the range of numbers, and the text
                          stays as it is */
    int depth;
    gt_json_place in; /* the container that was entered last */
} gt_json_reader;

/* A reader of a text. */
gt_json_reader gt_json_open(char *text, size_t bytes, gt_json_list *out);
/* Reads the next value, and gives it that name, which may be NULL. EINVAL: the text is malformed
 * where the reader is; the message says how. ENOMEM. Safe in any locale and thread. */
gputune_status gt_json_read(gt_json_reader *reader, const char *name);
/* Enters a container, to step through it. False: the next value is none. */
bool gt_json_enter(gt_json_reader *reader);
/* Steps to the next member of that container, behind its name; gt_json_read() then reads the value.
 * *name is NULL in an array. ENOTFOUND, without a message: there is no other. EINVAL as above. */
gputune_status gt_json_next(const char **name, gt_json_reader *reader);
/* Whether text that is malformed where the reader is may only lack its end: nothing follows, or
 * only a part of a word, an escape or a character. */
bool gt_json_is_cut(const gt_json_reader *reader);

/* The value behind `last` in a container, or its first one where `last` is NULL. NULL: there is no
 * other, or `in` is no container. */
const gt_json *gt_json_after(const gt_json *in, const gt_json *last);
/* The member of that name, the last one of several; NULL: there is none, or `object` is no object.
 */
const gt_json *gt_json_member(const gt_json *object, const char *name);
/* The text; NULL if `value` is NULL, or no text. */
const char *gt_json_text(const gt_json *value);
