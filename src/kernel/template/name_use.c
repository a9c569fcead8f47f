/* Finds the names of tunables and problem values in a text, and what becomes of them there. Refuses
 * names that stand for two things, and tunables that change nothing. */
#include "kernel/template/name_use.h"

#include "kernel/template/axis_kind.h"
#include "kernel/text/branches.h"
#include "kernel/text/compiler_options.h"
#include "kernel/text/types.h"

#include "base/array.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A #define or #undef; or what the engine, or an option, defines in front of the text. */
typedef struct gt_name_macro {
    gt_token name;
    gt_lexer body; /* behind the name: parameters, and what it stands for */
    gt_verdict made;
    bool undefines, followed;
} gt_name_macro;

typedef struct gt_name_scan {
    gt_name_uses *out;
    const gt_template *template;
    const char *text;
    gt_lexer lexer;
    gt_conditions conditions;
    GT_ARRAY(gt_name_macro) macros;
    bool pastes;
    gt_token previous, before;
    bool behind_type;   /* a type's name and asterisks stand in front of the current token */
    bool opens_scope;   /* the next brace is that of a namespace or of extern "C" */
    uint64_t enclosing; /* bit 0 is the innermost brace: 1 for one of a function or class */
    int parentheses;
} gt_name_scan;

/* ---- names ---- */

/* MODE_word asks for one of MODE's values. */
static bool asks_for(const gt_token *token, const gt_chosen_name *own)
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
        if (gt_token_is(token, own.name) || asks_for(token, &own)) {
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

/* What is noted of a token; NULL: it is none of the names. */
static gt_name_use *use_of(const gt_name_scan *s, const gt_token *token)
{
    const int index = name_index(s->template, token);
    return index < 0 ? NULL : &s->out->names[index];
}

/* The path of the template's file that a #line names; of its own, where the #line names none. */
static const char *path_of(const gt_template_parts *parts, const gt_token *file)
{
    const char *found = parts->files[0].path;
    for (uint32_t i = 0; i < parts->file_count; i++) {
        const char *path = parts->files[i].path, *name = gt_base_name(path);
        bool is =
            file->length == strlen(name) + 2 && memcmp(file->text + 1, name, file->length - 2) == 0;
        found = is ? path : found;
    }
    return found;
}

static void set_place(gt_place *out, const gt_name_scan *s, const gt_token *token)
{
    if (out->line == 0) {
        gt_token file;
        const int line = gt_line_at(&file, s->text, (size_t)(token->text - s->text));
        *out = (gt_place){path_of(s->template->parts, &file), line, token->column};
    }
}

static void note_token(gt_name_scan *s, const gt_token *token, bool is_read)
{
    gt_name_use *use = use_of(s, token);
    if (use) {
        use->occurs = true;
        use->is_read |= is_read && s->conditions.now != GT_NEVER;
    }
}

static void note_text(gt_name_scan *s, gt_lexer text, bool is_read)
{
    for (; text.token.kind != GT_TOKEN_END; gt_lexer_next(&text)) {
        note_token(s, &text.token, is_read);
    }
}

/* ---- directives ---- */

/* A gt_defined_fn. What a compiler or a header may have defined has a reserved name. */
static gt_verdict is_defined(const void *user, const gt_token *name)
{
    const gt_name_scan *s = user;
    int index = name_index(s->template, name);
    for (size_t i = s->macros.count; i-- > 0;) {
        const gt_name_macro *m = &s->macros.items[i];
        if (gt_token_equals(&m->name, name)) {
            return m->undefines ? (gt_verdict)(GT_SURELY - m->made)
                   : index >= 0 ? GT_SURELY
                                : m->made;
        }
    }
    if (index >= 0 ||
        gt_token_is_any(name, "__CUDACC_RTC__ __CUDACC__ __CUDA_ARCH__ __cplusplus")) {
        return GT_SURELY;
    }
    bool reserved = name->length > 1 && name->text[0] == '_' &&
                    (name->text[1] == '_' || isupper((unsigned char)name->text[1]));
    return reserved ? GT_PERHAPS : GT_NEVER;
}

static gputune_status add_macro(gt_name_scan *s, gt_lexer line, bool undefines)
{
    gt_name_macro added = {line.token, line, s->conditions.now, undefines, false};
    gt_name_use *use = use_of(s, &line.token);
    if (use) {
        use->is_in_doubt |= s->conditions.now != GT_NEVER;
        set_place(&use->tested, s, &line.token);
    }
    note_text(s, line, false);
    s->pastes |= gt_lexer_has(line, &(gt_token){GT_TOKEN_PUNCTUATION, "##", 2, 0, 0});
    gt_lexer_next(&added.body);
    return s->conditions.now == GT_NEVER ? GPUTUNE_OK : gt_array_push(&s->macros, added);
}

static void read_condition(gt_name_scan *s, gt_lexer line)
{
    bool asks = gt_lexer_is(&line, "ifdef") || gt_lexer_is(&line, "ifndef");
    if (!asks && !gt_lexer_is(&line, "if") && !gt_lexer_is(&line, "elif")) {
        return;
    }
    gt_lexer_next(&line);
    for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
        if (gt_lexer_accept(&line, "defined")) {
            gt_lexer_accept(&line, "(");
            asks = true;
        }
        gt_name_use *use = use_of(s, &line.token);
        if (use) {
            use->occurs = true;
            use->is_read |= !asks && s->conditions.now != GT_NEVER;
            set_place(&use->tested, s, &line.token);
        }
        asks = false;
    }
}

static gputune_status read_directive(gt_name_scan *s)
{
    gt_lexer line;
    gt_lexer_directive(&s->lexer, &line);
    s->behind_type = false;
    bool defines = gt_lexer_is(&line, "define"), undefines = gt_lexer_is(&line, "undef");
    if (defines || undefines) {
        gt_lexer_next(&line);
        return add_macro(s, line, undefines);
    }
    if (gt_lexer_is(&line, "pragma") || gt_lexer_is(&line, "include")) {
        note_text(s, line, true);
        return GPUTUNE_OK;
    }
    read_condition(s, line);
    gt_conditions_read(&s->conditions, line);
    return GPUTUNE_OK;
}

/* ---- code ---- */

static void note_declaration(gt_name_scan *s, const gt_token *token, gt_name_use *use,
                             gt_place *place)
{
    use->occurs = use->is_declared = true;
    if (place && s->conditions.now == GT_SURELY) {
        set_place(place, s, token);
    }
}

/* With the lexer on the '<' behind `template`: the last name of each parameter is its own, unless
 * it is the only one. */
static void read_parameters(gt_name_scan *s)
{
    int depth = 0;
    bool first = true, value = false;
    do {
        const gt_token token = s->lexer.token;
        depth += gt_token_angles(&token) + gt_token_is(&token, "(") - gt_token_is(&token, ")");
        gt_lexer_next(&s->lexer);
        const gt_lexer *next = &s->lexer;
        bool ends = gt_token_is_any(&next->token, ", > =");
        gt_name_use *use = use_of(s, &token);
        if (use && depth == 1 && ends && !first && !value) {
            note_declaration(s, &token, use, &use->parameter);
        } else {
            note_token(s, &token, true);
        }
        value = depth == 1 && (gt_token_is(&token, "=") || (value && !gt_token_is(&token, ",")));
        first = depth == 1 && (gt_token_is(&token, "<") || gt_token_is(&token, ","));
    } while (depth > 0 && s->lexer.token.kind != GT_TOKEN_END);
}

/* Whether the current token, a name, is declared where it stands: another name, or a type's with
 * asterisks, stands in front of it, and what may follow a declared name behind it; or it is an
 * enum's first. */
static bool is_declaration(const gt_name_scan *s, const gt_token *next)
{
    static const char others[] = /* which may stand in front of what is no declaration */
        "return case else do goto throw new delete sizeof typename operator const constexpr static "
        "volatile inline extern register __device__ __shared__ __constant__ __global__ "
        "__restrict__ unsigned alignas __align__ __forceinline__";
    if (gt_token_is(&s->previous, "{") && gt_token_is(&s->before, "enum")) {
        return true;
    }
    bool named = s->previous.kind == GT_TOKEN_NAME && !gt_token_is_any(&s->previous, others);
    return (named || s->behind_type) && gt_token_is_any(next, "= ; , ) [ { :");
}

static void note_define(gt_name_scan *s, const gt_token *token)
{
    const gt_template_parts *parts = s->template->parts;
    for (uint32_t i = 0; i < parts->define_count; i++) {
        bool declared =
            gt_token_is(token, parts->defines[i].name) && is_declaration(s, &s->lexer.token);
        s->out->declared_defines |= (uint64_t)declared << i;
    }
}

static void read_name(gt_name_scan *s, const gt_token *token)
{
    gt_name_use *use = use_of(s, token);
    if (!use) {
        note_define(s, token);
        return;
    }
    if (!is_declaration(s, &s->lexer.token)) {
        note_token(s, token, true);
        return;
    }
    bool global =
        s->enclosing == 0 && s->parentheses == 0 && gt_token_is_any(&s->lexer.token, "= ; [ {");
    bool sure = gt_lexer_is(&s->lexer, "=") || gt_is_type(GT_TOKEN_TEXT(&s->previous));
    note_declaration(s, token, use, global ? &use->global : sure ? &use->inner : NULL);
}

static void note_scope(gt_name_scan *s, const gt_token *token)
{
    bool linkage = token->kind == GT_TOKEN_STRING && gt_token_is(&s->previous, "extern");
    if (gt_token_is(token, "{")) {
        s->enclosing = s->enclosing << 1 | !s->opens_scope;
    } else if (gt_token_is(token, "}")) {
        s->enclosing >>= 1;
    }
    s->parentheses += gt_token_is(token, "(") - gt_token_is(token, ")");
    s->opens_scope = gt_token_is(token, "namespace") || linkage ||
                     (s->opens_scope && (token->kind == GT_TOKEN_NAME || gt_token_is(token, "::")));
}

static void note_type(gt_name_scan *s, const gt_token *token)
{
    if (gt_token_is_any(token, "* & && const __restrict__ __restrict")) {
        return;
    }
    s->behind_type = gt_token_is(token, "auto") || gt_is_type(GT_TOKEN_TEXT(token));
}

static void read_code(gt_name_scan *s)
{
    const gt_token token = s->lexer.token;
    gt_lexer_next(&s->lexer);
    if (gt_token_is(&token, "template") && gt_lexer_is(&s->lexer, "<")) {
        read_parameters(s);
        return;
    }
    if (token.kind == GT_TOKEN_NAME) {
        read_name(s, &token);
    } else if (token.kind == GT_TOKEN_STRING && gt_token_is(&s->previous, "(") &&
               gt_token_is(&s->before, "_Pragma")) { /* _Pragma("unroll N") */
        note_text(s, gt_lexer_on(token.text + 1, token.length - 1), true);
    }
    note_scope(s, &token);
    note_type(s, &token);
    s->before = s->previous;
    s->previous = token;
}

/* ---- what stands in front of the text ---- */

/* `NAME` or `NAME=text` */
static gputune_status add_engines(gt_name_scan *s, const char *name, const char *text,
                                  gt_verdict made)
{
    const gt_token own = gt_lexer_on(name, strcspn(name, "=")).token;
    const gt_name_macro added = {.name = own, .body = gt_lexer_of(text), .made = made};
    return gt_array_push(&s->macros, added);
}

static gputune_status add_defines(gt_name_scan *s)
{
    const gt_template *template = s->template;
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < gt_name_count(template); i++) {
        const gt_chosen_name own = gt_name_at(template, i);
        const bool has_words = !own.is_axis || template->axes[i].kind == GT_AXIS_TUNE;
        for (uint32_t v = 0; v < own.count && has_words; v++) {
            const char *word = own.values[v].word;
            GT_TRY(word ? add_engines(s, own.name, word, GT_SURELY) : GPUTUNE_OK);
        }
    }
    for (uint32_t i = 0; i < parts->option_count; i++) {
        const char *macro = gt_compiler_option_macro(parts->options[i].text, false);
        GT_TRY(macro ? add_engines(s, macro, macro + strcspn(macro, "="), GT_PERHAPS) : GPUTUNE_OK);
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        GT_TRY(parts->defines[i].text
                   ? add_engines(s, parts->defines[i].name, parts->defines[i].text, GT_SURELY)
                   : GPUTUNE_OK);
    }
    for (size_t i = 0; i < s->macros.count; i++) {
        /* a name within such a text needs a macro, which one within an expression has as a value */
        note_text(s, s->macros.items[i].body, false);
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *own = &parts->defines[i];
        GT_TRY(own->text || own->is_name
                   ? GPUTUNE_OK
                   : add_engines(s, own->name, own->value ? own->value->text : "", GT_SURELY));
    }
    return GPUTUNE_OK;
}

/* ---- names that only macros have ---- */

/* Whether code, a condition or a pragma has the token. */
static bool text_reads(const char *text, const gt_token *name)
{
    gt_lexer lexer = gt_lexer_of(text), line;
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            if (gt_token_equals(&lexer.token, name)) {
                return true;
            }
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        if (gt_token_is_any(&line.token, "if elif pragma") && gt_lexer_has(line, name)) {
            return true;
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
        gt_lexer lexer = gt_lexer_of(text);
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

static void follow_macros(gt_name_scan *s, const char *text)
{
    for (uint32_t i = 0; i < s->template->axis_count; i++) {
        const gt_axis *axis = &s->template->axes[i];
        const gt_token name = gt_token_of(axis->name);
        gt_name_use *use = &s->out->names[i];
        for (size_t k = 0; k < s->macros.count; k++) {
            s->macros.items[k].followed = false;
        }
        use->is_read = use->is_read || reads_through(s, text, &name);
        if (!use->is_read && s->pastes && axis_is_joined(axis, text)) {
            use->occurs = use->is_read = true;
        }
    }
}

gputune_status gt_name_uses_find(gt_name_uses *out, const gt_template *template, const char *text)
{
    gt_name_scan s = {.out = out, .template = template, .text = text};
    *out = (gt_name_uses){0};
    gputune_status status = add_defines(&s);
    gt_conditions_open(&s.conditions, is_defined, NULL, &s);
    s.lexer = gt_lexer_of(text);
    while (status == GPUTUNE_OK && s.lexer.token.kind != GT_TOKEN_END) {
        if (s.lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            status = read_directive(&s);
        } else {
            read_code(&s);
        }
    }
    if (status == GPUTUNE_OK) {
        follow_macros(&s, text);
    }
    gt_array_free(&s.macros);
    return status;
}

/* Tries the names in the text's code that are written in letters of the same case; tunables and
 * problem values do not count. */
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

/* ---- what is refused ---- */

/* A name of the template, and what one of its texts does with it. */
typedef struct named {
    const char *name, *what;
    bool is_argument; /* of a kernel that is a C++ template */
    const gt_name_use *use;
} named;

/* Where the code has a C++ name like it, a template argument is no macro. */
static gputune_status check_name(const named *n)
{
    const bool is_both = n->is_argument && n->use->is_declared && n->use->tested.line > 0;
    GT_REFUSE_AT(is_both && n->use->parameter.line > 0, n->use->tested,
                 "'%s' is taken for a macro here, and is a template parameter on line %d, where a "
                 "macro would replace it; expected another name of the parameter",
                 n->name, n->use->parameter.line);
    GT_REFUSE_AT(is_both, n->use->tested,
                 "'%s' is taken for a macro here, and declared elsewhere in the code; expected "
                 "another name there",
                 n->name);
    GT_REFUSE_AT(n->use->global.line > 0, n->use->global,
                 "'%s' is %s, and declared here with a value of its own; expected the declaration "
                 "left out, or another name",
                 n->name, n->what);
    return GPUTUNE_OK;
}

/* A macro would take the place of a parameter or a member. */
static gputune_status check_inner(const named *n)
{
    const gt_place *place = n->use->inner.line > 0 ? &n->use->inner : &n->use->parameter;
    return n->is_argument || place->line == 0
               ? GPUTUNE_OK
               : gt_fail_at(*place,
                            "'%s' is %s, which a macro gives its value, and declared here; "
                            "expected the declaration left out, or another name",
                            n->name, n->what);
}

static gputune_status check_uses(const gt_parse *parse, const gt_name_uses *uses)
{
    const gt_template *template = parse->template;
    const gt_body *kernel = &parse->parts->kernel_body, *judge = &parse->parts->judge_body;
    const uint64_t arguments = kernel->arguments | judge->arguments;
    for (uint32_t i = 0; i < gt_name_count(template); i++) {
        const gt_chosen_name own = gt_name_at(template, i);
        const named n = {own.name, own.is_axis ? "a tunable" : "a problem value",
                         arguments >> i & 1, &uses->names[i]};
        GT_TRY(own.is_size ? GPUTUNE_OK : check_name(&n));
        GT_TRY(own.is_axis ? check_inner(&n) : GPUTUNE_OK);
    }
    return GPUTUNE_OK;
}

gputune_status gt_names_check(const gt_parse *parse)
{
    GT_TRY(check_uses(parse, &parse->kernel_uses));
    return check_uses(parse, &parse->judge_uses);
}

/* Whether a constraint relates the axis to another one, whose values it chooses then. */
static bool constrains_another(const gt_template_parts *parts, uint32_t axis)
{
    const uint64_t own = UINT64_C(1) << axis;
    for (uint32_t i = 0; i < parts->require_count; i++) {
        uint64_t used = gt_axes_used(parts->requires[i]);
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
           (launch & bit) || gt_compiler_options_use(parse->template, index) ||
           constrains_another(parts, index);
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
                 "only the reference reads '%s', and has the default's value; expected the kernel "
                 "or its launch to depend on it, or a problem(const %s = …)",
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
