/* Finds __global__ functions in CUDA text: where they begin and end and what they take. */
#pragma once

#include "kernel/template_parts.h"

/* One declaration or definition. Offsets into the text. */
typedef struct gt_function {
    size_t begin;  /* of the declaration, a leading `extern "C"`, static or template included */
    size_t global; /* of `__global__` */
    size_t name, parameters, parameters_end;  /* between the parentheses */
    size_t end;                               /* behind `;` or `}` */
    bool is_template;                         /* template <class T, …>: neither of the next two */
    bool is_specialisation, is_instantiation; /* template <> …; template …<float>(…) */
    bool is_definition, is_extern_c;
    bool plain;               /* no directive inside and all brackets closed: it can be cut out */
    char scope[GT_ENTRY_MAX]; /* its named namespaces: "", "a", "a::b" */
} gt_function;

typedef struct gt_function_parameter {
    char name[GT_NAME_MAX];
    char words[GT_NAME_MAX]; /* its type, as far as it is names */
    bool pointer, has_type;
    bool has_default;
    bool is_const;      /* what it points to is not written */
    bool is_overlong;   /* its type or its name has too many characters */
    bool is_unusual;    /* neither a value nor a plain pointer: TYPE **, TYPE (*)[…] */
    gt_element element; /* where its type is a known one */
} gt_function_parameter;

/* The next __global__ function `name` (with as many of its namespaces as are written) whose
 * declaration begins at or after `from`. NULL for `name`: the next definition of any. */
bool gt_function_find(gt_function *out, const char *text, const char *name, size_t from);
/* The template's parameters that an instance must have arguments for, of a function that is a
 * template: how many, and in `name` the one at `index` as it is written ("int ITEMS"), or "". A
 * pack, and what has a default, needs none. */
size_t gt_function_needs(char name[GT_NAME_MAX], const char *text, const gt_function *function,
                         size_t index);
/* Whether the definition declares an array of dynamic shared memory outside of every #if. */
bool gt_function_has_dynamic_shared(const char *text, const gt_function *function);
/* Whether the definition adds the parameter to something, or indexes by it: then it is an offset.
 */
bool gt_function_adds(const char *text, const gt_function *function, const char *parameter);
enum { GT_BLOCKS_TEXT = GT_BLOCK_MAX * (GT_NAME_MAX + 16) };

/* The parameters of a function; leading GPUTUNE_PARAM(block) are no parameters, and what `blocks`
 * then says: "GPUTUNE_PARAM(a) GPUTUNE_PARAM(b)", or "". At most `most` are written; *count says
 * how many there are. false: directives or brackets make it unreadable. */
bool gt_function_parameters(gt_function_parameter *out, size_t most, size_t *count,
                            char blocks[GT_BLOCKS_TEXT], const char *text,
                            const gt_function *function);
