/* Declarations that the files of this room share. All of it runs in a worker process that makes one
 * draft and ends, so nothing is freed. */
#pragma once

#include "draft/clang.h"
#include "draft/draft.h"

#include "base/array.h"
#include "base/text.h"

/* Zeroed memory; ends the process where there is none. */
void *draft_new(size_t bytes);
/* A formatted text. */
char *draft_format(const char *format, ...) GT_PRINTF(1, 2);
/* Appends to a GT_ARRAY, or ends the process. */
#define draft_add(array, value) draft_need_memory(gt_array_push(array, value))
void draft_need_memory(gputune_status status);

/* ---- tree.c: the program as plain structs ---------------------------------------------------- */

/* The value of a variable or of its member. */
typedef struct draft_slot {
    const char *path; /* "" or ".a.b" */
    struct draft_amount *value;
} draft_slot;
typedef GT_ARRAY(draft_slot) draft_slots;

typedef GT_ARRAY(struct draft_decl *) draft_decls;

/* A declaration that code refers to; one struct for each. */
typedef struct draft_decl {
    cx_cursor at;
    const char *name;
    struct draft_node *initialiser, *body; /* made on demand */
    bool has_body_tried;
    draft_decls parameters; /* of a function */
    draft_slots slots;      /* of a variable */
    size_t saved;           /* place in the journal behind its last entry */
    bool in_slice;          /* the kernel refers to it */
    bool busy;              /* its body or its initialiser is being followed */
    bool is_called;         /* a host function that others call */
} draft_decl;
/* An expression or a statement. Brackets and conversions are left out, except where a floating
 * value becomes an integer: DRAFT_TRUNCATE. */
typedef struct draft_node {
    int kind, operation; /* cx_ kinds */
    cx_cursor at;
    struct draft_node **children; /* of a call: its arguments */
    unsigned count;
    struct draft_node *callee; /* of a call */
    struct draft_node *config; /* of a launch: the call of __cudaPushCallConfiguration() */
    draft_decl *decl;          /* what it refers to, or declares; NULL: nothing */
    cx_type type;              /* canonical */
} draft_node;
enum { DRAFT_TRUNCATE = -1 };

/* A place in a file, as messages have it: "FILE:LINE:COLUMN". */
const char *draft_place_of(cx_cursor at);
/* The text of a cursor's string. */
const char *draft_string(cx_string string);
/* The children of a cursor. */
typedef GT_ARRAY(cx_cursor) draft_cursors;
draft_cursors draft_children(cx_cursor at);
draft_cursors draft_template_parameters(const draft_decl *function);
/* A field of a struct. */
typedef struct draft_field {
    const char *name;
    cx_type type; /* canonical */
} draft_field;
typedef GT_ARRAY(draft_field) draft_fields;
/* The fields of a struct; of another type none. */
draft_fields draft_fields_of(cx_type type);
bool draft_has_child(cx_cursor at, int kind);
draft_node *draft_tree(cx_cursor at);
/* The declaration at a cursor; NULL: `at` declares nothing. */
draft_decl *draft_decl_of(cx_cursor at);
/* The body of the function that is called, and its parameters; NULL: it is only declared. */
draft_node *draft_body_of(draft_decl *function);
draft_node *draft_initialiser_of(draft_decl *variable);
/* Returns true if clang knows the number that an expression, or a variable, has. */
bool draft_is_constant(int64_t *out, cx_cursor at);
/* The source's text there, with single blanks. */
const char *draft_source_of(cx_cursor at);
/* The name that the source has in the place of an expression, if it is just a name, macros and
 * template parameters among them; else NULL. */
const char *draft_name_at(cx_cursor at);
/* Returns true if a name was declared since no header does. */
bool draft_is_undeclared(cx_cursor at);
/* Returns true if the declaration is one of the program's, and not of the stub. */
bool draft_is_own(cx_cursor at);

/* The stub's name in messages of the compiler. */
#define DRAFT_STUB "/gputune-stub.cuh"
/* The file that declares names of headers that are not there. */
#define DRAFT_ANYTHING "/gputune-anything.cuh"

/* A part of a file. */
typedef struct draft_extent {
    void *file;
    const char *path, *text; /* of the whole file */
    unsigned begin, end, line, column;
} draft_extent;
draft_extent draft_extent_of(cx_cursor at);
/* The same of one place, which has no end and no text. */
draft_extent draft_locate(cx_location location);
/* The same, but of an argument of a macro what is written there, and not the whole macro. */
draft_extent draft_argument_extent(cx_cursor at);
bool draft_is_float(cx_type type);
bool draft_is_integer(cx_type type);
bool draft_is_array(cx_type type);
cx_type draft_pointee(cx_type type); /* canonical */
cx_type draft_canonical(cx_type type);
cx_type draft_type_of(const draft_decl *decl); /* canonical */

/* ---- value.c, value_bound.c, value_text.c: what expressions come to -------------------------- */

typedef enum draft_operator {
    DRAFT_SUM, /* a sum of products; numbers too */
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
    DRAFT_BITS, /* a & b */
    DRAFT_OR_BITS,
    DRAFT_SHIFT, /* 1 << b: 2 to the power of b */
    DRAFT_REAL,  /* a / b in floating point */
    DRAFT_TEXT,  /* a floating number, as written */
    DRAFT_POINTER,
    DRAFT_OBJECT, /* a struct, which is where `place` is; or a function */
    DRAFT_UNKNOWN
} draft_operator;

typedef enum draft_symbol_kind {
    DRAFT_THREAD,
    DRAFT_BLOCK_INDEX,
    DRAFT_BLOCK_SIZE,
    DRAFT_GRID_SIZE,
    DRAFT_COUNTER,  /* of a loop */
    DRAFT_CHANGING, /* not known */
    DRAFT_LOADED,   /* an element of `buffer` */
    DRAFT_HOST,     /* a value of the host that is not known, or is a number that may vary */
    DRAFT_PROPERTY, /* of the device */
    DRAFT_CONSTANT  /* a number that the code has a name for */
} draft_symbol_kind;

/* The kinds of symbols, as bits. */
#define DRAFT_KIND(kind) (1U << (kind))

typedef struct draft_symbol {
    draft_symbol_kind kind;
    const char *name;
    const char *given; /* of a host's: the name in the program */
    int axis;          /* x, y, z */
    int64_t number;    /* of a constant; of a host's, if `has_number` */
    bool has_number, is_guess;
    const char *doubt; /* of a host's: why it may have another number, as in "is changed by a
                        * loop"; NULL: it has not */
    bool has_name;     /* of a macro: it keeps its name */
    bool is_count;     /* it limits a loop in each thread */
    struct draft_amount *definition;         /* of a local one */
    struct draft_amount *first, *step, *end; /* of a counter */
    struct draft_buffer *buffer;             /* of a loaded one */
    struct draft_amount *index;
    draft_decl *decl; /* of a host's: the variable; NULL: it is another expression */
} draft_symbol;

typedef struct draft_term {
    int64_t factor;
    unsigned count;
    struct draft_amount *atoms[6]; /* rising numbers */
} draft_term;
enum { DRAFT_TERMS_MOST = 40, DRAFT_ATOMS_MOST = 6 };

/* A sum that is being added up. */
typedef struct draft_sum {
    draft_term terms[DRAFT_TERMS_MOST + 1];
    unsigned count;
} draft_sum;

/* Where something is: a variable, or a part of one; or memory behind a pointer. */
typedef struct draft_spot {
    draft_decl *variable;           /* NULL: memory */
    const char *path;               /* "" or ".a.b" */
    struct draft_buffer *buffer;    /* memory of a buffer; NULL with variable NULL: not known */
    struct draft_amount *offset;    /* in bytes */
    const struct draft_spot *other; /* or there: one of several */
} draft_spot;

typedef struct draft_amount {
    draft_operator kind;
    int number;
    unsigned count;
    draft_term *terms;
    struct draft_amount *a, *b, *c;
    draft_symbol *symbol;
    unsigned kinds;   /* of the symbols in it, as bits; 0: it is not known */
    const char *text; /* of DRAFT_TEXT; of DRAFT_UNKNOWN: why */
    draft_spot place;
} draft_amount;
typedef GT_ARRAY(draft_symbol *) draft_symbols;

draft_amount *draft_number(int64_t number);
draft_amount *draft_symbol_value(draft_symbol *symbol);
draft_amount *draft_unknown(const char *format, ...) GT_PRINTF(1, 2);
draft_amount *draft_make(draft_operator kind, draft_amount *a, draft_amount *b, draft_amount *c);
draft_amount *draft_plus(draft_amount *a, draft_amount *b, int64_t scale); /* a + scale * b */
draft_amount *draft_times(draft_amount *a, draft_amount *b);
draft_amount *draft_binary(int operation, draft_amount *a, draft_amount *b, bool real);
draft_amount *draft_pointer(draft_spot place);
draft_amount *draft_object(draft_spot place);
draft_amount *draft_float_text(const char *text);
draft_amount *draft_sum_value(const draft_sum *s);
/* Returns true if a sum is surely not negative if all that it is made of is at least 1: for each
 * product that is subtracted there is one that is a multiple of it. */
bool draft_is_not_negative(const draft_amount *v);
/* a / b if it has no rest; else NULL. */
draft_amount *draft_exact(draft_amount *a, draft_amount *b);
unsigned draft_terms_of(const draft_amount *v);
int64_t draft_apply(draft_operator kind, int64_t x, int64_t y);
bool draft_is_number(const draft_amount *value, int64_t *out);
bool draft_is_known(const draft_amount *value);
/* Returns true if a symbol of that kind is in the value, outside of definitions. */
bool draft_has_kind(const draft_amount *value, draft_symbol_kind kind);
bool draft_has_symbol(const draft_amount *value, const draft_symbol *symbol);
/* The value with each symbol replaced by what `with` gives for it (NULL: itself). */
typedef draft_amount *draft_replace_fn(void *user, draft_symbol *symbol);
draft_amount *draft_replace(draft_amount *value, draft_replace_fn *with, void *user);
const char *draft_print_value(const draft_amount *value);
/* The number that the value comes to if each symbol has its number. */
bool draft_evaluate(int64_t *out, const draft_amount *value);
/* All symbols in a value, some several times; definitions are left out. */
draft_symbols draft_symbols_of(const draft_amount *value);

/* lhs <= most where a part of the code runs. */
typedef struct draft_fact {
    draft_amount *lhs, *most;
} draft_fact;
typedef GT_ARRAY(draft_fact) draft_facts;
/* The largest, or the least, that the value may be. An element of a buffer is at most the buffer's
 * range, which this makes if the buffer has none. */
draft_amount *draft_bound(draft_amount *value, bool upper, const draft_facts *facts);

/* ---- program.c: what the program has --------------------------------------------------------- */

typedef struct draft_launched {
    draft_node *call;
    draft_decl *callee; /* an instance, if the kernel is a template */
    draft_decl *kernel; /* the template, or the callee itself */
    draft_amount *grid[3], *block[3], *shared;
    draft_slots *arguments; /* of each: its value, or those of its members */
    unsigned count;
} draft_launched;

typedef struct draft_error {
    const char *path;
    unsigned offset;
    const char *text; /* with the place */
} draft_error;

typedef struct draft_program {
    const gt_draft_request *request;
    cx_cursor root;
    draft_decls kernels;
    draft_decls functions; /* of the host, in the order of the program */
    GT_ARRAY(draft_launched) launches;
    draft_decls launched;       /* kernels, templates as such, that code launches, run or not */
    draft_decls open_templates; /* functions that launch, and that have no instance yet */
    draft_decls copied;         /* constants that cudaMemcpyToSymbol() fills */
    GT_ARRAY(draft_error) errors;
    gt_texts missing;        /* headers that were not found */
    gt_texts unread;         /* launches that the tree lacks, and the like: questions */
    unsigned skipped_line;   /* of a __global__ that an #if leaves out; 0: there is none */
    gt_text instances;       /* lines behind the program that make instances of templates */
    gt_texts guessed;        /* kernels whose template arguments were chosen */
    gt_texts names, members; /* declared in the place of headers that are missing */
} draft_program;

/* Parses the program, and lists kernels and host functions. ETEMPLATE: it cannot be parsed. */
gputune_status draft_program_read(draft_program *out, const gt_draft_request *request);
/* The template that a function is an instance of, or the function. */
draft_decl *draft_template_of(draft_decl *function);
/* The function's name with its namespaces. */
const char *draft_full_name(const draft_decl *decl);
void draft_add_once(draft_decls *out, draft_decl *decl);
/* Adds a text to a list, once. */
void draft_add_text(gt_texts *out, const char *text);

/* ---- run.c, flow.c, host.c: following code --------------------------------------------------- */

typedef struct draft_access {
    draft_amount *length; /* bytes up to the end of the last element that any thread accesses */
    draft_amount *offset; /* of this thread's element, in bytes */
    struct draft_buffer *buffer;
    bool written;
    cx_cursor at;
} draft_access;

/* Memory that a variable, or a member of one, points to. */
typedef struct draft_buffer {
    const char *name; /* "x", "p.weights" */
    draft_decl *parameter;
    const char *path;     /* ".weights"; "" */
    cx_type type;         /* pointed to */
    draft_amount *bytes;  /* that the program allocates; NULL: not known */
    draft_amount *source; /* the pointer that the launch passes; NULL: not known */
    cx_type accessed_as;  /* by its first access */
    bool is_read, is_written;
    bool is_surely_written; /* whatever the data are */
    draft_symbol *range;    /* its elements, which are indices or ends of loops, are below it */
    draft_amount *guarded;  /* what code compares them with where they are indices; NULL: nothing */
    bool is_rising;         /* its elements are places that rise up to the range */
    bool is_nested;         /* its elements are pointers that are followed */
} draft_buffer;

/* An index, and what it is below. */
typedef struct draft_limit {
    draft_amount *length, *most;
} draft_limit;

typedef struct draft_kernel_facts {
    draft_decl *kernel;
    const draft_launched *launch; /* NULL: none is known */
    GT_ARRAY(draft_buffer *) buffers;
    GT_ARRAY(draft_access) accesses;
    gt_texts unread;                      /* what could not be followed: questions */
    bool reads_block[3], reads_thread[3]; /* the size of a block, and a thread's index in it */
    bool has_shared, has_dynamic;         /* shared memory; whose size the launch gives */
    bool needs_positive;                  /* it takes roots or logarithms */
    bool has_loop;
    bool strides_grid;            /* a loop steps by all threads of the grid */
    draft_facts guards;           /* all comparisons */
    GT_ARRAY(draft_limit) limits; /* of arrays of a fixed size */
    draft_symbols loaded;
} draft_kernel_facts;

/* The place in the code that is followed. */
typedef struct draft_reader {
    draft_program *program;
    draft_kernel_facts *out; /* of the kernel; NULL: this is host code */
    draft_facts facts;       /* that hold here */
    unsigned unsure;         /* enclosing conditions on data */
    unsigned quiet;          /* accesses are not noted, because they were before */
    unsigned calls;          /* how deep */
    unsigned steps;
    draft_spot object; /* what `this` points to */
    draft_amount *returned;
    bool begins_loop; /* this is the first part of a for */
    size_t branch;    /* where the journal of the innermost branch begins */
} draft_reader;
extern draft_reader draft_now;

/* Follows the host's functions, and notes launches. */
void draft_host_read(draft_program *program);
/* Follows the kernel's body, and those of the functions that it calls. */
void draft_body_read(draft_kernel_facts *out, draft_decl *kernel, const draft_launched *launch);
/* Returns the value that the launch passes for a parameter, or for its member ".a.b"; NULL if
 * unknown. */
draft_amount *draft_passed(const draft_launched *launch, const draft_decl *kernel,
                           const draft_decl *parameter, const char *path);
/* A value of the host: a variable's, or that of another expression (NULL, its source). */
draft_amount *draft_host_symbol(draft_decl *decl, const char *text, const int64_t *number);
/* The same, but it may be another one: `doubt` says why. */
draft_amount *draft_doubtful(draft_decl *decl, const char *text, const int64_t *number,
                             const char *doubt);
#define DRAFT_UNDECIDED "depends on a condition that is not known"
/* A number that the code has a name for: a macro, a constant, a template parameter. */
draft_amount *draft_named_number(const char *name, int64_t number);
/* The number of a literal, with such a name if the code has one in its place. */
draft_amount *draft_literal(draft_node *node, int64_t number);
/* The symbols of the launch's geometry: DRAFT_THREAD and so on, of an axis. */
draft_amount *draft_builtin(draft_symbol_kind kind, int axis);

bool draft_on_host(void);
draft_amount *draft_eval(draft_node *node);
/* Runs a statement; true: nothing behind it in its block is reached. */
bool draft_run(draft_node *node);
/* A call that host code makes, if it is one of CUDA's; NULL: it is not. */
draft_amount *draft_host_call(draft_node *node);
/* A property of the device, by CUDA's name of it; NULL: templates have none such. */
draft_amount *draft_property(const char *name);
/* The value of what is no integer that is followed. */
draft_amount *draft_nothing(void);
draft_symbol *draft_new_symbol(draft_symbol_kind kind, const char *name);
draft_amount *draft_changing(const char *name);
/* Returns the new value of a variable, or of its member. On the host, a number becomes a symbol
 * with that number, because it may vary. */
draft_amount *draft_named(draft_decl *decl, const char *path, draft_amount *value);
draft_amount *draft_either(const char *name, draft_amount *condition, draft_amount *a,
                           draft_amount *b);
/* Assigns to a variable, or to a member of one. */
void draft_set_slot(draft_decl *decl, const char *path, draft_amount *value);
/* The same; the members of a struct are copied. */
void draft_assign(draft_decl *decl, const char *path, draft_amount *value, cx_type type);
/* Makes the variable one without a value. */
void draft_forget(draft_decl *decl);
/* The value of a variable or of its member; NULL: it was not assigned as such. */
draft_slot *draft_find_slot(draft_decl *decl, const char *path);
/* The same; if that is NULL, the value of the smallest part that has the member. */
const draft_slot *draft_outer_slot(const draft_decl *decl, const char *path);
/* Variables that a branch has changed, and their values at its end. */
typedef struct draft_state {
    draft_decls decls;
    draft_slots *slots;
} draft_state;
/* Ends what draft_branch_begin() has begun and returned. Its changes are undone. */
size_t draft_branch_begin(void);
draft_state draft_branch_end(size_t outer);
/* Does again what a branch has done. */
void draft_branch_redo(const draft_state *branch);
/* Does what one branch has done if the condition is true, or else what the other one has. */
void draft_branch_merge(const draft_state *then, const draft_state *otherwise,
                        draft_amount *condition);
/* The value that a variable, or a member, has by these slots. If there is none, it is that of
 * `other`, or, of a number of the host, the one that the program begins with. */
draft_amount *draft_value_by(const draft_slots *slots, draft_decl *decl, const draft_slot *other);
draft_amount *draft_read_variable(const draft_spot *spot, cx_type type);
/* The place `bytes` behind, and of all that may be meant instead. */
draft_spot draft_moved(const draft_spot *spot, draft_amount *bytes);
draft_spot draft_spot_of(draft_node *node);
/* Runs the declaration of a variable. */
void draft_declare(draft_decl *decl);
/* Evaluates without noting accesses again. */
draft_amount *draft_quietly(draft_node *node);
void draft_assume(draft_node *node, bool holds);
/* Returns true if a condition's value depends on data. */
bool draft_is_unsure(draft_amount *condition);
/* The variable that an expression is, or is a part of; NULL: it is memory. */
draft_decl *draft_base_variable(draft_node *node);
/* Returns the new value of x after `x += b` and the like. */
int draft_compound_operation(const draft_node *node);

/* ---- slice.c: the part of the program that a kernel needs ------------------------------------ */

typedef struct draft_slice {
    gt_text text;
    gt_texts headers;      /* #include lines of libraries */
    gt_texts problems;     /* errors of the compiler in what is kept */
    draft_decls constants; /* __constant__ and __device__ variables */
} draft_slice;

/* Marks what the kernels need (draft_decl.in_slice), and writes it. */
void draft_slice_make(draft_slice *out, draft_program *program, const draft_decls *kernels);
/* Adds the header of a type that a clause names to the slice that was made last. */
void draft_slice_need(cx_type type);
/* Returns true if the slice that was made last has that name anywhere. */
bool draft_slice_has(const char *name);

/* ---- settle.c: the pragmas' values ----------------------------------------------------------- */

typedef struct draft_axis {
    const char *name;
    int64_t usual; /* the program's value */
    int64_t values[8];
    unsigned count;
    draft_symbol *symbol; /* of the host, that it stands for; NULL: none */
} draft_axis;

typedef struct draft_settled {
    draft_kernel_facts facts;
    draft_decl *kernel, *instance;
    const draft_launched *launch; /* NULL: none is known */
    bool has_problems;            /* the compiler does not understand what is kept */
    draft_amount *grid[3], *block[3], *shared;
    draft_axis axes[8];
    unsigned axis_count;
    bool limits_registers; /* by the axis MAXREG */
    bool is_whole[3]; /* each thread stores without a comparison: no block may reach past a size */
    draft_symbols sizes;
    gt_texts questions, guesses;
    draft_amount **lengths; /* of facts.buffers, in elements; DRAFT_UNKNOWN: asked for */
    cx_type *types;         /* of the buffers' elements */
} draft_settled;

/* Works out the launch, the lengths and the axes of a kernel. */
void draft_settle(draft_settled *out, draft_program *program, draft_decl *kernel);
/* The value of a parameter, or of a member of one (".a.b"), in the draft's names. */
draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path);
/* The value with the program's number for each axis, which has that one only from then on. */
draft_amount *draft_without_axes(draft_settled *s, draft_amount *value);
draft_amount *draft_settled_amount(draft_settled *s, draft_amount *value);
/* The upper bound of the buffer's elements. */
draft_amount *draft_settled_range(draft_settled *s, const draft_buffer *buffer);
/* Returns true if the kernel reads or writes the buffer. */
bool draft_is_accessed(const draft_buffer *buffer);
/* Returns true if the symbol is a size of the problem. */
bool draft_is_size(const draft_settled *s, const draft_symbol *symbol);
/* The axis of that name; NULL: there is none. */
draft_axis *draft_axis_named(draft_settled *s, const char *name);
/* Adds a question, with what is to be completed. */
void draft_ask(draft_settled *s, const char *format, ...) GT_PRINTF(2, 3);
/* How much a launch says: of an instance alone, of the geometry, of allocations, too. */
int draft_launch_rank(const draft_launched *launch);
/* The launch of a kernel that says most; NULL: none is known. */
const draft_launched *draft_launch_of(const draft_program *program, const draft_decl *kernel);

/* ---- write.c --------------------------------------------------------------------------------- */

/* EUNSUPPORTED: no template can have a parameter of the kernel's. */
gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program,
                                   const draft_slice *slice);
/* Lines that a draft needs behind its code for the types that it names. */
const gt_texts *draft_usings(void);
