/* Finds __global__ functions, their extent and parameters, and constants in CUDA text. */
#pragma once

#include "base/launch.h"
#include "kernel/text/types.h"

/* One declaration or definition of a function. Places are byte offsets into the text. */
typedef struct gt_function {
    size_t begin;  /* of the declaration, with a leading `extern "C"`, static or template */
    size_t global; /* of `__global__` */
    /* of the function's name, and of the text between the parentheses */
    size_t name, parameters, parameters_end;
    size_t end;                               /* behind `;` or `}` */
    bool is_template;                         /* template <class T, …>: neither of the next two */
    bool is_specialisation, is_instantiation; /* template <> …; template …<float>(…) */
    bool is_definition, is_extern_c;
    bool plain; /* the function contains no directive and closes all brackets: it can be cut out */
    char scope[GT_ENTRY_MAX]; /* the named namespaces around the function: "", "a", "a::b" */
} gt_function;

typedef struct gt_function_parameter {
    char name[GT_NAME_MAX];
    char words[GT_NAME_MAX]; /* its type: the names in it, without qualifiers and namespaces */
    bool pointer, has_type;
    bool has_default;
    bool is_const;      /* a pointer to const */
    bool is_overlong;   /* its type or its name has too many characters */
    bool is_unusual;    /* neither a value nor a plain pointer: TYPE **, TYPE (*)[…] */
    gt_element element; /* its type's element; set if has_type */
} gt_function_parameter;

/* A walk over the __global__ functions of a text. */
typedef struct gt_functions {
    const char *text;
    const char *const *names;
    size_t name_count;
    gt_lexer lexer;
    struct gt_namespaces {
        char scope[GT_ENTRY_MAX];
        size_t outside[64]; /* the scope's length outside each open brace */
        unsigned depth;
        bool opening; /* behind the word `namespace` */
        char pending[GT_ENTRY_MAX];
    } namespaces; /* that the walk is in */
} gt_functions;

/* Begins a walk over the declarations and definitions of these functions, which must outlive it; a
 * name may lack its first namespaces. Without names it is a walk over all definitions. The part of
 * the text that the walk has passed may be blanked. */
gt_functions gt_functions_of(const char *text, const char *const *names, size_t count);
/* The walk's next function; false: there is none. */
bool gt_function_next(gt_function *out, gt_functions *walk);
/* Finds the first definition of the function that is no specialisation. false: there is none. */
bool gt_function_definition(gt_function *out, const char *text, const char *name);
/* Returns how many parameters of a C++ template have no default, and the one at `index` of them. */
size_t gt_function_needs(char name[GT_NAME_MAX], const char *text, const gt_function *function,
                         size_t index);
/* Opens a lexer on the definition after the parameters; messages do not name its places. */
gt_lexer gt_function_body(const char *text, const gt_function *function);
/* Returns whether the definition has an array of dynamic shared memory outside of every #if. */
bool gt_function_has_dynamic_shared(const char *text, const gt_function *function);
/* Returns whether the definition adds the parameter to something or indexes by it. */
bool gt_function_adds(const char *text, const gt_function *function, const char *parameter);
/* The parameters of a function. */
typedef struct gt_signature {
    gt_function_parameter items[GT_PARAMETER_MAX];
    size_t count; /* more than GT_PARAMETER_MAX: the others are not among the items */
    char blocks[GT_BLOCK_MAX][GT_NAME_MAX]; /* of GPUTUNE_PARAM(block) in front of all parameters */
    bool has_comma[GT_BLOCK_MAX];           /* behind it, where the macro has its own */
    uint32_t block_count;
} gt_signature;

/* Reads the parameters. false: directives, brackets or a pack make them unreadable. */
bool gt_function_signature(gt_signature *out, const char *text, const gt_function *function);

/* Opens *value on the definition of the constant `name`: the rest of `#define NAME`, or the code
 * after the `=` of a const or constexpr variable or an enumerator, outside of functions. false:
 * there is none, or several different ones. *above is to be added to the value, for enumerators
 * without one. */
bool gt_code_constant(gt_lexer *value, int64_t *above, const char *code, const char *path,
                      const char *name);
