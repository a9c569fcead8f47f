/* Reads a template with its includes, collects its clauses, and selects one of its kernels. */
#include "kernel/template/parse.h"

#include "kernel/text/branches.h"
#include "kernel/text/types.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, CLAUSES_MAX = 512, TEXT_MAX = 8 << 20, NAME_BYTES = 512 };

static const char prelude_name[] = "gputune.cuh";

static gputune_status read_file(gt_template_reader *reader, gt_source_file *file);

/* Replaces quotes, backslashes and control characters, because #line cannot escape them. */
void gt_line_mark_append(gt_text *out, int line, const char *path)
{
    gt_text_printf(out, "#line %d \"", line);
    for (const char *c = gt_base_name(path); *c; c++) {
        gt_text_append_bytes(out, *c == '"' || *c == '\\' || *c < ' ' ? "_" : c, 1);
    }
    gt_text_append(out, "\"\n");
}

/* Removes a UTF-8 byte order mark, which would hide a directive in the first line. */
static void drop_mark(char *text)
{
    static const char mark[] = "\xef\xbb\xbf";
    if (strncmp(text, mark, sizeof mark - 1) == 0) {
        memmove(text, text + sizeof mark - 1, strlen(text + sizeof mark - 1) + 1);
    }
}

/* Moves splicing backslashes to the ends of their lines: NVRTC allows no blanks after them. */
static void move_splices(char *text)
{
    for (char *at = text; (at = strchr(at, '\\')); at++) {
        char *end = at + 1 + strspn(at + 1, " \t\r");
        if (*end == '\n') {
            *at = ' ';
            end[-1] = '\\';
        }
    }
}

/* Blanks the attributes in `namespace [[deprecated]] a __attribute__((…)) {`. */
static void blank_attributes(char *text, gt_lexer lexer)
{
    while (lexer.token.kind != GT_TOKEN_END && !gt_token_is_any(&lexer.token, "{ } ; = (")) {
        const char *begin = lexer.token.text;
        const bool is_attribute =
            gt_lexer_accept(&lexer, "__attribute__") || gt_lexer_is(&lexer, "[");
        const char *end = gt_lexer_skip(&lexer, "( [", ") ]");
        if (is_attribute && end) {
            gt_blank(text, (size_t)(begin - text), (size_t)(end + 1 - text));
        }
    }
}

/* Replaces the digraphs <% %> <: :> and %:, and __attribute__((global)), in place. Blanks the
 * attributes of namespaces. */
static void replace_spellings(char *text)
{
    static const char digraphs[][3] = {"<%{", "%>}", "<:[", ":>]", "%:#"};
    for (gt_lexer lexer = gt_lexer_of(text); lexer.token.kind != GT_TOKEN_END;
         gt_lexer_next(&lexer)) {
        char *at = text + (lexer.token.text - text);
        gt_lexer ahead = lexer;
        gt_lexer_next(&ahead);
        const char *second = ahead.token.text;
        /* a digraph has nothing but line splices between its two characters */
        const bool is_one = lexer.token.length == 1 && *second &&
                            at + 1 + strspn(at + 1, "\\\n") == second && second[1] != ':';
        for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs && is_one; i++) {
            if (at[0] == digraphs[i][0] && second[0] == digraphs[i][1]) {
                at[0] = digraphs[i][2];
                text[second - text] = ' ';
                break;
            }
        }
        if (gt_lexer_is(&lexer, "namespace")) {
            blank_attributes(text, ahead);
        }
        if (gt_lexer_is(&lexer, "__attribute__") && gt_lexer_accept(&ahead, "(") &&
            gt_lexer_accept(&ahead, "(") && gt_lexer_accept(&ahead, "global") &&
            gt_lexer_accept(&ahead, ")") && gt_lexer_is(&ahead, ")")) {
            gt_blank(at, 0, (size_t)(ahead.token.text + 1 - at));
            memcpy(at, "__global__", strlen("__global__"));
        }
    }
}

static gputune_status new_file(gt_source_file **out, gt_template_reader *reader, char *path,
                               char *text)
{
    gt_template_parts *parts = reader->parts;
    gputune_status kept = gt_keep(parts, path), also = gt_keep(parts, text);
    GT_TRY(kept);
    GT_TRY(also);
    GT_REFUSE(parts->file_count == GT_FILES_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: more than %d included files; expected fewer", parts->files[0].path,
              GT_FILES_MAX);
    *out = &parts->files[parts->file_count++];
    drop_mark(text);
    move_splices(text);
    replace_spellings(text);
    **out = (gt_source_file){path, text};
    return GPUTUNE_OK;
}

static bool has_guard(const char *text)
{
    gt_lexer lexer = gt_lexer_of(text), line;
    return lexer.token.kind == GT_TOKEN_DIRECTIVE && gt_lexer_find_directive(&lexer, &line) &&
           gt_lexer_accept(&line, "ifndef") &&
           gt_has_directive(text, "define", GT_TOKEN_TEXT(&line.token));
}

static gputune_status join_text(gt_template_reader *reader, char *path, char *text)
{
    gt_source_file *file = NULL;
    GT_TRY(new_file(&file, reader, path, text));
    bool once = gt_has_directive(text, "pragma", "once");
    if (once) {
        unsigned long long hash = gt_hash64(text, strlen(text));
        gt_text_printf(&reader->body,
                       "#ifndef GPUTUNE_ONCE_%016llx\n#define GPUTUNE_ONCE_%016llx\n", hash, hash);
    }
    gt_line_mark_append(&reader->body, 1, path);
    GT_TRY(read_file(reader, file));
    gt_text_append(&reader->body, once ? "#endif\n" : "");
    return GPUTUNE_OK;
}

typedef enum directive_use { KEPT, BLANKED, REPLACED } directive_use;

static gputune_status join_include(gt_template_reader *reader, const gt_include *include,
                                   gt_place place, directive_use *out)
{
    gt_included found = {0};
    gputune_status status = reader->include
                                ? reader->include(reader->user, include, &found)
                                : gt_fail(GPUTUNE_ENOTFOUND, "no file '%s'", include->name);
    if (status == GPUTUNE_ENOTFOUND) {
        reader->has_headers = true;
        GT_REFUSE_AT(include->join, place,
                     "file '%s' was not found; expected one in the template's folder",
                     include->name);
        return GPUTUNE_OK;
    }
    if (status < 0) {
        return gt_fail_prefix(status == GPUTUNE_EIO ? GPUTUNE_ETEMPLATE : status,
                              "%s:%d:%d: include of '%s'", place.path, place.line, place.column,
                              include->name);
    }
    if (!found.text) {
        reader->has_headers = true;
        gt_hash *headers = &reader->parts->headers;
        *headers = gt_hash_join(*headers, gt_hash_string(include->name));
        *headers = gt_hash_join(*headers, found.digest);
        return GPUTUNE_OK;
    }
    if (gt_index_of(found.path, reader->stack, (size_t)reader->depth) < (size_t)reader->depth) {
        bool once = gt_has_directive(found.text, "pragma", "once") || has_guard(found.text);
        free(found.path);
        free(found.text);
        *out = *out == REPLACED ? REPLACED : BLANKED;
        GT_REFUSE_AT(!once, place, "'%s' includes itself; expected an include guard or no cycle",
                     include->name);
        return GPUTUNE_OK;
    }
    *out = REPLACED;
    return join_text(reader, found.path, found.text);
}

static gputune_status copy_name(char out[NAME_BYTES], const char *name, size_t length,
                                gt_place place)
{
    GT_REFUSE_AT(length >= NAME_BYTES, place,
                 "the name of an include has %zu characters; expected fewer than %d", length,
                 NAME_BYTES);
    memcpy(out, name, length);
    out[length] = '\0';
    return GPUTUNE_OK;
}

static gputune_status string_name(char out[NAME_BYTES], const gt_token *token, gt_place place)
{
    GT_REFUSE_AT(!gt_token_is_string(token) || token->length < 3, place,
                 "an include without a name; expected include(\"file\")");
    return copy_name(out, token->text + 1, token->length - 2, place);
}

static gputune_status read_clauses(gt_template_reader *reader, gt_lexer *line, directive_use *out)
{
    do {
        gt_clause clause = {.place = gt_lexer_place(line)};
        GT_TRY(
            gt_name_read(clause.word, sizeof clause.word, line, "a pragma such as kernel(NAME)"));
        GT_REFUSE_AT(!gt_lexer_is(line, "("), clause.place, "'%s' without '('; expected '%s(…)'",
                     clause.word, clause.word);
        clause.body = *line; /* the text between the parentheses */
        const char *end = gt_lexer_skip(line, "(", ")");
        GT_REFUSE_AT(!end, clause.place, "unterminated '%s('; expected ')'", clause.word);
        gt_lexer_next(&clause.body);
        gt_lexer_end_at(&clause.body, end);
        if (strcmp(clause.word, "include") == 0) {
            char name[NAME_BYTES];
            const gt_place place = gt_lexer_place(&clause.body);
            GT_TRY(string_name(name, &clause.body.token, place));
            GT_TRY(join_include(reader, &(gt_include){name, place.path, .join = true}, place, out));
            continue;
        }
        GT_TRY(gt_check_room(reader->clauses.count, CLAUSES_MAX, "pragmas", clause.place));
        GT_TRY(gt_array_push(&reader->clauses, clause));
    } while (line->token.kind != GT_TOKEN_END);
    return GPUTUNE_OK;
}

/* Reads the name of an #include, which is `"name"` or `<name>`. The latter is not a token. */
static gputune_status include_name(char out[NAME_BYTES], bool *system, const gt_lexer *line,
                                   gt_place place)
{
    const char *begin = line->token.text;
    *system = line->token.kind == GT_TOKEN_PUNCTUATION && begin[0] == '<';
    GT_REFUSE_AT(!*system && line->token.kind != GT_TOKEN_STRING, place,
                 "an #include of a macro, which is not expanded here; expected \"file\" or <file>");
    if (!*system) {
        return string_name(out, &line->token, place);
    }
    const char *end = memchr(begin, '>', (size_t)(line->end - begin));
    GT_REFUSE_AT(!end || end == begin + 1, place, "an #include without a name; expected <file>");
    return copy_name(out, begin + 1, (size_t)(end - begin) - 1, place);
}

/* Returns true for a header whose declarations for device code are built into NVRTC, and for one of
 * host code that includes headers that NVRTC cannot compile. */
static bool is_built_in(const char *name)
{
    return gt_is_any(name, strlen(name),
                     "cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h cupti.h");
}

static gputune_status read_include(gt_template_reader *reader, gt_lexer *line, directive_use *out)
{
    char name[NAME_BYTES];
    bool system = false;
    gt_place place = gt_lexer_place(line);
    GT_TRY(include_name(name, &system, line, place));
    if ((!system && strcmp(gt_base_name(name), prelude_name) == 0) || is_built_in(name)) {
        *out = BLANKED;
        return GPUTUNE_OK;
    }
    return join_include(reader, &(gt_include){name, place.path, .system = system}, place, out);
}

/* The directives that are accepted. Others are refused, because they may be misspelled includes. */
static const char directives[] =
    "if ifdef ifndef elif elifdef elifndef else endif define undef error warning line";

static gputune_status read_directive(gt_template_reader *reader, gt_lexer *line, directive_use *out)
{
    *out = KEPT;
    gt_conditions_read(reader->conditions, *line);
    if (reader->conditions->now == GT_NEVER) {
        return GPUTUNE_OK;
    }
    if (gt_lexer_accept(line, "include")) {
        return read_include(reader, line, out);
    }
    if (gt_lexer_accept(line, "pragma")) {
        const bool is_own = gt_lexer_accept(line, "gputune");
        *out = is_own || gt_lexer_is(line, "once") ? BLANKED : KEPT;
        return is_own ? read_clauses(reader, line, out) : GPUTUNE_OK;
    }
    return line->token.kind == GT_TOKEN_END || gt_token_is_any(&line->token, directives)
               ? GPUTUNE_OK
               : gt_fail_expected(line, "a directive such as #include, #define or #if");
}

void gt_newlines_append(gt_text *out, const char *from, const char *to)
{
    for (; from < to; from++) {
        gt_text_append(out, *from == '\n' ? "\n" : "");
    }
}

int gt_line_at(gt_token *file, const char *text, size_t at)
{
    const char *counted = text;
    int number = 1;
    *file = (gt_token){.text = ""};
    for (gt_lexer lexer = gt_lexer_on(text, at), line; gt_lexer_find_directive(&lexer, &line);) {
        const char *end = line.end + (line.end < text + at);
        if (gt_lexer_accept(&line, "line") && line.token.kind == GT_TOKEN_NUMBER) {
            number = (int)strtol(line.token.text, NULL, 10);
            counted = end;
            gt_lexer_next(&line);
            *file = line.token.kind == GT_TOKEN_STRING ? line.token : *file;
        }
    }
    for (; counted < text + at; counted++) {
        number += *counted == '\n';
    }
    return number;
}

/* Evaluates __has_include, starting at the name of the file. */
static gputune_status probe_include(bool *out, gt_template_reader *reader, const gt_lexer *name)
{
    char text[NAME_BYTES];
    bool system = false;
    const gt_place place = gt_lexer_place(name);
    gt_included found = {0};
    GT_TRY(include_name(text, &system, name, place));
    const gt_include include = {text, place.path, .system = system};
    *out = is_built_in(text) ||
           (reader->include && reader->include(reader->user, &include, &found) == GPUTUNE_OK);
    free(found.text);
    free(found.path);
    return GPUTUNE_OK;
}

/* Reads a part of a condition that NVRTC would evaluate differently from nvcc: __has_include,
 * because NVRTC cannot find the template's own files; whether __NVCC__ and __GNUC__ are defined,
 * because nvcc uses a GNU compiler; and #elifdef, which NVRTC does not know. Returns false for any
 * other part, without changing `line`. */
static bool read_probe(gputune_status *status, const char **by, gt_template_reader *reader,
                       gt_lexer *line)
{
    static const char *const texts[] = {"0", "1", "if 0", "if 1", "elif 0", "elif 1"};
    static const char defined[] = "__NVCC__ __GNUC__ __GNUG__";
    gt_lexer ahead = *line;
    bool is_true = true;
    const int directive = gt_lexer_accept_any(&ahead, "ifndef ifdef elifndef elifdef");
    if (gt_lexer_accept(&ahead, "__has_include") && gt_lexer_accept(&ahead, "(")) {
        *status = probe_include(&is_true, reader, &ahead);
        gt_lexer_skip_to(&ahead, ")");
        gt_lexer_next(&ahead);
    } else if (directive >= 0 && gt_lexer_accept_any(&ahead, defined) >= 0) {
        is_true = directive % 2;
    } else if (directive > 1) {
        *by = directive == 2 ? "elif !defined " : "elif defined ";
        *line = ahead;
        return true;
    } else if (gt_lexer_accept(&ahead, "defined")) {
        const bool has_list = gt_lexer_accept(&ahead, "(");
        if (gt_lexer_accept_any(&ahead, defined) < 0) {
            return false;
        }
        if (has_list) {
            gt_lexer_next(&ahead);
        }
    } else {
        return false;
    }
    *by = texts[is_true + (directive < 0 ? 0 : 2 + directive / 2 * 2)];
    *line = ahead;
    return true;
}

/* Appends a directive. Replaces the parts that read_probe() reads by their values. */
static gputune_status append_kept(gt_template_reader *reader, const char *begin, gt_lexer line)
{
    const char *copied = begin, *end = line.end, *by;
    gputune_status status = GPUTUNE_OK;
    while (line.token.kind != GT_TOKEN_END) {
        const char *word = line.token.text;
        if (!read_probe(&status, &by, reader, &line)) {
            gt_lexer_next(&line);
            continue;
        }
        GT_TRY(status);
        gt_text_append_bytes(&reader->body, copied, (size_t)(word - copied));
        gt_text_append(&reader->body, by);
        copied = line.token.kind == GT_TOKEN_END ? end : line.token.text;
    }
    gt_text_append_bytes(&reader->body, copied, (size_t)(end - copied));
    return GPUTUNE_OK;
}

static gputune_status carry_line(gt_template_reader *reader, const gt_source_file *file,
                                 const char *begin, const gt_lexer *line)
{
    directive_use what;
    gt_lexer reading = *line;
    GT_TRY(read_directive(reader, &reading, &what));
    if (what == KEPT) {
        GT_TRY(append_kept(reader, begin, *line));
    } else if (what == BLANKED) {
        gt_newlines_append(&reader->body, begin, line->end);
    } else {
        int last = line->token.line;
        for (const char *c = line->token.text; c < line->end; c++) {
            last += *c == '\n';
        }
        gt_line_mark_append(&reader->body, last,
                            file->path); /* the newline of the #include directive ends this line */
    }
    return GPUTUNE_OK;
}

static gputune_status read_lines(gt_template_reader *reader, const gt_source_file *file)
{
    gt_lexer lexer;
    const char *copied = file->text;
    gt_lexer_open(&lexer, file->text, strlen(file->text), (gt_place){file->path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer line;
        const char *begin = lexer.token.text;
        gt_lexer_directive(&lexer, &line);
        gt_text_append_bytes(&reader->body, copied, (size_t)(begin - copied));
        copied = line.end;
        GT_TRY(carry_line(reader, file, begin, &line));
        GT_REFUSE(reader->body.length > TEXT_MAX, GPUTUNE_ETEMPLATE,
                  "%s:1:1: more than %d bytes with all includes; expected less", file->path,
                  TEXT_MAX);
    }
    GT_REFUSE_AT(lexer.open_comment.line > 0, lexer.open_comment,
                 "unterminated comment; expected '*/'");
    gt_text_append(&reader->body, copied);
    return GPUTUNE_OK;
}

static gputune_status read_file(gt_template_reader *reader, gt_source_file *file)
{
    GT_REFUSE(reader->depth == DEPTH_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: includes nested %d deep; expected fewer", file->path, DEPTH_MAX);
    reader->stack[reader->depth++] = file->path;
    GT_TRY(read_lines(reader, file));
    gt_text_append(&reader->body, "\n");
    reader->depth--;
    return reader->body.failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* Returns whether a name is a macro. This is known only for __CUDACC_RTC__, which NVRTC defines. */
static gt_truth is_defined(const void *user, const gt_token *name)
{
    (void)user;
    return gt_token_is(name, "__CUDACC_RTC__") ? GT_SURELY : GT_PERHAPS;
}

gputune_status gt_reader_run(gt_template_reader *reader, const char *path, const char *text)
{
    gt_source_file *file = NULL;
    gt_conditions conditions;
    GT_REFUSE(strlen(text) > TEXT_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: more than %d bytes; expected less", path, TEXT_MAX);
    gt_conditions_open(&conditions, is_defined, NULL, NULL);
    reader->conditions = &conditions;
    gputune_status status = new_file(&file, reader, strdup(path), strdup(text));
    if (status == GPUTUNE_OK) {
        status = read_file(reader, file);
    }
    reader->conditions = NULL;
    return status;
}

void gt_reader_free(gt_template_reader *reader)
{
    gt_text_free(&reader->body);
    gt_array_free(&reader->clauses);
}

static bool is_kernel(const gt_clause *clause)
{
    return strcmp(clause->word, "kernel") == 0;
}

static gputune_status read_name(gt_kernel_name *out, const gt_clause *clause)
{
    gt_lexer body = clause->body;
    out->name[0] = '\0';
    return gt_is_any(clause->word, strlen(clause->word), "kernel reference check launch init")
               ? gt_read_kernel_name(out, &body,
                                     is_kernel(clause) ? "the kernel function's name"
                                                       : "a __global__ function's name")
               : GPUTUNE_OK;
}

/* All clauses of a kernel. The first of them is its kernel() clause. */
typedef struct group {
    gt_kernel_name kernel; /* must be the first member, because of GT_NAMED() */
    size_t begin, end;
} group;

typedef GT_ARRAY(group) groups;

static const group *find_group(const groups *all, const char *kernel)
{
    const int i = GT_NAMED(all->items, (uint32_t)all->count, kernel);
    return i < 0 ? NULL : &all->items[i];
}

static gputune_status read_groups(groups *out, const gt_template_reader *reader)
{
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        group added = {.begin = c, .end = reader->clauses.count};
        if (!is_kernel(clause)) {
            continue;
        }
        GT_TRY(read_name(&added.kernel, clause));
        const group *other = find_group(out, added.kernel.name);
        GT_REFUSE_AT(other, clause->place,
                     "'kernel' is given twice for '%s'; expected it once (first on line %d)",
                     added.kernel.name, reader->clauses.items[other->begin].place.line);
        if (out->count > 0) {
            out->items[out->count - 1].end = c;
        }
        GT_TRY(gt_array_push(out, added));
    }
    return GPUTUNE_OK;
}

/* Returns true if a clause applies to the kernel whose group is `own`: the clause is in this group,
 * or it is a common clause that this group does not override. */
static bool clause_stays(const gt_template_reader *reader, const groups *all, const group *own,
                         size_t clause)
{
    const char *word = reader->clauses.items[clause].word;
    bool gives_way = false;
    if (clause >= all->items[0].begin) {
        return clause >= own->begin && clause < own->end;
    }
    for (size_t c = own->begin; c < own->end && gt_clause_is_single(word); c++) {
        gives_way |= strcmp(reader->clauses.items[c].word, word) == 0;
    }
    return !gives_way;
}

static gputune_status keep_group(gt_template_reader *reader, const groups *all, const group *own)
{
    GT_SCOPED(gt_texts_free) gt_texts cut = {0};
    GT_SCOPED(gt_texts_free) gt_texts used = {0};
    gt_clause *clauses = reader->clauses.items;
    size_t kept = 0, unused = 0;
    for (size_t c = 0; c < reader->clauses.count; c++) {
        gt_kernel_name named;
        const bool is_kept = clause_stays(reader, all, own, c);
        const gputune_status status = read_name(&named, &clauses[c]);
        /* ignore errors in a clause that is kept: its parser will report them */
        if (status < 0 && !is_kept) {
            return status;
        }
        if (status == GPUTUNE_OK && named.name[0]) {
            GT_TRY(gt_texts_add(is_kept ? &used : &cut, named.name, strlen(named.name)));
        }
    }
    for (size_t i = 0; i < cut.count; i++) {
        char *name = cut.items[i];
        if (gt_index_of(name, used.items, used.count) == used.count) {
            cut.items[i] = cut.items[unused];
            cut.items[unused++] = name;
        }
    }
    GT_TRY(gt_functions_cut(reader->body.data, (const char *const *)cut.items, unused));
    for (size_t c = 0; c < reader->clauses.count; c++) {
        if (clause_stays(reader, all, own, c)) {
            clauses[kept++] = clauses[c];
        }
    }
    reader->clauses.count = kept;
    return GPUTUNE_OK;
}

gputune_status gt_select_kernel(gt_template_reader *reader, const char *kernel)
{
    GT_FREED groups all = {0};
    GT_TRY(read_groups(&all, reader));
    const group *own = kernel ? find_group(&all, kernel) : all.items;
    GT_REFUSE(!own && all.count > 0, GPUTUNE_ENOTFOUND, "no kernel '%s' in %s", kernel,
              reader->parts->files[0].path);
    return all.count > 1 ? keep_group(reader, &all, own) : GPUTUNE_OK;
}

static void free_template(gt_template **template)
{
    gt_template_free(*template);
}

gputune_status gt_template_names(const char *path, const char *text, gt_include_fn include,
                                 void *user, gputune_status (*each)(void *to, const char *name),
                                 void *to)
{
    GT_FREED groups all = {0};
    GT_SCOPED(free_template) gt_template *template = NULL;
    GT_TRY(gt_template_new(&template));
    GT_SCOPED(gt_reader_free)
    gt_template_reader reader = {.parts = template->parts, .include = include, .user = user};
    GT_TRY(gt_reader_run(&reader, path, text));
    GT_TRY(read_groups(&all, &reader));
    for (size_t i = 0; i < all.count; i++) {
        GT_TRY(each(to, all.items[i].kernel.name));
    }
    return GPUTUNE_OK;
}
