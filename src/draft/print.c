/* Writes sums as text, and expressions, which are computed on sums. What else the
 * writers of clauses share: names, and what is there already. */
#include "draft/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- sums ------------------------------------------------------------------------------------ */

/* How tightly a printed text binds, by the precedence of its outermost C operator. */
enum { GT_PRINT_LOOSE = 1, GT_PRINT_SUM = 9, GT_PRINT_PRODUCT = 10, GT_PRINT_TIGHT = 12 };

/* Appends the text that a symbol stands for, in brackets if the text binds less tightly than
 * `around`, the precedence of the operator around it. */
typedef void (*gt_symbol_fn)(void *user, gt_text *out, int symbol, int around);

/* The product of the powers whose exponents have that sign, behind a number unless that is 1. */
static void append_product(gt_text *out, const gt_product *term, double number, int sign,
                           gt_symbol_fn name, void *user)
{
    bool first = !(number < 1 || number > 1);
    if (!first) {
        gt_text_printf(out, "%.0f", number);
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent * sign; e > 0; e--) {
            gt_text_append(out, first ? "" : " * ");
            name(user, out, term->powers[k].symbol, first ? GT_PRINT_PRODUCT : GT_PRINT_TIGHT);
            first = false;
        }
    }
    gt_text_append(out, first ? "1" : "");
}

static void append_term(gt_text *out, const gt_product *term, gt_symbol_fn name, void *user)
{
    double number = fabs(term->coefficient);
    bool is_fraction = number < 1;
    for (uint32_t k = 0; k < term->count; k++) {
        is_fraction |= term->powers[k].exponent < 0;
    }
    gt_text_append(out, is_fraction ? "ceil_div(" : "");
    append_product(out, term, number < 1 ? 1 : number, 1, name, user);
    if (is_fraction) {
        gt_text_append(out, ", ");
        append_product(out, term, number < 1 ? 1 / number : 1, -1, name, user);
        gt_text_append(out, ")");
    }
}

/* The terms by their degree, behind the first one that is added. */
static void sort_terms(uint32_t order[GT_TERM_MAX], const gt_sum *p)
{
    uint32_t lead = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t at = i;
        for (; at > 0 &&
               gt_product_degree(&p->terms[order[at - 1]]) < gt_product_degree(&p->terms[i]);
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    while (lead < p->count && p->terms[order[lead]].coefficient < 0) {
        lead++;
    }
    for (uint32_t first = lead < p->count ? order[lead] : 0; lead > 0 && lead < p->count; lead--) {
        order[lead] = order[lead - 1];
        order[lead - 1] = first;
    }
}

/* Appends a sum such as `h * w + 2`, with the terms of the highest degree first. A sum with a
 * fraction is rounded up. */
static void append_terms(gt_text *out, const gt_sum *p, gt_symbol_fn name, void *user)
{
    uint32_t order[GT_TERM_MAX] = {0};
    sort_terms(order, p);
    for (uint32_t i = 0; i < p->count; i++) {
        const gt_product *term = &p->terms[order[i]];
        bool minus = term->coefficient < 0;
        gt_text_append(out, i == 0 ? (minus ? "-" : "") : minus ? " - " : " + ");
        append_term(out, term, name, user);
    }
    gt_text_append(out, p->count ? "" : "0");
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* What sums are made of: a name, or what is no sum of products. */
typedef struct atom {
    char *text;
    int precedence;
    gt_operation kind; /* DIVIDE, REMAINDER; NOT_EQUAL, EQUAL: whether there is one; else LITERAL */
    gt_sum of, by;     /* its operands */
} atom;

enum { ATOMS_MAX = 1024, OPERATIONS_MAX = 512 };

typedef struct printer {
    const gt_expression *expression;
    const char *const *names;
    GT_ARRAY(atom) atoms;
    GT_ARRAY(int) divided; /* quotients that must leave no rest */
    bool is_open, failed;  /* a condition decides what is computed; too long */
} printer;

static void append_atom(void *user, gt_text *out, int symbol, int around)
{
    const printer *p = user;
    const atom *own = &p->atoms.items[symbol];
    gt_text_printf(out, own->precedence < around ? "(%s)" : "%s", own->text);
}

/* A sum, in brackets where what is around it binds tighter. */
static void append_sum(printer *p, gt_text *out, const gt_sum *sum, int around)
{
    int symbol;
    double number;
    int own = sum->count > 1 ? GT_PRINT_SUM : GT_PRINT_PRODUCT;
    if (gt_sum_is_symbol(sum, &symbol)) {
        append_atom(p, out, symbol, around);
        return;
    }
    if (gt_sum_is_number(sum, &number)) {
        own = number < 0 ? GT_PRINT_LOOSE : GT_PRINT_TIGHT;
    }
    gt_text_append(out, own < around ? "(" : "");
    append_terms(out, sum, append_atom, p);
    gt_text_append(out, own < around ? ")" : "");
}

/* A symbol for the text, which has its operands, and is taken. */
static gt_sum intern(printer *p, gt_text *text, const atom *like)
{
    atom made = *like;
    int index = 0;
    p->failed |= gt_text_take(&made.text, text) != GPUTUNE_OK;
    while (index < (int)p->atoms.count && !p->failed &&
           strcmp(p->atoms.items[index].text, made.text) != 0) {
        index++;
    }
    bool is_new = index == (int)p->atoms.count && index < ATOMS_MAX && !p->failed;
    p->failed |= index == ATOMS_MAX || (is_new && gt_array_push(&p->atoms, made) != GPUTUNE_OK);
    if (!is_new || p->failed) {
        free(made.text);
    }
    return p->failed ? (gt_sum){0} : gt_sum_symbol(index);
}

/* `a SIGN b`. */
static gt_sum infix(printer *p, gt_operation kind, const gt_sum *a, const gt_sum *b)
{
    const gt_infix *sign = gt_infix_of(kind);
    gt_text text = {0};
    append_sum(p, &text, a, sign->precedence);
    gt_text_printf(&text, " %s ", sign->sign);
    append_sum(p, &text, b, kind == GT_DO_DIVIDE ? GT_PRINT_TIGHT : sign->precedence + 1);
    return intern(p, &text, &(atom){NULL, sign->precedence, kind, *a, *b});
}

/* NAME(a, b), or NAME(a). */
static gt_sum call(printer *p, const char *name, const gt_sum *a, const gt_sum *b)
{
    gt_text text = {0};
    gt_text_printf(&text, "%s(", name);
    append_sum(p, &text, a, GT_PRINT_LOOSE);
    if (b) {
        gt_text_append(&text, ", ");
        append_sum(p, &text, b, GT_PRINT_LOOSE);
    }
    gt_text_append(&text, ")");
    return intern(p, &text, &(atom){NULL, GT_PRINT_TIGHT, GT_DO_LITERAL, *a, *a});
}

/* What the sum is, if it is one quotient or the like alone; NULL: it is not. */
static const atom *only(const printer *p, const gt_sum *sum)
{
    int symbol;
    bool is = gt_sum_is_symbol(sum, &symbol) && symbol < (int)p->atoms.count;
    return is ? &p->atoms.items[symbol] : NULL;
}

/* The quotient need not divide after all. */
static void let_rest(printer *p, int quotient)
{
    for (size_t i = p->divided.count; i > 0; i--) {
        if (p->divided.items[i - 1] == quotient) {
            p->divided.items[i - 1] = p->divided.items[--p->divided.count];
        }
    }
}

/* Takes the quotient among the terms of `a` for one of `of` that is rounded up. */
static bool round_term(printer *p, gt_sum *a, int quotient, const gt_sum of)
{
    const gt_sum by = p->atoms.items[quotient].by;
    let_rest(p, quotient);
    gt_sum rounded = call(p, "ceil_div", &of, &by);
    *a = gt_sum_replace(*a, quotient, rounded);
    return true;
}

/* (X - 1) / B + 1, and X / B + (X % B != 0), however that is written. X / B + 1 has a block too
 * many where B divides X, and need not be of a whole number of them. */
static bool add_rest(printer *p, gt_sum *a, const gt_sum *b)
{
    const gt_sum one = gt_sum_number(1);
    const atom *rest = only(p, b), *own = only(p, a);
    if (gt_sum_equal(b, &one) && own && own->kind == GT_DO_DIVIDE) {
        const gt_sum of = gt_sum_add(own->of, one, 1);
        const int quotient = a->terms[0].powers[0].symbol;
        let_rest(p, quotient);
        return own->of.count > 1 && of.count < own->of.count && round_term(p, a, quotient, of);
    }
    for (int i = 0; rest && rest->kind == GT_DO_NOT_EQUAL && i < (int)p->atoms.count; i++) {
        own = &p->atoms.items[i];
        if (own->kind == GT_DO_DIVIDE && gt_sum_has(a, i) && gt_sum_equal(&own->of, &rest->of) &&
            gt_sum_equal(&own->by, &rest->by)) {
            return round_term(p, a, i, own->of);
        }
    }
    return false;
}

/* A sum that a product or a quotient has is not taken apart. */
static gt_sum whole(printer *p, const gt_sum *sum)
{
    gt_text text = {0};
    if (sum->count < 2) {
        return *sum;
    }
    append_sum(p, &text, sum, GT_PRINT_LOOSE);
    return intern(p, &text, &(atom){NULL, GT_PRINT_SUM, GT_DO_ADD, *sum, *sum});
}

static gt_sum multiply(printer *p, const gt_sum *a, const gt_sum *b)
{
    double number;
    if (gt_sum_is_number(a, &number) || gt_sum_is_number(b, &number)) {
        return gt_sum_multiply(*a, *b);
    }
    const gt_sum left = whole(p, a), right = whole(p, b);
    return gt_sum_multiply(left, right);
}

/* a / b where that leaves no rest, whatever the names stand for. */
static bool cancel(gt_sum *out, const gt_sum *a, const gt_sum *b)
{
    *out = gt_sum_divide(*a, *b);
    return gt_sum_is_whole(out);
}

/* Terms that are no number. */
static uint32_t count_named(const gt_sum *sum)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < sum->count; i++) {
        count += sum->terms[i].count > 0;
    }
    return count;
}

static gt_sum divide(printer *p, const gt_sum *a, const gt_sum *divisor)
{
    const gt_sum one = gt_sum_number(1), own = whole(p, a), by = whole(p, divisor);
    gt_sum b = *divisor, of = *a, out;
    double number = 0;
    bool is_number = gt_sum_is_number(&b, &number);
    const atom *quotient = only(p, a);
    if (quotient && quotient->kind == GT_DO_DIVIDE) { /* X / Y / Z is X / (Y * Z) */
        let_rest(p, a->terms[0].powers[0].symbol);
        of = quotient->of;
        b = quotient->by;
        b = multiply(p, &b, divisor);
        return divide(p, &of, &b);
    }
    if (cancel(&out, a, &by) || cancel(&out, &own, &by)) {
        return out;
    }
    for (double k = 2; is_number && a->count == 1 && k <= 64 && k < number;) {
        const gt_sum common = gt_sum_number(k);
        bool both = cancel(&out, &of, &common) && fmod(number, k) < 1;
        of = both ? out : of;
        number /= both ? k : 1;
        k += !both;
    }
    b = is_number ? gt_sum_number(number) : b;
    out = gt_sum_add(of, b, -1);
    out = gt_sum_add(out, one, 1); /* of X + b - 1, X */
    uint32_t names = count_named(&out);
    if (out.known && names > 0 &&
        (is_number ? number > 1 && names == out.count
                   : names + count_named(&b) == count_named(&of))) {
        return call(p, "ceil_div", &out, &b);
    }
    out = infix(p, GT_DO_DIVIDE, &of, &b);
    if (!p->is_open && !p->failed &&
        !strchr(p->atoms.items[out.terms[0].powers[0].symbol].text, '%')) {
        p->failed |= gt_array_push(&p->divided, out.terms[0].powers[0].symbol) != GPUTUNE_OK;
    }
    return out;
}

static gt_sum compute(printer *p, gt_operation operation, const gt_sum *a, const gt_sum *b)
{
    const gt_sum zero = gt_sum_number(0);
    gt_sum out = *a, by = *b;
    double left, right;
    bool is_number = gt_sum_is_number(b, &right);
    int64_t value;
    if (is_number && gt_sum_is_number(a, &left)) {
        p->failed |= gt_operation_binary(&value, operation, (int64_t)left, (int64_t)right) != NULL;
        return gt_sum_number((double)value);
    }
    bool by_shift = is_number && right >= 0 && right < 32 &&
                    (operation == GT_DO_SHIFT_LEFT || operation == GT_DO_SHIFT_RIGHT);
    by = by_shift ? gt_sum_number((double)(INT64_C(1) << (int)right)) : by;
    if (operation == GT_DO_ADD || operation == GT_DO_SUBTRACT) {
        bool adds = operation == GT_DO_ADD;
        return adds && add_rest(p, &out, b) ? out : gt_sum_add(*a, *b, adds ? 1 : -1);
    }
    if (operation == GT_DO_MULTIPLY || (by_shift && operation == GT_DO_SHIFT_LEFT)) {
        return multiply(p, a, &by);
    }
    if (operation == GT_DO_DIVIDE || by_shift) {
        return divide(p, a, &by);
    }
    if (!gt_infix_of(operation)) {
        return call(p, gt_function_of(operation), a, b);
    }
    const atom *rest = only(p, a); /* X % B > 0 */
    const atom asked = rest ? *rest : (atom){0};
    out = infix(p, operation, a, b);
    if (asked.kind == GT_DO_REMAINDER && gt_sum_equal(b, &zero) && !p->failed) {
        atom *made = &p->atoms.items[out.terms[0].powers[0].symbol];
        made->kind = operation == GT_DO_GREATER ? GT_DO_NOT_EQUAL : operation;
        made->of = asked.of;
        made->by = asked.by;
    }
    return out;
}

static gt_sum negate(printer *p, gt_operation operation, const gt_sum *a)
{
    const char *function = gt_function_of(operation);
    gt_text text = {0};
    if (operation == GT_DO_NEGATE) {
        return gt_sum_add(gt_sum_number(0), *a, -1);
    }
    if (function) {
        return call(p, function, a, NULL);
    }
    gt_text_append(&text, operation == GT_DO_NOT ? "!" : "~");
    append_sum(p, &text, a, GT_PRINT_TIGHT);
    return intern(p, &text, &(atom){NULL, GT_PRINT_TIGHT, GT_DO_LITERAL, *a, *a});
}

static gt_sum run(printer *p, int at);

/* `c ? a : b` */
static gt_sum choose(printer *p, const gt_sum *condition, int at)
{
    const int first_at = p->expression->code[at - 1].target, second_at = at - 2;
    const bool is_open = p->is_open;
    double holds, first, second;
    if (gt_sum_is_number(condition, &holds)) {
        return run(p, holds < 0 || holds > 0 ? first_at : second_at);
    }
    p->is_open = true;
    const gt_sum a = run(p, first_at), b = run(p, second_at);
    p->is_open = is_open;
    if (!a.known || !b.known || p->failed) {
        return (gt_sum){0};
    }
    const atom *asked = only(p, condition);
    atom made = asked ? *asked : (atom){0};
    bool counts = gt_sum_is_number(&a, &first) && gt_sum_is_number(&b, &second) &&
                  first + second < 2 && (made.kind == GT_DO_EQUAL ? second : first) > 0;
    made.kind = counts && made.kind != GT_DO_DIVIDE ? GT_DO_NOT_EQUAL : GT_DO_LITERAL;
    made.precedence = 0;
    gt_text text = {0};
    append_sum(p, &text, condition, GT_PRINT_LOOSE + 1);
    gt_text_append(&text, " ? ");
    append_sum(p, &text, &a, GT_PRINT_LOOSE);
    gt_text_append(&text, " : ");
    append_sum(p, &text, &b, GT_PRINT_LOOSE);
    return intern(p, &text, &made);
}

/* The operation at that place as a sum. */
static gt_sum run(printer *p, int at)
{
    const gt_instruction *one = &p->expression->code[at];
    const int operands = gt_operation_operands(one->operation);
    if (one->operation == GT_DO_LITERAL) {
        return gt_sum_number((double)one->integer);
    }
    if (one->operation == GT_DO_SLOT) {
        gt_text text = {0};
        gt_text_append(&text, p->names[one->target]);
        return intern(p, &text, &(atom){.precedence = GT_PRINT_TIGHT});
    }
    if (operands == 0 || p->failed) {
        return (gt_sum){0}; /* sizes are integers */
    }
    const gt_sum a = run(p, operands == 1 ? at - 1 : one->target);
    if (!a.known || operands == 1) {
        return a.known ? negate(p, one->operation, &a) : a;
    }
    if (one->operation == GT_DO_CHOOSE) {
        return choose(p, &a, at);
    }
    const gt_sum b = run(p, at - 1);
    return b.known ? (one->operation >= GT_DO_AND ? infix : compute)(p, one->operation, &a, &b) : b;
}

bool gt_expression_print(gt_text *out, gt_texts *divided, const gt_expression *expression,
                         const char *const *names)
{
    printer p = {.expression = expression, .names = names};
    gt_text text = {0};
    const gt_sum sum =
        expression->count > OPERATIONS_MAX ? (gt_sum){0} : run(&p, expression->count - 1);
    p.failed |= !sum.known;
    if (!p.failed) {
        append_sum(&p, &text, &sum, 0);
    }
    bool printed = !p.failed && !text.failed;
    bool is_open = strchr(gt_text_string(&text), '?');
    for (size_t i = 0; i < p.divided.count && divided && printed && !is_open; i++) {
        const atom *quotient = &p.atoms.items[p.divided.items[i]];
        gt_text condition = {0};
        char *taken;
        append_sum(&p, &condition, &quotient->of, GT_PRINT_PRODUCT);
        gt_text_append(&condition, " % ");
        append_sum(&p, &condition, &quotient->by, GT_PRINT_TIGHT);
        gt_text_append(&condition, " == 0");
        printed = gt_text_take(&taken, &condition) == GPUTUNE_OK &&
                  gt_texts_take(divided, taken) == GPUTUNE_OK;
    }
    gt_text_append(out, printed ? gt_text_string(&text) : "");
    for (size_t i = 0; i < p.atoms.count; i++) {
        free(p.atoms.items[i].text);
    }
    gt_array_free(&p.atoms);
    gt_array_free(&p.divided);
    gt_text_free(&text);
    return printed;
}

/* ---- clauses --------------------------------------------------------------------------------- */

bool gt_draft_has_clause(const gt_reader *present, const char *word)
{
    bool has = false;
    for (size_t i = 0; i < present->clauses.count && !has; i++) {
        has = strcmp(present->clauses.items[i].word, word) == 0;
    }
    return has;
}

/* Whether a clause gives a value to the name: `NAME = …`. */
bool gt_draft_is_declared(const gt_draft *draft, const char *name)
{
    for (size_t i = 0; i < draft->present->clauses.count; i++) {
        for (gt_lexer body = draft->present->clauses.items[i].body;
             body.token.kind != GT_TOKEN_END;) {
            bool is_name = gt_lexer_is(&body, name);
            gt_lexer_next(&body);
            if (is_name && gt_lexer_is(&body, "=")) {
                return true;
            }
        }
    }
    return false;
}

bool gt_draft_occurs(const char *text, size_t length, const char *name)
{
    const gt_token token = gt_token_of(name);
    return gt_lexer_has(gt_lexer_on(text, length), &token);
}

bool gt_draft_in_kernel(const gt_draft *draft, const char *name)
{
    const gt_function *function = &draft->function;
    return gt_draft_occurs(draft->text + function->global, function->end - function->global, name);
}

const char *gt_draft_keep(gt_draft *draft, gt_text *text)
{
    char *kept;
    const bool keeps =
        gt_text_take(&kept, text) == GPUTUNE_OK && gt_texts_take(&draft->kept, kept) == GPUTUNE_OK;
    draft->failed |= !keeps;
    return keeps ? kept : "";
}

const char *gt_draft_print(gt_draft *draft, const char *format, ...)
{
    gt_text text = {0};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    return gt_draft_keep(draft, &text);
}

void gt_draft_append_values(gt_text *out, const gt_values *values)
{
    for (size_t i = 0; i < values->count; i++) {
        gt_text_printf(out, "%s%lld", i ? ", " : "", (long long)values->list[i]);
    }
}

/* ---- the kernel's sums ----------------------------------------------------------------------- */

const char *gt_draft_name_of(const gt_draft *draft, int symbol)
{
    const char *name = draft->symbols.items[symbol].name, *dot = strchr(name, '.');
    const char *extent = gt_call_extent(draft, symbol);
    const gt_draft_argument *argument = gt_draft_argument_of(draft, name);
    if (symbol >= GT_DRAFT_BLOCK_DIM && symbol < GT_DRAFT_GRID_DIM) {
        return draft->axes[symbol - GT_DRAFT_BLOCK_DIM];
    }
    if (extent[0]) {
        return extent;
    }
    if (argument && argument->enclosed[0]) {
        return argument->enclosed;
    }
    return dot ? dot + 1 : name;
}

/* Expressions know the axes and the problem; the code's own constants are numbers there. */
static gt_sum with_numbers(const gt_draft *draft, gt_sum sum)
{
    for (int d = 0; d < 3; d++) {
        const gt_sum *fixed = &draft->dimensions[d].fixed;
        sum = fixed->known ? gt_sum_replace(sum, GT_DRAFT_BLOCK_DIM + d, *fixed) : sum;
    }
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        int symbol = gt_draft_find_symbol(draft, constant->name);
        if (symbol > 0 && constant->has_value && !constant->is_template_parameter &&
            gt_sum_has(&sum, symbol) && !gt_draft_is_block(draft, constant->name) &&
            !gt_draft_is_declared(draft, constant->name)) {
            sum = gt_sum_replace(sum, symbol, gt_sum_number(constant->value));
        }
    }
    return sum;
}

static void append_name(void *user, gt_text *out, int symbol, int around)
{
    (void)around;
    gt_text_append(out, gt_draft_name_of(user, symbol));
}

const char *gt_draft_sum_text(gt_draft *draft, const gt_sum *sum)
{
    gt_text text = {0};
    const gt_sum numbers = with_numbers(draft, *sum);
    append_terms(&text, &numbers, append_name, draft);
    return sum->known ? gt_draft_keep(draft, &text) : (gt_text_free(&text), "");
}
