/* Prints and evaluates values, and collects their symbols. */
#include "draft/parts.h"

/* ---- walks ----------------------------------------------------------------------------------- */

static void add_symbols(draft_symbols *out, const draft_amount *v)
{
    if (v->kind == DRAFT_SYMBOL) {
        draft_add(out, v->symbol);
    }
    for (unsigned i = 0; i < v->count; i++) {
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            add_symbols(out, v->terms[i].atoms[k]);
        }
    }
    const draft_amount *parts[] = {v->a, v->b, v->c};
    for (int i = 0; i < 3 && parts[i]; i++) {
        add_symbols(out, parts[i]);
    }
}

draft_symbols draft_symbols_of(const draft_amount *v)
{
    draft_symbols out = {0};
    add_symbols(&out, v);
    return out;
}

bool draft_has_kind(const draft_amount *v, draft_symbol_kind kind)
{
    return v->kinds & DRAFT_KIND(kind);
}

bool draft_has_symbol(const draft_amount *v, const draft_symbol *symbol)
{
    draft_symbols symbols = {0};
    bool found = false;
    if (draft_has_kind(v, symbol->kind)) {
        add_symbols(&symbols, v);
    }
    for (size_t i = 0; i < symbols.count; i++) {
        found |= symbols.items[i] == symbol;
    }
    gt_array_free(&symbols);
    return found;
}

draft_amount *draft_replace(draft_amount *v, draft_replace_fn *with, void *user)
{
    if (v->kind == DRAFT_SYMBOL) {
        draft_amount *other = with(user, v->symbol);
        return other ? other : v;
    }
    if (v->kind == DRAFT_SUM) {
        draft_amount *total = draft_number(0);
        for (unsigned i = 0; i < v->count; i++) {
            draft_amount *product = draft_number(v->terms[i].factor);
            for (unsigned k = 0; k < v->terms[i].count; k++) {
                product = draft_times(product, draft_replace(v->terms[i].atoms[k], with, user));
            }
            total = draft_plus(total, product, 1);
        }
        return total;
    }
    if (!v->a) {
        return v;
    }
    return draft_make(v->kind, draft_replace(v->a, with, user),
                      v->b ? draft_replace(v->b, with, user) : NULL,
                      v->c ? draft_replace(v->c, with, user) : NULL);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool evaluate_sum(int64_t *out, const draft_amount *v)
{
    *out = 0;
    for (unsigned i = 0; i < v->count; i++) {
        int64_t product = v->terms[i].factor, x;
        for (unsigned k = 0; k < v->terms[i].count; k++) {
            if (!draft_evaluate(&x, v->terms[i].atoms[k]) ||
                __builtin_mul_overflow(product, x, &product)) {
                return false;
            }
        }
        *out += product;
    }
    return true;
}

bool draft_evaluate(int64_t *out, const draft_amount *v)
{
    int64_t x, y;
    if (v->kind == DRAFT_SUM) {
        return evaluate_sum(out, v);
    }
    if (v->kind == DRAFT_SYMBOL) {
        *out = v->symbol->number;
        return v->symbol->has_number;
    }
    if (!v->a || !draft_evaluate(&x, v->a)) {
        return false;
    }
    if (v->kind == DRAFT_COND) {
        return draft_evaluate(out, x ? v->b : v->c);
    }
    if (v->kind == DRAFT_NEGATION) {
        *out = !x;
        return true;
    }
    if (!v->b || !draft_evaluate(&y, v->b)) {
        return false;
    }
    *out = draft_apply(v->kind, x, y);
    return true;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_in(gt_text *out, const draft_amount *v, int level);

static void print_term(gt_text *out, const draft_term *term, int64_t factor)
{
    const char *between = "";
    if (factor != 1 || !term->count) {
        gt_text_printf(out, "%lld", (long long)factor);
        between = " * ";
    }
    for (int quotients = 0; quotients < 2; quotients++) { /* print quotients first: a / b * c */
        for (unsigned k = 0; k < term->count; k++) {
            if ((term->atoms[k]->kind == DRAFT_QUOTIENT || term->atoms[k]->kind == DRAFT_REST) ==
                quotients) {
                gt_text_append(out, between);
                print_in(out, term->atoms[k], quotients || *between ? 12 : 11);
                between = " * ";
            }
        }
    }
}

static void print_sum(gt_text *out, const draft_amount *v, int level)
{
    const bool is_single = !v->count || (v->count == 1 && !v->terms[0].count);
    const bool brackets = (!is_single && level > (v->count > 1 ? 10 : 11)) ||
                          (level > 10 && v->count == 1 && v->terms[0].factor < 0);
    bool first = true;
    gt_text_append(out, brackets ? "(" : "");
    for (int negative = 0; negative < 2; negative++) {
        for (unsigned i = 0; i < v->count; i++) {
            const draft_term *term = &v->terms[i];
            if ((term->factor < 0) == negative) {
                gt_text_append(out, first ? (negative ? "-" : "") : negative ? " - " : " + ");
                print_term(out, term, negative ? -term->factor : term->factor);
                first = false;
            }
        }
    }
    gt_text_append(out, first ? "0" : "");
    gt_text_append(out, brackets ? ")" : "");
}

static const struct {
    const char *text;
    int level;
} operators[] = {
    [DRAFT_QUOTIENT] = {" / ", 11}, [DRAFT_REAL] = {" / ", 11},    [DRAFT_REST] = {" % ", 11},
    [DRAFT_LESS] = {" < ", 8},      [DRAFT_AT_MOST] = {" <= ", 8}, [DRAFT_EQUAL] = {" == ", 7},
    [DRAFT_UNEQUAL] = {" != ", 7},  [DRAFT_BITS] = {" & ", 6},     [DRAFT_OR_BITS] = {" | ", 4},
    [DRAFT_BOTH] = {" && ", 3},     [DRAFT_ANY] = {" || ", 2},     [DRAFT_SHIFT] = {" << ", 9}};

static void print_operation(gt_text *out, const draft_amount *v, int level)
{
    const int own = operators[v->kind].level;
    gt_text_append(out, level > own ? "(" : "");
    gt_text_append(out, v->kind == DRAFT_REAL
                            ? "1.0 * "
                            : ""); /* makes the quotient a floating-point number */
    print_in(out, v->a, v->kind == DRAFT_REAL ? own + 1 : own);
    gt_text_append(out, operators[v->kind].text);
    print_in(out, v->b, own + 1);
    gt_text_append(out, level > own ? ")" : "");
}

static void print_in(gt_text *out, const draft_amount *v, int level)
{
    switch (v->kind) {
    case DRAFT_SUM:
        print_sum(out, v, level);
        break;
    case DRAFT_SYMBOL:
        gt_text_append(out, v->symbol->name);
        break;
    case DRAFT_CEIL_DIV:
    case DRAFT_MIN:
    case DRAFT_MAX:
        gt_text_append(out, v->kind == DRAFT_CEIL_DIV ? "ceil_div("
                            : v->kind == DRAFT_MIN    ? "min("
                                                      : "max(");
        print_in(out, v->a, 0);
        gt_text_append(out, ", ");
        print_in(out, v->b, 0);
        gt_text_append(out, ")");
        break;
    case DRAFT_COND:
        gt_text_append(out, level > 0 ? "(" : "");
        print_in(out, v->a, 2);
        gt_text_append(out, " ? ");
        print_in(out, v->b, 1);
        gt_text_append(out, " : ");
        print_in(out, v->c, 1);
        gt_text_append(out, level > 0 ? ")" : "");
        break;
    case DRAFT_NEGATION:
        gt_text_append(out, "!");
        print_in(out, v->a, 12);
        break;
    case DRAFT_TEXT:
        gt_text_append(out, v->text);
        break;
    case DRAFT_POINTER:
    case DRAFT_OBJECT:
    case DRAFT_UNKNOWN:
        gt_text_append(out, "1");
        break;
    default:
        print_operation(out, v, level);
    }
}

const char *draft_print_value(const draft_amount *v)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    print_in(&text, v, 0);
    return draft_format("%s", gt_text_string(&text));
}
