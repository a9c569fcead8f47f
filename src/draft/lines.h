/* The lines of the file that a draft is made of: which the joined text has from where, and what is
 * put in front of them. */
#pragma once

#include "draft/program.h"

#include "base/text.h"

typedef struct gt_insertion {
    int line;
    bool closes; /* comes in front of what opens at the same line */
    char *text;
} gt_insertion;

typedef struct gt_lines {
    GT_ARRAY(int)
    own; /* of each line of the joined text: the file's line, or, of what is
included, less than 0: the line that includes it */
    GT_ARRAY(gt_insertion) insertions;
} gt_lines;

/* Reads the marks of `text`, as gt_reader_run() made it of the file `path`. */
gputune_status gt_lines_read(gt_lines *lines, const char *text, const char *path);
void gt_lines_free(gt_lines *lines);
/* The file's line of a line of the joined text: of what is included, that of the #include. */
int gt_lines_of(const gt_lines *lines, int joined);
/* Whether that line of the joined text is in the file itself. */
bool gt_lines_is_own(const gt_lines *lines, int joined);
/* Puts the text in front of a line of the file; takes what `text` has. */
gputune_status gt_lines_insert(gt_lines *lines, int line, gt_text *text);
/* Puts lines of the file, both included, where the macro is not defined. */
gputune_status gt_lines_enclose(gt_lines *lines, int first, int last, const char *macro);
/* The file's text with what is inserted; *out is the caller's. */
gputune_status gt_lines_join(char **out, const gt_lines *lines, const char *text);
