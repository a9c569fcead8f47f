/* Finds declarations in a list of tokens by the grammar of C++, without knowing any types. */
#include "kernel/text/declarations.h"

#include <string.h>

enum {
    DEEPEST = 64, /* maximum depth of nested scopes; a deeper scope is read as one declaration */
    EXPANDED = 20000,  /* maximum number of tokens after expanding the macros of one declaration */
    ANGLES_MAX = 4096, /* maximum number of tokens between < and > */
    KEYS_MAX = 1 << 20,
    PARAMETER = 1 << 4 /* a bit of scan.ways: the name of a template parameter */
};

/* A pass over the tokens of a text, or over the tokens to which a macro expands. */
typedef struct scan {
    gt_declarations *to;
    gt_macros *macros;
    const gt_word *words;
    size_t count;
    bool is_expansion; /* true in an expanded macro: only records names and words like __device__ */
    bool in_class;
    int depth;      /* number of enclosing scopes */
    uint32_t space; /* like gt_piece.space */
    size_t class;   /* if in_class, index of the first word of the class */
    uint8_t *ways;  /* for each id, GT_READ_ bits: how the current declaration uses the name */
    size_t ids;     /* number of elements of `ways` */
} scan;

static bool is_class_word(const gt_word *word)
{
    return word->id == GT_IS_STRUCT || word->id == GT_IS_CLASS || word->id == GT_IS_UNION;
}

static bool is_opening(const gt_word *word)
{
    return gt_word_nesting(word) > 0;
}

static bool closes_angle(const gt_word *word)
{
    return word->id == GT_IS_GREATER || word->id == GT_IS_GREATER2;
}

static bool is_attribute(const gt_word *word)
{
    const gt_token *t = &word->token;
    const bool is_reserved = t->length > 4 && memcmp(t->text, "__", 2) == 0 &&
                             memcmp(t->text + t->length - 2, "__", 2) == 0;
    return is_reserved || word->id == GT_IS_ALIGNAS || word->id == GT_IS_DECLTYPE ||
           word->id == GT_IS_NOEXCEPT || word->id == GT_IS_EXPLICIT || word->id == GT_IS_REQUIRES;
}

static bool ends_statement(const gt_word *word)
{
    return word->id == GT_IS_SEMICOLON || word->id == GT_IS_OPEN_BRACE ||
           word->id == GT_IS_CLOSE_BRACE;
}

static bool is_own_name(const gt_word *word)
{
    return gt_word_is_name(word) && !(word->id >= GT_IS_TEMPLATE && word->id < GT_WORDS_FIXED);
}

size_t gt_word_close_angles(const gt_word *w, size_t count, size_t at)
{
    int depth = 0;
    const size_t most = count - at > ANGLES_MAX ? at + ANGLES_MAX : count;
    for (size_t i = at; i < most; i++) {
        if (is_opening(&w[i])) {
            i = gt_word_close(w, count, i);
        } else if (w[i].id == GT_IS_SEMICOLON || w[i].id == GT_IS_CLOSE_BRACE) {
            return at;
        }
        depth += w[i].id == GT_IS_LESS;
        depth -= closes_angle(&w[i]) + (w[i].id == GT_IS_GREATER2);
        if (depth <= 0) {
            return i;
        }
    }
    return at;
}

static size_t open_angles(const gt_word *w, size_t at)
{
    for (int depth = 0;; at--) {
        depth += closes_angle(&w[at]) + (w[at].id == GT_IS_GREATER2) - (w[at].id == GT_IS_LESS);
        if (depth <= 0 || at == 0) {
            return at;
        }
    }
}

static size_t skip_requirement(const gt_word *w, size_t count, size_t i)
{
    bool more = true;
    while (i < count && more) {
        if (w[i].id == GT_IS_NOT) {
            i++;
            continue;
        }
        if (w[i].id == GT_IS_REQUIRES) {
            i++;
            i += i < count && w[i].id == GT_IS_OPEN_PAREN ? gt_word_close(w, count, i) + 1 - i : 0;
            i += i < count && w[i].id == GT_IS_OPEN_BRACE ? gt_word_close(w, count, i) + 1 - i : 0;
        } else if (w[i].id == GT_IS_OPEN_PAREN) {
            i = gt_word_close(w, count, i) + 1;
        } else { /* skip a concept such as A::B<…> */
            while (i < count && (gt_word_is_name(&w[i]) || w[i].id == GT_IS_SCOPE)) {
                i++;
                if (i < count && w[i].id == GT_IS_LESS) {
                    i = gt_word_close_angles(w, count, i) + 1;
                    break;
                }
            }
        }
        more = i < count && (w[i].id == GT_IS_AND2 || w[i].id == GT_IS_OR2);
        i += more;
    }
    return i;
}

size_t gt_word_skip_templates(const gt_word *w, size_t count, size_t i)
{
    while (i < count && w[i].id == GT_IS_TEMPLATE) {
        i++;
        i = i < count && w[i].id == GT_IS_LESS ? gt_word_close_angles(w, count, i) + 1 : i;
        if (i < count && w[i].id == GT_IS_REQUIRES) {
            i = skip_requirement(w, count, i + 1);
        }
    }
    return i;
}

static void push_key(scan *s, uint32_t id, size_t *count)
{
    s->macros->failed |= gt_array_push(&s->to->keys, id) != GPUTUNE_OK;
    (*count)++;
}

static void add_key(scan *s, gt_piece *piece, const gt_word *name)
{
    if (gt_word_is_name(name) && s->to->keys.count < KEYS_MAX) {
        push_key(s, name->id, &piece->keys);
    }
}

static void add_keys(scan *s, gt_piece *piece, const gt_word *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        add_key(s, piece, &w[i]);
    }
}

static bool has_word(const gt_word *w, size_t from, size_t to, gt_word_id id)
{
    return gt_word_find(w, from, to, id) < to;
}

static size_t find_class_word(const gt_word *w, size_t count)
{
    size_t at = 0;
    while (at < count && !is_class_word(&w[at])) {
        at++;
    }
    return at;
}

static void note_type(gt_piece *piece)
{
    piece->kind = GT_PIECE_TYPE;
    piece->is_constant = true;
}

/* Returns the index of the name in a declarator such as (*f)(int), (*const f[2])(int), (S::*f)() or
 * (&a)[2], whose parenthesis is at `open`. Returns `open` if there is none. */
static size_t find_declarator(const gt_word *w, size_t count, size_t open)
{
    const size_t close = gt_word_close(w, count, open);
    size_t i = open + 1;
    while (i + 1 < close &&
           (w[i].id == GT_IS_SCOPE || (gt_word_is_name(&w[i]) && w[i + 1].id == GT_IS_SCOPE))) {
        i++;
    }
    const bool is_one =
        i < close && close + 1 < count && (w[i].id == GT_IS_STAR || w[i].id == GT_IS_AND) &&
        (w[close + 1].id == GT_IS_OPEN_PAREN || w[close + 1].id == GT_IS_OPEN_BRACKET);
    while (is_one && i + 1 < close && !is_opening(&w[i + 1])) {
        i++;
    }
    return is_one ? i : open;
}

/* Adds the variables in `int a, b[2];`, `int (*f)(int);` or `template <> int v<float> = a;`. */
static void add_variables(scan *s, gt_piece *piece, const gt_word *w, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        const size_t name = i;
        if (gt_word_is_name(&w[i]) && w[i + 1].id == GT_IS_LESS) { /* v<float> */
            i = gt_word_close_angles(w, count, i + 1);
        }
        const gt_word *next = &w[i + 1 < count ? i + 1 : i];
        const bool ends = next->id == GT_IS_EQUAL || next->id == GT_IS_SEMICOLON ||
                          next->id == GT_IS_COMMA || is_opening(next);
        if (gt_word_is_name(&w[name]) && w[i].id != GT_IS_LESS && ends) {
            const size_t open = next->id == GT_IS_OPEN_PAREN ? i + 1 : count;
            const size_t inner = open < count ? find_declarator(w, count, open) : open;
            add_key(s, piece, &w[inner != open ? inner : name]);
            for (i++; i < count && w[i].id != GT_IS_COMMA && w[i].id != GT_IS_SEMICOLON; i++) {
                i = is_opening(&w[i]) ? gt_word_close(w, count, i) : i;
            }
        }
    }
}

static void classify_enum(scan *s, gt_piece *piece, const gt_word *w, size_t count)
{
    size_t at = gt_word_find(w, 0, count, GT_IS_ENUM) + 1;
    const bool is_scoped = at < count && is_class_word(&w[at]);
    const size_t open = gt_word_find(w, at, count, GT_IS_OPEN_BRACE);
    note_type(piece);
    at += is_scoped;
    if (at < count) {
        add_key(s, piece, &w[at]);
    }
    if (open == count) {
        return;
    }
    const size_t close = gt_word_close(w, count, open);
    bool begins = true;
    for (size_t i = open + 1; i < close && !is_scoped; i++) {
        if (begins) {
            add_key(s, piece, &w[i]);
        }
        begins = w[i].id == GT_IS_COMMA;
        i = is_opening(&w[i]) ? gt_word_close(w, count, i) : i;
    }
    add_variables(s, piece, w + close + 1, count - close - 1);
}

static void classify_typedef(scan *s, gt_piece *piece, const gt_word *w, size_t count)
{
    const size_t open = gt_word_find(w, 0, count, GT_IS_OPEN_BRACE);
    const size_t from = find_class_word(w, count);
    if (open < count && has_word(w, 0, from < open ? from : open, GT_IS_ENUM)) {
        classify_enum(s, piece, w, count);
        return;
    }
    note_type(piece);
    if (open < count && from < open) {
        add_key(s, piece, &w[from + 1]);
        add_keys(s, piece, w, gt_word_close(w, count, open) + 1, count);
        return;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        const uint32_t next = w[i + 1].id;
        const size_t close = is_opening(&w[i + 1]) ? gt_word_close(w, count, i + 1) : i;
        const bool is_function =
            next == GT_IS_OPEN_PAREN && close + 1 < count &&
            (w[close + 1].id == GT_IS_SEMICOLON || w[close + 1].id == GT_IS_COMMA);
        if (w[i].id == GT_IS_LESS && i > 0 && gt_word_is_name(&w[i - 1])) {
            i = gt_word_close_angles(w, count, i);
        } else if (next == GT_IS_SEMICOLON || next == GT_IS_OPEN_BRACKET ||
                   next == GT_IS_CLOSE_PAREN || next == GT_IS_COMMA || is_function) {
            add_key(s, piece, &w[i]);
        }
        i = is_function ? close : i; /* skips the parameters */
    }
}

static bool classify_class(scan *s, gt_piece *piece, const gt_word *w, size_t count, size_t at)
{
    const size_t open = gt_word_find(w, 0, count, GT_IS_OPEN_BRACE);
    const gt_word *name = NULL;
    size_t i = at + 1;
    for (; i < count && gt_word_is_name(&w[i]) && w[i].id != GT_IS_FINAL; i++) {
        name = &w[i];
    }
    const uint32_t next = i < count ? w[i].id : GT_IS_NOTHING;
    const bool is_defined =
        open < count && (next == GT_IS_OPEN_BRACE || next == GT_IS_COLON || next == GT_IS_LESS ||
                         next == GT_IS_FINAL || i == count);
    if (!is_defined && !(next == GT_IS_SEMICOLON && i == at + 2)) {
        return false;
    }
    note_type(piece);
    if (name) {
        add_key(s, piece, name);
    }
    if (is_defined) {
        const size_t after = gt_word_close(w, count, open) + 1;
        add_variables(s, piece, w + after, count - after);
    }
    return true;
}

/* Returns the class or namespace before the `::` at `at`, such as A in A<T>::f, or 0 for none. */
static uint32_t owner_before(const gt_word *w, size_t at)
{
    if (at < 1 || w[at].id != GT_IS_SCOPE) {
        return 0;
    }
    at--;
    if (closes_angle(&w[at])) {
        at = open_angles(w, at);
        at -= at > 0;
    }
    return gt_word_is_name(&w[at]) ? w[at].id : 0;
}

static void note_marks(gt_piece *piece, const gt_word *w, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t id = w[i].id;
        piece->is_marked |=
            id == GT_IS_GLOBAL || id == GT_IS_DEVICE || id == GT_IS_CONSTANT || id == GT_IS_MANAGED;
        piece->is_host |= id == GT_IS_HOST;
        piece->is_constant |= id == GT_IS_CONSTEXPR || id == GT_IS_CONSTEVAL;
        piece->is_virtual |= id == GT_IS_VIRTUAL;
    }
}

/* Operators that code may call without writing them: `for (auto x : list)` calls ++ and *. */
static const char implicit[] = "( [ = == != <=> * -> ++ new delete";

static void classify_function(scan *s, gt_piece *piece, const gt_word *w, size_t count, size_t at)
{
    piece->kind = GT_PIECE_FUNCTION;
    piece->is_operator = w[at].id == GT_IS_OPERATOR;
    if (!piece->is_operator) {
        add_key(s, piece, &w[at]);
    } else if (at + 1 < count && !gt_token_is_any(&w[at + 1].token, implicit)) {
        push_key(s, w[at + 1].id, &piece->keys);
    }
    const size_t body = gt_word_find(w, at, count, GT_IS_OPEN_BRACE);
    for (size_t i = at + 1; piece->is_torn && i + 1 < body; i++) { /* names in other #if branches */
        if (w[i + 1].id == GT_IS_OPEN_PAREN) {
            add_key(s, piece, &w[i]);
            i = gt_word_close(w, count, i + 1);
        }
    }
    note_marks(piece, w, piece->is_torn ? body : 0);
    const size_t before = at > 0 ? at - 1 : 0;
    const bool is_destructor = at > 0 && w[before].id == GT_IS_TILDE;
    piece->owner = before >= is_destructor ? owner_before(w, before - is_destructor) : 0;
    piece->is_special = piece->is_operator || is_destructor;
    size_t open = gt_word_find(w, at, count, GT_IS_OPEN_PAREN);
    if (piece->is_operator && open == at + 1 && open + 1 < count &&
        w[open + 1].id == GT_IS_CLOSE_PAREN) {
        open = gt_word_find(w, open + 2, count, GT_IS_OPEN_PAREN);
    }
    const size_t close = open < count ? gt_word_close(w, count, open) : count;
    piece->first_named = s->to->keys.count;
    for (size_t i = 0; i < close; i++) {
        if (gt_word_is_name(&w[i])) {
            push_key(s, w[i].id, &piece->named);
        }
        piece->is_foreign |= i > 0 && w[i].id == GT_IS_SCOPE && gt_word_is_name(&w[i - 1]) &&
                             (i < 2 || w[i - 2].id != GT_IS_SCOPE);
    }
    piece->has_body = has_word(w, 0, count, GT_IS_OPEN_BRACE);
    /* a deduction guide, as in `Box(int) -> Box<int>;` */
    piece->is_constant |= at <= 1 && close + 1 < count && w[close + 1].id == GT_IS_ARROW;
    piece->is_defaulted = count > 3 && w[count - 3].id == GT_IS_EQUAL &&
                          (w[count - 2].id == GT_IS_DEFAULT || w[count - 2].id == GT_IS_DELETE);
}

/* Finds the end of a declaration's head. Returns the index of the '(', '{', '=' or ';' that follows
 * it. Sets *name to the index of the function's name, or to `count` if this is not a function. */
static size_t find_head(const gt_word *w, size_t count, size_t *name)
{
    size_t i = 0;
    *name = count;
    for (; i < count && *name == count; i++) {
        const uint32_t id = w[i].id;
        if (id == GT_IS_OPERATOR) {
            *name = i;
            return i;
        }
        if (id == GT_IS_LESS && i > 0 && gt_word_is_name(&w[i - 1])) {
            const size_t close = gt_word_close_angles(w, count, i);
            const bool is_instance =
                close > i && close + 1 < count && w[close + 1].id == GT_IS_OPEN_PAREN;
            *name = is_instance ? i - 1 : count;
            i = is_instance ? i : close;
        } else if (id == GT_IS_OPEN_PAREN && i > 0) {
            const bool is_pointer =
                (i + 1 < count && w[i + 1].id == GT_IS_STAR) || find_declarator(w, count, i) != i;
            *name = is_own_name(&w[i - 1]) && !is_pointer ? i - 1 : count;
            return i;
        } else if (id == GT_IS_OPEN_BRACE || id == GT_IS_EQUAL || id == GT_IS_SEMICOLON) {
            return i;
        }
    }
    return i;
}

/* Removes attributes from a head: alignas(…), __launch_bounds__(…), [[…]], and macros that are not
 * known, as in `API(x) void f();`. Keeps the name of a function `void __f__() {`. */
static size_t strip_attributes(gt_word *w, size_t count)
{
    size_t to = 0;
    bool has_type = false, is_class = false;
    for (size_t i = 0; i < count; i++) {
        const bool is_name = is_own_name(&w[i]);
        const bool has_list = i + 1 < count && w[i + 1].id == GT_IS_OPEN_PAREN &&
                              (is_attribute(&w[i]) || (is_name && !has_type));
        const size_t close = has_list ? gt_word_close(w, count, i + 1) : i;
        const gt_word *next = &w[close + 1 < count ? close + 1 : close];
        const bool is_function = is_name && has_type && !is_class && next->id == GT_IS_OPEN_BRACE &&
                                 w[to - 1].id != GT_IS_CLOSE_PAREN;
        const bool is_macro = is_name && !has_type && gt_word_is_name(next) &&
                              next->id != GT_IS_NOEXCEPT && next->id != GT_IS_REQUIRES;
        const bool is_removed =
            is_attribute(&w[i]) ? w[i].id != GT_IS_REQUIRES && !is_function : is_macro;
        if (has_list && is_removed) {
            i = close;
        } else if (w[i].id == GT_IS_OPEN_BRACKET && i + 1 < count &&
                   w[i + 1].id == GT_IS_OPEN_BRACKET) {
            i = gt_word_close(w, count, i);
        } else {
            has_type |= is_name || w[i].id == GT_IS_OPERATOR;
            is_class |= is_class_word(&w[i]);
            w[to++] = w[i];
        }
    }
    return to;
}

/* Adds the names that `using enum NAME;` declares. */
static void add_enumerators(scan *s, gt_piece *piece, uint32_t name)
{
    for (size_t p = 0; (p = gt_piece_find(s->to, p, name)) < s->to->items.count; p++) {
        const gt_piece *own = &s->to->items.items[p];
        const size_t open = gt_word_find(s->words, own->begin, own->end, GT_IS_OPEN_BRACE);
        add_keys(s, piece, s->words, open, own->kind == GT_PIECE_TYPE ? own->end : open);
    }
}

/* Classifies a declaration by its first word. Returns false if the first word is not enough. */
static bool classify_by_word(scan *s, gt_piece *piece, const gt_word *w, size_t count)
{
    const uint32_t id = w[0].id;
    if (id == GT_IS_USING && count > 1 && w[1].id == GT_IS_NAMESPACE) {
        piece->kind = GT_PIECE_USING;
    } else if (id == GT_IS_USING || id == GT_IS_NAMESPACE) {
        const size_t equals = gt_word_find(w, 0, count, GT_IS_EQUAL);
        size_t name = equals < count ? 1 : count - 1;
        while (name > 1 && !gt_word_is_name(&w[name])) {
            name--;
        }
        piece->kind = GT_PIECE_ALIAS;
        piece->is_constant = true;
        if (name < count) {
            add_key(s, piece, &w[name]);
        }
        if (name < count && w[1].id == GT_IS_ENUM) {
            add_enumerators(s, piece, w[name].id);
        }
    } else if (id == GT_IS_STATIC_ASSERT || id == GT_IS_C_ASSERT || id == GT_IS_ASM ||
               id == GT_IS_GNU_ASM) {
        piece->kind = GT_PIECE_ASSERTION;
    } else if (id == GT_IS_TEMPLATE) {
        piece->kind = GT_PIECE_INSTANCE;
    } else {
        return false;
    }
    return true;
}

static void classify_piece(scan *s, gt_piece *piece, gt_word *w, size_t count)
{
    size_t name;
    piece->first_key = s->to->keys.count;
    for (size_t i = 0; i < 2 && i + 1 < count; i++) { /* template …; extern template …; */
        if (w[i].id == GT_IS_TEMPLATE && w[i + 1].id != GT_IS_LESS) {
            piece->kind = GT_PIECE_INSTANCE;
            return;
        }
    }
    count = strip_attributes(w, count);
    size_t after = gt_word_skip_templates(w, count, 0);
    if (after + 1 < count && w[after].id == GT_IS_EXTERN &&
        w[after + 1].token.kind == GT_TOKEN_STRING) {
        after = gt_word_skip_templates(w, count, after + 2);
    }
    note_marks(piece, w, after < count ? after : count);
    if (after >= count) {
        return;
    }
    w += after;
    count -= after;
    if (classify_by_word(s, piece, w, count)) {
        return;
    }
    const size_t head = find_head(w, count, &name);
    note_marks(piece, w, head < count ? head + 1 : count);
    const size_t class_at = find_class_word(w, head);
    const bool is_typedef = has_word(w, 0, count < 2 ? count : 2, GT_IS_TYPEDEF);
    const bool is_enum = has_word(w, 0, head, GT_IS_ENUM) && name == count;
    if (is_typedef) {
        classify_typedef(s, piece, w, count);
    } else if (is_enum) {
        classify_enum(s, piece, w, count);
    } else if (name < count) {
        classify_function(s, piece, w, count, name);
    } else if (class_at == head || !classify_class(s, piece, w, count, class_at)) {
        piece->is_constant |= has_word(w, 0, head, GT_IS_CONST);
        piece->kind = GT_PIECE_VARIABLE;
        add_variables(s, piece, w, count);
    }
}

/* ---- used names ------------------------------------------------------------------------------ */

static void grow_ways(scan *s)
{
    const size_t ids = 2 * (size_t)s->macros->ids;
    if (s->macros->failed || s->ids >= s->macros->ids) {
        return;
    }
    uint8_t *ways = realloc(s->ways, ids);
    s->macros->failed |= !ways;
    if (ways) {
        memset(ways + s->ids, 0, ids - s->ids);
        s->ways = ways;
        s->ids = ids;
    }
}

/* Returns true if the name at `i` follows a type, as in `float x;` or `(const A<T> *x,`. */
static bool is_behind_type(const gt_word *w, size_t i, bool in_head)
{
    size_t at = i;
    bool is_pointer = false;
    while (at > 0 &&
           (w[at - 1].id == GT_IS_STAR || w[at - 1].id == GT_IS_AND || w[at - 1].id == GT_IS_AND2 ||
            w[at - 1].id == GT_IS_CONST || w[at - 1].id == GT_IS_RESTRICT)) {
        at--;
        is_pointer = true;
    }
    if (at == 0 || !(is_own_name(&w[at - 1]) || closes_angle(&w[at - 1]))) {
        return false;
    }
    at--;
    while (at > 0 && (gt_word_is_name(&w[at - 1]) || w[at - 1].id == GT_IS_SCOPE)) {
        at--;
    }
    return !is_pointer || at == 0 || ends_statement(&w[at - 1]) ||
           (in_head && (w[at - 1].id == GT_IS_OPEN_PAREN || w[at - 1].id == GT_IS_COMMA));
}

/* Returns true if the name at `i` is a later name of a declaration, such as b in `float a, b;`. */
static bool is_further(const gt_word *w, size_t count, size_t i)
{
    size_t at = i;
    while (at > 0 && !ends_statement(&w[at - 1]) && w[at - 1].id != GT_IS_OPEN_PAREN) {
        at--;
    }
    return at > 0 && w[at - 1].id != GT_IS_OPEN_PAREN && at + 1 < count && is_own_name(&w[at]) &&
           (gt_word_is_name(&w[at + 1]) || w[at + 1].id == GT_IS_STAR || w[at + 1].id == GT_IS_AND);
}

static bool declares_name(const gt_word *w, size_t count, size_t i, bool in_head)
{
    const uint32_t next = i + 1 < count ? w[i + 1].id : GT_IS_NOTHING;
    const bool ends = next == GT_IS_SEMICOLON || next == GT_IS_COMMA || next == GT_IS_EQUAL ||
                      next == GT_IS_OPEN_BRACKET;
    const bool may_end = ends || next == GT_IS_OPEN_BRACE || next == GT_IS_COLON ||
                         next == GT_IS_CLOSE_PAREN || next == GT_IS_OPEN_PAREN;
    return i > 0 && ((may_end && is_behind_type(w, i, in_head)) ||
                     (ends && w[i - 1].id == GT_IS_COMMA && is_further(w, count, i)));
}

static void read_call(scan *s, const char *name)
{
    const uint32_t id = gt_macros_id(s->macros, name, strlen(name));
    s->ways[id] |= id ? GT_READ_CALL : 0;
}

/* Records the names that C++ looks up for `for (auto x : list)` and `auto [a, b] = x`. */
static void read_implicit(scan *s, const gt_word *w, size_t count, size_t i)
{
    const gt_word *type = &w[i > 0 ? i - 1 : i];
    type -= i > 1 && (type->id == GT_IS_AND || type->id == GT_IS_AND2);
    if (w[i].id == GT_IS_FOR && i + 1 < count &&
        has_word(w, i, gt_word_close(w, count, i + 1), GT_IS_COLON)) {
        read_call(s, "begin");
        read_call(s, "end");
    } else if (w[i].id == GT_IS_OPEN_BRACKET && gt_token_is(&type->token, "auto")) {
        read_call(s, "get");
        read_call(s, "tuple_size");
        read_call(s, "tuple_element");
    }
}

/* Records the names of the parameters in `template <class T, int N>` at index `i`. */
static void read_parameters(scan *s, const gt_word *w, size_t count, size_t i)
{
    const bool is_list = i + 1 < count && w[i].id == GT_IS_TEMPLATE && w[i + 1].id == GT_IS_LESS;
    const size_t close = is_list ? gt_word_close_angles(w, count, i + 1) : i;
    bool is_value = false;
    for (size_t k = i + 3; k <= close; k++) {
        const gt_word *type = &w[k - 2], *name = &w[k - 1];
        const bool is_typed =
            gt_word_is_name(type) || closes_angle(type) || gt_token_is_any(&type->token, "* & ...");
        const bool ends = k == close || w[k].id == GT_IS_COMMA || w[k].id == GT_IS_EQUAL;
        if (ends && !is_value && is_typed && is_own_name(name)) {
            s->ways[name->id] |= PARAMETER;
        }
        is_value = w[k].id == GT_IS_EQUAL || (is_value && w[k].id != GT_IS_COMMA);
        if (w[k].id == GT_IS_LESS) {
            k = gt_word_close_angles(w, close, k);
        } else if (is_opening(&w[k])) {
            k = gt_word_close(w, close, k);
        }
    }
}

static void read_words(scan *s, const gt_word *w, size_t count)
{
    bool in_head = true;
    grow_ways(s);
    for (size_t i = 0; i < count && !s->macros->failed; i++) {
        in_head = in_head && w[i].id != GT_IS_OPEN_BRACE;
        read_implicit(s, w, count, i);
        read_parameters(s, w, count, i);
        const uint32_t before = i > 0 ? w[i - 1].id : GT_IS_NOTHING;
        if (!gt_word_is_name(&w[i])) {
            s->ways[w[i].id] |= before == GT_IS_OPERATOR ? 0 : GT_READ_CALL;
            continue;
        }
        const uint32_t next = i + 1 < count ? w[i + 1].id : GT_IS_NOTHING;
        if (before == GT_IS_DOT || before == GT_IS_ARROW) {
            s->ways[w[i].id] |= GT_READ_MEMBER;
            continue;
        }
        s->ways[w[i].id] |=
            next == GT_IS_OPEN_PAREN || next == GT_IS_LESS ? GT_READ_CALL : GT_READ_PLAIN;
        s->ways[w[i].id] |= declares_name(w, count, i, in_head) ? GT_READ_OWN : 0;
    }
}

static void read_directive(scan *s, const gt_word *directive)
{
    gt_lexer lexer = gt_lexer_of(directive->token.text), line;
    gt_word_list names = {0};
    gt_lexer_directive(&lexer, &line);
    gt_words_split(&names, s->macros, line);
    grow_ways(s);
    for (size_t i = 0; i < names.count && !s->macros->failed; i++) {
        s->ways[names.items[i].id] |= gt_word_is_name(&names.items[i]) ? GT_READ_CALL : 0;
    }
    gt_array_free(&names);
}

/* Records the names in a range of tokens, before and after macros are expanded. */
static void read_range(scan *s, size_t begin, size_t end)
{
    gt_word_list raw = {0}, expanded = {0};
    for (size_t i = begin; i < end; i++) {
        if (s->words[i].token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(s, &s->words[i]);
        } else {
            s->macros->failed |= gt_array_push(&raw, s->words[i]) != GPUTUNE_OK;
        }
    }
    gt_macros_expand(&expanded, s->macros, raw.items, raw.count, EXPANDED);
    read_words(s, raw.items, raw.count);
    read_words(s, expanded.items, expanded.count);
    gt_array_free(&raw);
    gt_array_free(&expanded);
}

static void take_reads(scan *s, gt_piece *piece)
{
    piece->first_read = s->to->reads.count;
    for (uint32_t id = 0; id < s->ids && !s->macros->failed; id++) {
        const uint8_t ways = s->ways[id] & (s->ways[id] & PARAMETER ? GT_READ_MEMBER : UINT8_MAX);
        if (ways) {
            const uint8_t others = ways & GT_READ_OWN ? GT_READ_CALL | GT_READ_PLAIN : 0;
            const gt_piece_read read = {id, (uint8_t)(ways & ~others)};
            s->macros->failed |= gt_array_push(&s->to->reads, read) != GPUTUNE_OK;
            piece->reads++;
        }
        s->ways[id] = 0;
    }
}

/* ---- declarations ---------------------------------------------------------------------------- */

typedef struct walk {
    bool is_function, is_class, has_value, has_colon;
    int conditionals;
} walk;

static void note_parameters(const scan *s, walk *walk, size_t first, size_t at)
{
    const gt_word *before = &s->words[at - 1];
    const bool is_name = gt_word_is_name(before) && !is_attribute(before) &&
                         !(walk->is_class && gt_macro_of(s->macros, before->id));
    bool is_operator = false;
    for (size_t i = at > 4 ? at - 4 : 0; i < at; i++) {
        is_operator |= i >= first && s->words[i].id == GT_IS_OPERATOR;
    }
    walk->is_function |= !walk->has_value && (is_name || closes_angle(before) || is_operator);
}

/* Returns true if the brace at `at` opens the body of a function. In `A() : B{1}, c{2} {}`, the
 * braces of a base or member follow a name or a template argument. */
static bool is_function_body(const scan *s, const walk *walk, size_t at)
{
    const gt_word *before = &s->words[at - 1];
    const bool is_list = before->id == GT_IS_CLOSE_PAREN && !walk->is_class;
    return (walk->is_function || is_list) && !walk->has_value &&
           !(walk->has_colon && (gt_word_is_name(before) || closes_angle(before)));
}

static void read_macros(scan *s, walk *walk, size_t at)
{
    walk->conditionals += gt_word_opens(&s->words[at]);
    if (s->words[at].token.kind == GT_TOKEN_DIRECTIVE) {
        gt_macros_directive(s->macros, &s->words[at]);
    }
}

static void find_end(scan *s, gt_piece *piece)
{
    const gt_word *w = s->words;
    const size_t first = gt_word_skip_templates(w, s->count, piece->begin);
    walk walk = {0};
    size_t i = first;
    while (i < s->count && piece->end == 0) {
        const uint32_t id = w[i].id;
        if (is_opening(&w[i])) {
            const size_t close = gt_word_close(w, s->count, i);
            const bool is_body = id == GT_IS_OPEN_BRACE && walk.is_class && !walk.is_function &&
                                 !walk.has_value && !piece->body_begin;
            if (id == GT_IS_OPEN_PAREN && i > first) {
                note_parameters(s, &walk, first, i);
            }
            for (size_t k = i; k < close; k++) {
                read_macros(s, &walk, k);
            }
            if (is_body) {
                piece->body_begin = i + 1;
                piece->body_end = close;
            }
            piece->end =
                id == GT_IS_OPEN_BRACE && i > 0 && is_function_body(s, &walk, i) ? close + 1 : 0;
            i = close + 1;
            continue;
        }
        read_macros(s, &walk, i);
        walk.is_class |= !walk.is_function && (is_class_word(&w[i]) || id == GT_IS_ENUM);
        walk.has_value |= id == GT_IS_EQUAL && w[i - (i > 0)].id != GT_IS_OPERATOR;
        walk.has_colon |= walk.is_function && id == GT_IS_COLON;
        piece->end = id == GT_IS_SEMICOLON ? i + 1 : id == GT_IS_CLOSE_BRACE ? i : 0;
        i++;
    }
    if (piece->end <= piece->begin) {
        piece->end = i > piece->begin ? i : piece->begin + 1;
    }
    piece->is_torn = walk.conditionals != 0;
}

static bool is_balanced(const gt_word_list *words)
{
    int depth = 0;
    for (size_t i = 0; i < words->count && depth >= 0; i++) {
        depth += gt_word_nesting(&words->items[i]);
    }
    return depth == 0;
}

static void scan_scope(scan *s, size_t begin, size_t end);

/* Adds the names that an expanded macro declares, and words like __device__ in it, to `piece`. */
static void classify_macro(scan *s, gt_piece *piece, const gt_word_list *expanded)
{
    gt_declarations made = {0};
    scan inner = *s;
    inner.to = &made;
    inner.words = expanded->items;
    inner.count = expanded->count;
    inner.is_expansion = true;
    inner.depth++;
    scan_scope(&inner, 0, expanded->count);
    piece->kind = made.items.count == 1 ? made.items.items[0].kind : GT_PIECE_MACRO;
    piece->first_key = s->to->keys.count;
    for (size_t i = 0; i < made.items.count; i++) {
        const gt_piece *one = &made.items.items[i];
        piece->is_marked |= one->is_marked;
        piece->is_constant |= one->is_constant;
        for (size_t k = 0; k < one->keys; k++) {
            push_key(s, made.keys.items[one->first_key + k], &piece->keys);
        }
    }
    gt_array_free(&made.items);
    gt_array_free(&made.keys);
    gt_array_free(&made.reads);
    gt_array_free(&made.spaces);
}

/* Reads a macro that expands to whole declarations, or that opens or closes a scope. Returns false
 * if there is no such macro. */
static bool read_macro(scan *s, gt_piece *piece)
{
    const size_t at = piece->begin, taken = gt_macro_use(s->macros, s->words, s->count, at);
    gt_word_list expanded = {0};
    if (taken == 0 || s->depth >= DEEPEST) {
        return false;
    }
    gt_macros_expand(&expanded, s->macros, s->words + at, taken, EXPANDED);
    const uint32_t last = expanded.count ? expanded.items[expanded.count - 1].id : GT_IS_SEMICOLON;
    const bool follows = at + taken < s->count && s->words[at + taken].id == GT_IS_SEMICOLON;
    const bool is_balanced_use = is_balanced(&expanded);
    const bool is_whole = last == GT_IS_SEMICOLON || last == GT_IS_CLOSE_BRACE;
    if (!is_balanced_use || is_whole) {
        piece->end = at + taken + follows;
        piece->is_torn = !is_balanced_use;
        if (is_balanced_use) {
            classify_macro(s, piece, &expanded);
        }
    }
    gt_array_free(&expanded);
    return piece->end > 0;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Adds a separate declaration for each function and static variable of a class. The rest of the
 * class remains one declaration. */
static void scan_members(scan *s, size_t index)
{
    const gt_piece class = s->to->items.items[index];
    const size_t first = s->to->items.count;
    size_t from = class.begin;
    scan inner = *s;
    inner.in_class = true;
    inner.class = class.begin;
    inner.depth++;
    scan_scope(&inner, class.body_begin, class.body_end);
    s->ways = inner.ways;
    s->ids = inner.ids;
    for (size_t i = first; i < s->to->items.count && !s->macros->failed; i++) {
        gt_piece *member = &s->to->items.items[i];
        if (member->parent < 0) {
            member->parent = (int)index;
            read_range(s, from, member->begin);
            from = member->end;
        }
    }
    read_range(s, from, class.end);
    take_reads(s, &s->to->items.items[index]);
}

/* If the heads of a function are in the branches of an #if before its body, adds the #if to the
 * function. */
static void join_branches(const scan *s, gt_piece *piece)
{
    size_t begin = piece->begin;
    int open = 0;
    bool has_body = false; /* true if a head ends with the '{' of the function */
    for (size_t i = begin; i < piece->end; i++) {
        has_body |= s->words[i].id == GT_IS_OPEN_BRACE && open == 0;
        open += gt_word_opens(&s->words[i]);
    }
    for (; begin > 0 && s->words[begin - 1].id == GT_IS_IF_LINE && open < 0; open++) {
        begin--;
    }
    if (piece->kind == GT_PIECE_FUNCTION && open == 0 && !has_body && !s->in_class) {
        piece->begin = begin;
        piece->is_torn = false;
    }
}

static void read_piece(scan *s, gt_piece *piece)
{
    gt_word_list expanded = {0};
    if (!read_macro(s, piece)) {
        find_end(s, piece);
        gt_macros_expand(&expanded, s->macros, s->words + piece->begin, piece->end - piece->begin,
                         EXPANDED);
        classify_piece(s, piece, expanded.items, expanded.count);
        gt_array_free(&expanded);
        join_branches(s, piece);
    }
    if (piece->kind != GT_PIECE_TYPE || piece->is_torn || s->depth >= DEEPEST) {
        piece->body_begin = piece->body_end = 0;
    }
}

static size_t scan_piece(scan *s, size_t at)
{
    gt_piece piece = {.begin = at, .parent = -1, .space = s->space};
    read_piece(s, &piece);
    const bool is_static = piece.kind == GT_PIECE_VARIABLE && !piece.is_constant &&
                           has_word(s->words, piece.begin, piece.end, GT_IS_STATIC);
    const bool is_member =
        s->in_class && (piece.is_torn || !(piece.kind == GT_PIECE_FUNCTION || is_static));
    if (is_member || s->macros->failed) { /* the member is not a separate declaration */
        return piece.end;
    }
    if (gt_array_push(&s->to->items, piece) != GPUTUNE_OK) {
        s->macros->failed = true;
        return piece.end;
    }
    const size_t index = s->to->items.count - 1;
    if (s->is_expansion) {
        return piece.end;
    }
    if (piece.body_begin && !s->in_class) {
        scan_members(s, index);
    } else {
        read_range(s, piece.begin, piece.end);
        if (s->in_class) {
            read_parameters(s, s->words, s->count, s->class);
        }
        take_reads(s, &s->to->items.items[index]);
    }
    return piece.end;
}

/* If a namespace or extern "C" begins at `at`, returns the index after its '{', otherwise 0. */
static size_t enter_scope(const scan *s, size_t at)
{
    const gt_word *w = s->words;
    size_t i = at + (w[at].id == GT_IS_INLINE);
    const bool is_namespace = i < s->count && w[i].id == GT_IS_NAMESPACE;
    const bool is_linkage =
        w[at].id == GT_IS_EXTERN && at + 1 < s->count && w[at + 1].token.kind == GT_TOKEN_STRING;
    if (!is_namespace && !is_linkage) {
        return 0;
    }
    i = is_linkage ? at + 2 : i + 1;
    while (is_namespace && i < s->count && (gt_word_is_name(&w[i]) || w[i].id == GT_IS_SCOPE)) {
        i++;
    }
    return i < s->count && w[i].id == GT_IS_OPEN_BRACE && s->depth < DEEPEST ? i + 1 : 0;
}

/* Adds the namespaces that are named by the words from `begin` to a '{'. A macro may stand for any
 * name. */
static void add_spaces(scan *s, size_t begin, size_t open)
{
    const uint32_t outside = s->space;
    bool is_inline = false;
    for (size_t i = begin; i < open; i++) {
        const gt_word *w = &s->words[i];
        const bool is_last = i + 1 == open && s->space == outside;
        const bool is_name = gt_word_is_name(w) && w->id >= GT_WORDS_FIXED;
        is_inline |= w->id == GT_IS_INLINE || (is_name && gt_macro_of(s->macros, w->id));
        if (is_name || is_last) {
            const gt_space added = {is_name && !is_inline ? w->id : 0, s->space};
            s->macros->failed |= gt_array_push(&s->to->spaces, added) != GPUTUNE_OK;
            s->space = (uint32_t)s->to->spaces.count;
            is_inline = false;
        }
    }
}

static void scan_scope(scan *s, size_t begin, size_t end)
{
    const size_t whole = s->count;
    s->count = end;
    for (size_t i = begin; i < end && !s->macros->failed;) {
        const uint32_t id = s->words[i].id;
        const size_t scope = s->in_class ? 0 : enter_scope(s, i);
        if (s->words[i].token.kind == GT_TOKEN_DIRECTIVE) {
            gt_macros_directive(s->macros, &s->words[i++]);
        } else if (id == GT_IS_SEMICOLON || id == GT_IS_CLOSE_BRACE) {
            i++;
        } else if (s->in_class && i + 1 < end && s->words[i + 1].id == GT_IS_COLON &&
                   (id == GT_IS_PUBLIC || id == GT_IS_PRIVATE || id == GT_IS_PROTECTED)) {
            i += 2;
        } else if (scope) {
            const size_t close = gt_word_close(s->words, end, scope - 1);
            const uint32_t outside = s->space;
            add_spaces(s, i, id == GT_IS_EXTERN ? i : scope - 1);
            s->depth++;
            scan_scope(s, scope, close);
            s->depth--;
            s->space = outside;
            i = close + 1;
        } else {
            i = scan_piece(s, i);
        }
    }
    s->count = whole;
}

gputune_status gt_declarations_find(gt_declarations *out, const char *text)
{
    *out = (gt_declarations){0};
    gt_macros_open(&out->macros, text);
    gt_words_split(&out->words, &out->macros, gt_lexer_of(text));
    scan s = {
        .to = out, .macros = &out->macros, .words = out->words.items, .count = out->words.count};
    scan_scope(&s, 0, out->words.count);
    free(s.ways);
    if (out->macros.failed) {
        gt_declarations_free(out);
        return gt_fail_memory();
    }
    return GPUTUNE_OK;
}

size_t gt_piece_find(const gt_declarations *declarations, size_t from, uint32_t id)
{
    for (; from < declarations->items.count; from++) {
        const gt_piece *piece = &declarations->items.items[from];
        for (size_t k = 0; k < piece->keys; k++) {
            if (declarations->keys.items[piece->first_key + k] == id) {
                return from;
            }
        }
    }
    return from;
}

void gt_declarations_free(gt_declarations *declarations)
{
    gt_macros_free(&declarations->macros);
    gt_array_free(&declarations->words);
    gt_array_free(&declarations->items);
    gt_array_free(&declarations->keys);
    gt_array_free(&declarations->reads);
    gt_array_free(&declarations->spaces);
}
