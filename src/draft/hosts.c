/* Puts aside what of a file is for the host alone. */
#include "draft/lines.h"

#include "kernel/host_code.h"
#include "kernel/types.h"

#include <string.h>

typedef struct hosts {
    gt_lines *lines;
    const gt_program *program;
    const char *text; /* with what it includes */
    const char *file; /* the file's own */
} hosts;

static const char of_device[] = "__device__ __global__ __constant__ __shared__ __managed__";

/* Puts lines of the file aside, unless they are so already. */
static gputune_status enclose(const hosts *h, int first, int last)
{
    static const char before[] = "#ifndef __CUDACC_RTC__\n";
    const char *line = h->file;
    for (int i = 2; i < first && line; i++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    bool is_so = first > 1 && line && strncmp(line, before, sizeof before - 1) == 0;
    return is_so ? GPUTUNE_OK : gt_lines_enclose(h->lines, first, last, "__CUDACC_RTC__");
}

/* The end of the declaration at `first`, behind its semicolon or body. */
static size_t declaration_end(const hosts *h, size_t first)
{
    const gt_program *p = h->program;
    for (size_t at = first; at < p->own; at++) {
        if (gt_program_is(p, at, ";") ||
            (gt_program_is(p, at, "{") && gt_program_is_scope(p, at))) {
            return at + 1;
        }
        bool is_body = gt_program_is(p, at, "{") && gt_program_is(p, at - 1, ") const");
        at = gt_program_is(p, at, "( [ {") ? gt_program_close(p, at) : at;
        if (is_body) {
            return at + 1;
        }
    }
    return p->own;
}

/* Whether a kernel reads what the declaration gives a name to. */
static bool is_read(const hosts *h, gt_span declaration)
{
    const gt_program *p = h->program;
    bool is = gt_program_first(p, declaration, of_device) < declaration.end;
    for (size_t i = declaration.first; i < declaration.end && !is; i++) {
        const size_t enum_end = gt_program_is(p, declaration.first, "enum") ? declaration.end : 0;
        i = i >= enum_end && gt_program_is(p, i, "( [ {") ? gt_program_close(p, i) : i;
        is = gt_token_at(h->program, i)->kind == GT_TOKEN_NAME && !gt_program_is_word(p, i) &&
             gt_program_on_device(p, gt_token_at(h->program, i));
    }
    return is;
}

/* ---- declarations ---- */

/* Whether the declaration is a variable's or a function's without a body, of a type that is neither
 * a number nor void. */
static bool has_foreign_type(const hosts *h, gt_span declaration)
{
    static const char others[] = "typedef using template enum namespace union class extern friend "
                                 "const constexpr inline #";
    const gt_program *p = h->program;
    gt_span rest = declaration;
    (void)gt_program_accept(p, &rest, "static");
    const bool is_struct = gt_program_accept(p, &rest, "struct");
    const char *name = GT_NAME(p, rest.first);
    return !gt_program_is(p, rest.first, others) &&
           gt_token_at(h->program, rest.first)->kind == GT_TOKEN_NAME &&
           gt_program_is(p, declaration.end - 1, ";") &&
           !(is_struct && gt_program_is(p, rest.first + 1, "{ : ;")) && !gt_is_type(name) &&
           !gt_program_is(p, rest.first, "void unsigned signed long short volatile");
}

static gputune_status put_aside(const hosts *h, gt_span declaration)
{
    const int first = gt_token_at(h->program, declaration.first)->line,
              last = gt_token_at(h->program, declaration.end - 1)->line;
    const bool is_alone =
        (declaration.first == 0 || gt_token_at(h->program, declaration.first - 1)->line < first) &&
        (declaration.end == h->program->own ||
         gt_token_at(h->program, declaration.end)->line > last);
    return is_alone && gt_lines_is_own(h->lines, first) && gt_lines_is_own(h->lines, last)
               ? enclose(h, gt_lines_of(h->lines, first), gt_lines_of(h->lines, last))
               : GPUTUNE_OK;
}

static gputune_status put_declarations_aside(const hosts *h)
{
    for (gt_span one = {0, 0}; one.first < h->program->own; one.first = one.end) {
        one.end = declaration_end(h, one.first);
        if (has_foreign_type(h, one) && !is_read(h, one)) {
            GT_TRY(put_aside(h, one));
        }
    }
    return GPUTUNE_OK;
}

/* ---- headers ---- */

/* Whether what the joined text has of the line's header, which may be nothing where another one has
 * included it before, gives no name to a kernel. */
static bool is_unread(const hosts *h, int line)
{
    const gt_program *p = h->program;
    bool is_there = false;
    for (size_t i = 0; i < h->lines->own.count && !is_there; i++) {
        is_there = h->lines->own.items[i] == -line;
    }
    for (gt_span one = {0, 0}; one.first < p->own; one.first = one.end) {
        const int at = gt_token_at(h->program, one.first)->line;
        one.end = declaration_end(h, one.first);
        if (gt_lines_of(h->lines, at) == line && !gt_lines_is_own(h->lines, at) &&
            is_read(h, one)) {
            return false;
        }
    }
    for (size_t i = 0; i < p->macros.count; i++) {
        const gt_token *name = gt_token_at(h->program, p->macros.items[i].name);
        const bool is_here = name->text >= h->text && name->text < h->text + strlen(h->text);
        if (is_here && gt_lines_of(h->lines, name->line) == line &&
            !gt_lines_is_own(h->lines, name->line) && gt_program_on_device(p, name)) {
            return false;
        }
    }
    return is_there;
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

/* Whether the header includes one of the system's that a kernel may need. */
static bool includes_others(const hosts *h, int line)
{
    gt_token found;
    bool has = false;
    for (gt_lexer lexer = gt_lexer_of(h->text); !has && next_include(&found, &lexer);) {
        const char *name = GT_TOKEN_TEXT(&found);
        has = found.text[-1] == '<' && gt_lines_of(h->lines, found.line) == line &&
              !gt_lines_is_own(h->lines, found.line) && !gt_header_is_hosts(name) &&
              !gt_header_is_known(name) && !gt_header_is_of_c(name);
    }
    return has;
}

static gputune_status note_missing(const hosts *h, const gt_token *name)
{
    const int line = gt_lines_of(h->lines, name->line);
    const char *path = GT_TOKEN_TEXT(name);
    const bool is_local = name->text[-1] == '"';
    GT_TRY(gt_lines_insert(h->lines, line, "// ? %.*s is not %s\n", (int)name->length + 2,
                           name->text - 1, is_local ? "beside this file" : "found"));
    return gt_header_is_hosts(path) ? GPUTUNE_OK : enclose(h, line, line);
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
    for (gt_lexer lexer = gt_lexer_of(h->file); next_include(&name, &lexer);) {
        bool is_hosts = is_unread(h, name.line) && !includes_others(h, name.line);
        GT_TRY(is_hosts ? enclose(h, name.line, name.line) : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

static bool has(const hosts *h, const char *word)
{
    const gt_span own = {0, h->program->own};
    return gt_program_first(h->program, own, word) < own.end;
}

/* Types that a program has from headers of the host, such as <cublas_v2.h>, and a word that C++ has
 * no longer. */
static gputune_status add_headers(const hosts *h)
{
    static const char no_register[] = "#ifdef __CUDACC_RTC__\n#define register\n#endif\n";
    static const char *const types[][2] = {{"__nv_bfloat16", "cuda_bf16.h"},
                                           {"__half", "cuda_fp16.h"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (has(h, types[i][0]) && !strstr(h->text, types[i][1])) {
            GT_TRY(gt_lines_insert(h->lines, 1, "#include <%s>\n", types[i][1]));
        }
    }
    return has(h, "register") && !strstr(h->file, no_register)
               ? gt_lines_insert(h->lines, 1, "%s", no_register)
               : GPUTUNE_OK;
}

gputune_status gt_hosts_put_aside(gt_lines *lines, const gt_program *program, const char *text,
                                  const char *file, const gt_texts *missing)
{
    const hosts h = {lines, program, text, file};
    GT_TRY(put_headers_aside(&h, missing));
    for (gt_lexer lexer = gt_lexer_of(file), line; gt_lexer_find_directive(&lexer, &line);) {
        GT_TRY(gt_lexer_is(&line, "error") ? enclose(&h, line.token.line, line.token.line)
                                           : GPUTUNE_OK);
    }
    GT_TRY(add_headers(&h));
    return put_declarations_aside(&h);
}
