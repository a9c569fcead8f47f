/* Element types and their names. gt_type itself is in element_kinds.h. */
#pragma once

#include "base/text.h"
#include "kernel/text/element_kinds.h"
#include "kernel/text/lexer.h"

enum { GT_NAME_MAX = 128, GT_TYPE_LAST = GT_TYPE_E5M2 };

/* Returns the size of one value in bytes: 1, 2, 4 or 8. */
uint32_t gt_type_bytes(gt_type type);
bool gt_type_is_float(gt_type type);
/* Returns true if the type can represent the integer. Always true for 64-bit types and floats. */
bool gt_type_holds(gt_type type, int64_t value);
/* Returns the name of a type: "float", "unsigned int", … */
const char *gt_type_name(gt_type type);

/* An element of a template's buffers: a number, or a CUDA vector of 1 to 4 components. */
typedef struct gt_element {
    gt_type type;
    uint32_t lanes;            /* number of components */
    uint32_t bytes, alignment; /* size and alignment of the whole element */
} gt_element;

/* Finds an element by its name ("unsigned int", "half2"). Returns false if no element has this
 * name. */
bool gt_element_from_name(gt_element *out, const char *name);
bool gt_is_type(const char *name);
/* Tries the names of all known types as corrections of a misspelled name. */
void gt_near_types(gt_near *near);

/* A CUDA type that an argument of a template cannot have. */
typedef struct gt_refused_type {
    const char *type, *what, *remedy; /* the type's name, its description, and a replacement */
} gt_refused_type;
/* Returns the first gt_refused_type that occurs in `words`, or NULL. */
const gt_refused_type *gt_type_refused(const char *words);
/* Reads a type such as "unsigned long" or "vec<float,4>" and normalises its blanks. Unless `all`,
 * does not read the last name, which is a variable. ETEMPLATE if there is no name, or if the text
 * does not fit. */
gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what, bool all);
/* Copies a token's text to `out` and returns `out`. Removes digit separators from a number. The
 * copy is "" if the text is too long. GT_TOKEN_TEXT() provides the buffer, which lives until the
 * end of the enclosing block. */
const char *gt_token_name(char out[GT_NAME_MAX], const gt_token *token);
#define GT_TOKEN_TEXT(token) gt_token_name((char[GT_NAME_MAX]){""}, token)
/* Copies the current token to `out` and steps over it. The token must be a name of fewer than
 * `bytes` characters. */
gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what);
/* Reads the name of an argument, or a name such as "grid.x" for a buffer that a struct points
 * to. */
gputune_status gt_argument_name_read(char out[GT_NAME_MAX], gt_lexer *lexer, const char *what);
