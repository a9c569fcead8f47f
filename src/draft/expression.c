/* Reads C expressions of indices and bounds as polynomials, and finds their largest values by the
 * comparisons in front of them. */
#include "draft/parts.h"
#include "draft/trace.h"
#include "kernel/expression_code.h"
#include "kernel/types.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

void gt_draft_token_text(char *out, size_t bytes, const gt_token *token)
{
    size_t length = token->length < bytes ? token->length : 0;
    memcpy(out, token->text, length);
    out[length] = '\0';
}

int gt_draft_find_symbol(const gt_draft *draft, const char *name)
{
    for (size_t i = draft->symbols.count; i > 0; i--) {
        if (strcmp(draft->symbols.items[i - 1].name, name) == 0) {
            return (int)(i - 1);
        }
    }
    return -1;
}

bool gt_draft_is_taken(const gt_draft *draft, const char *name)
{
    bool taken = gt_draft_find_symbol(draft, name) >= 0;
    for (size_t i = 0; i < draft->parameter_count; i++) {
        taken |= strcmp(draft->parameters[i].name, name) == 0;
    }
    return taken;
}

uint16_t gt_draft_add_symbol(gt_draft *draft, const char *name, gt_draft_kind kind)
{
    gt_draft_symbol added = {.kind = kind, .definition = gt_polynomial_unknown()};
    if (strlen(name) >= sizeof added.name || draft->symbols.count == GT_DRAFT_SYMBOLS_MAX) {
        return 0;
    }
    memcpy(added.name, name, strlen(name) + 1);
    if (gt_array_push(&draft->symbols, added) != GPUTUNE_OK) {
        draft->failed = true;
        return 0;
    }
    return (uint16_t)(draft->symbols.count - 1);
}

int gt_draft_find_buffer(const gt_draft *draft, const gt_token *name, const gt_draft_alias **alias)
{
    *alias = NULL;
    for (size_t i = draft->aliases.count; i > 0; i--) {
        if (gt_token_is(name, draft->aliases.items[i - 1].name)) {
            *alias = &draft->aliases.items[i - 1];
            return (int)(*alias)->buffer;
        }
    }
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        if (gt_token_is(name, draft->parameters[draft->buffers[i].parameter].name)) {
            return (int)i;
        }
    }
    return -1;
}

static bool opens(const gt_token *token)
{
    return gt_token_is_any(token, "( [ {");
}

static bool closes(const gt_token *token)
{
    return gt_token_is_any(token, ") ] }");
}

void gt_draft_skip_brackets(gt_lexer *lexer)
{
    int depth = 0;
    do {
        depth += opens(&lexer->token) - closes(&lexer->token);
        gt_lexer_next(lexer);
    } while (depth > 0 && lexer->token.kind != GT_TOKEN_END);
}

/* A value that is only known to be below a bound: what % and & leave. */
static gt_polynomial below(gt_draft *draft, const gt_polynomial *bound)
{
    gt_draft_guard guard = {gt_polynomial_unknown(), *bound, false};
    uint16_t symbol = bound->known ? gt_draft_add_symbol(draft, "", GT_DRAFT_LOCAL) : 0;
    if (!symbol) {
        return gt_polynomial_unknown();
    }
    guard.left = gt_polynomial_symbol(symbol);
    draft->failed |= gt_array_push(&draft->guards, guard) != GPUTUNE_OK;
    return guard.left;
}

static gt_polynomial read_number(gt_lexer *lexer)
{
    char digits[32], *end;
    gt_draft_token_text(digits, sizeof digits, &lexer->token);
    unsigned long long value = strtoull(digits, &end, 0);
    bool is_integer = end > digits && strspn(end, "uUlLzZ") == strlen(end);
    gt_lexer_next(lexer);
    return is_integer ? gt_polynomial_number((double)value) : gt_polynomial_unknown();
}

static bool is_type(const gt_draft *draft, const char *name)
{
    gt_element element;
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    return gt_element_from_name(&element, name) || (constant && constant->is_type);
}

static gt_polynomial read_operand(gt_draft *draft, gt_lexer *lexer);

/* With the lexer on '(': an expression, or a cast and what it is of. */
static gt_polynomial read_parentheses(gt_draft *draft, gt_lexer *lexer)
{
    char words[GT_NAME_MAX];
    gt_lexer ahead = *lexer;
    gt_lexer_next(&ahead);
    bool is_cast = ahead.token.kind == GT_TOKEN_NAME &&
                   gt_words_read(words, sizeof words, &ahead, "a type") == GPUTUNE_OK &&
                   gt_lexer_is(&ahead, ")") && is_type(draft, words);
    if (is_cast) {
        gt_lexer_next(&ahead);
        *lexer = ahead;
        return read_operand(draft, lexer);
    }
    ahead = *lexer;
    gt_lexer_next(lexer);
    gt_polynomial inside = gt_draft_read_sum(draft, lexer);
    if (gt_lexer_accept(lexer, ")")) {
        return inside;
    }
    *lexer = ahead;
    gt_draft_skip_brackets(lexer);
    return gt_polynomial_unknown();
}

/* `.x` behind threadIdx and the like. */
static gt_polynomial read_builtin(uint16_t first, gt_lexer *lexer)
{
    uint16_t dimension = 3;
    if (gt_lexer_accept(lexer, ".") && lexer->token.length == 1) {
        dimension = (uint16_t)(lexer->token.text[0] - 'x');
        gt_lexer_next(lexer);
    }
    return dimension < 3 ? gt_polynomial_symbol((uint16_t)(first + dimension))
                         : gt_polynomial_unknown();
}

/* NAME(a, b): those functions whose result is known from their arguments. */
static gt_polynomial read_call(gt_draft *draft, gt_lexer *lexer, const char *name)
{
    gt_polynomial arguments[2] = {gt_polynomial_unknown(), gt_polynomial_unknown()};
    gt_lexer after = *lexer;
    size_t count = 0;
    gt_draft_skip_brackets(&after);
    do {
        gt_lexer_next(lexer);
        gt_polynomial argument = gt_draft_read_sum(draft, lexer);
        if (count < 2) {
            arguments[count] = argument;
        }
        count++;
    } while (gt_lexer_is(lexer, ","));
    bool whole = gt_lexer_is(lexer, ")");
    *lexer = after;
    if (whole && count == 1 && (is_type(draft, name) || strcmp(name, "__ldg") == 0)) {
        return arguments[0];
    }
    if (whole && count == 2 && (strcmp(name, "__mul24") == 0 || strcmp(name, "__umul24") == 0)) {
        return gt_polynomial_multiply(&arguments[0], &arguments[1]);
    }
    if (whole && count == 2 && (strcmp(name, "min") == 0 || strcmp(name, "umin") == 0)) {
        return arguments[0].known ? arguments[0] : arguments[1];
    }
    return gt_polynomial_unknown();
}

/* sizeof(TYPE), with the lexer on the bracket. */
static gt_polynomial read_size(gt_draft *draft, gt_lexer *lexer)
{
    char words[GT_NAME_MAX] = "";
    bool by_macro;
    gt_lexer inside = *lexer;
    gt_lexer_next(&inside);
    gt_draft_skip_brackets(lexer);
    bool is_words = gt_words_read(words, sizeof words, &inside, "a type") == GPUTUNE_OK &&
                    gt_lexer_is(&inside, ")");
    int64_t bytes = is_words ? gt_trace_bytes(draft->program, words, &by_macro) : 0;
    return bytes > 0 ? gt_polynomial_number((double)bytes) : gt_polynomial_unknown();
}

/* What an element of a buffer of integers holds. */
static gt_polynomial read_loaded(gt_draft *draft, gt_lexer *lexer, uint32_t buffer)
{
    gt_draft_skip_brackets(lexer);
    if (gt_lexer_is(lexer, ".") || gt_lexer_is(lexer, "[")) {
        return gt_polynomial_unknown();
    }
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i];
        if (symbol->kind == GT_DRAFT_LOADED && symbol->buffer == buffer) {
            return gt_polynomial_symbol((uint16_t)i);
        }
    }
    uint16_t symbol = gt_draft_add_symbol(draft, "", GT_DRAFT_LOADED);
    if (!symbol) {
        return gt_polynomial_unknown();
    }
    draft->symbols.items[symbol].buffer = buffer;
    return gt_polynomial_symbol(symbol);
}

static gt_polynomial read_symbol(gt_draft *draft, const char *name)
{
    int found = gt_draft_find_symbol(draft, name);
    const gt_draft_constant *constant = found < 0 ? gt_draft_constant_of(draft, name) : NULL;
    if (constant && constant->is_enumerator) {
        return constant->has_value ? gt_polynomial_number(constant->value)
                                   : gt_polynomial_unknown();
    }
    if (found < 0) {
        const gt_token token = {GT_TOKEN_NAME, name, strlen(name), 0, 0};
        bool is_local = !constant && gt_program_is_told(draft->program, &token);
        found = gt_draft_add_symbol(draft, name, is_local ? GT_DRAFT_LOCAL : GT_DRAFT_CONSTANT);
    }
    return found > 0 ? gt_polynomial_symbol((uint16_t)found) : gt_polynomial_unknown();
}

/* With the lexer behind the name: a member of a struct that the kernel takes by value ("p.n"), or
 * of something else. */
static gt_polynomial read_member(gt_draft *draft, gt_lexer *lexer, const char *name)
{
    int base = gt_draft_find_symbol(draft, name);
    char member[GT_NAME_MAX] = "";
    bool is_plain = gt_lexer_is(lexer, ".");
    gt_lexer_next(lexer);
    is_plain = is_plain && lexer->token.kind == GT_TOKEN_NAME;
    if (is_plain && strlen(name) + lexer->token.length + 2 <= sizeof member) {
        (void)gt_snprintf(member, sizeof member, "%s.%.*s", name, (int)lexer->token.length,
                          lexer->token.text);
    }
    gt_lexer_next(lexer);
    if (!member[0] || base < 0 || draft->symbols.items[base].kind != GT_DRAFT_PARAMETER) {
        return gt_polynomial_unknown();
    }
    int found = gt_draft_find_symbol(draft, member);
    if (found < 0) {
        found = gt_draft_add_symbol(draft, member, GT_DRAFT_PARAMETER);
        draft->symbols.items[found].is_integer = true;
    }
    return gt_polynomial_symbol((uint16_t)found);
}

static gt_polynomial read_name(gt_draft *draft, gt_lexer *lexer)
{
    static const struct {
        const char *name;
        uint16_t first;
    } builtins[] = {{"threadIdx", GT_DRAFT_THREAD},
                    {"blockIdx", GT_DRAFT_BLOCK_INDEX},
                    {"blockDim", GT_DRAFT_BLOCK_DIM},
                    {"gridDim", GT_DRAFT_GRID_DIM}};
    char name[GT_NAME_MAX];
    gt_token token = lexer->token;
    const gt_draft_alias *alias;
    gt_draft_token_text(name, sizeof name, &token);
    gt_lexer_next(lexer);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (strcmp(builtins[i].name, name) == 0) {
            return read_builtin(builtins[i].first, lexer);
        }
    }
    if (strcmp(name, "warpSize") == 0) {
        return gt_polynomial_number(32);
    }
    if (gt_lexer_is(lexer, "<") && strstr(name, "_cast")) {
        while (lexer->token.kind != GT_TOKEN_END && !gt_lexer_is(lexer, "(")) {
            gt_lexer_next(lexer);
        }
        return read_parentheses(draft, lexer);
    }
    if (gt_lexer_is(lexer, "(")) {
        return strcmp(name, "sizeof") == 0 ? read_size(draft, lexer)
                                           : read_call(draft, lexer, name);
    }
    int buffer = gt_draft_find_buffer(draft, &token, &alias);
    if (gt_lexer_is(lexer, "[")) {
        if (buffer >= 0) {
            return read_loaded(draft, lexer, (uint32_t)buffer);
        }
        gt_draft_skip_brackets(lexer);
        return gt_polynomial_unknown();
    }
    if (gt_lexer_is(lexer, ".") || gt_lexer_is(lexer, "->")) {
        return read_member(draft, lexer, name);
    }
    if (gt_lexer_is(lexer, "::")) {
        gt_lexer_next(lexer);
        return gt_polynomial_unknown(); /* the name behind it comes next */
    }
    return buffer >= 0 || !name[0] ? gt_polynomial_unknown() : read_symbol(draft, name);
}

static gt_polynomial read_primary(gt_draft *draft, gt_lexer *lexer)
{
    if (lexer->token.kind == GT_TOKEN_NUMBER) {
        return read_number(lexer);
    }
    if (lexer->token.kind == GT_TOKEN_NAME) {
        gt_polynomial named = read_name(draft, lexer);
        while (lexer->token.kind == GT_TOKEN_NAME && lexer->token.text[-1] == ':') {
            named = read_name(draft, lexer); /* behind a namespace */
        }
        return named;
    }
    if (gt_lexer_is(lexer, "(")) {
        return read_parentheses(draft, lexer);
    }
    return gt_polynomial_unknown();
}

/* A primary with what stands before and behind it. */
static gt_polynomial read_plain_operand(gt_draft *draft, gt_lexer *lexer)
{
    if (gt_lexer_accept(lexer, "-")) {
        gt_polynomial zero = gt_polynomial_number(0), operand = read_operand(draft, lexer);
        return gt_polynomial_add(&zero, &operand, -1);
    }
    if (gt_lexer_accept(lexer, "+")) {
        return read_operand(draft, lexer);
    }
    bool changes = false;
    while (gt_token_is_any(&lexer->token, "! ~ * & ++ --")) {
        gt_lexer_next(lexer);
        changes = true;
    }
    gt_polynomial operand = read_primary(draft, lexer);
    while (gt_token_is_any(&lexer->token, "++ -- . -> [")) {
        bool is_bracket = gt_lexer_is(lexer, "[");
        changes = true;
        if (is_bracket) {
            gt_draft_skip_brackets(lexer);
        } else {
            bool selects = gt_lexer_is(lexer, ".") || gt_lexer_is(lexer, "->");
            gt_lexer_next(lexer);
            if (selects) {
                gt_lexer_next(lexer);
            }
        }
    }
    return changes ? gt_polynomial_unknown() : operand;
}

static gt_polynomial read_operand(gt_draft *draft, gt_lexer *lexer)
{
    enum { DEPTH_MAX = 64 };
    gt_polynomial out = gt_polynomial_unknown();
    if (draft->depth < DEPTH_MAX) {
        draft->depth++;
        out = read_plain_operand(draft, lexer);
        draft->depth--;
    }
    return out;
}

static gt_polynomial operate(gt_draft *draft, gt_operation operation, const gt_polynomial *a,
                             const gt_polynomial *b)
{
    gt_polynomial by = *b, one = gt_polynomial_number(1);
    bool left = operation == GT_DO_SHIFT_LEFT, right = operation == GT_DO_SHIFT_RIGHT;
    double bits;
    if (left || right) {
        bool known = gt_polynomial_is_number(b, &bits) && bits >= 0 && bits <= 32;
        by = known ? gt_polynomial_number((double)(UINT64_C(1) << (int)bits))
                   : gt_polynomial_unknown();
    }
    if (left || operation == GT_DO_MULTIPLY) {
        return gt_polynomial_multiply(a, &by);
    }
    if (right || operation == GT_DO_DIVIDE) {
        return gt_polynomial_divide(a, &by);
    }
    if (operation == GT_DO_ADD || operation == GT_DO_SUBTRACT) {
        return gt_polynomial_add(a, b, operation == GT_DO_ADD ? 1 : -1);
    }
    by = operation == GT_DO_BIT_AND ? gt_polynomial_add(b, &one, 1) : by;
    return below(draft, &by);
}

/* Operands between operators of that precedence or a tighter one, up to a comparison. */
static gt_polynomial read_infixes(gt_draft *draft, gt_lexer *lexer, int least)
{
    gt_polynomial out = read_operand(draft, lexer);
    const gt_infix *infix;
    while ((infix = gt_infix_at(lexer)) && infix->precedence >= least &&
           (infix->operation < GT_DO_LESS || infix->operation == GT_DO_BIT_AND)) {
        gt_lexer_next(lexer);
        gt_polynomial right = read_infixes(draft, lexer, infix->precedence + 1);
        out = operate(draft, infix->operation, &out, &right);
    }
    return out;
}

gt_polynomial gt_draft_read_sum(gt_draft *draft, gt_lexer *lexer)
{
    return read_infixes(draft, lexer, gt_infix_of(GT_DO_BIT_AND)->precedence);
}

/* ---- the largest value ----------------------------------------------------------------------- */

const gt_draft_symbol *gt_draft_symbol_at(const gt_draft *draft, uint16_t symbol)
{
    return &draft->symbols.items[symbol];
}

int gt_draft_first_of(const gt_draft *draft, const gt_polynomial *p, gt_draft_kind kind)
{
    gt_powers at = {0};
    const gt_power *power;
    while ((power = gt_polynomial_next(p, &at)) &&
           gt_draft_symbol_at(draft, power->symbol)->kind != kind) {
    }
    return power ? power->symbol : -1;
}

/* A local that its definition can stand for; -1: none. */
static int expandable(const gt_draft *draft, const gt_polynomial *p, bool loops)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(p, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, power->symbol);
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known &&
            (loops || !symbol->is_stepped)) {
            return power->symbol;
        }
    }
    return -1;
}

gt_polynomial gt_draft_expand(const gt_draft *draft, gt_polynomial p, bool loops)
{
    enum { ROUNDS = 64 };
    int symbol;
    for (int i = 0; i < ROUNDS && p.known && (symbol = expandable(draft, &p, loops)) >= 0; i++) {
        p = gt_polynomial_replace(&p, (uint16_t)symbol,
                                  &gt_draft_symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return p.known && expandable(draft, &p, loops) < 0 ? p : gt_polynomial_unknown();
}

/* Whether the symbol takes many values within a launch. */
static bool is_variable(const gt_draft *draft, uint16_t symbol)
{
    gt_draft_kind kind = gt_draft_symbol_at(draft, symbol)->kind;
    return symbol < GT_DRAFT_BLOCK_DIM || kind == GT_DRAFT_LOCAL || kind == GT_DRAFT_LOADED;
}

static bool is_variable_term(const gt_draft *draft, const gt_monomial *term)
{
    for (uint32_t k = 0; k < term->count; k++) {
        if (is_variable(draft, term->powers[k].symbol)) {
            return true;
        }
    }
    return false;
}

/* Nothing here is negative: what is taken away is 0 at least. */
static void drop_subtracted(const gt_draft *draft, gt_polynomial *p)
{
    for (uint32_t i = p->count; i > 0; i--) {
        gt_monomial *term = &p->terms[i - 1];
        if (term->coefficient < 0 && is_variable_term(draft, term)) {
            *term = p->terms[--p->count];
        }
    }
}

/* How far the largest value is from the bound: a loop that begins at 0 stops a step before it. */
static gt_polynomial distance(const gt_draft *draft, const gt_polynomial *left)
{
    uint16_t symbol;
    double first;
    bool is_loop =
        gt_polynomial_is_symbol(left, &symbol) && gt_draft_symbol_at(draft, symbol)->is_stepped &&
        gt_draft_symbol_at(draft, symbol)->step.known &&
        gt_polynomial_is_number(&gt_draft_symbol_at(draft, symbol)->definition, &first) &&
        first <= 0;
    return is_loop ? gt_draft_symbol_at(draft, symbol)->step : gt_polynomial_number(1);
}

/* Puts the guard's bound in the place of its left side, if `p` has that as a part. */
static bool apply_guard(gt_polynomial *p, const gt_polynomial *left, const gt_polynomial *bound,
                        const gt_polynomial *less)
{
    const gt_polynomial first = {.known = true, .count = 1, .terms = {left->terms[0]}};
    for (uint32_t i = 0; i < p->count; i++) {
        const gt_polynomial term = {.known = true, .count = 1, .terms = {p->terms[i]}};
        gt_polynomial times = gt_polynomial_divide(&term, &first);
        gt_polynomial part = gt_polynomial_multiply(&times, left);
        gt_polynomial rest = gt_polynomial_add(p, &part, -1);
        bool has = times.known && rest.known && rest.count + left->count == p->count &&
                   times.terms[0].coefficient > 0;
        for (uint32_t k = 0; has && k < times.terms[0].count; k++) {
            has = times.terms[0].powers[k].exponent > 0;
        }
        if (has) {
            gt_polynomial most = gt_polynomial_add(bound, less, -1);
            most = gt_polynomial_multiply(&times, &most);
            *p = gt_polynomial_add(&rest, &most, 1);
            return true;
        }
    }
    return false;
}

int gt_draft_rank(const gt_draft_guard *guard)
{
    double number;
    return gt_polynomial_is_number(&guard->bound, &number) ? 2 : guard->is_exit ? 1 : 0;
}

/* The size that the elements of a buffer are bounds of ("nnz" of row pointers). */
static uint16_t total_of(gt_draft *draft, uint32_t buffer)
{
    static const char *const names[] = {"nnz", "total", "count", "entries"};
    gt_draft_buffer *own = &draft->buffers[buffer];
    for (size_t i = 0; i < sizeof names / sizeof *names && !own->total; i++) {
        if (!gt_draft_is_taken(draft, names[i])) {
            own->total = gt_draft_add_symbol(draft, names[i], GT_DRAFT_SIZE);
        }
    }
    return own->total;
}

/* Whether the loop's variable begins at an element of that buffer. */
static bool begins_with(const gt_draft *draft, const gt_polynomial *left, uint16_t loaded)
{
    uint16_t symbol;
    gt_polynomial first = gt_polynomial_is_symbol(left, &symbol)
                              ? gt_draft_symbol_at(draft, symbol)->definition
                              : gt_polynomial_unknown();
    first = gt_draft_expand(draft, first, false);
    return first.known && gt_polynomial_has(&first, loaded);
}

static bool apply_guards(gt_draft *draft, gt_polynomial *p)
{
    for (int rank = 0; rank < 3; rank++) {
        for (size_t i = draft->guards.count; i > 0; i--) {
            const gt_draft_guard *guard = &draft->guards.items[i - 1];
            gt_polynomial bound = guard->bound;
            int loaded;
            if (gt_draft_rank(guard) != rank) {
                continue;
            }
            while ((loaded = gt_draft_first_of(draft, &bound, GT_DRAFT_LOADED)) >= 0) {
                const uint32_t buffer = gt_draft_symbol_at(draft, (uint16_t)loaded)->buffer;
                uint16_t total = total_of(draft, buffer);
                draft->buffers[buffer].is_prefix |=
                    begins_with(draft, &guard->left, (uint16_t)loaded);
                gt_polynomial value = total ? gt_polynomial_symbol(total) : gt_polynomial_unknown();
                bound = gt_polynomial_replace(&bound, (uint16_t)loaded, &value);
                guard = &draft->guards.items[i - 1];
            }
            gt_polynomial plain = gt_draft_expand(draft, guard->left, false);
            gt_polynomial less = distance(draft, &guard->left);
            if (bound.known &&
                (apply_guard(p, &guard->left, &bound, &less) ||
                 (plain.known && plain.count && apply_guard(p, &plain, &bound, &less)))) {
                return true;
            }
        }
    }
    return false;
}

/* threadIdx and blockIdx are below blockDim and gridDim. */
static gt_polynomial bound_builtins(gt_polynomial p)
{
    for (uint16_t i = 0; i < (uint16_t)GT_DRAFT_BLOCK_DIM; i++) {
        gt_polynomial one = gt_polynomial_number(1);
        gt_polynomial most = gt_polynomial_symbol((uint16_t)(i + GT_DRAFT_BLOCK_DIM));
        most = gt_polynomial_add(&most, &one, -1);
        p = gt_polynomial_has(&p, i) ? gt_polynomial_replace(&p, i, &most) : p;
    }
    return p;
}

gt_polynomial gt_draft_maximum(gt_draft *draft, gt_polynomial p)
{
    enum { ROUNDS = 64 };
    for (int i = 0; i < ROUNDS && p.known; i++) {
        drop_subtracted(draft, &p);
        if (apply_guards(draft, &p)) {
            continue;
        }
        int symbol = expandable(draft, &p, false);
        if (symbol < 0) {
            bool open = gt_draft_first_of(draft, &p, GT_DRAFT_LOCAL) >= 0 ||
                        gt_draft_first_of(draft, &p, GT_DRAFT_LOADED) >= 0;
            return open ? gt_polynomial_unknown() : bound_builtins(p);
        }
        p = gt_polynomial_replace(&p, (uint16_t)symbol,
                                  &gt_draft_symbol_at(draft, (uint16_t)symbol)->definition);
    }
    return gt_polynomial_unknown();
}
