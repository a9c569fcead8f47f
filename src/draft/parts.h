/* A draft: what is found out about a kernel in order to write its first template. For src/draft
 * only. */
#pragma once

#include "draft/lines.h"
#include "draft/program.h"
#include "draft/sum.h"
#include "kernel/branches.h"
#include "kernel/functions.h"
#include "kernel/reader.h"

#include "base/array.h"
#include "base/text.h"

/* Bits: functions take several kinds at once. */
typedef enum gt_draft_kind {
    GT_DRAFT_INDEX = 1,     /* threadIdx.x, blockIdx.x and the like */
    GT_DRAFT_EXTENT = 2,    /* blockDim.x, gridDim.x and the like */
    GT_DRAFT_PARAMETER = 4, /* a scalar parameter of the kernel */
    GT_DRAFT_CONSTANT = 8,  /* a macro, a constexpr, a template's parameter, or a name that is
                               defined nowhere */
    GT_DRAFT_LOCAL = 16,    /* a local variable */
    GT_DRAFT_LOADED = 32,   /* an element of a buffer */
    GT_DRAFT_SIZE = 64,     /* a problem size that the kernel does not name */
    GT_DRAFT_VARYING = GT_DRAFT_INDEX | GT_DRAFT_LOCAL /* many values within one launch */
} gt_draft_kind;

/* The first GT_DRAFT_BUILTINS entries of gt_draft.symbols are the builtins, .x, .y and .z of each.
 */
enum {
    GT_DRAFT_THREAD = 0,
    GT_DRAFT_BLOCK_INDEX = 3,
    GT_DRAFT_BLOCK_DIM = 6,
    GT_DRAFT_GRID_DIM = 9,
    GT_DRAFT_BUILTINS = 12,
    GT_DRAFT_SYMBOLS_MAX = 2048,
    GT_DRAFT_COMPARED = 16,     /* numbers in gt_values */
    GT_DRAFT_STRIDED_GRID = 256 /* blocks of a kernel whose results depend on their number */
};

typedef struct gt_draft_argument gt_draft_argument;

typedef struct gt_draft_symbol {
    char name[GT_NAME_MAX];
    gt_draft_kind kind;
    bool is_integer;   /* PARAMETER: it may be a problem size */
    bool is_stepped;   /* LOCAL: the code changes it after its definition */
    bool is_drawn;     /* LOCAL: it holds an atomic function's result */
    gt_sum definition; /* LOCAL: its first value; not known: there is none */
    gt_sum step;       /* LOCAL: what a loop adds to it in each turn; not known: no such sum */
    gt_draft_argument *buffer; /* LOADED: the element is from it */
} gt_draft_symbol;

/* A comparison of the code that guarantees `left` < `bound` behind it. */
typedef struct gt_draft_guard {
    gt_sum left, bound;
    size_t end;   /* the token behind the statement that it guards; 0: it holds to the end */
    bool is_exit; /* from `if (left >= bound) return`; gt_draft_rank() puts it behind others */
} gt_draft_guard;

/* One access p[index] to an element of a buffer. */
typedef struct gt_draft_access {
    gt_draft_argument *buffer;
    gt_sum index; /* in terms of locals and builtins */
    gt_sum size;  /* how many elements the buffer needs for this access */
} gt_draft_access;

/* A parameter of the kernel, or a pointer in a struct among these. A pointer is a buffer; a text is
 * "" where the program does not say it, or launches no kernel. */
struct gt_draft_argument {
    gt_function_parameter declared;
    bool is_struct; /* a struct of this program, by value */
    /* what the program gives to it */
    const char *allocated; /* a buffer's length in elements */
    const char *fill;      /* what the host writes into a buffer of integers */
    const char *value;     /* a scalar's; "": the scalar is named like a problem size, too */
    const char *enclosed;  /* `value` as an operand: in brackets where it needs them */
    const char *unknown;   /* what the program was searched for in vain, for a comment */
    bool is_size;          /* the scalar is a problem size */
    /* a buffer */
    gt_draft_argument *holder; /* the argument whose struct has the pointer; NULL: it is in none */
    bool is_read, is_written, is_passed_on, is_moved;
    bool is_divisor;   /* something is divided by its elements */
    bool is_unordered; /* which elements are written, or what, depends on an atomic's result */
    double lanes;      /* elements in the widest vectors that it is read or written as */
    uint32_t texture;  /* the result of gt_draft_read_texture() for the parameter */
    gt_draft_argument *indexed; /* this buffer's elements are indices into it; NULL: into none */
    int total;      /* the symbol of the size that this buffer's elements bound; 0: none */
    bool is_prefix; /* a loop runs from one element's value to the next element's */
    gt_draft_argument *bounded; /* the buffer whose length is `total`; NULL: none */
    gt_sum factor; /* index into `indexed`, or length of `bounded`: factor * element + rest */
    gt_sum rest;   /* the largest `rest` in this formula; not known: the code does not tell */
    gt_sum length; /* in elements; not known: nothing states it */
};

/* A member that is no pointer, of a struct that the kernel takes by value. */
typedef struct gt_draft_member {
    const gt_draft_argument *holder;
    char name[GT_NAME_MAX];
    bool is_float, has_default; /* has_default: the struct's code gives a value */
    const char *value;          /* what the program sets it to; "": not known */
} gt_draft_member;

/* A local pointer into a buffer. */
typedef struct gt_draft_alias {
    char name[GT_NAME_MAX];
    gt_draft_argument *buffer;
    gt_sum offset;
    double scale; /* buffer elements in one element of the pointer's type */
} gt_draft_alias;

/* A __shared__ array. */
typedef struct gt_draft_shared {
    char name[GT_NAME_MAX], type[GT_NAME_MAX];
    bool is_dynamic;
    uint32_t count;
    gt_sum extents[3];
    gt_sum length; /* of a dynamic array, in elements; not known: nothing states it */
} gt_draft_shared;

/* A named constant of the text. */
typedef struct gt_draft_constant {
    char name[GT_NAME_MAX];
    double value;
    bool has_value;
    char type[GT_NAME_MAX]; /* the type that a launch gives for a template's parameter; "": not
                               known */
    bool is_template_parameter, is_type;
    bool is_undefined;  /* the text does not define it: a tuner gives it a value */
    bool is_enumerator; /* no macro can replace it */
    bool is_items;      /* so many elements has each thread: it is an axis */
    int line;           /* of the definition; 0: a template's parameter */
} gt_draft_constant;

/* One dimension of the launch. */
typedef struct gt_draft_dimension {
    bool has_threads, has_blocks, has_grid;
    bool is_strided;   /* a loop covers what lies beyond the grid, by steps of the whole grid */
    gt_sum size, step; /* elements in all, and elements for each block */
    gt_sum fixed;      /* the block, if the code fixes it: a number or a constant */
    int walker;        /* the local that walks a tile by steps of `fixed`; 0: none */
    double limit;      /* the largest block; 0: no limit */
    bool is_guessed;   /* no comparison states `size` */
    bool is_unbounded; /* `size` is what a comparison states, but does not bound all indices */
} gt_draft_dimension;

/* Different numbers in rising order. */
typedef struct gt_values {
    int64_t list[GT_DRAFT_COMPARED];
    size_t count;
} gt_values;

/* A name that a tuner gives values to, or that an #if compares with numbers. */
typedef struct gt_draft_comparison {
    char name[GT_NAME_MAX];
    gt_values values; /* empty: the text defines the name */
    bool is_told;     /* `values` come from a tuner's script, and are complete */
} gt_draft_comparison;

typedef GT_ARRAY(gt_draft_comparison) gt_draft_compared;

/* How the program launches the kernel. A text is empty where the program does not state the value,
 * or launches no kernel. */
typedef struct gt_call {
    gt_text sizes; /* problem() clauses, each with a comment on what is not known about the size */
    const char *block[3], *grid[3], *shared;
    uint32_t grid_dimensions;
    const char *extent[3]; /* elements that the grid and its blocks cover in one dimension */
    int64_t threads[3];    /* the block that the program launches, in threads; 0: not known */
    gt_texts divided;      /* conditions, such as that something divides without a remainder */
    const char *work;      /* bytes that one launch moves, if it moves every argument once */
} gt_call;

typedef struct gt_draft {
    const char *path, *text; /* the joined text: without pragmas, with the included files, and
                                without the lines that #if leave out */
    const char *whole;       /* the same with the lines that #if leave out */
    const gt_draft_compared *compared;
    const gt_reader *present; /* the clauses that the text has already */
    gt_text *out;             /* where clauses are written */
    gt_program *program;
    const gt_lines *lines;
    bool lacks_header; /* one that is not known as the host's was not found */
    gt_function function;
    char name[GT_NAME_MAX]; /* the kernel's, without its namespaces, */
    const char *full_name;  /* and with them */
    gt_span body;
    gt_draft_argument arguments[GT_PARAMETER_MAX];
    uint32_t argument_count;
    char blocks[GT_BLOCK_MAX][GT_NAME_MAX]; /* as in gt_signature */
    uint32_t block_count;
    char axes[3][GT_NAME_MAX]; /* the names of the block's dimensions in expressions */
    gt_call call;              /* how the program launches the kernel, */
    bool is_called;            /* if it has a launch */
    GT_ARRAY(gt_draft_symbol) symbols;
    GT_ARRAY(gt_draft_guard) guards;
    size_t at; /* the token of the body that is being read; 0: none, and all guards hold */
    GT_ARRAY(gt_draft_access) accesses;
    GT_ARRAY(gt_draft_alias) aliases;
    GT_ARRAY(gt_draft_shared) shared;
    GT_ARRAY(gt_draft_constant) constants;
    GT_ARRAY(gt_draft_member) members;
    gt_draft_dimension dimensions[3];
    gt_sum thread_bound; /* the threads of __launch_bounds__ */
    double thread_limit; /* the number that thread_bound is; 0: none, or it depends on an axis */
    bool is_cooperative;
    bool is_read;   /* the body is read: sizes are larger than what is in shared memory */
    bool is_opaque; /* the body uses neither thread nor block indices; functions it calls do */
    bool is_pinned; /* results depend on the block, which therefore keeps one value */
    const gt_bound *bound; /* the macro's call whose text is being read in its place */
    int depth;             /* nesting of the expression that is being read */
    gt_texts kept;         /* texts that other members point to */
    bool failed;           /* memory ran out */
} gt_draft;

/* ---- args.c ---- */

/* Adds an argument, a pointer in the holder's struct unless that is NULL. */
gt_draft_argument *gt_draft_add_argument(gt_draft *draft, const gt_function_parameter *declared,
                                         gt_draft_argument *holder);
/* Gives a `void *` the type of elements that the kernel casts it to, if it does so. */
void gt_draft_read_void(const gt_draft *draft, gt_function_parameter *parameter);
/* Finds out which fetch function the kernel calls on a texture object, and gives `parameter` the
 * type of the texture's elements. Returns 1 for tex1Dfetch(), a larger number for another function
 * (its place in a table), and 0 if the parameter is no texture object. */
uint32_t gt_draft_read_texture(gt_draft *draft, gt_function_parameter *parameter);
/* The product of the sizes that the dimensions of the launch cover. */
gt_sum gt_draft_whole_problem(const gt_draft *draft);
/* "in", "out" or "inout". */
const char *gt_draft_direction(const gt_draft_argument *buffer);
/* Whether the name is a size of the problem. */
bool gt_draft_is_size(const gt_draft *draft, const char *name);
void gt_draft_write_template_parameters(gt_draft *draft);
/* Finds the elements of parameters whose types are other names of number types. */
void gt_draft_resolve_types(gt_draft *draft);
/* Adds the members of structs that the kernel takes by value: pointers to its arguments, as
 * STRUCT.NAME, others to draft->members. */
void gt_draft_add_members(gt_draft *draft);
/* Writes what stands in for parameters' types that nothing declares. */
void gt_draft_write_types(gt_draft *draft);
void gt_draft_write_args(gt_draft *draft);
/* Writes a texture() for each texture object among the kernel's parameters. */
void gt_draft_write_textures(gt_draft *draft);

/* ---- constants.c ---- */

/* Adds to draft->constants the names that #define, const, constexpr and the kernel's template<>
 * declare. */
void gt_draft_read_constants(gt_draft *draft);
/* A gt_meaning_fn for names that the program does not define; `user` is its gt_draft_compared. A
 * name that the program compares with numbers is a tuner's, and gets the least of these numbers. */
gt_meaning gt_draft_meaning(const void *user, const gt_token *name, int64_t *value);
/* Collects the names that the text's #if compare with numbers and that the text does not define.
 * ENOMEM. */
gputune_status gt_draft_read_compared(gt_draft_compared *out, const char *text);
/* Collects the values that a tuner's script, `script`, lists for names that occur in `text`:
 * `"NAME", {1, 2, 4}` or `"NAME"] = [1, 2, 4]`. ENOMEM. */
gputune_status gt_draft_read_told(gt_draft_compared *out, const char *script, const char *text);
/* The entry of the name, or NULL. */
const gt_draft_comparison *gt_draft_compared_with(const gt_draft_compared *compared,
                                                  const char *name);
void gt_values_add(gt_values *values, int64_t number);
/* Adds the numbers that come next, with commas between them; false: there are none. */
bool gt_values_read(gt_values *values, gt_lexer *lexer);
/* Adds the names in the kernel that nothing defines. A name such as block_size_x is taken for that
 * dimension of the block. */
void gt_draft_read_undefined(gt_draft *draft);
/* The constant of that name, or NULL. */
gt_draft_constant *gt_draft_constant_of(const gt_draft *draft, const char *name);

/* ---- expression.c ---- */

/* The symbol of that name that was declared last; -1: none. */
int gt_draft_find_symbol(const gt_draft *draft, const char *name);
/* The argument of that name; NULL: there is none. */
gt_draft_argument *gt_draft_argument_of(const gt_draft *draft, const char *name);
/* Whether a symbol or a parameter has the name. */
bool gt_draft_is_taken(const gt_draft *draft, const char *name);
/* Adds a symbol and returns its number; 0: there is no room. */
int gt_draft_add_symbol(gt_draft *draft, const char *name, gt_draft_kind kind);
/* The constant's symbol, which is added if there is none; not known: there is no room. */
gt_sum gt_draft_constant_sum(gt_draft *draft, const char *name);
/* The first token of what ends with the name at `at`: NAME, or OTHER.NAME of a parameter that is a
 * struct with pointers. */
size_t gt_draft_operand(const gt_draft *draft, size_t at);
/* The buffer that token `at` names, itself or by an alias; *alias is NULL if the token is the
 * argument's own name. NULL: the token names no buffer. */
gt_draft_argument *gt_draft_find_buffer(const gt_draft *draft, size_t at,
                                        const gt_draft_alias **alias);
/* The next argument that is a buffer, behind `before`, or the first, if that is NULL; NULL: there
 * is none. */
gt_draft_argument *gt_draft_next_buffer(const gt_draft *draft, const gt_draft_argument *before);
/* The text, which is taken, and lasts as long as the draft; "" where memory ran out. */
const char *gt_draft_keep(gt_draft *draft, gt_text *text);
const char *gt_draft_print(gt_draft *draft, const char *format, ...) GT_PRINTF(2, 3);
/* Reads an arithmetic expression, as far as it goes, and moves the span behind it. */
gt_sum gt_draft_read_sum(gt_draft *draft, gt_span *span);
/* The same for a part of the text of a macro that takes arguments. */
gt_sum gt_draft_read_macro_sum(gt_draft *draft, gt_span *span, const gt_macro *macro,
                               gt_span arguments);
/* Moves the span, which begins with a bracket, behind the matching one; at most to its end. */
void gt_draft_skip_brackets(const gt_draft *draft, gt_span *span);

const gt_draft_symbol *gt_draft_symbol_at(const gt_draft *draft, int symbol);
/* The first symbol in the sum that is of one of the kinds; -1: none. */
int gt_draft_first_of(const gt_draft *draft, const gt_sum *sum, int kinds);
/* Whether there is one. */
bool gt_draft_has(const gt_draft *draft, const gt_sum *sum, int kinds);
/* The symbol, changed by a loop, that the sum consists of alone; NULL: the sum is something else.
 */
const gt_draft_symbol *gt_draft_loop(const gt_draft *draft, const gt_sum *sum);
/* The order in which guards are applied, lowest first: 2 for a bound that is a number, 1 for a
 * guard that leaves the kernel, 0 for any other. */
int gt_draft_rank(const gt_draft_guard *guard);
/* The sum with locals replaced by their definitions; locals that a loop changes are replaced only
 * if `loops` is set. */
gt_sum gt_draft_expand(const gt_draft *draft, gt_sum sum, bool loops);
/* The largest value of the sum that the guards read so far allow, in terms of parameters, constants
 * and the launch's dimensions. */
gt_sum gt_draft_maximum(gt_draft *draft, gt_sum sum);

/* ---- body.c ---- */

/* Reads the kernel's body: definitions, comparisons, accesses. EUNSUPPORTED as in draft.h. */
gputune_status gt_draft_read_body(gt_draft *draft);

/* ---- call.c ---- */

/* Decides draft->call: how the program launches the kernel and, where the program does not say it,
 * what the kernel's own code says. Sets draft->is_called if the program has such a launch;
 * `launches` is false where clauses say it already. Blocks that nothing fixes become axes; if a
 * buffer's length depends on the blocks, they keep the program's values. Sets draft->failed when
 * memory runs out. */
void gt_call_read(gt_draft *draft, bool launches);
/* The expression for a problem size that the kernel does not name; "": the size has its own name.
 */
const char *gt_call_extent(const gt_draft *draft, int symbol);
/* Whether the program launches the draft's kernel. */
bool gt_call_is_launched(const gt_draft *draft);

/* ---- settle.c ---- */

/* Fixes the block of dimension d by a loop in the index: in `y + j` with `j += 8` the loop's step,
 * 8, is the block. false: the index has no such loop. */
bool gt_draft_fix_by_loop(gt_draft *draft, int d, const gt_sum *index);
/* Decides the launch's dimensions and the buffers' lengths, once the body is read. */
void gt_draft_settle(gt_draft *draft);
typedef bool (*gt_draft_size_fn)(const void *user, int parameter);
/* How many loops over sizes a thread has, each counted once; `is_counted` says over which ones. */
size_t gt_draft_count_loops(const gt_draft *draft, gt_draft_size_fn is_counted, const void *user);
/* The number that the sum comes to in an example problem, for comparing sums. */
double gt_draft_evaluate(const gt_draft *draft, const gt_sum *sum);
/* The sum with numbers in place of the constants that have one and are parameters of the kernel's
 * template, or are none. */
gt_sum gt_draft_with_numbers(const gt_draft *draft, gt_sum sum, bool of_template);
/* Whether the code changes one of the pointers that are its parameters. */
bool gt_draft_has_moved(const gt_draft *draft);
/* Gives each dimension one fixed block, and thereby the launch one grid. */
void gt_draft_pin(gt_draft *draft);
/* The name of the constant that is the block in dimension d, and therefore an axis; NULL: no
 * constant is. */
const char *gt_draft_fixed_name(const gt_draft *draft, int d);
gt_draft_constant *gt_draft_fixed_constant(const gt_draft *draft, int d);
bool gt_draft_is_block(const gt_draft *draft, const char *name);

/* ---- draft.c ---- */

/* The place of an offset of the text, for messages. */
gt_place gt_draft_place(const gt_draft *draft, size_t offset);

/* ---- print.c ---- */

/* Whether the name is a token of the text; of the kernel. */
bool gt_draft_occurs(const char *text, size_t length, const char *name);
bool gt_draft_in_kernel(const gt_draft *draft, const char *name);
/* Whether the text has a clause with this word, or a clause that gives a value to this name. */
bool gt_draft_has_clause(const gt_reader *present, const char *word);
bool gt_draft_is_declared(const gt_draft *draft, const char *name);
/* The name that the template's expressions have for the symbol. */
const char *gt_draft_name_of(const gt_draft *draft, int symbol);
/* The sum as an expression of the template: `h * w + 2`; "": it is not known. */
const char *gt_draft_sum_text(gt_draft *draft, const gt_sum *sum);
/* Appends the expression in a simpler form; slot i is called names[i]. Constants are folded, and a
 * quotient that is rounded up, such as (n + B - 1) / B, becomes ceil_div(n, B). If `divided` is not
 * NULL, it gets a condition for each division that must leave no remainder. false: the expression
 * is too long, and nothing is appended. */
bool gt_expression_print(gt_text *out, gt_texts *divided, const gt_expression *expression,
                         const char *const *names);
/* Appends the numbers, separated by commas: `1, 2, 4`. */
void gt_draft_append_values(gt_text *out, const gt_values *values);

/* ---- write.c ---- */

/* Appends to draft->out the clauses whose words are not among draft->present. */
void gt_draft_write(gt_draft *draft);
/* Chooses the names of the axes that are the block's dimensions; `has_block`: the text has a
 * block() clause, which already says what they are. */
void gt_draft_name_axes(gt_draft *draft, bool has_block);
