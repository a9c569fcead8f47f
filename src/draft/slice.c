/* Extracts the code that the kernels need. The program's own headers are inserted in place of their
 * #include lines, and kernel/text/reach.h determines which declarations are needed. */
#include "draft/parts.h"

#include "base/hash_index.h"
#include "kernel/text/branches.h"
#include "kernel/text/reach.h"

#include <string.h>

/* An edit of a line: adds a pragma before a loop, or replaces an #include by the header. */
typedef struct edit {
    void *file;
    unsigned line;
    bool is_loop;
    void *header; /* the header, or NULL if this is a loop */
} edit;

/* The file and line that a line of the joined text comes from. */
typedef struct origin {
    const char *path;
    unsigned line;
} origin;

/* A #define or #undef of a macro, or a #pragma once. */
typedef struct directive {
    size_t begin, end;
    gt_lexer rest; /* the rest of the line, beginning with the name of the macro */
    bool kept;
} directive;

static const char *const unroll[] = {"#if UNROLL > 0", "#pragma unroll UNROLL", "#endif"};

static struct {
    GT_ARRAY(edit) edits;
    GT_ARRAY(void *) libraries; /* files that are included with angle brackets */
    GT_ARRAY(void *) written;   /* files that are already in the joined text */
    gt_text joined;             /* the text of the program and of its own headers */
    GT_ARRAY(origin) lines;     /* where the lines of the joined text come from */
    gt_text roots;              /* names that are used in clauses */
    gt_hash_index names;        /* hashes of all names in the extracted code */
} s;

/* ---- one text -------------------------------------------------------------------------------- */

#define has_file(files, file) has_file_in((files).items, (files).count, file)
static bool has_file_in(void *const *files, size_t count, void *file)
{
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        found |= cx.File_isEqual(files[i], file);
    }
    return found;
}

/* Records the file that an #include names. The file belongs to a library if it is included as
 * <name> or from a library's file, otherwise to the program. */
static void note_inclusion(cx_cursor at)
{
    const draft_extent e = draft_extent_of(at);
    const edit change = {e.file, e.line, false, cx.getIncludedFile(at)};
    const char *name = e.text + e.begin + strcspn(e.text + e.begin, "<\"\n");
    if (change.header && (*name == '<' || has_file(s.libraries, e.file))) {
        draft_add(&s.libraries, change.header);
    } else if (change.header) {
        draft_add(&s.edits, change);
    }
}

/* Returns true if the loop's condition is a comparison with a constant. */
static bool has_known_bound(cx_cursor loop)
{
    const draft_cursors parts = draft_children(loop);
    int64_t number;
    bool found = false;
    for (size_t i = 0; i + 1 < parts.count; i++) {
        const int op = cx.getCursorBinaryOperatorKind(parts.items[i]);
        const draft_cursors sides = draft_children(parts.items[i]);
        found |= parts.items[i].kind == CX_BINARY && sides.count == 2 && op >= CX_LT &&
                 op <= CX_NE && draft_is_constant(&number, sides.items[1]);
    }
    return found;
}

static int note_loop(cx_cursor at, cx_cursor parent, void *user)
{
    if (at.kind >= CX_WHILE && at.kind <= CX_FOR) {
        draft_extent e = draft_extent_of(at);
        bool fits = at.kind == CX_FOR && parent.kind == CX_COMPOUND && has_known_bound(at);
        e.end = fits ? e.end : 0; /* 0: do not add a pragma to the loop */
        draft_add((draft_extents *)user, e);
    }
    return at.kind == CX_LAMBDA ? CX_CONTINUE_VISIT : CX_RECURSE_VISIT;
}

/* Adds `unroll` before each innermost `for` loop with a constant bound. Skips loops that have a
 * pragma, and loops that are preceded by other code on their line. */
static void unroll_loops(draft_decl *kernel)
{
    draft_extents loops = {0};
    cx.visitChildren(kernel->at, note_loop, &loops);
    for (size_t i = 0; i < loops.count; i++) {
        const draft_extent *e = &loops.items[i];
        const edit change = {e->file, e->line, true, NULL};
        const bool is_outer = i + 1 < loops.count && e[1].begin < e->end;
        const char *line = e->text + e->begin;
        while (line > e->text && strchr(" \t", line[-1])) {
            line--;
        }
        if (!is_outer && e->end && line > e->text && line[-1] == '\n' &&
            strncmp(e->text + e->begin, "for", 3) == 0) {
            draft_add(&s.edits, change);
            kernel->unrolls = true;
        }
    }
}

static void append_line(const char *text, size_t length, const char *path, unsigned line)
{
    const origin from = {path, line};
    gt_text_append_bytes(&s.joined, text, length);
    gt_text_append(&s.joined, length && text[length - 1] == '\n' ? "" : "\n");
    draft_add(&s.lines, from);
}

/* Appends the text of a file after applying its edits. A header is appended only once. */
static void append_file(void *unit, void *file)
{
    size_t bytes = 0;
    const char *text = cx.getFileContents(unit, file, &bytes);
    const char *path = draft_string(cx.getFileName(file));
    draft_add(&s.written, file);
    for (unsigned line = 1; text && *text; line++) {
        const size_t length = strcspn(text, "\n") + (strchr(text, '\n') != NULL);
        const edit *change = NULL;
        for (size_t i = 0; i < s.edits.count; i++) {
            const edit *e = &s.edits.items[i];
            change = e->file == file && e->line == line ? e : change;
        }
        if (change && change->header && !has_file(s.written, change->header)) {
            append_file(unit, change->header);
        }
        for (unsigned i = 0; change && change->is_loop && i < sizeof unroll / sizeof *unroll; i++) {
            append_line(unroll[i], strlen(unroll[i]), "", 0);
        }
        if (!change || change->is_loop) {
            append_line(text, length, path, line);
        }
        text += length;
    }
}

/* Joins the macros of the -D options and the texts of the files into one text. */
static void join_texts(const draft_program *program)
{
    const gt_draft_request *request = program->request;
    s.joined.length = s.lines.count = s.written.count = 0;
    for (size_t i = 0; i < request->argument_count; i++) {
        const char *word = request->arguments[i];
        if (strncmp(word, "-D", 2) == 0) {
            const size_t length = strcspn(word + 2, "=");
            const char *value = word[2 + length] ? word + 3 + length : "1";
            const char *line = draft_format("#define %.*s %s\n", (int)length, word + 2, value);
            append_line(line, strlen(line), "", 0);
        }
    }
    append_file((void *)(uintptr_t)program->root.data[2], draft_extent_of(program->root).file);
}

/* ---- cutting --------------------------------------------------------------------------------- */

/* Returns GT_UNKNOWN if the name may be a macro of the compiler (_NAME) or of a library. */
static gt_meaning meaning_of(const void *user, const gt_token *name, int64_t *value)
{
    (void)user;
    (void)value;
    const char *own = draft_format("%.*s", (int)name->length, name->text);
    const bool is_own = gt_has_directive(gt_text_string(&s.joined), "define", own);
    return strcmp(own, "UNROLL") == 0                      ? GT_OPEN
           : !is_own && (*own == '_' || s.libraries.count) ? GT_UNKNOWN
                                                           : GT_UNDEFINED;
}

static void add_names(gt_lexer lexer)
{
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        if (lexer.token.kind == GT_TOKEN_NAME) {
            uint32_t number;
            const gt_hash name = gt_hash_bytes(lexer.token.text, lexer.token.length);
            draft_need_memory(gt_hash_index_intern(&s.names, name, s.names.count, &number));
        }
    }
}

/* Collects the names in the code, and removes macros that neither the code nor other macros use. */
static void cut_macros(char *text)
{
    GT_ARRAY(directive) macros = {0};
    gt_lexer lexer = gt_lexer_of(text), line;
    while (lexer.token.kind != GT_TOKEN_END) {
        directive d = {.begin = (size_t)(lexer.token.text - text)};
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            add_names(gt_lexer_on(lexer.token.text, lexer.token.length));
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        d.end = (size_t)(line.end - text);
        d.rest = line;
        if (gt_lexer_accept_any(&d.rest, "define undef") >= 0 ||
            (gt_lexer_accept(&d.rest, "pragma") && gt_lexer_is(&d.rest, "once"))) {
            draft_add(&macros, d);
        } else {
            add_names(line);
        }
    }
    for (size_t i = 0; i < macros.count; i++) {
        const gt_token *name = &macros.items[i].rest.token;
        if (!macros.items[i].kept &&
            draft_slice_has(draft_format("%.*s", (int)name->length, name->text))) {
            macros.items[i].kept = true;
            add_names(macros.items[i].rest);
            i = (size_t)-1; /* start again, because this macro may use earlier ones */
        }
    }
    for (size_t i = 0; i < macros.count; i++) {
        if (!macros.items[i].kept) {
            gt_blank(text, macros.items[i].begin, macros.items[i].end);
        }
    }
}

/* Returns an array that is true for lines with code. Empty namespaces do not count as code. */
static bool *lines_with_code(const char *text)
{
    bool *out = draft_new(s.lines.count + 1), is_namespace = false;
    gt_lexer lexer = gt_lexer_of(text), directive;
    for (size_t line = 0; lexer.token.kind != GT_TOKEN_END;) {
        for (; text < lexer.token.text; text++) {
            line += *text == '\n';
        }
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &directive);
            continue;
        }
        is_namespace =
            gt_lexer_is(&lexer, "namespace") || (is_namespace && !gt_lexer_is(&lexer, "{"));
        out[line] |= lexer.token.kind == GT_TOKEN_NAME && !is_namespace;
        gt_lexer_next(&lexer);
    }
    return out;
}

/* Removes the #include lines of headers whose code is all removed. */
static void cut_includes(char *text)
{
    const bool *before = lines_with_code(gt_text_string(&s.joined)), *after = lines_with_code(text);
    char *line = text;
    for (size_t i = 0; i < s.lines.count; i++) {
        const size_t length = strcspn(line, "\n");
        bool had_code = false, has_code = false;
        for (size_t k = 0; k < s.lines.count; k++) {
            const bool is_same = s.lines.items[k].path == s.lines.items[i].path;
            had_code |= is_same && before[k];
            has_code |= is_same && after[k];
        }
        if (had_code && !has_code && line[strspn(line, " \t")] == '#' &&
            strncmp(line + strcspn(line, "i\n"), "include", 7) == 0) {
            gt_blank(line, 0, length);
        }
        line += length + (line[length] != '\0');
    }
}

/* Returns the declarations that are needed by the names in `roots`, and all macros. */
static char *cut_declarations(const char *roots)
{
    char *read, *text;
    draft_need_memory(gt_branches_cut(&read, gt_text_string(&s.joined), meaning_of, NULL));
    draft_need_memory(gt_reach_cut(&text, read, read, roots));
    return text;
}

static char *cut_code(void)
{
    char *text = cut_declarations(gt_text_string(&s.roots));
    cut_includes(text);
    cut_macros(text);
    return text;
}

static bool is_blank(const char *text, size_t length)
{
    return strspn(text, " \t\r") >= length;
}

/* Lists the errors that clang reports in the kept lines, without duplicates. */
static void note_problems(gt_texts *out, const draft_program *program, const char *text)
{
    gt_texts known = {0};
    for (size_t i = 0; i < s.lines.count && *text; i++) {
        const size_t length = strcspn(text, "\n");
        const origin *from = &s.lines.items[i];
        for (size_t k = 0; k < program->errors.count && !is_blank(text, length); k++) {
            const draft_extent *at = &program->errors.items[k].at;
            const char *message = program->errors.items[k].message;
            if (at->line == from->line && strcmp(at->path, from->path) == 0 &&
                !draft_has_text(&known, message)) {
                draft_add_text(&known, message);
                draft_add_text(
                    out, draft_format("%s:%u:%u: %s", at->path, at->line, at->column, message));
            }
        }
        text += length + (text[length] != '\0');
    }
}

bool draft_slice_has(const char *name)
{
    uint32_t number;
    return gt_hash_index_find(&number, &s.names, gt_hash_string(name));
}

bool draft_slice_uses(const char *kernel, const char *name)
{
    const gt_token token = gt_lexer_of(name).token;
    return gt_lexer_has(gt_lexer_of(cut_declarations(kernel)), &token);
}

void draft_slice_need(const char *name)
{
    gt_text_printf(&s.roots, " %s", name);
}

void draft_slice_make(gt_texts *problems, const draft_program *program, const draft_decls *kernels)
{
    const draft_cursors children = draft_children(program->root);
    memset(&s, 0, sizeof s);
    for (size_t i = 0; i < children.count; i++) {
        if (children.items[i].kind == CX_INCLUSION) {
            note_inclusion(children.items[i]);
        }
    }
    for (size_t i = 0; i < kernels->count; i++) {
        draft_slice_need(kernels->items[i]->name);
    }
    join_texts(program);
    (void)cut_code(); /* this call only collects the names that the code uses */
    for (size_t i = 0; i < kernels->count && !draft_slice_has("UNROLL"); i++) {
        unroll_loops(kernels->items[i]);
    }
    join_texts(program);
    note_problems(problems, program, cut_code());
}

void draft_slice_write(gt_text *out)
{
    const char *text = cut_code();
    bool was_blank = true;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        const bool blank = is_blank(text, length);
        if (!blank || !was_blank) {
            gt_text_append_bytes(out, blank ? "" : text, blank ? 0 : length);
            gt_text_append(out, "\n");
        }
        was_blank = blank;
        text += length + (text[length] != '\0');
    }
}
