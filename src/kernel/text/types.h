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

/* An element that a template may declare: a number, or a CUDA vector of 1 to 4 components. */
typedef struct gt_element {
    gt_type type;              /* of each component */
    uint32_t lanes;            /* how many components */
    uint32_t bytes, alignment; /* of the whole element */
} gt_element;

/* Finds the element of that name ("unsigned int", "half2", "float4"). false: there is none. */
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
/* Reads all names that follow ("unsigned long"), or without `all` all but one, with template
 * arguments ("vec<float,4>"), and joins them by single blanks. ETEMPLATE for none or too many. */
gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what, bool all);
/* Copies a token's text, of numbers without marks; "" if it is too long. Lasts for the block. */
const char *gt_token_name(char out[GT_NAME_MAX], const gt_token *token);
#define GT_TOKEN_TEXT(token) gt_token_name((char[GT_NAME_MAX]){""}, token)
/* Copies the current token, which must be a name of fewer than `bytes` characters. */
gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what);
/* Reads an argument's name, or "grid.x" of a buffer that a struct points to. */
gputune_status gt_argument_name_read(char out[GT_NAME_MAX], gt_lexer *lexer, const char *what);
