/* Reads a template's files into one text: the template's own included files are inserted, and the
 * lines of its pragmas are blanked and parsed into clauses. */
#pragma once

#include "kernel/template/declared.h"

#include "base/array.h"
#include "base/text.h"

/* One `word(…)` of a pragma. `body` is a lexer over what stands between the parentheses. */
typedef struct gt_clause {
    char word[GT_NAME_MAX];
    gt_place place;
    gt_lexer body;
} gt_clause;

typedef struct gt_template_reader {
    gt_template_parts *parts; /* keeps the files, which places and tokens point into */
    gt_include_fn include;
    void *user;
    gt_text body;    /* the text, with a #line mark wherever the file changes */
    gt_hash headers; /* of the names and digests of the headers that the compiler itself reads */
    bool has_headers;
    GT_ARRAY(gt_clause) clauses;
    struct gt_conditions *conditions; /* around the directive that is read */
    int depth;
    const char *stack[32];
} gt_template_reader;

/* Reads `text` (copied) and the files that it includes. ETEMPLATE for unterminated clauses and
 * comments, missing and circular includes, and texts that are too large. */
gputune_status gt_reader_run(gt_template_reader *reader, const char *path, const char *text);
void gt_reader_free(gt_template_reader *reader);

/* Removes the clauses and functions of all kernels but `kernel` (NULL: the first). ENOTFOUND: there
 * is no such kernel. ETEMPLATE: two kernels have one name. */
gputune_status gt_select_kernel(gt_template_reader *reader, const char *kernel);
/* The last part of a path. */
const char *gt_base_name(const char *path);
/* Appends `#line LINE "FILE"` with the path's last part, and a newline. */
void gt_line_mark_append(gt_text *out, int line, const char *path);
/* Returns the line of a place by these marks, and the token of its file's name, maybe empty. */
int gt_line_at(gt_token *file, const char *text, size_t at);
/* Appends the newlines of a text that is left out: lines keep their numbers. */
void gt_newlines_append(gt_text *out, const char *from, const char *to);
/* Blanks all declarations of these functions, or only `instantiations`, if they can be cut out. */
void gt_functions_cut(char *text, const char *const *names, size_t count, bool instantiations);
/* Appends a text's tokens with single blanks; directives have lines of their own, and no #line. */
void gt_tokens_append(gt_text *out, const char *text, size_t length);
