/* Maps the lines of a joined text to those of its file, and puts lines in front of them. */
#include "draft/lines.h"

#include "kernel/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* `#line N "FILE"`: the number, or 0; *is_own: the file is `name`. */
static int line_mark(const char *line, const char *name, bool *is_own)
{
    static const char mark[] = "#line ";
    char *rest;
    if (strncmp(line, mark, sizeof mark - 1) != 0) {
        return 0;
    }
    const long number = strtol(line + sizeof mark - 1, &rest, 10);
    const size_t length = strlen(name);
    *is_own = strncmp(rest, " \"", 2) == 0 && strncmp(rest + 2, name, length) == 0 &&
              rest[2 + length] == '"';
    return (int)number;
}

/* Whether the reader has put the line in front of a header with `#pragma once`. */
static bool is_guard(const char *line)
{
    static const char mark[] = "#ifndef GPUTUNE_ONCE_", also[] = "#define GPUTUNE_ONCE_";
    return strncmp(line, mark, sizeof mark - 1) == 0 || strncmp(line, also, sizeof also - 1) == 0;
}

gputune_status gt_lines_read(gt_lines *lines, const char *text, const char *path)
{
    const char *name = gt_base_name(path);
    bool is_own = true;
    int own = 1; /* the file's next line */
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool to_own = is_own;
        int number = line_mark(line, name, &to_own);
        if (number > 0) {
            is_own = to_own;
            own = is_own ? number : own;
        }
        int at = is_own && number == 0 && !is_guard(line) ? own++ : -own;
        GT_TRY(gt_array_push(&lines->own, at));
        line += length + (line[length] == '\n');
    }
    return GPUTUNE_OK;
}

void gt_lines_free(gt_lines *lines)
{
    for (size_t i = 0; i < lines->insertions.count; i++) {
        gt_text_free(&lines->insertions.items[i].text);
    }
    gt_array_free(&lines->insertions);
    gt_array_free(&lines->own);
}

int gt_lines_of(const gt_lines *lines, int joined)
{
    bool is_there = joined > 0 && (size_t)joined <= lines->own.count;
    return is_there ? abs(lines->own.items[joined - 1]) : 1;
}

bool gt_lines_is_own(const gt_lines *lines, int joined)
{
    return joined > 0 && (size_t)joined <= lines->own.count && lines->own.items[joined - 1] > 0;
}

gputune_status gt_lines_insert(gt_lines *lines, int line, const char *format, ...)
{
    gt_insertion added = {.line = line};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&added.text, format, args);
    va_end(args);
    if (added.text.failed || gt_array_push(&lines->insertions, added) != GPUTUNE_OK) {
        gt_text_free(&added.text);
        return gt_fail_memory();
    }
    return GPUTUNE_OK;
}

gputune_status gt_lines_enclose(gt_lines *lines, int first, int last, const char *macro)
{
    GT_TRY(gt_lines_insert(lines, first, "#ifndef %s\n", macro));
    GT_TRY(gt_lines_insert(lines, last + 1, "#endif\n"));
    lines->insertions.items[lines->insertions.count - 1].closes = true;
    return GPUTUNE_OK;
}

static void append_insertions(gt_text *out, const gt_lines *lines, int line)
{
    for (int opens = 0; opens < 2; opens++) {
        for (size_t i = 0; i < lines->insertions.count; i++) {
            const gt_insertion *insertion = &lines->insertions.items[i];
            bool is_here = insertion->line == line && insertion->closes == !opens;
            gt_text_append(out, is_here ? gt_text_string(&insertion->text) : "");
        }
    }
}

gputune_status gt_lines_join(char **out, const gt_lines *lines, const char *text)
{
    gt_text joined = {0};
    int line = 1;
    while (*text) {
        size_t length = strcspn(text, "\n");
        append_insertions(&joined, lines, line++);
        gt_text_append_bytes(&joined, text, length);
        gt_text_append(&joined, "\n");
        text += length + (text[length] == '\n');
    }
    append_insertions(&joined, lines, line);
    return gt_text_take(out, &joined);
}
