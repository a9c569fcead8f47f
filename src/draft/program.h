/* The program around a kernel, as tokens: its functions, its macros, and the values of its names.
 * This is no C++ front end: it does not find a declaration that it does not understand. Functions
 * take and return positions in gt_program.tokens. */
#pragma once

#include "kernel/lexer.h"
#include "kernel/types.h"

#include "base/array.h"

/* The tokens from `first` up to, but without, `end`. */
typedef struct gt_span {
    size_t first, end;
} gt_span;

typedef struct gt_program_function {
    size_t name;              /* the token of the name */
    gt_span parameters, body; /* between the brackets */
    bool is_device;           /* __global__ or __device__ */
} gt_program_function;

typedef struct gt_macro {
    size_t name;
    bool takes_arguments;
    gt_span parameters, value;
} gt_macro;

/* A token that is a name, and its place. */
typedef struct gt_occurrence {
    gt_token name;
    size_t at;
} gt_occurrence;

typedef struct gt_program {
    GT_ARRAY(gt_token) tokens;     /* the code of all files, then the macros' definitions */
    GT_ARRAY(gt_occurrence) names; /* of these, sorted by name and place */
    size_t code, own; /* how many tokens are code, and how many the first file's code */
    GT_ARRAY(gt_program_function) functions;
    GT_ARRAY(gt_macro) macros;
    bool failed; /* memory ran out */
} gt_program;

struct gt_bound;

/* Where a name is read: definitions behind this place do not count. */
typedef struct gt_site {
    size_t at;
    const gt_program_function *function; /* NULL: outside of all functions */
    const struct gt_bound *bound; /* the call, if this is the body of a macro or function that is
                                     read in the call's place */
} gt_site;

/* A call: the parameters of the function or macro, the arguments, and where the call stands. */
typedef struct gt_bound {
    gt_span parameters, arguments;
    gt_site caller;
} gt_bound;

/* A function that a call gives an argument to. */
typedef struct gt_taker {
    const gt_program_function *function;
    size_t parameter; /* the token of the name that it has for the argument */
    gt_bound call;
} gt_taker;

/* An expression of the program, and where its names are read. */
typedef struct gt_closure {
    gt_span span; /* empty: the expression is not known */
    gt_site site;
} gt_closure;

/* What a name stands for. */
typedef struct gt_found {
    size_t identity; /* the token that declares the name, different for each variable */
    gt_closure value;
    const gt_macro *macro; /* the name is this macro's; NULL: no macro's */
    bool is_constructed;   /* the declaration is of the form NAME(value) */
} gt_found;

/* Reads the files of a program, one after another; the texts must outlive the program. Sets
 * program->failed when memory runs out. */
void gt_program_read(gt_program *program, const char *const *texts, size_t count);
/* Appends the tokens of a text that belongs to no file, and returns their span. */
gt_span gt_program_push(gt_program *program, const char *text);
void gt_program_free(gt_program *program);

/* ---- tokens ---- */

static inline const gt_token *gt_token_at(const gt_program *program, size_t at)
{
    return &program->tokens.items[at];
}

/* Whether the token is one of `words`, which blanks separate; false behind the last token. */
bool gt_program_is(const gt_program *program, size_t at, const char *words);
/* Whether the span is a name alone. */
bool gt_program_is_name(const gt_program *program, gt_span span);
/* The text of the program's token at an index, as GT_TOKEN_TEXT() gives it. */
#define GT_NAME(program, at) GT_TOKEN_TEXT(gt_token_at(program, at))
/* Whether both tokens have the same text. */
bool gt_program_same(const gt_program *program, size_t a, size_t b);
/* Steps over the span's first token if it is one of `words`, and returns whether it is. */
bool gt_program_accept(const gt_program *program, gt_span *span, const char *words);
/* The first token in the span that is one of `words`, or span.end. */
size_t gt_program_first(const gt_program *program, gt_span span, const char *words);
/* The first token in the span that is this name, or span.end; without reading the others. */
size_t gt_program_named(const gt_program *program, gt_span span, const gt_token *name);
/* Takes the next token that is this name off *rest, which goes on behind it; false: none is left.
 */
bool gt_program_next(const gt_program *program, gt_span *rest, const gt_token *name, size_t *at);
/* The last token in the span that is this name, or span.end. */
size_t gt_program_last_named(const gt_program *program, gt_span span, const gt_token *name);
/* The token that closes the bracket at `open`, or the program's last token. */
size_t gt_program_close(const gt_program *program, size_t open);
/* The token that closes the "<" at `open`, or the statement's end. */
size_t gt_program_close_angle(const gt_program *program, size_t open);
/* The "<" that the ">" at `close` closes, or where the statement begins. */
size_t gt_program_open_angle(const gt_program *program, size_t close);
/* Whether the brace is a namespace's, or that of extern "C". */
bool gt_program_is_scope(const gt_program *program, size_t brace);
/* The tokens of the first file that lie from `from` up to, but without, `to`; both point into its
 * text. */
gt_span gt_program_between(const gt_program *program, const char *from, const char *to);
/* Takes the first of the comma-separated items off `rest`; false: no item is left. */
bool gt_program_item(const gt_program *program, gt_span *out, gt_span *rest);
/* The item at place `index` of the comma-separated `items`; false: there are fewer. */
bool gt_program_item_at(const gt_program *program, gt_span *out, gt_span items, size_t index);
bool gt_span_is_empty(gt_span span);
/* How many tokens the cast has that the span begins with, `(TYPE)` or `static_cast<TYPE>`; 0: it
 * begins with none. */
size_t gt_program_cast(const gt_program *program, gt_span span);
/* The span without the brackets and casts around it. */
gt_span gt_program_strip(const gt_program *program, gt_span span);
/* The tokens from `first` to the next semicolon. */
gt_span gt_program_statement(const gt_program *program, size_t first);
/* The tokens of the type in the declaration of `name`: TYPE in `TYPE *a, *NAME`. */
gt_span gt_program_type(const gt_program *program, size_t name);
/* Joins the span's tokens, without struct and const, by blanks; "": the result is too long. */
const char *gt_program_words(char out[GT_NAME_MAX], const gt_program *program, gt_span span);

/* ---- names ---- */

/* The function whose body contains the token, or NULL. */
const gt_program_function *gt_program_function_at(const gt_program *program, size_t at);
/* The site of a token that is read where it stands, not in a call's place. */
gt_site gt_program_site(const gt_program *program, size_t at);
/* The function or macro of that name, or NULL. */
const gt_program_function *gt_program_function_of(const gt_program *program, const gt_token *name);
const gt_macro *gt_program_macro_of(const gt_program *program, const gt_token *name);
/* Finds the next call `NAME(…)` or `NAME<…>(…)` of the function in *rest, and moves *rest behind
 * its name, which is the token *at. false: no call is left. */
bool gt_program_call(const gt_program *program, gt_span *rest, const gt_token *name, size_t *at,
                     gt_span *arguments);
/* Finds the function of the program that the argument which begins at that token is given to;
 * false: the token begins no argument of such a call. */
bool gt_program_taker(gt_taker *out, const gt_program *program, size_t argument);
/* The token of the parameter called `name` in the list `parameters`; *index is the parameter's
 * place in the list. 0: the list has no such parameter. */
size_t gt_program_parameter(const gt_program *program, gt_span parameters, const gt_token *name,
                            size_t *index);
/* Whether the program's text alone decides the value: no command line, file or device does. */
bool gt_program_is_plain(const gt_program *program, gt_span span);
/* Whether the span allocates memory on the device. */
bool gt_program_allocates(const gt_program *program, gt_span within);
/* Whether the file `other` belongs to the program: it calls one of the program's functions that the
 * program itself never calls, or allocates memory and defines a function that the program calls,
 * and it defines none of the program's functions. */
bool gt_program_takes(const gt_program *program, const gt_program *other);
/* Whether the program's code reads a name that `before` gives and the program itself does not: a
 * macro, a function, a type or a variable. */
bool gt_program_needs(const gt_program *program, const gt_program *before);
/* What the name at token `name`, read at `site`, stands for; false: nothing defines the name. */
bool gt_program_find(gt_found *out, const gt_program *program, const gt_site *site, size_t name);
/* If *value, apart from brackets and casts, is a name alone, moves it to the name's value. false:
 * it is no name, or the name has no known value. *found describes the name if it is defined, and is
 * zero otherwise. */
bool gt_program_follow(gt_found *found, const gt_program *program, gt_closure *value);
/* Whether device code reads the macro, itself or through another macro. */
bool gt_program_on_device(const gt_program *program, const gt_token *macro);
/* Whether the program declares the name anywhere. */
bool gt_program_is_told(const gt_program *program, const gt_token *name);
/* Whether the token is a name that neither the program nor CUDA declares, so that a tuner must
 * define it. */
bool gt_program_is_undefined(const gt_program *program, size_t at);
