/* Writes the clauses of a first template. */
#include "draft/parts.h"

#include "kernel/types.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* ---- names that the code has ----------------------------------------------------------------- */

static void write_sizes(gt_draft *draft)
{
    const bool has = draft->is_called && gt_draft_has_clause(draft->present, "problem");
    gt_text_append(draft->out, has ? "" : gt_text_string(&draft->call.sizes));
}

/* What a tuner defines is an axis, unless lengths depend on it. Where a header is not found, a name
 * is rather that header's. */
static void write_named(gt_draft *draft, const gt_draft_constant *constant)
{
    const char *name = constant->name;
    const int symbol = gt_draft_find_symbol(draft, name);
    const gt_draft_comparison *compared = gt_draft_compared_with(draft->compared, name);
    gt_values usual = compared ? compared->values : (gt_values){{1, 2, 4}, 3};
    bool is_fixed = false;
    for (uint32_t i = 0; i < draft->argument_count && symbol > 0; i++) {
        is_fixed |= gt_sum_has(&draft->arguments[i].length, symbol);
    }
    if (draft->lacks_header) {
        gt_text_printf(draft->out,
                       "// ? nothing here defines '%s'; a header that is not found may, or else "
                       "tune(%s = …) does\n",
                       name, name);
        return;
    }
    if (is_fixed) {
        gt_text_printf(draft->out,
                       "// guess: nothing here defines '%s'\n"
                       "#pragma gputune problem(const %s = %lld)\n",
                       name, name, (long long)usual.list[0]);
        return;
    }
    if (usual.count == 1 && !compared->is_told && (usual.list[0] == 0 || usual.list[0] == 1)) {
        usual.list[usual.count++] = 1 - usual.list[0]; /* a switch */
    }
    gt_text_printf(draft->out,
                   "// guess: nothing here defines '%s', so that it is an axis\n"
                   "#pragma gputune tune(%s = ",
                   name, name);
    gt_draft_append_values(draft->out, &usual);
    gt_text_append(draft->out, ")\n");
}

static void write_undefined(gt_draft *draft)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *own = &draft->constants.items[i];
        if (own->is_undefined && !gt_draft_is_block(draft, own->name) &&
            !gt_draft_is_declared(draft, own->name)) {
            write_named(draft, own);
        }
    }
}

/* `__constant__ TYPE NAME[e]…;` without a value, if the kernel reads it: `at` is behind the word.
 */
static void write_constant(gt_draft *draft, size_t at, bool is_inside)
{
    const gt_program *program = draft->program;
    gt_span rest = gt_program_statement(program, at);
    const size_t end = gt_program_first(program, rest, "[ = ("), name_at = end - 1;
    char type[GT_NAME_MAX];
    gt_element element;
    gt_sum count = gt_sum_number(1);
    gt_program_words(type, program, (gt_span){at, name_at});
    const char *name = GT_NAME(program, name_at);
    rest.first = end;
    while (gt_program_accept(program, &rest, "[")) {
        count = gt_sum_multiply(count, gt_draft_read_sum(draft, &rest));
        (void)gt_program_accept(program, &rest, "]");
    }
    const double elements = count.known ? gt_draft_evaluate(draft, &count) : 0;
    if (rest.first < rest.end || elements < 1 || !gt_draft_in_kernel(draft, name) ||
        !gt_element_from_name(&element, type)) {
        return;
    }
    if (is_inside) {
        gt_text_printf(
            draft->out,
            "// ? who fills '%s': it is in a namespace, where constant() finds nothing\n", name);
        return;
    }
    if (strchr(type, ' ')) {
        (void)gt_snprintf(type, sizeof type, "%sint%u_t",
                          strncmp(type, "unsigned", 8) == 0 ? "u" : "", 8 * element.bytes);
    }
    gt_text_printf(
        draft->out, "// guess: the caller fills '%s'\n#pragma gputune constant(%s : %s[%.0f]%s)\n",
        name, name, type, elements, gt_type_is_float(element.type) ? "" : " : uniform(0, 99)");
}

/* A constant() for each __constant__ array that the host fills. */
static void write_constants(gt_draft *draft)
{
    const char *text = draft->text;
    const gt_program *program = draft->program;
    const gt_span all = gt_program_between(program, text, text + strlen(text));
    int depth = 0; /* of namespaces, and of what is in them */
    for (size_t i = all.first; i < all.end; i++) {
        depth += gt_program_is(program, i, "{") && !gt_program_is(program, i - 1, "\"C\"");
        depth -= gt_program_is(program, i, "}") && depth > 0;
        if (gt_program_is(program, i, "__constant__")) {
            write_constant(draft, i + 1, depth > 0);
        }
    }
}

/* A pass() for each block of parameters that the kernel's parameters begin with. */
static void write_passes(gt_draft *draft)
{
    for (uint32_t i = 0; i < draft->block_count; i++) {
        const char *name = draft->blocks[i];
        gt_text_printf(draft->out,
                       "// guess: the type and length of the block '%s'\n"
                       "#pragma gputune pass(%s : float[16] = value, split, constant, global)\n",
                       name, name);
    }
}

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

/* Whether the axis is that of a dimension before. */
static bool is_again(const gt_draft *draft, int d)
{
    bool again = false;
    for (int e = 0; e < d; e++) {
        again |= draft->dimensions[e].has_threads && strcmp(draft->axes[e], draft->axes[d]) == 0;
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
        const bool is_new = !is_again(draft, d);
        if (name && is_new) {
            write_constant_axis(draft, d, name, &left);
        } else if (gt_sum_is_number(&dimension->fixed, &number)) {
            left = left > 0 ? fmax(1, floor(left / number)) : 0;
        } else if (!dimension->fixed.known && is_new) {
            choice choice = usual_values(draft, d);
            if (draft->call.threads[d]) {
                choice.chosen = draft->call.threads[d];
                gt_values_add(&choice.values, choice.chosen);
            }
            limit_values(&choice, dimension->limit);
            choose_within(&choice, &left);
            write_axis(draft, draft->axes[d], &choice, before);
            before = "";
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

static const char *block_text(gt_draft *draft, int d)
{
    const gt_sum *fixed = &draft->dimensions[d].fixed;
    return draft->call.block[d][0] ? draft->call.block[d]
           : fixed->known          ? gt_draft_sum_text(draft, fixed)
                                   : draft->axes[d];
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

/* The block's dimensions with a sign between them. */
static const char *blocks_text(gt_draft *draft, const char *between)
{
    gt_text text = {0};
    for (int d = 0; d <= last_dimension(draft, true); d++) {
        gt_text_printf(&text, "%s%s", d ? between : "", block_text(draft, d));
    }
    return gt_draft_keep(draft, &text);
}

/* Whether the block varies, and the program's own is a warp or more. */
static bool needs_warp(const gt_draft *draft)
{
    bool varies = false;
    int64_t threads = 1; /* 0: the program does not say it */
    for (int d = 0; d < 3; d++) {
        double number;
        varies |= !gt_sum_is_number(&draft->dimensions[d].fixed, &number);
        threads *= draft->call.threads[d];
    }
    return varies && (threads <= 0 || threads >= 32);
}

/* The axes that a condition has, with their values. */
typedef struct condition {
    const gt_draft *draft;
    gt_draft_comparison axes[4];
    uint32_t count;
} condition;

/* The values that a tune() of the text gives to the axis; false: it has no such clause, or others
 * than a few numbers. */
static bool read_axis(gt_values *out, const char *text, const char *name)
{
    gt_lexer at = gt_lexer_of(text);
    while (at.token.kind != GT_TOKEN_END &&
           !(gt_lexer_accept(&at, "tune") && gt_lexer_accept(&at, "(") && gt_lexer_is(&at, name))) {
        gt_lexer_next(&at);
    }
    gt_lexer_next(&at);
    *out = (gt_values){.count = 0};
    return gt_lexer_accept(&at, "=") && gt_values_read(out, &at) && gt_lexer_is(&at, ")") &&
           out->count < GT_DRAFT_COMPARED;
}

static int axis_slot(void *user, const char *name)
{
    condition *c = user;
    const int known = GT_NAMED(c->axes, c->count, name);
    const bool is_new = known < 0 && c->count < sizeof c->axes / sizeof *c->axes;
    gt_draft_comparison *added = is_new ? &c->axes[c->count] : NULL;
    if (added && (read_axis(&added->values, gt_text_string(c->draft->out), name) ||
                  read_axis(&added->values, c->draft->present->parts->files[0].text, name))) {
        (void)gt_snprintf(added->name, sizeof added->name, "%s", name);
        return (int)c->count++;
    }
    return known;
}

/* Whether the condition is one on numbers and axes alone, and holds with all their values. */
static bool always_holds(const gt_draft *draft, const char *text)
{
    condition c = {.draft = draft};
    GT_FREED gt_expression *expression = NULL;
    gt_lexer lexer = gt_lexer_of(text);
    const gt_scope scope = {.slot = axis_slot, .user = &c};
    bool holds = gt_expression_read(&expression, &lexer, &scope) == GPUTUNE_OK &&
                 lexer.token.kind == GT_TOKEN_END;
    size_t combinations = 1;
    for (uint32_t i = 0; i < c.count; i++) {
        combinations *= c.axes[i].values.count;
    }
    for (size_t n = 0; n < combinations && holds; n++) {
        int64_t slots[GT_SLOT_MAX] = {0}, value;
        size_t rest = n;
        for (uint32_t i = 0; i < c.count; i++) {
            slots[i] = c.axes[i].values.list[rest % c.axes[i].values.count];
            rest /= c.axes[i].values.count;
        }
        holds = !gt_expression_try(&value, expression, slots) && value != 0;
    }
    return holds;
}

/* Unless that says nothing. */
static void write_require(gt_draft *draft, const char *before, const char *condition,
                          const char *behind)
{
    if (!always_holds(draft, condition)) {
        gt_text_printf(draft->out, "%s#pragma gputune require(%s)%s\n", before, condition, behind);
    }
}

static void write_block(gt_draft *draft)
{
    if (draft->is_pinned) {
        gt_text_append(draft->out,
                       "// guess: this block alone, as the length of an argument depends on it\n");
    }
    gt_text_printf(draft->out, "#pragma gputune block(%s)\n", blocks_text(draft, ", "));
    const char *threads = blocks_text(draft, " * ");
    if (draft->thread_limit > 0) {
        write_require(draft, "", gt_draft_print(draft, "%s <= %.0f", threads, draft->thread_limit),
                      " // __launch_bounds__");
    } else if (last_dimension(draft, true) > 0 && needs_warp(draft)) {
        write_require(draft, "", gt_draft_print(draft, "%s >= 32", threads), "");
    }
}

/* The grid by the kernel's own code, where the program does not say it. */
static const char *own_grid(gt_draft *draft, int d)
{
    const gt_draft_dimension *dimension = &draft->dimensions[d];
    const bool is_limited = dimension->is_strided || draft->is_cooperative;
    const char *size = gt_draft_sum_text(draft, &dimension->size);
    double step;
    if (dimension->is_strided && draft->is_pinned) {
        return gt_draft_print(draft, "%d", GT_DRAFT_STRIDED_GRID);
    }
    if (!gt_sum_is_number(&dimension->step, &step) || step > 1) {
        size = gt_draft_print(draft, "ceil_div(%s, %s)", size,
                              gt_draft_sum_text(draft, &dimension->step));
    }
    return is_limited ? gt_draft_print(draft, "min(max_blocks, %s)", size) : size;
}

static void write_grid(gt_draft *draft)
{
    const int told = (int)draft->call.grid_dimensions;
    const int count = told ? told : last_dimension(draft, false) + 1;
    bool guessed = false;
    for (int d = 0; d < count && !told; d++) {
        guessed |= draft->dimensions[d].is_guessed;
    }
    gt_text_append(draft->out, guessed
                                   ? "// guess: no comparison in the kernel says how far the grid "
                                     "goes, and whether sizes must divide\n"
                                   : "");
    gt_text_append(draft->out, "#pragma gputune grid(");
    for (int d = 0; d < count; d++) {
        const char *text = told ? draft->call.grid[d] : own_grid(draft, d);
        const bool is_limited = told && draft->is_cooperative && d == 0; /* all are resident */
        gt_text_printf(draft->out, is_limited && text[0] ? "%smin(max_blocks, %s)" : "%s%s",
                       d ? ", " : "", text[0] ? text : "1");
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
        const bool is_known = shared->length.known, is_sum = is_known && shared->length.count > 1;
        gt_text_printf(draft->out, "// guess: %s\n#pragma gputune shared(%s%s%s * sizeof(%s))\n",
                       is_known ? "the code has no larger index of the array"
                                : "an element of the array for each thread",
                       is_sum ? "(" : "",
                       is_known ? gt_draft_sum_text(draft, &shared->length)
                                : blocks_text(draft, " * "),
                       is_sum ? ")" : "", shared->type);
        return;
    }
}

static void write_requirements(gt_draft *draft)
{
    const bool is_told = draft->call.grid_dimensions > 0;
    for (size_t i = 0; i < draft->call.divided.count; i++) {
        const char *condition = draft->call.divided.items[i];
        const bool is_guess = !is_told && strchr(condition, '%');
        write_require(draft, is_guess ? "// guess: the code computes no remainder\n" : "",
                      condition, "");
    }
}

/* ---- what is right, and how much work it is -------------------------------------------------- */

static void write_work(gt_draft *draft)
{
    const bool is_told = gt_draft_has_clause(draft->present, "args"); /* when that was written */
    if (draft->call.work[0] && !is_told) {
        gt_text_printf(draft->out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = %s)\n",
                       draft->call.work);
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
                           "// ? which order '%s' has: atomics give its elements their places "
                           "or values, so that no two launches leave the same; check(KERNEL) "
                           "judges them\n",
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
            value <= 1024 && !constant->is_enumerator && !constant->is_items &&
            !gt_draft_is_block(draft, name) && !gt_draft_is_declared(draft, name) &&
            gt_draft_in_kernel(draft, name)) {
            gt_text_printf(draft->out,
                           "// guess: if results do not depend on '%s' (line %d), it may be an "
                           "axis: add\n// #pragma gputune tune(%s = %.0f, %.0f, %.0f)\n",
                           name, constant->line, name, fmax(1, value / 2), value, value * 2);
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
    {NULL, write_sizes},
    {NULL, gt_draft_write_template_parameters},
    {NULL, gt_draft_write_types},
    {NULL, write_undefined},
    {"constant", write_constants},
    {"pass", write_passes},
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
