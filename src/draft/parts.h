/* Declarations shared by the files in src/draft. All of this code runs in a worker process that
 * makes one draft and exits, so nothing is freed. */
#pragma once

#include "draft/clang.h"
#include "draft/draft.h"

#include "base/array.h"
#include "base/text.h"

/* Returns zeroed memory. Exits if there is not enough memory. */
void *draft_new(size_t bytes);
/* Formats a string like printf() and returns it. */
char *draft_format(const char *format, ...) GT_PRINTF(1, 2);
/* Returns the length of the name or number at the beginning of the text, or 0. */
size_t draft_word_length(const char *text);
/* Appends to a GT_ARRAY. Exits if there is not enough memory. */
#define draft_add(array, value) draft_need_memory(gt_array_push(array, value))
void draft_need_memory(gputune_status status);

/* ---- tree.c: the program as plain structs ---------------------------------------------------- */

/* The value that an assignment gave to a variable or to a member of it. */
typedef struct draft_binding {
    struct draft_decl *decl;
    const char *path;           /* "" or ".a.b" */
    struct draft_amount *value; /* NULL if the assigned value is not known */
    /* the previous binding of the same variable, and the previous binding of any variable */
    struct draft_binding *older, *before;
} draft_binding;
typedef GT_ARRAY(draft_binding *) draft_bindings;

typedef GT_ARRAY(struct draft_decl *) draft_decls;

/* A declaration in the program. There is only one draft_decl for each declaration. */
typedef struct draft_decl {
    cx_cursor at;
    const char *name;
    struct draft_node *initialiser, *body; /* read on demand */
    bool has_body_tried;
    draft_decls parameters; /* the parameters if this is a function */
    draft_binding *latest;  /* the last assignment to a variable */
    bool in_code;           /* true if a kernel or a device function reads this variable */
    bool busy;              /* true while the declaration's body or initialiser is interpreted */
    bool is_called;         /* true if this host function is called by another host function */
    bool is_captured;       /* true if a lambda uses this variable */
    bool is_set;            /* true if a host function changes this variable */
    bool unrolls;           /* true if this kernel has loops that use the tunable UNROLL */
} draft_decl;
/* An expression or a statement. There are no nodes for parentheses and for most conversions. A
 * conversion to an integer type that may change the value has a node of the kind DRAFT_CONVERT. */
typedef struct draft_node {
    int kind, operation; /* CX_ kinds */
    cx_cursor at;
    struct draft_node **children; /* the operands or parts; the arguments if this is a call */
    unsigned count;
    struct draft_node *callee;
    struct draft_node *config; /* the call of __cudaPushCallConfiguration() in a launch */
    draft_decl *decl;          /* the declaration that this node is or refers to, or NULL */
    cx_type type;              /* canonical */
    /* the name that stands for a number in the source, such as a macro or a template parameter */
    const char *name;
} draft_node;
enum { DRAFT_CONVERT = -1 };

/* Returns the location of a cursor as FILE:LINE:COLUMN, for use in messages. */
const char *draft_place_of(cx_cursor at);
const char *draft_string(cx_string string);
typedef GT_ARRAY(cx_cursor) draft_cursors;
draft_cursors draft_children(cx_cursor at);
draft_cursors draft_template_parameters(const draft_decl *function);
typedef struct draft_field {
    const char *name;
    cx_type type; /* canonical */
    bool is_bits;
    cx_cursor at;
} draft_field;
typedef GT_ARRAY(draft_field) draft_fields;
/* Returns the fields of a struct, including inherited ones. Other types have no fields. */
draft_fields draft_fields_of(cx_type type);
/* Returns the value in the declaration of a field or a parameter, as in int n = 1, or NULL. */
draft_node *draft_default_of(cx_cursor declared);
/* Returns true if the members of the struct cannot be tracked: it has bit-fields, it is or contains
 * a union, or it inherits two members with the same name. */
bool draft_is_opaque(cx_type type);
bool draft_has_child(cx_cursor at, int kind);
draft_node *draft_tree(cx_cursor at);
/* Returns the declaration for a cursor. Returns NULL if the cursor is not valid. */
draft_decl *draft_decl_of(cx_cursor at);
/* Returns the body of a function, or NULL if it is only declared. Also reads its parameters. */
draft_node *draft_body_of(draft_decl *function);
draft_node *draft_initialiser_of(draft_decl *variable);
/* Returns true if clang can compute the value of this integer expression or variable. */
bool draft_is_constant(int64_t *out, cx_cursor at);
/* Returns the source text of the cursor, with runs of white space replaced by single spaces. */
const char *draft_source_of(cx_cursor at);
/* Returns true if no header declares the name and the file DRAFT_ANYTHING declares it instead. */
bool draft_is_undeclared(cx_cursor at);
/* Returns true if the code is part of the program and not of DRAFT_STUB. */
bool draft_is_own(cx_cursor at);

/* The file name that clang shows for gputune's declarations of CUDA. */
#define DRAFT_STUB "/gputune-stub.cuh"
/* The name of a generated file, which declares names that only missing headers would declare. */
#define DRAFT_ANYTHING "/gputune-anything.cuh"

typedef struct draft_extent {
    void *file;
    const char *path, *text; /* path and text of the whole file */
    unsigned begin, end, line, column;
    bool is_mixed; /* true if the code begins in a macro's argument, but ends outside of it */
} draft_extent;
typedef GT_ARRAY(draft_extent) draft_extents;
draft_extent draft_extent_of(cx_cursor at);
/* Returns the size of a type in bytes, or 1 if it is unknown. */
int64_t draft_size_of(cx_type type);
bool draft_is_pointer(cx_type type);
bool draft_is_reference(cx_type type);
bool draft_is_float(cx_type type);
bool draft_is_integer(cx_type type);
/* Converts a number to an integer type, as C++ does. Returns false if the type cannot hold the
 * number. A negative number is left unchanged if the type is an unsigned 64-bit type. */
bool draft_wrap(int64_t *number, cx_type type);
bool draft_is_array(cx_type type);
cx_type draft_pointee(cx_type type);           /* canonical */
cx_type draft_type_of(const draft_decl *decl); /* canonical */

/* ---- value.c: values of expressions ---------------------------------------------------------- */

typedef enum draft_operator {
    DRAFT_SUM, /* a number or a sum of products */
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
    DRAFT_REAL,  /* a floating-point division */
    DRAFT_TEXT,  /* a floating-point number, kept as text */
    DRAFT_POINTER,
    DRAFT_OBJECT, /* a struct or a function, whose location is `place` */
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
    DRAFT_HOST,     /* a value in host code; may be unknown or differ in another run */
    DRAFT_CONSTANT, /* a named number */
    DRAFT_FRACTION  /* a floating-point division; only in draft_amount.kinds */
} draft_symbol_kind;

/* A set of symbol kinds, as bits. */
#define DRAFT_KIND(kind) (1U << (kind))
/* The kinds of symbols that differ between threads or iterations. Unlike sizes, they may be 0. */
#define DRAFT_VARYING                                                                              \
    (DRAFT_KIND(DRAFT_THREAD) | DRAFT_KIND(DRAFT_BLOCK_INDEX) | DRAFT_KIND(DRAFT_COUNTER) |        \
     DRAFT_KIND(DRAFT_CHANGING) | DRAFT_KIND(DRAFT_LOADED))

typedef struct draft_symbol {
    draft_symbol_kind kind;
    const char *name;
    const char *given; /* DRAFT_HOST: the name in the program */
    int axis;          /* the dimension: 0, 1 or 2 for x, y or z */
    int64_t number;    /* the value of a DRAFT_CONSTANT, or of a DRAFT_HOST if has_number is true */
    bool has_number, is_guess;
    const char *doubt; /* DRAFT_HOST: why the number may vary ("is changed by a loop"), or NULL */
    bool has_name;     /* true if the name is a macro that is kept in the draft */
    struct draft_amount *definition;         /* DRAFT_HOST: the limit if it is a buffer's `range` */
    struct draft_amount *first, *step, *end; /* DRAFT_COUNTER: first value, step and end */
    struct draft_buffer *buffer;             /* DRAFT_LOADED: the buffer that the element is in */
    struct draft_amount *index;
    draft_decl *decl; /* DRAFT_HOST: the variable that has this value, or NULL */
    const char *text; /* DRAFT_HOST: the member, such as ".a.b", or the source of an expression */
} draft_symbol;

typedef struct draft_term {
    int64_t factor;
    unsigned count;
    struct draft_amount *atoms[6]; /* sorted by draft_amount.number */
} draft_term;
enum { DRAFT_ATOMS_MOST = 6 };

/* A location in memory: a variable or a part of it, or memory that a pointer points to. */
typedef struct draft_spot {
    draft_decl *variable;        /* NULL: memory */
    const char *path;            /* "" or ".a.b" */
    struct draft_buffer *buffer; /* the buffer that a pointer points to; NULL if local or unknown */
    struct draft_amount *offset; /* offset in bytes */
} draft_spot;

typedef struct draft_amount {
    draft_operator kind;
    int number;
    unsigned count;
    draft_term *terms;
    struct draft_amount *a, *b, *c;
    draft_symbol *symbol;
    struct draft_amount **parts; /* the factors in a sum, or the operands of an operation */
    unsigned part_count;
    struct draft_amount *next; /* the next value with the same hash */
    unsigned seen;             /* the last call of draft_symbols_of() that has seen this value */
    unsigned round;            /* the last call of draft_replace() that has replaced this value */
    struct draft_amount *replacement; /* and its result */
    unsigned kinds;                   /* the kinds of all symbols in this value, as a bit set */
    const char *text; /* DRAFT_TEXT: the number; DRAFT_UNKNOWN: why the value is unknown */
    draft_spot place;
} draft_amount;
typedef GT_ARRAY(draft_symbol *) draft_symbols;
typedef GT_ARRAY(draft_amount *) draft_amounts;

draft_amount *draft_number(int64_t number);
draft_amount *draft_symbol_value(draft_symbol *symbol);
draft_amount *draft_unknown(const char *why);
draft_amount *draft_make(draft_operator kind, draft_amount *a, draft_amount *b, draft_amount *c);
draft_amount *draft_plus(draft_amount *a, draft_amount *b, int64_t scale); /* a + scale * b */
draft_amount *draft_times(draft_amount *a, draft_amount *b);
draft_amount *draft_binary(int operation, draft_amount *a, draft_amount *b, bool real);
/* Makes the comparison a <= b. Equal terms cancel, and subtracted terms move to the other side. b *
 * ceil_div(a, b) <= a becomes a % b == 0. */
draft_amount *draft_at_most(draft_amount *a, draft_amount *b);
draft_amount *draft_pointer(draft_spot place);
draft_amount *draft_object(draft_spot place);
draft_amount *draft_float_text(const char *text);
bool draft_is_number(const draft_amount *value, int64_t *out);
/* Returns the constant term of a sum, or 0. */
int64_t draft_constant(const draft_amount *value);
bool draft_is_known(const draft_amount *value);
bool draft_is_symbol(const draft_amount *value, draft_symbol_kind kind);
/* Returns true if a symbol of this kind occurs anywhere in the value. */
bool draft_has_kind(const draft_amount *value, draft_symbol_kind kind);
bool draft_has_symbol(const draft_amount *value, const draft_symbol *symbol);
/* Returns the replacement of a part of a value, or NULL to replace only the operands of the part.
 * May call draft_replace() only with itself as `with`. */
typedef draft_amount *draft_replace_fn(void *user, draft_amount *part);
draft_amount *draft_replace(draft_amount *value, draft_replace_fn *with, void *user);
const char *draft_print_value(const draft_amount *value);
/* Computes a value from the numbers of its symbols. Returns false if a symbol has no number. */
bool draft_evaluate(int64_t *out, const draft_amount *value);
/* Returns all symbols that occur in a value. */
draft_symbols draft_symbols_of(const draft_amount *value);

/* A fact about some part of a kernel: lhs <= most. If most is NULL, lhs is a condition, which is
 * true in host code, but may be false for some elements in kernels. */
typedef struct draft_fact {
    draft_amount *lhs, *most;
    bool is_difference; /* true if lhs is the difference of two compared values */
} draft_fact;
typedef GT_ARRAY(draft_fact) draft_facts;
/* Adds the facts that follow from the condition or, if `holds` is false, from its negation. */
void draft_facts_add(draft_facts *out, draft_amount *condition, bool holds);
/* Returns an upper or a lower bound of a value. The bound of a buffer's element is the symbol
 * `range` of the buffer, which is created when it is first needed. */
draft_amount *draft_bound(draft_amount *value, bool upper, const draft_facts *facts);

/* ---- program.c: kernels, functions and launches of the program ------------------------------- */

typedef struct draft_launched {
    draft_node *call;
    draft_decl *callee; /* the kernel that is called; the instance if the kernel is a template */
    draft_decl *kernel; /* the template of `callee`, or `callee` itself */
    draft_amount *grid[3], *block[3], *shared;
    draft_decls arguments;  /* one variable for each parameter, with the value that is passed */
    draft_facts conditions; /* conditions that are true if the program reaches the launch */
    bool in_lambda;         /* true if the launch is in the body of a lambda */
    unsigned skipped;       /* the value of draft_reader.skipped */
    bool varies;            /* true if the kernel is also launched with other values */
} draft_launched;

typedef struct draft_error {
    const char *message;
    draft_extent at;
} draft_error;

typedef struct draft_program {
    const gt_draft_request *request;
    cx_cursor root;
    draft_decls kernels;
    draft_decls functions; /* the host functions, in the order of their definitions */
    GT_ARRAY(draft_launched) launches;
    gt_texts launched;     /* signatures of the kernels that are mentioned in host code */
    draft_decls constants; /* the __constant__ and __device__ variables */
    draft_decls copied;    /* constants that are set with cudaMemcpyToSymbol() */
    draft_decls globals;   /* the global variables */
    GT_ARRAY(draft_error) errors;
    draft_extents unread; /* locations of clang's errors in the host code */
    gt_texts missing;     /* names of headers that were not found */
} draft_program;

/* Parses the program and lists its kernels and host functions. Returns ETEMPLATE if libclang cannot
 * parse the program. */
gputune_status draft_program_read(draft_program *out, const gt_draft_request *request);
/* Returns the first overload of a function, or `name` itself if there are no overloads. */
draft_decl *draft_overload_of(draft_decl *name);
/* Returns the template that a function is an instance of, or the function itself. */
draft_decl *draft_template_of(draft_decl *function);
/* Returns the name of a function or variable, qualified with its namespaces and classes. */
const char *draft_full_name(const draft_decl *decl);
/* Returns the qualified name of a function and its type, to distinguish overloads. */
const char *draft_signature(const draft_decl *function);
void draft_add_once(draft_decls *out, draft_decl *decl);
bool draft_has_text(const gt_texts *texts, const char *text);
/* Adds a text if it is not in the list yet. */
void draft_add_text(gt_texts *out, const char *text);

/* ---- run.c, object.c, flow.c, host.c: interpreting code -------------------------------------- */

typedef struct draft_access {
    draft_amount *length; /* bytes from the buffer's beginning to the end of the last element */
    draft_amount *offset; /* byte offset of the element that a thread accesses */
    draft_amount *first;  /* lower bound of the offset */
    struct draft_buffer *buffer;
    cx_type type;
    bool written;
    size_t depth; /* number of enclosing conditions that may be false for some elements */
    cx_cursor at;
} draft_access;

/* A buffer: the memory that a pointer variable, or a pointer in a struct, points to. */
typedef struct draft_buffer {
    const char *name; /* "x", "p.weights" */
    draft_decl *parameter;
    const char *path;     /* "" or ".weights" */
    cx_type type;         /* type of the elements */
    draft_amount *bytes;  /* number of bytes that the program allocates, or NULL */
    draft_amount *source; /* the pointer that is passed in the launch, or NULL */
    cx_type accessed_as;  /* type of the element in the first access */
    bool is_read, is_written, is_compared;
    bool is_surely_written; /* true if the kernel writes all elements, whatever the data are */
    draft_symbol *range;    /* limit of the elements' values, if they are indices or loop bounds */
    bool is_rising; /* true if the elements ascend to at most the range, as CSR row pointers do */
    bool is_nested; /* true if the elements are pointers that the kernel dereferences */
} draft_buffer;

typedef struct draft_kernel_facts {
    draft_decl *kernel;
    const draft_launched *launch; /* the kernel's launch; NULL if none is known */
    GT_ARRAY(draft_buffer *) buffers;
    GT_ARRAY(draft_access) accesses;
    gt_texts unread;                      /* questions about code that cannot be interpreted */
    bool reads_block[3], reads_thread[3]; /* true if the kernel reads blockDim or threadIdx */
    bool has_shared, has_dynamic;         /* has_dynamic: the size of shared memory is dynamic */
    bool needs_positive; /* true if the kernel calls functions such as log, sqrt or pow */
    bool has_loop;
    bool strides_grid;  /* true if the kernel has a grid-stride loop */
    draft_facts guards; /* all comparisons in the kernel, including those in branches */
    draft_facts limits; /* comparisons index <= last valid index, for arrays of fixed size */
    draft_symbols loaded;
} draft_kernel_facts;

/* The state of the interpreter. */
typedef struct draft_reader {
    draft_program *program;
    draft_kernel_facts *out; /* what is known about the kernel; NULL in host code */
    draft_facts facts;       /* comparisons that are true at the current statement */
    unsigned unsure;         /* number of enclosing conditions that depend on data */
    unsigned quiet;   /* above 0 if accesses are not recorded, because the code will be run again */
    unsigned calls;   /* depth of calls */
    unsigned skipped; /* 2 for each enclosing branch that the program skips; 1 for other code that
                         may not be reached with these values */
    unsigned missed;  /* number of launches that a first interpretation has skipped */
    int jump;         /* kind of the last return, goto, break or continue; 0: end of the program */
    unsigned steps;
    draft_spot object;    /* the object that `this` points to */
    draft_decl *function; /* the function whose call is being interpreted, or NULL */
    /* if the function may have returned early: the binding that was the newest then; else NULL */
    draft_binding *early;
    unsigned lambdas; /* depth of lambdas whose bodies are being interpreted */
    draft_amount *returned;
    draft_amount *returned_if; /* the condition under which the function returns `returned` */
    size_t outer_facts;        /* number of facts when the function was called */
    bool begins_loop;          /* true in the first part of a `for` statement */
    draft_binding *last;       /* the newest binding */
    draft_bindings left; /* changes in branches that leave the innermost loop or the function */
} draft_reader;
extern draft_reader draft_now;

/* Interprets the host functions and records the launches in them. */
void draft_host_read(draft_program *program);
/* Interprets the body of a kernel, including the functions that it calls. */
void draft_body_read(draft_kernel_facts *out, draft_decl *kernel, const draft_launched *launch);
/* Returns the value that a launch passes for a parameter or for a member of it, or NULL. */
draft_amount *draft_passed(const draft_launched *launch, const draft_decl *kernel,
                           const draft_decl *parameter, const char *path);
/* Returns the symbol for a host value: the value of the variable `decl` or, if `decl` is NULL, of
 * the expression `text`. */
draft_amount *draft_host_symbol(draft_decl *decl, const char *text, const int64_t *number);
/* Returns a new symbol, for a value that may differ from earlier values of the same variable or
 * expression. `doubt` is the reason why the value may vary, or NULL. */
draft_amount *draft_doubtful(draft_decl *decl, const char *text, const int64_t *number,
                             const char *doubt);
#define DRAFT_UNDECIDED "depends on a condition that is not known"
/* Returns the symbol for a number with a name: a macro, a constant, or a template parameter. */
draft_amount *draft_named_number(const char *name, int64_t number);
/* Returns a number, or a symbol if the source uses a name for the number. */
draft_amount *draft_literal(draft_node *node, int64_t number);
/* Returns the symbol for a built-in variable such as threadIdx.x (DRAFT_THREAD, axis 0). */
draft_amount *draft_builtin(draft_symbol_kind kind, int axis);

bool draft_on_host(void);
enum { DRAFT_CALLS_MOST = 24 }; /* maximum depth of calls to interpret */
/* Interprets a function's body with the arguments of a call, except the first `skipped`. */
draft_amount *draft_follow(draft_node *body, const draft_decls *parameters, draft_node *node,
                           unsigned skipped, const draft_spot *object);
draft_spot draft_new_object(const draft_node *node);
bool draft_is_same_struct(cx_type a, cx_type b);
/* Interprets the initialiser list of a constructor, as in : base(a), x(b), in the order of the
 * fields. */
void draft_initialise_members(draft_decl *constructor);
/* Returns the object that a constructor call creates. It may be a copy of another object. */
draft_amount *draft_construct(draft_node *node);
/* Returns the struct that is created by an initialiser list { a, b, c }. */
draft_amount *draft_list(draft_node *node);
/* Returns true if the function returns a reference. `function` may be NULL. */
bool draft_returns_place(const draft_decl *function);
draft_amount *draft_eval(draft_node *node);
/* Evaluates an expression that the program evaluates only if the condition has the value
 * `holds`. */
draft_amount *draft_eval_if(draft_node *node, const draft_amount *condition, bool holds);
/* Interprets a statement. Returns true if the statement after it is never reached. */
bool draft_run(draft_node *node);
/* If the called function may have returned early, marks the variables that it changed after that as
 * varying. Only bindings that are newer than `begin` belong to the call. */
void draft_doubt_return(const draft_binding *begin);
/* Interprets host code that may be executed later or not at all, such as the body of a lambda, and
 * records its launches. Variables that it changes may vary from then on; `doubt` is the reason. */
void draft_run_perhaps(const draft_node *node, const char *doubt);
/* Interprets a launch, or a call of cudaMalloc(), ceil() or a similar function, in host code.
 * Returns NULL for other calls. */
draft_amount *draft_host_call(draft_node *node);
/* Returns the unknown value of an expression that is not an integer or cannot be interpreted. */
draft_amount *draft_nothing(void);
draft_symbol *draft_new_symbol(draft_symbol_kind kind, const char *name);
draft_amount *draft_changing(const char *name);
/* Returns the value to store in a variable or a member. In host code, a number is replaced by a
 * symbol with this number, because it may be different in another run. */
draft_amount *draft_named(draft_decl *decl, const char *path, draft_amount *value);
/* Returns true if the expression itself is an assignment, ++ or --. */
bool draft_is_change(const draft_node *node);
/* Returns true if the expression or a part of it is an assignment, ++ or --. */
bool draft_has_change(const draft_node *node);
draft_amount *draft_either(const char *name, draft_amount *condition, draft_amount *a,
                           draft_amount *b);
/* Assigns a value to a variable or to a member of it. */
void draft_bind(draft_decl *decl, const char *path, draft_amount *value);
/* Like draft_bind(), but if the value is a struct, also copies its members. */
void draft_assign(draft_decl *decl, const char *path, draft_amount *value, cx_type type);
/* Marks a host variable as varying for the reason `doubt`. */
void draft_change_unseen(const draft_spot *spot, cx_type type, const char *doubt);
/* Forgets the values of a variable and of its members. */
void draft_forget(draft_decl *decl);
/* Returns the value last assigned to exactly this variable or member, or NULL. */
draft_amount *draft_value_of(const draft_decl *decl, const char *path);
/* Returns the last assignment to a member or to a struct that contains it, or NULL. */
const draft_binding *draft_outer_value(const draft_decl *decl, const char *path);
draft_amount *draft_read_variable(const draft_spot *spot, cx_type type);
/* Returns the location `bytes` further on in its buffer. Locations outside buffers do not move. */
draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes);
draft_spot draft_spot_of(draft_node *node);
void draft_declare(draft_decl *decl);
/* Records the facts that follow from the condition or, if `holds` is false, from its negation. */
void draft_assume(draft_amount *condition, bool holds);
/* Returns true if a write at this offset may skip elements because of enclosing conditions. */
bool draft_has_gaps(draft_amount *offset);
/* Returns the number of enclosing conditions that may be false for some elements. */
size_t draft_depth_of_gaps(void);
/* Returns true if the condition is unknown or depends on data. */
bool draft_is_unsure(draft_amount *condition);

/* ---- slice.c: the part of the program that a kernel needs ------------------------------------ */

/* Extracts the code that the kernels need. Appends clang's errors in this code to *problems. */
void draft_slice_make(gt_texts *problems, const draft_program *program, const draft_decls *kernels);
/* Keeps the declaration of a name that is used in a clause. */
void draft_slice_need(const char *name);
/* Returns true if the name occurs in the code that is kept. */
bool draft_slice_has(const char *name);
/* Returns true if the name occurs in the code that this kernel needs. */
bool draft_slice_uses(const char *kernel, const char *name);
void draft_slice_write(gt_text *out);

/* ---- settle.c: the pragmas' values ----------------------------------------------------------- */

typedef struct draft_axis {
    const char *name;
    int64_t usual; /* the program's value */
    int64_t values[8];
    unsigned count;
    draft_symbol *symbol; /* the host value that this axis replaces, or NULL */
} draft_axis;

typedef struct draft_settled {
    draft_kernel_facts facts;
    draft_decl *kernel, *instance;
    const draft_launched *launch; /* the kernel's launch; NULL if none is known */
    bool has_problems;            /* true if clang reports errors in the kept code */
    draft_amount *grid[3], *block[3], *shared;
    draft_axis axes[8];
    unsigned axis_count;
    bool limits_registers; /* true if there is an axis MAXREG */
    draft_symbols sizes;
    draft_amounts requirements; /* conditions on the sizes under which the launch is correct */
    gt_texts questions, guesses;
    draft_amount **lengths; /* number of elements of each buffer, which may be unknown */
    cx_type *types;         /* type of the elements of each buffer */
} draft_settled;

/* Chooses the launch, the axes and the lengths of the buffers for a kernel. */
void draft_settle(draft_settled *out, draft_program *program, draft_decl *kernel);
/* Returns the value of a parameter or of a member of it, written with the names of the draft. */
draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path);
/* Replaces each axis in a value by the program's number. The axes then have no other values. */
draft_amount *draft_without_axes(draft_settled *s, draft_amount *value);
/* Returns the limit of the values of a buffer's elements, or 100 if no limit is known. */
draft_amount *draft_settled_range(draft_settled *s, const draft_buffer *buffer);
bool draft_is_accessed(const draft_buffer *buffer);
/* Returns true if the symbol is one of the problem sizes. */
bool draft_is_size(const draft_settled *s, const draft_symbol *symbol);
/* Returns the axis with this name, or NULL. */
draft_axis *draft_axis_named(draft_settled *s, const char *name);
#define draft_ask(settled, ...) draft_add_text(&(settled)->questions, draft_format(__VA_ARGS__))
/* Returns true if the launches have the same extents and pass the same numbers. */
bool draft_is_same_launch(const draft_launched *a, const draft_launched *b);
/* Ranks a launch: lower if the program skips it, and higher for each extent that is known. */
int draft_launch_rank(const draft_launched *launch);

/* ---- write.c --------------------------------------------------------------------------------- */

/* Writes the clauses of one kernel. Returns EUNSUPPORTED if they cannot express the kernel. */
gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program);
/* The using-declarations for the types that occur in the clauses. */
extern gt_texts draft_usings;
/* The #include lines for the types that occur in the clauses. */
extern gt_texts draft_includes;
