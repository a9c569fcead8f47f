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
        } else if (gt_word_opens(&words[i]) == 0) { /* a #define can be in the middle of an enum */
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

size_t gt_macro_use(const gt_macros *macros, const gt_word *words, size_t count, size_t at)
{
    const gt_macro *macro = gt_macro_of(macros, words[at].id);
    size_t open = at + 1;
    if (!macro || !macro->is_function) {
        return macro != NULL;
    }
    while (open < count && words[open].token.kind == GT_TOKEN_DIRECTIVE) {
        open++;
    }
    const bool has_arguments = open < count && words[open].id == GT_IS_OPEN_PAREN;
    return has_arguments ? gt_word_close(words, count, open) + 1 - at : 0;
}

enum { ARGUMENTS_MAX = 64 };

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

static gt_word paste_words(gt_macros *m, const gt_word *a, const gt_word *b)
{
    gt_word joined = *a;
    GT_SCOPED(gt_text_free) gt_text text = {0};
    char *owned = NULL;
    gt_text_append_bytes(&text, a->token.text, a->token.length);
    gt_text_append_bytes(&text, b->token.text, b->token.length);
    joined.token.length = text.length;
    m->failed |=
        gt_text_take(&owned, &text) != GPUTUNE_OK || gt_texts_take(&m->made, owned) != GPUTUNE_OK;
    if (m->failed) {
        return *a;
    }
    joined.token.text = owned;
    joined.id = intern_name(m, owned, joined.token.length);
    return joined;
}

static void substitute_arguments(gt_word_list *out, gt_macros *m, const gt_macro *macro,
                                 const arguments *given)
{
    const size_t first = out->count;
    for (uint32_t i = 0; i < macro->words && !m->failed; i++) {
        const gt_word word = gt_macro_words(m, macro)[i];
        const size_t p = gt_word_find(m->texts.items + macro->first, 0, macro->parameters, word.id);
        if (p == macro->parameters) {
            push_word(out, m, word);
        } else if (p < given->count) {
            push_code(out, m, given->words + given->begin[p], given->end[p] - given->begin[p]);
        }
    }
    size_t to = first;
    for (size_t i = first; i < out->count; i++) {
        const bool joins = out->items[i].id == GT_IS_PASTE && to > first && i + 1 < out->count;
        if (joins) {
            out->items[to - 1] = paste_words(m, &out->items[to - 1], &out->items[i + 1]);
            i++;
        } else if (out->items[i].id != GT_IS_HASH) {
            out->items[to++] = out->items[i];
        }
    }
    out->count = m->failed ? first : to;
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
        substitute_arguments(&body, m, &macro, &given);
        m->budget -= body.count + 1 < m->budget ? (uint32_t)body.count + 1 : m->budget;
        const hidden own = {word.id, outer};
        expand_words(out, m, body.items, body.count, &own);
        gt_array_free(&body);
        i += taken - 1;
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

/* Returns true if a macro expands to a kernel, and stores the expansion in `out`. Its use has
 * `taken` words from index `at`. A macro with a # operator is never expanded. */
static bool makes_kernel(gt_word_list *out, gt_macros *m, const gt_word *words, size_t at,
                         size_t taken)
{
    out->count = 0;
    if (has_word(m, gt_macro_of(m, words[at].id), GT_IS_HASH)) {
        return false;
    }
    gt_macros_expand(out, m, words + at, taken, 4096);
    return gt_word_find(out->items, 0, out->count, GT_IS_GLOBAL) < out->count;
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

static void expand_kernels(gt_text *out, gt_macros *m, const gt_word_list *words, const char *text)
{
    gt_word_list expanded = {0};
    bool any = false; /* true if the body of any macro contains __global__ */
    size_t copied = 0;
    for (size_t i = 0; i < words->count && !m->failed; i++) {
        const gt_word *word = &words->items[i];
        if (word->token.kind == GT_TOKEN_DIRECTIVE) {
            const size_t before = m->items.count;
            gt_macros_directive(m, word);
            any |= m->items.count > before &&
                   has_word(m, &m->items.items[m->items.count - 1], GT_IS_GLOBAL);
            continue;
        }
        const size_t taken = any ? gt_macro_use(m, words->items, words->count, i) : 0;
        if (taken > 0 && makes_kernel(&expanded, m, words->items, i, taken)) {
            const gt_token *last = &words->items[i + taken - 1].token;
            const size_t at = (size_t)(word->token.text - m->text);
            gt_text_append_bytes(out, text + copied, at - copied);
            copied = (size_t)(last->text + last->length - m->text);
            append_expansion(out, &expanded, word->token.text, last->text + last->length);
            i += taken - 1;
        }
    }
    gt_text_append(out, text + copied);
    gt_array_free(&expanded);
}

gputune_status gt_kernel_macros_expand(gt_text *text, const char *read)
{
    gt_macros macros;
    gt_word_list words = {0};
    gt_text expanded = {0};
    gt_macros_open(&macros, read);
    gt_words_split(&words, &macros, gt_lexer_of(read));
    expand_kernels(&expanded, &macros, &words, gt_text_string(text));
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
