/* Maps places of a joined text to lines of its file, puts lines in front of them, and puts
 * headers aside that are not found. */
#include "draft/lines.h"

#include "kernel/headers.h"
#include "kernel/reader.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static bool is_own(const gt_lines *lines, const gt_token *file)
{
    const size_t length = strlen(lines->name);
    return file->length == 0 ||
           (file->length == length + 2 && strncmp(file->text + 1, lines->name, length) == 0);
}

int gt_lines_of(bool *own, const gt_lines *lines, size_t at)
{
    gt_token file;
    int line = gt_line_at(&file, lines->text, at);
    *own = is_own(lines, &file);
    for (gt_lexer lexer = gt_lexer_of(lines->text + at), mark;
         !is_own(lines, &file) && gt_lexer_find_directive(&lexer, &mark);) {
        if (gt_lexer_accept(&mark, "line")) { /* behind the #include: in its line */
            line = (int)strtol(mark.token.text, NULL, 10);
            gt_lexer_next(&mark);
            file = mark.token;
        }
    }
    return line;
}

void gt_lines_free(gt_lines *lines)
{
    for (size_t i = 0; i < lines->insertions.count; i++) {
        gt_text_free(&lines->insertions.items[i].text);
    }
    gt_array_free(&lines->insertions);
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

/* ---- what the engine does not leave out itself ------------------------------------------------
 */

typedef struct hosts {
    gt_lines *lines;
    const gt_program *program;
    const char *text; /* with what it includes */
    const char *file; /* the file's own */
} hosts;

/* Puts a line of the file aside, unless it is so already. */
static gputune_status enclose(const hosts *h, int own)
{
    static const char before[] = "#ifndef __CUDACC_RTC__\n";
    const char *line = h->file;
    for (int i = 2; i < own && line; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (own > 1 && line && strncmp(line, before, sizeof before - 1) == 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_lines_insert(h->lines, own, before));
    GT_TRY(gt_lines_insert(h->lines, own + 1, "#endif\n"));
    h->lines->insertions.items[h->lines->insertions.count - 1].closes = true;
    return GPUTUNE_OK;
}

/* The name of the next #include's header, without quotes; false: there is none left. */
static bool next_include(gt_token *name, gt_lexer *lexer)
{
    gt_lexer line;
    while (gt_lexer_find_directive(lexer, &line)) {
        if (gt_lexer_accept(&line, "include") &&
            (gt_token_is_any(&line.token, "<") ||
             (line.token.kind == GT_TOKEN_STRING && line.token.length > 2))) {
            const char *first = line.token.text + 1;
            *name = (gt_token){GT_TOKEN_NAME, first, strcspn(first, "\">\n"), 0, 0};
            return true;
        }
    }
    return false;
}

/* Unless it stands in an included file. */
static gputune_status note_missing(const hosts *h, const gt_token *name)
{
    bool is_own;
    const int line = gt_lines_of(&is_own, h->lines, (size_t)(name->text - h->text));
    const char *path = GT_TOKEN_TEXT(name);
    const bool is_local = name->text[-1] == '"';
    if (!is_own) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_lines_insert(
        h->lines, line, "// ? %.*s is not %s\n", (int)name->length + 2, name->text - 1,
        is_local ? "below this file's folder; -I or GPUTUNE_INCLUDE names its folder" : "found"));
    return gt_header_is_hosts(path) ? GPUTUNE_OK : enclose(h, line);
}

static gputune_status put_headers_aside(const hosts *h, const gt_texts *missing)
{
    gt_token name;
    for (gt_lexer lexer = gt_lexer_of(h->text); next_include(&name, &lexer);) {
        size_t i = 0;
        while (i < missing->count && !gt_token_is(&name, missing->items[i])) {
            i++;
        }
        GT_TRY(i < missing->count ? note_missing(h, &name) : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

/* Types that a program has from headers of the host, such as <cublas_v2.h>. */
static gputune_status add_headers(const hosts *h)
{
    static const char *const types[][2] = {{"__nv_bfloat16", "cuda_bf16.h"},
                                           {"__half", "cuda_fp16.h"}};
    const gt_span own = {0, h->program->own};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        bool has = gt_program_first(h->program, own, types[i][0]) < own.end;
        GT_TRY(has && !strstr(h->text, types[i][1])
                   ? gt_lines_insert(h->lines, 1, "#include <%s>\n", types[i][1])
                   : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

gputune_status gt_lines_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, const gt_texts *missing)
{
    const hosts h = {lines, program, text, file};
    GT_TRY(put_headers_aside(&h, missing));
    for (gt_lexer lexer = gt_lexer_of(file), line; gt_lexer_find_directive(&lexer, &line);) {
        GT_TRY(gt_lexer_is(&line, "error") ? enclose(&h, line.token.line) : GPUTUNE_OK);
    }
    return add_headers(&h);
}
