/* Reads C expressions of indices and bounds as sums, and finds their largest values by the
 * comparisons in front of them. */
#include "draft/trace.h"
#include "kernel/types.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

int gt_draft_find_symbol(const gt_draft *draft, const char *name)
{
    size_t i = draft->symbols.count;
    while (i > 0 && strcmp(draft->symbols.items[i - 1].name, name) != 0) {
        i--;
    }
    return (int)i - 1;
}

bool gt_draft_is_taken(const gt_draft *draft, const char *name)
{
    return gt_draft_find_symbol(draft, name) >= 0 || gt_draft_argument_of(draft, name);
}

gt_draft_argument *gt_draft_argument_of(const gt_draft *draft, const char *name)
{
    const int i = GT_NAMED(draft->arguments, draft->argument_count, name);
    return i < 0 ? NULL : (gt_draft_argument *)&draft->arguments[i];
}

gt_draft_argument *gt_draft_next_buffer(const gt_draft *draft, const gt_draft_argument *before)
{
    const gt_draft_argument *end = draft->arguments + draft->argument_count;
    const gt_draft_argument *next = before ? before + 1 : draft->arguments;
    while (next < end && !next->declared.pointer) {
        next++;
    }
    return next < end ? (gt_draft_argument *)next : NULL;
}

int gt_draft_add_symbol(gt_draft *draft, const char *name, gt_draft_kind kind)
{
    gt_draft_symbol added = {.kind = kind};
    if (strlen(name) >= sizeof added.name || draft->symbols.count == GT_DRAFT_SYMBOLS_MAX) {
        return 0;
    }
    memcpy(added.name, name, strlen(name) + 1);
    if (gt_array_push(&draft->symbols, added) != GPUTUNE_OK) {
        draft->failed = true;
        return 0;
    }
    return (int)draft->symbols.count - 1;
}

/* That of a new symbol; not known: there is no room. */
static gt_sum add_symbol(gt_draft *draft, const char *name, gt_draft_kind kind)
{
    const int symbol = gt_draft_add_symbol(draft, name, kind);
    return symbol ? gt_sum_symbol(symbol) : (gt_sum){0};
}

gt_sum gt_draft_constant_sum(gt_draft *draft, const char *name)
{
    const int symbol = gt_draft_find_symbol(draft, name);
    return symbol > 0 ? gt_sum_symbol(symbol) : add_symbol(draft, name, GT_DRAFT_CONSTANT);
}

size_t gt_draft_operand(const gt_draft *draft, size_t at)
{
    return gt_program_is(draft->program, at - 1, ".") ? at - 2 : at;
}

gt_draft_argument *gt_draft_find_buffer(const gt_draft *draft, size_t at,
                                        const gt_draft_alias **alias)
{
    char name[2 * GT_NAME_MAX];
    const size_t first = gt_draft_operand(draft, at);
    const bool is_part = first < at;
    (void)gt_snprintf(name, sizeof name, "%s%s%s", is_part ? GT_NAME(draft->program, first) : "",
                      is_part ? "." : "", GT_NAME(draft->program, at));
    for (size_t i = draft->aliases.count; i > 0; i--) {
        *alias = &draft->aliases.items[i - 1];
        if (strcmp(name, (*alias)->name) == 0) {
            return (*alias)->buffer;
        }
    }
    *alias = NULL;
    gt_draft_argument *found = gt_draft_argument_of(draft, name);
    return found && found->declared.pointer ? found : NULL;
}

/* ---- operands -------------------------------------------------------------------------------- */

static bool is(const gt_draft *draft, const gt_span *span, const char *words)
{
    return span->first < span->end && gt_program_is(draft->program, span->first, words);
}

static bool accept(const gt_draft *draft, gt_span *span, const char *words)
{
    return gt_program_accept(draft->program, span, words);
}

void gt_draft_skip_brackets(const gt_draft *draft, gt_span *span)
{
    const size_t behind = gt_program_close(draft->program, span->first) + 1;
    span->first = behind < span->end ? behind : span->end;
}

/* A value that is only known to be below a bound: what % and & leave. */
static gt_sum below(gt_draft *draft, gt_sum bound)
{
    gt_draft_guard guard = {.bound = bound};
    if (bound.known) {
        guard.left = add_symbol(draft, "", GT_DRAFT_LOCAL);
        draft->failed |= guard.left.known && gt_array_push(&draft->guards, guard) != GPUTUNE_OK;
    }
    return guard.left;
}

static gt_sum read_number(const char *digits)
{
    char *end;
    const unsigned long long value = strtoull(digits, &end, 0);
    bool is_integer = end > digits && strspn(end, "uUlLzZ") == strlen(end);
    return is_integer ? gt_sum_number((double)value) : (gt_sum){0};
}

static bool is_type(const gt_draft *draft, const char *name)
{
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    return gt_is_type(name) || (constant && constant->is_type);
}

static gt_sum read_operand(gt_draft *draft, gt_span *span);

/* An expression in brackets, or a cast and what it is of. */
static gt_sum read_parentheses(gt_draft *draft, gt_span *span)
{
    char words[GT_NAME_MAX];
    gt_span inside = {span->first + 1, gt_program_close(draft->program, span->first)};
    gt_draft_skip_brackets(draft, span);
    if (is_type(draft, gt_program_words(words, draft->program, inside))) {
        return read_operand(draft, span);
    }
    gt_sum sum = gt_draft_read_sum(draft, &inside);
    return inside.first == inside.end ? sum : (gt_sum){0};
}

/* NAME(a, b), with the name in front of the span: those functions whose result is known. */
static gt_sum read_call(gt_draft *draft, gt_span *span, const char *name)
{
    const size_t at = span->first - 1;
    gt_span inside = {span->first + 1, gt_program_close(draft->program, span->first)}, item;
    gt_sum arguments[2] = {{0}, {0}};
    const gt_macro *macro = gt_program_macro_of(draft->program, gt_token_at(draft->program, at));
    char words[GT_NAME_MAX];
    bool whole = true;
    size_t count = 0;
    gt_draft_skip_brackets(draft, span);
    if (macro && macro->takes_arguments) {
        gt_span value = macro->value;
        const gt_sum sum = gt_draft_read_macro_sum(draft, &value, macro, inside);
        return value.first == value.end ? sum : (gt_sum){0};
    }
    if (gt_program_is(draft->program, at, "sizeof")) {
        gt_program_words(words, draft->program, inside);
        const int64_t bytes = gt_trace_bytes(draft->program, words);
        return bytes > 0 ? gt_sum_number((double)bytes) : (gt_sum){0};
    }
    while (gt_program_item(draft->program, &item, &inside)) {
        const gt_sum argument = gt_draft_read_sum(draft, &item);
        arguments[count < 2 ? count : 1] = argument;
        whole &= item.first == item.end;
        count++;
    }
    if (whole && count == 1 && (is_type(draft, name) || strcmp(name, "__ldg") == 0)) {
        return arguments[0];
    }
    if (whole && count == 2 && gt_program_is(draft->program, at, "__mul24 __umul24")) {
        return gt_sum_multiply(arguments[0], arguments[1]);
    }
    if (whole && count == 2 && gt_program_is(draft->program, at, "min umin")) {
        return arguments[0].known ? arguments[0] : arguments[1];
    }
    return (gt_sum){0};
}

/* What an element of a buffer of integers holds. */
static gt_sum read_loaded(gt_draft *draft, gt_span *span, gt_draft_argument *buffer)
{
    gt_draft_skip_brackets(draft, span);
    if (is(draft, span, ". [")) {
        return (gt_sum){0};
    }
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i];
        if (symbol->kind == GT_DRAFT_LOADED && symbol->buffer == buffer) {
            return gt_sum_symbol(i);
        }
    }
    const gt_sum loaded = add_symbol(draft, "", GT_DRAFT_LOADED);
    if (loaded.known) {
        draft->symbols.items[draft->symbols.count - 1].buffer = buffer;
    }
    return loaded;
}

static gt_sum read_symbol(gt_draft *draft, const char *name)
{
    int found = gt_draft_find_symbol(draft, name);
    const gt_draft_constant *constant = found < 0 ? gt_draft_constant_of(draft, name) : NULL;
    if (constant && constant->is_enumerator) {
        return constant->has_value ? gt_sum_number(constant->value) : (gt_sum){0};
    }
    if (found >= 0) {
        return found > 0 ? gt_sum_symbol(found) : (gt_sum){0};
    }
    const gt_token token = gt_token_of(name);
    bool is_local = !constant && gt_program_is_told(draft->program, &token);
    return add_symbol(draft, name, is_local ? GT_DRAFT_LOCAL : GT_DRAFT_CONSTANT);
}

/* With the span behind the name: a member of a struct that the kernel takes by value ("p.n"), or
 * of something else. */
static gt_sum read_member(gt_draft *draft, gt_span *span, const char *name)
{
    const int base = gt_draft_find_symbol(draft, name);
    char path[2 * GT_NAME_MAX];
    const bool is_plain = accept(draft, span, ".");
    span->first += !is_plain;
    const char *member = GT_NAME(draft->program, span->first);
    (void)gt_snprintf(path, sizeof path, "%s.%s", name, member);
    gt_draft_argument *argument = gt_draft_argument_of(draft, path);
    span->first++;
    if (argument && argument->declared.pointer) {
        return is(draft, span, "[") ? read_loaded(draft, span, argument) : (gt_sum){0};
    }
    const int found = gt_draft_find_symbol(draft, path); /* or a builtin's */
    if (is_plain && found >= 0) {
        return gt_sum_symbol(found);
    }
    if (!is_plain || base < 0 || draft->symbols.items[base].kind != GT_DRAFT_PARAMETER) {
        return (gt_sum){0};
    }
    const gt_sum added = add_symbol(draft, path, GT_DRAFT_PARAMETER);
    draft->symbols.items[draft->symbols.count - 1].is_integer |= added.known;
    return added;
}

/* What a macro's call gives to its parameter at that token; false: it is none. */
static bool read_bound(gt_sum *out, gt_draft *draft, size_t at)
{
    const gt_bound *bound = draft->bound;
    size_t index;
    gt_span item;
    bool is = bound &&
              gt_program_parameter(draft->program, bound->parameters,
                                   gt_token_at(draft->program, at), &index) &&
              gt_program_item_at(draft->program, &item, bound->arguments, index);
    if (is) {
        draft->bound = bound->caller.bound;
        *out = gt_draft_read_sum(draft, &item);
        *out = item.first == item.end ? *out : (gt_sum){0};
        draft->bound = bound;
    }
    return is;
}

static gt_sum read_name(gt_draft *draft, gt_span *span)
{
    char name[GT_NAME_MAX];
    const gt_draft_alias *alias;
    const size_t at = span->first++;
    gt_sum given;
    gt_token_name(name, gt_token_at(draft->program, at));
    if (read_bound(&given, draft, at)) {
        return given;
    }
    if (gt_program_is(draft->program, at, "threadIdx blockIdx blockDim gridDim") &&
        !is(draft, span, ".")) {
        return (gt_sum){0};
    }
    if (strcmp(name, "warpSize") == 0) {
        return gt_sum_number(32);
    }
    if (is(draft, span, "(")) {
        return read_call(draft, span, name);
    }
    gt_draft_argument *buffer = gt_draft_find_buffer(draft, at, &alias);
    if (is(draft, span, "[")) {
        if (buffer) {
            return read_loaded(draft, span, buffer);
        }
        gt_draft_skip_brackets(draft, span);
        return (gt_sum){0};
    }
    if (is(draft, span, ". ->")) {
        return read_member(draft, span, name);
    }
    if (accept(draft, span, "::")) {
        return (gt_sum){0}; /* the name behind it comes next */
    }
    return buffer || !name[0] ? (gt_sum){0} : read_symbol(draft, name);
}

static gt_sum read_primary(gt_draft *draft, gt_span *span)
{
    const gt_token *token = gt_token_at(draft->program, span->first);
    gt_sum named = {0};
    if (is(draft, span, "(")) {
        return read_parentheses(draft, span);
    }
    if (span->first < span->end && token->kind == GT_TOKEN_NUMBER) {
        return read_number(GT_NAME(draft->program, span->first++));
    }
    const size_t cast = gt_program_cast(draft->program, *span);
    if (cast > 0) {
        span->first += cast;
        return read_parentheses(draft, span);
    }
    while (span->first < span->end && token->kind == GT_TOKEN_NAME) {
        named = read_name(draft, span);
        const bool is_scope = gt_program_is(draft->program, span->first - 1, "::");
        token = gt_token_at(draft->program, is_scope ? span->first : span->end - 1);
        if (!is_scope) {
            break;
        }
    }
    return named;
}

/* A primary with what stands before and behind it. */
static gt_sum read_plain_operand(gt_draft *draft, gt_span *span)
{
    if (accept(draft, span, "-")) {
        return gt_sum_add(gt_sum_number(0), read_operand(draft, span), -1);
    }
    if (accept(draft, span, "+")) {
        return read_operand(draft, span);
    }
    bool changes = false;
    while (accept(draft, span, "! ~ * & ++ --")) {
        changes = true;
    }
    gt_sum operand = read_primary(draft, span);
    while (is(draft, span, "++ -- . -> [")) {
        changes = true;
        if (is(draft, span, "[")) {
            gt_draft_skip_brackets(draft, span);
        } else {
            span->first += is(draft, span, ". ->") ? 2 : 1;
        }
    }
    return changes ? (gt_sum){0} : operand;
}

static gt_sum read_operand(gt_draft *draft, gt_span *span)
{
    enum { DEPTH_MAX = 64 };
    gt_sum out = {0};
    if (draft->depth < DEPTH_MAX) {
        draft->depth++;
        out = read_plain_operand(draft, span);
        draft->depth--;
    }
    return out;
}

static gt_sum operate(gt_draft *draft, gt_operation operation, gt_sum a, gt_sum b)
{
    bool left = operation == GT_DO_SHIFT_LEFT, right = operation == GT_DO_SHIFT_RIGHT;
    double bits;
    if (left || right) {
        bool known = gt_sum_is_number(&b, &bits) && bits >= 0 && bits <= 32;
        b = known ? gt_sum_number((double)(UINT64_C(1) << (int)bits)) : (gt_sum){0};
    }
    if (left || operation == GT_DO_MULTIPLY) {
        return gt_sum_multiply(a, b);
    }
    if (right || operation == GT_DO_DIVIDE) {
        return gt_sum_divide(a, b);
    }
    int loaded;
    const gt_sum plain = gt_draft_expand(draft, b, false);
    if (operation == GT_DO_SUBTRACT && gt_sum_equal(&a, &plain) && gt_sum_is_symbol(&a, &loaded) &&
        draft->symbols.items[loaded].kind == GT_DRAFT_LOADED) { /* p[i + 1] - p[i]: it rises */
        draft->symbols.items[loaded].buffer->is_prefix = true;
        return a;
    }
    if (operation == GT_DO_ADD || operation == GT_DO_SUBTRACT) {
        return gt_sum_add(a, b, operation == GT_DO_ADD ? 1 : -1);
    }
    return below(draft, operation == GT_DO_BIT_AND ? gt_sum_plus(b, 1) : b);
}

/* Operands between operators of that precedence or a tighter one, up to a comparison. */
static gt_sum read_infixes(gt_draft *draft, gt_span *span, int least)
{
    gt_sum out = read_operand(draft, span);
    const gt_infix *infix;
    while (span->first < span->end &&
           (infix = gt_infix_at(gt_token_at(draft->program, span->first))) &&
           infix->precedence >= least &&
           (infix->operation < GT_DO_LESS || infix->operation == GT_DO_BIT_AND)) {
        span->first++;
        const gt_sum right = read_infixes(draft, span, infix->precedence + 1);
        out = operate(draft, infix->operation, out, right);
    }
    return out;
}

gt_sum gt_draft_read_sum(gt_draft *draft, gt_span *span)
{
    return read_infixes(draft, span, gt_infix_of(GT_DO_BIT_AND)->precedence);
}

gt_sum gt_draft_read_macro_sum(gt_draft *draft, gt_span *span, const gt_macro *macro,
                               gt_span arguments)
{
    const gt_bound own = {macro->parameters, arguments, {.bound = draft->bound}};
    draft->bound = &own;
    const gt_sum sum = gt_draft_read_sum(draft, span);
    draft->bound = own.caller.bound;
    return sum;
}

/* ---- the largest value ----------------------------------------------------------------------- */

const gt_draft_symbol *gt_draft_symbol_at(const gt_draft *draft, int symbol)
{
    return &draft->symbols.items[symbol];
}

int gt_draft_first_of(const gt_draft *draft, const gt_sum *sum, int kinds)
{
    gt_powers at = {0};
    const gt_power *power;
    while ((power = gt_sum_next(sum, &at)) &&
           !(gt_draft_symbol_at(draft, power->symbol)->kind & kinds)) {
    }
    return power ? power->symbol : -1;
}

bool gt_draft_has(const gt_draft *draft, const gt_sum *sum, int kinds)
{
    return gt_draft_first_of(draft, sum, kinds) >= 0;
}

/* A local that its definition can stand for; -1: none. */
static int expandable(const gt_draft *draft, const gt_sum *sum, bool loops)
{
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_sum_next(sum, &at));) {
        const gt_draft_symbol *symbol = gt_draft_symbol_at(draft, power->symbol);
        if (symbol->kind == GT_DRAFT_LOCAL && symbol->definition.known &&
            (loops || !symbol->is_stepped)) {
            return power->symbol;
        }
    }
    return -1;
}

enum { ROUNDS = 64 };

gt_sum gt_draft_expand(const gt_draft *draft, gt_sum sum, bool loops)
{
    int symbol = -1;
    for (int i = 0; i < ROUNDS && sum.known && (symbol = expandable(draft, &sum, loops)) >= 0;
         i++) {
        sum = gt_sum_replace(sum, symbol, gt_draft_symbol_at(draft, symbol)->definition);
    }
    return sum.known && expandable(draft, &sum, loops) < 0 ? sum : (gt_sum){0};
}

/* Nothing here is negative: what is taken away is 0 at least. */
static void drop_subtracted(const gt_draft *draft, gt_sum *sum)
{
    for (uint32_t i = sum->count; i > 0; i--) {
        const gt_sum term = gt_sum_term(sum, i - 1);
        if (term.terms[0].coefficient < 0 &&
            gt_draft_has(draft, &term, GT_DRAFT_VARYING | GT_DRAFT_LOADED)) {
            sum->terms[i - 1] = sum->terms[--sum->count];
        }
    }
}

const gt_draft_symbol *gt_draft_loop(const gt_draft *draft, const gt_sum *sum)
{
    int symbol;
    bool is = gt_sum_is_symbol(sum, &symbol) && gt_draft_symbol_at(draft, symbol)->is_stepped;
    return is ? gt_draft_symbol_at(draft, symbol) : NULL;
}

/* How far the largest value is from the bound: a loop that begins at 0 stops a step before it. */
static gt_sum distance(const gt_draft *draft, const gt_sum *left)
{
    const gt_draft_symbol *loop = gt_draft_loop(draft, left);
    double first;
    return loop && loop->step.known && gt_sum_is_number(&loop->definition, &first) && first <= 0
               ? loop->step
               : gt_sum_number(1);
}

/* Puts the guard's bound in the place of its left side, if the sum has that as a part. */
static bool apply_guard(gt_sum *sum, const gt_sum *left, gt_sum bound, gt_sum less)
{
    for (uint32_t i = 0; i < sum->count && left->count > 0; i++) {
        const gt_sum times = gt_sum_divide(gt_sum_term(sum, i), gt_sum_term(left, 0));
        const gt_sum rest = gt_sum_add(*sum, gt_sum_multiply(times, *left), -1);
        bool has = times.known && rest.known && rest.count + left->count == sum->count &&
                   times.terms[0].coefficient > 0;
        for (uint32_t k = 0; has && k < times.terms[0].count; k++) {
            has = times.terms[0].powers[k].exponent > 0;
        }
        if (has) {
            const gt_sum most = gt_sum_multiply(times, gt_sum_add(bound, less, -1));
            *sum = gt_sum_add(rest, most, 1);
            return true;
        }
    }
    return false;
}

int gt_draft_rank(const gt_draft_guard *guard)
{
    double number;
    return gt_sum_is_number(&guard->bound, &number) ? 2 : guard->is_exit ? 1 : 0;
}

/* The size that the elements of a buffer are bounds of ("nnz" of row pointers). */
static gt_sum total_of(gt_draft *draft, gt_draft_argument *own)
{
    static const char *const names[] = {"nnz", "total", "count", "entries"};
    for (size_t i = 0; i < sizeof names / sizeof *names && !own->total; i++) {
        if (!gt_draft_is_taken(draft, names[i])) {
            own->total = gt_draft_add_symbol(draft, names[i], GT_DRAFT_SIZE);
        }
    }
    return own->total ? gt_sum_symbol(own->total) : (gt_sum){0};
}

/* The guard's bound, with sizes in the place of what is loaded. */
static gt_sum bound_of(gt_draft *draft, size_t guard)
{
    gt_sum bound = draft->guards.items[guard].bound;
    int symbol;
    for (int loaded; (loaded = gt_draft_first_of(draft, &bound, GT_DRAFT_LOADED)) >= 0;) {
        gt_draft_argument *buffer = gt_draft_symbol_at(draft, loaded)->buffer;
        gt_sum first = {0};
        if (gt_sum_is_symbol(&draft->guards.items[guard].left, &symbol)) {
            first = gt_draft_expand(draft, gt_draft_symbol_at(draft, symbol)->definition, false);
        }
        buffer->is_prefix |= first.known && gt_sum_has(&first, loaded);
        bound = gt_sum_replace(bound, loaded, total_of(draft, buffer));
    }
    return bound;
}

static bool apply_guards(gt_draft *draft, gt_sum *sum)
{
    bool applied = false;
    for (int rank = 0; rank < 3 && !applied; rank++) {
        for (size_t i = draft->guards.count; i > 0 && !applied; i--) {
            const size_t end = draft->guards.items[i - 1].end;
            if (gt_draft_rank(&draft->guards.items[i - 1]) != rank || (end && end <= draft->at)) {
                continue;
            }
            const gt_sum bound = bound_of(draft, i - 1), left = draft->guards.items[i - 1].left;
            const gt_sum plain = gt_draft_expand(draft, left, false);
            const gt_sum less = distance(draft, &left);
            applied = bound.known && (apply_guard(sum, &left, bound, less) ||
                                      (plain.known && apply_guard(sum, &plain, bound, less)));
        }
    }
    return applied;
}

/* threadIdx and blockIdx are below blockDim and gridDim. */
static gt_sum bound_builtins(gt_sum sum)
{
    for (int i = 0; i < (int)GT_DRAFT_BLOCK_DIM; i++) {
        const gt_sum extent = gt_sum_symbol(i + GT_DRAFT_BLOCK_DIM);
        sum = gt_sum_has(&sum, i) ? gt_sum_replace(sum, i, gt_sum_plus(extent, -1)) : sum;
    }
    return sum;
}

gt_sum gt_draft_maximum(gt_draft *draft, gt_sum sum)
{
    for (int i = 0; i < ROUNDS && sum.known; i++) {
        drop_subtracted(draft, &sum);
        if (apply_guards(draft, &sum)) {
            continue;
        }
        int symbol = expandable(draft, &sum, false);
        if (symbol < 0) {
            const bool is_open = gt_draft_has(draft, &sum, GT_DRAFT_LOCAL | GT_DRAFT_LOADED);
            return is_open ? (gt_sum){0} : bound_builtins(sum);
        }
        sum = gt_sum_replace(sum, symbol, gt_draft_symbol_at(draft, symbol)->definition);
    }
    return (gt_sum){0};
}
