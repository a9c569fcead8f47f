/* Integer and floating C expressions of templates, parsed once and evaluated often. Symbols are
 * resolved to slots of a value array at parse time, so that evaluation touches no string. */
#pragma once

#include "base/status.h"

enum { GT_SLOT_MAX = 256 };

typedef struct gt_expression gt_expression;
struct gt_lexer;

/* Where the text stands, for messages. */
typedef struct gt_place {
    const char *path;
    int line, column;
} gt_place;

/* Resolves a name to a slot in [0, GT_SLOT_MAX), or -1 when there is none. */
typedef struct gt_scope {
    int (*slot)(void *user, const char *name);
    /* The slot that holds the bytes of a type's name, or -1. NULL: no sizeof of names. */
    int (*size_slot)(void *user, const char *name);
    /* Opens *value on what the code gives a name without a slot, an expression up to the text's
     * end,
     * ';', ',' or '}'; false: nothing that is known. NULL: no code. */
    bool (*meaning)(void *user, const char *name, struct gt_lexer *value);
    /* Writes the message for a name without a slot (what follows the place) into out. NULL: a plain
     * "unknown name". */
    void (*explain)(void *user, const char *name, char *out, size_t bytes);
    void *user;
} gt_scope;

/* Parses from a lexer's current token, as far as the expression goes: C operators (with ?: and
 * short circuits), integer and floating literals (64K, 1M, 2G and 1T are powers of 1024), ceil_div,
 * round_up, min, max (two or more values), sqrt, log2, pow, sizeof(type). ETEMPLATE with place;
 * also for unknown names, and for an expression that is nested too deep or too long. *out is the
 * caller's, for gt_expression_free().
 */
gputune_status gt_expression_read(gt_expression **out, struct gt_lexer *lexer,
                                  const gt_scope *scope);
void gt_expression_free(gt_expression *expression);

/* Evaluates over int64 slots. ETEMPLATE (with the expression's place) on division by zero, on
 * overflow, on a shift by a negative or too large count; C's truncation, sqrt and log2 rounded
 * down. */
gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots);
/* The same in doubles: literals and functions floating, division exact. ETEMPLATE also when the
 * result is not finite. */
gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots);
/* The same as C++ has it, where integers and floating numbers meet: integers divide as integers.
 * The result may be infinite. */
gputune_status gt_expression_number(double *out, const gt_expression *expression,
                                    const int64_t *slots);
/* gt_expression_integer() without a message: what went wrong, or NULL. For inner loops. */
const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots);

/* Whether the expression reads a slot: it can be computed once all that it reads are set. */
bool gt_expression_uses(const gt_expression *expression, int slot);
/* Whether it holds a floating literal, which has no integer value. */
bool gt_expression_is_real(const gt_expression *expression);
/* The text as written, comments out, blanks folded. */
const char *gt_expression_text(const gt_expression *expression);
gt_place gt_expression_place(const gt_expression *expression);
