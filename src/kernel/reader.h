/* Reads a template's files into one text: pragmas out (lines kept), its own included files in. */
#pragma once

#include "kernel/template_parts.h"

#include "base/array.h"
#include "base/text.h"

/* One `word(…)` of a pragma. `body` is a lexer over what stands between the parentheses. */
typedef struct gt_clause {
    char word[GT_NAME_MAX];
    gt_place place;
    gt_lexer body;
} gt_clause;

typedef struct gt_reader {
    gt_template_parts *parts; /* files are kept here: places and tokens point into them */
    gt_include_fn include;
    void *user;
    gt_text body;    /* the text, with #line where it changes files */
    gt_hash headers; /* of the names and digests of the headers that are left to the compiler */
    bool has_headers;
    GT_ARRAY(gt_clause) clauses;
    int depth, once_count;
    const char *stack[32];
} gt_reader;

/* Reads `text` (copied) and what it includes. ETEMPLATE for unterminated clauses and comments,
 * includes that are missing or contain themselves, and texts that are too large. */
gputune_status gt_reader_run(gt_reader *reader, const char *path, const char *text);
void gt_reader_free(gt_reader *reader);
/* Releases the files' texts, which places and tokens point into. */
void gt_reader_free_files(gt_template_parts *parts);

/* ---- select.c ---- */

/* Leaves the clauses and functions of one of the text's kernels, and what is for all of them; NULL:
 * of the first. ENOTFOUND for one that is not there, ETEMPLATE for a name that comes twice. */
gputune_status gt_select_kernel(gt_reader *reader, const char *kernel);
/* Appends `#line LINE "FILE"` with the path's last part, and a newline. */
void gt_line_mark_append(gt_text *out, int line, const char *path);
