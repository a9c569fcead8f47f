/* Finds __global__ functions, their parameters and positions, and constants in CUDA code. */
#pragma once

#include "base/array.h"
#include "base/launch.h"
#include "kernel/text/declarations.h"
#include "kernel/text/types.h"

/* A declaration or definition of a function. Positions are byte offsets in the text. */
typedef struct gt_function {
    size_t begin; /* start of the whole declaration, including `extern "C"`, static or template */
    /* positions of the name, of the parameter list, and of the ')' after it */
    size_t name, parameters, parameters_end;
    size_t end;             /* position after the `;` or `}` */
    bool is_template;       /* true for template <class T, …> */
    bool is_specialisation; /* true for template <> … */
    bool is_definition, is_extern_c;
    bool plain; /* true if the function can be removed, because no #if splits its brackets */
    char scope[GT_ENTRY_MAX]; /* names of the enclosing namespaces: "", "a", "a::b" */
} gt_function;

typedef struct gt_function_parameter {
    char name[GT_NAME_MAX];
    char words[GT_NAME_MAX]; /* words of the parameter's type, without qualifiers and namespaces */
    bool pointer, has_type;
    bool has_default;
    bool is_const;      /* true for a pointer to const */
    bool is_overlong;   /* true if the type or the name was too long to be stored */
    bool is_unusual;    /* true if the type is neither `TYPE` nor `TYPE *` */
    gt_element element; /* type of the elements, if has_type is true */
} gt_function_parameter;

typedef GT_ARRAY(gt_function) gt_function_list;

/* Writes the namespaces that contain the word at index `at` to `scope`: "", "a", "a::b". */
void gt_scope_find(char scope[GT_ENTRY_MAX], const gt_word *words, size_t at);

/* Finds the declarations and definitions of the given __global__ functions, in the order of the
 * text. Names may omit outer namespaces. gt_array_free() frees the list. May return ENOMEM. */
gputune_status gt_functions_find(gt_function_list *out, const char *text, const char *const *names,
                                 size_t count);
/* Returns true if the function has this name. The name may omit outer namespaces. */
bool gt_function_is(const gt_function *function, const char *text, const char *name);
/* Returns the number of template parameters that have no default, and writes the name of the one at
 * `index` to `name`. */
size_t gt_function_needs(char name[GT_NAME_MAX], const char *text, const gt_function *function,
                         size_t index);
/* Returns a lexer for the text after the parameters. Its positions must not be used in messages. */
gt_lexer gt_function_body(const char *text, const gt_function *function);
/* Returns true if the definition declares dynamic shared memory outside of any #if. */
bool gt_function_has_dynamic_shared(const char *text, const gt_function *function);
/* Returns true if the definition adds the parameter to another value or uses it as an index. */
bool gt_function_adds(const char *text, const gt_function *function, const char *parameter);
typedef struct gt_signature {
    gt_function_parameter items[GT_PARAMETER_MAX];
    size_t count; /* number of parameters; only the first GT_PARAMETER_MAX are stored */
    char blocks[GT_BLOCK_MAX][GT_NAME_MAX]; /* names of the blocks in GPUTUNE_PARAM(block) */
    bool has_comma[GT_BLOCK_MAX];           /* true if a comma follows GPUTUNE_PARAM(block) */
    uint32_t block_count;
} gt_signature;

/* Reads the parameters. Returns false if one is a pack, or if an #if splits the brackets. */
bool gt_function_signature(gt_signature *out, const char *text, const gt_function *function);

/* Finds a constant that is defined outside of functions, as `#define NAME value`, a const or
 * constexpr variable, or an enumerator. Its value is the expression at lexer *value, plus *above,
 * which is needed for enumerators without a value. Returns false if there is no such constant, or
 * if it is defined with different values. */
bool gt_code_constant(gt_lexer *value, int64_t *above, const gt_declarations *code,
                      const char *name);
