/* What a text that is compiled does with the names of tunables and of compile-time problem values:
 * which it reads as macros, and which are C++ names there. */
#pragma once

#include "kernel/template_parts.h"

/* A place with line 0: there is none. */
typedef struct gt_name_use {
    bool occurs;        /* it needs a macro, wherever it may have one */
    bool is_read;       /* its value reaches the compiler: in code, in a condition, or through a
                           macro that does, also joined by ## */
    bool is_declared;   /* the code has a parameter or variable of that name */
    gt_place parameter; /* of the first C++ template that has a parameter of that name */
    gt_place global;    /* the first declaration of that name outside of functions and classes */
    gt_place tested;    /* the first directive that takes it for a macro */
    bool is_in_doubt; /* a #define or #undef may take its value away, as only the compiler knows */
} gt_name_use;

typedef struct gt_name_uses {
    gt_name_use axes[GT_AXIS_MAX], problem[GT_PROBLEM_MAX];
} gt_name_uses;

/* Reads a text whose #line marks say where its lines come from. Places' paths are the template's.
 * The clauses must have been read. ENOMEM. */
gputune_status gt_name_uses_find(gt_name_uses *out, const gt_template *template, const char *text);
/* Whether the token has its value by gputune: the name of a tunable or of a compile-time problem
 * value, or of a word of theirs. */
bool gt_name_is_chosen(const gt_template *template, const gt_token *token);
/* The name in the text's code that is nearest to `name`, and no tunable or problem value itself.
 * false: none is near. */
bool gt_name_nearest(char out[GT_NAME_MAX], const gt_template *template, const char *text,
                     const char *name);
