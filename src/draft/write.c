/* Writes the clauses of a first template. */
#include "draft/parts.h"

#include "base/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------ */

/* Values to try, and the default among them. */
typedef struct choice {
    gt_values values;
    int64_t chosen;
} choice;

static uint32_t thread_dimensions(const gt_draft *draft)
{
    uint32_t count = 0;
    for (int d = 0; d < 3; d++) {
        count += draft->dimensions[d].has_threads;
    }
    return count;
}

/* Those that people use. */
static choice usual_values(const gt_draft *draft, int d)
{
    static const choice line = {{{64, 128, 256, 512, 1024}, 5}, 256};
    static const choice plane[] = {{{{8, 16, 32, 64, 128}, 5}, 32}, {{{1, 2, 4, 8, 16}, 5}, 8}};
    static const choice space[] = {
        {{{8, 16, 32, 64}, 4}, 32}, {{{1, 2, 4, 8}, 4}, 4}, {{{1, 2, 4, 8}, 4}, 2}};
    uint32_t count = thread_dimensions(draft);
    return count < 2 ? line : count == 2 ? plane[d > 0] : space[d];
}

/* Leaves no value above the limit, nor a default; 0: there is none. */
static void limit_values(choice *out, double limit)
{
    gt_values *values = &out->values;
    const int64_t most = limit > 0 ? (int64_t)limit : INT64_MAX;
    while (values->count > 0 && values->list[values->count - 1] > most) {
        values->count--;
    }
    if (values->count == 0) {
        values->list[values->count++] = most;
    }
    out->chosen = out->chosen > most ? values->list[values->count - 1] : out->chosen;
}

/* A default that leaves the launch no more threads than *left, which it takes its part of. 0: there
 * is no limit. */
static void choose_within(choice *out, double *left)
{
    int64_t best = 0;
    for (size_t i = 0; i < out->values.count; i++) {
        const int64_t value = out->values.list[i];
        best = (double)value <= *left && value <= out->chosen ? value : best;
    }
    if (*left > 0) {
        out->chosen = best > 0 ? best : (int64_t)*left;
        gt_values_add(&out->values, out->chosen);
        *left = fmax(1, floor(*left / (double)out->chosen));
    }
}

static void write_axis(gt_draft *draft, const char *name, const choice *choice, const char *why)
{
    if (!gt_draft_is_declared(draft, name)) {
        gt_text_printf(draft->out, "%s#pragma gputune tune(%s = ", why, name);
        gt_draft_append_values(draft->out, &choice->values);
        gt_text_printf(draft->out, ")\n#pragma gputune default(%s = %lld)\n", name,
                       (long long)choice->chosen);
    }
}

/* A block that is a macro or a template's parameter: that is the axis. */
static void write_constant_axis(gt_draft *draft, int d, const char *name, double *left)
{
    static const choice square = {{{8, 16, 32}, 3}, 16};
    const gt_draft_constant *constant = gt_draft_constant_of(draft, name);
    const gt_draft_comparison *told = gt_draft_compared_with(draft->compared, name);
    choice choice = thread_dimensions(draft) > 1 ? square : usual_values(draft, d);
    if (constant && constant->has_value) {
        choice.chosen = (int64_t)constant->value;
        gt_values_add(&choice.values, choice.chosen);
    }
    if (told && told->is_told) {
        choice.values = told->values;
        choice.chosen = told->values.list[told->values.count / 2];
    }
    limit_values(&choice, draft->dimensions[d].limit);
    choose_within(&choice, left);
    if (draft->is_pinned && constant &&
        (constant->is_undefined || constant->is_template_parameter)) {
        gt_text_printf(draft->out, "#pragma gputune problem(const %s = %lld)\n", name,
                       (long long)choice.chosen);
        return;
    }
    write_axis(draft, name, &choice, "// guess: the code has the block's size in a name\n");
}

/* A name that the text does not use otherwise: it becomes a macro where it occurs. */
static void name_axis(gt_draft *draft, int d)
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
    for (int d = 0; d < 3; d++) {
        const char *fixed = has_block ? symbols[d] : gt_draft_fixed_name(draft, d);
        if (fixed) {
            (void)gt_snprintf(draft->axes[d], GT_NAME_MAX, "%s", fixed);
        } else {
            name_axis(draft, d);
        }
    }
}

static const char *axis_of(const gt_draft *draft, int d)
{
    const char *fixed = gt_draft_fixed_name(draft, d);
    return fixed ? fixed : draft->axes[d];
}

/* Whether the axis is that of a dimension before. */
static bool is_again(const gt_draft *draft, int d)
{
    bool again = false;
    for (int e = 0; e < d; e++) {
        again |=
            draft->dimensions[e].has_threads && strcmp(axis_of(draft, e), axis_of(draft, d)) == 0;
    }
    return again;
}

static void write_axes(gt_draft *draft)
{
    const char *before = "// guess: blocks to try\n";
    double left = draft->thread_limit, number;
    for (int d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        const char *name = gt_draft_fixed_name(draft, d);
        const gt_draft_constant *constant = gt_draft_fixed_constant(draft, d);
        if (name) {
            if (!(constant && gt_draft_is_foreign(draft, constant)) && !is_again(draft, d)) {
                write_constant_axis(draft, d, name, &left);
            }
        } else if (gt_sum_is_number(&dimension->fixed, &number)) {
            left = left > 0 ? fmax(1, floor(left / number)) : 0;
        } else if (!dimension->fixed.known) {
            choice choice = usual_values(draft, d);
            if (draft->call.threads[d]) {
                choice.chosen = draft->call.threads[d];
                gt_values_add(&choice.values, choice.chosen);
            }
            if (!is_again(draft, d)) {
                limit_values(&choice, dimension->limit);
                choose_within(&choice, &left);
                write_axis(draft, draft->axes[d], &choice, before);
                before = "";
            }
        }
    }
}

static void write_items(gt_draft *draft)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        choice choice = {{{1, 2, 4, 8}, 4}, (int64_t)constant->value};
        if (constant->is_items) {
            gt_values_add(&choice.values, choice.chosen);
            write_axis(draft, constant->name, &choice,
                       "// guess: how many elements each thread has\n");
        }
    }
}

/* ---- the launch ------------------------------------------------------------------------------ */

static void append_block(gt_draft *draft, int d)
{
    const gt_draft_dimension *dimension = &draft->dimensions[d];
    if (draft->call.block[d][0]) {
        gt_text_append(draft->out, draft->call.block[d]);
    } else if (dimension->fixed.known) {
        gt_draft_append_sum(draft, &dimension->fixed);
    } else {
        gt_text_append(draft->out, draft->axes[d]);
    }
}

static int last_dimension(const gt_draft *draft, bool threads)
{
    int last = 0;
    for (int d = 0; d < 3; d++) {
        bool has = threads ? draft->dimensions[d].has_threads : draft->dimensions[d].has_blocks;
        last = has ? d : last;
    }
    return last;
}

static void append_blocks(gt_draft *draft, const char *between)
{
    for (int d = 0; d <= last_dimension(draft, true); d++) {
        gt_text_append(draft->out, d ? between : "");
        append_block(draft, d);
    }
}

/* Whether the block varies, and the program's own is a warp or more. */
static bool needs_warp(const gt_draft *draft)
{
    bool varies = false;
    int64_t threads = draft->is_called ? 1 : 32;
    for (int d = 0; d < 3; d++) {
        double number;
        varies |= !gt_sum_is_number(&draft->dimensions[d].fixed, &number);
        threads *= draft->is_called ? draft->call.threads[d] : 1;
    }
    return varies && (threads <= 0 || threads >= 32);
}

static void write_block(gt_draft *draft)
{
    if (draft->is_pinned) {
        gt_text_append(draft->out,
                       "// guess: this block alone, as the length of an argument depends "
                       "on it\n");
    }
    gt_text_append(draft->out, "#pragma gputune block(");
    append_blocks(draft, ", ");
    gt_text_append(draft->out, ")\n");
    if (draft->thread_limit > 0 || (last_dimension(draft, true) > 0 && needs_warp(draft))) {
        gt_text_append(draft->out, "#pragma gputune require(");
        append_blocks(draft, " * ");
        if (draft->thread_limit > 0) {
            gt_text_printf(draft->out, " <= %.0f) // __launch_bounds__\n", draft->thread_limit);
        } else {
            gt_text_append(draft->out, " >= 32)\n");
        }
    }
}

static void append_grid(gt_draft *draft, int d)
{
    const gt_draft_dimension *dimension = &draft->dimensions[d];
    const bool is_limited = dimension->is_strided || draft->is_cooperative;
    double number;
    if (dimension->is_strided && draft->is_pinned) {
        gt_text_printf(draft->out, "%d", GT_DRAFT_STRIDED_GRID);
        return;
    }
    gt_text_append(draft->out, is_limited ? "min(max_blocks, " : "");
    if (gt_sum_is_number(&dimension->step, &number) && number <= 1) {
        gt_draft_append_sum(draft, &dimension->size);
    } else {
        gt_text_append(draft->out, "ceil_div(");
        gt_draft_append_sum(draft, &dimension->size);
        gt_text_append(draft->out, ", ");
        gt_draft_append_sum(draft, &dimension->step);
        gt_text_append(draft->out, ")");
    }
    gt_text_append(draft->out, is_limited ? ")" : "");
}

static void append_grids(gt_draft *draft)
{
    for (int d = 0; d <= last_dimension(draft, false); d++) {
        gt_text_append(draft->out, d ? ", " : "");
        append_grid(draft, d);
    }
}

static void write_grid(gt_draft *draft)
{
    const gt_call *call = &draft->call;
    bool guessed = false;
    for (int d = 0; d <= last_dimension(draft, false); d++) {
        guessed |= draft->dimensions[d].is_guessed && !call->grid_dimensions;
    }
    gt_text_append(draft->out, guessed
                                   ? "// guess: no comparison in the kernel says how far the grid "
                                     "goes, and whether sizes must divide\n"
                                   : "");
    gt_text_append(draft->out, "#pragma gputune grid(");
    for (uint32_t d = 0; d < call->grid_dimensions; d++) {
        const char *text = call->grid[d];
        bool is_limited = draft->is_cooperative && d == 0 && text[0]; /* all are resident */
        gt_text_printf(draft->out, "%s%s%s%s", d ? ", " : "", is_limited ? "min(max_blocks, " : "",
                       text[0] ? text : "1", is_limited ? ")" : "");
    }
    if (!call->grid_dimensions) {
        append_grids(draft);
    }
    gt_text_append(draft->out, ")\n");
}

static void write_shared(gt_draft *draft)
{
    const char *called = draft->call.shared;
    if (called[0] && strcmp(called, "0") != 0) {
        gt_text_printf(draft->out, "#pragma gputune shared(%s)\n", called);
        return;
    }
    for (size_t i = 0; i < draft->shared.count; i++) {
        const gt_draft_shared *shared = &draft->shared.items[i];
        if (!shared->is_dynamic) {
            continue;
        }
        bool is_sum = shared->length.known && shared->length.count > 1;
        gt_text_printf(draft->out, "// guess: %s\n#pragma gputune shared(%s",
                       shared->length.known ? "the code has no larger index of the array"
                                            : "an element of the array for each thread",
                       is_sum ? "(" : "");
        if (shared->length.known) {
            gt_draft_append_sum(draft, &shared->length);
            gt_text_append(draft->out, is_sum ? ")" : "");
        } else {
            append_blocks(draft, " * ");
        }
        gt_text_printf(draft->out, " * sizeof(%s))\n", shared->type);
        return;
    }
}

const char *gt_draft_divides(gt_draft *draft, const gt_sum *size, const gt_sum *by)
{
    gt_text condition = {0}, *out = draft->out;
    const bool is_product = by->terms[0].count + (by->terms[0].coefficient > 1) > 1;
    draft->out = &condition;
    gt_text_append(&condition, size->count > 1 ? "(" : "");
    gt_draft_append_sum(draft, size);
    gt_text_printf(&condition, "%s %% %s", size->count > 1 ? ")" : "", is_product ? "(" : "");
    gt_draft_append_sum(draft, by);
    gt_text_append(&condition, is_product ? ") == 0" : " == 0");
    draft->out = out;
    return gt_draft_keep(draft, &condition);
}

/* The clause that `by` must divide `size`, unless the text has it. */
static void write_divides(gt_draft *draft, const gt_sum *size, const gt_sum *by)
{
    const char *condition = gt_draft_divides(draft, size, by);
    if (!strstr(gt_text_string(draft->out), condition)) {
        gt_text_printf(draft->out,
                       "// guess: the code computes no remainder\n#pragma gputune require(%s)\n",
                       condition);
    }
}

/* A tile that a loop walks by steps of the block has a whole number of them. */
static void write_walked(gt_draft *draft, const gt_draft_dimension *dimension)
{
    double number;
    if (!dimension->walker || gt_sum_is_number(&dimension->fixed, &number)) {
        return;
    }
    for (size_t i = 0; i < draft->guards.count; i++) {
        const gt_draft_guard *guard = &draft->guards.items[i];
        int symbol;
        if (gt_sum_is_symbol(&guard->left, &symbol) && symbol == dimension->walker &&
            guard->bound.known && guard->bound.count > 0) {
            write_divides(draft, &guard->bound, &dimension->fixed);
        }
    }
}

/* What is read or written as vectors is a whole number of them, unless one of its extents is. */
static void write_lanes(gt_draft *draft, const gt_draft_argument *buffer)
{
    const gt_sum lanes = gt_sum_number(buffer->lanes);
    const gt_product *product = &buffer->length.terms[0];
    bool has = buffer->lanes <= 1 || !buffer->length.known || product->count == 0;
    for (uint32_t i = 0; i < product->count && !has; i++) {
        char condition[2 * GT_NAME_MAX];
        (void)gt_snprintf(condition, sizeof condition, "(%s %% %.0f == 0)",
                          gt_draft_name_of(draft, product->powers[i].symbol), buffer->lanes);
        has = strstr(gt_text_string(draft->out), condition) != NULL;
    }
    if (!has) {
        write_divides(draft, &buffer->length, &lanes);
    }
}

/* What must divide sizes: a block where no comparison leaves the rest out, and what a bound is
 * divided by. */
static void write_requirements(gt_draft *draft)
{
    const bool is_told = draft->call.grid_dimensions > 0;
    for (size_t i = 0; i < draft->call.divided.count && is_told; i++) {
        gt_text_printf(draft->out, "#pragma gputune require(%s)\n", draft->call.divided.items[i]);
    }
    for (int d = 0; d < 3; d++) {
        const gt_draft_dimension *dimension = &draft->dimensions[d];
        double step;
        if ((dimension->is_guessed || dimension->is_unbounded) && !is_told &&
            !(gt_sum_is_number(&dimension->step, &step) && step <= 1)) {
            write_divides(draft, &dimension->size, &dimension->step);
        }
        write_walked(draft, dimension);
    }
    if (is_told) {
        return;
    }
    for (size_t i = 0; i < draft->guards.count; i++) {
        gt_sum size, by;
        bool divides = gt_draft_quotient(draft, &draft->guards.items[i].bound, &size, &by);
        int parameter = divides ? gt_draft_first_of(draft, &size, GT_DRAFT_PARAMETER) : -1;
        if (divides && (parameter < 0 || draft->symbols.items[parameter].is_size)) {
            write_divides(draft, &size, &by);
        }
    }
    for (const gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        write_lanes(draft, buffer);
    }
}

/* ---- what is right, and how much work it is -------------------------------------------------- */

/* Every buffer once, and twice what is read and written; some bytes more or less are no work. */
static gt_sum bytes_moved(const gt_draft *draft)
{
    gt_sum sum = gt_sum_number(0);
    for (const gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
        const double times = strcmp(gt_draft_direction(buffer), "inout") == 0 ? 2 : 1;
        sum = buffer->allocated[0] || !buffer->declared.has_type
                  ? (gt_sum){0}
                  : gt_sum_add(sum, buffer->length, buffer->declared.element.bytes * times);
    }
    for (uint32_t i = sum.count; i > 0; i--) {
        if (sum.terms[i - 1].count == 0) {
            sum.terms[i - 1] = sum.terms[--sum.count];
        }
    }
    return sum;
}

static void write_work(gt_draft *draft)
{
    const char *told = draft->call.work;
    const gt_sum bytes = bytes_moved(draft);
    if (gt_draft_has_clause(draft->present, "args")) {
        return; /* when that was written */
    }
    if (told[0] || (bytes.known && bytes.count > 0 && !draft->is_pinned)) {
        gt_text_append(draft->out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = ");
        if (told[0]) {
            gt_text_append(draft->out, told);
        } else {
            gt_draft_append_sum(draft, &bytes);
        }
        gt_text_append(draft->out, ")\n");
    }
}

static void write_reference(gt_draft *draft)
{
    static const char cooperative[] =
        "// guess: nothing here says what is right: a kernel that is easy to trust, as in "
        "reference(NAME, block = 256, grid = 1)\n";
    static const char self[] =
        "// guess: the kernel as it is by default is right; better a kernel that is easy to trust: "
        "reference(NAME)\n#pragma gputune reference(self)\n";
    for (uint32_t i = 0; i < draft->argument_count; i++) {
        if (draft->arguments[i].is_unordered) {
            gt_text_printf(draft->out,
                           "// ? which order '%s' has: atomics give its elements their places, so "
                           "that no two launches leave the same; check(KERNEL) judges them\n",
                           draft->arguments[i].declared.name);
        }
    }
    const bool is_told = gt_draft_has_clause(draft->present, "kernel"); /* when that was written */
    gt_text_append(draft->out, !draft->is_cooperative ? self : is_told ? "" : cooperative);
}

/* Other constants of the code that look as if they could be varied. */
static void write_candidates(gt_draft *draft)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        const char *name = constant->name;
        const double value = constant->value;
        if (!constant->is_template_parameter && constant->has_value && value >= 2 &&
            value <= 1024 && !constant->is_enumerator && !constant->is_listed &&
            !constant->is_items && !gt_draft_is_block(draft, name) &&
            !gt_draft_is_declared(draft, name) && gt_draft_in_kernel(draft, name)) {
            gt_text_printf(draft->out,
                           "// guess: if results do not depend on '%s' (line %d), it may be an "
                           "axis: put its definition between #ifndef %s and #endif, and add\n"
                           "// #pragma gputune tune(%s = %.0f, %.0f, %.0f)\n",
                           name, constant->first_line, name, name, fmax(1, value / 2), value,
                           value * 2);
        }
    }
}

static void write_kernel(gt_draft *draft)
{
    const char *before = "<";
    gt_text_printf(draft->out, "#pragma gputune kernel(%s", draft->full_name);
    for (size_t i = 0; i < draft->constants.count; i++) {
        if (draft->constants.items[i].is_template_parameter) {
            gt_text_printf(draft->out, "%s%s", before, draft->constants.items[i].name);
            before = ", ";
        }
    }
    gt_text_append(draft->out, before[0] == '<' ? ")\n" : ">)\n");
}

static void write_cooperative(gt_draft *draft)
{
    gt_text_append(draft->out, draft->is_cooperative ? "#pragma gputune cooperative()\n" : "");
}

/* The clauses in their order: what is written when its word is missing. */
static const struct {
    const char *word; /* NULL: always */
    void (*write)(gt_draft *);
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
    {"block", write_items},
    {"block", write_block},
    {"grid", write_grid},
    {"require", write_requirements},
    {"shared", write_shared},
    {"cooperative", write_cooperative},
    {"work", write_work},
    {"reference", write_reference},
    {"tune", write_candidates},
};

void gt_draft_write(gt_draft *draft)
{
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *word = clauses[i].word;
        bool judged = word && strcmp(word, "reference") == 0 &&
                      (gt_draft_has_clause(draft->present, "check") ||
                       gt_draft_has_clause(draft->present, "expect"));
        if (!word || (!gt_draft_has_clause(draft->present, word) && !judged)) {
            clauses[i].write(draft);
        }
    }
}
