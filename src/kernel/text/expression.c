/* Parses expressions into code, and evaluates the code in integers or doubles. */
#include "kernel/text/expression.h"
#include "kernel/text/lexer.h"
#include "kernel/text/types.h"

#include "base/array.h"
#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CODE_MAX = 2048, NESTING_MAX = 64 };

typedef struct parser {
    gt_lexer *lexer;
    const gt_scope *scope;
    GT_ARRAY(gt_instruction) code;
    int nesting;
    bool real;
} parser;

static gputune_status parse_conditional(parser *p);

static gputune_status emit_instruction(parser *p, gt_instruction instruction)
{
    GT_REFUSE_AT(p->code.count >= CODE_MAX, gt_lexer_place(p->lexer),
                 "the expression is too long or nested too deep; expected a simpler one");
    return gt_array_push(&p->code, instruction) < 0 ? gt_fail_memory() : GPUTUNE_OK;
}

/* Emits an operation. If it has two operands, `first` is the last instruction of the first
 * operand. */
static gputune_status emit_operation(parser *p, gt_operation operation, int first)
{
    return emit_instruction(p, (gt_instruction){.operation = operation, .target = first});
}

static int last_instruction(const parser *p)
{
    return (int)p->code.count - 1;
}

/* Reads a suffix K, M, G or T in either case, as in 64K, and multiplies the value. */
static bool scale_value(int64_t *value, char **end)
{
    static const char suffixes[] = "KMGT";
    const char *suffix = **end ? strchr(suffixes, toupper((unsigned char)**end)) : NULL;
    int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
    if (*value > INT64_MAX >> shift) {
        return false;
    }
    *value <<= shift;
    *end += suffix != NULL;
    return true;
}

static bool read_literal(gt_instruction *out, const char *text)
{
    static const char suffixes[] = "u l ul lu ll ull llu U L UL LU LL ULL LLU";
    char *end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    bool floating = strchr(text, '.') || (!hex && !binary && strpbrk(text, "eE"));
    errno = 0;
    if (!floating) {
        out->integer = binary ? strtoll(text + 2, &end, 2) : strtoll(text, &end, 0);
        bool read =
            errno == 0 && end != text + (binary ? 2 : 0) && scale_value(&out->integer, &end);
        return read && (!*end || gt_is_any(end, strlen(end), suffixes));
    }
    out->operation = GT_DO_REAL;
    out->real = gt_strtod(text, &end);
    return end != text && (*end == '\0' || strcmp(end, "f") == 0 || strcmp(end, "F") == 0) &&
           out->real - out->real == 0;
}

static gputune_status parse_number(parser *p)
{
    const char *text = GT_TOKEN_TEXT(&p->lexer->token);
    gt_instruction literal = {.operation = GT_DO_LITERAL};
    GT_EXPECT(text[0] && read_literal(&literal, text), p->lexer,
              "an integer below 2^63 or a floating literal");
    p->real |= literal.operation == GT_DO_REAL;
    gt_lexer_next(p->lexer);
    return emit_instruction(p, literal);
}

static const struct {
    const char *name;
    gt_operation operation;
    int least, most;
} functions[] = {{"ceil_div", GT_DO_CEIL_DIV, 2, 2}, {"round_up", GT_DO_ROUND_UP, 2, 2},
                 {"min", GT_DO_MIN, 2, 16},          {"max", GT_DO_MAX, 2, 16},
                 {"pow", GT_DO_POW, 2, 2},           {"sqrt", GT_DO_SQRT, 1, 1},
                 {"log2", GT_DO_LOG2, 1, 1}};

enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

static gputune_status parse_call(parser *p, size_t function)
{
    int given = 0, first;
    gt_place place = gt_lexer_place(p->lexer);
    GT_TRY(gt_lexer_expect(p->lexer, "("));
    do {
        first = last_instruction(p);
        GT_TRY(parse_conditional(p));
        if (++given >= 2 || functions[function].most == 1) {
            GT_TRY(emit_operation(p, functions[function].operation, first));
        }
    } while (given < functions[function].most && gt_lexer_accept(p->lexer, ","));
    GT_REFUSE_AT(given < functions[function].least, place, "%s() with %d value%s; expected %d",
                 functions[function].name, given, gt_plural((uint64_t)given),
                 functions[function].least);
    return gt_lexer_expect(p->lexer, ")");
}

static gputune_status use_slot(parser *p, int slot)
{
    return emit_instruction(p, (gt_instruction){.operation = GT_DO_SLOT, .target = slot});
}

static gputune_status parse_sizeof(parser *p)
{
    char name[64];
    gt_element element;
    GT_TRY(gt_lexer_expect(p->lexer, "("));
    gt_place place = gt_lexer_place(p->lexer);
    GT_TRY(gt_words_read(name, sizeof name, p->lexer, "a type", true));
    GT_TRY(gt_lexer_expect(p->lexer, ")"));
    if (gt_element_from_name(&element, name)) {
        int64_t bytes = element.bytes;
        return emit_instruction(p, (gt_instruction){.operation = GT_DO_LITERAL, .integer = bytes});
    }
    int slot = p->scope->size_slot ? p->scope->size_slot(p->scope->user, name) : -1;
    GT_REFUSE_AT(slot < 0, place,
                 "unknown type '%s'; expected a type, or a name whose values are types", name);
    return use_slot(p, slot);
}

static gputune_status parse_meaning(parser *p, gt_lexer *value, const char *name, gt_place place)
{
    gt_lexer *outside = p->lexer;
    GT_REFUSE_AT(++p->nesting > NESTING_MAX, place, "'%s' is defined by itself; expected a number",
                 name);
    p->lexer = value;
    gputune_status status = parse_conditional(p);
    bool whole = value->token.kind == GT_TOKEN_END || gt_token_is_any(&value->token, "; , }");
    p->lexer = outside;
    p->nesting--;
    return status == GPUTUNE_ENOMEM ? status
           : status == GPUTUNE_OK && whole
               ? GPUTUNE_OK
               : gt_fail_at(place,
                            "the value that the code gives '%s' cannot be evaluated here; expected "
                            "a number, or an expression of names that are allowed here",
                            name);
}

static gputune_status parse_name(parser *p)
{
    char name[64], text[320];
    gt_place place = gt_lexer_place(p->lexer);
    GT_TRY(gt_name_read(name, sizeof name, p->lexer, "a name"));
    const size_t function = gt_index_of(name, functions, FUNCTION_COUNT);
    if (function < FUNCTION_COUNT && gt_lexer_is(p->lexer, "(")) {
        return parse_call(p, function);
    }
    if (strcmp(name, "sizeof") == 0) {
        return parse_sizeof(p);
    }
    int slot = p->scope->slot(p->scope->user, name);
    if (slot >= 0) {
        return use_slot(p, slot);
    }
    GT_REFUSE_AT(
        gt_lexer_is(p->lexer, "("), place,
        "unknown function '%s'; expected ceil_div, round_up, min, max, pow, sqrt, log2 or sizeof",
        name);
    gt_lexer value;
    int64_t above;
    if (p->scope->meaning && p->scope->meaning(p->scope->user, name, &value, &above)) {
        GT_TRY(parse_meaning(p, &value, name, place));
        const int first = last_instruction(p);
        if (above) {
            GT_TRY(emit_instruction(
                p, (gt_instruction){.operation = GT_DO_LITERAL, .integer = above}));
            GT_TRY(emit_operation(p, GT_DO_ADD, first));
        }
        return GPUTUNE_OK;
    }
    (void)snprintf(text, sizeof text, "unknown name '%s'; expected a number", name);
    if (p->scope->explain) {
        p->scope->explain(p->scope->user, name, text, sizeof text);
    }
    return gt_fail_at(place, "%s", text);
}

static gputune_status parse_primary(parser *p)
{
    if (p->lexer->token.kind == GT_TOKEN_NUMBER) {
        return parse_number(p);
    }
    if (p->lexer->token.kind == GT_TOKEN_NAME) {
        return parse_name(p);
    }
    if (gt_lexer_accept(p->lexer, "(")) {
        GT_TRY(parse_conditional(p));
        return gt_lexer_expect(p->lexer, ")");
    }
    return gt_fail_expected(p->lexer, "a number, a name or '('");
}

static gputune_status parse_nested(parser *p, gputune_status (*parse)(parser *))
{
    GT_REFUSE_AT(++p->nesting > NESTING_MAX, gt_lexer_place(p->lexer),
                 "the expression is nested too deep; expected at most %d levels", NESTING_MAX);
    gputune_status status = parse(p);
    p->nesting--;
    return status;
}

static gputune_status parse_unary(parser *p)
{
    static const struct {
        const char *sign;
        gt_operation operation;
    } signs[] = {{"-", GT_DO_NEGATE}, {"!", GT_DO_NOT}, {"~", GT_DO_COMPLEMENT}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (gt_lexer_accept(p->lexer, signs[i].sign)) {
            GT_TRY(parse_nested(p, parse_unary));
            return emit_operation(p, signs[i].operation, 0);
        }
    }
    if (gt_lexer_accept(p->lexer, "+")) {
        return parse_nested(p, parse_unary);
    }
    return parse_primary(p);
}

/* Binary operators; a higher precedence binds tighter, as in C. */
static const struct {
    const char *sign;
    int precedence;
    gt_operation operation;
} infixes[] = {
    {"*", 10, GT_DO_MULTIPLY},    {"/", 10, GT_DO_DIVIDE},        {"%", 10, GT_DO_REMAINDER},
    {"+", 9, GT_DO_ADD},          {"-", 9, GT_DO_SUBTRACT},       {"<<", 8, GT_DO_SHIFT_LEFT},
    {">>", 8, GT_DO_SHIFT_RIGHT}, {"<", 7, GT_DO_LESS},           {"<=", 7, GT_DO_LESS_EQUAL},
    {">", 7, GT_DO_GREATER},      {">=", 7, GT_DO_GREATER_EQUAL}, {"==", 6, GT_DO_EQUAL},
    {"!=", 6, GT_DO_NOT_EQUAL},   {"&", 5, GT_DO_BIT_AND},        {"^", 4, GT_DO_BIT_XOR},
    {"|", 3, GT_DO_BIT_OR},       {"&&", 2, GT_DO_AND},           {"||", 1, GT_DO_OR}};

enum { INFIX_COUNT = sizeof infixes / sizeof *infixes };

const char *gt_operation_sign(int *precedence, gt_operation operation)
{
    *precedence = 0;
    for (size_t i = 0; i < FUNCTION_COUNT; i++) {
        if (functions[i].operation == operation) {
            return functions[i].name;
        }
    }
    for (size_t i = 0; i < INFIX_COUNT; i++) {
        if (infixes[i].operation == operation) {
            *precedence = infixes[i].precedence;
            return infixes[i].sign;
        }
    }
    return NULL;
}

static gputune_status parse_binary(parser *p, int least)
{
    GT_TRY(parse_nested(p, parse_unary));
    for (;;) {
        const char *sign = GT_TOKEN_TEXT(&p->lexer->token);
        const size_t found = gt_index_of(sign, infixes, INFIX_COUNT);
        if (found == INFIX_COUNT || infixes[found].precedence < least) {
            return GPUTUNE_OK;
        }
        const int first = last_instruction(p);
        gt_lexer_next(p->lexer);
        GT_TRY(parse_binary(p, infixes[found].precedence + 1));
        GT_TRY(emit_operation(p, infixes[found].operation, first));
    }
}

static gputune_status parse_choice(parser *p)
{
    GT_TRY(parse_binary(p, 1));
    const int condition = last_instruction(p);
    if (!gt_lexer_accept(p->lexer, "?")) {
        return GPUTUNE_OK;
    }
    GT_TRY(parse_conditional(p));
    const int first = last_instruction(p);
    GT_TRY(gt_lexer_expect(p->lexer, ":"));
    GT_TRY(parse_conditional(p));
    GT_TRY(emit_operation(p, GT_DO_ELSE, first));
    return emit_operation(p, GT_DO_CHOOSE, condition);
}

static gputune_status parse_conditional(parser *p)
{
    return parse_nested(p, parse_choice);
}

/* Appends the tokens from `from` to `to`, with one blank where the source has space. */
static void append_tokens(gt_text *out, gt_lexer from, const gt_lexer *to)
{
    const char *last = from.token.text;
    while (from.token.kind != GT_TOKEN_END && from.token.text < to->token.text) {
        gt_text_append(out, from.token.text > last ? " " : "");
        gt_text_append_bytes(out, from.token.text, from.token.length);
        last = from.token.text + from.token.length;
        gt_lexer_next(&from);
    }
}

static void note_slots(gt_expression *expression)
{
    for (int i = 0; i < expression->count; i++) {
        int slot = expression->code[i].target;
        if (expression->code[i].operation == GT_DO_SLOT && slot >= 0 && slot < GT_SLOT_MAX) {
            expression->used[slot / 64] |= UINT64_C(1) << (slot % 64);
        }
    }
}

static gputune_status finish_expression(gt_expression **out, const parser *p, const gt_lexer *begin)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    const size_t code = p->code.count * sizeof *p->code.items;
    append_tokens(&text, *begin, p->lexer);
    if (text.failed) {
        return gt_fail_memory();
    }
    gt_expression *expression = calloc(1, sizeof *expression + code + text.length + 1);
    GT_TRY(gt_allocated(expression));
    expression->code = (gt_instruction *)(expression + 1);
    memcpy(expression->code, p->code.items, code);
    expression->text = memcpy((char *)expression->code + code, gt_text_string(&text), text.length);
    expression->count = (int)p->code.count;
    expression->is_real = p->real;
    expression->place = gt_lexer_place(begin);
    note_slots(expression);
    *out = expression;
    return GPUTUNE_OK;
}

gputune_status gt_expression_read(gt_expression **out, gt_lexer *lexer, const gt_scope *scope)
{
    gt_lexer begin = *lexer;
    parser p = {.lexer = lexer, .scope = scope};
    gputune_status status = parse_conditional(&p);
    if (status == GPUTUNE_OK) {
        status = finish_expression(out, &p, &begin);
    }
    gt_array_free(&p.code);
    return status;
}

bool gt_expression_uses(const gt_expression *expression, int slot)
{
    return slot >= 0 && slot < GT_SLOT_MAX && (expression->used[slot / 64] >> (slot % 64) & 1);
}

bool gt_expression_uses_any(const gt_expression *expression, int first, int count)
{
    bool uses = false;
    for (int i = 0; expression && i < count; i++) {
        uses |= gt_expression_uses(expression, first + i);
    }
    return uses;
}

static const char division[] = "division by zero";
static const char overflow[] = "overflow of 64 bits";
static const char domain[] = "a value outside the function's domain";

const char *gt_expression_try(int64_t *out, const gt_expression *expression, const int64_t *slots)
{
    int64_t value;
    const char *error = gt_code_run(&value, expression->code, expression->count - 1, slots);
    return error ? error : (*out = value, NULL);
}

static gputune_status fail_expression(const gt_expression *expression, const char *error)
{
    return gt_fail_at(expression->place, "%s in '%s'; expected a value that can be computed", error,
                      expression->text);
}

gputune_status gt_expression_integer(int64_t *out, const gt_expression *expression,
                                     const int64_t *slots)
{
    const char *error = gt_expression_try(out, expression, slots);
    return error ? fail_expression(expression, error) : GPUTUNE_OK;
}

/* Computes bit operations, shifts and remainders. The operands are doubles with integer values. */
static const char *combine_as_integers(double *out, gt_operation operation, double a, double b)
{
    const double limit = 9.2e18;
    int64_t result;
    if (!(fabs(a) < limit && fabs(b) < limit)) {
        return overflow;
    }
    const char *error = gt_operation_binary(&result, operation, (int64_t)a, (int64_t)b);
    *out = error ? 0 : (double)result;
    return error;
}

static const char *combine_reals(double *out, gt_operation operation, double a, double b)
{
    bool truth;
    if (gt_operation_compare(&truth, operation, a < b ? -1 : a > b)) {
        *out = truth;
        return NULL;
    }
    if (operation == GT_DO_DIVIDE || operation == GT_DO_CEIL_DIV || operation == GT_DO_ROUND_UP) {
        *out = operation == GT_DO_DIVIDE ? a / b : ceil(a / b);
        *out *= operation == GT_DO_ROUND_UP ? b : 1;
        return b == 0 ? division : NULL;
    }
    switch (operation) {
    case GT_DO_MULTIPLY:
        *out = a * b;
        return NULL;
    case GT_DO_ADD:
        *out = a + b;
        return NULL;
    case GT_DO_SUBTRACT:
        *out = a - b;
        return NULL;
    case GT_DO_MIN:
        *out = fmin(a, b);
        return NULL;
    case GT_DO_MAX:
        *out = fmax(a, b);
        return NULL;
    case GT_DO_POW:
        *out = pow(a, b);
        return NULL;
    default:
        return combine_as_integers(out, operation, a, b);
    }
}

static const char *unary_real(double *value, gt_operation operation)
{
    const double a = *value;
    if (operation == GT_DO_COMPLEMENT) {
        return combine_as_integers(value, GT_DO_BIT_XOR, a, -1);
    }
    if (operation == GT_DO_NEGATE || operation == GT_DO_NOT) {
        *value = operation == GT_DO_NOT ? a == 0 : -a;
    } else {
        *value = operation == GT_DO_SQRT ? sqrt(a) : log2(a);
    }
    return NULL;
}

static bool stays_whole(gt_operation operation)
{
    return operation != GT_DO_POW && operation != GT_DO_SQRT && operation != GT_DO_LOG2;
}

/* A value. If is_whole, it is an integer. As in C++, a division of two integers truncates. */
typedef struct number {
    double value;
    bool is_whole;
} number;

static const char *run_real(number *out, const gt_instruction *code, int at, const int64_t *slots,
                            bool typed)
{
    const gt_instruction *step = &code[at];
    const int operands = gt_operation_operands(step->operation);
    number first;
    if (operands == 0) {
        const int64_t integer = step->operation == GT_DO_SLOT ? slots[step->target] : step->integer;
        *out = step->operation == GT_DO_REAL ? (number){step->real, false}
                                             : (number){(double)integer, typed};
        return NULL;
    }
    const char *error = run_real(&first, code, operands == 1 ? at - 1 : step->target, slots, typed);
    if (error) {
        return error;
    }
    if (step->operation == GT_DO_CHOOSE) {
        return run_real(out, code, first.value != 0 ? code[at - 1].target : at - 2, slots, typed);
    }
    *out = (number){first.value, first.is_whole && stays_whole(step->operation)};
    if (operands == 1) {
        return unary_real(&out->value, step->operation);
    }
    bool is_logical = step->operation >= GT_DO_AND;
    bool decides = is_logical && (first.value != 0) == (step->operation == GT_DO_OR);
    error = decides ? NULL : run_real(out, code, at - 1, slots, typed);
    if (error || is_logical) {
        out->value = out->value != 0;
        return error;
    }
    const bool both = first.is_whole && out->is_whole;
    out->is_whole = both && stays_whole(step->operation);
    error = combine_reals(&out->value, step->operation, first.value, out->value);
    out->value = both && step->operation == GT_DO_DIVIDE ? trunc(out->value) : out->value;
    return error;
}

gputune_status gt_expression_real(double *out, const gt_expression *expression,
                                  const int64_t *slots, bool typed)
{
    number computed = {0};
    const char *error = run_real(&computed, expression->code, expression->count - 1, slots, typed);
    const double value = computed.value;
    error = error || isfinite(value) || (typed && !isnan(value)) ? error : domain;
    return error ? fail_expression(expression, error) : (*out = value, GPUTUNE_OK);
}
