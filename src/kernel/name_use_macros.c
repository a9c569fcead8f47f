/* The names that reach a text through macros alone: its own, those of options and define(), and
 * what
 * ## joins. */
#include "kernel/name_use_parts.h"

#include <stdio.h>
#include <string.h>

/* ---- what stands in front of the text ---- */

/* `NAME` or `NAME=text` */
static gputune_status add_engines(gt_name_scan *s, const char *name, const char *text,
                                  gt_verdict made)
{
    gt_name_macro added = {.made = made};
    const gt_place nowhere = {"", 1, 1};
    gt_lexer_open(&added.body, name, strcspn(name, "="), nowhere);
    added.name = added.body.token;
    gt_lexer_open(&added.body, text, strlen(text), nowhere);
    return gt_array_push(&s->macros, added);
}

static gputune_status add_words(gt_name_scan *s, const char *name, const gt_value *values,
                                uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        GT_TRY(values[i].word ? add_engines(s, name, values[i].word, GT_SURELY) : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

static gputune_status add_options(gt_name_scan *s)
{
    static const char *const defining[] = {"-D", "--define-macro="};
    const gt_template_parts *parts = s->template->parts;
    for (uint32_t i = 0; i < parts->option_count; i++) {
        const char *option = parts->options[i].text;
        for (size_t k = 0; k < sizeof defining / sizeof *defining; k++) {
            size_t length = strlen(defining[k]);
            if (strncmp(option, defining[k], length) == 0) {
                GT_TRY(add_engines(s, option + length,
                                   option + length + strcspn(option + length, "="), GT_PERHAPS));
            }
        }
    }
    return GPUTUNE_OK;
}

/* A name within such a text needs a macro, which one within an expression has as a value. */
static void note_texts(gt_name_scan *s)
{
    for (size_t i = 0; i < s->macros.count; i++) {
        gt_lexer body = s->macros.items[i].body;
        for (; body.token.kind != GT_TOKEN_END; gt_lexer_next(&body)) {
            int index = gt_name_index(s->template, &body.token);
            if (index >= 0) {
                gt_name_use_at(s, index)->occurs = true;
            }
        }
    }
}

gputune_status gt_name_add_defines(gt_name_scan *s)
{
    const gt_template *template = s->template;
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        GT_TRY(add_words(s, template->axes[i].name, template->axes[i].values,
                         template->axes[i].kind == GT_AXIS_TUNE ? template->axes[i].count : 0));
    }
    for (uint32_t i = 0; i < template->problem_count; i++) {
        GT_TRY(add_words(s, template->problem[i].name, template->problem[i].values,
                         template->problem[i].count));
    }
    GT_TRY(add_options(s));
    for (uint32_t i = 0; i < parts->define_count; i++) {
        GT_TRY(parts->defines[i].text
                   ? add_engines(s, parts->defines[i].name, parts->defines[i].text, GT_SURELY)
                   : GPUTUNE_OK);
    }
    note_texts(s);
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        GT_TRY(own->text
                   ? GPUTUNE_OK
                   : add_engines(s, own->name, own->value ? gt_expression_text(own->value) : "",
                                 GT_SURELY));
    }
    return GPUTUNE_OK;
}

/* ---- names that only macros have ---- */

/* Whether code, a condition or a pragma has the token. */
static bool text_reads(const char *text, const gt_token *name)
{
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            if (gt_token_equals(&lexer.token, name)) {
                return true;
            }
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        bool reads = gt_token_is_any(&line.token, "if elif pragma");
        for (; reads && line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
            if (gt_token_equals(&line.token, name)) {
                return true;
            }
        }
    }
    return false;
}

/* Whether a macro's text has the token, which may be one of its parameters instead. */
static bool macro_has(const gt_name_macro *m, const gt_token *name)
{
    gt_lexer body = m->body;
    bool has = false,
         parameters = gt_lexer_is(&body, "(") && body.token.text == m->name.text + m->name.length;
    for (; body.token.kind != GT_TOKEN_END; gt_lexer_next(&body)) {
        if (gt_token_equals(&body.token, name)) {
            has = !parameters;
            if (parameters) {
                return false;
            }
        }
        parameters = parameters && !gt_lexer_is(&body, ")");
    }
    return has;
}

/* Whether a macro that holds the token is read, itself or through others. */
static bool reads_through(gt_name_scan *s, const char *text, const gt_token *name)
{
    for (size_t i = 0; i < s->macros.count; i++) {
        gt_name_macro *m = &s->macros.items[i];
        if (m->followed || m->undefines || !macro_has(m, name)) {
            continue;
        }
        m->followed = true;
        if (text_reads(text, &m->name) || reads_through(s, text, &m->name)) {
            return true;
        }
    }
    return false;
}

/* Whether up to three tokens of the text, joined by ##, make the name. */
static bool joins_to(const char *text, const char *name)
{
    enum { PIECES = 3 };
    const size_t length = strlen(name);
    bool reached[GT_NAME_MAX * 2] = {true};
    for (int piece = 0; piece < PIECES; piece++) {
        bool next[GT_NAME_MAX * 2] = {false};
        gt_lexer lexer;
        gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
        for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
            const gt_token *token = &lexer.token;
            bool part = token->kind == GT_TOKEN_NAME || token->kind == GT_TOKEN_NUMBER;
            for (size_t at = 0; part && at + token->length <= length; at++) {
                bool fits = reached[at] && memcmp(name + at, token->text, token->length) == 0;
                next[at + token->length] |= fits;
            }
        }
        memcpy(reached, next, sizeof reached);
        if (piece > 0 && reached[length]) {
            return true;
        }
    }
    return false;
}

static bool axis_is_joined(const gt_axis *axis, const char *text)
{
    bool joined = joins_to(text, axis->name);
    for (uint32_t v = 0; v < axis->count && !joined; v++) {
        char name[2 * GT_NAME_MAX];
        const char *word = axis->values[v].word;
        if (word && strlen(word) < GT_NAME_MAX) {
            (void)snprintf(name, sizeof name, "%s_%s", axis->name, word);
            joined = joins_to(text, name);
        }
    }
    return joined;
}

void gt_name_follow_macros(gt_name_scan *s, const char *text)
{
    for (uint32_t i = 0; i < s->template->axis_count; i++) {
        const gt_axis *axis = &s->template->axes[i];
        const gt_token name = {GT_TOKEN_NAME, axis->name, strlen(axis->name), 0, 0};
        gt_name_use *use = &s->out->axes[i];
        for (size_t k = 0; k < s->macros.count; k++) {
            s->macros.items[k].followed = false;
        }
        use->is_read = use->is_read || reads_through(s, text, &name);
        if (!use->is_read && s->pastes && axis_is_joined(axis, text)) {
            use->occurs = use->is_read = true;
        }
    }
}
