/* What is found out about a kernel on the way to a first template. For this room only. */
#pragma once

#include "draft/call.h"
#include "draft/lines.h"
#include "draft/program.h"
#include "draft/sum.h"
#include "kernel/branches.h"
#include "kernel/functions.h"
#include "kernel/reader.h"

#include "base/array.h"
#include "base/text.h"

typedef enum gt_draft_kind {
    GT_DRAFT_BUILTIN,   /* threadIdx.x and the like */
    GT_DRAFT_PARAMETER, /* a scalar of the kernel's */
    GT_DRAFT_CONSTANT,  /* a macro, a constexpr, a template's parameter, or a name that is defined
                           nowhere */
    GT_DRAFT_LOCAL,
    GT_DRAFT_LOADED, /* an element of a buffer */
    GT_DRAFT_SIZE    /* a problem size that the kernel does not name */
} gt_draft_kind;

/* The first symbols; .x, .y and .z of each. */
enum {
    GT_DRAFT_THREAD = 0,
    GT_DRAFT_BLOCK_INDEX = 3,
    GT_DRAFT_BLOCK_DIM = 6,
    GT_DRAFT_GRID_DIM = 9,
    GT_DRAFT_BUILTINS = 12,
    GT_DRAFT_SYMBOLS_MAX = 2048,
    GT_DRAFT_COMPARED = 16,
    GT_DRAFT_STRIDED_GRID = 256 /* blocks, where results depend on how many there are */
};

typedef struct gt_draft_symbol {
    char name[GT_NAME_MAX];
    gt_draft_kind kind;
    bool is_integer;   /* of a parameter: it may be a size */
    bool is_stepped;   /* of a local: changed after its definition */
    bool is_drawn;     /* of a local: an atomic function's result */
    gt_sum definition; /* of a local; not known: none */
    gt_sum step;       /* what a loop adds to it; not known: something else */
    uint32_t buffer;   /* of what is loaded: which */
    double value;      /* in the problem that stands for all others; 0: not known */
    bool is_size;      /* becomes a problem value */
} gt_draft_symbol;

/* `left` is below `bound`, as a comparison says. */
typedef struct gt_draft_guard {
    gt_sum left, bound;
    bool is_exit; /* by `if (left >= bound) return`: counts less than another */
} gt_draft_guard;

/* p[index] of a buffer. */
typedef struct gt_draft_access {
    uint32_t buffer;
    gt_sum index; /* on locals and builtins */
    gt_sum size;  /* the elements that the buffer needs for it */
} gt_draft_access;

/* A pointer among the kernel's parameters. */
typedef struct gt_draft_buffer {
    uint32_t parameter;
    bool is_read, is_written, is_passed_on, is_moved;
    bool is_unordered; /* an atomic function says which elements are written */
    uint32_t texture;  /* the parameter is its texture object, of so many dimensions; 0: none */
    int indexed;       /* the buffer that its elements index, or -1 */
    uint16_t total;    /* the size that its elements are bounds of; 0: none */
    bool is_prefix;    /* a loop goes from one of its elements to the next */
    int bounded;       /* the buffer of that size, or -1 */
    gt_sum factor;     /* of an element in the index, or in the size; */
    gt_sum rest;       /* and the largest that is added; not known: not told */
    gt_sum length;     /* elements; not known: nothing says it */
} gt_draft_buffer;

/* A local pointer into a buffer. */
typedef struct gt_draft_alias {
    char name[GT_NAME_MAX];
    uint32_t buffer;
    gt_sum offset;
    double scale; /* buffer elements in one of its own */
} gt_draft_alias;

/* A __shared__ array. */
typedef struct gt_draft_shared {
    char name[GT_NAME_MAX], type[GT_NAME_MAX];
    bool is_dynamic;
    uint32_t count;
    gt_sum extents[3];
    gt_sum length; /* elements of a dynamic one; not known: nothing says it */
} gt_draft_shared;

/* A value that the text gives a name to. */
typedef struct gt_draft_constant {
    char name[GT_NAME_MAX];
    double value;
    bool has_value;
    char type[GT_NAME_MAX]; /* of a template's parameter: the launch's; "": not known */
    bool is_template_parameter, is_type, is_bool;
    bool is_macro;
    bool is_undefined;         /* the text has no value for it: a tuner gives it one */
    bool is_enumerator;        /* a number, which no macro takes the place of */
    int first_line, last_line; /* of the definition; 0: a template's parameter */
} gt_draft_constant;

/* One dimension of the launch. */
typedef struct gt_draft_dimension {
    bool has_threads, has_blocks, has_grid;
    bool is_strided;   /* a loop takes the rest, by steps of the whole grid */
    gt_sum size, step; /* elements, and how many of them a block has */
    gt_sum fixed;      /* the block where the code says it: a number or a constant */
    uint16_t walker;   /* the local that walks a tile by steps of `fixed`; 0: none */
    double limit;      /* of the block; 0: none */
    bool is_guessed;   /* no comparison says the size */
} gt_draft_dimension;

/* Different numbers, from the least. */
typedef struct gt_values {
    int64_t list[GT_DRAFT_COMPARED];
    size_t count;
} gt_values;

/* A name that a tuner gives values to, or that an #if compares with numbers. */
typedef struct gt_draft_comparison {
    char name[GT_NAME_MAX];
    gt_values values; /* none: the text defines it */
    bool is_told;     /* by a tuner: all that it takes */
} gt_draft_comparison;

typedef GT_ARRAY(gt_draft_comparison) gt_draft_compared;

typedef struct gt_draft {
    const char *path, *text; /* without the pragmas, with what it includes, without what #if leave
                                out */
    const char *whole;       /* with that too */
    const gt_draft_compared *compared; /* NULL: nothing is */
    gt_program *program;
    const gt_lines *lines;
    gt_function function;
    gt_span body;
    gt_function_parameter parameters[GT_PARAMETER_MAX];
    size_t parameter_count;
    char blocks[GT_BLOCKS_TEXT]; /* as gt_function_parameters() has them */
    char axes[3][GT_NAME_MAX];   /* what expressions call a block's dimensions */
    gt_call call;                /* what the program launches it with, */
    bool is_called;              /* if it does */
    GT_ARRAY(gt_draft_symbol) symbols;
    GT_ARRAY(gt_draft_guard) guards;
    GT_ARRAY(gt_draft_access) accesses;
    GT_ARRAY(gt_draft_alias) aliases;
    GT_ARRAY(gt_draft_shared) shared;
    GT_ARRAY(gt_draft_constant) constants;
    gt_draft_buffer buffers[GT_PARAMETER_MAX];
    uint32_t buffer_count;
    gt_draft_dimension dimensions[3];
    gt_sum thread_bound; /* of __launch_bounds__ */
    double thread_limit; /* what it comes to; 0: none, or it moves with an axis */
    bool is_cooperative;
    bool is_opaque; /* the body itself names neither thread nor block: what it calls does */
    bool is_pinned; /* results depend on the block: it must stay one */
    int depth;      /* of the expression that is being read */
    bool failed;    /* out of memory */
} gt_draft;

/* ---- args.c ---- */

/* How the kernel reads the elements of a texture object, as one of them the parameter then is: 1 by
 * tex1Dfetch(), more by the others, in the order of a table. 0: it is no such object. */
uint32_t gt_draft_read_texture(gt_draft *draft, gt_function_parameter *parameter);

/* ---- constants.c ---- */

/* Notes what #define, const, constexpr and the kernel's template<> give a name to. */
void gt_draft_read_constants(gt_draft *draft);
/* What a program's conditions take a name for that it does not define; `user`: its
 * gt_draft_compared. One that it compares with numbers is a tuner's, and has the least of them. */
gt_meaning gt_draft_meaning(const void *user, const gt_token *name, int64_t *value);
/* Reads the names that the conditions of the text compare with numbers, and that it does not
 * define. ENOMEM. */
gputune_status gt_draft_read_compared(gt_draft_compared *out, const char *text);
/* Reads what another file, a tuner's script, has as `"NAME", {1, 2, 4}` or `"NAME"] = [1, 2, 4]`,
 * of the names in `text`. ENOMEM. */
gputune_status gt_draft_read_told(gt_draft_compared *out, const char *script, const char *text);
/* What is known of the name, or NULL. */
const gt_draft_comparison *gt_draft_compared_with(const gt_draft_compared *compared,
                                                  const gt_token *name);
void gt_values_add(gt_values *values, int64_t number);
/* Notes the names in the kernel that nothing defines. One that is called like a block's dimension
 * (block_size_x) is that dimension. */
void gt_draft_read_undefined(gt_draft *draft);
/* Whether it stands in an #ifndef of its own already. */
bool gt_draft_is_guarded(const gt_draft *draft, const gt_draft_constant *constant);
/* The constant of that name, or NULL. */
gt_draft_constant *gt_draft_constant_of(const gt_draft *draft, const char *name);

/* ---- expression.c ---- */

/* The symbol of that name, the last that was declared; -1: none. */
int gt_draft_find_symbol(const gt_draft *draft, const char *name);
/* The parameter of that name; as many as there are: none. */
uint32_t gt_draft_parameter_of(const gt_draft *draft, const char *name);
/* Whether a symbol or a parameter has the name. */
bool gt_draft_is_taken(const gt_draft *draft, const char *name);
/* A new symbol; its number, or 0 where there is no room. */
uint16_t gt_draft_add_symbol(gt_draft *draft, const char *name, gt_draft_kind kind);
/* The buffer or alias that the token names: *alias is NULL for a parameter. -1: none. */
int gt_draft_find_buffer(const gt_draft *draft, size_t at, const gt_draft_alias **alias);
/* The buffer that is that parameter; -1: none. */
int gt_draft_buffer_of(const gt_draft *draft, uint32_t parameter);
/* Reads an expression without comparisons as far as it goes. */
gt_sum gt_draft_read_sum(gt_draft *draft, gt_span *span);
/* Moves behind the bracket that closes the first one; at most to the end. */
void gt_draft_skip_brackets(const gt_draft *draft, gt_span *span);

const gt_draft_symbol *gt_draft_symbol_at(const gt_draft *draft, uint16_t symbol);
/* The first symbol of that kind in the sum; -1: none. */
int gt_draft_first_of(const gt_draft *draft, const gt_sum *sum, gt_draft_kind kind);
/* Whether it has locals or indices of threads: what takes many values within a launch. */
bool gt_draft_varies(const gt_draft *draft, const gt_sum *sum);
/* The local that the sum is, if a loop changes it; or NULL. */
const gt_draft_symbol *gt_draft_loop(const gt_draft *draft, const gt_sum *sum);
/* Which guards are asked first: 0, those that name a size, 1, those that leave the kernel, 2,
 * numbers. */
int gt_draft_rank(const gt_draft_guard *guard);
/* With locals replaced by their definitions, also those that a loop changes where `loops`. */
gt_sum gt_draft_expand(const gt_draft *draft, gt_sum sum, bool loops);
/* The largest value that the guards so far leave, on parameters, constants and the launch. */
gt_sum gt_draft_maximum(gt_draft *draft, gt_sum sum);

/* ---- body.c ---- */

/* Reads the kernel's body: definitions, comparisons, accesses. EUNSUPPORTED as in draft.h. */
gputune_status gt_draft_read_body(gt_draft *draft);

/* ---- settle.c ---- */

/* Where a loop adds a part of the step, as in `y + j` with `j += 8`, that part is taken as the
 * block of dimension d; false: the index has no such loop. */
bool gt_draft_fix_by_loop(gt_draft *draft, uint16_t d, const gt_sum *index);
/* Whether the code moves a pointer that it was given. */
bool gt_draft_has_moved(const gt_draft *draft);
/* Settles the launch and the buffers' lengths, once the body is read. */
void gt_draft_settle(gt_draft *draft);
/* Splits `size / by`, as a bound may be; false: it is no quotient of a size. */
bool gt_draft_quotient(const gt_draft *draft, const gt_sum *sum, gt_sum *size, gt_sum *by);
/* A value for what sums and sizes come to, where all constants and sizes have theirs. */
double gt_draft_evaluate(const gt_draft *draft, const gt_sum *sum);
/* Chooses one block and one grid. */
void gt_draft_pin(gt_draft *draft);
/* The name in small letters. */
void gt_draft_lower(char out[GT_NAME_MAX], const char *name);
/* The constant's name that is the block in dimension d, and so an axis; NULL: none is. */
const char *gt_draft_fixed_name(const gt_draft *draft, uint16_t d);
bool gt_draft_is_block(const gt_draft *draft, const char *name);

/* ---- draft.c ---- */

/* Whether a header defines the constant, where nothing can be put around it. */
bool gt_draft_is_foreign(const gt_draft *draft, const gt_draft_constant *constant);
/* The place of an offset of the text, for messages. */
gt_place gt_draft_place(const gt_draft *draft, size_t offset);
/* Reads the kernel `draft->function` of `draft->text`, and settles the rest. */
gputune_status gt_draft_read(gt_draft *draft);
void gt_draft_free(gt_draft *draft);

/* ---- text.c ---- */

/* Whether the name is a token of the text, or of the kernel. */
bool gt_draft_occurs(const char *text, size_t length, const char *name);
bool gt_draft_in_kernel(const gt_draft *draft, const char *name);

/* ---- write.c ---- */

void gt_draft_function_name(char out[GT_NAME_MAX], const gt_draft *draft,
                            const gt_function *function);
/* Whether the kernel's name says that it is another one's reference. */
bool gt_draft_is_reference(const gt_draft *draft);

/* Appends the clauses whose words are not among `present`. */
void gt_draft_write(gt_text *out, gt_draft *draft, const gt_reader *present);
