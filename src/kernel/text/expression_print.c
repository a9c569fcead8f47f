/* Prints expressions in which all known parts are replaced by their values. */
#include "kernel/text/expression.h"
#include "kernel/text/lexer.h"

#include <inttypes.h>

/* Precedences. Those of binary operations are the same as in gt_operation_sign(). */
enum { PRIMARY = 12, UNARY = 11, PRODUCT = 10, SUM = 9, SHIFT = 8, AND = 2, OR = 1, CHOICE = 0 };

/* A printed part of an expression. */
typedef struct piece {
    bool is_known;
    bool is_truth; /* true if the value is 0 or 1 */
    bool is_int;   /* true if the type in C is int, and not int64_t */
    int64_t value; /* the value, if is_known is true */
    int64_t least; /* smallest possible value, or -1 if it is unknown or negative */
    int precedence;
    gt_text text; /* the text, if is_known is false */
} piece;

typedef struct printer {
    const gt_expression *expression;
    const gt_print *print;
    int whole; /* index of the last instruction, whose result is the whole expression */
} printer;

static gputune_status print_at(piece *out, const printer *p, int at);

static void free_piece(piece *own)
{
    gt_text_free(&own->text);
}

static void set_known(piece *out, int64_t value)
{
    gt_text_free(&out->text);
    *out = (piece){.is_known = true,
                   .is_int = value >= -INT32_MAX && value <= INT32_MAX,
                   .value = value,
                   .least = value < 0 ? -1 : value};
}

static gputune_status refuse_print(const printer *p, const char *error)
{
    return gt_fail_at(p->expression->place, "%s in '%s'; expected a value that can be computed",
                      error, p->expression->text);
}

/* Appends a part. Puts it in parentheses if its precedence is below `least`. */
static void append_piece(gt_text *out, const piece *part, int least)
{
    if (part->is_known && part->value == INT64_MIN) { /* C has no literal for this value */
        gt_text_append(out, "(-9223372036854775807 - 1)");
        return;
    }
    if (part->is_known) {
        gt_text_printf(out, part->value < 0 && least > 0 ? "(%" PRId64 ")" : "%" PRId64,
                       part->value);
        return;
    }
    const bool nested = part->precedence < least;
    out->failed |= part->text.failed;
    gt_text_printf(out, "%s%s%s", nested ? "(" : "", gt_text_string(&part->text),
                   nested ? ")" : "");
}

/* Appends an operator of precedence out->precedence, and its operands. Also adds parentheses where
 * compilers suggest them, as in (n + 3) >> 2 or a || (b && c). */
static void append_operands(piece *out, const piece *left, const char *sign, const piece *right)
{
    const int own = out->precedence, apart = out->is_truth ? SHIFT : PRODUCT;
    const bool is_usual = own >= SUM || own <= AND;
    const int first = own == OR && left->precedence == AND ? AND + 1 : is_usual ? own : apart;
    append_piece(&out->text, left, first);
    gt_text_printf(&out->text, " %s ", sign);
    append_piece(&out->text, right, own == OR ? AND + 1 : is_usual ? own + 1 : apart);
}

static gputune_status print_slot(piece *out, const printer *p, int slot)
{
    if (p->print->known[slot / 64] >> (slot % 64) & 1) {
        set_known(out, p->print->slots[slot]);
        return GPUTUNE_OK;
    }
    const char *name = p->print->name(p->print->user, slot);
    out->precedence = PRIMARY;
    out->least = p->print->least ? p->print->least[slot] : -1;
    gt_text_append(&out->text, name ? name : "");
    return name ? GPUTUNE_OK : refuse_print(p, "a name that has no value here");
}

static gputune_status print_unary(piece *out, const printer *p, int at)
{
    const gt_operation operation = p->expression->code[at].operation;
    GT_SCOPED(free_piece) piece part = {0};
    GT_TRY(print_at(&part, p, at - 1));
    out->least = -1;
    if (part.is_known) {
        const char *error = gt_operation_unary(&part.value, operation);
        set_known(out, part.value);
        return error ? refuse_print(p, error) : GPUTUNE_OK;
    }
    int precedence;
    const char *function = gt_operation_sign(&precedence, operation);
    if (function) {
        gt_text_printf(&out->text, "%s%s(", p->print->prefix, function);
        append_piece(&out->text, &part, 0);
        gt_text_append(&out->text, ")");
        out->precedence = PRIMARY;
        out->least = part.least; /* sqrt() and log2() are least for the least operand */
        out->least = gt_operation_unary(&out->least, operation) ? -1 : out->least;
        return GPUTUNE_OK;
    }
    gt_text_append(&out->text, operation == GT_DO_NEGATE ? "-"
                               : operation == GT_DO_NOT  ? "!"
                                                         : "~");
    append_piece(&out->text, &part, PRIMARY);
    out->precedence = UNARY;
    out->is_truth = operation == GT_DO_NOT;
    out->is_int = out->is_truth || part.is_int;
    return GPUTUNE_OK;
}

static void set_truth(piece *out, piece *part)
{
    if (part->is_known) {
        set_known(out, part->value != 0);
    } else if (part->is_truth) {
        *out = gt_take(part);
    } else {
        int precedence;
        const char *sign = gt_operation_sign(&precedence, GT_DO_NOT_EQUAL);
        append_piece(&out->text, part, precedence + 1);
        gt_text_printf(&out->text, " %s 0", sign);
        out->precedence = precedence;
        out->is_truth = out->is_int = true;
    }
}

static gputune_status print_logical(piece *out, const printer *p, int at)
{
    const gt_instruction *step = &p->expression->code[at];
    const bool is_or = step->operation == GT_DO_OR;
    out->least = -1;
    GT_SCOPED(free_piece) piece left = {0}, right = {0};
    GT_TRY(print_at(&left, p, step->target));
    if (left.is_known && (left.value != 0) == is_or) {
        set_known(out, is_or);
        return GPUTUNE_OK;
    }
    GT_TRY(print_at(&right, p, at - 1));
    if (left.is_known) {
        set_truth(out, &right);
    } else if (right.is_known && (right.value != 0) == is_or) {
        set_known(out, is_or);
    } else if (right.is_known) {
        set_truth(out, &left);
    } else {
        const char *sign = gt_operation_sign(&out->precedence, step->operation);
        append_operands(out, &left, sign, &right);
        out->is_truth = out->is_int = true;
    }
    return GPUTUNE_OK;
}

static gputune_status print_choice(piece *out, const printer *p, int at)
{
    const gt_instruction *code = p->expression->code;
    const int first = code[at - 1].target, second = at - 2;
    GT_SCOPED(free_piece) piece condition = {0}, yes = {0}, no = {0};
    GT_TRY(print_at(&condition, p, code[at].target));
    if (condition.is_known) {
        const int part = condition.value ? first : second;
        const printer inner = {p->expression, p->print, at == p->whole ? part : p->whole};
        return print_at(out, &inner, part);
    }
    GT_TRY(print_at(&yes, p, first));
    GT_TRY(print_at(&no, p, second));
    append_piece(&out->text, &condition, CHOICE + 1);
    gt_text_append(&out->text, " ? ");
    append_piece(&out->text, &yes, CHOICE);
    gt_text_append(&out->text, " : ");
    append_piece(&out->text, &no, CHOICE);
    out->precedence = CHOICE;
    out->least = yes.least < no.least ? yes.least : no.least;
    out->is_int = yes.is_int && no.is_int;
    return GPUTUNE_OK;
}

static int64_t least_of(gt_operation operation, const piece *left, const piece *right)
{
    const bool grows = operation == GT_DO_ADD || operation == GT_DO_MULTIPLY ||
                       operation == GT_DO_MIN || operation == GT_DO_MAX ||
                       operation == GT_DO_SHIFT_LEFT;
    const bool divides =
        (operation == GT_DO_CEIL_DIV || operation == GT_DO_ROUND_UP || operation == GT_DO_DIVIDE) &&
        right->is_known && right->value > 0;
    int64_t value;
    return left->least >= 0 && right->least >= 0 && (grows || divides) &&
                   !gt_operation_binary(&value, operation, left->least, right->least)
               ? value
               : -1;
}

/* If the operation always returns one of its operands, returns this operand: x for x + 0, or 1 for
 * min(x, 1) if x is at least 1. Otherwise returns NULL. */
static piece *unchanged(gt_operation operation, piece *left, piece *right)
{
    piece *known = left->is_known ? left : right, *other = left->is_known ? right : left;
    if ((operation == GT_DO_MIN || operation == GT_DO_MAX) && known->is_known) {
        const bool is_less = other->least >= 0 && known->value <= other->least;
        return !is_less ? NULL : operation == GT_DO_MIN ? known : other;
    }
    if (right->is_known) {
        const bool by_one = operation == GT_DO_MULTIPLY || operation == GT_DO_DIVIDE ||
                            operation == GT_DO_CEIL_DIV || operation == GT_DO_ROUND_UP;
        const bool by_zero = operation == GT_DO_ADD || operation == GT_DO_SUBTRACT ||
                             operation == GT_DO_SHIFT_LEFT || operation == GT_DO_SHIFT_RIGHT;
        return (by_one && right->value == 1) || (by_zero && right->value == 0) ? left : NULL;
    }
    const bool leaves = (operation == GT_DO_MULTIPLY && left->value == 1) ||
                        (operation == GT_DO_ADD && left->value == 0);
    return left->is_known && leaves ? right : NULL;
}

/* Returns true if a comparison with a number has the same result for all values that the other side
 * can have, and sets *holds to this result. */
static bool is_decided(bool *holds, gt_operation operation, const piece *left, const piece *right)
{
    const int64_t least = left->is_known ? right->least : left->least;
    const int64_t number = left->is_known ? left->value : right->value;
    const int order = left->is_known ? -1 : 1; /* for now, assume that the unknown side is larger */
    bool if_equal;
    return (left->is_known || right->is_known) && least >= 0 && number <= least &&
           gt_operation_compare(holds, operation, order) &&
           (number < least ||
            (gt_operation_compare(&if_equal, operation, 0) && if_equal == *holds));
}

static gputune_status print_binary(piece *out, const printer *p, int at)
{
    const gt_operation operation = p->expression->code[at].operation;
    GT_SCOPED(free_piece) piece left = {0}, right = {0};
    GT_TRY(print_at(&left, p, p->expression->code[at].target));
    GT_TRY(print_at(&right, p, at - 1));
    if (left.is_known && right.is_known) {
        int64_t value = 0;
        const char *error = gt_operation_binary(&value, operation, left.value, right.value);
        set_known(out, value);
        return error ? refuse_print(p, error) : GPUTUNE_OK;
    }
    bool holds = false;
    if ((operation == GT_DO_REMAINDER && right.is_known && right.value == 1) ||
        is_decided(&holds, operation, &left, &right)) {
        set_known(out, holds);
        return GPUTUNE_OK;
    }
    const bool divides = operation == GT_DO_DIVIDE || operation == GT_DO_REMAINDER ||
                         operation == GT_DO_CEIL_DIV || operation == GT_DO_ROUND_UP;
    if (divides && *p->print->prefix && right.least < 1 && !(right.is_known && right.value)) {
        GT_SCOPED(free_piece) piece divisor = gt_take(&right);
        gt_text_printf(&right.text, "%snonzero(", p->print->prefix);
        append_piece(&right.text, &divisor, 0);
        gt_text_append(&right.text, ", &result_)");
        right.precedence = PRIMARY;
    }
    piece *same = unchanged(operation, &left, &right);
    if (p->print->unlimited && at == p->whole && operation == GT_DO_MIN) {
        same = left.is_known ? &right : right.is_known ? &left : NULL;
    }
    if (same) {
        *out = gt_take(same);
        return GPUTUNE_OK;
    }
    out->least = least_of(operation, &left, &right);
    const char *sign = gt_operation_sign(&out->precedence, operation);
    if (out->precedence == 0) {
        gt_text_printf(&out->text, "%s%s(", p->print->prefix, sign);
        append_piece(&out->text, &left, 0);
        gt_text_append(&out->text, ", ");
        append_piece(&out->text, &right, 0);
        gt_text_append(&out->text, ")");
        out->precedence = PRIMARY;
        return GPUTUNE_OK;
    }
    bool truth;
    out->is_truth = out->is_int = gt_operation_compare(&truth, operation, 0);
    /* in C, a shift has the type of its left operand; other operations on two ints give an int */
    const bool shifts = operation == GT_DO_SHIFT_LEFT || operation == GT_DO_SHIFT_RIGHT;
    const bool widens =
        *p->print->prefix && !out->is_int && left.is_int && (shifts || right.is_int);
    if (widens) {
        GT_SCOPED(free_piece) piece narrow = gt_take(&left);
        gt_text_append(&left.text, "(int64_t)");
        append_piece(&left.text, &narrow, PRIMARY);
        left.precedence = PRIMARY;
    }
    append_operands(out, &left, sign, &right);
    return GPUTUNE_OK;
}

static gputune_status print_at(piece *out, const printer *p, int at)
{
    const gt_instruction *step = &p->expression->code[at];
    switch (step->operation) {
    case GT_DO_LITERAL:
        set_known(out, step->integer);
        return GPUTUNE_OK;
    case GT_DO_REAL:
        return refuse_print(p, "a floating-point number");
    case GT_DO_SLOT:
        return print_slot(out, p, step->target);
    case GT_DO_AND:
    case GT_DO_OR:
        return print_logical(out, p, at);
    case GT_DO_CHOOSE:
        return print_choice(out, p, at);
    default:
        return gt_operation_operands(step->operation) == 1 ? print_unary(out, p, at)
                                                           : print_binary(out, p, at);
    }
}

gputune_status gt_expression_print(gt_text *out, bool *known, int64_t *value,
                                   const gt_expression *expression, const gt_print *print)
{
    const printer p = {expression, print, expression->count - 1};
    GT_SCOPED(free_piece) piece whole = {0};
    GT_TRY(print_at(&whole, &p, expression->count - 1));
    append_piece(out, &whole, print->within);
    if (known) {
        *known = whole.is_known;
        *value = whole.value;
    }
    return out->failed ? gt_fail_memory() : GPUTUNE_OK;
}
