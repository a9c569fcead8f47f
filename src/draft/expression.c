/* Reads C expressions of indices and bounds as polynomials. */
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
