/* Writes the code of an expression as text: the stack machine runs on texts in place of numbers. */
#include "draft/print.h"

#include "kernel/expression_code.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

enum { PART_TEXT = 480, TIGHT = 12, PRODUCT = 10, SUM = 9, LOOSE = 1 };

/* factor * text + more; without a text: the number `more`. */
typedef struct part {
    int64_t factor, more;
    int precedence; /* of the text */
    char text[PART_TEXT];
} part;

typedef struct printer {
    const gt_expression *expression;
    const char *const *names;
    gt_text *divided;
    part stack[GT_CODE_STACK];
    int depth;
    bool failed;
} printer;

static bool is_number(const part *p)
{
    return p->text[0] == '\0';
}

static part number(int64_t value)
{
    return (part){.factor = 0, .more = value, .precedence = TIGHT};
}

static void set(printer *p, part *out, int precedence, const char *format, const char *a,
                const char *b, const char *c)
{
    part made = {.factor = 1, .precedence = precedence};
    int length = gt_snprintf(made.text, sizeof made.text, format, a, b, c);
    p->failed |= length < 0 || (size_t)length >= sizeof made.text;
    *out = made;
}

/* The whole of a part, in brackets where what is around it binds tighter. */
static void render(printer *p, char out[PART_TEXT], const part *from, int around)
{
    char product[PART_TEXT];
    const char *open = "", *close = "";
    int own = from->precedence, length;
    if (is_number(from)) {
        (void)gt_snprintf(out, PART_TEXT, from->more < 0 ? "(%lld)" : "%lld",
                          (long long)from->more);
        return;
    }
    if (from->factor == 1) {
        length = gt_snprintf(product, sizeof product, "%s", from->text);
    } else {
        bool loose = from->precedence < PRODUCT;
        length = gt_snprintf(product, sizeof product, loose ? "%lld * (%s)" : "%lld * %s",
                             (long long)from->factor, from->text);
        own = PRODUCT;
    }
    p->failed |= length < 0 || length >= PART_TEXT;
    own = from->more ? SUM : own;
    if (own < around) {
        open = "(";
        close = ")";
    }
    if (from->more) {
        length =
            gt_snprintf(out, PART_TEXT, "%s%s %c %lld%s", open, product, from->more < 0 ? '-' : '+',
                        (long long)(from->more < 0 ? -from->more : from->more), close);
    } else {
        length = gt_snprintf(out, PART_TEXT, "%s%s%s", open, product, close);
    }
    p->failed |= length < 0 || length >= PART_TEXT;
}

static void infix(printer *p, part *a, const part *b, const char *sign, int precedence)
{
    char left[PART_TEXT], right[PART_TEXT];
    render(p, left, a, precedence);
    render(p, right, b, precedence + 1);
    part out = {.factor = 1, .precedence = precedence};
    int length = gt_snprintf(out.text, sizeof out.text, "%s %s %s", left, sign, right);
    p->failed |= length < 0 || (size_t)length >= sizeof out.text;
    *a = out;
}

/* A quotient rounds up after all: its divisor need not divide. */
static void take_back(printer *p, const char *remainder, size_t length)
{
    char line[PART_TEXT + 64];
    (void)gt_snprintf(line, sizeof line, "#pragma gputune require(%.*s == 0)\n", (int)length,
                      remainder);
    char *said = p->divided ? strstr(p->divided->data ? p->divided->data : "", line) : NULL;
    if (said) {
        p->divided->length = (size_t)(said - p->divided->data);
        *said = '\0';
    }
}

/* (X - 1) / B + 1 */
static bool add_one(printer *p, part *a, const part *b)
{
    static const char less[] = " - 1) / ";
    char *found = strstr(a->text, less), whole[PART_TEXT], by[PART_TEXT];
    if (!is_number(b) || b->more != 1 || a->more || a->factor != 1 || !found || a->text[0] != '(' ||
        strchr(a->text + 1, '(') || strpbrk(found + sizeof less - 1, " ,")) {
        return false;
    }
    (void)gt_snprintf(whole, sizeof whole, "%s", a->text);
    whole[found - a->text + 6] = '%';
    take_back(p, whole, strlen(whole));
    (void)gt_snprintf(by, sizeof by, "%s", found + sizeof less - 1);
    (void)gt_snprintf(whole, sizeof whole, "%.*s", (int)(found - a->text) - 1, a->text + 1);
    set(p, a, TIGHT, "ceil_div(%s, %s)%s", whole, by, "");
    return true;
}

/* X / B + (X % B == 0 ? 0 : 1), and the other ways to write it. */
static bool add_rest(printer *p, part *a, const part *b)
{
    static const char *const rests[] = {" == 0 ? 0 : 1", " != 0 ? 1 : 0", " > 0 ? 1 : 0",
                                        " ? 1 : 0",      " != 0",         " > 0"};
    char quotient[PART_TEXT];
    const char *rest = strstr(b->text, " % "), *slash = strstr(a->text, " / ");
    if (!rest || !slash || a->factor != 1 || b->factor != 1 || b->more ||
        slash - a->text != rest - b->text) {
        return false;
    }
    for (size_t i = 0; i < sizeof rests / sizeof *rests; i++) {
        (void)gt_snprintf(quotient, sizeof quotient, "%s%s", a->text, rests[i]);
        quotient[slash - a->text + 1] = '%';
        if (strcmp(quotient, b->text) != 0) {
            continue;
        }
        take_back(p, quotient, strlen(a->text));
        char whole[PART_TEXT], by[PART_TEXT];
        (void)gt_snprintf(whole, sizeof whole, "%.*s", (int)(slash - a->text), a->text);
        (void)gt_snprintf(by, sizeof by, "%s", slash + 3);
        int64_t more = a->more;
        size_t last = strlen(by) - 1;
        bool enclosed = by[0] == '(' && by[last] == ')' && !strchr(by + 1, '(');
        by[last] = enclosed ? '\0' : by[last];
        set(p, a, TIGHT, "ceil_div(%s, %s)%s", whole, by + enclosed, "");
        a->more = more;
        return true;
    }
    return false;
}

static void add(printer *p, part *a, const part *b, int sign)
{
    int64_t more = a->more + sign * b->more;
    if (sign > 0 && (add_rest(p, a, b) || add_one(p, a, b))) {
        return;
    }
    if (is_number(b)) {
        a->more = more;
        return;
    }
    part left = *a, right = *b;
    left.more = right.more = 0;
    if (is_number(a) && sign > 0) {
        *a = right;
    } else if (!is_number(a) && strcmp(a->text, b->text) == 0) {
        a->factor += sign * b->factor;
        *a = a->factor == 0 ? number(0) : *a;
    } else if (is_number(a)) {
        infix(p, a, &right, "-", SUM);
        return;
    } else {
        infix(p, &left, &right, sign > 0 ? "+" : "-", SUM);
        *a = left;
    }
    a->more = more;
}

static void multiply(printer *p, part *a, const part *b)
{
    if (is_number(a) || is_number(b)) {
        int64_t by = is_number(a) ? a->more : b->more;
        *a = is_number(a) ? *b : *a;
        a->factor *= by;
        a->more *= by;
        *a = by == 0 ? number(0) : *a;
        return;
    }
    part left = *a, right = *b;
    int64_t factor = a->more || b->more ? 1 : a->factor * b->factor;
    if (!a->more && !b->more) {
        left.factor = right.factor = 1;
    }
    char one[PART_TEXT], other[PART_TEXT];
    render(p, one, &left, PRODUCT);
    render(p, other, &right, strchr(right.text, '/') || strchr(right.text, '%') ? TIGHT : PRODUCT);
    set(p, a, PRODUCT, "%s * %s%s", one, other, "");
    a->factor = factor;
}

/* The rest of `text` without the end or the beginning, into out; false: it has neither. */
static bool without(char out[PART_TEXT], const char *text, const char *end, const char *begin)
{
    size_t length = strlen(text), last = strlen(end), first = strlen(begin);
    if (length > last && strcmp(text + length - last, end) == 0) {
        (void)gt_snprintf(out, PART_TEXT, "%.*s", (int)(length - last), text);
        return true;
    }
    if (length > first && strncmp(text, begin, first) == 0) {
        (void)gt_snprintf(out, PART_TEXT, "%s", text + first);
        return true;
    }
    return false;
}

/* a / b where a is X + b and a number, which rounds up. */
static bool round_up(printer *p, part *a, const part *b)
{
    char by[PART_TEXT], last[PART_TEXT + 4], first[PART_TEXT + 4], whole[PART_TEXT];
    if (is_number(b) && b->more > 1 && a->more == b->more - 1) {
        a->more = 0;
        render(p, whole, a, LOOSE);
        render(p, by, b, LOOSE);
        set(p, a, TIGHT, "ceil_div(%s, %s)%s", whole, by, "");
        return true;
    }
    render(p, by, b, PRODUCT);
    (void)gt_snprintf(last, sizeof last, " + %s", by);
    (void)gt_snprintf(first, sizeof first, "%s + ", by);
    if (!is_number(b) && a->factor == 1 && a->precedence == SUM &&
        without(whole, a->text, last, first)) {
        char less[24] = "";
        if (a->more != -1) {
            (void)gt_snprintf(less, sizeof less, " %c %lld", a->more < -1 ? '-' : '+',
                              llabs((long long)a->more + 1));
        }
        a->more = 0;
        (void)gt_snprintf(whole + strlen(whole), sizeof whole - strlen(whole), "%s", less);
        render(p, by, b, LOOSE);
        set(p, a, TIGHT, "ceil_div(%s, %s)%s", whole, by, "");
        return true;
    }
    return false;
}

/* a / b where b is a factor of a. */
static bool cancel(part *a, const part *b)
{
    char last[PART_TEXT + 4], first[PART_TEXT + 4], rest[PART_TEXT];
    if (is_number(b)) {
        bool whole = b->more != 0 && a->factor % b->more == 0 && a->more % b->more == 0;
        a->factor /= whole ? b->more : 1;
        a->more /= whole ? b->more : 1;
        return whole;
    }
    if (a->more || b->more || is_number(a) || b->factor == 0 || a->factor % b->factor) {
        return false;
    }
    (void)gt_snprintf(last, sizeof last, " * %s", b->text);
    (void)gt_snprintf(first, sizeof first, "%s * ", b->text);
    if (strcmp(a->text, b->text) == 0) {
        *a = number(a->factor / b->factor);
        return true;
    }
    if (a->precedence == PRODUCT && without(rest, a->text, last, first)) {
        a->factor /= b->factor;
        memcpy(a->text, rest, sizeof rest);
        return true;
    }
    return false;
}

static void divide(printer *p, part *a, const part *divisor)
{
    char whole[PART_TEXT], by[PART_TEXT];
    part own = *divisor, *b = &own;
    for (int64_t k = 2; is_number(b) && !is_number(a) && a->more == 0 && k <= 64;) {
        bool both = a->factor % k == 0 && b->more % k == 0 && b->more > 1;
        a->factor /= both ? k : 1;
        b->more /= both ? k : 1;
        k += !both;
    }
    if (cancel(a, b) || round_up(p, a, b)) {
        return;
    }
    render(p, whole, a, PRODUCT);
    render(p, by, b, TIGHT);
    if (p->divided && !strchr(whole, '%')) {
        gt_text_printf(p->divided, "#pragma gputune require(%s %% %s == 0)\n", whole, by);
    }
    set(p, a, PRODUCT, "%s / %s%s", whole, by, "");
}

static void binary(printer *p, gt_operation operation)
{
    part *a = &p->stack[p->depth - 2];
    const part *b = &p->stack[--p->depth];
    int64_t value;
    if (is_number(a) && is_number(b)) {
        p->failed |= gt_operation_binary(&value, operation, a->more, b->more) != NULL;
        *a = number(value);
        return;
    }
    bool by_shift = is_number(b) && b->more >= 0 && b->more < 32 &&
                    (operation == GT_DO_SHIFT_LEFT || operation == GT_DO_SHIFT_RIGHT);
    part power = by_shift ? number(INT64_C(1) << b->more) : *b;
    if (operation == GT_DO_ADD || operation == GT_DO_SUBTRACT) {
        add(p, a, b, operation == GT_DO_ADD ? 1 : -1);
    } else if (operation == GT_DO_MULTIPLY || (by_shift && operation == GT_DO_SHIFT_LEFT)) {
        multiply(p, a, &power);
    } else if (operation == GT_DO_DIVIDE || by_shift) {
        divide(p, a, &power);
    } else {
        const gt_infix *sign = gt_infix_of(operation);
        if (sign) {
            infix(p, a, b, sign->sign, sign->precedence);
            return;
        }
        char first[PART_TEXT], second[PART_TEXT];
        render(p, first, a, LOOSE);
        render(p, second, b, LOOSE);
        set(p, a, TIGHT, "%s(%s, %s)", gt_function_of(operation), first, second);
    }
}

static void unary(printer *p, gt_operation operation)
{
    part *a = &p->stack[p->depth - 1];
    char text[PART_TEXT];
    if (operation == GT_DO_NEGATE) {
        part zero = number(0);
        add(p, &zero, a, -1);
        *a = zero;
        return;
    }
    const char *function = gt_function_of(operation);
    render(p, text, a, function ? LOOSE : TIGHT);
    if (function) {
        set(p, a, TIGHT, "%s(%s)%s", function, text, "");
    } else if (operation != GT_DO_TRUTH) {
        set(p, a, TIGHT, "%s%s%s", operation == GT_DO_NOT ? "!" : "~", text, "");
    }
}

static void run(printer *p, int from, int to);

/* `c ? a : b`, whose halves end where the jumps go; back: the place behind it. */
static int choice(printer *p, int at)
{
    const gt_instruction *code = p->expression->code;
    int otherwise = code[at].target, end = code[otherwise - 1].target;
    gt_text *divided = p->divided;
    char texts[3][PART_TEXT];
    const part *condition = &p->stack[p->depth - 1];
    if (is_number(condition)) {
        int64_t holds = condition->more;
        p->depth--;
        run(p, holds ? at + 1 : otherwise, holds ? otherwise - 1 : end);
        return end;
    }
    p->divided = NULL;
    run(p, at + 1, otherwise - 1);
    run(p, otherwise, end);
    p->divided = divided;
    if (!p->failed) {
        p->depth -= 2;
        for (int i = 0; i < 3; i++) {
            render(p, texts[i], &p->stack[p->depth - 1 + i], LOOSE + (i == 0));
        }
        set(p, &p->stack[p->depth - 1], 0, "%s ? %s : %s", texts[0], texts[1], texts[2]);
    }
    return end;
}

static void run(printer *p, int from, int to)
{
    const gt_instruction *code = p->expression->code;
    for (int i = from; i < to && !p->failed;) {
        const gt_instruction *one = &code[i++];
        if (one->operation == GT_DO_REAL) {
            p->failed = true; /* sizes are integers */
        } else if (one->operation == GT_DO_LITERAL || one->operation == GT_DO_SLOT) {
            bool is_slot = one->operation == GT_DO_SLOT;
            part *top = &p->stack[p->depth++];
            *top = number(is_slot ? 0 : one->integer);
            if (is_slot) {
                set(p, top, TIGHT, "%s%s%s", p->names[one->target], "", "");
            }
        } else if (one->operation == GT_DO_BRANCH) {
            i = choice(p, i - 1);
        } else if (one->operation == GT_DO_AND_SHORTCUT || one->operation == GT_DO_OR_SHORTCUT) {
            const gt_infix *sign = gt_infix_of(one->operation);
            run(p, i, one->target);
            i = one->target;
            if (!p->failed) {
                p->depth--;
                infix(p, &p->stack[p->depth - 1], &p->stack[p->depth], sign->sign,
                      sign->precedence);
            }
        } else if (one->operation >= GT_DO_BINARY && one->operation < GT_DO_SQRT) {
            binary(p, one->operation);
        } else {
            unary(p, one->operation);
        }
    }
}

bool gt_expression_print(gt_text *out, gt_text *divided, const gt_expression *expression,
                         const char *const *names)
{
    char text[PART_TEXT];
    printer *p = calloc(1, sizeof *p);
    if (!p) {
        out->failed = true;
        return false;
    }
    p->expression = expression;
    p->names = names;
    p->divided = divided;
    size_t before = divided ? divided->length : 0;
    run(p, 0, expression->count);
    if (!p->failed) {
        render(p, text, &p->stack[0], 0);
    }
    if (divided && divided->data && (p->failed || strchr(text, '?'))) { /* the rest is seen to */
        divided->length = before;
        divided->data[before] = '\0';
    }
    bool printed = !p->failed;
    gt_text_append(out, printed ? text : "");
    free(p);
    return printed;
}
