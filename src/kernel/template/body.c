/* Makes the code to compile from the text of the template. */
#include "kernel/template/parse.h"

#include "kernel/text/branches.h"
#include "kernel/text/functions.h"
#include "kernel/text/reach.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_token(gt_text *out, const gt_token *token)
{
    gt_text_append_bytes(out, token->text, token->length);
    gt_text_append(out, " ");
}

void gt_tokens_append(gt_text *out, const char *text, size_t length)
{
    gt_lexer lexer = gt_lexer_on(text, length), line;
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            append_token(out, &lexer.token);
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        if (gt_lexer_is(&line, "line")) {
            continue;
        }
        gt_text_append(out, "\n#");
        for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
            /* `#define f(x)` and `#define f (x)` are different, so keep the blank */
            bool glued = gt_lexer_is(&line, "(") && line.token.text[-1] != ' ';
            gt_text_append(out, glued ? "\b" : "");
            append_token(out, &line.token);
        }
        gt_text_append(out, "\n");
    }
}

/* A replacement of a part of a text. */
typedef struct edit {
    size_t begin, end, order;
    const char *by; /* text to insert; if NULL, only the newlines of the part are kept */
} edit;

typedef struct edits {
    const gt_template *template;
    const char *text;
    GT_ARRAY(edit) list;
    bool failed, has_types; /* has_types: true if gputune_plain() is used in an edit */
    bool needs_newer;       /* true if the text has {.x = 1} or __VA_OPT__ */
} edits;

static void replace_range(edits *e, const char *begin, const char *end, const char *by)
{
    const edit added = {(size_t)(begin - e->text), (size_t)(end - e->text), e->list.count + 1, by};
    e->failed |= gt_array_push(&e->list, added) != GPUTUNE_OK;
}

static void replace_token(edits *e, const gt_token *token, const char *by)
{
    replace_range(e, token->text, token->text + token->length, by);
}

/* Sorts edits by position. Edits at the same position keep their order. */
static int by_place(const void *a, const void *b)
{
    const edit *x = a, *y = b;
    return x->begin != y->begin ? (x->begin > y->begin) - (x->begin < y->begin)
                                : (x->order > y->order) - (x->order < y->order);
}

static gputune_status replace_text(char **text, gt_text *by)
{
    char *taken;
    GT_TRY(gt_text_take(&taken, by));
    free(*text);
    *text = taken;
    return GPUTUNE_OK;
}

static gputune_status carry_out(char **text, edits *e)
{
    gt_text out = {.failed = e->failed};
    size_t copied = 0;
    if (e->has_types) {
        gt_text_append(&out, "template <typename T> T gputune_plain(T);\n");
        gt_line_mark_append(&out, 1, e->template->parts->files[0].path);
    }
    gt_array_sort(&e->list, by_place);
    for (size_t i = 0; i < e->list.count; i++) {
        const edit *one = &e->list.items[i];
        if (one->begin < copied) {
            continue; /* an earlier edit has replaced this part */
        }
        gt_text_append_bytes(&out, *text + copied, one->begin - copied);
        if (one->by) {
            gt_text_append(&out, one->by);
        } else {
            gt_newlines_append(&out, *text + one->begin, *text + one->end);
        }
        copied = one->end;
    }
    gt_text_append(&out, *text + copied);
    return replace_text(text, &out);
}

gputune_status gt_functions_cut(char *text, const char *const *names, size_t count)
{
    GT_FREED gt_function_list all = {0};
    GT_TRY(gt_functions_find(&all, text, names, count));
    for (size_t i = 0; i < all.count; i++) {
        if (all.items[i].plain) {
            gt_blank(text, all.items[i].begin, all.items[i].end);
        }
    }
    return GPUTUNE_OK;
}

/* Makes a kernel visible to the driver: removes `static`, and adds extern "C" unless the kernel is
 * a C++ template. If `bounds`, also adds GPUTUNE_LAUNCH_BOUNDS before its name. */
static gputune_status export_kernel(edits *e, const gt_kernel_name *kernel, bool bounds)
{
    const char *own = kernel->name;
    GT_FREED gt_function_list all = {0};
    GT_TRY(gt_functions_find(&all, e->text, &own, 1));
    for (size_t i = 0; i < all.count; i++) {
        const gt_function *function = &all.items[i];
        const char *begin = e->text + function->begin, *name = e->text + function->name;
        bool plain_name = kernel->is_template || function->is_extern_c;
        gt_lexer lexer = gt_lexer_on(begin, (size_t)(name - begin));
        const char *first = name; /* start of a qualified name such as a::b::name */
        bool is_after = false;
        replace_range(e, begin, begin, plain_name ? "" : "extern \"C\" ");
        for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
            if (gt_lexer_is(&lexer, "static")) {
                replace_token(e, &lexer.token, "");
            }
            first = is_after || gt_lexer_is(&lexer, "::") ? first : lexer.token.text;
            is_after = gt_lexer_is(&lexer, "::");
        }
        first = is_after ? first : name;
        replace_range(e, first, first, bounds ? "GPUTUNE_LAUNCH_BOUNDS " : "");
    }
    return GPUTUNE_OK;
}

/* Changes `const double b = a * a;` to constexpr, because a const double cannot be used in constant
 * expressions of C++. */
static void rewrite_constant(edits *r, gt_lexer lexer)
{
    const gt_token word = lexer.token;
    gt_element element;
    gt_lexer_next(&lexer);
    bool is_real = lexer.token.kind == GT_TOKEN_NAME &&
                   (!gt_element_from_name(&element, GT_TOKEN_TEXT(&lexer.token)) ||
                    gt_type_is_float(element.type));
    gt_lexer_next(&lexer);
    is_real = is_real && lexer.token.kind == GT_TOKEN_NAME;
    gt_lexer_next(&lexer);
    if (is_real && gt_lexer_is(&lexer, "=")) {
        replace_token(r, &word, "constexpr");
    }
}

static bool precedes_value(const gt_token *before, const gt_token *last)
{
    return gt_token_is(last, "return") ||
           (last->kind == GT_TOKEN_PUNCTUATION && !gt_token_is(before, "operator") &&
            !gt_token_is_any(last, ") ] } ; > >>"));
}

/* Changes the C literal (struct T){1, 2} to T{1, 2}. */
static void rewrite_literal(edits *r, gt_lexer lexer)
{
    const gt_token open = lexer.token;
    gt_lexer_next(&lexer);
    const gt_token word = lexer.token;
    const bool is_struct = gt_lexer_accept(&lexer, "struct");
    const bool is_name = lexer.token.kind == GT_TOKEN_NAME;
    gt_lexer_next(&lexer);
    const gt_token close = lexer.token;
    if (is_name && gt_lexer_accept(&lexer, ")") && gt_lexer_is(&lexer, "{")) {
        replace_token(r, &open, "");
        if (is_struct) {
            replace_token(r, &word, "");
        }
        replace_token(r, &close, "");
    }
}

/* Finds the value of a statement expression `({ a; b; })`. Sets *value to its last statement, or to
 * NULL if it has no value, and *end to its end. Returns false for an initialiser list in braces. */
static bool find_statements(gt_lexer lexer, const char **value, const char **end)
{
    static const char without[] = "if for while do switch return break continue goto {";
    gt_token last = {0};
    bool is_new = false, is_list = true;
    int depth = 0;
    *value = NULL;
    do {
        bool is_behind_list = gt_token_is(&last, "}") && gt_token_is_any(&lexer.token, "; . , [ )");
        if (is_new && !gt_lexer_is(&lexer, "}") && !is_behind_list) {
            bool has_none =
                lexer.token.kind == GT_TOKEN_DIRECTIVE || gt_token_is_any(&lexer.token, without);
            *value = has_none ? NULL : lexer.token.text;
        }
        depth += gt_token_is_any(&lexer.token, "{ ( [");
        depth -= gt_token_is_any(&lexer.token, "} ) ]");
        *end = lexer.token.text;
        is_list &= depth != 1 || !gt_lexer_is(&lexer, ";");
        is_new = depth == 1 && gt_token_is_any(&lexer.token, "{ } ;");
        last = lexer.token;
        gt_lexer_next(&lexer);
    } while (depth > 0 && lexer.token.kind != GT_TOKEN_END);
    return depth == 0 && !is_list && gt_lexer_is(&lexer, ")");
}

/* Rewrites extensions of GNU C: ({ a; b; }) becomes ([&]{ a; return b; }()), and the type in
 * typeof(x) loses its qualifiers. */
static void rewrite_gnu(edits *r, const gt_token *last, gt_lexer lexer)
{
    const gt_token now = lexer.token;
    const char *value, *end;
    r->needs_newer |=
        gt_token_is(&now, "__VA_OPT__") || (gt_token_is_any(last, "{ ,") && gt_token_is(&now, "."));
    if (gt_token_is(last, "(") && gt_token_is(&now, "{") && find_statements(lexer, &value, &end)) {
        replace_token(r, &now, "[&]{");
        if (value) {
            replace_range(r, value, value, "return ");
        }
        replace_range(r, end, end + 1, "}()");
    } else if (gt_token_is_any(&now, "__typeof__ __typeof typeof")) {
        gt_lexer_next(&lexer);
        end = gt_lexer_is(&lexer, "(") ? gt_lexer_skip(&lexer, "{ ( [", "} ) ]") : NULL;
        if (end) {
            replace_token(r, &now, "decltype(gputune_plain");
            replace_range(r, end, end + 1, "))");
            r->has_types = true;
        }
    }
}

static bool is_argument(const gt_template *template, const gt_token *name)
{
    const gt_body *kernel = &template->parts->kernel_body, *judge = &template->parts->judge_body;
    const int index = gt_name_index(template, GT_TOKEN_TEXT(name));
    return index >= 0 && ((kernel->arguments | judge->arguments) >> index & 1);
}

/* Renames constants that have the name of a tunable or problem value, as in `const int NAME =
 * VALUE;`. Does not rename static members of classes, or template arguments in functions. */
static void rename_constants(edits *r, const gt_template *template, gt_lexer lexer, bool is_inside)
{
    gt_token name = lexer.token;
    bool is_constant = false, is_member = false;
    for (; lexer.token.kind == GT_TOKEN_NAME; gt_lexer_next(&lexer)) {
        is_constant |= gt_token_is_any(&lexer.token, "const constexpr");
        is_member |= is_inside && gt_lexer_is(&lexer, "static");
        name = lexer.token;
    }
    while (is_constant && !is_member && gt_lexer_accept(&lexer, "=")) {
        if (gt_name_is_chosen(template, &name) && !(is_inside && is_argument(template, &name))) {
            replace_range(r, name.text, name.text, "gputune_not_");
        }
        gt_lexer_skip_to(&lexer, "; ,");
        is_constant = gt_lexer_accept(&lexer, ",");
        name = lexer.token;
        gt_lexer_next(&lexer);
    }
}

static void rewrite_body(edits *r)
{
    gt_lexer lexer = gt_lexer_of(r->text), line;
    gt_token before = {0}, last = {0};
    int depth = 0;
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            for (gt_token front = {0}; line.token.kind != GT_TOKEN_END;) {
                rewrite_gnu(r, &front, line);
                front = line.token;
                gt_lexer_next(&line);
            }
            continue;
        }
        if (!last.length || gt_token_is_any(&last, "; } {")) {
            rename_constants(r, r->template, lexer, depth > 0);
        }
        const gt_token now = lexer.token;
        gt_lexer ahead = lexer;
        gt_lexer_next(&ahead);
        /* the driver cannot find static variables */
        bool hides = depth == 0 && gt_token_is(&now, "static") &&
                     (gt_token_is(&last, "__constant__") || gt_lexer_is(&ahead, "__constant__"));
        if (hides || gt_token_is(&now, "register")) { /* C++17 no longer has `register` */
            replace_token(r, &now, "");
        } else if (depth == 0 && gt_token_is(&now, "const")) {
            rewrite_constant(r, lexer);
        } else if (gt_token_is(&now, "(") && precedes_value(&before, &last)) {
            rewrite_literal(r, lexer);
        }
        rewrite_gnu(r, &last, lexer);
        depth += gt_token_is(&now, "{") || gt_token_is(&now, "(");
        depth -= gt_token_is(&now, "}") || gt_token_is(&now, ")");
        before = last;
        last = now;
        lexer = ahead;
    }
}

static void append_mark(gt_text *out, const char *text, size_t at, const char *path)
{
    gt_token file;
    const int line = gt_line_at(&file, text, at);
    if (file.length > 0) {
        gt_text_printf(out, "#line %d %.*s\n", line, (int)file.length, file.text);
    } else {
        gt_line_mark_append(out, line, path);
    }
}

static gputune_status note_head(gt_body *body, const char *path)
{
    gt_text mark = {0};
    gt_lexer lexer = gt_lexer_of(body->text), line;
    while (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
        gt_lexer_directive(&lexer, &line);
        if (gt_lexer_is(&line, "include")) {
            body->head = (size_t)(line.end + (*line.end == '\n') - body->text);
        } else if (!gt_token_is_any(&line.token, "line pragma")) {
            break;
        }
    }
    append_mark(&mark, body->text, body->head, path);
    return gt_text_take(&body->mark, &mark);
}

static gputune_status finish_body(gt_body *body, gt_name_uses *uses, const gt_parse *p)
{
    GT_SCOPED(gt_text_free) gt_text tokens = {0};
    const gt_template_parts *parts = p->parts;
    const uint64_t given = gt_names_given(p->template);
    GT_TRY(gt_name_uses_find(uses, p, body->text));
    for (uint32_t i = 0; i < parts->define_count; i++) {
        p->parts->defines[i].is_name |= parts->defines[i].value && uses->declared_defines >> i & 1;
    }
    for (uint32_t i = 0; i < gt_name_count(p->template); i++) {
        const gt_name_use *use = &uses->names[i];
        const bool free = !(given >> i & 1) || use->parameter.line == 0;
        body->macros |= (uint64_t)(use->occurs && free) << i;
    }
    GT_TRY(note_head(body, p->parts->files[0].path));
    gt_tokens_append(&tokens, body->text, strlen(body->text));
    body->tokens = gt_hash_string(gt_text_string(&tokens));
    return tokens.failed ? gt_fail_memory() : GPUTUNE_OK;
}

static bool same_arguments(const gt_kernel_name *a, const gt_kernel_name *b)
{
    size_t length = (size_t)(a->arguments.end - a->arguments.token.text);
    return length == (size_t)(b->arguments.end - b->arguments.token.text) &&
           memcmp(a->arguments.token.text, b->arguments.token.text, length) == 0;
}

uint32_t gt_step_of(const gt_template_parts *parts, const char *name)
{
    const int step = GT_NAMED(parts->steps, parts->step_count, name);
    return step < 0 ? parts->step_count : (uint32_t)step;
}

static uint32_t first_like(const gt_template_parts *parts, uint32_t step)
{
    const gt_kernel_name *own = &parts->steps[step].kernel;
    uint32_t i = gt_step_of(parts, own->name);
    while (i < step && (strcmp(parts->steps[i].kernel.name, own->name) != 0 ||
                        !same_arguments(&parts->steps[i].kernel, own))) {
        i++;
    }
    return i;
}

/* Suffix of a C++ kernel's entry name if an earlier launch uses other template arguments. */
#define LAUNCH_NUMBER "_launch%u"

gputune_status gt_instances_name(gt_template_parts *parts)
{
    for (uint32_t i = 0; i < parts->step_count; i++) {
        gt_kernel_name *kernel = &parts->steps[i].kernel;
        uint32_t first = kernel->is_template ? first_like(parts, i) : i;
        if (first != i) {
            memcpy(kernel->entry, parts->steps[first].kernel.entry, sizeof kernel->entry);
        } else if (kernel->is_template && gt_step_of(parts, kernel->name) != i) {
            const size_t length = kernel->qualified, room = sizeof kernel->entry - length;
            GT_REFUSE_AT((size_t)snprintf(kernel->entry + length, room, LAUNCH_NUMBER, i + 1) >=
                             room,
                         kernel->place, "'%s' is too long; expected a shorter name", kernel->name);
        }
    }
    return GPUTUNE_OK;
}

typedef struct named_kernel {
    const gt_kernel_name *kernel;
    bool is_step;
    bool is_in[2]; /* true if the kernel is in kernel_body [0] or judge_body [1] */
} named_kernel;

typedef struct named_kernels {
    named_kernel items[GT_STEPS_MAX + 3];
    uint32_t count;
} named_kernels;

static void add_kernel(named_kernels *all, named_kernel added)
{
    for (uint32_t i = 0; i < all->count; i++) {
        if (strcmp(all->items[i].kernel->name, added.kernel->name) == 0) {
            return;
        }
    }
    all->items[all->count++] = added;
}

static named_kernels list_kernels(const gt_template_parts *parts)
{
    const gt_judge *const judges[] = {&parts->reference, &parts->check, &parts->init};
    named_kernels all = {.count = 0};
    for (uint32_t i = 0; i < parts->step_count; i++) {
        add_kernel(&all, (named_kernel){&parts->steps[i].kernel, true, {true, false}});
    }
    for (size_t i = 0; i < sizeof judges / sizeof *judges; i++) {
        const bool in_kernels = parts->reference.self && judges[i] == &parts->init;
        if (judges[i]->present) {
            add_kernel(&all, (named_kernel){&judges[i]->kernel, false, {in_kernels, true}});
        }
    }
    return all;
}

/* Appends the names that occur in a clause and in its strings, because the code may declare them.
 * Keeps the `::` before a name. Leaves out arguments, kernels that are not in this body, and names
 * before '=' unless they are types. */
static void append_names(gt_text *out, const gt_parse *p, const named_kernels *all, bool is_judge,
                         gt_lexer clause)
{
    gt_token last = {0};
    for (bool is_type = false; clause.token.kind != GT_TOKEN_END; gt_lexer_next(&clause)) {
        const gt_token token = clause.token, next = gt_lexer_peek(clause);
        bool is_other =
            (gt_token_is(&next, "=") && !is_type) || gt_parse_parameter(p, GT_TOKEN_TEXT(&token));
        is_type = gt_token_is(&token, ":");
        for (uint32_t i = 0; i < all->count; i++) {
            const bool is_kernel = gt_token_is(&token, all->items[i].kernel->name);
            is_other = is_kernel ? !all->items[i].is_in[is_judge] : is_other;
        }
        if (token.kind == GT_TOKEN_NAME && !is_other) {
            gt_text_append(out, gt_token_is(&last, "::") ? "::" : "");
            append_token(out, &token);
        } else if (token.kind == GT_TOKEN_STRING && token.length > 2) {
            append_names(out, p, all, is_judge, gt_lexer_on(token.text + 1, token.length - 2));
        }
        last = token;
    }
}

/* Appends the names in the clauses that contain code (has_code), or in all other clauses. Skips a
 * reference that assigns elements, because the text contains it as a kernel. */
static void append_clauses(gt_text *out, const gt_parse *p, const named_kernels *all, bool is_judge,
                           bool has_code)
{
    for (size_t i = 0; i < p->reader->clauses.count; i++) {
        const gt_clause *clause = &p->reader->clauses.items[i];
        const bool is_kernel = p->elements.length > 0 && strcmp(clause->word, "reference") == 0;
        if (gt_clause_has_code(clause->word) == has_code && !is_kernel) {
            append_names(out, p, all, is_judge, clause->body);
        }
    }
}

static void append_roots(gt_text *out, const gt_parse *p, const named_kernels *all, bool is_judge)
{
    append_clauses(out, p, all, is_judge, true);
    gt_text_append(out, is_judge ? p->parts->reference.kernel.name : "");
    for (uint32_t i = 0; i < gt_name_count(p->template); i++) {
        const gt_chosen_name own = gt_name_at(p->template, i);
        gt_text_printf(out, own.is_size ? "" : "\n#define %s ", own.name);
        gt_values_append(out, own.values, own.is_size ? 0 : own.count);
    }
    gt_text_append(out, "\n;");
    append_clauses(out, p, all, is_judge, false);
}

/* Blanks the #defines and #undefs of tunables and problem values, which gputune defines itself. */
static void blank_chosen(char *text, const gt_template *template)
{
    gt_lexer lexer = gt_lexer_of(text), line;
    while (lexer.token.kind != GT_TOKEN_END) {
        const size_t begin = (size_t)(lexer.token.text - text);
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        if (gt_lexer_accept_any(&line, "define undef") >= 0 &&
            gt_name_is_chosen(template, &line.token)) {
            gt_blank(text, begin, (size_t)(line.end - text));
        }
    }
}

/* Adds the option for C++20 unless the template chooses a standard. */
static void choose_standard(gt_template_parts *parts)
{
    bool is_chosen = parts->option_count == GT_OPTION_MAX;
    for (uint32_t i = 0; i < parts->option_count; i++) {
        is_chosen |= strstr(parts->options[i].text, "std=") != NULL;
    }
    if (!is_chosen) {
        parts->options[parts->option_count++] =
            (gt_option){.item = parts->option_items++, .text = "--std=c++20"};
    }
}

/* Copies the code that a body needs, makes its kernels visible to the driver, and rewrites C code
 * that NVRTC rejects. */
static gputune_status make_body(gt_body *body, gt_name_uses *uses, gt_parse *parse,
                                const char *text)
{
    const gt_template_parts *parts = parse->parts;
    const bool is_judge = body == &parts->judge_body;
    const named_kernels all = list_kernels(parts);
    edits e = {.template = parse->template};
    GT_SCOPED(gt_text_free) gt_text roots = {0};
    append_roots(&roots, parse, &all, is_judge);
    if (roots.failed) {
        return gt_fail_memory();
    }
    GT_TRY(gt_reach_cut(&body->text, text, parse->possible, gt_text_string(&roots)));
    GT_TRY(gt_overloads_blank(parse, body->text));
    e.text = body->text;
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < all.count; i++) {
        const named_kernel *one = &all.items[i];
        const char *name = one->kernel->name;
        GT_THEN(status,
                one->is_in[is_judge]
                    ? export_kernel(&e, one->kernel, one->is_step && parts->launch_bounds[0])
                    : gt_functions_cut(body->text, &name, 1));
    }
    rewrite_body(&e);
    GT_THEN(status, carry_out(&body->text, &e));
    gt_array_free(&e.list);
    if (e.needs_newer) { /* nvcc accepts such code in C++17 */
        choose_standard(parse->parts);
    }
    GT_TRY(status);
    return finish_body(body, uses, parse);
}

gputune_status gt_bodies_make(gt_parse *parse, char *text)
{
    gt_template_parts *parts = parse->parts;
    blank_chosen(text, parse->template);
    blank_chosen(parse->possible, parse->template);
    GT_TRY(gt_overloads_blank(parse, parse->code));
    GT_TRY(gt_functions_check(parse, parse->code));
    GT_TRY(make_body(&parts->kernel_body, &parse->kernel_uses, parse, text));
    GT_TRY(make_body(&parts->judge_body, &parse->judge_uses, parse, text));
    return gt_names_check(parse);
}
