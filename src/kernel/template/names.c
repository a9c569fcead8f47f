/* Finds out how a text uses the names of tunables and problem values. Refuses names that have two
 * meanings, and tunables that have no effect. */
#include "kernel/template/parse.h"

#include "kernel/template/axis_kind.h"
#include "kernel/text/compiler_options.h"
#include "kernel/text/declarations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct name_scan {
    gt_name_uses *out;
    const gt_template *template;
    const char *text;      /* the text, preceded by the macros that gputune generates */
    gt_declarations found; /* all declarations in `text` */
    gt_word_list others;   /* all words in directives and in _Pragma() */
} name_scan;

/* Returns true if the token is a macro for one of the name's values, such as MODE_word. */
static bool names_symbol(const gt_token *token, const gt_chosen_name *own)
{
    size_t length = strlen(own->name);
    if (token->length < length + 2 || memcmp(token->text, own->name, length) != 0 ||
        token->text[length] != '_') {
        return false;
    }
    const gt_token rest = {GT_TOKEN_NAME, token->text + length + 1, token->length - length - 1, 0,
                           0};
    for (uint32_t v = 0; v < own->count; v++) {
        if (own->values[v].word && gt_token_is(&rest, own->values[v].word)) {
            return true;
        }
    }
    return false;
}

static int name_index(const gt_template *template, const gt_token *token)
{
    for (uint32_t i = 0; token->kind == GT_TOKEN_NAME && i < gt_name_count(template); i++) {
        const gt_chosen_name own = gt_name_at(template, i);
        if (gt_token_is(token, own.name) || names_symbol(token, &own)) {
            return (int)i;
        }
    }
    return -1;
}

bool gt_name_is_chosen(const gt_template *template, const gt_token *token)
{
    int index = name_index(template, token);
    return index >= 0 && !gt_name_at(template, (uint32_t)index).is_size;
}

uint64_t gt_names_given(const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    uint64_t given = parts->kernel_body.arguments | parts->judge_body.arguments;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        int index = gt_template_problem_index(template, template->arguments[i].name);
        given |= index >= 0 ? UINT64_C(1) << ((int)template->axis_count + index) : 0;
    }
    return given;
}

static gt_name_use *use_of(const name_scan *s, const gt_token *token)
{
    const int index = name_index(s->template, token);
    return index < 0 ? NULL : &s->out->names[index];
}

static const gt_source_file *file_called(const gt_template *template, const char *name,
                                         size_t length)
{
    const gt_template_parts *parts = template->parts;
    const gt_source_file *found = NULL;
    for (uint32_t i = 0; i < parts->file_count; i++) {
        const char *own = gt_base_name(parts->files[i].path);
        const bool is = strlen(own) == length && strncmp(own, name, length) == 0;
        found = is ? &parts->files[i] : found;
    }
    return found;
}

static void set_place(gt_place *out, const name_scan *s, const gt_token *token)
{
    if (out->line == 0) {
        gt_token file;
        const int line = gt_line_at(&file, s->text, (size_t)(token->text - s->text));
        const gt_source_file *named =
            file.length > 2 ? file_called(s->template, file.text + 1, file.length - 2) : NULL;
        const char *path = named ? named->path : s->template->parts->files[0].path;
        *out = (gt_place){path, line, token->column};
    }
}

/* Appends a macro that expands to all values of a name, so names in any value count as used. */
static void append_values(gt_text *out, const gt_template *template, uint32_t index)
{
    const gt_chosen_name own = gt_name_at(template, index);
    const bool has_words = !own.is_axis || template->axes[index].kind == GT_AXIS_TUNE;
    gt_text_printf(out, "#define %s ", own.name);
    for (uint32_t v = 0; v < own.count && has_words; v++) {
        gt_text_printf(out, "%s ", own.values[v].word ? own.values[v].word : "");
    }
    gt_text_printf(out, "%s\n", own.name);
    for (uint32_t v = 0; v < own.count; v++) {
        const char *word = own.values[v].word;
        if (word && !strpbrk(word, " :<")) {
            gt_text_printf(out, "#define %s_%s %s %s_%s\n", own.name, word, own.name, own.name,
                           word);
        }
    }
}

static void append_macros(gt_text *out, const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < gt_name_count(template); i++) {
        append_values(out, template, i);
    }
    for (uint32_t i = 0; i < parts->option_count; i++) {
        const char *macro = gt_compiler_option_macro(parts->options[i].text, false);
        if (macro) {
            const size_t length = strcspn(macro, "=");
            gt_text_printf(out, "#define %.*s %s\n", (int)length, macro,
                           macro + length + (macro[length] == '='));
        }
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        if (!own->is_name) { /* an expression becomes a number, so it uses no names */
            gt_text_printf(out, "#define %s %s %s\n", own->name, own->text ? own->text : "",
                           own->name);
        }
    }
    gt_text_append(out, "#line 1\n");
}

static void note_declared(name_scan *s, const gt_word *word, bool is_global)
{
    const gt_template_parts *parts = s->template->parts;
    const char *name = GT_TOKEN_TEXT(&word->token);
    const int index = gt_name_index(s->template, name);
    const int define = GT_NAMED(parts->defines, parts->define_count, name);
    if (define >= 0) {
        s->out->declared_defines |= UINT64_C(1) << define;
    } else if (index >= 0) {
        gt_name_use *use = &s->out->names[index];
        set_place(is_global ? &use->global : &use->parameter, s, &word->token);
    }
}

static void note_parameters(name_scan *s, size_t from, size_t to)
{
    bool is_value = false;
    int depth = 0;
    for (size_t i = from; i < to; i++) {
        const gt_word *w = &s->found.words.items[i];
        depth += gt_token_is_any(&w->token, "( [ { <") - gt_token_is_any(&w->token, ") ] } >");
        if (depth != 0) {
            continue;
        }
        is_value = w->id == GT_IS_EQUAL || (is_value && w->id != GT_IS_COMMA);
        const bool is_last = i + 1 == to || gt_token_is_any(&w[1].token, ", = [");
        const bool is_behind =
            i > from &&
            (gt_token_is_any(&w[-1].token, "* & && > __restrict__") ||
             (gt_word_is_name(&w[-1]) && !gt_token_is_any(&w[-1].token, "const volatile")));
        if (gt_word_is_name(w) && is_last && is_behind && !is_value) {
            note_declared(s, w, false);
        }
    }
}

static void read_piece(name_scan *s, const gt_piece *piece)
{
    const gt_word *w = s->found.words.items;
    const uint32_t *keys = s->found.keys.items + piece->first_key;
    size_t at = piece->begin;
    while (at + 1 < piece->end && w[at].id == GT_IS_TEMPLATE && w[at + 1].id == GT_IS_LESS) {
        const size_t close = gt_word_close_angles(w, piece->end, at + 1);
        note_parameters(s, at + 2, close);
        at = close + 1;
    }
    for (size_t i = at + 1; i + 1 < piece->end && piece->kind == GT_PIECE_FUNCTION; i++) {
        if (piece->keys && w[i].id == keys[0] && w[i + 1].id == GT_IS_OPEN_PAREN) {
            note_parameters(s, i + 2, gt_word_close(w, piece->end, i + 1));
            break;
        }
    }
    for (size_t k = 0; k < piece->keys && piece->parent < 0; k++) {
        const size_t i = gt_word_find(w, piece->begin, piece->end, keys[k]);
        /* keys of a typedef include types that it uses; only the new name is before ';' or '[' */
        if (i + 1 < piece->end &&
            (w[piece->begin].id != GT_IS_TYPEDEF || gt_token_is_any(&w[i + 1].token, "; ["))) {
            note_declared(s, &w[i], true);
        }
    }
}

static void read_words(name_scan *s, gt_lexer lexer)
{
    gt_words_split(&s->others, &s->found.macros, lexer);
}

static void read_condition(name_scan *s, gt_lexer line)
{
    bool asks = gt_token_is_any(&line.token, "ifdef ifndef");
    for (gt_lexer_next(&line); line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
        gt_name_use *use = use_of(s, &line.token);
        if (use) {
            set_place(&use->tested, s, &line.token);
        }
        if (gt_lexer_is(&line, "defined")) {
            asks = true;
        } else if (line.token.kind == GT_TOKEN_NAME) {
            read_words(s, gt_lexer_on(line.token.text, asks ? 0 : line.token.length));
            asks = false;
        }
    }
}

static void read_directives(name_scan *s, const char *text)
{
    gt_lexer line;
    for (gt_lexer lexer = gt_lexer_of(text); gt_lexer_find_directive(&lexer, &line);) {
        if (gt_token_is_any(&line.token, "if elif ifdef ifndef")) {
            read_condition(s, line);
        } else if (gt_token_is_any(&line.token, "pragma include")) {
            read_words(s, line);
        }
    }
}

static void note_tokens(name_scan *s, const char *text)
{
    gt_token before = {0}, last = {0};
    for (gt_lexer lexer = gt_lexer_of(text); lexer.token.kind != GT_TOKEN_END;
         gt_lexer_next(&lexer)) {
        gt_name_use *use = use_of(s, &lexer.token);
        if (use) {
            use->occurs = true;
        }
        if (lexer.token.kind == GT_TOKEN_STRING && gt_token_is(&last, "(") &&
            gt_token_is(&before, "_Pragma")) { /* _Pragma("unroll N") */
            read_words(s, gt_lexer_on(lexer.token.text + 1, lexer.token.length - 1));
        }
        before = last;
        last = lexer.token;
    }
}

static void mark_read(bool *is_read, const gt_macros *macros, uint32_t id)
{
    if (is_read[id]) {
        return;
    }
    is_read[id] = true;
    for (const gt_macro *m = NULL; (m = gt_macro_before(macros, id, m));) {
        for (uint32_t i = 0; i < m->words; i++) {
            mark_read(is_read, macros, gt_macro_words(macros, m)[i].id);
        }
    }
}

static gputune_status find_read(name_scan *s)
{
    const gt_macros *macros = &s->found.macros;
    const gt_template_parts *parts = s->template->parts;
    GT_FREED bool *is_read = calloc(macros->ids, sizeof *is_read);
    if (!is_read || macros->failed) {
        return gt_fail_memory();
    }
    for (size_t i = 0; i < s->found.reads.count; i++) {
        mark_read(is_read, macros, s->found.reads.items[i].id);
    }
    for (size_t i = 0; i < s->others.count; i++) {
        mark_read(is_read, macros, s->others.items[i].id);
    }
    for (uint32_t i = 0; i < gt_name_count(s->template); i++) {
        const char *name = gt_name_at(s->template, i).name;
        s->out->names[i].is_read = is_read[gt_macros_id(macros, name, strlen(name))];
        s->out->names[i].occurs |= s->out->names[i].is_read;
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        if (own->value && is_read[gt_macros_id(macros, own->name, strlen(own->name))]) {
            for (uint64_t axes = gt_axes_used(own->value); axes; axes &= axes - 1) {
                s->out->names[__builtin_ctzll(axes)].is_read = true;
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status find_uses(name_scan *s, const char *text, size_t front)
{
    GT_TRY(gt_declarations_find(&s->found, s->text));
    for (size_t i = 0; i < s->found.items.count; i++) {
        read_piece(s, &s->found.items.items[i]);
    }
    note_tokens(s, text);
    read_directives(s, s->text + front);
    return find_read(s);
}

gputune_status gt_name_uses_find(gt_name_uses *out, const gt_parse *p, const char *text)
{
    GT_FREED char *cut = NULL;
    GT_SCOPED(gt_text_free) gt_text whole = {0};
    name_scan s = {.out = out, .template = p->template};
    *out = (gt_name_uses){0};
    GT_TRY(gt_branches_cut(&cut, text, gt_possible_meaning, p->reader));
    append_macros(&whole, p->template);
    const size_t front = whole.length;
    gt_text_append(&whole, cut);
    if (whole.failed) {
        return gt_fail_memory();
    }
    s.text = gt_text_string(&whole);
    const gputune_status status = find_uses(&s, text, front);
    gt_declarations_free(&s.found);
    gt_array_free(&s.others);
    return status;
}

/* Proposes names in the code to correct a misspelled name. A name in capitals is only corrected to
 * another name in capitals. */
static void try_names(gt_near *near, const gt_template *template, const char *text)
{
    static const char small[] = "abcdefghijklmnopqrstuvwxyz";
    gt_lexer lexer = gt_lexer_of(text);
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        const char *name = GT_TOKEN_TEXT(&lexer.token);
        if (lexer.token.kind == GT_TOKEN_NAME && name_index(template, &lexer.token) < 0 &&
            !strpbrk(name, small) == !strpbrk(near->word, small)) {
            gt_near_try(near, name);
        }
    }
}

static gputune_status check_name(const gt_chosen_name *own, const gt_name_use *use, bool is_given)
{
    const char *what = own->is_axis ? "a tunable" : "a problem value";
    const bool is_parameter = use->parameter.line > 0;
    GT_REFUSE_AT(is_given && is_parameter && use->tested.line > 0, use->tested,
                 "'%s' is tested as a macro here, but a macro would replace the parameter of that "
                 "name on line %d; expected another name for the parameter",
                 own->name, use->parameter.line);
    GT_REFUSE_AT(use->global.line > 0, use->global,
                 "'%s' is %s, but is declared here with a value of its own; expected no "
                 "declaration, or another name",
                 own->name, what);
    GT_REFUSE_AT(!is_given && is_parameter, use->parameter,
                 "'%s' is %s, whose value is a macro, but is declared here; expected no "
                 "declaration, or another name",
                 own->name, what);
    return GPUTUNE_OK;
}

gputune_status gt_names_check(const gt_parse *parse)
{
    const gt_name_uses *const both[] = {&parse->kernel_uses, &parse->judge_uses};
    const uint64_t given = gt_names_given(parse->template);
    const uint32_t count = gt_name_count(parse->template);
    for (uint32_t k = 0; k < 2 * count; k++) {
        const uint32_t i = k % count;
        const gt_chosen_name own = gt_name_at(parse->template, i);
        const bool is_macro =
            !own.is_size &&
            !(own.is_axis && gt_axis_traits_of(parse->template->axes[i].kind)->generates);
        if (is_macro) {
            GT_TRY(check_name(&own, &both[k / count]->names[i], given >> i & 1));
        }
    }
    return GPUTUNE_OK;
}

static bool constrains_another(const gt_template_parts *parts, uint32_t axis)
{
    const uint64_t own = UINT64_C(1) << axis;
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        uint64_t used = gt_axes_used(parts->constraints[i]);
        if ((used & own) && (used & ~own)) {
            return true;
        }
    }
    return false;
}

static bool has_effect(const gt_parse *parse, uint32_t index)
{
    const gt_template_parts *parts = parse->parts;
    const gt_axis_traits *traits = gt_axis_traits_of(parse->template->axes[index].kind);
    const uint64_t bit = UINT64_C(1) << index;
    uint64_t launch =
        parts->geometry_axes | parts->kernel_body.arguments | gt_axes_of(parts, GT_WORDS_COMPILED);
    return traits->generates || traits->at_launch || parse->kernel_uses.names[index].is_read ||
           (launch & bit) || constrains_another(parts, index);
}

static gputune_status check_axis(const gt_parse *parse, uint32_t index)
{
    const gt_axis *axis = &parse->template->axes[index];
    const gt_place place = axis->place;
    const gt_body *judge = &parse->parts->judge_body;
    if (has_effect(parse, index)) {
        return GPUTUNE_OK;
    }
    GT_REFUSE_AT(parse->judge_uses.names[index].is_read || (judge->arguments >> index & 1), place,
                 "only the reference reads '%s', with the default's value; expected the kernel or "
                 "its launch to depend on it, or a problem(const %s = …)",
                 axis->name, axis->name);
    gt_near near = gt_near_to(axis->name);
    try_names(&near, parse->template, parse->parts->kernel_body.text);
    return gt_fail_at(place, "neither the kernel nor its launch depends on '%s'; expected %s%s",
                      axis->name,
                      gt_near_or(&near, "its name in the code, in block(), grid() or another "
                                        "clause of the launch, or no such tunable"),
                      near.name[0] ? ", which the code has" : "");
}

gputune_status gt_axes_check(const gt_parse *parse)
{
    for (uint32_t i = 0; i < parse->template->axis_count; i++) {
        GT_TRY(check_axis(parse, i));
    }
    return GPUTUNE_OK;
}

/* Returns the first name that is declared in a line of the template and that gputune defines as a
 * macro, or NULL. */
static const char *macro_in_line(const gt_template *template, const char *path, size_t length,
                                 long line)
{
    const gt_source_file *file = file_called(template, path, length);
    gt_lexer lexer = gt_lexer_of(file ? file->text : "");
    for (gt_token last = {0}; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        const gt_token next = gt_lexer_peek(lexer);
        if (lexer.token.line == line && gt_name_is_chosen(template, &lexer.token) &&
            (last.kind == GT_TOKEN_NAME || gt_token_is(&next, "="))) {
            return gt_name_at(template, (uint32_t)name_index(template, &lexer.token)).name;
        }
        last = lexer.token;
    }
    return NULL;
}

void gt_template_explain(gt_text *out, const gt_template *template, const char *message)
{
    const gt_template_parts *parts = template->parts;
    const char *error = strstr(message, "): error: expected an identifier"), *open = error;
    for (uint32_t i = 0; i < parts->define_count; i++) {
        char undefined[GT_NAME_MAX + 32];
        (void)snprintf(undefined, sizeof undefined, "identifier \"%s\" is undefined",
                       parts->defines[i].name);
        if (parts->defines[i].is_name && strstr(message, undefined)) {
            gt_text_printf(out,
                           ": define() gives '%s' a value that depends on a run-time size, so it "
                           "is not a macro in the code; compute it in the kernel",
                           parts->defines[i].name);
            return;
        }
    }
    while (open > message && *open != '(') {
        open--;
    }
    const char *path = open;
    while (path > message && path[-1] != '/' && path[-1] != ' ' && path[-1] != '\n') {
        path--;
    }
    const char *name =
        error ? macro_in_line(template, path, (size_t)(open - path), strtol(open + 1, NULL, 10))
              : NULL;
    if (name) {
        gt_text_printf(out,
                       ": gputune defines '%s' as a macro, which replaces this declaration; "
                       "expected another name, or no declaration",
                       name);
    }
}
