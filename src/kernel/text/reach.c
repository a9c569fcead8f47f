/* Blanks all declarations that the kernels do not need. */
#include "kernel/text/reach.h"

#include "kernel/text/branches.h"
#include "kernel/text/declarations.h"

#include "base/text.h"

#include <string.h>

/* Bits of reach.wanted. If a clause contains the name, ROOT keeps all declarations of the name, and
 * TYPE_ROOT only its types, constants and device code. */
enum { ROOT = 1 << 7, TYPE_ROOT = 1 << 6 };

/* `name` is made by ## and contains a macro's name, such as f_BLOCK. `becomes` is the same name
 * with the macro's value, such as f_64. */
typedef struct gt_pasted {
    uint32_t name, becomes;
} gt_pasted;

typedef struct reach {
    gt_declarations found;
    uint8_t *wanted; /* for each id, GT_READ_ bits and ROOT: how the kept code uses the name */
    bool *kept;
    /* for each id, bit 0 if device code outside of classes has the name, bit 1 if a member has */
    uint8_t *marked;
    uint8_t *typed; /* for each id, 1 for a type or alias of the text, 2 if it is kept */
    GT_ARRAY(gt_pasted) pasted;
    bool changed;
} reach;

static const uint32_t *keys_of(const reach *r, const gt_piece *piece)
{
    return r->found.keys.items + piece->first_key;
}

static void want_name(reach *r, uint32_t id, uint8_t ways)
{
    if ((r->wanted[id] & ways) == ways) {
        return;
    }
    r->wanted[id] |= ways;
    r->changed = true;
    for (size_t i = 0; i < r->pasted.count; i++) {
        if (r->pasted.items[i].name == id) {
            want_name(r, r->pasted.items[i].becomes, ways);
        }
    }
    const gt_macros *macros = &r->found.macros;
    for (const gt_macro *m = NULL; (m = gt_macro_before(macros, id, m));) {
        for (uint32_t i = 0; i < m->words; i++) {
            const gt_word *word = &gt_macro_words(macros, m)[i];
            if (gt_word_is_name(word)) {
                want_name(r, word->id, GT_READ_CALL | GT_READ_PLAIN);
            }
        }
    }
}

static bool names_type(const gt_piece *piece)
{
    return piece->kind == GT_PIECE_TYPE || piece->kind == GT_PIECE_ALIAS ||
           piece->kind == GT_PIECE_MACRO;
}

/* Returns true if the kept code needs this declaration of the name. A host function is needed only
 * if the kept code calls it and there is no device function of the same name. */
static bool is_read_as(const reach *r, const gt_piece *piece, uint32_t id)
{
    const bool has_type = piece->is_marked || piece->is_constant || names_type(piece);
    const uint8_t ways = r->wanted[id] & ~(has_type && piece->parent < 0 ? 0 : TYPE_ROOT);
    const bool has_marked = r->marked[id] & 1;
    const bool is_overload = piece->kind == GT_PIECE_FUNCTION && !piece->is_marked && has_marked;
    if (ways == 0 || (ways & ROOT && !is_overload) || piece->parent >= 0) {
        return ways != 0;
    }
    if (has_type) {
        return (ways & ~GT_READ_MEMBER) != 0;
    }
    const uint8_t enough = piece->kind == GT_PIECE_FUNCTION
                               ? (uint8_t)GT_READ_CALL
                               : (uint8_t)(GT_READ_CALL | GT_READ_PLAIN);
    return !has_marked && ways & enough;
}

static bool is_read(const reach *r, const gt_piece *piece)
{
    bool is = false;
    for (size_t i = 0; i < piece->keys; i++) {
        is |= is_read_as(r, piece, keys_of(r, piece)[i]);
    }
    return is;
}

/* Returns true if kept code outside of the class K makes objects of K: K(…), K{…}, K x(…), K x; */
static bool is_made(const reach *r, size_t class)
{
    const gt_piece *own = &r->found.items.items[class];
    for (size_t p = 0; p < r->found.items.count; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        const bool is_outside = p != class && piece->parent != (int)class && r->kept[p] &&
                                !(piece->owner && piece->owner == keys_of(r, own)[0]);
        for (size_t i = piece->begin; i + 2 < piece->end && is_outside; i++) {
            const gt_word *w = &r->found.words.items[i];
            const gt_word *next = w + 1 + gt_word_is_name(w + 1);
            const bool makes =
                next->id == GT_IS_OPEN_PAREN || next->id == GT_IS_OPEN_BRACE ||
                (next->id == GT_IS_SEMICOLON && next == w + 2 && piece->kind == GT_PIECE_FUNCTION);
            for (size_t k = 0; makes && k < own->keys; k++) {
                if (keys_of(r, own)[k] == w->id) {
                    return true;
                }
            }
        }
    }
    return false;
}

/* Returns the definition of a class, or any declaration of its name. */
static size_t class_of(const reach *r, uint32_t name)
{
    size_t class = gt_piece_find(&r->found, 0, name);
    for (size_t p = class; p < r->found.items.count; p = gt_piece_find(&r->found, p + 1, name)) {
        class = r->found.items.items[p].body_begin ? p : class;
    }
    return class;
}

static bool shares_key(const reach *r, const gt_piece *a, const gt_piece *b)
{
    for (size_t i = 0; i < a->keys * b->keys; i++) {
        if (keys_of(r, a)[i / b->keys] == keys_of(r, b)[i % b->keys]) {
            return true;
        }
    }
    return false;
}

/* Returns true for a host constructor of a class that has device constructors: device code cannot
 * call it. */
static bool is_host_constructor(const reach *r, const gt_piece *piece, uint32_t class)
{
    return piece->keys > 0 && keys_of(r, piece)[0] == class && !piece->is_marked &&
           r->marked[class] & 2;
}

static bool uses_operator(const reach *r, const gt_piece *piece)
{
    return piece->keys == 0 || r->wanted[keys_of(r, piece)[0]];
}

/* Returns true if a member function is needed. The class must be kept. The function must be device
 * code, or be called by kept code, perhaps implicitly. */
static bool needs_member(const reach *r, const gt_piece *piece)
{
    const size_t class = (size_t)piece->parent;
    const bool is_constructor = shares_key(r, piece, &r->found.items.items[class]);
    if (!r->kept[class]) {
        return false;
    }
    if (piece->is_marked || piece->is_constant || piece->is_defaulted || piece->is_virtual) {
        return true;
    }
    if (piece->is_operator) {
        return !piece->is_foreign && uses_operator(r, piece);
    }
    const bool is_host = is_constructor && is_host_constructor(r, piece, keys_of(r, piece)[0]);
    const bool is_open = !piece->has_body && !piece->is_foreign;
    return is_constructor || piece->is_special ? !is_host && (is_open || is_made(r, class))
                                               : is_read(r, piece);
}

/* Returns true if an operator is needed: if it is device code, or if it is used and its signature
 * contains a kept type or none of the text's types. */
static bool needs_operator(const reach *r, const gt_piece *piece)
{
    bool has_type = false, has_kept = false;
    for (size_t i = 0; i < piece->named; i++) {
        const uint8_t typed = r->typed[r->found.keys.items[piece->first_named + i]];
        has_type |= typed > 0;
        has_kept |= typed > 1;
    }
    return piece->is_marked || piece->is_constant ||
           (!piece->is_foreign && (!has_type || has_kept) && uses_operator(r, piece));
}

/* Returns the name of the innermost namespace whose name is needed to use a declaration, or 0. */
static uint32_t space_of(const reach *r, const gt_piece *piece)
{
    uint32_t space = piece->space;
    while (space && !r->found.spaces.items[space - 1].name) {
        space = r->found.spaces.items[space - 1].outer;
    }
    return space ? r->found.spaces.items[space - 1].name : 0;
}

/* Returns true if kept code can use a declaration: the kept code contains the name of its
 * namespace, or is in it, or a clause contains the declaration's name. */
static bool is_in_scope(const reach *r, const gt_piece *piece)
{
    const uint32_t space = space_of(r, piece);
    bool is = !space || r->wanted[space];
    for (size_t i = 0; i < piece->keys; i++) {
        is |= (r->wanted[keys_of(r, piece)[i]] & (ROOT | TYPE_ROOT)) != 0;
    }
    return is;
}

static bool needs_function(const reach *r, const gt_piece *piece)
{
    if (piece->is_host && !piece->is_marked) {
        return false;
    }
    if (piece->parent >= 0) {
        return needs_member(r, piece);
    }
    if (piece->owner && r->typed[piece->owner]) {
        const bool is_made_by = piece->keys && keys_of(r, piece)[0] == piece->owner;
        return r->typed[piece->owner] > 1 && !is_host_constructor(r, piece, piece->owner) &&
               (piece->is_marked || piece->is_constant || piece->keys == 0 ||
                (is_made_by ? is_made(r, class_of(r, piece->owner)) : is_read(r, piece)));
    }
    if (piece->owner && !piece->is_marked) { /* in a namespace or a class of a header */
        return piece->keys > 0 && keys_of(r, piece)[0] != piece->owner && is_read(r, piece);
    }
    return piece->is_operator ? needs_operator(r, piece) : is_read(r, piece);
}

static bool is_needed(const reach *r, const gt_piece *piece)
{
    if (!is_in_scope(r, piece)) {
        return false;
    }
    if (piece->is_torn) {
        return piece->parent < 0 || r->kept[piece->parent];
    }
    switch (piece->kind) {
    case GT_PIECE_FUNCTION:
        return needs_function(r, piece);
    case GT_PIECE_ASSERTION:
    case GT_PIECE_INSTANCE:
        return false;
    default:
        return (piece->keys == 0 || is_read(r, piece)) &&
               (piece->parent < 0 || r->kept[piece->parent]);
    }
}

static void keep_piece(reach *r, size_t index)
{
    const gt_piece *piece = &r->found.items.items[index];
    r->kept[index] = r->changed = true;
    for (size_t i = 0; i < piece->reads; i++) {
        const gt_piece_read *read = &r->found.reads.items[piece->first_read + i];
        want_name(r, read->id, read->ways);
    }
    for (uint32_t space = piece->space; space; space = r->found.spaces.items[space - 1].outer) {
        const uint32_t name = r->found.spaces.items[space - 1].name;
        want_name(r, name, name ? GT_READ_PLAIN : 0);
    }
    for (size_t i = 0; i < piece->keys && names_type(piece); i++) {
        r->typed[keys_of(r, piece)[i]] = 2;
    }
}

/* Keeps every static_assert in which no removed name occurs. The names std and thrust count as
 * removed if the kept code does not use them, because is_unneeded() then removes their headers. */
static void keep_assertions(reach *r)
{
    enum { DECLARED = 1, KEPT = 2 };
    static const char *const libraries[] = {"std", "thrust"};
    uint8_t *state = r->marked; /* `marked` is not needed any more */
    memset(state, 0, r->found.macros.ids);
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        const uint32_t id = gt_macros_id(&r->found.macros, libraries[i], strlen(libraries[i]));
        state[id] = id && !r->wanted[id] ? DECLARED : 0;
    }
    for (size_t p = 0; p < r->found.items.count; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        for (size_t k = 0; k < piece->keys && !piece->is_operator; k++) {
            state[keys_of(r, piece)[k]] |= r->kept[p] ? DECLARED | KEPT : DECLARED;
        }
    }
    for (size_t p = 0; p < r->found.items.count; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        bool stays = piece->kind == GT_PIECE_ASSERTION && is_in_scope(r, piece);
        for (size_t i = 0; i < piece->reads && stays; i++) {
            stays = state[r->found.reads.items[piece->first_read + i].id] != DECLARED;
        }
        r->kept[p] |= stays;
    }
}

/* Finds the names that `name` becomes when up to `most` macros in it are replaced by their values
 * in `defines`. A macro may have several values. */
static void find_pasted(reach *r, uint32_t id, const char *name, gt_lexer defines, int most)
{
    const gt_pasted added = {id, gt_macros_id(&r->found.macros, name, strlen(name))};
    if (added.becomes && added.becomes != id) {
        r->found.macros.failed |= gt_array_push(&r->pasted, added) != GPUTUNE_OK;
    }
    for (gt_lexer line; most > 0 && gt_lexer_find_directive(&defines, &line);) {
        gt_lexer_next(&line);
        const gt_token macro = line.token;
        const char *at = memmem(name, strlen(name), macro.text, macro.length);
        const char *end = at ? at + macro.length : name;
        const bool is_part = at && (at == name || at[-1] == '_' || *end == '_' || *end == '\0');
        for (gt_lexer_next(&line); is_part && line.token.kind != GT_TOKEN_END;
             gt_lexer_next(&line)) {
            GT_SCOPED(gt_text_free) gt_text text = {0};
            gt_text_append_bytes(&text, name, (size_t)(at - name));
            gt_text_append_bytes(&text, line.token.text, line.token.length);
            gt_text_append(&text, end);
            find_pasted(r, id, gt_text_string(&text), defines, most - 1);
        }
    }
}

static gputune_status open_reach(reach *r, const char *read, const char *roots)
{
    gt_word_list named = {0};
    GT_TRY(gt_declarations_find(&r->found, read));
    gt_words_split(&named, &r->found.macros, gt_lexer_of(roots));
    const size_t ids = r->found.macros.ids;
    r->wanted = calloc(ids, 1);
    r->marked = calloc(ids, 1);
    r->typed = calloc(ids, 1);
    r->kept = calloc(r->found.items.count + 1, sizeof *r->kept);
    for (size_t i = 0; i < r->found.macros.made.count; i++) {
        const char *made = r->found.macros.made.items[i];
        find_pasted(r, gt_macros_id(&r->found.macros, made, strlen(made)), made, gt_lexer_of(roots),
                    2);
    }
    bool failed = r->found.macros.failed || !r->wanted || !r->marked || !r->typed || !r->kept;
    uint8_t ways = ROOT | GT_READ_CALL | GT_READ_PLAIN;
    for (size_t i = 0; i < named.count && !failed; i++) {
        const uint32_t id = named.items[i].id;
        ways = id == GT_IS_SEMICOLON ? TYPE_ROOT : ways;
        const bool is_qualified = i > 0 && named.items[i - 1].id == GT_IS_SCOPE;
        const uint8_t other = ways & ROOT ? GT_READ_CALL | GT_READ_PLAIN : GT_READ_OWN;
        if (id != GT_IS_NOTHING) { /* skip names that the text does not contain */
            want_name(r, id, is_qualified ? other : ways);
        }
    }
    gt_array_free(&named);
    for (size_t p = 0; p < r->found.items.count && !failed; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        for (size_t k = 0; k < piece->keys; k++) {
            const uint32_t id = keys_of(r, piece)[k];
            r->marked[id] |= piece->is_marked ? 1 + (piece->parent >= 0) : 0;
            r->typed[id] |= names_type(piece);
        }
    }
    return failed ? gt_fail_memory() : GPUTUNE_OK;
}

static void follow_names(reach *r)
{
    do {
        r->changed = false;
        for (size_t p = 0; p < r->found.items.count; p++) {
            if (!r->kept[p] && is_needed(r, &r->found.items.items[p])) {
                keep_piece(r, p);
            }
        }
    } while (r->changed);
    keep_assertions(r);
}

static size_t begin_of(const reach *r, const gt_piece *piece, const char *read)
{
    return (size_t)(r->found.words.items[piece->begin].token.text - read);
}

static size_t end_of(const reach *r, const gt_piece *piece, const char *read)
{
    const gt_token *last = &r->found.words.items[piece->end - 1].token;
    return (size_t)(last->text + last->length - read);
}

/* Returns true if a directive in a range affects code outside of the range. This may be a #define,
 * or an #endif whose #if is before the range. */
static bool has_definitions(const char *text, size_t begin, size_t end)
{
    bool has = false;
    int depth = 0;
    for (gt_lexer lexer = gt_lexer_on(text + begin, end - begin), line;
         gt_lexer_find_directive(&lexer, &line);) {
        depth += gt_token_is_any(&line.token, "if ifdef ifndef") - gt_lexer_is(&line, "endif");
        has |= depth < 0 ||
               !gt_token_is_any(&line.token,
                                "if ifdef ifndef elif elifdef elifndef else endif pragma line");
    }
    return has || depth != 0;
}

/* Blanks a range but keeps #line directives. If has_definitions(), keeps all directives. */
static void blank_code(char *text, size_t begin, size_t end)
{
    const bool keeps = has_definitions(text, begin, end);
    gt_lexer lexer = gt_lexer_on(text + begin, end - begin), line;
    size_t from = begin;
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            gt_lexer_next(&lexer);
            continue;
        }
        const size_t at = (size_t)(lexer.token.text - text);
        gt_lexer_directive(&lexer, &line);
        if (keeps || gt_lexer_is(&line, "line")) {
            gt_blank(text, from, at);
            from = (size_t)(line.end - text);
        }
    }
    gt_blank(text, from, end);
}

/* Declares the namespaces of a `using namespace a::b;`, because their contents may be blanked. */
static void append_namespace(gt_text *out, const reach *r, const gt_piece *piece)
{
    size_t depth = 0;
    for (size_t i = piece->begin + 2; i < piece->end; i++) {
        const gt_word *word = &r->found.words.items[i];
        if (gt_word_is_name(word)) {
            gt_text_printf(out, "namespace %.*s { ", (int)word->token.length, word->token.text);
            depth++;
        }
    }
    for (; depth > 0; depth--) {
        gt_text_append(out, "} ");
    }
}

/* Returns true if the text has the namespace of a `using namespace a::b;`, or an alias of it. */
static bool has_namespace(const reach *r, const gt_piece *piece)
{
    const gt_word *w = r->found.words.items;
    for (size_t i = 0; i + 1 < r->found.words.count; i++) {
        if (w[i].id == GT_IS_NAMESPACE && w[i + 1].id == w[piece->begin + 2].id &&
            (i == 0 || w[i - 1].id != GT_IS_USING)) {
            return true;
        }
    }
    return false;
}

/* Returns true if the kept code does not need a header. `header` is the text after `include`. A
 * header of C++'s library is needed only if the kept code uses the name std, and a header of Thrust
 * only if it uses the name thrust. If the text uses the header's own name, as in thrust::sort(),
 * the header is needed only if the kept code uses this name. C's headers are kept, because their
 * names can be used without std. */
static bool is_unneeded(reach *r, const char *header)
{
    const size_t length = strcspn(header, ">\n"), path = strcspn(header, "/.>\n");
    if (*header != '<' || (path < length && strncmp(header, "<thrust/", 8) != 0)) {
        return false;
    }
    const char *name = path < length ? header + 8 : "";
    const uint32_t own = gt_macros_id(&r->found.macros, name, strcspn(name, ".>/\n"));
    const char *library = path < length ? "thrust" : "std";
    bool is_named = false;
    for (size_t i = 0; own && i < r->found.words.count; i++) {
        is_named |= r->found.words.items[i].id == own;
    }
    return (header[1] != 'c' &&
            !r->wanted[gt_macros_id(&r->found.macros, library, strlen(library))]) ||
           (is_named && !r->wanted[own]);
}

/* Blanks the #includes of headers that the kept code does not need, because NVRTC compiles some of
 * them slowly or not at all. */
static void blank_includes(char *left, reach *r, const char *read)
{
    const char *end = read + strlen(read);
    for (size_t i = 0; i < r->found.words.count; i++) {
        const gt_token *token = &r->found.words.items[i].token;
        if (token->kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer lexer = gt_lexer_on(token->text, (size_t)(end - token->text)), line;
            gt_lexer_directive(&lexer, &line);
            if (gt_lexer_accept(&line, "include") && is_unneeded(r, line.token.text)) {
                gt_blank(left, (size_t)(token->text - read), (size_t)(line.end - read));
            }
        }
    }
}

static gputune_status write_left(char **out, reach *r, const char *text, const char *read)
{
    GT_FREED char *left = NULL;
    GT_SCOPED(gt_text_free) gt_text joined = {0};
    size_t copied = 0;
    GT_TRY(gt_strdup(&left, text));
    blank_includes(left, r, read);
    for (size_t p = 0; p < r->found.items.count; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        if (!r->kept[p]) {
            blank_code(left, begin_of(r, piece, read), end_of(r, piece, read));
        }
    }
    for (size_t p = 0; p < r->found.items.count; p++) {
        const gt_piece *piece = &r->found.items.items[p];
        if (piece->kind == GT_PIECE_USING && piece->end > piece->begin + 2 && !piece->is_torn &&
            !has_namespace(r, piece)) {
            const size_t at = begin_of(r, piece, read);
            gt_text_append_bytes(&joined, left + copied, at - copied);
            append_namespace(&joined, r, piece);
            copied = at;
        }
    }
    gt_text_append(&joined, left + copied);
    return gt_text_take(out, &joined);
}

gputune_status gt_reach_cut(char **out, const char *text, const char *read, const char *roots)
{
    reach r = {0};
    gputune_status status = open_reach(&r, read, roots);
    if (status == GPUTUNE_OK) {
        follow_names(&r);
        status = write_left(out, &r, text, read);
    }
    gt_declarations_free(&r.found);
    gt_array_free(&r.pasted);
    free(r.wanted);
    free(r.marked);
    free(r.typed);
    free(r.kept);
    return status;
}
