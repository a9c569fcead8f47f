/* Reads the files of a template into one text: inserts included files, collects the clauses of
 * #pragma lines, and blanks these lines. */
#pragma once

#include "kernel/template/declared.h"

#include "base/array.h"
#include "base/text.h"

/* A clause `word(…)`. `body` reads the text between its parentheses. */
typedef struct gt_clause {
    char word[GT_NAME_MAX];
    gt_place place;
    gt_lexer body;
} gt_clause;

typedef struct gt_template_reader {
    gt_template_parts *parts; /* owns the files, into which all places and tokens point */
    gt_include_fn include;
    void *user;
    gt_text body;     /* text of all files, with a #line directive where another file begins */
    bool has_headers; /* true if there are headers that only the compiler reads */
    GT_ARRAY(gt_clause) clauses;
    struct gt_conditions *conditions; /* #if directives that are open at the current position */
    int depth;
    const char *stack[32];
} gt_template_reader;

/* Reads a copy of `text` and all files that it includes. ETEMPLATE if a clause or comment does not
 * end, if an included file is missing or includes itself, or if the texts are too large. */
gputune_status gt_reader_run(gt_template_reader *reader, const char *path, const char *text);
void gt_reader_free(gt_template_reader *reader);

/* Removes the clauses and functions of all other kernels. NULL stands for the first kernel.
 * ENOTFOUND if there is no such kernel, ETEMPLATE if two kernels have the same name. */
gputune_status gt_select_kernel(gt_template_reader *reader, const char *kernel);
/* Appends a line `#line LINE "FILE"`. FILE is the name of the file without its directories. */
void gt_line_mark_append(gt_text *out, int line, const char *path);
/* Returns the line number at offset `at`, which depends on the #line directives in `text`. Sets
 * *file to the name of the file in the directive, or to an empty token. */
int gt_line_at(gt_token *file, const char *text, size_t at);
/* Appends all newlines between `from` and `to`, so line numbers do not change. */
void gt_newlines_append(gt_text *out, const char *from, const char *to);
/* Blanks the functions with these names, unless an #if splits their brackets. May return ENOMEM. */
gputune_status gt_functions_cut(char *text, const char *const *names, size_t count);
/* Appends the tokens of a text. They are separated by single blanks, and each directive is on a
 * line of its own. Leaves out #line directives. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
