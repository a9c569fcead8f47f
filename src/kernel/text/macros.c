/* Splits text into words, and expands macros where this is needed to find declarations. */
#include "kernel/text/macros.h"

#include "base/hash.h"
#include "base/text.h"

#include <string.h>

#define SPELLING(name, spelling) spelling
static const char *const fixed[] = {"", GT_FIXED_WORDS(SPELLING)};
#undef SPELLING

static uint32_t intern_name(gt_macros *m, const char *text, size_t length)
{
    uint32_t id = 0;
    m->failed |=
        gt_hash_index_intern(&m->index, gt_hash_bytes(text, length), m->ids, &id) != GPUTUNE_OK;
    if (id == m->ids) {
        m->ids++;
        m->failed |= gt_array_push(&m->of_name, 0) != GPUTUNE_OK;
        m->failed |= gt_array_push(&m->lasts, 0) != GPUTUNE_OK;
    }
    return m->failed ? 0 : id;
}

void gt_macros_open(gt_macros *macros, const char *text)
{
    *macros = (gt_macros){.text = text};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        (void)intern_name(macros, fixed[i], strlen(fixed[i]));
    }
}

void gt_macros_free(gt_macros *macros)
{
    gt_hash_index_free(&macros->index);
    gt_array_free(&macros->texts);
    gt_array_free(&macros->items);
    gt_array_free(&macros->of_name);
    gt_array_free(&macros->lasts);
    gt_texts_free(&macros->made);
}

static void push_word(gt_word_list *out, gt_macros *m, gt_word word)
{
    m->failed |= gt_array_push(out, word) != GPUTUNE_OK;
}

static void push_code(gt_word_list *out, gt_macros *m, const gt_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (words[i].token.kind != GT_TOKEN_DIRECTIVE) {
            push_word(out, m, words[i]);
        } else if (gt_word_opens(&words[i]) == 0) { /* an enum may contain a #define */
            gt_macros_directive(m, &words[i]);
        }
    }
}

static gt_word word_of(gt_macros *m, gt_token token)
{
    return (gt_word){token, intern_name(m, token.text, token.length)};
}

static uint32_t condition_id(const gt_token *word)
{
    return gt_token_is_any(word, "if ifdef ifndef")              ? GT_IS_IF_LINE
           : gt_token_is_any(word, "else elif elifdef elifndef") ? GT_IS_ELSE_LINE
           : gt_token_is(word, "endif")                          ? GT_IS_ENDIF_LINE
                                                                 : GT_IS_NOTHING;
}

void gt_words_split(gt_word_list *out, gt_macros *macros, gt_lexer lexer)
{
    gt_lexer line;
    while (lexer.token.kind != GT_TOKEN_END && !macros->failed) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            const gt_token sign = lexer.token;
            gt_lexer_directive(&lexer, &line);
            push_word(out, macros, (gt_word){sign, condition_id(&line.token)});
        } else {
            push_word(out, macros, word_of(macros, lexer.token));
            gt_lexer_next(&lexer);
        }
    }
}

static void read_parameters(gt_macros *m, gt_macro *macro, gt_lexer *line)
{
    while (line->token.kind != GT_TOKEN_END && !gt_lexer_accept(line, ")")) {
        if (line->token.kind == GT_TOKEN_NAME) {
            push_word(&m->texts, m, word_of(m, line->token));
            macro->parameters++;
        }
        if (gt_lexer_is(line, "...")) {
            macro->is_variadic = true;
            push_word(&m->texts, m, word_of(m, gt_token_of("__VA_ARGS__")));
            macro->parameters++;
        }
        gt_lexer_next(line);
    }
}

static void read_define(gt_macros *m, gt_lexer line)
{
    const gt_token name = line.token;
    gt_macro macro = {.first = m->texts.count};
    gt_lexer_next(&line);
    macro.is_function = gt_lexer_is(&line, "(") && line.token.text == name.text + name.length;
    if (macro.is_function) {
        gt_lexer_next(&line);
        read_parameters(m, &macro, &line);
    }
    for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line), macro.words++) {
        push_word(&m->texts, m, word_of(m, line.token));
    }
    macro.name = intern_name(m, name.text, name.length);
    macro.before = m->failed || m->conditionals == 0 ? 0 : m->lasts.items[macro.name];
    m->failed |= gt_array_push(&m->items, macro) != GPUTUNE_OK;
    if (m->failed) {
        return;
    }
    m->lasts.items[macro.name] = (uint32_t)m->items.count;
    if (m->conditionals == 0 || m->of_name.items[macro.name] == 0) {
        m->of_name.items[macro.name] = (uint32_t)m->items.count;
    }
}

void gt_macros_directive(gt_macros *macros, const gt_word *directive)
{
    gt_lexer lexer = gt_lexer_of(directive->token.text), line;
    const int opens = gt_word_opens(directive);
    gt_lexer_directive(&lexer, &line);
    macros->conditionals += opens > 0 || macros->conditionals > 0 ? (unsigned)opens : 0;
    const bool undefines = gt_lexer_accept(&line, "undef");
    const bool defines = !undefines && gt_lexer_accept(&line, "define");
    if (defines && line.token.kind == GT_TOKEN_NAME) {
        read_define(macros, line);
    } else if (undefines && macros->conditionals == 0) {
        const uint32_t id = intern_name(macros, line.token.text, line.token.length);
        if (!macros->failed) {
            macros->of_name.items[id] = 0;
        }
    }
}

uint32_t gt_macros_id(const gt_macros *macros, const char *name, size_t length)
{
    uint32_t id = 0;
    (void)gt_hash_index_find(&id, &macros->index, gt_hash_bytes(name, length));
    return id;
}

const gt_macro *gt_macro_of(const gt_macros *macros, uint32_t id)
{
    const uint32_t at = id < macros->of_name.count ? macros->of_name.items[id] : 0;
    return at ? &macros->items.items[at - 1] : NULL;
}

const gt_macro *gt_macro_before(const gt_macros *macros, uint32_t id, const gt_macro *macro)
{
    const uint32_t last = id < macros->lasts.count ? macros->lasts.items[id] : 0;
    const uint32_t at = macro ? macro->before : last;
    return at ? &macros->items.items[at - 1] : NULL;
}

int gt_word_nesting(const gt_word *word)
{
    const uint32_t id = word->id;
    return (id == GT_IS_OPEN_BRACE || id == GT_IS_OPEN_PAREN || id == GT_IS_OPEN_BRACKET) -
           (id == GT_IS_CLOSE_BRACE || id == GT_IS_CLOSE_PAREN || id == GT_IS_CLOSE_BRACKET);
}

size_t gt_word_find(const gt_word *words, size_t from, size_t to, uint32_t id)
{
    while (from < to && words[from].id != id) {
        from++;
    }
    return from;
}

size_t gt_word_close(const gt_word *words, size_t count, size_t at)
{
    for (int depth = 0; at < count; at++) {
        for (int open = words[at].id == GT_IS_ELSE_LINE; open > 0 && at + 1 < count;) {
            open += gt_word_opens(&words[++at]);
        }
        depth += gt_word_nesting(&words[at]);
        if (depth <= 0) {
            return at;
        }
    }
    return count - 1;
}

const gt_word *gt_macro_words(const gt_macros *macros, const gt_macro *macro)
{
    return macros->texts.items + macro->first + macro->parameters;
}

/* Returns the function-like macro at the end of a chain of aliases (`#define A B`), or `macro`. */
static const gt_macro *resolve_alias(const gt_macros *m, const gt_macro *macro)
{
    const gt_macro *named = macro;
    for (size_t i = 0; i < m->items.count && named && !named->is_function; i++) {
        named =
            named->words > 0 ? gt_macro_of(m, gt_macro_words(m, named)[named->words - 1].id) : NULL;
    }
    return named && named->is_function ? named : macro;
}

size_t gt_macro_use(const gt_macros *macros, const gt_word *words, size_t count, size_t at)
{
    const gt_macro *macro = gt_macro_of(macros, words[at].id);
    size_t open = at + 1;
    if (!macro) {
        return 0;
    }
    while (open < count && words[open].token.kind == GT_TOKEN_DIRECTIVE) {
        open++;
    }
    const bool has_arguments = open < count && words[open].id == GT_IS_OPEN_PAREN &&
                               resolve_alias(macros, macro)->is_function;
    return has_arguments ? gt_word_close(words, count, open) + 1 - at : !macro->is_function;
}

enum { ARGUMENTS_MAX = 64, KERNEL_EXPANDED = 4096 };

typedef struct arguments {
    const gt_word *words;
    size_t begin[ARGUMENTS_MAX], end[ARGUMENTS_MAX];
    uint32_t count;
} arguments;

/* A macro that is being expanded. Its name is not expanded again in its own expansion. */
typedef struct hidden {
    uint32_t id;
    const struct hidden *outer;
} hidden;

static bool is_hidden(const hidden *hidden, uint32_t id)
{
    while (hidden && hidden->id != id) {
        hidden = hidden->outer;
    }
    return hidden != NULL;
}

/* Splits words[open] to words[close] into arguments. A variadic argument may contain commas. */
static void divide_arguments(arguments *out, const gt_macro *macro, const gt_word *words,
                             size_t open, size_t close)
{
    *out = (arguments){.words = words, .begin = {open + 1}, .count = 1};
    for (size_t i = open + 1; i < close; i++) {
        const bool is_last = macro->is_variadic && out->count >= macro->parameters;
        if (gt_word_nesting(&words[i]) > 0) {
            i = gt_word_close(words, close, i);
        } else if (words[i].id == GT_IS_COMMA && !is_last && out->count < ARGUMENTS_MAX) {
            out->end[out->count - 1] = i;
            out->begin[out->count++] = i + 1;
        }
    }
    out->end[out->count - 1] = close;
}

/* Returns a word with the kind of `like` and the spelling `text`, which is freed. */
static gt_word make_word(gt_macros *m, gt_text *text, gt_token like)
{
    char *owned = NULL;
    like.length = text->length;
    m->failed |=
        gt_text_take(&owned, text) != GPUTUNE_OK || gt_texts_take(&m->made, owned) != GPUTUNE_OK;
    like.text = m->failed ? "" : owned;
    return m->failed ? (gt_word){like, GT_IS_NOTHING} : word_of(m, like);
}

static gt_word paste_words(gt_macros *m, const gt_word *a, const gt_word *b)
{
    gt_text text = {0};
    gt_text_append_bytes(&text, a->token.text, a->token.length);
    gt_text_append_bytes(&text, b->token.text, b->token.length);
    return make_word(m, &text, a->token);
}

/* Returns the string literal that the operator # makes of an argument. */
static gt_word quote_words(gt_macros *m, const gt_word *words, size_t count)
{
    gt_text text = {0};
    gt_token like = {.kind = GT_TOKEN_STRING};
    gt_text_append(&text, "\"");
    for (size_t i = 0; i < count; i++) {
        const gt_token *token = &words[i].token;
        const bool is_apart =
            i > 0 && words[i - 1].token.text + words[i - 1].token.length != token->text;
        gt_text_append(&text, is_apart ? " " : "");
        for (size_t k = 0; k < token->length; k++) {
            const bool escapes = token->kind == GT_TOKEN_STRING && strchr("\"\\", token->text[k]);
            gt_text_append(&text, escapes ? "\\" : "");
            gt_text_append_bytes(&text, token->text + k, 1);
        }
    }
    gt_text_append(&text, "\"");
    return make_word(m, &text, like);
}

static void expand_words(gt_word_list *out, gt_macros *m, const gt_word *words, size_t count,
                         const hidden *outer);

/* Appends the body of a macro with its arguments in place of its parameters. First expands the
 * macros in each argument, except where the parameter is beside # or ##. */
static void substitute_arguments(gt_word_list *out, gt_macros *m, const gt_macro *macro,
                                 const arguments *given, const hidden *outer)
{
    size_t chain = 0; /* index in *out of the first word that a chain of ## joins */
    for (uint32_t i = 0; i < macro->words && !m->failed; i++) {
        const gt_word *body = gt_macro_words(m, macro), word = body[i];
        const uint32_t before = i > 0 ? body[i - 1].id : GT_IS_NOTHING;
        const bool is_joined = i + 1 < macro->words && body[i + 1].id == GT_IS_PASTE;
        const size_t at = out->count;
        const size_t p = gt_word_find(m->texts.items + macro->first, 0, macro->parameters, word.id);
        const bool is_given = p < given->count;
        const gt_word *argument = is_given ? given->words + given->begin[p] : NULL;
        const size_t length = is_given ? given->end[p] - given->begin[p] : 0;
        if (word.id == GT_IS_PASTE || (word.id == GT_IS_HASH && macro->is_function)) {
            continue;
        }
        if (p == macro->parameters) {
            push_word(out, m, word);
        } else if (before == GT_IS_HASH) {
            push_word(out, m, quote_words(m, argument, length));
        } else if (before == GT_IS_PASTE || is_joined) {
            push_code(out, m, argument, length);
        } else {
            expand_words(out, m, argument, length, outer);
        }
        chain = before == GT_IS_PASTE ? chain : at;
        if (before != GT_IS_PASTE || at == chain || m->failed) {
            continue;
        }
        gt_word *left = &out->items[at - 1];
        if (left->id == GT_IS_COMMA) { /* `, ##__VA_ARGS__` without arguments removes the comma */
            out->count -= out->count == at;
        } else if (out->count > at) {
            *left = paste_words(m, left, left + 1);
            memmove(left + 1, left + 2, (--out->count - at) * sizeof *left);
        }
    }
}

/* Expands a macro whose name ends an expansion, the last word of *out, and whose arguments follow
 * that expansion, at words[i]. Returns the index after the arguments, or i if there is no such
 * macro. */
static size_t expand_last(gt_word_list *out, gt_macros *m, const gt_word *words, size_t count,
                          size_t i, const hidden *outer)
{
    gt_word_list use = {0};
    const gt_macro *macro = gt_macro_of(m, out->items[out->count - 1].id);
    if (!macro || !macro->is_function || i >= count || words[i].id != GT_IS_OPEN_PAREN) {
        return i;
    }
    const size_t end = gt_word_close(words, count, i) + 1;
    push_word(&use, m, out->items[--out->count]);
    push_code(&use, m, words + i, end - i);
    expand_words(out, m, use.items, use.count, outer);
    gt_array_free(&use);
    return end;
}

static void expand_words(gt_word_list *out, gt_macros *m, const gt_word *words, size_t count,
                         const hidden *outer)
{
    for (size_t i = 0; i < count && !m->failed; i++) {
        const gt_word word = words[i];
        const size_t taken = gt_word_is_name(&word) && m->budget > 0 && !is_hidden(outer, word.id)
                                 ? gt_macro_use(m, words, count, i)
                                 : 0;
        if (taken == 0) {
            push_code(out, m, &word, 1);
            continue;
        }
        const gt_macro macro = *gt_macro_of(m, word.id);
        arguments given = {.count = 0};
        gt_word_list body = {0};
        if (macro.is_function) {
            const size_t open = gt_word_find(words, i, i + taken, GT_IS_OPEN_PAREN);
            divide_arguments(&given, &macro, words, open, i + taken - 1);
        }
        substitute_arguments(&body, m, &macro, &given, outer);
        m->budget -= body.count + 1 < m->budget ? (uint32_t)body.count + 1 : m->budget;
        const hidden own = {word.id, outer};
        const size_t before = out->count;
        expand_words(out, m, body.items, body.count, &own);
        gt_array_free(&body);
        i += macro.is_function ? taken : 1;
        for (size_t end = 0; out->count > before && end != i && !m->failed;) {
            end = i;
            i = expand_last(out, m, words, count, i, outer);
        }
        i--;
    }
}

void gt_macros_expand(gt_word_list *out, gt_macros *macros, const gt_word *words, size_t count,
                      uint32_t most)
{
    macros->budget = most;
    expand_words(out, macros, words, count, NULL);
}

static bool has_word(const gt_macros *m, const gt_macro *macro, uint32_t id)
{
    return gt_word_find(gt_macro_words(m, macro), 0, macro->words, id) < macro->words;
}

/* Updates the macros if the directive is a #define or #undef. Ignores a macro whose definition may
 * vary: if its value is GT_OPEN, or if it is in an #if and its text has no __global__. */
static void note_directive(gt_macros *m, const gt_word *directive, gt_meaning_fn meaning,
                           const void *user)
{
    const size_t count = m->items.count;
    int64_t value;
    gt_macros_directive(m, directive);
    if (m->items.count > count && !m->failed) {
        gt_lexer lexer = gt_lexer_of(directive->token.text), line;
        const gt_macro *added = &m->items.items[count];
        gt_lexer_directive(&lexer, &line);
        gt_lexer_next(&line);
        const bool is_doubtful = m->conditionals > 0 && !has_word(m, added, GT_IS_GLOBAL);
        if (is_doubtful || meaning(user, &line.token, &value) == GT_OPEN) {
            m->of_name.items[added->name] = 0;
        }
    }
}

static void append_expansion(gt_text *out, const gt_word_list *words, const char *from,
                             const char *to)
{
    for (size_t i = 0; i < words->count; i++) {
        gt_text_append(out, i ? " " : "");
        gt_text_append_bytes(out, words->items[i].token.text, words->items[i].token.length);
    }
    for (; from < to; from++) { /* keep all newlines, so line numbers do not change */
        gt_text_append(out, *from == '\n' ? "\n" : "");
    }
}

static void expand_kernels(gt_text *out, gt_macros *m, const gt_word_list *words, const char *text,
                           gt_meaning_fn meaning, const void *user)
{
    gt_word_list expanded = {0};
    bool in_head = false; /* true from the word __global__ to the body of the kernel */
    size_t copied = 0;
    for (size_t i = 0; i < words->count && !m->failed; i++) {
        const gt_word *word = &words->items[i];
        if (word->token.kind == GT_TOKEN_DIRECTIVE) {
            note_directive(m, word, meaning, user);
            continue;
        }
        const size_t taken = gt_macro_use(m, words->items, words->count, i);
        expanded.count = 0;
        gt_macros_expand(&expanded, m, word, taken > 0 ? taken : 1, KERNEL_EXPANDED);
        const size_t global = gt_word_find(expanded.items, 0, expanded.count, GT_IS_GLOBAL);
        const bool begins = expanded.count > 0 && expanded.items[0].id == GT_IS_TEMPLATE;
        if (taken > 0 && (in_head || begins || global < expanded.count)) {
            const gt_token *last = &word[taken - 1].token;
            gt_text_append_bytes(out, text + copied, (size_t)(word->token.text - m->text) - copied);
            copied = (size_t)(last->text + last->length - m->text);
            append_expansion(out, &expanded, word->token.text, last->text + last->length);
        }
        for (size_t k = 0; k < expanded.count; k++) {
            const uint32_t id = expanded.items[k].id;
            in_head =
                id == GT_IS_GLOBAL || (in_head && id != GT_IS_OPEN_BRACE && id != GT_IS_SEMICOLON);
        }
        i += taken > 0 ? taken - 1 : 0;
    }
    gt_text_append(out, text + copied);
    gt_array_free(&expanded);
}

gputune_status gt_kernel_macros_expand(gt_text *text, const char *read, gt_meaning_fn meaning,
                                       const void *user)
{
    gt_macros macros;
    gt_word_list words = {0};
    gt_text expanded = {0};
    gt_macros_open(&macros, read);
    gt_words_split(&words, &macros, gt_lexer_of(read));
    expand_kernels(&expanded, &macros, &words, gt_text_string(text), meaning, user);
    expanded.failed |= macros.failed;
    gt_macros_free(&macros);
    gt_array_free(&words);
    if (expanded.failed) {
        gt_text_free(&expanded);
        return gt_fail_memory();
    }
    gt_text_free(text);
    *text = expanded;
    return GPUTUNE_OK;
}
