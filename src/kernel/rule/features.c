/* Finds the features of sizes that the conditions of rules may use. */
#include "kernel/rule/features.h"

#include "kernel/rule/form.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct maker {
    gt_size_features *out;
    const gt_template *template;
    const gt_rule_region *region;
    const char *sizes[GT_PROBLEM_MAX]; /* names of the sizes that vary in the region */
    uint32_t size_count;
    gt_texts needs;    /* texts of all needs that were found */
    gt_rule_form form; /* how to print the expressions of the current variant */
} maker;

/* Adds a feature, and adds `grants` to the needs that it meets. If an equal feature exists, uses
 * that one. Sets *index to the feature's index, or to UINT32_MAX if there are too many. `index` may
 * be NULL. */
static gputune_status add_feature(uint32_t *index, maker *m, const char *text, bool is_condition,
                                  uint64_t grants)
{
    gt_size_features *out = m->out;
    gt_symbols symbols = {m->template, GT_USE_SIZE | GT_USE_DEVICE, NULL};
    const gt_scope scope = gt_symbols_scope(&symbols);
    gt_lexer lexer = gt_lexer_of(text);
    uint32_t i = 0, unused;
    index = index ? index : &unused;
    while (i < out->count && strcmp(out->items[i].expression->text, text) != 0) {
        i++;
    }
    /* reserve the last items for needs, because a variant whose need has no item is never used */
    const bool fits =
        i < out->count || i < (grants ? GT_SIZE_FEATURES_MAX : GT_SIZE_FEATURES_MAX - GT_NEEDS_MAX);
    *index = fits ? i : UINT32_MAX;
    if (!fits) {
        return GPUTUNE_OK;
    }
    gt_size_feature *feature = &out->items[i];
    if (i == out->count) {
        *feature = (gt_size_feature){NULL, is_condition, 0, 0};
        GT_TRY(gt_expression_read(&feature->expression, &lexer, &scope));
        out->count++;
    }
    feature->grants |= grants;
    return GPUTUNE_OK;
}

static gputune_status add_printed(maker *m, bool is_condition, const char *format, ...)
    GT_PRINTF(3, 4);
static gputune_status add_printed(maker *m, bool is_condition, const char *format, ...)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    va_list args;
    va_start(args, format);
    gt_text_vprintf(&text, format, args);
    va_end(args);
    return text.failed ? gt_fail_memory()
                       : add_feature(NULL, m, gt_text_string(&text), is_condition, 0);
}

static gputune_status add_sizes(maker *m)
{
    enum { STEPS = 2, STEP = 4, DIVISOR_MOST = 32 };
    GT_SCOPED(gt_text_free) gt_text all = {0};
    for (uint32_t i = 0; i < m->size_count; i++) {
        GT_TRY(add_printed(m, false, "%s", m->sizes[i]));
        gt_text_printf(&all, "%s%s", i ? " * " : "", m->sizes[i]);
    }
    for (uint32_t i = 0; i < m->size_count; i++) {
        for (uint32_t k = i + 1; k < m->size_count; k++) {
            GT_TRY(add_printed(m, false, "%s * %s", m->sizes[i], m->sizes[k]));
        }
    }
    GT_TRY(all.failed || !m->size_count ? GPUTUNE_OK
                                        : add_feature(NULL, m, gt_text_string(&all), false, 0));
    for (uint32_t i = 0; i < m->size_count; i++) {
        for (uint32_t k = i + 1; k < m->size_count; k++) {
            const char *a = m->sizes[i], *b = m->sizes[k];
            GT_TRY(add_printed(m, true, "%s <= %s", a, b));
            for (int step = 1, factor = STEP; step <= STEPS; step++, factor *= STEP) {
                GT_TRY(add_printed(m, true, "%s <= %d * %s", a, factor, b));
                GT_TRY(add_printed(m, true, "%d * %s <= %s", factor, a, b));
            }
        }
    }
    for (int divisor = 2; divisor <= DIVISOR_MOST; divisor *= 2) {
        for (uint32_t i = 0; i < m->size_count; i++) {
            GT_TRY(add_printed(m, true, "%s %% %d == 0", m->sizes[i], divisor));
        }
    }
    return GPUTUNE_OK;
}

/* Adds a need to the needs of a variant. If there are too many different needs, sets the last bit,
 * which is a need that no condition meets. Rules then never choose the variant. */
static gputune_status add_need(maker *m, uint64_t *needs, const char *text)
{
    size_t i = 0;
    while (i < m->needs.count && strcmp(m->needs.items[i], text) != 0) {
        i++;
    }
    if (i >= GT_NEEDS_MAX - 1) {
        *needs |= UINT64_C(1) << (GT_NEEDS_MAX - 1);
        return GPUTUNE_OK;
    }
    if (i == m->needs.count) {
        GT_TRY(gt_texts_add(&m->needs, text, strlen(text)));
    }
    *needs |= UINT64_C(1) << i;
    return add_feature(NULL, m, text, true, UINT64_C(1) << i);
}

/* Prints an expression of a variant. If it has the same value at all sizes of the region, sets
 * *known to true and *value to the value. If it cannot be computed, sets the last bit of *needs. */
static gputune_status print_expression(gt_text *out, bool *known, int64_t *value, maker *m,
                                       const gt_expression *expression, uint64_t *needs)
{
    gputune_status status = gt_expression_print(out, known, value, expression, &m->form.print);
    if (status == GPUTUNE_ETEMPLATE) {
        *needs |= UINT64_C(1) << (GT_NEEDS_MAX - 1);
        *known = true;
        *value = 1;
        return GPUTUNE_OK;
    }
    return status;
}

/* Adds the need that an expression is true. If `comparison` is a text such as " <= 65535", the need
 * is that this comparison of the expression is true. */
static gputune_status require_condition(maker *m, uint64_t *needs, const gt_expression *expression,
                                        const char *comparison)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    bool known;
    int64_t value;
    m->form.print.within = comparison ? 10 : 0; /* precedence of % */
    GT_TRY(print_expression(&text, &known, &value, m, expression, needs));
    m->form.print.within = 0;
    gt_text_append(&text, comparison ? comparison : "");
    if (known) {
        *needs |= comparison || value ? 0 : UINT64_C(1) << (GT_NEEDS_MAX - 1);
        return GPUTUNE_OK;
    }
    return text.failed ? gt_fail_memory() : add_need(m, needs, gt_text_string(&text));
}

static gputune_status need_rows(maker *m, uint64_t *needs, uint32_t axis)
{
    const gt_template *template = m->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        const int64_t width = m->form.binding.slots[GT_SLOT_AXIS + axis];
        if (width > 1 && gt_axis_widens(&template->axes[axis], i) && argument->extent_count > 1) {
            char comparison[48];
            (void)snprintf(comparison, sizeof comparison, " %% %" PRId64 " == 0", width);
            GT_TRY(require_condition(m, needs, argument->extents[argument->extent_count - 1],
                                     comparison));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status need_grid(maker *m, uint64_t *needs, const gt_dimensions *grid)
{
    for (uint32_t i = 0; i < grid->count; i++) {
        const int64_t most = m->form.binding.device->max_grid[i];
        int64_t size = 0;
        if (gt_expression_try(&size, grid->items[i], m->form.binding.slots) || size > most) {
            char comparison[48];
            (void)snprintf(comparison, sizeof comparison, " <= %" PRId64, most);
            GT_TRY(require_condition(m, needs, grid->items[i], comparison));
        }
    }
    return GPUTUNE_OK;
}

/* Adds a feature for the number of blocks in a grid, and sets load_features[v] and load_factors[v].
 * Leaves out constant factors. Also leaves out upper limits of the grid, such as one block per
 * multiprocessor if blocks loop over tiles, because they do not limit the work. */
static gputune_status add_blocks(maker *m, size_t v, const gt_dimensions *grid)
{
    GT_SCOPED(gt_text_free) gt_text blocks = {0};
    double factor = 1 / fmax(m->form.binding.device->sm_count, 1);
    for (uint32_t i = 0; i < grid->count; i++) {
        GT_SCOPED(gt_text_free) gt_text text = {0};
        uint64_t needs = 0;
        bool known;
        int64_t value;
        m->form.print.within = 10; /* the text becomes a factor of a product */
        m->form.print.unlimited = true;
        GT_TRY(print_expression(&text, &known, &value, m, grid->items[i], &needs));
        m->form.print.unlimited = false;
        m->form.print.within = 0;
        factor *= known ? (double)value : 1;
        if (!known) {
            gt_text_printf(&blocks, "%s%s", blocks.length ? " * " : "", gt_text_string(&text));
        }
    }
    GT_TRY(blocks.failed ? gt_fail_memory() : GPUTUNE_OK);
    if (blocks.length) {
        uint32_t feature;
        GT_TRY(add_feature(&feature, m, gt_text_string(&blocks), false, 0));
        if (feature < UINT32_MAX && !(m->out->load_factors[v] > 0)) {
            m->out->load_features[v] = feature;
            m->out->load_factors[v] = factor;
        }
    }
    return GPUTUNE_OK;
}

static gputune_status add_needs(maker *m, uint64_t *needs)
{
    const gt_template_parts *parts = m->template->parts;
    for (uint32_t i = 0; i < parts->constraint_count; i++) {
        GT_TRY(require_condition(m, needs, parts->constraints[i], NULL));
    }
    for (uint32_t i = 0; i < m->template->axis_count; i++) {
        if (m->template->axes[i].kind == GT_AXIS_VECTOR) {
            GT_TRY(need_rows(m, needs, i));
        }
    }
    for (uint32_t i = 0; i < parts->step_count; i++) {
        GT_TRY(need_grid(m, needs, &parts->steps[i].grid));
    }
    return GPUTUNE_OK;
}

/* Adds a feature that is true if all needs of a variant are met, unless there is only one need. */
static gputune_status join_needs(maker *m, uint64_t needs)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    for (size_t i = 0; i < m->needs.count; i++) {
        if (needs >> i & 1) {
            const bool nested = strstr(m->needs.items[i], "||") || strchr(m->needs.items[i], '?');
            gt_text_printf(&text, "%s%s%s%s", text.length ? " && " : "", nested ? "(" : "",
                           m->needs.items[i], nested ? ")" : "");
        }
    }
    GT_TRY(text.failed ? gt_fail_memory() : GPUTUNE_OK);
    const bool joins = needs & (needs - 1) && !(needs >> (GT_NEEDS_MAX - 1));
    return joins ? add_feature(NULL, m, gt_text_string(&text), true, needs) : GPUTUNE_OK;
}

/* A condition "E % divisor == 0" or "E % divisor != 0". */
typedef struct divisibility {
    const gt_instruction *code; /* code of E */
    int count;
    int64_t divisor; /* 0 if this is another kind of condition */
    bool divides;
} divisibility;

static divisibility divisibility_of(const gt_expression *expression)
{
    const gt_instruction *end = expression->code + expression->count;
    divisibility out = {0};
    if (expression->count >= 5 &&
        (end[-1].operation == GT_DO_EQUAL || end[-1].operation == GT_DO_NOT_EQUAL) &&
        end[-2].operation == GT_DO_LITERAL && end[-2].integer == 0 &&
        end[-3].operation == GT_DO_REMAINDER && end[-4].operation == GT_DO_LITERAL) {
        out = (divisibility){expression->code, expression->count - 4, end[-4].integer,
                             end[-1].operation == GT_DO_EQUAL};
    }
    return out;
}

/* Returns true if the condition `of` always meets `need` when its value is `is_true`. */
static bool follows(const divisibility *need, const divisibility *of, bool is_true)
{
    const bool divides = of->divides == is_true;
    return need->divisor > 0 && of->divisor > 0 && need->count == of->count &&
           memcmp(need->code, of->code, (size_t)of->count * sizeof *of->code) == 0 &&
           need->divides == divides &&
           (divides ? of->divisor % need->divisor : need->divisor % of->divisor) == 0;
}

/* Adds to each condition the needs that follow from it: if 64 divides n, so does 16, for
 * example. */
static void complete_grants(gt_size_features *features)
{
    divisibility needs[GT_NEEDS_MAX] = {{0}};
    for (uint32_t f = 0; f < features->count; f++) {
        const uint64_t grants = features->items[f].grants;
        if (grants && !(grants & (grants - 1))) {
            needs[__builtin_ctzll(grants)] = divisibility_of(features->items[f].expression);
        }
    }
    for (uint32_t f = 0; f < features->count; f++) {
        gt_size_feature *feature = &features->items[f];
        const divisibility own = divisibility_of(feature->expression);
        for (int i = 0; i < GT_NEEDS_MAX; i++) {
            feature->grants |= (uint64_t)follows(&needs[i], &own, true) << i;
            feature->denies |= (uint64_t)follows(&needs[i], &own, false) << i;
        }
    }
}

static gputune_status make_features(maker *m, const gt_device *device, const gt_config *variants,
                                    size_t count)
{
    const gt_template_parts *parts = m->template->parts;
    for (uint32_t i = 0; i < m->template->problem_count; i++) {
        if (gt_region_varies(m->region, i)) {
            m->sizes[m->size_count++] = m->template->problem[i].name;
        }
    }
    m->out->size_count = m->size_count;
    GT_TRY(add_sizes(m));
    for (size_t v = 0; v < count; v++) {
        gt_rule_form_set(&m->form, m->template, m->region, device, &variants[v], 0);
        GT_TRY(add_needs(m, &m->out->needs[v]));
    }
    for (size_t v = 0; v < count; v++) {
        GT_TRY(join_needs(m, m->out->needs[v]));
    }
    for (size_t v = 0; v < count; v++) {
        for (uint32_t i = 0; i < parts->step_count; i++) {
            gt_rule_form_set(&m->form, m->template, m->region, device, &variants[v], i);
            GT_TRY(add_blocks(m, v, &parts->steps[i].grid));
        }
    }
    complete_grants(m->out);
    return GPUTUNE_OK;
}

gputune_status gt_size_features_make(gt_size_features *out, const gt_template *template,
                                     const gt_rule_region *region, const gt_device *device,
                                     const gt_config *variants, size_t count)
{
    GT_SCOPED(gt_size_features_free) gt_size_features features = {0};
    maker m = {.out = &features, .template = template, .region = region};
    features.needs = calloc(count + 1, sizeof *features.needs);
    features.load_features = calloc(count + 1, sizeof *features.load_features);
    features.load_factors = calloc(count + 1, sizeof *features.load_factors);
    GT_TRY(features.needs && features.load_features && features.load_factors ? GPUTUNE_OK
                                                                             : gt_fail_memory());
    gputune_status status = make_features(&m, device, variants, count);
    gt_texts_free(&m.needs);
    GT_TRY(status);
    *out = gt_take(&features);
    return GPUTUNE_OK;
}

void gt_size_features_free(gt_size_features *features)
{
    for (uint32_t i = 0; i < features->count; i++) {
        free(features->items[i].expression);
    }
    free(features->needs);
    free(features->load_features);
    free(features->load_factors);
    *features = (gt_size_features){0};
}

void gt_size_features_evaluate(double *out, const gt_size_features *features, const int64_t *slots)
{
    for (uint32_t i = 0; i < features->count; i++) {
        int64_t value;
        const bool fails = gt_expression_try(&value, features->items[i].expression, slots) != NULL;
        out[i] = fails ? NAN : features->items[i].is_condition ? value != 0 : (double)value;
    }
}
