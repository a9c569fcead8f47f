/* Integer and floating C expressions of templates, parsed once and evaluated often. Symbols are
 * resolved to slots of a value array at parse time, so that evaluation touches no string. */
#pragma once

#include "base/operation.h"
#include "base/status.h"

enum { GT_SLOT_MAX = 256 };

struct gt_lexer;
struct gt_token;

/* A place in a source file, for messages. */
typedef struct gt_place {
    const char *path;
    int line, column;
} gt_place;

/* One allocation, with the code and the text behind the members. */
typedef struct gt_expression {
    gt_instruction *code;
    int count;
    bool is_real;                    /* a literal is floating: there is no integer value */
    uint64_t used[GT_SLOT_MAX / 64]; /* bit i: the code reads slot i */
    const char *text;                /* as written, without comments and with single blanks */
    gt_place place;                  /* path: owned by whoever owns the template's texts */
    /* In a template: the word of the clause that has the expression, and the expression that was
     * read before it. */
    const char *word;
    const struct gt_expression *before;
} gt_expression;

/* Resolves the names in an expression. */
typedef struct gt_scope {
    /* The slot of a name, in [0, GT_SLOT_MAX); -1: the name has none. */
    int (*slot)(void *user, const char *name);
    /* The slot with the bytes of the type that `name` stands for; -1: there is none. NULL: sizeof
     * takes no names. */
    int (*size_slot)(void *user, const char *name);
    /* Opens *value on the expression that the code defines a name without a slot as; it ends at the
     * text's end, ';', ',' or '}'; *above is added to it. false: the code defines no such name.
     * NULL: there is no code. */
    bool (*meaning)(void *user, const char *name, struct gt_lexer *value, int64_t *above);
    /* Writes the message about an unknown name, without the place, to `out`. NULL: the message is
     * "unknown name". */
    void (*explain)(void *user, const char *name, char *out, size_t bytes);
    void *user;
} gt_scope;

/* Parses an expression from the lexer's current token on, as far as the expression goes. It may
 * have C operators (with ?: and short circuits), integer and floating literals (64K, 1M, 2G and 1T
 * are multiples of powers of 1024), ceil_div, round_up, min, max (two or more values), sqrt, log2,
 * pow and sizeof(type). ETEMPLATE, with the place, for syntax errors, unknown names, and
 * expressions that are nested too deep or too long. *out is the caller's to free().
 */
gputune_status gt_expression_read(gt_expression **out, struct gt_lexer *lexer,
                                  const gt_scope *scope);

/* Evaluates in 64-bit integers: division truncates as in C, sqrt and log2 are rounded down.
 * ETEMPLATE, with the expression's place, on a division by zero, on overflow, and on a shift by a
 * negative or too large count. */
gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots);
/* Evaluates in doubles. If `typed`, as C++ does where an expression mixes integers and floating
 * numbers: integers divide as integers, and the result may be infinite. Else literals and functions
 * are floating, and division has no remainder. ETEMPLATE as above, and when the result is not
 * finite. */
gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots, bool typed);
/* Like gt_expression_integer(), but sets no message: returns what went wrong, or NULL. For inner
 * loops. */
const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots);

/* Returns whether the expression reads the slot. An expression can be computed once every slot that
 * it reads is set. */
bool gt_expression_uses(const gt_expression *expression, int slot);
/* Returns whether the expression, which may be NULL, reads one of the `count` slots from `first`
 * on. */
bool gt_expression_uses_any(const gt_expression *expression, int first, int count);
