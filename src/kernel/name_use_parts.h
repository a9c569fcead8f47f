/* What the files name_use*.c share. */
#ifndef GT_KERNEL_NAME_USE_PARTS_H
#define GT_KERNEL_NAME_USE_PARTS_H

#include "kernel/condition.h"
#include "kernel/name_use.h"

#include "base/array.h"

#include <string.h>

/* A #define or #undef; or what the engine, or an option, defines in front of the text. */
typedef struct gt_name_macro {
    gt_token name;
    gt_lexer body; /* behind the name: parameters, and what it stands for */
    gt_verdict made;
    bool undefines, followed;
} gt_name_macro;

typedef struct gt_name_scan {
    gt_name_uses *out;
    const gt_template *template;
    gt_lexer lexer;
    gt_conditions conditions;
    GT_ARRAY(gt_name_macro) macros;
    gt_place undefined[GT_AXIS_MAX + GT_PROBLEM_MAX]; /* by an #undef, and not read since */
    bool pastes;
    const char *path; /* of the file that the current line comes from, */
    int shift;        /* and what its number there is ahead of the lexer's */
    gt_token previous, before;
    bool behind_type;   /* a type's name and asterisks stand in front of the current token */
    bool opens_scope;   /* the next brace is that of a namespace or of extern "C" */
    uint64_t enclosing; /* bit 0 is the innermost brace: 1 for one of a function or class */
    int parentheses;
} gt_name_scan;

/* The axis, or behind GT_AXIS_MAX the problem value, that a token stands for; -1: neither. */
int gt_name_index(const gt_template *template, const gt_token *token);
/* What is known of the name with that index. */
gt_name_use *gt_name_use_at(const gt_name_scan *s, int index);

/* ---- name_use_macros.c ---- */

/* Adds the macros that stand in front of the text, and notes which names occur in them. ENOMEM. */
gputune_status gt_name_add_defines(gt_name_scan *s);
/* Notes which axes are read through macros alone, once the text has been read. */
void gt_name_follow_macros(gt_name_scan *s, const char *text);

#endif
