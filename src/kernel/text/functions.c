/* Finds __global__ functions, their parameters, and constants in CUDA code. */
#include "kernel/text/functions.h"

#include "kernel/text/declarations.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <string.h>

typedef struct finder {
    gt_function_list *out;
    const char *text;
    const char *const *names;
    size_t name_count;
    gt_macros macros;
    gt_word_list words;
    bool failed;
} finder;

static size_t begin_of(const finder *f, size_t word)
{
    return (size_t)(f->words.items[word].token.text - f->text);
}

void gt_scope_find(char scope[GT_ENTRY_MAX], const gt_word *w, size_t at)
{
    /* opening minus closing braces, counted while reading backward */
    int open = 0;
    for (scope[0] = '\0'; at-- > 0;) {
        open += (w[at].id == GT_IS_OPEN_BRACE) - (w[at].id == GT_IS_CLOSE_BRACE);
        size_t name = at;
        while (open > 0 && name > 0 && w[name - 1].id != GT_IS_NAMESPACE &&
               (gt_word_is_name(&w[name - 1]) || w[name - 1].id == GT_IS_SCOPE)) {
            name--;
        }
        if (open > 0 && name > 0 && name < at && w[name - 1].id == GT_IS_NAMESPACE) {
            char inner[GT_ENTRY_MAX];
            memcpy(inner, scope, sizeof inner);
            for (scope[0] = '\0'; name < at; name++) {
                (void)gt_append_within(scope, GT_ENTRY_MAX, w[name].token.text,
                                       w[name].token.length);
            }
            (void)gt_append_within(scope, GT_ENTRY_MAX, "::", inner[0] ? 2 : 0);
            (void)gt_append_within(scope, GT_ENTRY_MAX, inner, strlen(inner));
        }
        open = open > 0 ? 0 : open;
    }
}

/* Appends the namespaces that qualify a function's name: "a::b" for a::b::k(…). */
static void add_written_scope(char scope[GT_ENTRY_MAX], const gt_word *w, size_t at)
{
    size_t first = at;
    while (first > 1 && w[first - 1].id == GT_IS_SCOPE && gt_word_is_name(&w[first - 2])) {
        first -= 2;
    }
    for (; first < at; first += 2) {
        (void)gt_append_within(scope, GT_ENTRY_MAX, "::", scope[0] ? 2 : 0);
        (void)gt_append_within(scope, GT_ENTRY_MAX, w[first].token.text, w[first].token.length);
    }
}

/* Returns true if `name` means function `token` in `scope`. `name` may omit outer namespaces. */
static bool is_named(const gt_token *token, const char *scope, const char *name)
{
    char whole[GT_ENTRY_MAX + GT_NAME_MAX], written[GT_NAME_MAX + 2];
    const int length = snprintf(whole, sizeof whole, "::%s%s%.*s", scope, scope[0] ? "::" : "",
                                (int)token->length, token->text);
    const int own = snprintf(written, sizeof written, "::%s", name);
    return own <= length && length < (int)sizeof whole &&
           strcmp(whole + length - own, written) == 0;
}

bool gt_function_is(const gt_function *function, const char *text, const char *name)
{
    const gt_lexer lexer = gt_lexer_of(text + function->name);
    return is_named(&lexer.token, function->scope, name);
}

/* If the word at `at` names a wanted function, returns the index of its '(', otherwise 0. */
static size_t find_parameters(const finder *f, gt_function *out, size_t at)
{
    const gt_word *w = f->words.items;
    const size_t count = f->words.count;
    size_t open = at + 1;
    bool is_sought = false;
    if (open < count && w[open].id == GT_IS_LESS) {
        open = gt_word_close_angles(w, count, open) + 1;
    }
    if (open >= count || w[open].id != GT_IS_OPEN_PAREN || !gt_word_is_name(&w[at])) {
        return 0;
    }
    gt_scope_find(out->scope, w, at);
    add_written_scope(out->scope, w, at);
    for (size_t i = 0; i < f->name_count && !is_sought; i++) {
        is_sought = is_named(&w[at].token, out->scope, f->names[i]);
    }
    return is_sought ? open : 0;
}

static bool has_whole_branches(const gt_word *w, size_t from, size_t to)
{
    int open = 0;
    while (from < to && open >= 0) {
        open += gt_word_opens(&w[from++]);
    }
    return open == 0;
}

static size_t add_function(finder *f, gt_function *out, size_t begin, size_t name, size_t open)
{
    const gt_word *w = f->words.items;
    const size_t count = f->words.count, close = gt_word_close(w, count, open);
    size_t last = close + 1;
    while (last < count && w[last].id != GT_IS_SEMICOLON && w[last].id != GT_IS_OPEN_BRACE) {
        last = gt_word_close(w, count, last) + 1;
    }
    const bool reads = last < count;
    last = reads ? last : close;
    out->is_definition = w[last].id == GT_IS_OPEN_BRACE;
    last = gt_word_close(w, count, last);
    out->plain = reads && has_whole_branches(w, begin, open) &&
                 has_whole_branches(w, open, close) && has_whole_branches(w, close, last) &&
                 (!out->is_definition || w[last].id == GT_IS_CLOSE_BRACE);
    out->begin = begin_of(f, begin);
    out->name = begin_of(f, name);
    out->parameters = out->parameters_end = out->end = begin_of(f, open) + 1;
    if (out->plain) {
        out->parameters_end = begin_of(f, close);
        out->end = begin_of(f, last) + w[last].token.length;
    }
    for (size_t i = begin; i < name; i++) {
        const bool is_template = w[i].id == GT_IS_TEMPLATE && w[i + 1].id == GT_IS_LESS;
        const bool is_empty = w[i + 1].id == GT_IS_LESS && w[i + 2].id == GT_IS_GREATER;
        out->is_template |= is_template && !is_empty;
        out->is_specialisation |= is_template && is_empty;
        out->is_extern_c |= gt_token_is(&w[i].token, "\"C\"");
    }
    f->failed |= gt_array_push(f->out, *out) != GPUTUNE_OK;
    return out->plain ? last + 1 : open + 1;
}

/* If a macro at `at` ends a declaration or scope, returns the index after it, otherwise 0. */
static size_t skip_end(const finder *f, size_t at)
{
    const gt_word *w = f->words.items;
    const gt_macro *macro = gt_macro_of(&f->macros, w[at].id);
    const gt_word *last =
        macro && macro->words ? &gt_macro_words(&f->macros, macro)[macro->words - 1] : &w[at];
    const size_t taken = gt_token_is_any(&last->token, "; { }")
                             ? gt_macro_use(&f->macros, w, f->words.count, at)
                             : 0;
    return taken ? at + taken : 0;
}

static size_t read_declaration(finder *f, size_t begin)
{
    const gt_word *w = f->words.items;
    bool is_global = false;
    for (size_t i = begin; i < f->words.count; i++) {
        gt_function function = {0};
        i = gt_word_skip_templates(w, f->words.count, i);
        const bool ends = i >= f->words.count || gt_token_is_any(&w[i].token, "; { }");
        if (!ends && w[i].token.kind == GT_TOKEN_DIRECTIVE) {
            gt_macros_directive(&f->macros, &w[i]);
        }
        if (ends || (w[i].token.kind == GT_TOKEN_DIRECTIVE && !is_global)) {
            return i + 1;
        }
        const size_t end = is_global ? 0 : skip_end(f, i);
        if (end) {
            return end;
        }
        is_global |= w[i].id == GT_IS_GLOBAL;
        const size_t open = is_global ? find_parameters(f, &function, i) : 0;
        if (open) {
            return add_function(f, &function, begin, i, open);
        }
    }
    return f->words.count;
}

gputune_status gt_functions_find(gt_function_list *out, const char *text, const char *const *names,
                                 size_t count)
{
    finder f = {.out = out, .text = text, .names = names, .name_count = count};
    *out = (gt_function_list){0};
    gt_macros_open(&f.macros, text);
    gt_words_split(&f.words, &f.macros, gt_lexer_of(text));
    f.failed = f.macros.failed;
    for (size_t i = 0; i < f.words.count && !f.failed;) {
        i = read_declaration(&f, i);
        f.failed |= f.macros.failed;
    }
    gt_macros_free(&f.macros);
    gt_array_free(&f.words);
    return f.failed ? gt_fail_memory() : GPUTUNE_OK;
}

size_t gt_function_needs(char name[GT_NAME_MAX], const char *text, const gt_function *function,
                         size_t index)
{
    const gt_token equals = gt_token_of("="), pack = gt_token_of("...");
    gt_lexer list = gt_lexer_on(text + function->begin, function->name - function->begin), item;
    size_t count = 0;
    name[0] = '\0';
    gt_lexer_skip_to(&list, "template");
    (void)gt_lexer_accept(&list, "template");
    for (bool opens = gt_lexer_accept(&list, "<"); opens && gt_lexer_item(&item, &list);) {
        const bool needed = !gt_lexer_has(item, &equals) && !gt_lexer_has(item, &pack);
        if (needed && count == index) {
            (void)gt_append_within(name, GT_NAME_MAX, item.token.text,
                                   (size_t)(item.end - item.token.text));
        }
        count += needed;
    }
    return count;
}

gt_lexer gt_function_body(const char *text, const gt_function *function)
{
    return gt_lexer_on(text + function->parameters_end, function->end - function->parameters_end);
}

bool gt_function_has_dynamic_shared(const char *text, const gt_function *function)
{
    gt_lexer lexer = gt_function_body(text, function), line;
    bool is_extern = false, is_shared = false;
    int conditionals = 0;
    while (lexer.token.kind != GT_TOKEN_END && !(is_extern && is_shared)) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            conditionals +=
                gt_token_is_any(&line.token, "if ifdef ifndef") - gt_lexer_is(&line, "endif");
            continue;
        }
        bool ends = gt_lexer_is(&lexer, ";") || gt_lexer_is(&lexer, "{");
        is_extern = !ends && (is_extern || gt_lexer_is(&lexer, "extern")) && conditionals == 0;
        is_shared = !ends && (is_shared || gt_lexer_is(&lexer, "__shared__"));
        gt_lexer_next(&lexer);
    }
    return is_extern && is_shared;
}

/* Ignores subtractions of the parameter from a number, because `1 - flag` only inverts a flag. */
bool gt_function_adds(const char *text, const gt_function *function, const char *parameter)
{
    gt_lexer lexer = gt_function_body(text, function);
    gt_token before = {.kind = GT_TOKEN_END}, last = before;
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        bool turned = before.kind == GT_TOKEN_NUMBER && gt_token_is(&last, "-");
        if (gt_token_is(&lexer.token, parameter)) {
            const gt_token next = gt_lexer_peek(lexer);
            if ((!turned && gt_token_is_any(&last, "+ += - -= [")) ||
                gt_token_is_any(&next, "+ -")) {
                return true;
            }
        }
        before = last;
        last = lexer.token;
    }
    return false;
}

/* Stores a name that was found in a parameter. The last name is the parameter's own, and all
 * earlier names belong to its type. */
static void keep_name(gt_function_parameter *out, const gt_token *token)
{
    size_t length = strlen(out->words), more = strlen(out->name);
    if (length + more + 2 > sizeof out->words || token->length >= sizeof out->name) {
        out->is_overlong = true;
        return;
    }
    if (more > 0) {
        char *end = out->words + length;
        if (length > 0) {
            *end++ = ' ';
        }
        memcpy(end, out->name, more + 1);
    }
    gt_token_name(out->name, token);
}

static void read_parameter(gt_function_parameter *out, gt_lexer item)
{
    static const char qualifiers[] = "const volatile __restrict__ restrict __grid_constant__ "
                                     "__restrict struct class enum typename";
    int depth = 0;
    bool is_template = false;
    *out = (gt_function_parameter){0};
    while (gt_lexer_is(&item, "[")) { /* an attribute */
        (void)gt_lexer_skip(&item, "[", "]");
    }
    for (; item.token.kind != GT_TOKEN_END; gt_lexer_next(&item)) {
        const gt_token *token = &item.token;
        bool opens = gt_token_is(token, "(") || gt_token_is(token, "[");
        bool closes = gt_token_is(token, ")") || gt_token_is(token, "]");
        depth += opens - closes + gt_token_angles(token);
        out->has_default |= depth == 0 && gt_token_is(token, "=");
        if (out->has_default) {
            continue;
        }
        bool points = gt_token_is(token, "*") || gt_token_is(token, "[");
        is_template |= gt_token_is(token, "<");
        if (depth == 0 && gt_token_is(token, "::")) {
            out->name[0] = '\0'; /* a namespace */
        }
        out->is_unusual |= gt_token_is(token, "(") || (points && out->pointer);
        out->is_const |= gt_token_is(token, "const") && !out->pointer && depth == 0;
        out->pointer |= points;
        if (token->kind == GT_TOKEN_NAME && depth == 0 && !gt_token_is_any(token, qualifiers)) {
            keep_name(out, token);
        }
    }
    out->is_unusual |= is_template && !out->pointer;
    out->has_type = !out->is_overlong && gt_element_from_name(&out->element, out->words);
}

static bool read_blocks(gt_signature *out, gt_lexer *lexer)
{
    while (gt_lexer_accept(lexer, "GPUTUNE_PARAM")) {
        const uint32_t i = out->block_count;
        if (i == GT_BLOCK_MAX || !gt_lexer_accept(lexer, "(") ||
            gt_name_read(out->blocks[i], GT_NAME_MAX, lexer, "a name") != GPUTUNE_OK ||
            !gt_lexer_accept(lexer, ")")) {
            return false;
        }
        out->has_comma[i] = gt_lexer_accept(lexer, ",");
        out->block_count++;
    }
    return true;
}

bool gt_function_signature(gt_signature *out, const char *text, const gt_function *function)
{
    gt_lexer item, lexer = gt_lexer_on(text + function->parameters,
                                       function->parameters_end - function->parameters);
    out->count = out->block_count = 0;
    if (!function->plain || !read_blocks(out, &lexer)) {
        return false;
    }
    const gt_token pack = gt_token_of("...");
    if (gt_lexer_has(lexer, &pack)) {
        return false;
    }
    gt_lexer ahead = lexer;
    bool nothing = gt_lexer_accept(&ahead, "void") && ahead.token.kind == GT_TOKEN_END;
    for (; !nothing && gt_lexer_item(&item, &lexer); out->count++) {
        gt_function_parameter ignored;
        read_parameter(out->count < GT_PARAMETER_MAX ? &out->items[out->count] : &ignored, item);
    }
    return true;
}

/* Returns true if two definitions have the same tokens, as in a header that is included twice. */
static bool is_same(gt_lexer a, gt_lexer b)
{
    while (a.token.kind != GT_TOKEN_END && gt_token_equals(&a.token, &b.token)) {
        gt_lexer_next(&a);
        gt_lexer_next(&b);
    }
    return a.token.kind == GT_TOKEN_END && b.token.kind == GT_TOKEN_END;
}

/* A search for a constant. `value` is the first value that was found. */
typedef struct search {
    uint32_t name;
    gt_lexer *value;
    int64_t *above;
    int found; /* number of different values that were found */
} search;

static void note_constant(search *s, gt_lexer value, int64_t above)
{
    if (s->found == 0 || *s->above != above || !is_same(*s->value, value)) {
        *s->value = value;
        *s->above = above;
        s->found++;
    }
}

/* Reads the constants of an enum. Without a value, a constant is the previous one plus 1. */
static void search_enum(search *s, const gt_word *w, size_t begin, size_t end)
{
    gt_lexer value = gt_lexer_of("0");
    int64_t above = 0;
    const size_t open = gt_word_find(w, begin, end, GT_IS_OPEN_BRACE);
    const bool is_enum = gt_word_find(w, begin, open, GT_IS_ENUM) < open;
    for (size_t i = open + 1; is_enum && i < end && w[i].id != GT_IS_CLOSE_BRACE; i++, above++) {
        const bool hit = w[i].id == s->name;
        if (w[i].token.kind == GT_TOKEN_DIRECTIVE) {
            above--;
            continue;
        }
        if (i + 2 < end && w[i + 1].id == GT_IS_EQUAL) {
            value = gt_lexer_of(w[i + 2].token.text);
            above = 0;
        }
        if (hit) {
            note_constant(s, value, above);
        }
        while (i + 1 < end && w[i].id != GT_IS_COMMA && w[i + 1].id != GT_IS_CLOSE_BRACE) {
            i = gt_word_nesting(&w[i]) > 0 ? gt_word_close(w, end, i) : i + 1;
        }
    }
}

static void search_macros(search *s, const gt_macros *macros)
{
    for (size_t i = 0; i < macros->items.count; i++) {
        const gt_macro *macro = &macros->items.items[i];
        if (macro->name == s->name && !macro->is_function && macro->words > 0) {
            const gt_token *first = &gt_macro_words(macros, macro)->token;
            const gt_token *last = &gt_macro_words(macros, macro)[macro->words - 1].token;
            const size_t length = (size_t)(last->text + last->length - first->text);
            note_constant(s, gt_lexer_on(first->text, length), 0);
        }
    }
}

bool gt_code_constant(gt_lexer *value, int64_t *above, const gt_declarations *code,
                      const char *name)
{
    const gt_word *w = code->words.items;
    search s = {gt_macros_id(&code->macros, name, strlen(name)), value, above, 0};
    search_macros(&s, &code->macros);
    for (size_t p = 0; p < code->items.count && s.name; p++) {
        const gt_piece *piece = &code->items.items[p];
        const size_t at = gt_word_find(w, piece->begin, piece->end, s.name);
        if (piece->kind == GT_PIECE_TYPE) {
            search_enum(&s, w, piece->begin, piece->end);
        } else if (piece->kind == GT_PIECE_VARIABLE && piece->is_constant && at + 2 < piece->end &&
                   w[at + 1].id == GT_IS_EQUAL) {
            note_constant(&s, gt_lexer_of(w[at + 2].token.text), 0);
        }
    }
    return s.found == 1;
}
