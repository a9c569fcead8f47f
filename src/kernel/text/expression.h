/* C expressions in templates, with integers or floating-point numbers. An expression is parsed once
 * and evaluated often. Each name is replaced by a slot, an index into an array of values. */
#pragma once

#include "base/operation.h"
#include "base/status.h"
#include "base/text.h"

enum { GT_SLOT_MAX = 256 };

struct gt_lexer;
struct gt_token;

/* A position in a source file, for error messages. */
typedef struct gt_place {
    const char *path;
    int line, column;
} gt_place;

/* A parsed expression. The code and the text are in the same allocation as the struct. */
typedef struct gt_expression {
    gt_instruction *code;
    int count;
    bool is_real;                    /* true if the expression contains a floating-point literal */
    uint64_t used[GT_SLOT_MAX / 64]; /* bit i: the code reads slot i */
    const char *text;                /* source text without comments, and with single blanks */
    gt_place place;   /* where the expression starts; the path belongs to the template */
    const char *word; /* name of the clause that contains the expression */
    const struct gt_expression *before; /* the previous expression in the template's list */
} gt_expression;

/* Callbacks that resolve the names in an expression. */
typedef struct gt_scope {
    /* Returns the slot of a name, which is below GT_SLOT_MAX, or -1 if the name is unknown. */
    int (*slot)(void *user, const char *name);
    /* Returns the slot that contains the size of a type in bytes, or -1 if the type is unknown. If
     * this callback is NULL, sizeof() accepts no names of types. */
    int (*size_slot)(void *user, const char *name);
    /* Finds a constant that the code defines. Its value is the expression at lexer *value, which
     * ends at a ';', ',' or '}', plus *above. NULL if there is no code. */
    bool (*meaning)(void *user, const char *name, struct gt_lexer *value, int64_t *above);
    /* Writes a message about an unknown name, without a position. If this callback is NULL, the
     * usual message is used. */
    void (*explain)(void *user, const char *name, char *out, size_t bytes);
    void *user;
} gt_scope;

/* Parses an expression that begins at the current token, and reads as many tokens as possible.
 * docs/template.md lists the operators and functions. ETEMPLATE, with the position, for a syntax
 * error, an unknown name, or an expression that is too deep or too long. The caller frees *out. */
gputune_status gt_expression_read(gt_expression **out, struct gt_lexer *lexer,
                                  const gt_scope *scope);

/* Evaluates an expression in 64-bit integers. sqrt() and log2() are rounded down. ETEMPLATE, with
 * the position, for a division by zero, an overflow, or an invalid shift count. */
gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots);
/* Evaluates an expression in doubles. If `typed`, divisions of two integers truncate as in C++, and
 * the result may be infinite. Otherwise divisions are exact, and the result must be finite. */
gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots, bool typed);
/* Evaluates an expression in integers. Returns the text of an error, or NULL if it succeeded. */
const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots);

bool gt_expression_uses(const gt_expression *expression, int slot);
/* Returns true if the expression uses one of the slots from `first` to `first + count - 1`. Returns
 * false if the expression is NULL. */
bool gt_expression_uses_any(const gt_expression *expression, int first, int count);

/* How to print an expression: which slots are printed as names, and which as numbers. */
typedef struct gt_print {
    const int64_t *slots;
    uint64_t known[GT_SLOT_MAX / 64]; /* bit i: slot i is printed as its value */
    /* Returns the name of a slot that is not `known`, or NULL if it has no name. */
    const char *(*name)(void *user, int slot);
    void *user;
    /* Prefix of the functions' names: "" for templates, "NAME_" for C. In C, a divisor that may be
     * 0 is printed as NAME_nonzero(divisor, &result_). */
    const char *prefix;
    int within;           /* precedence of the operator that surrounds the printed text, or 0 */
    const int64_t *least; /* smallest possible value of each slot that is not `known`, or NULL */
    bool unlimited;       /* if the whole expression is min(x, NUMBER), print only x */
} gt_print;

/* Appends an expression in which all known parts are replaced by their values: "ceil_div(n, 64) *
 * 2". The text can be parsed again. It is also valid C if the program defines the functions that it
 * calls. If the text is a number, sets *known to true and *value to the number; `known` may be
 * NULL. ETEMPLATE if a part cannot be computed, or if a slot has no name. */
gputune_status gt_expression_print(gt_text *out, bool *known, int64_t *value,
                                   const gt_expression *expression, const gt_print *print);
/* Returns the name of a function or the sign of an operator. Returns NULL for other operations.
 * Sets *precedence to 0 for a function; for an operator, a higher number binds tighter. */
const char *gt_operation_sign(int *precedence, gt_operation operation);
