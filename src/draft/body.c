/* Reads a kernel's body in one pass: what is defined, compared and accessed. No C++ parser: what it
 * does not understand is not known. */
#include "draft/parts.h"
#include "kernel/types.h"

#include <string.h>

/* The pass. `before` is the token in front of the current one, `further` the one before that. */
typedef struct walk {
    gt_draft *draft;
    gt_lexer lexer;
    gt_token before, further;
    const char *atomic;          /* the operand of an atomic function: its place in the text */
    const char *reader, *writer; /* those of a function that loads or stores what it points to */
    const char *aliased;         /* a buffer that an alias is defined by */
} walk;

static gt_lexer ahead_of(const walk *w)
{
    gt_lexer ahead = w->lexer;
    gt_lexer_next(&ahead);
    return ahead;
}

static const char changing[] = "+= -= *= /= %= &= |= ^= <<= >>= ++ --";

/* Whether an operand ends with the token, so that a following * or & is binary. */
static bool ends_operand(const gt_token *token)
{
    return (token->kind == GT_TOKEN_NAME && !gt_token_is(token, "return")) ||
           token->kind == GT_TOKEN_NUMBER || gt_token_is(token, ")") || gt_token_is(token, "]");
}

/* ---- accesses ---- */

typedef struct use {
    bool read, write;
} use;

/* How what ends in front of the lexer is used: the members and elements behind it belong to it. */
static use use_at(const walk *w, gt_lexer lexer, const gt_token *prefix)
{
    while (gt_token_is_any(&lexer.token, ". -> [")) {
        if (gt_lexer_is(&lexer, "[")) {
            gt_draft_skip_brackets(&lexer);
        } else {
            gt_lexer_next(&lexer);
            gt_lexer_next(&lexer);
        }
    }
    bool changes = gt_token_is_any(&lexer.token, changing) || gt_token_is(prefix, "++") ||
                   gt_token_is(prefix, "--");
    bool is_address = gt_token_is(prefix, "&") && !ends_operand(&w->further);
    if (changes || is_address) {
        return (use){true, true};
    }
    bool is_set = gt_lexer_is(&lexer, "=");
    return (use){!is_set, is_set};
}

/* The use that a function's name tells: atomicAdd(&p[i], …), __ldg(&p[i]), __stcs(&p[i], v). */
static bool told_use(use *out, const walk *w)
{
    const char *at = w->lexer.token.text;
    if (at != w->atomic && at != w->reader && at != w->writer) {
        return false;
    }
    *out = (use){at != w->writer, at != w->reader};
    return true;
}

static void note_use(walk *w, uint32_t index, use how)
{
    gt_draft_buffer *buffer = &w->draft->buffers[index];
    buffer->is_read |= how.read;
    buffer->is_written |= how.write && !w->draft->parameters[buffer->parameter].is_const;
}

static void note_access(walk *w, uint32_t buffer, const gt_draft_alias *alias,
                        const gt_polynomial *index)
{
    gt_draft *draft = w->draft;
    gt_polynomial own = *index, one = gt_polynomial_number(1);
    double scale = alias ? alias->scale : 1;
    if (alias) {
        own = gt_polynomial_add(&alias->offset, index, scale);
    }
    gt_polynomial largest = gt_draft_maximum(draft, own);
    gt_draft_access access = {buffer, own, gt_polynomial_add(&largest, &one, scale)};
    draft->failed |= gt_array_push(&draft->accesses, access) != GPUTUNE_OK;
}

/* tex1Dfetch<TYPE>(NAME, index), with the lexer behind the name. */
static void read_texture(walk *w, uint32_t buffer, gt_lexer *behind)
{
    gt_polynomial index;
    note_use(w, buffer, (use){.read = true});
    if (w->draft->buffers[buffer].texture == 1 && gt_lexer_accept(behind, ",")) {
        index = gt_draft_read_sum(w->draft, behind);
        note_access(w, buffer, NULL, &index);
    }
}

/* With the lexer on a buffer's or alias's name. */
static void read_buffer(walk *w, uint32_t buffer, const gt_draft_alias *alias)
{
    gt_lexer ahead = ahead_of(w);
    gt_polynomial index = gt_polynomial_number(0);
    bool dereferenced = gt_token_is(&w->before, "*") && !ends_operand(&w->further);
    use how;
    if (w->lexer.token.text == w->aliased) {
        return;
    }
    if (w->draft->buffers[buffer].texture) {
        read_texture(w, buffer, &ahead);
    } else if (gt_lexer_is(&ahead, "[")) {
        gt_lexer behind = ahead;
        gt_draft_skip_brackets(&behind);
        gt_lexer_next(&ahead);
        index = gt_draft_read_sum(w->draft, &ahead);
        if (!gt_lexer_is(&ahead, "]")) {
            index = gt_polynomial_unknown();
        }
        note_use(w, buffer, told_use(&how, w) ? how : use_at(w, behind, &w->before));
        note_access(w, buffer, alias, &index);
    } else if (dereferenced || told_use(&how, w)) {
        if (!dereferenced && gt_lexer_is(&ahead, "+")) { /* atomicAdd(p + i, …) */
            gt_lexer_next(&ahead);
            index = gt_draft_read_sum(w->draft, &ahead);
        }
        note_use(w, buffer, told_use(&how, w) ? how : use_at(w, ahead, &w->further));
        note_access(w, buffer, alias, &index);
    } else if (gt_lexer_is(&ahead, "->")) {
        note_use(w, buffer, use_at(w, ahead, &w->before));
        note_access(w, buffer, alias, &index);
    } else if (gt_token_is_any(&ahead.token, changing) || gt_lexer_is(&ahead, "=")) {
        w->draft->buffers[buffer].is_moved = true;
    } else {
        note_use(w, buffer, (use){true, true});
        w->draft->buffers[buffer].is_passed_on = true;
    }
}

/* Notes the first operand of a function that loads, stores or does both. */
static void read_function(walk *w)
{
    const gt_token *name = &w->lexer.token;
    gt_lexer ahead = ahead_of(w);
    bool atomic = name->length > 6 && memcmp(name->text, "atomic", 6) == 0;
    bool reads = name->length > 4 && memcmp(name->text, "__ld", 4) == 0;
    bool writes = name->length > 4 && memcmp(name->text, "__st", 4) == 0;
    if (!gt_lexer_accept(&ahead, "(") || !(atomic || reads || writes)) {
        return;
    }
    (void)gt_lexer_accept(&ahead, "&");
    const char **operand = atomic ? &w->atomic : reads ? &w->reader : &w->writer;
    *operand = ahead.token.text;
}

/* ---- definitions ---- */

static double bytes_of(const char *type)
{
    gt_element element;
    return gt_element_from_name(&element, type) ? element.bytes : 0;
}

/* The buffer that an initialiser names first, and where in it the pointer begins. */
static bool read_alias(walk *w, gt_lexer lexer, gt_draft_alias *out)
{
    gt_draft *draft = w->draft;
    gt_token before = lexer.token;
    for (; lexer.token.kind != GT_TOKEN_END && !gt_lexer_is(&lexer, ";"); gt_lexer_next(&lexer)) {
        const gt_draft_alias *alias;
        int buffer = gt_draft_find_buffer(draft, &lexer.token, &alias);
        if (buffer < 0) {
            before = lexer.token;
            continue;
        }
        const char *place = lexer.token.text;
        gt_lexer_next(&lexer);
        bool is_element = gt_token_is(&before, "&") && gt_lexer_is(&lexer, "[");
        if (gt_lexer_is(&lexer, "[") && !is_element) {
            return false; /* a value, no pointer */
        }
        gt_polynomial offset = gt_polynomial_number(0);
        if (is_element || gt_lexer_is(&lexer, "+")) {
            gt_lexer_next(&lexer);
            offset = gt_draft_read_sum(draft, &lexer);
        }
        w->aliased = place;
        out->buffer = (uint32_t)buffer;
        out->offset = alias ? gt_polynomial_add(&alias->offset, &offset, alias->scale) : offset;
        out->scale = alias ? alias->scale : 1;
        return true;
    }
    return false;
}

/* `TYPE *NAME = …` of a pointer into a buffer; with the lexer on the name. */
static bool define_alias(walk *w, const gt_lexer *value, const char *type)
{
    gt_draft *draft = w->draft;
    gt_draft_alias alias = {.scale = 1};
    gt_draft_token_text(alias.name, sizeof alias.name, &w->lexer.token);
    if (!alias.name[0] || !read_alias(w, *value, &alias)) {
        return false;
    }
    const gt_draft_buffer *buffer = &draft->buffers[alias.buffer];
    double own = bytes_of(type), of_buffer = bytes_of(draft->parameters[buffer->parameter].words);
    alias.scale *= own > 0 && of_buffer > 0 ? own / of_buffer : 1;
    draft->failed |= gt_array_push(&draft->aliases, alias) != GPUTUNE_OK;
    return true;
}

/* `NAME = value`: the value of a local as it is defined. */
static void define_local(walk *w, gt_lexer *value)
{
    gt_draft *draft = w->draft;
    char name[GT_NAME_MAX];
    gt_draft_token_text(name, sizeof name, &w->lexer.token);
    bool declares = w->before.kind == GT_TOKEN_NAME || gt_token_is(&w->before, ",");
    int known = gt_draft_find_symbol(draft, name);
    if (!name[0] || gt_token_is(&w->before, ".") || gt_token_is(&w->before, "->")) {
        return;
    }
    gt_polynomial definition = gt_draft_read_sum(draft, value);
    bool whole = gt_token_is_any(&value->token, "; , )");
    if (known >= 0 && !declares && draft->symbols.items[known].kind == GT_DRAFT_LOCAL) {
        gt_draft_symbol *symbol = &draft->symbols.items[known];
        double number;
        bool is_new = definition.known && !gt_polynomial_has(&definition, (uint16_t)known) &&
                      !gt_polynomial_is_number(&definition, &number);
        if (!symbol->definition.known) {
            symbol->definition = definition;
            return;
        }
        symbol->is_stepped |= !is_new;
        if (!is_new) {
            return;
        }
    }
    if (known >= 0 && !declares && draft->symbols.items[known].kind != GT_DRAFT_LOCAL) {
        return; /* a parameter that is changed */
    }
    uint16_t added = gt_draft_add_symbol(draft, name, GT_DRAFT_LOCAL);
    if (added && whole) {
        draft->symbols.items[added].definition = definition;
    }
}

/* The type in front of `* NAME`: the name before the first star behind the last bracket or ;. */
static void note_type(char type[GT_NAME_MAX], const walk *w)
{
    const gt_token *token = &w->lexer.token;
    if (token->kind == GT_TOKEN_NAME &&
        !gt_token_is_any(token, "const __restrict__ restrict volatile")) {
        gt_draft_token_text(type, GT_NAME_MAX, token);
    }
}

/* `i++`, `i += e` and other changes of a local. */
static void step(walk *w, gt_lexer ahead)
{
    char text[GT_NAME_MAX];
    gt_draft_token_text(text, sizeof text, &w->lexer.token);
    int known = gt_draft_find_symbol(w->draft, text);
    bool by_one = gt_lexer_is(&ahead, "++") || gt_token_is(&w->before, "++");
    gt_polynomial by = by_one ? gt_polynomial_number(1) : gt_polynomial_unknown();
    if (gt_lexer_accept(&ahead, "+=")) {
        by = gt_draft_read_sum(w->draft, &ahead);
    }
    if (known > 0 && w->draft->symbols.items[known].kind == GT_DRAFT_LOCAL) {
        gt_draft_symbol *symbol = &w->draft->symbols.items[known];
        symbol->step = symbol->is_stepped ? gt_polynomial_unknown() : by;
        symbol->is_stepped = true;
    }
}

/* ---- comparisons ---- */

/* Locals and builtins: what takes many values within a launch. */
static bool varies(const gt_draft *draft, const gt_polynomial *p)
{
    gt_powers at = {0};
    const gt_power *power;
    while ((power = gt_polynomial_next(p, &at)) && power->symbol >= GT_DRAFT_BLOCK_DIM &&
           draft->symbols.items[power->symbol].kind != GT_DRAFT_LOCAL) {
    }
    return power != NULL;
}

static void add_guard(gt_draft *draft, gt_polynomial left, gt_polynomial bound, double more,
                      bool is_exit)
{
    gt_polynomial sum = gt_polynomial_number(more);
    gt_draft_guard guard = {.left = {.known = true}, .is_exit = is_exit};
    bound = gt_draft_expand(draft, bound, false);
    sum = gt_polynomial_add(&sum, &bound, 1);
    /* what does not vary goes to the right */
    for (uint32_t i = 0; i < left.count; i++) {
        gt_polynomial term = {.known = true, .count = 1, .terms = {left.terms[i]}};
        bool stays = varies(draft, &term);
        guard.left = stays ? gt_polynomial_add(&guard.left, &term, 1) : guard.left;
        sum = stays ? sum : gt_polynomial_add(&sum, &term, -1);
    }
    guard.bound = sum;
    double number;
    bool is_lower = is_exit && gt_polynomial_is_number(&sum, &number); /* i >= 1 */
    if (!left.known || !sum.known || guard.left.count == 0 || varies(draft, &sum) || is_lower) {
        return;
    }
    draft->failed |= gt_array_push(&draft->guards, guard) != GPUTUNE_OK;
}

/* With the lexer where an operand may begin: notes `a < b` and the like. */
static void read_comparison(walk *w)
{
    static const struct {
        const char *sign;
        bool less;   /* left is below right */
        double more; /* what makes the bound exclusive */
    } signs[] = {{"<", true, 0}, {"<=", true, 1}, {">=", false, 0}, {">", false, 1}};
    gt_draft *draft = w->draft;
    gt_lexer lexer = w->lexer;
    gt_polynomial left = gt_draft_read_sum(draft, &lexer);
    for (size_t i = 0; i < sizeof signs / sizeof *signs && left.known; i++) {
        if (!gt_lexer_is(&lexer, signs[i].sign)) {
            continue;
        }
        gt_lexer_next(&lexer);
        gt_polynomial right = gt_draft_read_sum(draft, &lexer);
        if (!right.known) {
            return;
        }
        if (!varies(draft, &left) && varies(draft, &right)) { /* n > i is i < n */
            add_guard(draft, right, left, 1 - signs[i].more, signs[i].less);
        } else {
            add_guard(draft, left, right, signs[i].more, !signs[i].less);
        }
    }
}

static bool begins_operand(const gt_token *before)
{
    return gt_token_is_any(before, "( ; { } && || ! , ? : =") || gt_token_is(before, "return");
}

/* ---- what cannot be a template ---- */

static gputune_status refuse(const walk *w, const char *what, const char *remedy)
{
    gt_message_at(gt_lexer_place(&w->lexer), "%s; expected %s", what, remedy);
    return gt_failure(GPUTUNE_EUNSUPPORTED);
}

static gputune_status check_token(const walk *w)
{
    const gt_token *token = &w->lexer.token;
    static const char textures[] =
        "tex1D tex3D tex2DLod tex1DLayered tex2DLayered tex2Dgather texCubemap";
    static const char surfaces[] =
        "surf1Dread surf2Dread surf3Dread surf1Dwrite surf2Dwrite surf3Dwrite";
    if (gt_token_is_any(token, textures)) {
        return refuse(w, "a texture of an array, which a template cannot have",
                      "tex1Dfetch() or tex2D(), which read buffers");
    }
    if (gt_token_is_any(token, surfaces)) {
        return refuse(w, "a surface, which a template cannot have", "a buffer");
    }
    gt_lexer ahead = ahead_of(w);
    if (gt_token_is_any(token, "tex1Dfetch tex2D") && !gt_lexer_is(&ahead, "<")) {
        return refuse(w, "a read without a type, as of a texture reference",
                      "tex1Dfetch<TYPE>() or tex2D<TYPE>() of a cudaTextureObject_t parameter");
    }
    if (gt_token_is(token, "<<") && gt_lexer_is(&ahead, "<") &&
        ahead.token.text == token->text + token->length) {
        return refuse(w, "a launch from the device, which a template cannot have",
                      "a pipeline of launch() clauses");
    }
    return GPUTUNE_OK;
}

/* ---- the pass ---- */

static void read_name(walk *w, const char *type)
{
    gt_draft *draft = w->draft;
    const gt_token *name = &w->lexer.token;
    const gt_draft_alias *alias;
    gt_lexer ahead = ahead_of(w);
    bool is_pointer = (gt_token_is(&w->before, "*") && w->further.kind == GT_TOKEN_NAME &&
                       gt_token_is(&w->further, type)) ||
                      gt_token_is(&w->before, "__restrict__") ||
                      (gt_token_is(&w->before, "const") && gt_token_is(&w->further, "*"));
    int buffer = gt_draft_find_buffer(draft, name, &alias);
    if (gt_token_is(&w->before, ".") || gt_token_is(&w->before, "->")) {
        return; /* a member of that name */
    }
    read_function(w);
    if (gt_token_is(name, "__shared__")) {
        gt_draft_read_shared(draft, ahead_of(w), gt_token_is(&w->before, "extern"));
    }
    if (gt_token_is(name, "this_grid") || gt_token_is(name, "gputune_grid_sync")) {
        draft->is_cooperative = true;
    }
    for (size_t i = 0; i < draft->shared.count; i++) {
        if (gt_token_is(name, draft->shared.items[i].name) && gt_lexer_is(&ahead, "[")) {
            gt_draft_read_shared_access(draft, &draft->shared.items[i], ahead);
        }
    }
    if (gt_lexer_is(&ahead, "=") && (buffer < 0 || is_pointer)) {
        gt_lexer_next(&ahead);
        if (!(is_pointer || strcmp(type, "auto") == 0) || !define_alias(w, &ahead, type)) {
            define_local(w, &ahead);
        }
        return;
    }
    if (buffer >= 0) {
        read_buffer(w, (uint32_t)buffer, alias);
    } else if (gt_token_is_any(&ahead.token, changing) || gt_token_is(&w->before, "++") ||
               gt_token_is(&w->before, "--")) {
        step(w, ahead);
    }
}

/* Which dimensions the kernel uses at all. */
static void note_dimension(const walk *w)
{
    gt_lexer ahead = ahead_of(w);
    bool threads = gt_lexer_is(&w->lexer, "threadIdx") || gt_lexer_is(&w->lexer, "blockDim");
    bool blocks = gt_lexer_is(&w->lexer, "blockIdx") || gt_lexer_is(&w->lexer, "gridDim");
    if ((threads || blocks) && gt_lexer_accept(&ahead, ".") && ahead.token.length == 1) {
        unsigned dimension = (unsigned)(ahead.token.text[0] - 'x');
        if (dimension < 3) {
            w->draft->dimensions[dimension].has_threads |= threads;
            w->draft->dimensions[dimension].has_blocks |= blocks;
            w->draft->dimensions[dimension].has_grid |= gt_lexer_is(&w->lexer, "gridDim");
        }
    }
}

gputune_status gt_draft_read_body(gt_draft *draft)
{
    walk w = {.draft = draft};
    char type[GT_NAME_MAX] = "";
    const gt_function *function = &draft->function;
    size_t at = function->parameters_end;
    gt_lexer_open(&w.lexer, draft->text + at, function->end - at, gt_draft_place(draft, at));
    while (w.lexer.token.kind != GT_TOKEN_END && !draft->failed) {
        if (w.lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer ignored;
            gt_lexer_directive(&w.lexer, &ignored);
            continue;
        }
        GT_TRY(check_token(&w));
        if (begins_operand(&w.before)) {
            read_comparison(&w);
        }
        if (w.lexer.token.kind == GT_TOKEN_NAME) {
            note_dimension(&w);
            read_name(&w, type);
            note_type(type, &w);
        }
        w.further = w.before;
        w.before = w.lexer.token;
        gt_lexer_next(&w.lexer);
    }
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}
