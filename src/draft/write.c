/* Writes the clauses of a first template. */
#include "draft/write.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the launch ------------------------------------------------------------------------------ */

/* Values that people use. */
typedef struct values {
    double list[GT_DRAFT_COMPARED];
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

/* A default that leaves the launch no more threads than *left, which it takes its part of. 0: there
 * is no limit. */
static void choose_within(values *out, double *left)
{
    double best = 0;
    if (*left <= 0) {
        return;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        bool fits = out->list[i] <= *left && out->list[i] <= out->chosen;
        best = fits && out->list[i] > best ? out->list[i] : best;
    }
    if (best <= 0) {
        best = *left;
        insert_value(out, best);
    }
    out->chosen = best;
    *left = fmax(1, floor(*left / best));
}

static void write_axis(gt_draft_writer *w, const char *name, const values *values, const char *why)
{
    if (gt_draft_is_declared(w, name)) {
        return;
    }
    gt_text_printf(w->out, "%s#pragma gputune tune(%s = ", why, name);
    for (uint32_t i = 0; i < values->count; i++) {
        gt_text_printf(w->out, "%s%.0f", i ? ", " : "", values->list[i]);
    }
    gt_text_printf(w->out, ")\n#pragma gputune default(%s = %.0f)\n", name, values->chosen);
}

/* A block that is a macro or a template's parameter: that is the axis. */
static void write_constant_axis(gt_draft_writer *w, uint16_t d, const char *name, double *left)
{
    static const values square = {{8, 16, 32}, 3, 16};
    const gt_draft *draft = w->draft;
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    values values = thread_dimensions(draft) > 1 ? square : usual_values(draft, d);
    if (constant && constant->has_value) {
        insert_value(&values, constant->value);
        values.chosen = constant->value;
    }
    const gt_token token = {GT_TOKEN_NAME, name, strlen(name), 0, 0};
    const gt_draft_comparison *told = gt_draft_compared_with(draft->compared, &token);
    if (told && told->is_told) {
        values.count = 0;
        for (size_t i = 0; i < told->count && i < sizeof values.list / sizeof *values.list; i++) {
            values.list[values.count++] = (double)told->numbers[i];
        }
        values.chosen = values.list[values.count / 2];
    }
    limit_values(&values, draft->dimensions[d].limit);
    choose_within(&values, left);
    if (draft->is_pinned && constant && constant->is_undefined) {
        gt_text_printf(w->out, "#pragma gputune problem(const %s = %.0f)\n", name, values.chosen);
        return;
    }
    write_axis(w, name, &values, "// guess: the code has the block's size in a name\n");
}

/* A name that the text does not use otherwise: it becomes a macro where it occurs. */
static void name_axis(gt_draft *draft, uint16_t d)
{
    static const char *const forms[] = {"BLOCK", "BLOCK_SIZE", "TUNED_BLOCK", "TUNED_BLOCK_SIZE"};
    static const char *const suffixes[] = {"_X", "_Y", "_Z"};
    const char *suffix = thread_dimensions(draft) > 1 ? suffixes[d] : "";
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        (void)gt_snprintf(draft->axes[d], GT_NAME_MAX, "%s%s", forms[i], suffix);
        if (!gt_draft_occurs(draft->text, strlen(draft->text), draft->axes[d])) {
            return;
        }
    }
}

void gt_draft_name_axes(gt_draft *draft, bool has_block)
{
    static const char *const symbols[] = {"block_x", "block_y", "block_z"};
    for (uint16_t d = 0; d < 3; d++) {
        uint16_t symbol;
        if (has_block) {
            (void)gt_snprintf(draft->axes[d], GT_NAME_MAX, "%s", symbols[d]);
        } else if (gt_polynomial_is_symbol(&draft->dimensions[d].fixed, &symbol)) {
            memcpy(draft->axes[d], draft->symbols.items[symbol].name, GT_NAME_MAX);
        } else {
            name_axis(draft, d);
        }
    }
}

static void write_axes(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    const char *before = "// guess: blocks to try\n";
    double left = draft->thread_limit, number;
    for (uint16_t d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        uint16_t symbol;
        if (gt_polynomial_is_symbol(&dimension->fixed, &symbol)) {
            const char *name = draft->symbols.items[symbol].name;
            const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
            if (constant && gt_draft_is_foreign(draft, constant)) {
                continue;
            }
            if (!strstr(gt_text_string(w->out), name) || d == 0) {
                write_constant_axis(w, d, name, &left);
            }
        } else if (gt_polynomial_is_number(&dimension->fixed, &number)) {
            left = left > 0 ? fmax(1, floor(left / number)) : 0;
        } else if (!dimension->fixed.known) {
            values values = usual_values(draft, d);
            if (draft->call && draft->call->threads[d]) {
                values.chosen = (double)draft->call->threads[d];
                insert_value(&values, values.chosen);
            }
            if (d > 0 && strcmp(draft->axes[d], draft->axes[d - 1]) == 0) {
                continue;
            }
            limit_values(&values, dimension->limit);
            choose_within(&values, &left);
            write_axis(w, w->draft->axes[d], &values, before);
            before = "";
        }
    }
}

static void append_block(gt_draft_writer *w, uint16_t d)
{
    const gt_draft_dimension *dimension = &w->draft->dimensions[d];
    const gt_call *call = w->draft->call;
    if (call && call->block[d].length > 0) {
        gt_text_append(w->out, gt_text_string(&call->block[d]));
    } else if (dimension->fixed.known) {
        gt_draft_append_sum(w, &dimension->fixed);
    } else {
        gt_text_append(w->out, w->draft->axes[d]);
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

static void append_threads(gt_draft_writer *w)
{
    for (uint16_t d = 0; d <= last_dimension(w->draft, true); d++) {
        gt_text_append(w->out, d ? " * " : "");
        append_block(w, d);
    }
}

/* Whether the block varies at all. */
static bool has_axes(const gt_draft *draft)
{
    bool has = false;
    for (uint16_t d = 0; d < 3; d++) {
        double number;
        has |= !gt_polynomial_is_number(&draft->dimensions[d].fixed, &number);
    }
    return has;
}

/* Whether the program's own block is less than a warp. */
static bool is_small(const gt_draft *draft)
{
    int64_t threads = draft->call ? 1 : 32;
    for (uint16_t d = 0; d < 3 && draft->call; d++) {
        threads *= draft->call->threads[d];
    }
    return threads > 0 && threads < 32;
}

static void write_block(gt_draft_writer *w)
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
    } else if (last_dimension(draft, true) > 0 && has_axes(draft) && !is_small(draft)) {
        gt_text_append(w->out, "#pragma gputune require(");
        append_threads(w);
        gt_text_append(w->out, " >= 32)\n");
    }
}

static void append_grid(gt_draft_writer *w, uint16_t d)
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
        gt_draft_append_sum(w, &dimension->size);
    } else {
        gt_text_append(w->out, "ceil_div(");
        gt_draft_append_sum(w, &dimension->size);
        gt_text_append(w->out, ", ");
        gt_draft_append_sum(w, &dimension->step);
        gt_text_append(w->out, ")");
    }
    gt_text_append(w->out, dimension->is_strided || w->draft->is_cooperative ? ")" : "");
}

static void write_called_grid(gt_draft_writer *w, const gt_call *call)
{
    gt_text_append(w->out, "#pragma gputune grid(");
    for (uint32_t d = 0; d < call->grid_dimensions; d++) {
        const char *text = gt_text_string(&call->grid[d]);
        bool is_limited = w->draft->is_cooperative && d == 0 && text[0]; /* all are resident */
        gt_text_printf(w->out, "%s%s%s%s", d ? ", " : "", is_limited ? "min(max_blocks, " : "",
                       text[0] ? text : "1", is_limited ? ")" : "");
    }
    gt_text_append(w->out, ")\n");
}

static void write_grid(gt_draft_writer *w)
{
    bool guessed = false;
    if (w->draft->call && w->draft->call->grid_dimensions) {
        write_called_grid(w, w->draft->call);
        return;
    }
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

static void write_shared(gt_draft_writer *w)
{
    const char *called = w->draft->call ? gt_text_string(&w->draft->call->shared) : "";
    if (called[0] && strcmp(called, "0") != 0) {
        gt_text_printf(w->out, "#pragma gputune shared(%s)\n", called);
        return;
    }
    for (size_t i = 0; i < w->draft->shared.count; i++) {
        const gt_draft_shared *shared = &w->draft->shared.items[i];
        if (shared->is_dynamic) {
            bool is_sum = shared->length.known && shared->length.count > 1;
            gt_text_printf(w->out, "// guess: %s\n#pragma gputune shared(%s",
                           shared->length.known ? "the code has no larger index of the array"
                                                : "an element of the array for each thread",
                           is_sum ? "(" : "");
            if (shared->length.known) {
                gt_draft_append_sum(w, &shared->length);
                gt_text_append(w->out, is_sum ? ")" : "");
            } else {
                append_threads(w);
            }
            gt_text_printf(w->out, " * sizeof(%s))\n", shared->type);
            return;
        }
    }
}

static void write_divides(gt_draft_writer *w, const gt_polynomial *size, const gt_polynomial *by)
{
    gt_text condition = {0}, *out = w->out;
    w->out = &condition;
    if (size->count > 1) {
        gt_text_append(&condition, "(");
    }
    gt_draft_append_sum(w, size);
    gt_text_append(&condition, size->count > 1 ? ") % " : " % ");
    bool is_product = by->terms[0].count + (by->terms[0].coefficient > 1) > 1;
    gt_text_append(&condition, is_product ? "(" : "");
    gt_draft_append_sum(w, by);
    gt_text_append(&condition, is_product ? ") == 0" : " == 0");
    w->out = out;
    if (!strstr(gt_text_string(out), gt_text_string(&condition))) {
        gt_text_printf(out,
                       "// guess: the code computes no remainder\n#pragma gputune require(%s)\n",
                       gt_text_string(&condition));
    }
    out->failed |= condition.failed;
    gt_text_free(&condition);
}

/* A tile that a loop walks by steps of the block has a whole number of them. */
static void write_walked(gt_draft_writer *w, const gt_draft_dimension *dimension)
{
    double number;
    if (!dimension->walker || gt_polynomial_is_number(&dimension->fixed, &number)) {
        return;
    }
    for (size_t i = 0; i < w->draft->guards.count; i++) {
        const gt_draft_guard *guard = &w->draft->guards.items[i];
        uint16_t symbol;
        if (gt_polynomial_is_symbol(&guard->left, &symbol) && symbol == dimension->walker &&
            guard->bound.known && guard->bound.count > 0) {
            write_divides(w, &guard->bound, &dimension->fixed);
        }
    }
}

/* What must divide sizes: a block where no comparison leaves the rest out, and what a bound is
 * divided by. */
static void write_requirements(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    if (draft->call && draft->call->grid_dimensions) {
        gt_text_append(w->out, gt_text_string(&draft->call->divided));
        return;
    }
    for (uint16_t d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        double step;
        if (dimension->is_guessed &&
            !(gt_polynomial_is_number(&dimension->step, &step) && step <= 1)) {
            write_divides(w, &dimension->size, &dimension->step);
        }
        write_walked(w, dimension);
    }
    for (size_t i = 0; i < draft->guards.count; i++) {
        gt_polynomial size, by;
        bool divides = gt_draft_quotient(draft, &draft->guards.items[i].bound, &size, &by);
        int parameter = divides ? gt_draft_first_of(draft, &size, GT_DRAFT_PARAMETER) : -1;
        if (divides && (parameter < 0 || draft->symbols.items[parameter].is_size)) {
            write_divides(w, &size, &by);
        }
    }
}

/* ---- what is right, and how much work it is -------------------------------------------------- */

/* Some bytes more or less are no work. */
static void drop_number(gt_polynomial *sum)
{
    for (uint32_t i = sum->count; i > 0; i--) {
        if (sum->terms[i - 1].count == 0) {
            sum->terms[i - 1] = sum->terms[--sum->count];
        }
    }
}

/* Every buffer once, and twice what is read and written. */
static void write_work(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    if (gt_draft_has_clause(w, "args")) {
        return; /* when that was written */
    }
    const char *bytes = draft->call ? gt_text_string(&draft->call->work) : "";
    if (bytes[0]) {
        gt_text_printf(w->out,
                       "// guess: every argument is moved once\n"
                       "#pragma gputune work(bytes = %s)\n",
                       bytes);
        return;
    }
    gt_polynomial sum = gt_polynomial_number(0);
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
        bool twice = strcmp(gt_draft_direction(draft, buffer), "inout") == 0;
        bool is_told = draft->call && draft->call->parameters[buffer->parameter].length.length > 0;
        if (is_told || !parameter->has_type || !buffer->length.known) {
            return;
        }
        sum = gt_polynomial_add(&sum, &buffer->length,
                                parameter->element.bytes * (twice ? 2.0 : 1.0));
    }
    drop_number(&sum);
    if (sum.known && sum.count > 0 && !draft->is_pinned) {
        gt_text_append(w->out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = ");
        gt_draft_append_sum(w, &sum);
        gt_text_append(w->out, ")\n");
    }
}

void gt_draft_function_name(char out[GT_NAME_MAX], const gt_draft *draft,
                            const gt_function *function)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, draft->text + function->name, function->end - function->name,
                  (gt_place){"", 1, 1});
    gt_draft_token_text(out, GT_NAME_MAX, &lexer.token);
}

/* Whether a function's name says that it is another one's reference: axpy_ref, naive_axpy. */
static bool is_reference_name(const char *name, const char *of)
{
    static const char *const words[] = {"ref", "naive", "golden", "simple", "slow", "base"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(name, of) && strlen(name) > strlen(of) && strstr(name, words[i]) &&
            !strstr(of, words[i])) {
            return true;
        }
    }
    return false;
}

bool gt_draft_is_reference(const gt_draft *draft)
{
    char own[GT_NAME_MAX], other[GT_NAME_MAX];
    gt_function function;
    gt_draft_function_name(own, draft, &draft->function);
    for (size_t at = 0; gt_function_find(&function, draft->text, NULL, at) && function.end > at;
         at = function.end) {
        gt_draft_function_name(other, draft, &function);
        if (is_reference_name(own, other)) {
            return true;
        }
    }
    return false;
}

static bool same_parameters(const gt_draft *a, const gt_draft *b)
{
    bool same = a->parameter_count == b->parameter_count;
    for (size_t i = 0; i < a->parameter_count && same; i++) {
        same = strcmp(a->parameters[i].name, b->parameters[i].name) == 0;
    }
    return same;
}

/* The reference's sizes are the problem's; false: it has some that the kernel does not take. */
static bool take_sizes(gt_draft *draft, const gt_draft *other)
{
    for (size_t i = 0; i < other->symbols.count; i++) {
        const gt_draft_symbol *symbol = &other->symbols.items[i];
        int own = symbol->is_size ? gt_draft_find_symbol(draft, symbol->name) : 0;
        if (own < 0 || (own > 0 && draft->symbols.items[own].kind != GT_DRAFT_PARAMETER)) {
            return false;
        }
        draft->symbols.items[own].is_size |= own > 0;
    }
    return true;
}

/* Another kernel of the text that takes the same and is called a reference, read with one block
 * and grid; NULL: there is none. */
static gt_draft *find_reference(gt_draft *draft)
{
    char own[GT_NAME_MAX], name[GT_NAME_MAX];
    gt_function function;
    gt_draft_function_name(own, draft, &draft->function);
    for (size_t at = 0; gt_function_find(&function, draft->text, NULL, at); at = function.end) {
        gt_draft_function_name(name, draft, &function);
        gt_draft *other = NULL;
        if (function.end <= at) {
            return NULL;
        }
        if (function.is_template || !is_reference_name(name, own) ||
            !(other = calloc(1, sizeof *other))) {
            continue;
        }
        other->path = draft->path;
        other->text = draft->text;
        other->program = draft->program;
        other->function = function;
        if (gt_draft_read(other) == GPUTUNE_OK && same_parameters(draft, other) &&
            take_sizes(draft, other)) {
            gt_draft_pin(other);
            return other;
        }
        gt_draft_free(other);
    }
    return NULL;
}

static void write_other_kernel(gt_draft_writer *w, gt_draft *other)
{
    gt_draft_writer own = {.out = w->out, .draft = other, .present = w->present};
    char name[GT_NAME_MAX];
    gt_draft_function_name(name, other, &other->function);
    gt_text_printf(w->out,
                   "// guess: by its name, '%s' says what is right\n"
                   "#pragma gputune reference(%s, block = ",
                   name, name);
    for (uint16_t d = 0; d <= last_dimension(other, true); d++) {
        gt_text_append(w->out, d ? ", " : "");
        append_block(&own, d);
    }
    gt_text_append(w->out, ", grid = ");
    other->is_pinned = true;
    for (uint16_t d = 0; d <= last_dimension(other, false); d++) {
        gt_text_append(w->out, d ? ", " : "");
        append_grid(&own, d);
    }
    gt_text_append(w->out, ")\n");
}

static void write_reference(gt_draft_writer *w)
{
    if (w->reference) {
        write_other_kernel(w, w->reference);
        return;
    }
    if (w->draft->is_cooperative) {
        bool is_told = gt_draft_has_clause(w, "kernel"); /* when that was written */
        gt_text_append(w->out, is_told ? ""
                                       : "// guess: nothing here says what is right: a kernel that "
                                         "is easy to trust, as in reference(NAME, block = 256, "
                                         "grid = 1)\n");
        return;
    }
    gt_text_append(
        w->out, "// guess: the kernel as it is by default is right; better a kernel that is easy "
                "to trust: reference(NAME)\n#pragma gputune reference(self)\n");
}

/* Other constants of the code that look as if they could be varied. */
static void write_candidates(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (constant->is_template_parameter || !constant->has_value || constant->value < 2 ||
            constant->value > 1024 || constant->is_enumerator ||
            gt_draft_is_block(draft, constant->name) || gt_draft_is_declared(w, constant->name) ||
            !gt_draft_in_kernel(draft, constant->name)) {
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

static void write_kernel(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    char name[GT_NAME_MAX];
    gt_draft_function_name(name, draft, &draft->function);
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

static void write_cooperative(gt_draft_writer *w)
{
    gt_text_append(w->out, w->draft->is_cooperative ? "#pragma gputune cooperative()\n" : "");
}

/* The clauses in their order: what is written when its word is missing. */
static const struct {
    const char *word; /* NULL: always */
    void (*write)(gt_draft_writer *);
} clauses[] = {
    {"kernel", write_kernel},
    {NULL, gt_draft_write_sizes},
    {NULL, gt_draft_write_template_parameters},
    {NULL, gt_draft_write_types},
    {NULL, gt_draft_write_undefined},
    {"constant", gt_draft_write_constants},
    {"pass", gt_draft_write_passes},
    {"args", gt_draft_write_args},
    {"texture", gt_draft_write_textures},
    {"block", write_axes},
    {"block", write_block},
    {"grid", write_grid},
    {"require", write_requirements},
    {"shared", write_shared},
    {"cooperative", write_cooperative},
    {"work", write_work},
    {"reference", write_reference},
    {"tune", write_candidates},
};

void gt_draft_write(gt_text *out, gt_draft *draft, const gt_reader *present)
{
    gt_draft_writer w = {
        .out = out, .draft = draft, .present = present, .reference = find_reference(draft)};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *word = clauses[i].word;
        bool judged = word && strcmp(word, "reference") == 0 &&
                      (gt_draft_has_clause(&w, "check") || gt_draft_has_clause(&w, "expect"));
        if (!word || (!gt_draft_has_clause(&w, word) && !judged)) {
            clauses[i].write(&w);
        }
    }
    gt_draft_free(w.reference);
}
