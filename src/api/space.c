/* gputune_describe_space(): a kernel's axes, their values, and what excludes the others. */
#include "api/tuner.h"

#include "base/array.h"
#include "base/text.h"
#include "kernel/axis_kind.h"

#include <stdlib.h>
#include <string.h>

/* One allocation: the description, its arrays, and a pool of text behind them. */
typedef struct space_parts {
    gputune_space space;
    gt_space *engine;
    gt_request *request;
    gt_device device;
    GT_ARRAY(gputune_axis_value) values;
    GT_ARRAY(gputune_exclusion) exclusions;
    GT_ARRAY(gputune_certainty) certainties;
    gt_texts texts;
} space_parts;

void gputune_space_free(gputune_space *space)
{
    space_parts *parts = (space_parts *)space; /* its first member */
    if (!parts) {
        return;
    }
    gt_texts_free(&parts->texts);
    gt_array_free(&parts->values);
    gt_array_free(&parts->exclusions);
    gt_array_free(&parts->certainties);
    gt_space_free(parts->engine);
    gt_request_free(parts->request);
    free(parts);
}

static gputune_status keep_text(const char **out, space_parts *parts, gt_text *text)
{
    char *taken;
    GT_TRY(gt_text_take(&taken, text));
    GT_TRY(gt_texts_take(&parts->texts, taken));
    *out = taken;
    return GPUTUNE_OK;
}

static const char *why_excluded(const space_parts *parts, uint32_t axis, uint32_t choice)
{
    const uint8_t *choices;
    size_t count = gt_space_choices(parts->engine, axis, &choices);
    if (!memchr(choices, (int)choice, count)) {
        return "left out by a restriction";
    }
    const char *reason = gt_space_why_unused(parts->engine, axis, (uint8_t)choice);
    return reason ? reason : "";
}

static gputune_status describe_value(space_parts *parts, uint32_t axis_index, uint32_t choice)
{
    const gt_template *template = parts->request->template;
    const gt_axis *axis = &template->axes[axis_index];
    gputune_axis_value value = {.version = GPUTUNE_AXIS_VALUE_VERSION,
                                .axis = axis->name,
                                .kind = gt_axis_traits_of(axis->kind)->name,
                                .excluded = why_excluded(parts, axis_index, choice),
                                .is_default = axis->default_choice == choice};
    gt_text text = {0};
    gt_axis_value_append(&text, axis, choice);
    GT_TRY(keep_text(&value.value, parts, &text));
    return gt_array_push(&parts->values, value);
}

static gputune_status describe_values(space_parts *parts)
{
    const gt_template *template = parts->request->template;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const uint8_t *choices;
        size_t count = gt_space_choices(parts->engine, i, &choices);
        for (uint32_t j = 0; j < template->axes[i].count; j++) {
            GT_TRY(describe_value(parts, i, j));
        }
        for (size_t j = 0; j < count; j++) {
            if (choices[j] >= template->axes[i].count) { /* not one of the template's own */
                GT_TRY(describe_value(parts, i, choices[j]));
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status describe_counts(space_parts *parts)
{
    _Static_assert((int)GPUTUNE_AT_MOST == (int)GT_AT_MOST, "the two have the same values");
    GT_TRY(gt_request_prepare_space(parts->request, parts->engine));
    gt_space_size valid = gt_space_count(parts->engine);
    gt_space_size sources = gt_space_sources(parts->engine);
    parts->space.combinations = gt_space_combinations(parts->engine);
    parts->space.valid = valid.count;
    parts->space.valid_certainty = (gputune_certainty)valid.certainty;
    parts->space.sources = sources.count;
    parts->space.sources_certainty = (gputune_certainty)sources.certainty;
    return GPUTUNE_OK;
}

static gputune_status describe_exclusions(space_parts *parts)
{
    const gt_exclusion_count *counts;
    size_t count = gt_space_exclusions(parts->engine, &counts);
    for (size_t i = 0; i < count; i++) {
        const gputune_exclusion exclusion = {counts[i].reason, counts[i].count};
        GT_TRY(gt_array_push(&parts->exclusions, exclusion));
        GT_TRY(gt_array_push(&parts->certainties, (gputune_certainty)counts[i].certainty));
    }
    return GPUTUNE_OK;
}

static gputune_status describe_space(space_parts *parts, gputune *tuner, const char *kernel,
                                     gputune_sizes sizes, const char *arch,
                                     const gputune_options *options)
{
    GT_TRY(gt_tuner_arch(&parts->device, tuner, arch));
    GT_TRY(
        gt_request_make(&parts->request, &tuner->services, &parts->device, kernel, sizes, options));
    GT_TRY(gt_request_space(&parts->engine, parts->request));
    GT_TRY(describe_counts(parts));
    if (parts->space.valid) {
        gt_request_warn_of_default(parts->request, parts->engine);
    }
    GT_TRY(describe_values(parts));
    return describe_exclusions(parts);
}

static gputune_status make_space(gputune_space **out, gputune *tuner, const char *kernel,
                                 gputune_sizes sizes, const char *arch,
                                 const gputune_options *options)
{
    space_parts *parts = calloc(1, sizeof *parts);
    GT_TRY(gt_allocated(parts));
    parts->space.version = GPUTUNE_SPACE_VERSION;
    gputune_status status = describe_space(parts, tuner, kernel, sizes, arch, options);
    parts->space.values = parts->values.items;
    parts->space.value_count = parts->values.count;
    parts->space.exclusions = parts->exclusions.items;
    parts->space.exclusion_count = parts->exclusions.count;
    parts->space.exclusion_certainties = parts->certainties.items;
    return GT_GIVE(status, out, &parts->space, gputune_space_free(&parts->space));
}

int gputune_describe_space(gputune_space **out, gputune *tuner, const char *kernel,
                           gputune_sizes sizes, const char *arch, const gputune_options *options)
{
    GT_SCOPED(gt_call_end) gt_call call = {0};
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    return make_space(out, tuner, kernel, sizes, arch, options);
}
