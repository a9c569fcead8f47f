/* Reads a template's files into one text. Inserts the template's own include files. Blanks pragma
 * lines and collects their clauses. */
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
    gt_template_parts *parts; /* owner of the files to which places and tokens point */
    gt_include_fn include;
    void *user;
    gt_text body;     /* the joined text, with a #line mark wherever the file changes */
    bool has_headers; /* true if there are headers that only the compiler reads */
    GT_ARRAY(gt_clause) clauses;
    struct gt_conditions *conditions; /* the open #if conditions at the current directive */
    int depth;
    const char *stack[32];
} gt_template_reader;

/* Reads a copy of `text` and the files that it includes. ETEMPLATE for unterminated clauses or
 * comments, missing or circular includes, and texts that are too large. */
gputune_status gt_reader_run(gt_template_reader *reader, const char *path, const char *text);
void gt_reader_free(gt_template_reader *reader);

/* Removes the clauses and functions of all kernels except `kernel` (NULL: the first kernel).
 * ENOTFOUND for an unknown kernel, ETEMPLATE if two kernels have the same name. */
gputune_status gt_select_kernel(gt_template_reader *reader, const char *kernel);
/* Returns the last component of a path. */
const char *gt_base_name(const char *path);
/* Appends `#line LINE "FILE"` and a newline. FILE is the last component of the path. */
void gt_line_mark_append(gt_text *out, int line, const char *path);
/* Returns the line number at offset `at`, according to the marks in `text`. Sets *file to the file
 * name token, which may be empty. */
int gt_line_at(gt_token *file, const char *text, size_t at);
/* Appends the newlines between `from` and `to`, so line numbers do not change. */
void gt_newlines_append(gt_text *out, const char *from, const char *to);
/* Blanks the declarations of functions, except those whose brackets an #if splits. ENOMEM. */
gputune_status gt_functions_cut(char *text, const char *const *names, size_t count);
/* Appends the tokens of a text with single blanks, and each directive on a separate line. Omits
 * #line. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
