/* Integer and floating C expressions of templates, parsed once and evaluated often. Names become
 * slots of an array of values. */
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
    /* in a template: the word of the clause that has it, and the expression read before it */
    const char *word;
    const struct gt_expression *before;
} gt_expression;

/* Resolves the names in an expression. */
typedef struct gt_scope {
    /* Returns the slot of a name, in [0, GT_SLOT_MAX), or -1. */
    int (*slot)(void *user, const char *name);
    /* Returns the slot with the bytes of a type, or -1. NULL: sizeof takes no names. */
    int (*size_slot)(void *user, const char *name);
    /* Opens *value on what the code defines the name as, up to the text's end or ';', ',' or '}',
     * and sets *above to what is added. false: no such name. NULL: no code. */
    bool (*meaning)(void *user, const char *name, struct gt_lexer *value, int64_t *above);
    /* Writes the message about an unknown name, without the place. NULL: it is "unknown name". */
    void (*explain)(void *user, const char *name, char *out, size_t bytes);
    void *user;
} gt_scope;

/* Parses an expression from the lexer's current token on, as far as it goes (docs/template.md lists
 * operators and functions). ETEMPLATE, with the place, for syntax errors, unknown names, and too
 * deep or too long expressions. The caller frees *out. */
gputune_status gt_expression_read(gt_expression **out, struct gt_lexer *lexer,
                                  const gt_scope *scope);

/* Evaluates in 64-bit integers; sqrt and log2 are rounded down. ETEMPLATE, with the place, on a
 * division by zero, on overflow, and on a shift by a negative or too large count. */
gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots);
/* Evaluates in doubles. If `typed`, integers divide as integers, as in C++, and the result may be
 * infinite. Else division is exact, and a result that is not finite fails with ETEMPLATE too. */
gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots, bool typed);
/* Does the same without a message, for inner loops: returns what went wrong, or NULL. */
const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots);

/* Returns whether the expression reads the slot. */
bool gt_expression_uses(const gt_expression *expression, int slot);
/* Returns whether the expression, which may be NULL, reads one of `count` slots from `first` on. */
bool gt_expression_uses_any(const gt_expression *expression, int first, int count);
