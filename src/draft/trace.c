/* Writes a host program's expression over its leaves, for the engine's own parser. */
#include "draft/trace.h"

#include "kernel/symbols.h"
#include "kernel/template_parts.h"
#include "kernel/types.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 4000, TEXT_MAX = 6000, DEPTH_MAX = 25 };

static void expand(gt_tracer *t, gt_span span, const gt_site *site);

/* ---- leaves ---------------------------------------------------------------------------------- */

int gt_trace_slot(void *user, const char *name)
{
    const gt_tracer *t = user;
    return GT_NAMED(t->leaves, (uint32_t)t->leaf_count, name);
}

size_t gt_trace_add(gt_tracer *t, const char *name, size_t identity,
                    const gt_draft_argument *parameter)
{
    size_t index = t->leaf_count;
    if (index == GT_TRACE_LEAVES) {
        t->failed = true;
        return 0;
    }
    gt_trace_leaf *leaf = &t->leaves[t->leaf_count];
    *leaf = (gt_trace_leaf){.identity = identity, .parameter = parameter};
    const bool taken = gt_trace_slot(t, name) >= 0 || gt_symbol_is_reserved(name) ||
                       (!parameter && gt_draft_argument_of(t->draft, name));
    (void)gt_snprintf(leaf->name, sizeof leaf->name, taken ? "host_%.50s" : "%.63s", name);
    t->names[index] = leaf->name;
    t->leaf_count++;
    return index;
}

int gt_trace_origin(const gt_tracer *t, gt_span origin)
{
    const gt_program *p = t->program;
    const size_t length = origin.end - origin.first;
    if (gt_program_first(p, origin, "( [ . ->") == origin.end ||
        gt_program_first(p, origin, "++ -- rand new malloc") < origin.end) {
        return -1;
    }
    for (size_t leaf = 0; leaf < t->leaf_count; leaf++) {
        const gt_span own = t->leaves[leaf].origin;
        size_t i = 0;
        while (i < length && own.first + i < own.end &&
               gt_program_same(p, own.first + i, origin.first + i)) {
            i++;
        }
        if (i == length && own.end - own.first == length && !t->leaves[leaf].has_value) {
            return (int)leaf;
        }
    }
    return -1;
}

static void emit_leaf(gt_tracer *t, size_t index)
{
    const gt_trace_leaf *leaf = &t->leaves[index];
    t->leaf_uses++;
    if (leaf->has_value && (leaf->is_number || (t->without_axes && leaf->is_axis))) {
        gt_text_printf(&t->text, "(%lld)", (long long)leaf->value);
    } else {
        gt_text_printf(&t->text, " %s ", leaf->name);
    }
}

static bool emit_alias(gt_tracer *t, size_t identity)
{
    size_t found = t->leaf_count;
    bool is_own = false; /* of the dimension whose block it is */
    for (size_t i = 0; i < t->alias_count; i++) {
        if (t->aliases[i].identity == identity && !is_own) {
            is_own = t->aliases[i].dimension == t->dimension;
            found = found == t->leaf_count || is_own ? t->aliases[i].leaf : found;
        }
    }
    for (size_t i = 0; i < t->leaf_count && found == t->leaf_count; i++) {
        found = t->leaves[i].identity == identity ? i : found;
    }
    if (found < t->leaf_count) {
        emit_leaf(t, found);
    }
    return found < t->leaf_count;
}

/* ---- values ---------------------------------------------------------------------------------- */

gt_expression *gt_trace_read(gt_tracer *t, const char *text)
{
    gt_expression *expression = NULL;
    gt_lexer lexer = gt_lexer_of(text);
    const gt_scope scope = {.slot = gt_trace_slot, .user = t};
    if (gt_expression_read(&expression, &lexer, &scope) != GPUTUNE_OK ||
        lexer.token.kind != GT_TOKEN_END) {
        free(expression);
        return NULL;
    }
    return expression;
}

bool gt_trace_value(int64_t *out, const gt_tracer *t, const gt_expression *expression)
{
    int64_t slots[GT_SLOT_MAX] = {0};
    for (size_t i = 0; i < t->leaf_count; i++) {
        slots[i] = t->leaves[i].value;
        if (!t->leaves[i].has_value && gt_expression_uses(expression, (int)i)) {
            return false;
        }
    }
    return gt_expression_try(out, expression, slots) == NULL;
}

bool gt_trace_has_axis(const gt_tracer *t, const gt_expression *expression)
{
    bool has = false;
    for (size_t i = 0; i < t->leaf_count; i++) {
        has |= t->leaves[i].is_axis && gt_expression_uses(expression, (int)i);
    }
    return has;
}

void gt_trace_mark(gt_tracer *t, const gt_expression *expression, bool grid, bool length)
{
    for (size_t i = 0; i < t->leaf_count; i++) {
        bool uses = gt_expression_uses(expression, (int)i);
        t->leaves[i].in_grid |= uses && grid;
        t->leaves[i].in_length |= uses && length;
    }
}

/* With a name at `at`: the token behind `NAME.member->other[2]` and the like, and behind `()`. */
static size_t part_end(const gt_program *p, size_t at)
{
    size_t end = at + 1;
    for (bool again = true; again;) {
        const bool is_element = gt_program_is(p, end, "[") && gt_program_is(p, end + 2, "]") &&
                                p->tokens.items[end + 1].kind == GT_TOKEN_NUMBER;
        again = is_element || gt_program_is(p, end, ". ->");
        end += is_element ? 3 : again ? 2 : 0;
    }
    const bool calls = end > at + 1 && gt_program_is(p, end, "(") && gt_program_is(p, end + 1, ")");
    return calls ? end + 2 : end;
}

/* What `NAME.member` or `NAME[2]`, with the variable at `name` and the rest as in `part`, is set to
 * last in front of where it is read; false: nothing. */
static bool find_set(gt_found *out, const gt_program *p, size_t name, const gt_closure *of)
{
    const gt_span part = of->span;
    const size_t length = part.end - part.first;
    const size_t first = of->site.function ? of->site.function->body.first : 1;
    for (size_t i = of->site.at; i > first; i--) {
        size_t same = gt_program_same(p, i, name);
        while (same > 0 && same < length && gt_program_same(p, i + same, part.first + same)) {
            same++;
        }
        const size_t close = gt_program_is(p, i + 1, "[") ? gt_program_close(p, i + 1) : i;
        gt_span items = {close + 3, 0}, *value = &out->value.span;
        *out = (gt_found){.identity = i};
        if (same == length && gt_program_is(p, i + length, "=") &&
            !gt_program_is(p, i - 1, ". ->")) {
            *value = gt_program_statement(p, i + length + 1);
            for (size_t k = value->first; k < value->end; k++) { /* a.n = b.n = 4 */
                value->first = gt_program_is(p, k, "=") ? k + 1 : value->first;
            }
        } else if (same > 0 && length == 4 && close > i && gt_program_is(p, close + 1, "=") &&
                   gt_program_is(p, close + 2, "{")) { /* TYPE NAME[] = {a, b} */
            items.end = gt_program_close(p, close + 2);
            (void)gt_program_item_at(p, value, items,
                                     (size_t)gt_strtod(GT_NAME(p, part.first + 2), NULL));
        }
        if (gt_program_is_plain(p, *value)) {
            out->value.site = gt_program_site(p, i);
            return true;
        }
    }
    return false;
}

/* The place of the member among those of the variable's struct; false: no struct is known that has
 * such a member. */
static bool find_place(size_t *out, const gt_program *p, size_t variable, size_t member)
{
    const size_t type = gt_program_type(p, variable).end - 1;
    for (size_t i = 1, close; i < p->code; i++) {
        if (!gt_program_is(p, i, "{") ||
            !((gt_program_same(p, i - 1, type) && gt_program_is(p, i - 2, "struct class")) ||
              (gt_program_is(p, i - 1, "struct") &&
               gt_program_same(p, gt_program_close(p, i) + 1, type)))) {
            continue;
        }
        for (*out = 0, close = gt_program_close(p, i++); i < close; i++) {
            if (gt_program_same(p, i, member) && gt_program_is(p, i + 1, "; , [ = {")) {
                return true;
            }
            *out += gt_program_is(p, i, "; ,") && !gt_program_is(p, i - 1, ") const }");
            i = gt_program_is(p, i, "( [ {") ? gt_program_close(p, i) : i;
        }
    }
    return false;
}

bool gt_trace_part(gt_found *out, const gt_program *p, const gt_closure *part)
{
    enum { HOPS = 6 };
    gt_closure from = *part;
    gt_found found;
    size_t name = part->span.first, place;
    const size_t end = part->span.end;
    if (gt_program_is(p, end - 1, ")")) {
        return gt_program_is(p, end - 3, "size") && gt_program_find(out, p, &part->site, name) &&
               out->is_constructed && gt_program_item_at(p, &out->value.span, out->value.span, 0);
    }
    for (int hop = 0; hop < HOPS; hop++) {
        if (find_set(out, p, name, &from)) {
            return true;
        }
        if (end != part->span.first + 3 || !gt_program_find(&found, p, &from.site, name)) {
            break;
        }
        gt_span value = found.value.span;
        const bool is_list = gt_program_is(p, value.first, "{") && value.end > value.first + 2;
        value = is_list ? (gt_span){value.first + 1, value.end - 1} : value;
        *out = (gt_found){.identity = found.identity, .value.site = found.value.site};
        if ((is_list || found.is_constructed) && find_place(&place, p, found.identity, end - 1) &&
            gt_program_item_at(p, &out->value.span, value, place)) {
            return gt_program_is_plain(p, out->value.span);
        }
        (void)gt_program_accept(p, &value, "& *");
        if (!gt_program_is_name(p, value)) {
            break;
        }
        name = value.first;
        from.site = found.value.site;
    }
    *out = (gt_found){0};
    return false;
}

/* Properties of the device. */
static const struct {
    const char *host, *own; /* the name in cudaDeviceProp */
    int64_t value;          /* to compute with */
} properties[] = {{"multiProcessorCount", "sm_count", 132},
                  {"maxThreadsPerMultiProcessor", "max_threads_per_sm", 2048},
                  {"maxBlocksPerMultiProcessor", "max_blocks_per_sm", 32},
                  {"maxThreadsPerBlock", "max_threads", 1024},
                  {"warpSize", "warp_size", 32}};
enum { PROPERTIES = sizeof properties / sizeof *properties };

static size_t property_of(const char *name)
{
    return gt_index_of(name, properties, PROPERTIES);
}

/* Whether the value is a part that the program gives none: the variable's own name is the better.
 */
static bool is_open_part(const gt_program *p, const gt_closure *value)
{
    gt_found of;
    return value->span.end > value->span.first + 1 &&
           part_end(p, value->span.first) == value->span.end &&
           !gt_program_is(p, value->span.end - 1, "x y z") &&
           property_of(GT_NAME(p, value->span.end - 1)) == PROPERTIES &&
           !gt_trace_part(&of, p, value);
}

/* A name that the program gives a value to: what that is made of, or a leaf. */
static void expand_found(gt_tracer *t, const gt_found *found, size_t at)
{
    size_t length = t->text.length, leaves = t->leaf_count;
    int uses = t->leaf_uses;
    int64_t value = 0;
    const char *name = GT_NAME(t->program, at);
    gt_text_append(&t->text, "(");
    if (!gt_span_is_empty(found->value.span) && !is_open_part(t->program, &found->value)) {
        expand(t, found->value.span, &found->value.site);
    } else {
        t->failed = true;
    }
    gt_text_append(&t->text, ")");
    bool known = !t->failed && !t->text.failed;
    bool is_global = found->macro || !found->value.site.function;
    if (known && (t->leaf_uses > uses ||
                  (is_global && gt_program_on_device(t->program, gt_token_at(t->program, at))))) {
        return;
    }
    GT_FREED gt_expression *expression = known ? gt_trace_read(t, t->text.data + length) : NULL;
    known = expression && gt_trace_value(&value, t, expression);
    if (t->text.failed) {
        return;
    }
    t->text.length = length;
    t->text.data[length] = '\0';
    t->failed = t->steps > STEPS_MAX || !name[0] || t->text.failed || (found->macro && !known);
    t->leaf_count = leaves;
    t->leaf_uses = uses;
    t->failed |=
        !known && gt_program_is(t->program, gt_program_type(t->program, found->identity).first,
                                "float double"); /* no size has a fraction */
    int same = t->failed || known ? -1 : gt_trace_origin(t, found->value.span);
    if (same >= 0) {
        emit_leaf(t, (size_t)same);
    } else if (!t->failed) {
        size_t leaf = gt_trace_add(t, name, found->identity, NULL);
        t->leaves[leaf].origin = found->value.span;
        t->leaves[leaf].has_value = known;
        t->leaves[leaf].value = value;
        emit_leaf(t, leaf);
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

/* What `typedef TYPE NAME;` and `using NAME = TYPE;` say last; empty: nothing. */
static gt_span alias_of(const gt_program *p, const char *name)
{
    const gt_token own = gt_token_of(name);
    gt_span type = {0, 0}, rest = {1, p->code};
    for (size_t i; gt_program_next(p, &rest, &own, &i);) {
        const gt_span before = gt_program_type(p, i);
        if (gt_program_is(p, i + 1, ";") && before.first > 0 &&
            gt_program_is(p, before.first - 1, "typedef")) {
            type = before;
        } else if (gt_program_is(p, i - 1, "using") && gt_program_is(p, i + 1, "=")) {
            type = gt_program_statement(p, i + 2);
        }
    }
    return type;
}

uint32_t gt_trace_opaque(const char *type)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } opaque[] = {{"curandState", 48},         {"curandState_t", 48},
                  {"curandStateXORWOW_t", 48}, {"curandStatePhilox4_32_10_t", 64},
                  {"curandStateMRG32k3a", 72}, {"curandStateMRG32k3a_t", 72}};
    enum { TYPES = sizeof opaque / sizeof *opaque };
    const size_t i = gt_index_of(type, opaque, TYPES);
    return i < TYPES ? opaque[i].bytes : 0;
}

int64_t gt_trace_bytes(const gt_program *p, char word[GT_NAME_MAX])
{
    gt_element element;
    for (int depth = 0; depth < 8 && word[0]; depth++) {
        const uint32_t bytes =
            gt_element_from_name(&element, word) ? element.bytes : gt_trace_opaque(word);
        if (bytes) {
            return bytes;
        }
        gt_token name = gt_token_of(word);
        const gt_macro *macro = gt_program_macro_of(p, &name);
        const gt_span type = macro ? macro->value : alias_of(p, word);
        if (type.first == type.end) {
            return 0;
        }
        gt_program_words(word, p, type);
    }
    return 0;
}

int64_t gt_trace_type(char words[GT_NAME_MAX], const gt_program *p, gt_closure of)
{
    enum { HOPS = 6 };
    gt_found found;
    char type[GT_NAME_MAX];
    int64_t bytes;
    int hop = 0;
    gt_program_words(words, p, of.span);
    do {
        gt_program_words(type, p, of.span);
        bytes = gt_trace_bytes(p, type);
    } while (bytes <= 0 && ++hop < HOPS && gt_program_follow(&found, p, &of));
    if (bytes > 0) {
        memcpy(words, type, sizeof type);
    }
    return bytes;
}

/* ---- sizeof --------------------------------------------------------------------------------- */

/* sizeof(NAME) of an array, and sizeof(*NAME), sizeof(**NAME) or sizeof(NAME[0]) of one or of a
 * pointer; false: it is none. */
static bool expand_array_size(gt_tracer *t, gt_span span, const gt_site *site)
{
    const gt_program *p = t->program;
    const size_t first = span.first;
    while (gt_program_accept(p, &span, "*")) {
    }
    const size_t name = span.first;
    const bool is_element = name > first || gt_program_is(p, name + 1, "[");
    char words[GT_NAME_MAX];
    gt_span rest = {2, name < span.end ? p->code : 0};
    for (size_t i; gt_program_next(p, &rest, gt_token_at(p, name), &i);) {
        bool is_pointer = gt_program_is(p, i - 1, "*") && is_element;
        if (!is_pointer && !gt_program_is(p, i + 1, "[")) {
            continue;
        }
        int64_t bytes = gt_trace_type(words, p, (gt_closure){gt_program_type(p, i), *site});
        if (bytes <= 0) {
            continue;
        }
        gt_text_printf(&t->text, "(%lld", (long long)bytes);
        for (size_t open = i + 1; !is_element && gt_program_is(p, open, "[");
             open = gt_program_close(p, open) + 1) {
            gt_span extent = {open + 1, gt_program_close(p, open)};
            gt_span item, items = {extent.end + 3, 0};
            int64_t count = 0;
            gt_text_append(&t->text, " * (");
            if (extent.first < extent.end) {
                expand(t, extent, &(gt_site){i, gt_program_function_at(p, i), NULL});
            } else if (gt_program_is(p, extent.end + 2, "{")) { /* as many as are given */
                items.end = gt_program_close(p, extent.end + 2);
                while (gt_program_item(p, &item, &items)) {
                    count++;
                }
                gt_text_printf(&t->text, "%lld", (long long)count);
            }
            gt_text_append(&t->text, ")");
        }
        gt_text_append(&t->text, ")");
        return true;
    }
    return false;
}

/* sizeof(TYPE); what is no number type has a leaf. */
static void expand_sizeof(gt_tracer *t, gt_span span, const gt_site *site)
{
    char words[GT_NAME_MAX], name[2 * GT_NAME_MAX];
    if (!gt_is_type(GT_NAME(t->program, span.first)) && expand_array_size(t, span, site)) {
        return;
    }
    for (size_t i = span.first; i < span.end; i++) {
        t->failed |= gt_program_is(t->program, i, "*");
    }
    int64_t bytes = gt_trace_type(words, t->program, (gt_closure){span, *site});
    if (bytes > 0) {
        gt_text_printf(&t->text, "%lld", (long long)bytes);
        return;
    }
    (void)gt_snprintf(name, sizeof name, "sizeof_%s", words);
    int leaf = gt_trace_slot(t, name);
    emit_leaf(t, leaf >= 0 ? (size_t)leaf : gt_trace_add(t, name, 0, NULL));
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* ceil(a / b): what is around the one quotient. */
static void expand_ceil(gt_tracer *t, gt_span span, const gt_site *site)
{
    span = gt_program_strip(t->program, span);
    for (size_t i = span.first; i < span.end; i++) {
        if (gt_program_is(t->program, i, "(")) {
            i = gt_program_close(t->program, i);
        } else if (gt_program_is(t->program, i, "/")) {
            gt_text_append(&t->text, "ceil_div(");
            expand(t, (gt_span){span.first, i}, site);
            gt_text_append(&t->text, ", ");
            expand(t, (gt_span){i + 1, span.end}, site);
            gt_text_append(&t->text, ")");
            return;
        }
    }
    expand(t, span, site);
}

/* A function that does nothing but return a value, and a macro, in the call's place. */
static bool expand_body(gt_tracer *t, size_t at, gt_span arguments, const gt_site *site)
{
    const gt_program *p = t->program;
    const gt_macro *macro = gt_program_macro_of(p, gt_token_at(t->program, at));
    const gt_program_function *function = gt_program_function_of(p, gt_token_at(t->program, at));
    gt_bound bound = {.arguments = arguments, .caller = *site};
    gt_site inner = *site;
    gt_span value;
    if (macro && macro->takes_arguments) {
        bound.parameters = macro->parameters;
        value = macro->value;
    } else if (function && gt_program_is(p, function->body.first, "return")) {
        bound.parameters = function->parameters;
        value = gt_program_statement(p, function->body.first + 1);
        inner = (gt_site){function->body.first, NULL, NULL};
    } else {
        return false;
    }
    inner.bound = &bound;
    gt_text_append(&t->text, "(");
    expand(t, value, &inner);
    gt_text_append(&t->text, ")");
    return true;
}

/* With the name of what is called at `at`; back: the token behind the call. */
static size_t expand_call(gt_tracer *t, size_t at, size_t open, const gt_site *site)
{
    size_t close = gt_program_close(t->program, open);
    gt_span inside = {open + 1, close}, item;
    const char *name = GT_NAME(t->program, at);
    if (strcmp(name, "sizeof") == 0) {
        expand_sizeof(t, inside, site);
    } else if (gt_program_is(t->program, at, "ceil ceilf")) {
        expand_ceil(t, inside, site);
    } else if (gt_program_is(t->program, at, "min max")) {
        gt_text_printf(&t->text, "%s(", name);
        for (bool first = true; gt_program_item(t->program, &item, &inside); first = false) {
            gt_text_append(&t->text, first ? "" : ", ");
            expand(t, item, site);
        }
        gt_text_append(&t->text, ")");
    } else if (gt_program_is(t->program, at, "floor floorf abs") || gt_is_type(name)) {
        gt_text_append(&t->text, "(");
        expand(t, inside, site);
        gt_text_append(&t->text, ")");
    } else if (!expand_body(t, at, inside, site)) {
        t->failed = true;
    }
    return close + 1;
}

/* ---- tokens ---------------------------------------------------------------------------------- */

static void expand_number(gt_tracer *t, size_t at)
{
    char *end;
    const char *text = GT_NAME(t->program, at);
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    double value = gt_strtod(text, &end);
    if (!is_hex && (strpbrk(text, ".eE") || strchr(end, 'f'))) {
        t->failed |= floor(value) < value || fabs(value) > 1e15;
        gt_text_printf(&t->text, "%.0f", value);
        return;
    }
    for (int d = 0; d < 3 && t->in_grid; d++) {
        int64_t block = t->blocks[(t->dimension + d) % 3].literal;
        const gt_trace_leaf *leaf = &t->leaves[t->blocks[(t->dimension + d) % 3].leaf];
        bool is_own = d == 0 && block > 2 && gt_program_is(t->program, at - 1, "/ +");
        if ((block >= 16 || is_own) && (value == (double)block || value == (double)(block - 1))) {
            gt_text_printf(&t->text, value < (double)block ? "(%s - 1)" : " %s ", leaf->name);
            t->leaf_uses++;
            return;
        }
        double times = block >= 16 ? value / (double)block : 0; /* elements of a thread */
        if ((times == 2 || times == 4 || times == 8) && gt_program_is(t->program, at - 1, "/")) {
            gt_text_printf(&t->text, "(%.0f * %s)", times, leaf->name);
            t->leaf_uses++;
            return;
        }
    }
    gt_text_append(&t->text, text);
}

/* `NAME.x` of a dim3. */
static void expand_member(gt_tracer *t, size_t at, const gt_site *site)
{
    const gt_program *p = t->program;
    gt_closure value = {{at, at + 1}, *site};
    if (!gt_program_is(p, at + 2, "x y z")) {
        t->failed = true;
        return;
    }
    const int d = gt_token_at(t->program, at + 2)->text[0] - 'x';
    gt_trace_component(t, &value, d);
    const bool is_known = !gt_span_is_empty(value.span);
    if (is_known && t->blocks[d].value.first == value.span.first &&
        t->blocks[d].value.end > value.span.first) {
        emit_leaf(t, t->blocks[d].leaf);
        return;
    }
    const bool outside = t->without_axes; /* another's size in blocks is a number */
    t->without_axes |= gt_program_first(p, value.span, "/") == value.span.end;
    gt_text_append(&t->text, is_known ? "(" : "(1");
    expand(t, value.span, &value.site);
    gt_text_append(&t->text, ")");
    t->without_axes = outside;
}

/* The leaf of a property of the device, by its name in cudaDeviceProp; false: it is none. */
static bool emit_property(gt_tracer *t, const char *name)
{
    const size_t i = property_of(name);
    if (i == PROPERTIES) {
        return false;
    }
    const int slot = gt_trace_slot(t, properties[i].own);
    const size_t leaf = slot >= 0 ? (size_t)slot : gt_trace_add(t, "", 0, NULL);
    gt_trace_leaf *own = &t->leaves[leaf];
    own->is_property = own->has_value = true;
    own->value = properties[i].value;
    (void)gt_snprintf(own->name, sizeof own->name, "%s", properties[i].own);
    emit_leaf(t, leaf);
    return true;
}

/* A part of a struct or an array of the host's: its value, or a leaf. */
static void expand_part(gt_tracer *t, const gt_closure *value)
{
    const gt_program *p = t->program;
    const gt_span part = value->span;
    gt_found found;
    size_t name = part.end - 1;
    while (name > part.first && gt_token_at(t->program, name)->kind != GT_TOKEN_NAME) {
        name--;
    }
    if (gt_trace_part(&found, p, value)) {
        if (!emit_alias(t, found.identity)) {
            expand_found(t, &found, name);
        }
        return;
    }
    const int same = gt_trace_origin(t, part);
    const char *text = GT_NAME(p, name);
    if (same >= 0) {
        emit_leaf(t, (size_t)same);
    } else if (gt_program_is(p, part.end - 1, ")")) {
        t->failed = true; /* what a method computes */
    } else if (!emit_property(t, text)) {
        const size_t leaf = gt_trace_add(t, text, part.first, NULL);
        t->leaves[leaf].origin = part;
        emit_leaf(t, leaf);
    }
}

/* Back: the token behind what was read. */
static size_t expand_name(gt_tracer *t, size_t at, size_t end, const gt_site *site)
{
    const gt_program *p = t->program;
    gt_found found;
    if (gt_program_is(p, at + 1, "::")) {
        return at + 2; /* std:: */
    }
    if (gt_program_is(p, at, "true false")) {
        gt_text_append(&t->text, gt_program_is(p, at, "true") ? "1" : "0");
        return at + 1;
    }
    size_t open = at + 1;
    if (gt_program_is(p, open, "<") && gt_program_is(p, at, "min max")) {
        while (open < end && !gt_program_is(p, open, "(")) {
            open++;
        }
    }
    if (gt_program_is(p, open, "(")) {
        return expand_call(t, at, open, site);
    }
    if (gt_program_is(p, at + 1, ". [ ->")) {
        const size_t behind = part_end(p, at);
        t->failed |= behind == at + 1 || behind > end || gt_program_is(p, behind, "( [");
        if (behind == at + 3 && gt_program_is(p, at + 2, "x y z")) {
            expand_member(t, at, site);
        } else if (!t->failed) {
            expand_part(t, &(gt_closure){{at, behind}, *site});
        }
        return t->failed ? end : behind;
    }
    if (!gt_program_find(&found, p, site, at)) {
        t->failed = true;
    } else if (!emit_alias(t, found.identity)) {
        expand_found(t, &found, at);
    }
    return at + 1;
}

static void expand(gt_tracer *t, gt_span span, const gt_site *site)
{
    const gt_program *p = t->program;
    static const char signs[] = "+ - * / % ( ) << >> < > ? : & <= >= == != && || ! |";
    t->depth++;
    for (size_t at = span.first; at < span.end && !t->failed;) {
        t->failed |= ++t->steps > STEPS_MAX || t->text.length > TEXT_MAX || t->depth > DEPTH_MAX;
        const gt_token *token = gt_token_at(t->program, at);
        size_t cast = gt_program_cast(p, (gt_span){at, span.end});
        if (cast > 0) {
            at += cast;
            continue;
        }
        if (token->kind == GT_TOKEN_NUMBER) {
            expand_number(t, at++);
            continue;
        }
        if (token->kind == GT_TOKEN_NAME) {
            at = expand_name(t, at, span.end, site);
            continue;
        }
        t->failed |= !gt_token_is_any(token, signs);
        gt_text_append_bytes(&t->text, token->text, token->length);
        at++;
    }
    t->depth--;
}

/* ---- chains ---------------------------------------------------------------------------------- */

size_t gt_trace_chain(size_t identities[GT_TRACE_CHAIN], const gt_tracer *t, gt_closure *value)
{
    size_t count = 0;
    gt_found found;
    for (bool goes_on = true; goes_on && count < GT_TRACE_CHAIN;) {
        goes_on = gt_program_follow(&found, t->program, value);
        if (!found.identity && value->span.end > value->span.first + 1 &&
            part_end(t->program, value->span.first) == value->span.end &&
            gt_trace_part(&found, t->program, value)) {
            *value = found.value;
            goes_on = true;
        }
        identities[count] = found.identity;
        count += found.identity > 0;
    }
    return count;
}

/* `NAME.x = value` in front of the place where the name is read. */
static bool find_member(const gt_program *p, gt_closure *of, int dimension)
{
    const char member[] = {(char)('x' + dimension), '\0'};
    const gt_program_function *function = of->site.function;
    for (size_t i = of->site.at; i > 3 && function && i > function->body.first; i--) {
        const gt_span value = gt_program_statement(p, i + 1);
        if (gt_program_is(p, i, "=") && gt_program_is(p, i - 1, member) &&
            gt_program_is(p, i - 2, ".") && gt_program_same(p, i - 3, of->span.first) &&
            gt_program_is_plain(p, value)) {
            of->span = value;
            of->site.at = i;
            return true;
        }
    }
    return false;
}

void gt_trace_component(const gt_tracer *t, gt_closure *value, int dimension)
{
    const gt_program *p = t->program;
    const gt_closure own = *value;
    gt_span *span = &value->span;
    for (int depth = 0; depth < DEPTH_MAX; depth++) {
        gt_found found = {0};
        gt_span items, more;
        *span = gt_program_strip(p, *span);
        const size_t open = span->first + gt_program_is(p, span->first, "dim3");
        bool is_list = gt_program_is(p, open, open > span->first ? "( {" : "{");
        items = (gt_span){open + 1, is_list ? gt_program_close(p, open) : 0};
        if (gt_program_is_name(p, *span) && find_member(p, value, dimension)) {
            return;
        }
        if (!is_list && !gt_program_follow(&found, p, value)) {
            break;
        }
        if (found.is_constructed) {
            items = found.value.span;
            is_list =
                gt_program_is(p, items.first - 3, "dim3") || gt_program_item_at(p, &more, items, 1);
        }
        if (is_list) {
            *span = gt_program_item_at(p, &more, items, (size_t)dimension) ? more : (gt_span){0, 0};
            return;
        }
        more = gt_program_strip(p, *span);
        if (!gt_program_is_name(p, more) && !gt_program_is(p, more.first, "dim3 {")) {
            break;
        }
    }
    *value = own;
    *span = dimension > 0 ? (gt_span){0, 0} : own.span; /* of a number */
}

/* ---- expressions ----------------------------------------------------------------------------- */

gt_expression *gt_trace(gt_tracer *t, const char *prefix, const gt_closure *value,
                        const char *suffix)
{
    t->failed = false;
    t->steps = t->depth = 0;
    gt_text_free(&t->text);
    gt_text_append(&t->text, prefix);
    expand(t, value->span, &value->site);
    gt_text_append(&t->text, suffix);
    return t->failed || t->text.failed ? NULL : gt_trace_read(t, gt_text_string(&t->text));
}
