/* Integer and floating-point C expressions of templates, parsed once and evaluated often. Names
 * become slots in an array of values. */
#pragma once

#include "base/operation.h"
#include "base/status.h"
#include "base/text.h"

enum { GT_SLOT_MAX = 256 };

struct gt_lexer;
struct gt_token;

/* A place in a source file, for messages. */
typedef struct gt_place {
    const char *path;
    int line, column;
} gt_place;

/* A parsed expression: one allocation that also contains code and text. */
typedef struct gt_expression {
    gt_instruction *code;
    int count;
    bool is_real; /* true if a literal is floating-point, so the expression has no integer value */
    uint64_t used[GT_SLOT_MAX / 64];    /* bit i: the code reads slot i */
    const char *text;                   /* source without comments and with single blanks */
    gt_place place;                     /* start of the expression; the template owns the path */
    const char *word;                   /* word of the clause that has the expression */
    const struct gt_expression *before; /* the previous expression in the template's list */
} gt_expression;

/* Resolves the names in an expression. */
typedef struct gt_scope {
    /* Returns the slot of a name, in [0, GT_SLOT_MAX), or -1. */
    int (*slot)(void *user, const char *name);
    /* Returns the slot for the size of a type in bytes, or -1. NULL: sizeof accepts no type
     * names. */
    int (*size_slot)(void *user, const char *name);
    /* Finds a constant of the code. Opens *value on its definition up to the end, ';', ',' or '}',
     * and sets *above to a number to add to it. NULL: there is no code. */
    bool (*meaning)(void *user, const char *name, struct gt_lexer *value, int64_t *above);
    /* Writes the message for an unknown name, without the place. NULL: a default message. */
    void (*explain)(void *user, const char *name, char *out, size_t bytes);
    void *user;
} gt_scope;

/* Parses the longest expression at the lexer's current token; docs/template.md lists operators and
 * functions. ETEMPLATE with the place for syntax errors, unknown names, and expressions that are
 * too deep or too long. The caller frees *out. */
gputune_status gt_expression_read(gt_expression **out, struct gt_lexer *lexer,
                                  const gt_scope *scope);

/* Evaluates in 64-bit integers; sqrt and log2 are rounded down. ETEMPLATE with the place for a
 * division by zero, an overflow, or an invalid shift count. */
gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots);
/* Evaluates in doubles. If `typed`, integers divide as in C++, and the result may be infinite.
 * Otherwise division is exact, and a result that is not finite fails with ETEMPLATE. */
gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots, bool typed);
/* Evaluates in integers without setting the error message. Returns an error text or NULL. */
const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots);

bool gt_expression_uses(const gt_expression *expression, int slot);
/* Returns true if the expression reads one of `count` slots, starting at slot `first`. Returns
 * false for NULL. */
bool gt_expression_uses_any(const gt_expression *expression, int first, int count);

/* Settings for printing expressions, with some slots as names and others as numbers. */
typedef struct gt_print {
    const int64_t *slots;
    uint64_t known[GT_SLOT_MAX / 64]; /* bit i: slot i is printed as its number */
    /* Returns the name of a slot that is not in `known`, or NULL if there is no name. */
    const char *(*name)(void *user, int slot);
    void *user;
    const char *prefix;   /* prefix of function names: "" for templates, "NAME_" for C */
    int within;           /* precedence of the operator around the printed text, or 0 for none */
    const int64_t *least; /* lower bounds of the slots that are not `known`, or NULL */
    bool unlimited;       /* print a whole expression min(x, NUMBER) as x */
} gt_print;

/* Appends the expression after computing all known parts: "ceil_div(n, 64) * 2". The text can be
 * parsed again, and is valid C if the program defines the functions. If the text is a number, sets
 * *known (which may be NULL) to true and *value to the number. ETEMPLATE if a part cannot be
 * computed, or if a slot has no name. */
gputune_status gt_expression_print(gt_text *out, bool *known, int64_t *value,
                                   const gt_expression *expression, const gt_print *print);
/* Returns the name of a function or the sign of an operator, or NULL for other operations. Sets
 * *precedence, which is higher for operators that bind tighter, and 0 for functions. */
const char *gt_operation_sign(int *precedence, gt_operation operation);
