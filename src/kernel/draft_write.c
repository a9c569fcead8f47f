/* Writes the clauses of a first template. */
#include "kernel/draft_parts.h"
#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

/* What is written, where. */
typedef struct writer {
    gt_text *out;
    gt_draft *draft;
    const gt_reader *present;
    char axes[3][GT_NAME_MAX]; /* what expressions call a block's dimensions */
} writer;

static bool has_clause(const writer *w, const char *word)
{
    for (size_t i = 0; i < w->present->clauses.count; i++) {
        if (strcmp(w->present->clauses.items[i].word, word) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether a clause gives a value to the name: `NAME = …`. */
static bool is_declared(const writer *w, const char *name)
{
    for (size_t i = 0; i < w->present->clauses.count; i++) {
        for (gt_lexer body = w->present->clauses.items[i].body; body.token.kind != GT_TOKEN_END;) {
            bool is_name = gt_lexer_is(&body, name);
            gt_lexer_next(&body);
            if (is_name && gt_lexer_is(&body, "=")) {
                return true;
            }
        }
    }
    return false;
}

static bool occurs(const char *text, size_t length, const char *name)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, text, length, (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !gt_lexer_is(&lexer, name)) {
        gt_lexer_next(&lexer);
    }
    return lexer.token.kind != GT_TOKEN_END;
}

static bool in_kernel(const gt_draft *draft, const char *name)
{
    const gt_function *function = &draft->function;
    return occurs(draft->text + function->global, function->end - function->global, name);
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static const char *name_of(const writer *w, uint16_t symbol)
{
    const char *name = w->draft->symbols.items[symbol].name;
    const char *dot = strchr(name, '.');
    if (symbol >= GT_DRAFT_BLOCK_DIM && symbol < GT_DRAFT_GRID_DIM) {
        return w->axes[symbol - GT_DRAFT_BLOCK_DIM];
    }
    return dot ? dot + 1 : name;
}

/* The product of the powers whose exponents have that sign, behind a number unless that is 1. */
static void append_product(writer *w, const gt_monomial *term, double number, int sign)
{
    bool first = true;
    if (number < 1 || number > 1) {
        gt_text_printf(w->out, "%.0f", number);
        first = false;
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent * sign; e > 0; e--) {
            gt_text_printf(w->out, "%s%s", first ? "" : " * ", name_of(w, term->powers[k].symbol));
            first = false;
        }
    }
    gt_text_append(w->out, first ? "1" : "");
}

static void append_term(writer *w, const gt_monomial *term)
{
    double number = term->coefficient < 0 ? -term->coefficient : term->coefficient, below = 1;
    bool is_fraction = number < 1;
    for (uint32_t k = 0; k < term->count; k++) {
        is_fraction |= term->powers[k].exponent < 0;
    }
    if (number < 1) {
        below = 1 / number;
        number = 1;
    }
    gt_text_append(w->out, is_fraction ? "ceil_div(" : "");
    append_product(w, term, number, 1);
    if (is_fraction) {
        gt_text_append(w->out, ", ");
        append_product(w, term, below, -1);
        gt_text_append(w->out, ")");
    }
}

/* Terms of the highest degree first. */
static void append_sum(writer *w, const gt_polynomial *p)
{
    enum { DEGREE_MAX = 8 };
    bool first = true;
    for (int degree = DEGREE_MAX; degree >= -DEGREE_MAX; degree--) {
        for (uint32_t i = 0; i < p->count; i++) {
            if (gt_monomial_degree(&p->terms[i]) != degree) {
                continue;
            }
            bool minus = p->terms[i].coefficient < 0;
            gt_text_append(w->out, first ? (minus ? "-" : "") : minus ? " - " : " + ");
            append_term(w, &p->terms[i]);
            first = false;
        }
    }
    gt_text_append(w->out, first ? "0" : "");
}

/* How many indices of the buffer's accesses a symbol is multiplied with: the innermost extent, most
 * often. */
static uint32_t times_stride(const gt_draft *draft, uint32_t buffer, uint16_t symbol)
{
    uint32_t count = 0;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        const gt_draft_access *access = &draft->accesses.items[i];
        gt_polynomial plain = gt_draft_expand(draft, access->index, true);
        gt_polynomial factor = gt_polynomial_factor(&plain, symbol);
        count += access->buffer == buffer && factor.known ? factor.count : 0;
    }
    return count;
}

/* `[h][w]` of h * w elements, slowest first; false: it is no such product. */
static bool append_extents(writer *w, uint32_t buffer, const gt_polynomial *length)
{
    uint16_t order[3];
    uint32_t count = 0;
    const gt_monomial *term = &length->terms[0];
    if (length->count != 1 || term->coefficient > 1 || term->coefficient < 1) {
        return false;
    }
    for (uint32_t k = 0; k < term->count; k++) {
        for (int e = term->powers[k].exponent; e != 0; e--) {
            if (e < 0 || count == 3) {
                return false;
            }
            uint32_t at = count++;
            uint32_t own = times_stride(w->draft, buffer, term->powers[k].symbol);
            for (; at > 0 && times_stride(w->draft, buffer, order[at - 1]) > own; at--) {
                order[at] = order[at - 1];
            }
            order[at] = term->powers[k].symbol;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        gt_text_printf(w->out, "[%s]", name_of(w, order[i]));
    }
    return count > 0;
}

/* ---- problem and arguments --------------------------------------------------------------------
 */

/* The constant that is the kernel's block in a dimension, so that it is an axis. */
static bool is_block(const gt_draft *draft, const char *name)
{
    for (uint16_t d = 0; d < 3; d++) {
        uint16_t symbol;
        if (gt_polynomial_is_symbol(&draft->dimensions[d].fixed, &symbol) &&
            strcmp(draft->symbols.items[symbol].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void write_sizes(writer *w)
{
    gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->symbols.count; i++) {
        const gt_draft_symbol *symbol = &draft->symbols.items[i];
        const char *name = name_of(w, (uint16_t)i);
        if (!symbol->is_size || is_declared(w, name)) {
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: '%s' is a size of the problem%s; the value to measure at\n", name,
                       symbol->kind == GT_DRAFT_SIZE ? " that is no parameter" : "");
        gt_text_printf(w->out, "#pragma gputune problem(%s = 1 << %d)\n", name,
                       __builtin_ctz((unsigned)symbol->value));
    }
}

static void write_template_parameters(writer *w)
{
    gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (!constant->is_template_parameter || is_declared(w, constant->name) ||
            is_block(draft, constant->name)) {
            continue;
        }
        if (constant->is_type) {
            gt_text_printf(w->out,
                           "// guess: the types to compile for\n"
                           "#pragma gputune problem(type %s = float, double)\n",
                           constant->name);
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: what is computed depends on %s; if it does not, it is an axis: "
                       "tune(%s = …)\n#pragma gputune problem(const %s = %.0f)\n",
                       constant->name, constant->name, constant->name,
                       constant->has_value ? constant->value : 1);
    }
}

/* Names that the text uses and nothing defines, as far as indices have them. */
static void write_undefined(writer *w)
{
    gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->accesses.count; i++) {
        gt_polynomial plain = gt_draft_expand(draft, draft->accesses.items[i].index, true);
        for (uint32_t t = 0; t < plain.count; t++) {
            for (uint32_t k = 0; k < plain.terms[t].count; k++) {
                const gt_draft_symbol *symbol =
                    &draft->symbols.items[plain.terms[t].powers[k].symbol];
                if (symbol->kind == GT_DRAFT_CONSTANT && !is_block(draft, symbol->name) &&
                    !gt_draft_constant_of(draft, symbol->name) && !is_declared(w, symbol->name) &&
                    !strstr(gt_text_string(w->out), symbol->name)) {
                    gt_text_printf(w->out,
                                   "// guess: nothing here defines '%s'\n"
                                   "#pragma gputune problem(const %s = 1)\n",
                                   symbol->name, symbol->name);
                }
            }
        }
    }
}

static gt_polynomial whole_problem(const gt_draft *draft)
{
    gt_polynomial all = gt_polynomial_number(1);
    for (uint16_t d = 0; d < 3; d++) {
        all = gt_polynomial_multiply(&all, &draft->dimensions[d].size);
    }
    return all;
}

static const char *direction_of(const gt_draft *draft, const gt_draft_buffer *buffer)
{
    if (draft->parameters[buffer->parameter].is_const || !buffer->is_written) {
        return "in";
    }
    return buffer->is_read ? "inout" : "out";
}

/* What the elements of a buffer of integers hold; "": nothing need be said. */
static void append_fill(writer *w, gt_text *notes, const gt_draft_buffer *buffer)
{
    const gt_draft *draft = w->draft;
    const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
    const gt_draft_constant *constant = gt_draft_constant_of(draft, parameter->words);
    bool is_float = parameter->has_type ? gt_type_is_float(parameter->element.type)
                                        : constant && constant->is_type;
    const char *direction = direction_of(draft, buffer);
    if (is_float || strcmp(direction, "out") == 0) {
        return;
    }
    gt_text_printf(notes, "// guess: what '%s' holds\n", parameter->name);
    if (buffer->total) {
        gt_text_printf(w->out, " = prefix(%s)", draft->symbols.items[buffer->total].name);
    } else if (buffer->indexed >= 0) {
        const gt_polynomial *length = &draft->buffers[buffer->indexed].length;
        gt_polynomial all = length->known ? *length : whole_problem(draft);
        gt_text_append(w->out, " = uniform(0, ");
        append_sum(w, &all);
        gt_text_append(w->out, " - 1)");
    } else if (strcmp(direction, "inout") == 0) {
        gt_text_append(w->out, " = zero");
    } else {
        gt_text_append(w->out, parameter->has_type && parameter->element.type == GT_TYPE_BOOL
                                   ? " = uniform(0, 1)"
                                   : " = uniform(0, 99)");
    }
}

static void append_buffer(writer *w, gt_text *notes, uint32_t index)
{
    gt_draft *draft = w->draft;
    const gt_draft_buffer *buffer = &draft->buffers[index];
    const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
    gt_polynomial length = buffer->length;
    if (!length.known) {
        length = whole_problem(draft);
        gt_text_printf(notes, "// guess: how long '%s' is, of which the code says nothing plain\n",
                       parameter->name);
    }
    if (buffer->is_passed_on && !parameter->is_const) {
        gt_text_printf(notes, "// guess: '%s' is read and written by a function that it goes to\n",
                       parameter->name);
    }
    gt_text_printf(w->out, "%s %s %s", direction_of(draft, buffer), parameter->words,
                   parameter->name);
    if (!append_extents(w, index, &length)) {
        gt_text_append(w->out, "[");
        append_sum(w, &length);
        gt_text_append(w->out, "]");
    }
    append_fill(w, notes, buffer);
}

static void append_scalar(writer *w, gt_text *notes, const gt_function_parameter *parameter)
{
    const gt_draft *draft = w->draft;
    int symbol = gt_draft_find_symbol(draft, parameter->name);
    const gt_draft_constant *constant = gt_draft_constant_of(draft, parameter->words);
    bool is_float = parameter->has_type ? gt_type_is_float(parameter->element.type)
                                        : constant && constant->is_type;
    gt_text_printf(w->out, "%s %s", parameter->words, parameter->name);
    if (symbol >= 0 && draft->symbols.items[symbol].is_size) {
        return;
    }
    gt_text_printf(notes, "// guess: the value of '%s'\n", parameter->name);
    gt_text_append(w->out, is_float ? " = 1.5" : " = 1");
}

static int buffer_of(const gt_draft *draft, uint32_t parameter)
{
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        if (draft->buffers[i].parameter == parameter) {
            return (int)i;
        }
    }
    return -1;
}

/* One clause, its notes before it; long lists go on in the next line. */
static void write_args(writer *w)
{
    enum { WIDTH = 96 };
    gt_text *out = w->out, notes = {0}, list = {0};
    size_t line = 0;
    gt_text_append(&notes, "// guess: what is read and written, and how much of it\n");
    gt_text_append(&list, "#pragma gputune args(");
    for (uint32_t i = 0; i < w->draft->parameter_count; i++) {
        gt_text item = {0};
        int buffer = buffer_of(w->draft, i);
        w->out = &item;
        if (buffer >= 0) {
            append_buffer(w, &notes, (uint32_t)buffer);
        } else {
            append_scalar(w, &notes, &w->draft->parameters[i]);
        }
        gt_text_append(&list, i ? "," : "");
        bool wraps = i && list.length - line + item.length > WIDTH;
        line = wraps ? list.length : line;
        gt_text_append(&list, wraps ? " \\\n                     " : i ? " " : "");
        gt_text_append(&list, gt_text_string(&item));
        out->failed |= item.failed;
        gt_text_free(&item);
    }
    w->out = out;
    gt_text_printf(out, "%s%s)\n", gt_text_string(&notes), gt_text_string(&list));
    out->failed |= notes.failed || list.failed;
    gt_text_free(&notes);
    gt_text_free(&list);
}

/* ---- the launch -------------------------------------------------------------------------------
 */

/* Values that people use. */
typedef struct values {
    double list[8];
    uint32_t count;
    double chosen;
} values;

static uint32_t thread_dimensions(const gt_draft *draft)
{
    uint32_t count = 0;
    for (uint16_t d = 0; d < 3; d++) {
        count += draft->dimensions[d].has_threads;
    }
    return count;
}

static values usual_values(const gt_draft *draft, uint16_t d)
{
    static const values line = {{64, 128, 256, 512, 1024}, 5, 256};
    static const values plane[] = {{{8, 16, 32, 64, 128}, 5, 32}, {{1, 2, 4, 8, 16}, 5, 8}};
    static const values space[] = {
        {{8, 16, 32, 64}, 4, 32}, {{1, 2, 4, 8}, 4, 4}, {{1, 2, 4, 8}, 4, 2}};
    uint32_t count = thread_dimensions(draft);
    return count < 2 ? line : count == 2 ? plane[d > 0] : space[d];
}

static void insert_value(values *out, double value)
{
    uint32_t at = out->count;
    for (uint32_t i = 0; i < out->count; i++) {
        if (!(out->list[i] < value || out->list[i] > value)) {
            return;
        }
    }
    for (out->count++; at > 0 && out->list[at - 1] > value; at--) {
        out->list[at] = out->list[at - 1];
    }
    out->list[at] = value;
}

static void limit_values(values *out, double limit)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < out->count && limit > 0; i++) {
        if (out->list[i] <= limit) {
            out->list[kept++] = out->list[i];
        }
    }
    out->count = limit > 0 ? kept : out->count;
    if (out->count == 0) {
        out->list[out->count++] = limit;
    }
    if (limit > 0 && out->chosen > limit) {
        out->chosen = out->list[out->count - 1];
    }
}

static void write_axis(writer *w, const char *name, const values *values, const char *why)
{
    if (is_declared(w, name)) {
        return;
    }
    gt_text_printf(w->out, "%s#pragma gputune tune(%s = ", why, name);
    for (uint32_t i = 0; i < values->count; i++) {
        gt_text_printf(w->out, "%s%.0f", i ? ", " : "", values->list[i]);
    }
    gt_text_printf(w->out, ")\n#pragma gputune default(%s = %.0f)\n", name, values->chosen);
}

/* A block that is a macro or a template's parameter: that is the axis. */
static void write_constant_axis(writer *w, uint16_t d, const char *name)
{
    static const values square = {{8, 16, 32}, 3, 16};
    const gt_draft *draft = w->draft;
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    values values = thread_dimensions(draft) > 1 ? square : usual_values(draft, d);
    if (constant && constant->has_value) {
        insert_value(&values, constant->value);
        values.chosen = constant->value;
    }
    limit_values(&values, draft->dimensions[d].limit);
    write_axis(w, name, &values, "// guess: the code has the block's size in a name\n");
}

/* A name that the text does not use otherwise: it becomes a macro where it occurs. */
static void name_axis(writer *w, uint16_t d)
{
    static const char *const forms[] = {"BLOCK", "BLOCK_SIZE", "TUNED_BLOCK", "TUNED_BLOCK_SIZE"};
    static const char *const suffixes[] = {"_X", "_Y", "_Z"};
    const char *suffix = thread_dimensions(w->draft) > 1 ? suffixes[d] : "";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        (void)gt_snprintf(w->axes[d], GT_NAME_MAX, "%s%s", forms[i], suffix);
        if (!occurs(w->draft->text, strlen(w->draft->text), w->axes[d])) {
            return;
        }
    }
}

static void name_axes(writer *w)
{
    static const char *const symbols[] = {"block_x", "block_y", "block_z"};
    for (uint16_t d = 0; d < 3; d++) {
        if (has_clause(w, "block")) {
            (void)gt_snprintf(w->axes[d], GT_NAME_MAX, "%s", symbols[d]);
        } else {
            name_axis(w, d);
        }
    }
}

static void write_axes(writer *w)
{
    const gt_draft *draft = w->draft;
    const char *before = "// guess: blocks to try\n";
    for (uint16_t d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        uint16_t symbol;
        if (gt_polynomial_is_symbol(&dimension->fixed, &symbol)) {
            const char *name = draft->symbols.items[symbol].name;
            if (!strstr(gt_text_string(w->out), name) || d == 0) {
                write_constant_axis(w, d, name);
            }
        } else if (!dimension->fixed.known) {
            values values = usual_values(draft, d);
            limit_values(&values, dimension->limit);
            write_axis(w, w->axes[d], &values, before);
            before = "";
        }
    }
}

static void append_block(writer *w, uint16_t d)
{
    const gt_draft_dimension *dimension = &w->draft->dimensions[d];
    if (dimension->fixed.known) {
        append_sum(w, &dimension->fixed);
    } else {
        gt_text_append(w->out, w->axes[d]);
    }
}

static uint16_t last_dimension(const gt_draft *draft, bool threads)
{
    uint16_t last = 0;
    for (uint16_t d = 0; d < 3; d++) {
        bool has = threads ? draft->dimensions[d].has_threads : draft->dimensions[d].has_blocks;
        last = has ? d : last;
    }
    return last;
}

static void append_threads(writer *w)
{
    for (uint16_t d = 0; d <= last_dimension(w->draft, true); d++) {
        gt_text_append(w->out, d ? " * " : "");
        append_block(w, d);
    }
}

static void write_block(writer *w)
{
    const gt_draft *draft = w->draft;
    if (draft->is_pinned) {
        gt_text_append(w->out, "// guess: this block alone, as the length of an argument depends "
                               "on it\n");
    }
    gt_text_append(w->out, "#pragma gputune block(");
    for (uint16_t d = 0; d <= last_dimension(draft, true); d++) {
        gt_text_append(w->out, d ? ", " : "");
        append_block(w, d);
    }
    gt_text_append(w->out, ")\n");
    if (draft->thread_limit > 0) {
        gt_text_append(w->out, "#pragma gputune require(");
        append_threads(w);
        gt_text_printf(w->out, " <= %.0f) // __launch_bounds__\n", draft->thread_limit);
    } else if (last_dimension(draft, true) > 0 && !draft->is_pinned) {
        gt_text_append(w->out, "#pragma gputune require(");
        append_threads(w);
        gt_text_append(w->out, " >= 32)\n");
    }
}

static void append_grid(writer *w, uint16_t d)
{
    const gt_draft_dimension *dimension = &w->draft->dimensions[d];
    double number;
    if (dimension->is_strided && w->draft->is_pinned) {
        gt_text_printf(w->out, "%d", GT_DRAFT_STRIDED_GRID);
        return;
    }
    gt_text_append(w->out,
                   dimension->is_strided || w->draft->is_cooperative ? "min(max_blocks, " : "");
    if (gt_polynomial_is_number(&dimension->step, &number) && number <= 1) {
        append_sum(w, &dimension->size);
    } else {
        gt_text_append(w->out, "ceil_div(");
        append_sum(w, &dimension->size);
        gt_text_append(w->out, ", ");
        append_sum(w, &dimension->step);
        gt_text_append(w->out, ")");
    }
    gt_text_append(w->out, dimension->is_strided || w->draft->is_cooperative ? ")" : "");
}

static void write_grid(writer *w)
{
    bool guessed = false;
    uint16_t last = last_dimension(w->draft, false);
    for (uint16_t d = 0; d <= last; d++) {
        guessed |= w->draft->dimensions[d].is_guessed;
    }
    gt_text_append(w->out, guessed ? "// guess: no comparison in the kernel says how far the grid "
                                     "goes, and whether sizes must divide\n"
                                   : "");
    gt_text_append(w->out, "#pragma gputune grid(");
    for (uint16_t d = 0; d <= last; d++) {
        gt_text_append(w->out, d ? ", " : "");
        append_grid(w, d);
    }
    gt_text_append(w->out, ")\n");
}

static void write_shared(writer *w)
{
    for (size_t i = 0; i < w->draft->shared.count; i++) {
        const gt_draft_shared *shared = &w->draft->shared.items[i];
        if (shared->is_dynamic) {
            gt_text_printf(w->out,
                           "// guess: one element of '%s' for each thread\n"
                           "#pragma gputune shared(",
                           shared->name);
            append_threads(w);
            gt_text_printf(w->out, " * sizeof(%s))\n", shared->type);
            return;
        }
    }
}

/* ---- what is right, and how much work it is ---------------------------------------------------
 */

/* Every buffer once, and twice what is read and written. */
static void write_work(writer *w)
{
    const gt_draft *draft = w->draft;
    gt_polynomial sum = gt_polynomial_number(0);
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
        bool twice = strcmp(direction_of(draft, buffer), "inout") == 0;
        if (!parameter->has_type || !buffer->length.known) {
            return;
        }
        sum = gt_polynomial_add(&sum, &buffer->length,
                                parameter->element.bytes * (twice ? 2.0 : 1.0));
    }
    if (sum.known && sum.count > 0 && !draft->is_pinned) {
        gt_text_append(w->out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = ");
        append_sum(w, &sum);
        gt_text_append(w->out, ")\n");
    }
}

static void write_reference(writer *w)
{
    if (w->draft->is_cooperative) {
        gt_text_append(w->out,
                       "// guess: nothing here says what is right: a kernel that is easy to "
                       "trust, as in reference(NAME, block = 256, grid = 1)\n");
        return;
    }
    gt_text_append(
        w->out, "// guess: the kernel as it is by default is right; better a kernel that is easy "
                "to trust: reference(NAME)\n#pragma gputune reference(self)\n");
}

/* Other constants of the code that look as if they could be varied. */
static void write_candidates(writer *w)
{
    const gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (constant->is_template_parameter || !constant->has_value || constant->value < 2 ||
            constant->value > 1024 || is_block(draft, constant->name) ||
            is_declared(w, constant->name) || !in_kernel(draft, constant->name)) {
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: if results do not depend on '%s' (line %d), it may be an "
                       "axis: put its definition between #ifndef %s and #endif, and add\n"
                       "// #pragma gputune tune(%s = %.0f, %.0f, %.0f)\n",
                       constant->name, constant->first_line, constant->name, constant->name,
                       constant->value / 2 < 1 ? 1 : constant->value / 2, constant->value,
                       constant->value * 2);
    }
}

static void write_kernel(writer *w)
{
    const gt_draft *draft = w->draft;
    char name[GT_NAME_MAX];
    const gt_token token = {GT_TOKEN_NAME, draft->text + draft->function.name, 0, 0, 0};
    gt_lexer lexer;
    gt_lexer_open(&lexer, token.text, strlen(token.text), (gt_place){"", 1, 1});
    gt_draft_token_text(name, sizeof name, &lexer.token);
    gt_text_printf(w->out, "#pragma gputune kernel(%s%s%s", draft->function.scope,
                   draft->function.scope[0] ? "::" : "", name);
    if (draft->function.is_template) {
        bool first = true;
        for (size_t i = 0; i < draft->constants.count; i++) {
            if (draft->constants.items[i].is_template_parameter) {
                gt_text_printf(w->out, "%s%s", first ? "<" : ", ", draft->constants.items[i].name);
                first = false;
            }
        }
        gt_text_append(w->out, first ? "" : ">");
    }
    gt_text_append(w->out, ")\n");
}

/* The clauses in their order: what is written when its word is missing. */
static const struct {
    const char *word; /* NULL: always */
    void (*write)(writer *);
} clauses[] = {{"kernel", write_kernel},
               {NULL, write_sizes},
               {NULL, write_template_parameters},
               {NULL, write_undefined},
               {"args", write_args},
               {"block", write_axes},
               {"block", write_block},
               {"grid", write_grid},
               {"shared", write_shared},
               {"work", write_work},
               {"reference", write_reference},
               {NULL, write_candidates}};

void gt_draft_write(gt_text *out, gt_draft *draft, const gt_reader *present)
{
    writer w = {.out = out, .draft = draft, .present = present};
    name_axes(&w);
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *word = clauses[i].word;
        bool judged = word && strcmp(word, "reference") == 0 &&
                      (has_clause(&w, "check") || has_clause(&w, "expect"));
        if (!word || (!has_clause(&w, word) && !judged)) {
            clauses[i].write(&w);
        }
    }
    if (draft->is_cooperative && !has_clause(&w, "cooperative")) {
        gt_text_append(out, "#pragma gputune cooperative()\n");
    }
}
