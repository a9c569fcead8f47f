/* Finds __global__ functions, their parameters, and constants in CUDA text. */
#include "kernel/text/functions.h"

#include "kernel/text/types.h"

#include <string.h>

static size_t offset(const gt_lexer *lexer, const char *text)
{
    return (size_t)(lexer->token.text - text);
}

/* A scan that counts brackets and #if. It is torn if a branch of an #if leaves brackets open. */
typedef struct scan {
    gt_lexer lexer;
    int depth, conditionals;
    int depths[32]; /* the depth of brackets at each open #if */
    bool torn;
    const char *closed_at; /* the closing bracket that was found last */
} scan;

static void read_directive(scan *s)
{
    gt_lexer line;
    gt_lexer_directive(&s->lexer, &line);
    bool opens = gt_token_is_any(&line.token, "if ifdef ifndef");
    bool closes = gt_lexer_is(&line, "endif");
    bool turns = gt_lexer_is(&line, "else") || gt_lexer_is(&line, "elif");
    if (opens) {
        s->torn |= s->conditionals == 32;
        s->depths[s->conditionals % 32] = s->depth;
        s->conditionals++;
    }
    if (closes || turns) {
        s->torn |= s->conditionals == 0 || s->depths[(s->conditionals + 31) % 32] != s->depth;
        s->conditionals -= closes && s->conditionals > 0;
    }
}

/* Moves from the bracket `open` to after the bracket that closes it. Returns false if an #if
 * divides the pair, or the text ends. */
static bool skip_brackets(scan *s, const char *open, const char *close)
{
    int outside = s->depth;
    while (s->lexer.token.kind != GT_TOKEN_END) {
        if (s->lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(s);
            continue;
        }
        s->depth += gt_lexer_is(&s->lexer, open);
        bool closed = gt_lexer_is(&s->lexer, close) && --s->depth == outside;
        if (closed) {
            s->torn |= s->conditionals > 0;
            s->closed_at = s->lexer.token.text;
        }
        gt_lexer_next(&s->lexer);
        if (closed) {
            return !s->torn;
        }
    }
    return false;
}

/* Reads a function from the '(' of its parameters on. */
static void read_rest(gt_function *out, const gt_lexer *lexer, const char *text)
{
    scan s = {.lexer = *lexer};
    out->parameters = offset(&s.lexer, text) + 1;
    out->plain = skip_brackets(&s, "(", ")");
    out->parameters_end = out->plain ? (size_t)(s.closed_at - text) : out->parameters;
    while (s.lexer.token.kind != GT_TOKEN_END && !gt_lexer_is(&s.lexer, ";") &&
           !gt_lexer_is(&s.lexer, "{")) {
        out->plain &= s.lexer.token.kind != GT_TOKEN_DIRECTIVE;
        gt_lexer_next(&s.lexer);
    }
    out->is_definition = gt_lexer_is(&s.lexer, "{");
    if (!out->is_definition) {
        out->end = offset(&s.lexer, text) + gt_lexer_is(&s.lexer, ";");
        return;
    }
    out->plain = skip_brackets(&s, "{", "}") && out->plain;
    out->end = out->plain ? (size_t)(s.closed_at - text) + 1 : out->parameters_end;
}

static void note_namespace(struct gt_namespaces *spaces, const gt_lexer *lexer)
{
    if (gt_lexer_is(lexer, "{")) {
        spaces->outside[spaces->depth++ % 64] = strlen(spaces->scope);
        if (spaces->opening && spaces->pending[0]) {
            (void)gt_append_within(spaces->scope, GT_ENTRY_MAX, "::", spaces->scope[0] ? 2 : 0);
            (void)gt_append_within(spaces->scope, GT_ENTRY_MAX, spaces->pending,
                                   strlen(spaces->pending));
        }
        spaces->opening = false;
    } else if (gt_lexer_is(lexer, "}") && spaces->depth > 0) {
        size_t outside = spaces->outside[--spaces->depth % 64];
        if (outside < strlen(spaces->scope)) {
            spaces->scope[outside] = '\0';
        }
    } else if (gt_lexer_is(lexer, "namespace")) {
        spaces->opening = true;
        spaces->pending[0] = '\0';
    } else if (spaces->opening &&
               (lexer->token.kind == GT_TOKEN_NAME || gt_lexer_is(lexer, "::"))) {
        (void)gt_append_within(spaces->pending, GT_ENTRY_MAX, lexer->token.text,
                               lexer->token.length);
    } else {
        spaces->opening = false;
    }
}

/* Returns true if `name` means the function `token` in the namespaces `scope`. The name may lack
 * the outer namespaces. */
static bool is_named(const gt_token *token, const char *scope, const char *name)
{
    size_t in = strlen(scope), written = strlen(name);
    if (written == token->length) {
        return gt_token_is(token, name);
    }
    if (written < token->length + 3 || !gt_token_is(token, name + written - token->length)) {
        return false;
    }
    size_t outer = written - token->length - 2;
    return memcmp(name + outer, "::", 2) == 0 && outer <= in &&
           memcmp(scope + in - outer, name, outer) == 0 &&
           (outer == in || scope[in - outer - 1] == ':');
}

/* Returns true if the walk looks for a function of this name. */
static bool is_sought(const gt_functions *walk, const gt_token *token)
{
    bool is = false;
    for (size_t i = 0; i < walk->name_count && !is; i++) {
        is = is_named(token, walk->namespaces.scope, walk->names[i]);
    }
    return is;
}

typedef struct declaration {
    gt_function read; /* the members that are known so far */
    bool open, is_global;
    int conditionals; /* number of #if minus number of #endif since its beginning */
} declaration;

static void note_template(declaration *now, const gt_lexer *lexer)
{
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    if (gt_lexer_accept(&ahead, "<")) {
        const bool is_empty = gt_lexer_is(&ahead, ">");
        now->read.is_specialisation |= is_empty;
        now->read.is_template |= !is_empty;
    }
}

/* Notes a directive. Those between __global__ and the name belong to the kernel. */
static void note_directive(declaration *now, gt_lexer *lexer)
{
    gt_lexer line;
    gt_lexer_directive(lexer, &line);
    if (!now->is_global && !now->read.is_template) {
        *now = (declaration){0};
    }
    now->conditionals +=
        gt_token_is_any(&line.token, "if ifdef ifndef") - gt_lexer_is(&line, "endif");
}

static void note_text(declaration *now, const gt_lexer *lexer, const char *text)
{
    if (lexer->token.kind == GT_TOKEN_PUNCTUATION && gt_token_is_any(&lexer->token, "; { }")) {
        *now = (declaration){0};
        return;
    }
    if (!now->open) {
        *now = (declaration){.open = true, .read = {.begin = offset(lexer, text)}};
    }
    now->is_global |= gt_lexer_is(lexer, "__global__");
    if (gt_lexer_is(lexer, "template")) {
        note_template(now, lexer);
    }
    now->read.is_extern_c |= gt_lexer_is(lexer, "\"C\"");
}

gt_functions gt_functions_of(const char *text, const char *const *names, size_t count)
{
    return (gt_functions){
        .text = text, .names = names, .name_count = count, .lexer = gt_lexer_of(text)};
}

bool gt_function_next(gt_function *out, gt_functions *walk)
{
    declaration now = {0};
    const char *text = walk->text, *scope = walk->namespaces.scope;
    gt_lexer *lexer = &walk->lexer;
    while (lexer->token.kind != GT_TOKEN_END) {
        if (lexer->token.kind == GT_TOKEN_DIRECTIVE) {
            note_directive(&now, lexer);
            continue;
        }
        note_text(&now, lexer, text);
        note_namespace(&walk->namespaces, lexer);
        bool hit = now.is_global && is_sought(walk, &lexer->token);
        size_t at = offset(lexer, text);
        gt_lexer_next(lexer);
        if (hit && gt_lexer_is(lexer, "<")) {
            gt_lexer_skip_angles(lexer);
        }
        if (hit && gt_lexer_is(lexer, "(")) {
            *out = now.read;
            out->name = at;
            memcpy(out->scope, scope, sizeof out->scope);
            read_rest(out, lexer, text);
            out->plain &= now.conditionals == 0;
            *lexer = gt_lexer_of(text + (out->plain ? out->end : out->parameters_end));
            return true;
        }
    }
    return false;
}

bool gt_function_definition(gt_function *out, const char *text, const char *name)
{
    gt_functions walk = gt_functions_of(text, &name, 1);
    bool found;
    do {
        found = gt_function_next(out, &walk);
    } while (found && (!out->is_definition || out->is_specialisation));
    return found;
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
    scan s = {.lexer = gt_function_body(text, function)};
    bool is_extern = false, is_shared = false;
    while (s.lexer.token.kind != GT_TOKEN_END && !(is_extern && is_shared)) {
        if (s.lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            read_directive(&s);
            continue;
        }
        bool ends = gt_lexer_is(&s.lexer, ";") || gt_lexer_is(&s.lexer, "{");
        is_extern = !ends && (is_extern || gt_lexer_is(&s.lexer, "extern")) && !s.conditionals;
        is_shared = !ends && (is_shared || gt_lexer_is(&s.lexer, "__shared__"));
        gt_lexer_next(&s.lexer);
    }
    return is_extern && is_shared;
}

/* `1 - flag` inverts a flag and does not count as adding. */
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

/* Takes a name of a parameter. The last one is its own name; those before it are its type. */
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

/* ---- constants ---- */

/* Returns true if both have the same tokens, as if a header was included twice. */
static bool is_same(gt_lexer a, gt_lexer b)
{
    while (a.token.kind != GT_TOKEN_END && gt_token_equals(&a.token, &b.token)) {
        gt_lexer_next(&a);
        gt_lexer_next(&b);
    }
    return a.token.kind == GT_TOKEN_END && b.token.kind == GT_TOKEN_END;
}

/* Reads a directive `#define NAME value`, but not a macro with arguments. */
static bool defines_name(gt_lexer *line, const char *name)
{
    if (!gt_lexer_accept(line, "define") || !gt_lexer_is(line, name)) {
        return false;
    }
    const char *after = line->token.text + line->token.length;
    gt_lexer_next(line);
    bool is_function = gt_lexer_is(line, "(") && line->token.text == after;
    return !is_function && line->token.kind != GT_TOKEN_END;
}

/* A search for a constant, and the first value that was found. */
typedef struct search {
    const char *name;
    gt_lexer *value;
    int64_t *above;
    int found; /* number of different values */
} search;

static void note_constant(search *s, gt_lexer value, int64_t above)
{
    if (s->found == 0 || *s->above != above || !is_same(*s->value, value)) {
        *s->value = value;
        *s->above = above;
        s->found++;
    }
}

/* Reads the enumerators after `enum`. Without a value, each is the previous one plus 1. */
static void search_enum(search *s, gt_lexer *lexer)
{
    gt_lexer value = gt_lexer_of("0");
    int64_t above = 0;
    gt_lexer_skip_to(lexer, "{ ; ( )");
    bool more = gt_lexer_accept(lexer, "{");
    for (; more && lexer->token.kind == GT_TOKEN_NAME; above++) {
        const bool hit = gt_lexer_is(lexer, s->name);
        gt_lexer_next(lexer);
        if (gt_lexer_accept(lexer, "=")) {
            value = *lexer;
            above = 0;
        }
        if (hit) {
            note_constant(s, value, above);
        }
        gt_lexer_skip_to(lexer, ", }");
        more = gt_lexer_accept(lexer, ",");
    }
}

bool gt_code_constant(gt_lexer *value, int64_t *above, const char *code, const char *path,
                      const char *name)
{
    gt_lexer lexer, line;
    search s = {name, value, above, 0};
    int braces = 0; /* number of open braces, without those around functions */
    bool behind_parenthesis = false, is_constant = false;
    gt_lexer_open(&lexer, code, strlen(code), (gt_place){path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            if (defines_name(&line, name)) {
                note_constant(&s, line, 0);
            }
            continue;
        }
        if (!braces && gt_lexer_accept(&lexer, "enum")) {
            search_enum(&s, &lexer);
            behind_parenthesis = false;
            continue;
        }
        is_constant |= gt_token_is_any(&lexer.token, "constexpr const");
        is_constant &= !gt_token_is_any(&lexer.token, "; )");
        const bool hit = is_constant && !braces && gt_lexer_is(&lexer, name);
        braces += gt_lexer_is(&lexer, "{") && (braces > 0 || behind_parenthesis);
        braces -= gt_lexer_is(&lexer, "}") && braces > 0;
        behind_parenthesis = gt_lexer_is(&lexer, ")");
        gt_lexer_next(&lexer);
        if (hit && gt_lexer_accept(&lexer, "=")) {
            note_constant(&s, lexer, 0);
        }
    }
    return s.found == 1;
}
