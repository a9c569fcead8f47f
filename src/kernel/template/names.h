/* Finds out how a text that is compiled uses the names of tunables and of compile-time problem
 * values. Such a name is a macro, unless a kernel gets its value as an argument and a head of the
 * text declares a parameter of that name. */
#pragma once

#include "kernel/template/declared.h"

/* How the text uses one name. A place with line 0: there is no such place. */
typedef struct gt_name_use {
    bool occurs;        /* the text contains the name, or reads it */
    bool is_read;       /* its value reaches the compiler: in code, in a condition, or through a
                           macro that is read there, also if ## makes the name */
    bool is_in_doubt;   /* a #define may change it: only the compiler knows whether it does */
    gt_place parameter; /* of the first function or C++ template with a parameter of that name */
    gt_place global;    /* of the first declaration of that name outside of functions and classes */
    gt_place tested;    /* of the first directive that takes it for a macro */
} gt_name_use;

typedef struct gt_name_uses {
    gt_name_use names[GT_NAMES_MAX]; /* as gt_name_at() has them */
    uint64_t declared_defines;       /* bit i: the text declares a name like define() i */
} gt_name_uses;

/* Reads a text whose #line marks say where its lines come from. The paths of the places in *out
 * point into the template. The template's clauses must have been read. ENOMEM. */
gputune_status gt_name_uses_find(gt_name_uses *out, const gt_template *template, const char *text);
/* Returns whether gputune gives the token its value: it is the name of a tunable or of a
 * compile-time problem value, or the macro of one of their words (NAME_word). */
bool gt_name_is_chosen(const gt_template *template, const gt_token *token);
/* Returns the names whose values kernels get as arguments, bit i for gt_name_at(i): in kernel<…>,
 * in a launch(), or in args(). */
uint64_t gt_names_given(const gt_template *template);
