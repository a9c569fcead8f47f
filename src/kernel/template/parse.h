/* The parser of templates. parse_*.c parses clauses, body*.c makes the code to compile, and names.c
 * checks names. All functions fail with ETEMPLATE and a message with the position. Everything that
 * they allocate belongs to the template, even after a failure. */
#pragma once

#include "kernel/template/reader.h"
#include "kernel/template/symbols.h"
#include "kernel/text/branches.h"
#include "kernel/text/declarations.h"

/* A clause, or a setting `NAME = …`. The value is a word, expressions, or a list of arguments. */
typedef struct gt_setting {
    const char *word;
    /* offset of the struct member for the value. The member is the index of a word if `most` is 0,
     * a gt_dimensions if `most` is 3 or more, and otherwise an array of `most` expressions. */
    size_t offset;
    uint32_t most; /* maximum number of expressions; 0 for a word or arguments */
    /* names that may be used in the clause, and in the setting of a launch() (GT_USE_ bits) */
    unsigned clause_use, launch_use;
    bool in_source;       /* true if the struct is gt_template_parts, which all kernels share */
    bool is_real;         /* true if the clause may have floating-point expressions */
    const char *words;    /* words or numbers that are allowed; NULL: any expression */
    const char *expected; /* the allowed words, as they appear in messages */
} gt_setting;

typedef struct gt_settings {
    const gt_setting *items;
    uint32_t count;
    const char *example; /* an example for messages, such as "a setting such as block = 256" */
} gt_settings;

/* How a text uses a name. The line of a gt_place is 0 if there is no such place. */
typedef struct gt_name_use {
    bool occurs;        /* true if the name is in the text, or in a macro that the text uses */
    bool is_read;       /* true if the code depends on the value, also by a macro or define() */
    gt_place parameter; /* first function or C++ template that has a parameter with this name */
    gt_place global;    /* first declaration of the name outside of functions and classes */
    gt_place tested;    /* first directive that uses the name as a macro */
} gt_name_use;

typedef struct gt_name_uses {
    gt_name_use names[GT_NAMES_MAX]; /* use of each name, in the order of gt_name_at() */
    uint64_t declared_defines;       /* bit i: the text declares the name of define() i */
} gt_name_uses;

typedef struct gt_parse {
    gt_template *template;
    gt_template_parts *parts;
    const gt_template_reader *reader;
    const gt_clause *clause;
    const char *word; /* word of the clause in the table of clauses; NULL if there is no clause */
    size_t member;    /* offset of the member that the clause sets, as in the table of clauses */
    gt_lexer at;      /* the current token, which is in the clause or in a struct of the code */
    char *code;       /* code without pragmas and disabled #if branches; owned */
    gt_declarations found; /* the declarations in `code`; owned */
    const char *scope;     /* namespaces in which the name of a type is used, or NULL for none */
    char kernel_scope[GT_ENTRY_MAX]; /* namespaces of the kernel */
    char *possible; /* `code` with the #if branches that a header may enable; owned */
    gt_lexer vector_buffers[GT_AXIS_MAX]; /* buffers of vector clauses, parsed after args() */
    uint64_t defaulted;                   /* bit i: default() contains a value for axis i */
    gt_name_uses kernel_uses, judge_uses; /* how names are used in kernel_body and in judge_body */
    gt_text elements; /* generated source of a reference that assigns elements, or empty */
} gt_parse;

/* Parses the current clause. If the clause is a list, parses one item. */
typedef gputune_status gt_parse_fn(gt_parse *p);
gt_parse_fn gt_parse_kernel, gt_parse_problem, gt_parse_axis, gt_parse_vector, gt_parse_pass,
    gt_parse_constant, gt_parse_cluster, gt_parse_default, gt_parse_start, gt_parse_args,
    gt_parse_scratch, gt_parse_written, gt_parse_prove, gt_parse_in_place, gt_parse_setting,
    gt_parse_launch, gt_parse_for, gt_parse_end, gt_parse_swap, gt_parse_cooperative,
    gt_parse_require, gt_parse_work, gt_parse_reference, gt_parse_judge, gt_parse_expect,
    gt_parse_tensormap, gt_parse_texture, gt_parse_options, gt_parse_define;

/* Finds `__constant__ TYPE NAME` or `__device__ TYPE NAME` in the code. Sets *type to TYPE, and
 * opens *after on the text after NAME. */
bool gt_declares_constant(gt_token *type, gt_lexer *after, const gt_parse *p, const char *name);

/* Returns true for args(), and for clauses that a kernel may have only once. For such a clause, a
 * kernel's own clause replaces the clause that all kernels share. */
bool gt_clause_is_single(const char *word);
/* Returns true if a clause contains names of functions, or text that becomes code. */
bool gt_clause_has_code(const char *word);

/* ---- parse_launch.c ---- */

/* Reads `NAME`, `NS::NAME` or `NAME<argument, …>`. */
gputune_status gt_read_kernel_name(gt_kernel_name *out, gt_lexer *lexer, const char *what);
/* Records which names the template arguments of a kernel contain. Refuses names whose value is not
 * known at compile time. */
gputune_status gt_bind_kernel_arguments(gt_parse *p, gt_body *body, const gt_kernel_name *kernel);

/* Ends all loops that are still open after the last clause. Refuses a require() or scratch() that
 * uses a grid or block that a loop changes. */
gputune_status gt_loops_finish(gt_parse *p);

/* A gt_meaning_fn. Returns GT_UNKNOWN for a name that the template does not define as a macro, but
 * that an unread header or the compiler may define. */
gt_meaning gt_possible_meaning(const void *reader, const gt_token *name, int64_t *value);

/* ---- names.c ---- */

/* Finds out how a text uses names, after all clauses were read. May return ENOMEM. */
gputune_status gt_name_uses_find(gt_name_uses *out, const gt_parse *p, const char *text);
/* Returns true if gputune defines the token: it is a tunable, a problem value that is known at
 * compile time, or the macro NAME_word of a value. */
bool gt_name_is_chosen(const gt_template *template, const gt_token *token);
/* Returns the names in template arguments of kernels, in launch(args = (…)) and in args(). Bit i
 * stands for gt_name_at(i). Such a name is not a macro if the code has a parameter of this name. */
uint64_t gt_names_given(const gt_template *template);
/* Refuses names that are macros and are also declared in the code. */
gputune_status gt_names_check(const gt_parse *p);
/* Refuses tunables that have no effect. gt_axis.in_source must have been set. */
gputune_status gt_axes_check(const gt_parse *p);

/* ---- body.c and body_check.c ---- */

/* Checks the functions that clauses name, and sets their entries and template arguments. */
gputune_status gt_functions_check(gt_parse *p, const char *text);
/* If one overload of the kernel matches args(), blanks the overloads that do not match. May return
 * ENOMEM. */
gputune_status gt_overloads_blank(const gt_parse *parse, char *text);
/* Checks the functions of `text`, and makes parts->kernel_body and parts->judge_body from it.
 * Blanks the #defines of tunables and problem values in `text`. */
gputune_status gt_bodies_make(gt_parse *parse, char *text);
/* Returns the index of the first launch of a kernel, or step_count if it is not launched. */
uint32_t gt_step_of(const gt_template_parts *parts, const char *name);
/* Names the entries of a C++ kernel that a pipeline launches more than once: "scan_launch3". */
gputune_status gt_instances_name(gt_template_parts *parts);

/* ---- clauses ---- */

/* Parses the buffers of vector() and l2_persist() clauses after all clauses were read. */
gputune_status gt_parse_vector_buffers(gt_parse *p);
/* Returns the argument or scratch buffer with this name, or NULL. */
gt_argument *gt_parse_parameter(const gt_parse *p, const char *name);
/* Kinds of buffers that a clause accepts, as bits. The bits 1 << gt_direction are for args(). */
enum {
    GT_BUFFER_ANY = 7, /* all buffers in args() */
    GT_BUFFER_SCRATCH = 8,
    GT_BUFFER_WRITTEN = 1 << GT_OUT | 1 << GT_INOUT | GT_BUFFER_SCRATCH,
    GT_BUFFER_TAKEN = 16 /* only parameters of the kernel, not pointers in structs */
};
/* Reads the name of a buffer and sets *out to its index. The error message is "'NAME' is not"
 * followed by `what`, such as "a buffer; expected one of args()". */
gputune_status gt_read_buffer(uint32_t *out, gt_parse *p, unsigned kinds, const char *example,
                              const char *what);

/* Fails if the current clause contains more tokens. */
gputune_status gt_read_end(const gt_parse *p);
/* Reads an expression that uses only names that `use` allows (GT_USE_ bits in symbols.h). Unless
 * `is_real`, the expression must not be floating-point. */
gputune_status gt_read_expression(const gt_expression **out, gt_parse *p, unsigned use,
                                  bool is_real);
/* Reads an integer expression from another text. Error messages contain `place`. */
gputune_status gt_read_text(const gt_expression **out, gt_parse *p, const char *text, size_t length,
                            gt_place place, unsigned use);
/* Reads an integer expression that uses no names, and sets *out to its value. */
gputune_status gt_read_constant(int64_t *out, gt_parse *p);
/* Reads up to `most` expressions, also in parentheses. A comma before `NAME =` ends the list. */
gputune_status gt_read_dimensions(gt_dimensions *out, uint32_t most, gt_parse *p, unsigned use);
/* Reads a setting `NAME = …`, stores its value in *to, and sets its bit in *given. */
gputune_status gt_read_setting(void *to, const gt_settings *settings, uint32_t *given, gt_parse *p);
/* Reads one to three extents, as in `[e][e]`. */
gputune_status gt_read_extents(const gt_expression *out[3], uint32_t *count, gt_parse *p,
                               unsigned use);
/* Reads a value, which is a word or an integer. */
gputune_status gt_read_value(gt_value *out, gt_parse *p);
/* Reads up to `most` values, which must differ. A comma before `NAME =` ends the list. */
gputune_status gt_read_values(gt_value *values, uint32_t *count, uint32_t most, gt_parse *p);
/* Reads `AXIS = value`. The value must be in the clause of the axis. Sets *axis, *choice, and the
 * bit of the axis in *given. */
gputune_status gt_read_choice(uint32_t *axis, uint8_t *choice, uint64_t *given, gt_parse *p);
/* Reads a new name. Refuses types, device properties, reserved names, and names that are in use. */
gputune_status gt_read_new_name(char out[GT_NAME_MAX], gt_parse *p, const char *what);
/* Reads `file("name")`. Fails if *out is already set. */
gputune_status gt_read_file_name(const char **out, gt_parse *p);
/* If a list in braces follows after `sign`, reads it. The items are fills if `fills` is true, and
 * expressions otherwise. An item may have the form `.path = item`. */
gputune_status gt_read_initialisers(gt_initialisers *out, gt_parse *p, const char *sign,
                                    bool fills);
/* If the next token is `sign`, reads the fill after it, or a list of fills. Fails at `place` if an
 * integer input has no fill and there is no init() kernel. */
gputune_status gt_read_contents(gt_argument *out, gt_parse *p, const char *sign, gt_place place);
/* Reads the name of an element type. It is a number type, a struct or typedef of the code, or a
 * problem value that is a type. */
gputune_status gt_read_element_type(char out[GT_NAME_MAX], gt_parse *p);
/* Returns true if the name may stand for an integer type. */
bool gt_element_may_be_integer(const gt_template *template, const char *name);
