/* Declarations shared by the files of this room. All code runs in a worker process that makes one
 * draft and ends, so nothing is freed. */
#pragma once

#include "draft/clang.h"
#include "draft/draft.h"

#include "base/array.h"
#include "base/text.h"

/* Returns zeroed memory. Ends the process if out of memory. */
void *draft_new(size_t bytes);
/* Returns a new string, formatted like printf(). */
char *draft_format(const char *format, ...) GT_PRINTF(1, 2);
/* Returns the length of the name or number at the beginning of a text. */
size_t draft_word_length(const char *text);
/* Appends to a GT_ARRAY. Ends the process if out of memory. */
#define draft_add(array, value) draft_need_memory(gt_array_push(array, value))
void draft_need_memory(gputune_status status);

/* ---- tree.c: the program as plain structs ---------------------------------------------------- */

/* A value that the code assigned to a variable or to one of its members. */
typedef struct draft_binding {
    struct draft_decl *decl;
    const char *path;           /* "" or ".a.b" */
    struct draft_amount *value; /* NULL if the value is no longer known */
    /* `older`: previous binding of `decl`; `before`: previous binding of any variable */
    struct draft_binding *older, *before;
} draft_binding;
typedef GT_ARRAY(draft_binding *) draft_bindings;

typedef GT_ARRAY(struct draft_decl *) draft_decls;

/* A declaration that code refers to. Each declaration has one struct. */
typedef struct draft_decl {
    cx_cursor at;
    const char *name;
    struct draft_node *initialiser, *body; /* read on demand */
    bool has_body_tried;
    draft_decls parameters; /* parameters of a function */
    draft_binding *latest;  /* newest binding of a variable */
    bool in_code;           /* true for a variable that a kernel or a device function reads */
    bool busy;              /* true while the body or initialiser is being interpreted */
    bool is_called;         /* true for a host function that another host function calls */
    bool unrolls;           /* true for a kernel whose loops read the tunable UNROLL */
} draft_decl;
/* An expression or a statement. Parentheses and most conversions are left out: only conversions to
 * integers that may change the value are nodes (DRAFT_CONVERT). */
typedef struct draft_node {
    int kind, operation; /* CX_ kinds */
    cx_cursor at;
    struct draft_node **children; /* operands and parts, or the arguments of a call */
    unsigned count;
    struct draft_node *callee;
    struct draft_node *config; /* in a launch, the call of __cudaPushCallConfiguration() */
    draft_decl *decl;          /* the declaration that the node is or refers to, or NULL */
    cx_type type;              /* canonical */
} draft_node;
enum { DRAFT_CONVERT = -1 };

/* Returns the place of a cursor, for use in messages: "FILE:LINE:COLUMN". */
const char *draft_place_of(cx_cursor at);
const char *draft_string(cx_string string);
typedef GT_ARRAY(cx_cursor) draft_cursors;
draft_cursors draft_children(cx_cursor at);
draft_cursors draft_template_parameters(const draft_decl *function);
typedef struct draft_field {
    const char *name;
    cx_type type; /* canonical */
    bool is_bits; /* true for a bit-field */
} draft_field;
typedef GT_ARRAY(draft_field) draft_fields;
/* Returns the fields of a struct, or none for other types. */
draft_fields draft_fields_of(cx_type type);
/* Returns true if the values of a struct's members cannot be followed: the struct has bit-fields,
 * is or contains a union, or inherits two members with the same name. */
bool draft_is_opaque(cx_type type);
bool draft_has_child(cx_cursor at, int kind);
draft_node *draft_tree(cx_cursor at);
/* Returns the declaration at a cursor, or NULL if there is none. */
draft_decl *draft_decl_of(cx_cursor at);
/* Reads the parameters of a function and returns its body, or NULL if it is only declared. */
draft_node *draft_body_of(draft_decl *function);
draft_node *draft_initialiser_of(draft_decl *variable);
/* Returns true if clang can compute the value of an integer expression or variable. */
bool draft_is_constant(int64_t *out, cx_cursor at);
/* Returns the source text of a cursor, with single blanks. */
const char *draft_source_of(cx_cursor at);
/* Returns the name that the source uses for this expression, such as a macro or a template
 * parameter; NULL if the source is not a single name. */
const char *draft_name_at(cx_cursor at);
/* Returns true if DRAFT_ANYTHING declares the name, because no header does. */
bool draft_is_undeclared(cx_cursor at);
/* Returns true if the code belongs to the program, not to the stub. */
bool draft_is_own(cx_cursor at);

/* The file name of the stub in clang's messages. */
#define DRAFT_STUB "/gputune-stub.cuh"
/* The name of a generated file that declares the names from missing headers. */
#define DRAFT_ANYTHING "/gputune-anything.cuh"

typedef struct draft_extent {
    void *file;
    const char *path, *text; /* path and text of the whole file */
    unsigned begin, end, line, column;
} draft_extent;
typedef GT_ARRAY(draft_extent) draft_extents;
draft_extent draft_extent_of(cx_cursor at);
/* Returns the size in bytes, or 1 if it is unknown. */
int64_t draft_size_of(cx_type type);
bool draft_is_pointer(cx_type type);
bool draft_is_reference(cx_type type);
bool draft_is_float(cx_type type);
bool draft_is_integer(cx_type type);
/* Converts a number to an integer type, as C++ does. Returns false if it does not fit, and then
 * leaves a number for an unsigned type of 64 bits unchanged. */
bool draft_wrap(int64_t *number, cx_type type);
bool draft_is_array(cx_type type);
cx_type draft_pointee(cx_type type);           /* canonical */
cx_type draft_type_of(const draft_decl *decl); /* canonical */

/* ---- value.c: values of expressions ---------------------------------------------------------- */

typedef enum draft_operator {
    DRAFT_SUM, /* a number, or a sum of products */
    DRAFT_SYMBOL,
    DRAFT_QUOTIENT,
    DRAFT_REST,
    DRAFT_CEIL_DIV,
    DRAFT_MIN,
    DRAFT_MAX,
    DRAFT_COND,
    DRAFT_LESS,
    DRAFT_AT_MOST,
    DRAFT_EQUAL,
    DRAFT_UNEQUAL,
    DRAFT_BOTH,
    DRAFT_ANY,
    DRAFT_NEGATION,
    DRAFT_BITS,  /* a & b */
    DRAFT_SHIFT, /* 1 << b */
    DRAFT_REAL,  /* a / b in floating point */
    DRAFT_TEXT,  /* a floating-point number, as written in the source */
    DRAFT_POINTER,
    DRAFT_OBJECT, /* a struct or a function at `place` */
    DRAFT_UNKNOWN
} draft_operator;

typedef enum draft_symbol_kind {
    DRAFT_THREAD,
    DRAFT_BLOCK_INDEX,
    DRAFT_BLOCK_SIZE,
    DRAFT_GRID_SIZE,
    DRAFT_COUNTER,  /* a loop's counter */
    DRAFT_CHANGING, /* an unknown value */
    DRAFT_LOADED,
    DRAFT_HOST,    /* a value that the host computes: unknown, or a number that may vary */
    DRAFT_CONSTANT /* a named number */
} draft_symbol_kind;

/* A set of symbol kinds, as bits. */
#define DRAFT_KIND(kind) (1U << (kind))

typedef struct draft_symbol {
    draft_symbol_kind kind;
    const char *name;
    const char *given; /* DRAFT_HOST: the name in the program */
    int axis;          /* 0, 1 or 2 for x, y or z */
    int64_t number;    /* the value of a DRAFT_CONSTANT, and of a DRAFT_HOST with `has_number` */
    bool has_number, is_guess;
    const char *doubt; /* DRAFT_HOST: why the number may differ ("is changed by a loop"), or NULL */
    bool has_name;     /* true if the name is a macro that the draft keeps */
    struct draft_amount *definition;         /* for a buffer's range: its limit, or NULL */
    struct draft_amount *first, *step, *end; /* DRAFT_COUNTER: its first value, step and end */
    struct draft_buffer *buffer;             /* DRAFT_LOADED: an element of this buffer */
    struct draft_amount *index;
    draft_decl *decl;   /* DRAFT_HOST: the variable, or NULL for another expression */
    draft_decl *within; /* DRAFT_HOST: the function whose variables the value depends on, or NULL */
} draft_symbol;

typedef struct draft_term {
    int64_t factor;
    unsigned count;
    struct draft_amount *atoms[6]; /* sorted by draft_amount.number */
} draft_term;
enum { DRAFT_ATOMS_MOST = 6 };

/* A place: a variable or a part of it, or memory that a pointer points to. */
typedef struct draft_spot {
    draft_decl *variable;        /* NULL: memory */
    const char *path;            /* "" or ".a.b" */
    struct draft_buffer *buffer; /* memory that a pointer points to; NULL: local or unknown */
    struct draft_amount *offset; /* offset in bytes */
} draft_spot;

typedef struct draft_amount {
    draft_operator kind;
    int number;
    unsigned count;
    draft_term *terms;
    struct draft_amount *a, *b, *c;
    draft_symbol *symbol;
    struct draft_amount **parts; /* the atoms of a sum's terms, or an operation's operands */
    unsigned part_count;
    struct draft_amount *next; /* next value in the hash bucket */
    unsigned kinds;            /* kinds of all symbols in the value, as bits */
    const char *text;          /* DRAFT_TEXT: the number. DRAFT_UNKNOWN: why it is unknown */
    draft_spot place;
} draft_amount;
typedef GT_ARRAY(draft_symbol *) draft_symbols;

draft_amount *draft_number(int64_t number);
draft_amount *draft_symbol_value(draft_symbol *symbol);
draft_amount *draft_unknown(const char *why);
draft_amount *draft_make(draft_operator kind, draft_amount *a, draft_amount *b, draft_amount *c);
draft_amount *draft_plus(draft_amount *a, draft_amount *b, int64_t scale); /* a + scale * b */
draft_amount *draft_times(draft_amount *a, draft_amount *b);
draft_amount *draft_binary(int operation, draft_amount *a, draft_amount *b, bool real);
draft_amount *draft_pointer(draft_spot place);
draft_amount *draft_object(draft_spot place);
draft_amount *draft_float_text(const char *text);
/* Returns true if a sum is at least 0 whenever its symbols are at least 1, because each product
 * that it subtracts divides another one that it adds. */
bool draft_is_not_negative(const draft_amount *v);
bool draft_is_number(const draft_amount *value, int64_t *out);
/* Returns the constant term of a sum, or 0 if it has none. */
int64_t draft_constant(const draft_amount *value);
bool draft_is_known(const draft_amount *value);
/* Returns true if the value is a symbol of this kind. */
bool draft_is_symbol(const draft_amount *value, draft_symbol_kind kind);
/* Returns true if the value contains a symbol of this kind. */
bool draft_has_kind(const draft_amount *value, draft_symbol_kind kind);
bool draft_has_symbol(const draft_amount *value, const draft_symbol *symbol);
/* Returns the replacement of a symbol or operation, or NULL to replace only in its operands. */
typedef draft_amount *draft_replace_fn(void *user, draft_amount *part);
draft_amount *draft_replace(draft_amount *value, draft_replace_fn *with, void *user);
const char *draft_print_value(const draft_amount *value);
/* Computes the value from the symbols' numbers. Returns false if a symbol has no number. */
bool draft_evaluate(int64_t *out, const draft_amount *value);
/* Returns all symbols in a value; a symbol may occur several times. */
draft_symbols draft_symbols_of(const draft_amount *value);

/* A comparison that is true in a part of the code: lhs <= most. */
typedef struct draft_fact {
    draft_amount *lhs, *most;
} draft_fact;
typedef GT_ARRAY(draft_fact) draft_facts;
/* Returns an upper or a lower bound of the value. Elements of a buffer are bounded by the buffer's
 * range, a symbol that is created if needed. */
draft_amount *draft_bound(draft_amount *value, bool upper, const draft_facts *facts);

/* ---- program.c: kernels, functions and launches of the program ------------------------------- */

typedef struct draft_launched {
    draft_node *call;
    draft_decl *callee; /* the called function: an instance if the kernel is a template */
    draft_decl *kernel; /* the kernel template, or `callee` itself */
    draft_amount *grid[3], *block[3], *shared;
    draft_decls arguments; /* a variable for each parameter, with its value */
    draft_node *lambda;    /* the lambda around the launch, or NULL */
    bool is_skipped;       /* true if the launch is in a branch that the program skips */
} draft_launched;

typedef struct draft_error {
    const char *path;
    unsigned line, column;
    const char *message;
} draft_error;

typedef struct draft_program {
    const gt_draft_request *request;
    cx_cursor root;
    draft_decls kernels;
    draft_decls functions; /* functions of the host, in the order of the program */
    GT_ARRAY(draft_launched) launches;
    gt_texts launched;     /* signatures of the kernels that the host's code names */
    draft_decls constants; /* __constant__ and __device__ variables */
    draft_decls copied;    /* constants that cudaMemcpyToSymbol() sets */
    draft_decls globals;   /* variables outside of functions */
    GT_ARRAY(draft_error) errors;
    draft_extents unread; /* places in the host's code that clang does not accept */
    gt_texts missing;     /* headers that were not found */
} draft_program;

/* Parses the program, and lists kernels and host functions. ETEMPLATE if libclang cannot parse
 * it. */
gputune_status draft_program_read(draft_program *out, const gt_draft_request *request);
/* Returns the first function of an overloaded name, and other declarations unchanged. */
draft_decl *draft_overload_of(draft_decl *name);
/* Returns the template of an instance, or the function itself if it is not an instance. */
draft_decl *draft_template_of(draft_decl *function);
/* Returns the name of a function or variable with its namespaces. */
const char *draft_full_name(const draft_decl *decl);
/* Returns the full name of a function together with its type, which differs between overloads. */
const char *draft_signature(const draft_decl *function);
void draft_add_once(draft_decls *out, draft_decl *decl);
bool draft_has_text(const gt_texts *texts, const char *text);
/* Adds a text unless the list contains it. */
void draft_add_text(gt_texts *out, const char *text);

/* ---- run.c, flow.c, host.c: interpreting code ------------------------------------------------ */

typedef struct draft_access {
    draft_amount *length; /* bytes up to the end of the last element that any thread accesses */
    draft_amount *offset; /* the offset of this thread's element in bytes */
    struct draft_buffer *buffer;
    bool written;
    cx_cursor at;
} draft_access;

/* The memory that a pointer points to. The pointer is a variable or a member of a struct. */
typedef struct draft_buffer {
    const char *name; /* "x", "p.weights" */
    draft_decl *parameter;
    const char *path;     /* "" or ".weights" */
    cx_type type;         /* type of its elements */
    draft_amount *bytes;  /* the size of the program's allocation, or NULL */
    draft_amount *source; /* the pointer that the launch passes, or NULL */
    cx_type accessed_as;  /* type of the first access */
    bool is_read, is_written;
    bool is_surely_written; /* true if a write does not depend on data */
    draft_symbol *range;    /* limit of elements that serve as indices or loop ends, or NULL */
    bool is_rising;         /* true if elements ascend up to the range, as CSR row pointers do */
    bool is_nested;         /* true if elements are pointers that the code dereferences */
} draft_buffer;

/* The largest index used in an array of fixed size, and the array's last index. */
typedef struct draft_limit {
    draft_amount *length, *most;
} draft_limit;

typedef struct draft_kernel_facts {
    draft_decl *kernel;
    const draft_launched *launch; /* NULL: no launch is known */
    GT_ARRAY(draft_buffer *) buffers;
    GT_ARRAY(draft_access) accesses;
    gt_texts unread;                      /* questions about code that could not be interpreted */
    bool reads_block[3], reads_thread[3]; /* the kernel reads blockDim or threadIdx */
    bool has_shared, has_dynamic;         /* the kernel uses shared memory, dynamic shared memory */
    bool needs_positive;                  /* the kernel takes square roots or logarithms */
    bool has_loop;
    bool strides_grid;            /* the kernel has a grid-stride loop */
    draft_facts guards;           /* all comparisons in the kernel, including those in branches */
    GT_ARRAY(draft_limit) limits; /* limits of indices of arrays of fixed size */
    draft_symbols loaded;
} draft_kernel_facts;

/* The state of the interpreter. */
typedef struct draft_reader {
    draft_program *program;
    draft_kernel_facts *out; /* results for the interpreted kernel, or NULL in host code */
    draft_facts facts;       /* comparisons that are true at this statement */
    unsigned unsure;         /* number of enclosing conditions that depend on data */
    unsigned quiet;   /* above 0: not recording accesses, because the code will be run again */
    unsigned calls;   /* depth of calls */
    unsigned skipped; /* number of enclosing branches that the program skips */
    bool jumps;       /* true if the last jump was goto, break or continue */
    bool has_goto;    /* true in host code after a goto */
    unsigned steps;
    draft_spot object;    /* the place of *this */
    draft_decl *function; /* the called function that is interpreted, or NULL */
    draft_node *lambda;   /* the lambda whose body is interpreted, or NULL */
    draft_amount *returned;
    bool begins_loop;    /* true in the first part of a `for` */
    draft_binding *last; /* the newest binding */
    draft_bindings left; /* changes in branches that leave the innermost loop or function */
} draft_reader;
extern draft_reader draft_now;

/* Interprets the host's functions and records their launches. */
void draft_host_read(draft_program *program);
/* Interprets a kernel's body and the functions that it calls. */
void draft_body_read(draft_kernel_facts *out, draft_decl *kernel, const draft_launched *launch);
/* Returns the value that a launch passes for a parameter or its member, or NULL if unknown. */
draft_amount *draft_passed(const draft_launched *launch, const draft_decl *kernel,
                           const draft_decl *parameter, const char *path);
/* Returns the symbol of a host value: the variable `decl`, or the expression `text` if `decl` is
 * NULL. */
draft_amount *draft_host_symbol(draft_decl *decl, const char *text, const int64_t *number);
/* Like draft_host_symbol(), for a value that may vary. `doubt` is the reason. Returns a new symbol
 * if the variable already had the known one, because its value may have changed since. */
draft_amount *draft_doubtful(draft_decl *decl, const char *text, const int64_t *number,
                             const char *doubt);
#define DRAFT_UNDECIDED "depends on a condition that is not known"
/* Returns the symbol of a named number: a macro, a constant, or a template parameter. */
draft_amount *draft_named_number(const char *name, int64_t number);
/* Returns the value of a literal: a number, or a symbol if the source uses a name for it. */
draft_amount *draft_literal(draft_node *node, int64_t number);
/* Returns a symbol of the launch's geometry, such as DRAFT_THREAD, for an axis. */
draft_amount *draft_builtin(draft_symbol_kind kind, int axis);

bool draft_on_host(void);
/* Returns true if a function, which may be NULL, returns a reference. */
bool draft_returns_place(const draft_decl *function);
draft_amount *draft_eval(draft_node *node);
/* Evaluates an expression that the program evaluates only if the condition is true (`holds`) or
 * false. */
draft_amount *draft_eval_if(draft_node *node, const draft_amount *condition, bool holds);
/* Runs a statement. Returns true if control never reaches the statement after it. */
bool draft_run(draft_node *node);
/* Interprets the body of a lambda in host code to record its launches. The variables that the body
 * changes may vary from then on, because unknown code may call the lambda. */
void draft_run_lambda(draft_node *lambda);
/* Handles a call of a CUDA function in host code. Returns NULL for other functions. */
draft_amount *draft_host_call(draft_node *node);
/* Returns the value that stands for any expression that is not an integer or is not interpreted. */
draft_amount *draft_nothing(void);
draft_symbol *draft_new_symbol(draft_symbol_kind kind, const char *name);
draft_amount *draft_changing(const char *name);
/* Returns the value to store in a variable or its member. In host code, a number becomes a symbol
 * with that number, because it may vary. */
draft_amount *draft_named(draft_decl *decl, const char *path, draft_amount *value);
draft_amount *draft_either(const char *name, draft_amount *condition, draft_amount *a,
                           draft_amount *b);
/* Sets the value of a variable or its member. */
void draft_bind(draft_decl *decl, const char *path, draft_amount *value);
/* Like draft_bind(), but also copies the members of a struct. */
void draft_assign(draft_decl *decl, const char *path, draft_amount *value, cx_type type);
/* Records that a host variable may vary, because this function may change it. */
void draft_change_unseen(const draft_spot *spot, cx_type type, const char *function);
/* Records that a lambda mentions a variable. */
void draft_capture(const draft_decl *variable, draft_node *lambda);
/* Removes all values of a variable. */
void draft_forget(draft_decl *decl);
/* Returns the last value assigned to the variable or member as a whole, or NULL. */
draft_amount *draft_value_of(const draft_decl *decl, const char *path);
/* Returns the newest binding of a variable's part that contains the member, or NULL. */
const draft_binding *draft_outer_value(const draft_decl *decl, const char *path);
draft_amount *draft_read_variable(const draft_spot *spot, cx_type type);
/* Moves a place by a number of bytes. */
draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes);
draft_spot draft_spot_of(draft_node *node);
/* Interprets the declaration of a variable. */
void draft_declare(draft_decl *decl);
/* Records the facts that follow if the condition is true (`holds`) or false. */
void draft_assume(draft_amount *condition, bool holds);
/* Returns true if a condition depends on data. */
bool draft_is_unsure(draft_amount *condition);

/* ---- slice.c: the part of the program that a kernel needs ------------------------------------ */

/* Finds the code that the kernels need. Appends clang's errors in it to *problems. */
void draft_slice_make(gt_texts *problems, const draft_program *program, const draft_decls *kernels);
/* Adds a name that a clause mentions, so its declaration is kept. */
void draft_slice_need(const char *name);
/* Returns true if the kept code contains the name. */
bool draft_slice_has(const char *name);
/* Returns true if the code that one of the kernels needs contains the name. */
bool draft_slice_uses(const char *kernel, const char *name);
void draft_slice_write(gt_text *out);

/* ---- settle.c: the pragmas' values ----------------------------------------------------------- */

typedef struct draft_axis {
    const char *name;
    int64_t usual; /* the program's value */
    int64_t values[8];
    unsigned count;
    draft_symbol *symbol; /* host value that the axis replaces, or NULL */
} draft_axis;

typedef struct draft_settled {
    draft_kernel_facts facts;
    draft_decl *kernel, *instance;
    const draft_launched *launch; /* NULL: no launch is known */
    bool has_problems;            /* clang reports errors in kept code */
    draft_amount *grid[3], *block[3], *shared;
    draft_axis axes[8];
    unsigned axis_count;
    bool limits_registers; /* true if there is an axis MAXREG */
    /* true if threads store without a bounds check, so the size must be a multiple of the block */
    bool is_whole[3];
    draft_symbols sizes;
    gt_texts questions, guesses;
    draft_amount **lengths; /* number of elements of each buffer; may be DRAFT_UNKNOWN */
    cx_type *types;         /* element type of each buffer */
} draft_settled;

/* Determines the launch, the lengths and the axes of a kernel. */
void draft_settle(draft_settled *out, draft_program *program, draft_decl *kernel);
/* Returns the value of a parameter or its member, expressed in the names that the draft uses. */
draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path);
/* Replaces each axis in a value by the program's number, and restricts the axis to this number. */
draft_amount *draft_without_axes(draft_settled *s, draft_amount *value);
draft_amount *draft_settled_amount(draft_settled *s, draft_amount *value);
/* Returns the upper bound of a buffer's elements. */
draft_amount *draft_settled_range(draft_settled *s, const draft_buffer *buffer);
/* Returns true if the kernel reads or writes the buffer. */
bool draft_is_accessed(const draft_buffer *buffer);
/* Returns true if the symbol is a size of the problem. */
bool draft_is_size(const draft_settled *s, const draft_symbol *symbol);
/* Returns the axis with this name, or NULL if there is none. */
draft_axis *draft_axis_named(draft_settled *s, const char *name);
/* Adds a question to the draft. */
#define draft_ask(settled, ...) draft_add_text(&(settled)->questions, draft_format(__VA_ARGS__))
/* Ranks a launch: lower if the program does not take its branch, higher for each known extent. */
int draft_launch_rank(const draft_launched *launch);

/* ---- write.c --------------------------------------------------------------------------------- */

/* Writes the clauses of one kernel. EUNSUPPORTED if templates do not support a parameter. */
gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program);
/* The using-declarations that the clauses' types need. */
extern gt_texts draft_usings;
/* The #include lines that the clauses' types need. */
extern gt_texts draft_includes;
