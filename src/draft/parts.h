/* What the files of this room share. All of it runs in a worker process that makes one draft and
 * ends, so nothing is freed. */
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

/* A declaration that code refers to; one struct for each. */
typedef struct draft_decl {
    cx_cursor at;
    int number; /* from 1, in the order in which they were met */
    const char *name;
    struct draft_node *initialiser, *body; /* made on demand */
    bool has_body_tried;
    GT_ARRAY(struct draft_decl *) parameters; /* of a function */
    GT_ARRAY(struct draft_node *) assigned;   /* of a host variable: what is assigned to it */
    GT_ARRAY(struct draft_node *) calls;      /* of a host function */
    GT_ARRAY(struct draft_assigned) parts;    /* of a host variable: what its members get */
    struct draft_node *allocated;             /* of a host pointer: its bytes */
    unsigned allocations;                     /* how many allocations it gets */
    bool in_slice;                            /* the kernel refers to it */
    GT_ARRAY(struct draft_slot) slots;        /* of a kernel's variable: what it holds now */
    struct draft_amount *bound; /* of a host parameter whose call is being evaluated */
    bool busy;
} draft_decl;

typedef struct draft_slot {
    const char *path; /* "" or ".a.b" */
    struct draft_amount *value;
} draft_slot;

typedef struct draft_assigned {
    const char *member;
    struct draft_node *value;
} draft_assigned;

/* An expression or a statement. Brackets and conversions are left out, but where a floating value
 * becomes an integer: DRAFT_TRUNCATE. */
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
bool draft_has_child(cx_cursor at, int kind);
draft_node *draft_tree(cx_cursor at);
/* What one declares; NULL: `at` declares nothing. */
draft_decl *draft_decl_of(cx_cursor at);
/* The body of the function that is called, and its parameters; NULL: it is only declared. */
draft_node *draft_body_of(draft_decl *function);
draft_node *draft_initialiser_of(draft_decl *variable);
/* Whether clang knows the number that an expression, or a variable, has. */
bool draft_is_constant(int64_t *out, cx_cursor at);
/* What the source has there, with single blanks. */
const char *draft_source_of(cx_cursor at);
/* The name that the source has in the place of an expression, if it is just a name, macros and
 * template parameters among them; else NULL. */
const char *draft_name_at(cx_cursor at);
/* Whether the declaration is one of the program's, and not of the stub. */
bool draft_is_own(cx_cursor at);

/* What the stub is called in messages of the compiler. */
#define DRAFT_STUB "/gputune-stub.cuh"

/* A part of a file. */
typedef struct draft_extent {
    void *file;
    const char *path, *text; /* of the whole file */
    unsigned begin, end, line, column;
} draft_extent;
draft_extent draft_extent_of(cx_cursor at);
bool draft_is_float(cx_type type);
bool draft_is_integer(cx_type type);
cx_type draft_pointee(cx_type type); /* canonical */
cx_type draft_canonical(cx_type type);

/* ---- value.c: what expressions come to ------------------------------------------------------- */

typedef enum draft_operator {
    DRAFT_SUM, /* a sum of products; numbers too */
    DRAFT_SYMBOL,
    DRAFT_QUOTIENT,
    DRAFT_REST,
    DRAFT_CEIL_DIV,
    DRAFT_MIN,
    DRAFT_MAX,
    DRAFT_EITHER, /* one of two, by which way the code went */
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
    DRAFT_OBJECT, /* a struct, which is where `place` is */
    DRAFT_UNKNOWN
} draft_operator;

typedef enum draft_symbol_kind {
    DRAFT_PARAMETER, /* the kernel's, or a member of one */
    DRAFT_THREAD,
    DRAFT_BLOCK_INDEX,
    DRAFT_BLOCK_SIZE,
    DRAFT_GRID_SIZE,
    DRAFT_LOCAL,    /* a variable of the kernel, with its definition */
    DRAFT_COUNTER,  /* of a loop */
    DRAFT_CHANGING, /* not known */
    DRAFT_LOADED,   /* an element of `buffer` */
    DRAFT_HOST, /* a variable of the host whose value is not known, or is a number that may vary */
    DRAFT_CONSTANT /* a number that the code has a name for */
} draft_symbol_kind;

typedef struct draft_symbol {
    draft_symbol_kind kind;
    const char *name;
    const char *given; /* of a host's: the name in the program */
    int axis;          /* x, y, z */
    int64_t number;    /* of a constant; of a host's, if `has_number` */
    bool has_number, is_guess;
    struct draft_amount *definition;         /* of a local one */
    struct draft_amount *first, *step, *end; /* of a counter */
    struct draft_buffer *buffer;             /* of a loaded one */
    struct draft_amount *index;
    draft_decl *decl;
} draft_symbol;

typedef struct draft_term {
    int64_t factor;
    unsigned count;
    struct draft_amount *atoms[6]; /* rising numbers */
} draft_term;

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
    const char *text; /* of DRAFT_TEXT; of DRAFT_UNKNOWN: why */
    draft_spot place;
} draft_amount;

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
bool draft_is_number(const draft_amount *value, int64_t *out);
bool draft_is_known(const draft_amount *value);
/* Whether a symbol of that kind is in the value, outside of definitions. */
bool draft_has_kind(const draft_amount *value, draft_symbol_kind kind);
bool draft_has_symbol(const draft_amount *value, const draft_symbol *symbol);
/* The value with each symbol replaced by what `with` gives for it (NULL: itself). */
typedef draft_amount *draft_replace_fn(void *user, draft_symbol *symbol);
draft_amount *draft_replace(draft_amount *value, draft_replace_fn *with, void *user);
void draft_print(gt_text *out, const draft_amount *value);
const char *draft_print_value(const draft_amount *value);
/* The number that the value comes to if each symbol has its number. */
bool draft_evaluate(int64_t *out, const draft_amount *value);
void draft_symbols_of(const draft_amount *value, void (*found)(void *user, draft_symbol *symbol),
                      void *user);

/* lhs <= most where a part of the code runs. */
typedef struct draft_fact {
    draft_amount *lhs, *most;
    draft_amount *written_out; /* lhs, with definitions in the place of variables */
} draft_fact;
typedef GT_ARRAY(draft_fact) draft_facts;
/* The largest, or the least, that the value may be. */
draft_amount *draft_bound(draft_amount *value, bool upper, const draft_facts *facts);

/* ---- program.c: what the program has --------------------------------------------------------- */

typedef struct draft_launched {
    draft_node *call;
    draft_decl *callee; /* an instance, where the kernel is a template */
    draft_decl *kernel; /* the template, or the callee itself */
    draft_node *grid, *block, *shared;
    draft_node **arguments;
    unsigned count;
} draft_launched;

typedef struct draft_error {
    void *file;
    unsigned offset;
    const char *text; /* with the place */
} draft_error;

typedef struct draft_program {
    const gt_draft_request *request;
    void *unit;
    cx_cursor root;
    GT_ARRAY(draft_decl *) kernels;
    GT_ARRAY(draft_launched) launches;
    GT_ARRAY(draft_decl *) copied; /* constants that cudaMemcpyToSymbol() fills */
    GT_ARRAY(draft_error) errors;
    gt_texts missing;      /* headers that were not found */
    gt_texts unread;       /* launches that the tree lacks, and the like: questions */
    unsigned skipped_line; /* of a __global__ that an #if leaves out; 0: there is none */
    gt_text instances;     /* lines behind the program that make instances of kernels */
} draft_program;

/* Parses the program, and sorts out kernels and launches. ETEMPLATE: it cannot be parsed at all. */
gputune_status draft_program_read(draft_program *out, const gt_draft_request *request);
/* The template that a function is an instance of, or the function. */
draft_decl *draft_template_of(draft_decl *function);
/* The function's name with its namespaces. */
const char *draft_full_name(draft_decl *decl);

/* ---- host.c: what host code says --------------------------------------------------------------
 */

draft_amount *draft_host_value(draft_node *node);
/* A number that the code has a name for: a macro, a constant, a template parameter. */
draft_amount *draft_named_number(const char *name, int64_t number);
/* The number of a literal, with such a name if the code has one in its place. */
draft_amount *draft_literal(draft_node *node, int64_t number);
/* The three extents of a dim3. */
void draft_host_extents(draft_amount *out[3], draft_node *node);
/* The value of a member of a host's struct, ".a.b" of it; NULL: it is not known. */
draft_node *draft_host_member(draft_node *object, const char *member);
/* The bytes that a host's pointer was allocated with; NULL: that is not known. */
draft_amount *draft_host_bytes(draft_node *pointer);

/* ---- body.c: what a kernel does ---------------------------------------------------------------
 */

typedef struct draft_access {
    draft_amount *length; /* in bytes: behind the last byte */
    bool read, written;
    bool certain; /* whatever the data are */
    cx_type type;
    cx_cursor at;
} draft_access;

/* Memory that a parameter, or a member of one, points to. */
typedef struct draft_buffer {
    const char *name; /* "x", "p.weights" */
    draft_decl *parameter;
    const char *path; /* ".weights"; "" */
    cx_type type;     /* pointed to */
    GT_ARRAY(draft_access) accesses;
    struct draft_buffer *indexed; /* its elements are indices of that buffer; NULL: they are not */
    int64_t index_bytes;          /* for each step of them */
    bool is_bound;                /* its elements are a part of an index, or the end of a loop */
    bool is_nested;               /* its elements are pointers that are followed */
    draft_symbol *total; /* its elements are places that rise up to this; NULL: they are not */
} draft_buffer;

typedef struct draft_kernel_facts {
    draft_decl *kernel;
    GT_ARRAY(draft_buffer *) buffers;
    GT_ARRAY(draft_symbol *) parameters; /* numbers: parameters and members of them */
    gt_texts unread;                     /* what could not be followed: questions */
    bool reads_block[3];
    bool has_dynamic;   /* shared memory whose size the launch gives */
    bool has_static;    /* shared memory of a fixed size */
    draft_facts guards; /* all comparisons */
    GT_ARRAY(draft_symbol *) loaded;
} draft_kernel_facts;

/* Follows the kernel's body, and those of the functions that it calls. */
void draft_body_read(draft_kernel_facts *out, draft_decl *kernel);
/* The symbols of the launch's geometry: DRAFT_THREAD and so on, of an axis. */
draft_symbol *draft_builtin(draft_symbol_kind kind, int axis);
draft_amount *draft_written_out(draft_amount *value);

/* ---- slice.c: the part of the program that a kernel needs --------------------------------------
 */

typedef struct draft_slice {
    gt_text text;
    gt_texts headers;                 /* #include lines of libraries */
    gt_texts problems;                /* errors of the compiler in what is kept */
    GT_ARRAY(draft_decl *) constants; /* __constant__ variables */
} draft_slice;

/* Marks what the kernels need (draft_decl.in_slice), and writes it. */
void draft_slice_make(draft_slice *out, draft_program *program, draft_decl *const *kernels,
                      size_t count);
/* Adds the header of a type that a clause names to the slice that was made last. */
void draft_slice_need(cx_type type);
/* Whether the slice that was made last has that name anywhere. */
bool draft_slice_has(const char *name);

/* ---- settle.c: the pragmas' values -------------------------------------------------------------
 */

/* What a line of the draft says beside its clause. */
typedef struct draft_axis_found {
    const char *name;
    int64_t usual; /* the program's value */
    int64_t values[8];
    unsigned count;
    draft_symbol *symbol;
} draft_axis_found;

typedef struct draft_settled {
    draft_kernel_facts facts;
    draft_decl *kernel, *instance;
    const draft_launched *launch; /* NULL: none is known */
    bool is_instance_guessed;     /* no launch says which arguments the template has */
    const char *name;             /* with its arguments, as in kernel(NAME) */
    draft_amount *grid[3], *block[3], *shared;
    draft_axis_found axes[8];
    unsigned axis_count;
    GT_ARRAY(draft_symbol *) sizes;
    gt_texts questions, guesses;
    draft_amount **lengths; /* of facts.buffers, in elements; DRAFT_UNKNOWN: asked for */
    cx_type *types;         /* of the buffers' elements */
} draft_settled;

/* Works out the launch, the lengths and the axes of a kernel. */
void draft_settle(draft_settled *out, const draft_program *program, draft_decl *kernel);
/* The value of a parameter, or of a member of one (".a.b"), in the draft's names. */
draft_amount *draft_settled_value(draft_settled *s, draft_decl *parameter, const char *path);
/* Adds a question, with what is to be completed. */
void draft_ask(draft_settled *s, const char *format, ...) GT_PRINTF(2, 3);
/* The kernel's instance that the program launches; NULL: it launches none. */
draft_decl *draft_launched_instance(const draft_launched **launch, const draft_program *program,
                                    draft_decl *kernel);

/* ---- write.c -----------------------------------------------------------------------------------
 */

/* EUNSUPPORTED: no template can have a parameter of the kernel's. */
gputune_status draft_write_clauses(gt_text *out, draft_settled *s, const draft_program *program,
                                   const draft_slice *slice);
/* A type as templates have it; NULL: they have none such. */
const char *draft_type_text(cx_type type);
/* Lines that a draft needs behind its code for the types that it names. */
const gt_texts *draft_usings(void);
