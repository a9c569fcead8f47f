/* The program around a kernel, as tokens: its functions, its macros, and what gives a value to a
 * name. No C++ front end: what it does not understand is not found. */
#pragma once

#include "kernel/lexer.h"
#include "kernel/template.h"

#include "base/array.h"

/* Tokens from `first` to in front of `end`. */
typedef struct gt_span {
    size_t first, end;
} gt_span;

typedef struct gt_program_function {
    size_t name;
    gt_span parameters, body; /* between the brackets */
    bool is_device;           /* __global__ or __device__ */
} gt_program_function;

typedef struct gt_macro {
    size_t name;
    bool takes_arguments;
    gt_span parameters, value;
} gt_macro;

typedef struct gt_program {
    GT_ARRAY(gt_token) tokens; /* the code's, then those of the macros */
    size_t code, own;          /* how many are the code's, and the first file's code's */
    GT_ARRAY(gt_program_function) functions;
    GT_ARRAY(gt_macro) macros;
    bool failed; /* out of memory */
} gt_program;

struct gt_bound;

/* Where a name is read: what is defined behind it counts for nothing. */
typedef struct gt_site {
    size_t at;
    const gt_program_function *function; /* NULL: outside of all */
    const struct gt_bound *bound; /* of a macro or function that is read in its call's place */
} gt_site;

typedef struct gt_bound {
    gt_span parameters, arguments;
    gt_site caller;
} gt_bound;

/* What a name stands for. */
typedef struct gt_found {
    size_t identity; /* the token that declares it: one for each variable */
    gt_span value;   /* empty: nothing that is known */
    gt_site site;    /* where the value is read */
    const gt_macro *macro;
    bool is_constructed; /* by NAME(value) */
} gt_found;

/* The files of a program, one after another; the texts must outlive it. */
void gt_program_read(gt_program *program, const char *const *texts, size_t count);
/* More tokens behind all others, of no file; back: which. */
gt_span gt_program_push(gt_program *program, const char *text);
void gt_program_free(gt_program *program);

/* ---- tokens ---- */

/* Whether the token is one of the words, between which blanks stand; false behind the last one. */
bool gt_program_is(const gt_program *program, size_t at, const char *words);
/* Whether the span is a name alone. */
bool gt_program_is_name(const gt_program *program, gt_span span);
/* The token's text; "": it is too long for a name. */
void gt_token_name(char out[GT_NAME_MAX], const gt_token *token);
void gt_program_name(char out[GT_NAME_MAX], const gt_program *program, size_t at);
/* Whether both tokens are the same. */
bool gt_program_same(const gt_program *program, size_t a, size_t b);
/* Steps over the span's first token if it is one of the words. */
bool gt_program_accept(const gt_program *program, gt_span *span, const char *words);
/* The first token in the span that is one of the words, or its end. */
size_t gt_program_first(const gt_program *program, gt_span span, const char *words);
/* The token that closes the bracket at `open`, or the last one. */
size_t gt_program_close(const gt_program *program, size_t open);
/* With `open` on "<": the token that closes it, or the statement's end. */
size_t gt_program_close_angle(const gt_program *program, size_t open);
/* Whether the brace is a namespace's, or that of extern "C". */
bool gt_program_is_scope(const gt_program *program, size_t brace);
/* The tokens of the first file from `from` to in front of `to`, places in its text. */
gt_span gt_program_between(const gt_program *program, const char *from, const char *to);
/* Takes the first of the items that commas separate off `rest`; false: there is none left. */
bool gt_program_item(const gt_program *program, gt_span *out, gt_span *rest);
/* The item at place `index`; false: there are not so many. */
bool gt_program_item_at(const gt_program *program, gt_span *out, gt_span items, size_t index);
/* `(TYPE)` or `static_cast<TYPE>` in front of a value: how many tokens; 0: there is none. */
size_t gt_program_cast(const gt_program *program, gt_span span);
/* Without brackets and casts around it. */
gt_span gt_program_strip(const gt_program *program, gt_span span);
/* What stands from there to the next semicolon. */
gt_span gt_program_statement(const gt_program *program, size_t first);
/* The words of the type in front of a name that is declared, `TYPE *a, *NAME`. */
gt_span gt_program_type(const gt_program *program, size_t name);
/* The span's tokens but struct and const, with blanks between them; "": they are too long. */
void gt_program_words(char out[GT_NAME_MAX], const gt_program *program, gt_span span);

/* ---- names ---- */

/* The function whose body has the token, or NULL. */
const gt_program_function *gt_program_function_at(const gt_program *program, size_t at);
/* The place of a token that is read where it stands. */
gt_site gt_program_site(const gt_program *program, size_t at);
/* The function or macro of that name, or NULL. */
const gt_program_function *gt_program_function_of(const gt_program *program, const gt_token *name);
const gt_macro *gt_program_macro_of(const gt_program *program, const gt_token *name);
/* The next of the calls, `NAME(…)`, of one of those functions in the span, behind which that then
 * begins: the token of the name, and the arguments; false: there is none left. */
bool gt_program_call(const gt_program *program, gt_span *rest, const char *names, size_t *at,
                     gt_span *arguments);
/* Where the parameter's name is among those; its place in *index. 0: it is none. */
size_t gt_program_parameter(const gt_program *program, gt_span parameters, const gt_token *name,
                            size_t *index);
/* Whether the value is made of what the program has: not of its command line, a file or a device.
 */
bool gt_program_is_plain(const gt_program *program, gt_span span);
/* Whether another file belongs to the program: it calls one of the functions that nothing here
 * calls, and defines none of those that are here. */
bool gt_program_takes(const gt_program *program, const gt_program *other);
/* What the name at that token stands for; false: nothing defines it. */
bool gt_program_find(gt_found *out, const gt_program *program, const gt_site *site, size_t name);
/* Goes from a span that is a name alone, without casts, to the value that it stands for; false: it
 * is no name, or of no value. *found is told of every name. */
bool gt_program_follow(gt_found *found, const gt_program *program, gt_span *span, gt_site *site);
/* Whether device code reads the macro, or another macro that device code reads. */
bool gt_program_on_device(const gt_program *program, const gt_token *macro);
/* Whether the program declares the name anywhere. */
bool gt_program_is_told(const gt_program *program, const gt_token *name);
/* Whether it is a word of the language, or a name that CUDA's headers have. */
bool gt_program_is_word(const gt_program *program, size_t at);
/* Whether the name at that token is one that neither the program nor CUDA gives a meaning to: what
 * a tuner defines. */
bool gt_program_is_undefined(const gt_program *program, size_t at);
