/* Writes rules as C headers. */
#include "kernel/rule/header.h"

#include "kernel/rule/features.h"
#include "kernel/rule/form.h"
#include "kernel/template/axis_kind.h"
#include "kernel/text/types.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct writer {
    const gt_header *header;
    const gt_template *template;
    const gt_template_parts *parts;
    gt_problem problem; /* the problem with the smallest sizes of the region */
    gt_text out;        /* text being written: first the decision, later the whole header */
    char prefix[GT_NAME_MAX], upper[GT_NAME_MAX], functions[GT_NAME_MAX + 1];
    gt_rule_form form;
    const gt_size_features *features; /* the needs of the variants, and conditions that meet them */
    bool choice_may_fail;             /* true if a condition of the tree may divide by 0 */
    gputune_status status;            /* status of the first failure */
} writer;

/* Appends a text. Replaces "@" by the prefix, and "$" by the prefix in capitals. */
static void append_text(writer *w, const char *text)
{
    while (*text) {
        const size_t plain = strcspn(text, "@$");
        gt_text_append_bytes(&w->out, text, plain);
        text += plain;
        if (*text) {
            gt_text_append(&w->out, *text == '@' ? w->prefix : w->upper);
            text++;
        }
    }
}

/* Appends an expression of the variant in w->form. Appends `otherwise` if `expression` is NULL. */
static void append_value(writer *w, const gt_expression *expression, int64_t otherwise, int within)
{
    if (!expression) {
        gt_text_printf(&w->out, "%" PRId64, otherwise);
        return;
    }
    w->form.print.prefix = w->functions;
    w->form.print.within = within;
    GT_THEN(w->status, gt_expression_print(&w->out, NULL, NULL, expression, &w->form.print));
    /* C code would not notice an overflow, so fail if one occurs at the largest sizes */
    int64_t largest;
    GT_THEN(w->status, gt_expression_integer(&largest, expression, w->form.binding.slots));
}

/* Prepares for printing the expressions of a variant, for the kernel with index `step`. */
static void set_variant(writer *w, uint32_t variant, uint32_t step)
{
    const gt_rule *rule = w->header->rule;
    gt_rule_form_set(&w->form, w->template, &rule->region, w->header->device,
                     &rule->variants.items[variant], step);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static gputune_status refuse_part(const gt_template *template, const char *part)
{
    return gt_fail(GPUTUNE_EUNSUPPORTED,
                   "%s: a header cannot launch a kernel with %s; use options.unseen = GPUTUNE_RULE "
                   "in a program with gputune instead",
                   template->name, part);
}

static const char *const c_types[] = {
    [GT_TYPE_I8] = "int8_t",    [GT_TYPE_U8] = "uint8_t",   [GT_TYPE_I16] = "int16_t",
    [GT_TYPE_U16] = "uint16_t", [GT_TYPE_I32] = "int32_t",  [GT_TYPE_U32] = "uint32_t",
    [GT_TYPE_I64] = "int64_t",  [GT_TYPE_U64] = "uint64_t", [GT_TYPE_BOOL] = "uint8_t",
    [GT_TYPE_F32] = "float",    [GT_TYPE_F64] = "double"};

static const char *c_type(const gt_template *template, const gt_problem *problem, const char *type)
{
    gt_element element;
    const bool is = gt_element_from_name(&element, gt_type_word(template, problem, type)) &&
                    element.lanes == 1 && element.type < sizeof c_types / sizeof *c_types;
    return is ? c_types[element.type] : NULL;
}

const char *gt_header_kernel(const gt_template *template, uint32_t index)
{
    const gt_template_parts *parts = template->parts;
    return index < parts->step_count ? parts->steps[index].kernel.entry : NULL;
}

static gputune_status check_arguments(const gt_template *template, const gt_rule *rule)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->texture) {
            return refuse_part(template, "textures");
        }
        if (argument->holder) {
            return refuse_part(template, "buffers in structs");
        }
        if (!argument->is_buffer && !c_type(template, &rule->region.least, argument->type)) {
            return gt_fail(GPUTUNE_EUNSUPPORTED,
                           "%s: a header cannot pass the scalar '%s' of type %s; expected an "
                           "integer, float or double",
                           template->name, argument->name, argument->type);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status check_axes(const gt_template *template, const gt_rule *rule)
{
    for (size_t v = 0; v < rule->variants.count; v++) {
        for (uint32_t i = 0; i < template->axis_count; i++) {
            const gt_axis *axis = &template->axes[i];
            const int64_t value = axis->values[rule->variants.items[v].choice[i]].number;
            if ((axis->kind == GT_AXIS_CARVEOUT && value >= 0) ||
                (axis->kind == GT_AXIS_L2_PERSIST && value > 0)) {
                return refuse_part(template, gt_axis_kind_name(axis->kind));
            }
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_header_check(const gt_template *template, const gt_rule *rule)
{
    const gt_template_parts *parts = template->parts;
    if (template->pass_count || parts->has_loops) {
        return refuse_part(template, !template->pass_count
                                         ? "loops, conditions or computed addresses"
                                     : template->passes[0].axis < 0 ? "constant() variables"
                                                                    : "pass() blocks");
    }
    for (uint32_t i = 0; i < parts->step_count; i++) {
        if (parts->steps[i].times || parts->steps[i].programmatic) {
            return refuse_part(template, "repeated or programmatic launches");
        }
    }
    GT_TRY(check_arguments(template, rule));
    return check_axes(template, rule);
}

/* ---- the decision ---------------------------------------------------------------------------- */

static bool is_parameter(const writer *w, uint32_t i)
{
    return w->template->problem[i].kind == GT_PROBLEM_SIZE;
}

/* Appends parameters such as "int64_t m, int64_t n". If `call`, appends the names only: "m, n". */
static void append_sizes(writer *w, bool call)
{
    const char *separator = "";
    for (uint32_t i = 0; i < w->template->problem_count; i++) {
        if (is_parameter(w, i)) {
            gt_text_printf(&w->out, "%s%s%s", separator, call ? "" : "int64_t ",
                           w->template->problem[i].name);
            separator = ", ";
        }
    }
}

/* Returns the weakest condition that meets all needs of a variant. NULL if it has no needs, if they
 * are in `met`, or if no condition meets them. */
static const gt_expression *unmet_needs(const writer *w, uint32_t variant, uint64_t met)
{
    const uint64_t needs = w->features->needs[variant];
    const gt_size_feature *best = NULL;
    for (uint32_t i = 0; i < w->features->count && needs & ~met; i++) {
        const gt_size_feature *feature = &w->features->items[i];
        if ((feature->grants & needs) == needs &&
            (!best || __builtin_popcountll(feature->grants) < __builtin_popcountll(best->grants))) {
            best = feature;
        }
    }
    return best ? best->expression : NULL;
}

static void append_leaf(writer *w, uint32_t variant, uint64_t met)
{
    const gt_expression *needs = unmet_needs(w, variant, met);
    gt_text_append(&w->out, "return ");
    if (needs) {
        append_value(w, needs, 0, w->choice_may_fail ? 2 : 1); /* the precedences of && and || */
    }
    if (w->choice_may_fail) {
        gt_text_append(&w->out, needs ? " && !result_" : "!result_");
    }
    gt_text_printf(&w->out, needs || w->choice_may_fail ? " ? %u : " : "%u;\n", variant);
    append_text(w, needs || w->choice_may_fail ? "$_OUTSIDE;\n" : "");
}

/* Appends a part of the tree. `met` are the needs that the conditions above it meet. */
static void append_nodes(writer *w, uint32_t at, int depth, uint64_t met)
{
    const gt_rule_node *node = &w->header->rule->nodes.items[at];
    uint64_t if_true = met, if_false = met;
    gt_text_printf(&w->out, "%*s", 4 * depth, "");
    if (!node->condition) {
        append_leaf(w, node->variant, met);
        return;
    }
    for (uint32_t i = 0; i < w->features->count; i++) {
        const gt_size_feature *feature = &w->features->items[i];
        const bool same = strcmp(feature->expression->text, node->condition->text) == 0;
        if_true |= same ? feature->grants : 0;
        if_false |= same ? feature->denies : 0;
    }
    gt_text_append(&w->out, "if (");
    append_value(w, node->condition, 0, 0);
    gt_text_append(&w->out, ") {\n");
    append_nodes(w, at + 1, depth + 1, if_true);
    gt_text_printf(&w->out, "%*s}\n", 4 * depth, "");
    append_nodes(w, node->otherwise, depth, if_false);
}

static void append_choose(writer *w)
{
    const gt_rule_region *region = &w->header->rule->region;
    append_nodes(w, 0, 1, 0);
    w->choice_may_fail = strstr(gt_text_string(&w->out), "&result_") != NULL;
    gt_text_free(&w->out);
    append_text(w, "/* Returns the number of the variant for a size, or $_OUTSIDE. */\n"
                   "$_API int @_choose(");
    append_sizes(w, false);
    gt_text_append(&w->out, w->choice_may_fail ? ")\n{\n    int result_ = 0;\n" : ")\n{\n");
    for (uint32_t i = 0; i < w->template->problem_count; i++) {
        const char *name = w->template->problem[i].name;
        if (is_parameter(w, i)) {
            gt_text_printf(&w->out, "    if (%s < %" PRId64 " || %s > %" PRId64 ") {\n", name,
                           region->least.values[i].number, name, region->most.values[i].number);
            append_text(w, "        return $_OUTSIDE;\n    }\n");
        }
    }
    append_nodes(w, 0, 1, 0);
    gt_text_append(&w->out, "}\n\n");
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* Returns true if a scalar argument is a problem value, so the caller need not pass it. */
static bool is_implied(const writer *w, uint32_t argument)
{
    const gt_argument *own = &w->template->arguments[argument];
    return !own->is_buffer && gt_template_problem_index(w->template, own->name) >= 0;
}

static void append_parameters(writer *w)
{
    append_text(w, "const @_rule *rule_, CUstream stream_, ");
    append_sizes(w, false);
    for (uint32_t i = 0; i < w->template->argument_count; i++) {
        const gt_argument *own = &w->template->arguments[i];
        if (!is_implied(w, i)) {
            gt_text_printf(&w->out, ", %s %s",
                           own->is_buffer ? "CUdeviceptr"
                                          : c_type(w->template, &w->problem, own->type),
                           own->name);
        }
    }
    if (w->template->parameter_count > w->template->argument_count) {
        gt_text_append(&w->out, ", CUdeviceptr scratch_");
    }
}

static void append_bytes(writer *w, uint32_t argument)
{
    const gt_argument *own = &w->template->arguments[argument];
    gt_text_printf(&w->out, "INT64_C(%u)", gt_element_resolve(&w->form.binding, own->type).bytes);
    for (uint32_t i = 0; i < own->extent_count; i++) {
        gt_text_append(&w->out, " * ");
        append_value(w, own->extents[i], 1, 11); /* in parentheses unless it binds tighter than * */
    }
}

static void append_locals(writer *w)
{
    for (uint32_t i = 0; i < w->template->argument_count; i++) {
        const gt_argument *own = &w->template->arguments[i];
        const int value = gt_template_problem_index(w->template, own->name);
        const char *type = is_implied(w, i) ? c_type(w->template, &w->problem, own->type) : NULL;
        if (type && is_parameter(w, (uint32_t)value)) {
            gt_text_printf(&w->out, "        %s %s_value_ = (%s)%s;\n", type, own->name, type,
                           own->name);
        } else if (type) {
            gt_text_printf(&w->out, "        %s %s_value_ = (%s)%" PRId64 ";\n", type, own->name,
                           type, w->problem.values[value].number);
        }
    }
    for (uint32_t i = w->template->argument_count; i < w->template->parameter_count; i++) {
        const char *name = w->template->arguments[i].name;
        gt_text_printf(&w->out, "        CUdeviceptr %s = scratch_;\n", name);
        if (i + 1 < w->template->parameter_count) {
            gt_text_append(&w->out, "        scratch_ += (CUdeviceptr)((");
            append_bytes(w, i);
            gt_text_append(&w->out, " + 255) / 256 * 256);\n");
        }
    }
}

static void append_clears(writer *w)
{
    for (uint32_t i = 0; i < w->template->parameter_count; i++) {
        const gt_argument *own = &w->template->arguments[i];
        if (own->cleared || (i >= w->template->argument_count && own->fill.kind == GT_FILL_ZERO)) {
            gt_text_append(&w->out, "        {\n            const size_t bytes_ = (size_t)(");
            append_bytes(w, i);
            append_text(
                w, ");\n            result_ = result_ ? result_ : (int)$_CU(cuMemsetD8Async)(");
            gt_text_printf(&w->out, "%s, 0, bytes_, stream_);\n        }\n", own->name);
        }
    }
}

/* Returns true if an expression has the same value at all sizes. */
static bool is_fixed(int64_t *out, const writer *w, const gt_expression *expression)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    bool known = false;
    (void)gt_expression_print(&text, &known, out, expression, &w->form.print);
    return known;
}

static bool is_one(const writer *w, const gt_expression *expression)
{
    int64_t value;
    return is_fixed(&value, w, expression) && value == 1;
}

static void append_dimensions(writer *w, const char *name, const gt_dimensions *dimensions,
                              const gt_dimensions *multiples)
{
    gt_text_printf(&w->out, "            const int64_t %s[3] = {", name);
    for (uint32_t i = 0; i < 3; i++) {
        const bool rounds = multiples && i < multiples->count && !is_one(w, multiples->items[i]);
        gt_text_append(&w->out, i ? ", " : "");
        if (rounds) {
            gt_text_printf(&w->out, "%sround_up(", w->functions);
        }
        append_value(w, i < dimensions->count ? dimensions->items[i] : NULL, 1, 0);
        if (rounds) {
            gt_text_append(&w->out, ", ");
            append_value(w, multiples->items[i], 1, 0);
            gt_text_append(&w->out, ")");
        }
    }
    gt_text_append(&w->out, "};\n");
}

/* Finds the modes of a tensor map. Fails if a mode depends on a size. */
static gt_tensormap modes_of(writer *w, const gt_map *map)
{
    const gt_expression *const modes[] = {map->swizzle, map->interleave, map->l2};
    gt_tensormap out = {.rank = 0};
    int64_t value;
    for (int i = 0; i < 3; i++) {
        GT_THEN(w->status,
                !modes[i] || is_fixed(&value, w, modes[i])
                    ? GPUTUNE_OK
                    : refuse_part(w->template, "tensor maps whose modes depend on a size"));
    }
    GT_THEN(w->status, gt_map_modes(&out, map, &w->form.binding)
                           ? refuse_part(w->template, "these tensor maps")
                           : GPUTUNE_OK);
    return out;
}

/* Appends an array of a tensor map in the driver's order, beginning with the fastest dimension. */
static void append_map_array(writer *w, const char *type, const char *name,
                             const gt_expression *const *items, uint32_t count)
{
    gt_text_printf(&w->out, "            const %s %s[] = {", type, name);
    for (uint32_t i = count; i-- > 0;) {
        gt_text_printf(&w->out, "(%s)(", type);
        append_value(w, items[i], 1, 0);
        gt_text_append(&w->out, i ? "), " : ")};\n");
    }
}

/* Declares a local variable with a tensor map. */
static void append_map(writer *w, uint32_t index)
{
    const gt_map *map = &w->parts->maps[index];
    const gt_argument *own = &w->template->arguments[map->argument];
    const gt_expression *const none[GT_TENSORMAP_RANK] = {NULL};
    const uint32_t bytes = gt_element_resolve(&w->form.binding, own->type).bytes;
    const gt_tensormap modes = modes_of(w, map);
    gt_text_printf(&w->out, "        CUtensorMap map_%u_;\n        {\n", index);
    append_map_array(w, "cuuint64_t", "sizes_", map->sizes.count ? map->sizes.items : own->extents,
                     map->box.count);
    append_map_array(w, "cuuint32_t", "box_", map->box.items, map->box.count);
    append_map_array(w, "cuuint32_t", "every_", none, map->box.count);
    gt_text_printf(&w->out, "            cuuint64_t strides_[%u] = {%u};\n", map->box.count, bytes);
    for (uint32_t i = 0; i + 1 < map->box.count; i++) {
        gt_text_printf(&w->out, "            strides_[%u] = ", i);
        if (map->strides.count) {
            gt_text_printf(&w->out, "%u * (cuuint64_t)(", bytes);
            append_value(w, map->strides.items[map->strides.count - 1 - i], 1, 0);
            gt_text_append(&w->out, ");\n");
        } else {
            gt_text_printf(&w->out, "strides_[%u] * sizes_[%u];\n", i ? i - 1 : 0, i);
        }
    }
    append_text(w, "            result_ = result_ ? result_ : (int)$_CU(cuTensorMapEncodeTiled)(\n"
                   "                          &map_");
    gt_text_printf(&w->out,
                   "%u_, (CUtensorMapDataType)%u, %u, (void *)(uintptr_t)%s, sizes_, strides_,\n"
                   "                          box_, every_, (CUtensorMapInterleave)%u, "
                   "(CUtensorMapSwizzle)%u,\n                          "
                   "(CUtensorMapL2promotion)%u, (CUtensorMapFloatOOBfill)%u);\n        }\n",
                   index, modes.type, modes.rank, own->name, modes.interleave, modes.swizzle,
                   modes.l2_promotion, modes.nan_fill);
}

/* Returns the index of the tensor map that the kernel gets in place of an argument or, if
 * `argument` is after all arguments, of a tensor map that replaces no argument. Returns -1 if there
 * is none. */
static int map_at(const writer *w, uint32_t argument)
{
    uint32_t added = w->template->parameter_count;
    for (uint32_t i = 0; i < w->parts->map_count; i++) {
        const gt_map *map = &w->parts->maps[i];
        if (argument == (map->replaces ? map->argument : added)) {
            return (int)i;
        }
        added += !map->replaces;
    }
    return -1;
}

/* Declares a local variable for each computed argument of a launch. */
static void append_computed(writer *w, const gt_template_step *step)
{
    const uint32_t first = gt_first_computed(w->template);
    for (uint32_t i = 0; i < step->argument_count; i++) {
        if (step->arguments[i] >= first) {
            const gt_template_value *value = &w->parts->computed[step->arguments[i] - first];
            const char *type = c_types[value->type];
            gt_text_printf(&w->out, "            %s computed_%u_ = (%s)(", type, i, type);
            append_value(w, value->value, 0, 0);
            gt_text_append(&w->out, ");\n");
        }
    }
}

static void append_step(writer *w, uint32_t variant, uint32_t index)
{
    const gt_template_step *step = &w->parts->steps[index];
    const bool all = step->argument_count == 0 && !step->takes_none;
    const uint32_t count = all ? gt_first_computed(w->template) : step->argument_count;
    gt_text_append(&w->out, "        {\n");
    append_dimensions(w, "grid_", &step->grid, &step->cluster);
    append_dimensions(w, "block_", &step->block, NULL);
    append_dimensions(w, "cluster_", &step->cluster, NULL);
    gt_text_append(&w->out, "            const int64_t shared_ = ");
    append_value(w, step->shared, 0, 0);
    gt_text_append(&w->out, ", cooperative_ = ");
    append_value(w, step->cooperative, 0, 0);
    gt_text_append(&w->out, ";\n");
    append_computed(w, step);
    gt_text_append(&w->out, "            void *arguments_[] = {");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t argument = all ? i : step->arguments[i];
        const bool implied = argument < w->template->argument_count && is_implied(w, argument);
        const int map = map_at(w, argument);
        gt_text_append(&w->out, i ? ", " : "");
        if (map >= 0) {
            gt_text_printf(&w->out, "&map_%d_", map);
        } else if (argument >= w->template->parameter_count) {
            gt_text_printf(&w->out, "&computed_%u_", i);
        } else {
            gt_text_printf(&w->out, "&%s%s", w->template->arguments[argument].name,
                           implied ? "_value_" : "");
        }
    }
    gt_text_append(&w->out, count ? "};\n" : "NULL};\n");
    append_text(w, "            result_ = result_ ? result_ : @_start(rule_, ");
    gt_text_printf(&w->out,
                   "%u, stream_, grid_, block_, cluster_, shared_, cooperative_, arguments_);\n"
                   "        }\n",
                   w->header->codes[variant] * w->parts->step_count + index);
}

/* Returns the compute capability in the name of an architecture. */
static int arch_cc(const char *arch)
{
    return (int)strtol(arch + strcspn(arch, "0123456789"), NULL, 10);
}

/* Returns how many bytes a thread can load at once, on the architecture where that is most. */
static uint32_t widest_access(const gt_header *header)
{
    uint32_t widest = gt_widest_access(header->device->cc);
    for (uint32_t a = 0; a < header->arch_count; a++) {
        const uint32_t own = gt_widest_access(arch_cc(header->archs[a]));
        widest = own > widest ? own : widest;
    }
    return widest;
}

static void append_alignment(writer *w)
{
    const uint32_t most = widest_access(w->header);
    for (uint32_t i = 0; i < w->template->argument_count; i++) {
        const gt_argument *own = &w->template->arguments[i];
        const uint32_t element = gt_element_resolve(&w->form.binding, own->type).alignment;
        const uint32_t vector = gt_binding_vector_bytes(&w->form.binding, i);
        const uint32_t widest = vector < most ? vector : most;
        uint32_t bytes = widest > element ? widest : element;
        for (uint32_t k = 0; k < w->parts->map_count; k++) {
            const gt_map *map = &w->parts->maps[k];
            const uint32_t of_map = map->argument == i ? modes_of(w, map).alignment : 1;
            bytes = of_map > bytes ? of_map : bytes;
        }
        if (own->is_buffer && bytes > 1) {
            gt_text_printf(&w->out, "        if (%s %% %u != 0) {\n", own->name, bytes);
            append_text(w, "            return $_MISALIGNED;\n        }\n");
        }
    }
}

static void append_variant(writer *w, uint32_t variant)
{
    GT_FREED char *text = NULL;
    GT_THEN(w->status,
            gt_config_text(&text, w->template, &w->header->rule->variants.items[variant]));
    gt_text_printf(&w->out, "    case %u: { /* %s */\n", variant, text ? text : "");
    set_variant(w, variant, 0);
    append_alignment(w);
    append_locals(w);
    append_clears(w);
    for (uint32_t i = 0; i < w->parts->map_count; i++) {
        append_map(w, i);
    }
    for (uint32_t i = 0; i < w->parts->step_count; i++) {
        set_variant(w, variant, i);
        append_step(w, variant, i);
    }
    gt_text_append(&w->out, "        break;\n    }\n");
}

static void append_configurations(writer *w)
{
    append_text(
        w,
        "/* Returns the configuration of a variant, such as \"VEC=4 BLOCK=256\"; \"\" for another "
        "number. */\n$_API const char *@_configuration(int variant)\n{\n    switch (variant) {\n");
    for (uint32_t v = 0; v < w->header->rule->variants.count; v++) {
        GT_FREED char *text = NULL;
        GT_THEN(w->status, gt_config_text(&text, w->template, &w->header->rule->variants.items[v]));
        gt_text_printf(&w->out, "    case %u:\n        return \"%s\";\n", v, text ? text : "");
    }
    append_text(w, "    default:\n        return \"\";\n    }\n}\n\n");
}

static void append_scratch(writer *w)
{
    append_text(
        w, "/* Returns the bytes of the scratch buffer that a launch at this size needs. Parts "
           "of it that must "
           "be\n * zero are zeroed before each launch. */\n"
           "$_API size_t @_scratch_bytes(");
    append_sizes(w, false);
    append_text(w, ")\n{\n    int result_ = 0;\n    size_t bytes_ = 0;\n    switch (@_choose(");
    append_sizes(w, true);
    gt_text_append(&w->out, ")) {\n");
    for (uint32_t v = 0; v < w->header->rule->variants.count; v++) {
        set_variant(w, v, 0);
        gt_text_printf(&w->out, "    case %u:\n", v);
        for (uint32_t i = w->template->argument_count; i < w->template->parameter_count; i++) {
            gt_text_append(&w->out, "        bytes_ += (size_t)((");
            append_bytes(w, i);
            gt_text_append(&w->out, " + 255) / 256 * 256);\n");
        }
        gt_text_append(&w->out, "        break;\n");
    }
    gt_text_append(&w->out, "    default:\n        break;\n    }\n"
                            "    return result_ ? 0 : bytes_;\n}\n\n");
}

static void append_launch(writer *w)
{
    append_text(
        w, "/* Launches the variant for the size on a stream. Sizes are also the values of kernel "
           "parameters\n * of the same name. Returns 0, a CUresult, $_OUTSIDE or $_MISALIGNED. "
           "*/\n$_API int @_launch(");
    append_parameters(w);
    append_text(w, ")\n{\n    int result_ = 0;\n");
    for (uint32_t i = 0; i < w->template->argument_count && w->parts->is_pipeline; i++) {
        gt_text_printf(&w->out,
                       is_implied(w, i) ? "" : "    (void)%s; /* not all kernels take it */\n",
                       w->template->arguments[i].name);
    }
    append_text(w, "    switch (@_choose(");
    append_sizes(w, true);
    gt_text_append(&w->out, ")) {\n");
    for (uint32_t v = 0; v < w->header->rule->variants.count; v++) {
        append_variant(w, v);
    }
    append_text(w, "    default:\n        return $_OUTSIDE;\n    }\n    return result_;\n}\n");
}

/* ---- the code -------------------------------------------------------------------------------- */

static void append_images(writer *w)
{
    const gt_header *h = w->header;
    for (uint32_t i = 0; i < h->arch_count * h->code_count; i++) {
        const gt_image *image = &h->compiled[i].image;
        append_text(w, "static const unsigned long long @_code_");
        gt_text_printf(&w->out, "%s_%u[] = {", h->archs[i / h->code_count], i % h->code_count);
        for (size_t at = 0; at <= image->bytes;
             at += sizeof(uint64_t)) { /* the NUL after PTX is written, too */
            uint64_t word = 0;
            const size_t left = image->bytes - at;
            memcpy(&word, (const char *)image->data + at, left < sizeof word ? left : sizeof word);
            gt_text_printf(&w->out, "%s0x%" PRIx64 ",", at % 64 ? " " : "\n    ", word);
        }
        gt_text_append(&w->out, "\n};\n");
    }
    append_text(
        w, "/* For each architecture: compute capability, 1 if only that one can run the code, "
           "and the code. */\nstatic const struct {\n    int cc, exact;\n    const void "
           "*codes[$_CODES];\n} @_images[] = {\n");
    for (uint32_t a = 0; a < h->arch_count; a++) {
        const char *arch = h->archs[a];
        gt_text_printf(&w->out, "    {%d, %d, {", arch_cc(arch), arch[strlen(arch) - 1] == 'a');
        for (uint32_t c = 0; c < h->code_count; c++) {
            append_text(w, c ? ", @_code_" : "@_code_");
            gt_text_printf(&w->out, "%s_%u", h->archs[a], c);
        }
        gt_text_append(&w->out, "}},\n");
    }
    append_text(
        w, "};\n/* The kernels of each code; their names may differ between architectures. */\n"
           "static const char *const @_entries[][$_KERNELS] = {\n");
    for (uint32_t a = 0; a < h->arch_count; a++) {
        gt_text_append(&w->out, "    {");
        for (uint32_t c = 0; c < h->code_count; c++) {
            for (uint32_t i = 0; i < w->parts->step_count; i++) {
                gt_text_printf(&w->out, "%s\"%s\"", c + i ? ", " : "",
                               h->compiled[a * h->code_count + c].entries[i]);
            }
        }
        gt_text_append(&w->out, "},\n");
    }
    gt_text_append(&w->out, "};\n\n");
}

/* The texts that all headers contain. */
static const char driver_names[] = "#define $_CU(name) name\n\n";
static const char runtime_names[] =
    "/* The driver's functions, found through the runtime library, so nothing links libcuda. */\n"
    "#define $_CU(name) (rule_->name##_)\n"
    "#define $_FUNCTIONS(use) \\\n"
    "    use(cuCtxGetDevice, 2000) use(cuDeviceGetAttribute, 2000) use(cuModuleLoadData, 2000) \\\n"
    "    use(cuModuleUnload, 2000) use(cuModuleGetFunction, 2000) use(cuFuncGetAttribute, 2020) "
    "\\\n"
    "    use(cuFuncSetAttribute, 9000) use(cuMemsetD8Async, 3020) use(cuLaunchKernelEx, 11060)";
static const char runtime_maps[] = " \\\n    use(cuTensorMapEncodeTiled, 12000)";
static const char runtime_find_names[] =
    "\n#define $_MEMBER(name, version) PFN_##name##_v##version name##_;\n"
    "#if CUDART_VERSION >= 12050\n"
    "#define $_FIND(name, version) \\\n"
    "    && cudaGetDriverEntryPointByVersion(#name, (void **)&rule_->name##_, CUDA_VERSION, \\\n"
    "                                        cudaEnableDefault, NULL) == cudaSuccess && "
    "rule_->name##_\n"
    "#else\n"
    "#define $_FIND(name, version) \\\n"
    "    && cudaGetDriverEntryPoint(#name, (void **)&rule_->name##_, cudaEnableDefault, NULL) == "
    "\\\n"
    "           cudaSuccess && rule_->name##_\n"
    "#endif\n\n";
static const char rule_type[] =
    "/* The loaded code. Belongs to the CUDA context that was current in @_load(). */\n"
    "typedef struct @_rule {\n"
    "    CUmodule modules[$_CODES];\n"
    "    CUfunction kernels[$_KERNELS];\n";
static const char runtime_find[] =
    "    if (!(cudaFree(NULL) == cudaSuccess $_FUNCTIONS($_FIND))) {\n"
    "        return $_NO_DRIVER;\n"
    "    }\n";
static const char load_head[] =
    "/* Returns the size of an @_rule, for other languages. */\n"
    "$_API size_t @_rule_bytes(void)\n"
    "{\n"
    "    return sizeof(@_rule);\n"
    "}\n\n"
    "/* Unloads the code. All launches must have ended. */\n"
    "$_API void @_unload(@_rule *rule_)\n"
    "{\n"
    "    for (int i = 0; i < $_CODES; i++) {\n"
    "        if (rule_->modules[i]) {\n"
    "            (void)$_CU(cuModuleUnload)(rule_->modules[i]);\n"
    "            rule_->modules[i] = NULL;\n"
    "        }\n"
    "    }\n"
    "}\n\n"
    "/* Returns the index of the best code for a compute capability, or -1. */\n"
    "$_API int @_image_for(int cc)\n"
    "{\n"
    "    int best = -1;\n"
    "    for (int i = 0; i < (int)(sizeof @_images / sizeof *@_images); i++) {\n"
    "        const int own = @_images[i].cc;\n"
    "        if (@_images[i].exact ? own == cc : own / 10 == cc / 10 && own <= cc) {\n"
    "            best = best < 0 || own >= @_images[best].cc ? i : best;\n"
    "        }\n"
    "    }\n"
    "    return best;\n"
    "}\n\n"
    "/* Loads the code for the device of the current context, once before launching. Returns 0, a\n"
    " * CUresult, or $_NO_CODE. @_unload() releases *rule_, also after a failure. */\n"
    "$_API int @_load(@_rule *rule_)\n"
    "{\n"
    "    CUdevice device;\n"
    "    int major = 0, minor = 0, most = 0, used = 0, image, result;\n"
    "    memset(rule_, 0, sizeof *rule_);\n";
static const char load_tail[] =
    "    result = (int)$_CU(cuCtxGetDevice)(&device);\n"
    "    result = result ? result : (int)$_CU(cuDeviceGetAttribute)(\n"
    "                 &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);\n"
    "    result = result ? result : (int)$_CU(cuDeviceGetAttribute)(\n"
    "                 &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);\n"
    "    result = result ? result : (int)$_CU(cuDeviceGetAttribute)(\n"
    "                 &most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);\n"
    "    image = result ? -1 : @_image_for(10 * major + minor);\n"
    "    if (result || image < 0) {\n"
    "        return result ? result : $_NO_CODE;\n"
    "    }\n"
    "    for (int i = 0; i < $_CODES && !result; i++) {\n"
    "        result = (int)$_CU(cuModuleLoadData)(&rule_->modules[i], @_images[image].codes[i]);\n"
    "    }\n"
    "    for (int i = 0; i < $_KERNELS && !result; i++) {\n"
    "        result = (int)$_CU(cuModuleGetFunction)(\n"
    "            &rule_->kernels[i], rule_->modules[i / ($_KERNELS / $_CODES)], "
    "@_entries[image][i]);\n"
    "        /* allow clusters of 16 blocks where the device has them, and all shared memory */\n"
    "        if (!result) {\n"
    "            (void)$_CU(cuFuncSetAttribute)(\n"
    "                rule_->kernels[i], CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);\n"
    "            result = (int)$_CU(cuFuncGetAttribute)(\n"
    "                &used, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, rule_->kernels[i]);\n"
    "        }\n"
    "        result = result ? result : (int)$_CU(cuFuncSetAttribute)(\n"
    "                     rule_->kernels[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,\n"
    "                     most - used);\n"
    "    }\n"
    "    return result;\n"
    "}\n\n";
static const char start[] =
    "$_API int @_start(const @_rule *rule_, int kernel, CUstream stream, const int64_t grid[3],\n"
    "                  const int64_t block[3], const int64_t cluster[3], int64_t shared,\n"
    "                  int64_t cooperative, void **arguments)\n"
    "{\n"
    "    CUlaunchAttribute attributes[2];\n"
    "    CUlaunchConfig config = {\n"
    "        (unsigned int)grid[0],  (unsigned int)grid[1],  (unsigned int)grid[2],\n"
    "        (unsigned int)block[0], (unsigned int)block[1], (unsigned int)block[2],\n"
    "        (unsigned int)shared,   stream, attributes, 0};\n"
    "    if (grid[0] <= 0 || grid[1] <= 0 || grid[2] <= 0) {\n"
    "        return 0;\n"
    "    }\n"
    "    if (cluster[0] * cluster[1] * cluster[2] > 1) {\n"
    "        attributes[0].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;\n"
    "        attributes[0].value.clusterDim.x = (unsigned int)cluster[0];\n"
    "        attributes[0].value.clusterDim.y = (unsigned int)cluster[1];\n"
    "        attributes[0].value.clusterDim.z = (unsigned int)cluster[2];\n"
    "        config.numAttrs = 1;\n"
    "    }\n"
    "    if (cooperative) {\n"
    "        attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;\n"
    "        attributes[config.numAttrs].value.cooperative = 1;\n"
    "        config.numAttrs++;\n"
    "    }\n"
    "    return (int)$_CU(cuLaunchKernelEx)(&config, rule_->kernels[kernel], arguments, NULL);\n"
    "}\n\n";

/* The functions that expressions may call. */
static const struct {
    const char *name, *text;
} helpers[] = {
    {"ceil_div", "$_API int64_t @_ceil_div(int64_t a, int64_t b)\n"
                 "{\n    return a / b + (a % b != 0 && (a < 0) == (b < 0));\n}\n"},
    {"round_up", "$_API int64_t @_round_up(int64_t a, int64_t b)\n"
                 "{\n    return (a / b + (a % b != 0 && (a < 0) == (b < 0))) * b;\n}\n"},
    {"nonzero", "/* Returns a divisor. If it is 0, the variant cannot be used at the size. */\n"
                "$_API int64_t @_nonzero(int64_t value, int *result)\n"
                "{\n    *result = value ? *result : $_OUTSIDE;\n"
                "    return value ? value : 1;\n}\n"},
    {"min", "$_API int64_t @_min(int64_t a, int64_t b)\n{\n    return a < b ? a : b;\n}\n"},
    {"max", "$_API int64_t @_max(int64_t a, int64_t b)\n{\n    return a > b ? a : b;\n}\n"},
    {"pow", "$_API int64_t @_pow(int64_t base, int64_t exponent)\n"
            "{\n    int64_t value = 1;\n    for (; exponent > 0; exponent--) {\n"
            "        value *= base;\n    }\n    return value;\n}\n"},
    {"sqrt", "$_API int64_t @_sqrt(int64_t value)\n"
             "{\n    int64_t root = 0;\n    for (int64_t bit = (int64_t)1 << 31; bit; bit /= 2) {\n"
             "        root += (root + bit) <= value / (root + bit) ? bit : 0;\n    }\n"
             "    return root;\n}\n"},
    {"log2", "$_API int64_t @_log2(int64_t value)\n"
             "{\n    int64_t power = 0;\n    while ((value /= 2) > 0) {\n        power++;\n    }\n"
             "    return power;\n}\n"},
};

static void append_helpers(writer *w, const char *text)
{
    for (size_t i = 0; i < sizeof helpers / sizeof *helpers; i++) {
        GT_SCOPED(gt_text_free) gt_text call = {0};
        gt_text_printf(&call, "%s_%s(", w->prefix, helpers[i].name);
        if (strstr(text, gt_text_string(&call))) {
            append_text(w, helpers[i].text);
        }
    }
    gt_text_append(&w->out, "\n");
}

static void append_comment(writer *w, const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        gt_text_printf(&w->out, " *     %.*s\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static void append_head(writer *w)
{
    const gt_header *h = w->header;
    append_text(
        w, "/* Launches @ with the variant that a rule of gputune chooses for each size. Needs "
           "only CUDA.\n * Call @_load() once in a CUDA context, then @_launch(). The functions "
           "are static, or\n * with -D$_API= external, so a library can be made of this file.\n");
    gt_text_printf(&w->out, " *\n * The rule, made for %s:\n *\n", h->device->name);
    append_comment(w, h->text);
    append_text(w, " */\n#ifndef GPUTUNE_RULE_$\n#define GPUTUNE_RULE_$\n\n#include <cuda.h>\n");
    append_text(w,
                h->runtime_api ? "#include <cudaTypedefs.h>\n#include <cuda_runtime_api.h>\n" : "");
    append_text(
        w, "#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n#ifndef "
           "$_API\n#define $_API static "
           "inline\n#endif\n\nenum {\n    $_OUTSIDE = -1, /* the size is outside the region of "
           "the rule "
           "*/\n    $_MISALIGNED = -2, /* an address is not aligned as the variant needs */\n"
           "    $_NO_CODE = -3, /* there is no code for this GPU */\n    $_NO_DRIVER = -4, /* "
           "the driver lacks a function */\n    $_CODES = ");
    gt_text_printf(&w->out, "%u, ", h->code_count);
    append_text(w, "$_KERNELS = ");
    gt_text_printf(&w->out, "%u\n};\n\n", h->code_count * w->parts->step_count);
    append_text(w, h->runtime_api ? runtime_names : driver_names);
    append_text(w, h->runtime_api && w->parts->map_count ? runtime_maps : "");
    append_text(w, h->runtime_api ? runtime_find_names : "");
    append_text(w, rule_type);
    append_text(w, h->runtime_api ? "    $_FUNCTIONS($_MEMBER)\n" : "");
    append_text(w, "} @_rule;\n\n");
}

static void set_names(writer *w)
{
    size_t i = 0;
    for (const char *from = w->template->name; *from && i + 1 < GT_NAME_MAX; from++) {
        const bool is_letter = isalnum((unsigned char)*from);
        w->prefix[i] = is_letter ? *from : '_';
        w->upper[i++] = is_letter ? (char)toupper((unsigned char)*from) : '_';
    }
    memcpy(w->functions, w->prefix, i);
    w->functions[i] = '_';
}

gputune_status gt_header_write(char **out, const gt_header *header)
{
    const gt_rule *rule = header->rule;
    GT_FREED writer *w = calloc(1, sizeof *w);
    GT_SCOPED(gt_size_features_free) gt_size_features features = {.count = 0};
    GT_TRY(gt_allocated(w));
    GT_TRY(gt_header_check(header->template, rule));
    GT_TRY(gt_size_features_make(&features, header->template, &rule->region, header->device,
                                 rule->variants.items, rule->variants.count));
    w->header = header;
    w->features = &features;
    w->template = header->template;
    w->parts = header->template->parts;
    w->problem = rule->region.least;
    set_names(w);
    set_variant(w, 0, 0);
    append_choose(w);
    append_configurations(w);
    append_text(w, start);
    if (w->template->parameter_count > w->template->argument_count) {
        append_scratch(w);
    }
    append_launch(w);
    GT_SCOPED(gt_text_free) gt_text decision = gt_take(&w->out);
    append_head(w);
    append_images(w);
    append_text(w, load_head);
    append_text(w, header->runtime_api ? runtime_find : "");
    append_text(w, load_tail);
    append_helpers(w, gt_text_string(&decision));
    gt_text_append(&w->out, gt_text_string(&decision));
    append_text(w, "\n#undef $_CU\n");
    append_text(w,
                header->runtime_api ? "#undef $_FUNCTIONS\n#undef $_MEMBER\n#undef $_FIND\n" : "");
    append_text(w, "#endif\n");
    w->out.failed |= decision.failed;
    if (w->status < 0) {
        gt_text_free(&w->out);
        return w->status == GPUTUNE_ENOMEM
                   ? w->status
                   : gt_fail_prefix(GPUTUNE_EUNSUPPORTED, "%s: no header can be written",
                                    w->template->name);
    }
    return gt_text_take(out, &w->out);
}
