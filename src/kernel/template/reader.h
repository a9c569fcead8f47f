/* Reads a template's files into one text. Included files of the template are inserted, and the
 * lines of its pragmas are blanked and read as clauses. */
#pragma once

#include "kernel/template/declared.h"

#include "base/array.h"
#include "base/text.h"

/* A clause, `word(…)`. `body` is a lexer on the text between the parentheses. */
typedef struct gt_clause {
    char word[GT_NAME_MAX];
    gt_place place;
    gt_lexer body;
} gt_clause;

typedef struct gt_template_reader {
    gt_template_parts *parts; /* owns the files into which places and tokens point */
    gt_include_fn include;
    void *user;
    gt_text body;     /* the joined text, with a #line mark wherever the file changes */
    bool has_headers; /* true if there are headers that only the compiler reads */
    GT_ARRAY(gt_clause) clauses;
    struct gt_conditions *conditions; /* conditions of the current directive */
    int depth;
    const char *stack[32];
} gt_template_reader;

/* Reads a copy of `text` and the files that it includes. ETEMPLATE for unterminated clauses and
 * comments, for missing and circular includes, and for texts that are too large. */
gputune_status gt_reader_run(gt_template_reader *reader, const char *path, const char *text);
void gt_reader_free(gt_template_reader *reader);

/* Removes the clauses and functions of all kernels except `kernel` (NULL: the first kernel).
 * ENOTFOUND if there is no such kernel, ETEMPLATE if two kernels have the same name. */
gputune_status gt_select_kernel(gt_template_reader *reader, const char *kernel);
/* Returns the last part of a path. */
const char *gt_base_name(const char *path);
/* Appends `#line LINE "FILE"`, with only the last part of the path, and a newline. */
void gt_line_mark_append(gt_text *out, int line, const char *path);
/* Returns the line of position `at` according to the marks in `text`. Sets *file to the token of
 * its file's name, which may be empty. */
int gt_line_at(gt_token *file, const char *text, size_t at);
/* Appends the newlines of a text that is left out, so line numbers do not change. */
void gt_newlines_append(gt_text *out, const char *from, const char *to);
/* Blanks the declarations of these functions, except those whose brackets an #if divides.
 * ENOMEM. */
gputune_status gt_functions_cut(char *text, const char *const *names, size_t count);
/* Appends the tokens of a text, separated by single blanks, and directives on separate lines. Omits
 * #line. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
