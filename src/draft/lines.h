/* The lines of the file that a draft is made from. Maps places of the joined text (the file with
 * the files that it includes) to the file's lines, collects texts to insert into the file, and
 * hides headers that are not found from the kernels' compiler. */
#pragma once

#include "draft/program.h"

#include "base/text.h"

typedef struct gt_insertion {
    int line;    /* of the file; `text` is inserted in front of this line */
    bool closes; /* an #endif: it precedes the other insertions at the same line */
    gt_text text;
} gt_insertion;

typedef struct gt_lines {
    const char *text,
        *name; /* the joined text, with #line marks; the file's name without folders */
    GT_ARRAY(gt_insertion) insertions;
} gt_lines;

void gt_lines_free(gt_lines *lines);
/* The file's line for a place of the joined text. *own: the place is in the file itself; else the
 * line is that of the #include. */
int gt_lines_of(bool *own, const gt_lines *lines, size_t at);
/* Inserts a text in front of a line of the file. ENOMEM. */
gputune_status gt_lines_insert(gt_lines *lines, int line, const char *format, ...) GT_PRINTF(3, 4);
/* Copies `text`, the file's own, into *out with all insertions. *out is the caller's to free().
 * ENOMEM. */
gputune_status gt_lines_join(char **out, const gt_lines *lines, const char *text);

/* Encloses what the engine does not leave out itself in #ifndef __CUDACC_RTC__ and #endif: #include
 * of the headers in `missing`, which were not found and get a comment, and #error lines. Adds
 * headers of types that a program has from others. `file` is the file's own text. `text` is the
 * joined text (the file with what it includes), from which `program` and `lines` were made. */
gputune_status gt_lines_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, const gt_texts *missing);
