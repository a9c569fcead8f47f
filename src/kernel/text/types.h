/* Element types and the words that name them. gt_type itself is in element_kinds.h. */
#pragma once

#include "base/text.h"
#include "kernel/text/element_kinds.h"
#include "kernel/text/lexer.h"

enum { GT_NAME_MAX = 128, GT_TYPE_LAST = GT_TYPE_E5M2 };

/* The bytes of one value: 1, 2, 4 or 8. */
uint32_t gt_type_bytes(gt_type type);
bool gt_type_is_float(gt_type type);
/* Returns whether the type can hold an integer; 64-bit and floating types take every int64_t. */
bool gt_type_holds(gt_type type, int64_t value);
/* "float", "unsigned int", … */
const char *gt_type_name(gt_type type);

/* An element that a template may declare: a number, or a CUDA vector of 1 to 4 components that lie
 * one behind the other. */
typedef struct gt_element {
    gt_type type;              /* of each component */
    uint32_t lanes;            /* how many components */
    uint32_t bytes, alignment; /* of the whole element */
} gt_element;

/* The element that a normalised name ("unsigned int", "uint32_t", "half2", "float4") stands for;
 * false: none. */
bool gt_element_from_name(gt_element *out, const char *name);
/* Returns whether there is such an element. */
bool gt_is_type(const char *name);
/* Tries the names of all known types. */
void gt_near_types(gt_near *near);

/* A type of CUDA that a template's argument cannot have. */
typedef struct gt_refused_type {
    const char *type, *what, *remedy; /* its name; what it is; what could be there instead */
} gt_refused_type;
/* The first of these types that occurs in `words`, or NULL. */
const gt_refused_type *gt_type_refused(const char *words);
/* Reads `all` names that follow one another, or all but the last but at least one ("unsigned long
 * long") and joins them by single blanks; of a C++ template's name also its arguments
 * ("vec<float,4>"). ETEMPLATE "…; expected WHAT" when there is no name or the result is too long.
 */
gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what, bool all);
/* Copies the token's text, a number's without the marks between its digits; "": the text is too
 * long for a name. Returns `out`; the macro's text lasts to the end of the block in which it
 * stands. */
const char *gt_token_name(char out[GT_NAME_MAX], const gt_token *token);
#define GT_TOKEN_TEXT(token) gt_token_name((char[GT_NAME_MAX]){""}, token)
/* Copies the current token, which must be a name of fewer than `bytes` characters. */
gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what);
/* Reads an argument's name, or "grid.x", the name of the buffer that a struct's member points to.
 */
gputune_status gt_argument_name_read(char out[GT_NAME_MAX], gt_lexer *lexer, const char *what);
