/* Names of element types. The enumeration gt_type is in element_kinds.h. */
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

/* The type of a buffer's elements: a number, or a CUDA vector with 1 to 4 components. */
typedef struct gt_element {
    gt_type type;
    uint32_t lanes;            /* number of components */
    uint32_t bytes, alignment; /* size and alignment of the whole element, in bytes */
} gt_element;

/* Finds an element type by its name, such as "unsigned int" or "half2". Returns false if there is
 * none. */
bool gt_element_from_name(gt_element *out, const char *name);
bool gt_is_type(const char *name);
/* Proposes the names of all known types to `near`, to correct a misspelled name. */
void gt_near_types(gt_near *near);

/* A CUDA type that arguments in a template cannot have. */
typedef struct gt_refused_type {
    const char *type, *what, *remedy; /* the type's name, what it is, and what to use instead */
} gt_refused_type;
/* Returns the first refused type whose name occurs in `words`, or NULL. */
const gt_refused_type *gt_type_refused(const char *words);
/* Reads a type such as "unsigned long" or "vec<float,4>" and writes it with single blanks. Unless
 * `all`, stops before the last name, which is the name of a variable. ETEMPLATE if there is no
 * name, or if the type is too long for `out`. */
gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what, bool all);
/* Copies the text of a token to `out` and returns `out`. Removes the digit separators of a number.
 * The copy is "" if the text is too long. GT_TOKEN_TEXT() supplies a buffer that is valid until the
 * end of the enclosing block. */
const char *gt_token_name(char out[GT_NAME_MAX], const gt_token *token);
#define GT_TOKEN_TEXT(token) gt_token_name((char[GT_NAME_MAX]){""}, token)
/* Copies the current token to `out` and skips it. ETEMPLATE if it is not a name of fewer than
 * `bytes` characters. */
gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what);
/* Reads the name of an argument. A name with a dot, such as "grid.x", means a buffer that a member
 * of a struct points to. */
gputune_status gt_argument_name_read(char out[GT_NAME_MAX], gt_lexer *lexer, const char *what);
