/* Puts aside what of a file is for the host alone. */
#include "draft/lines.h"

#include "kernel/host_code.h"

#include <string.h>

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
    bool is_so = own > 1 && line && strncmp(line, before, sizeof before - 1) == 0;
    return is_so ? GPUTUNE_OK : gt_lines_enclose(h->lines, own, own, "__CUDACC_RTC__");
}

/* The next #include: the header's name without quotes, and its line; false: there is none left. */
static bool next_include(gt_token *name, gt_lexer *lexer)
{
    gt_lexer line;
    while (gt_lexer_find_directive(lexer, &line)) {
        if (gt_lexer_accept(&line, "include") &&
            (gt_token_is_any(&line.token, "<") ||
             (line.token.kind == GT_TOKEN_STRING && line.token.length > 2))) {
            const char *first = line.token.text + 1;
            *name = (gt_token){GT_TOKEN_NAME, first, strcspn(first, "\">\n"), line.token.line, 1};
            return true;
        }
    }
    return false;
}

static gputune_status note_missing(const hosts *h, const gt_token *name)
{
    const int line = gt_lines_of(h->lines, name->line);
    const char *path = GT_TOKEN_TEXT(name);
    const bool is_local = name->text[-1] == '"';
    GT_TRY(gt_lines_insert(h->lines, line, "// ? %.*s is not %s\n", (int)name->length + 2,
                           name->text - 1, is_local ? "beside this file" : "found"));
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
        GT_TRY(i < missing->count && gt_lines_is_own(h->lines, name.line) ? note_missing(h, &name)
                                                                          : GPUTUNE_OK);
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

gputune_status gt_hosts_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, const gt_texts *missing)
{
    const hosts h = {lines, program, text, file};
    GT_TRY(put_headers_aside(&h, missing));
    for (gt_lexer lexer = gt_lexer_of(file), line; gt_lexer_find_directive(&lexer, &line);) {
        GT_TRY(gt_lexer_is(&line, "error") ? enclose(&h, line.token.line) : GPUTUNE_OK);
    }
    return add_headers(&h);
}
