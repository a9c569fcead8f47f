/* Choices as numbers for a model. */
#include "search/coordinates.h"

#include <math.h>
#include <stdlib.h>

enum { PER_AXIS = 3, MOST_TWOS = 7 };

static bool all_numbers(const gt_domain_axis *axis)
{
    for (uint32_t i = 0; axis->values && i < axis->choices; i++) {
        if (!isfinite(axis->values[i])) {
            return false;
        }
    }
    return axis->values;
}

static bool all_positive(const gt_domain_axis *axis)
{
    for (uint32_t i = 0; i < axis->choices; i++) {
        if (!(axis->values[i] > 0)) {
            return false;
        }
    }
    return true;
}

/* How often 2 divides the value. */
static int twos(double value)
{
    int count = 0;
    for (; value >= 1 && floor(value) == value && fmod(value, 2) == 0 && count < MOST_TWOS;
         value /= 2) {
        count++;
    }
    return count;
}

/* Whether the order by twos is not simply the order by value. */
static bool has_alignment(const gt_domain_axis *axis)
{
    for (uint32_t i = 0; i < axis->choices; i++) {
        if (exp2(twos(axis->values[i])) != axis->values[i]) {
            return true;
        }
    }
    return false;
}

static void scale(float *value, uint32_t count)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        low = fminf(low, value[i]);
        high = fmaxf(high, value[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        value[i] = high > low ? (value[i] - low) / (high - low) : 0;
    }
}

/* Begins a coordinate; its values are to be filled in. */
static float *begin(gt_coordinates *out, float **unused, uint32_t axis, uint32_t choices,
                    bool is_word)
{
    uint32_t at = out->count++;
    out->axis[at] = axis;
    out->is_word[at] = is_word;
    out->value[at] = *unused;
    *unused += choices;
    return out->value[at];
}

static void add_axis(gt_coordinates *out, float **unused, uint32_t axis, const gt_domain_axis *from)
{
    uint32_t count = from->choices;
    bool numbers = all_numbers(from), logs = numbers && all_positive(from);
    if (numbers) {
        float *value = begin(out, unused, axis, count, false);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)(logs ? log2(from->values[i]) : from->values[i]);
        }
        scale(value, count);
    }
    if (!numbers || count > 2) {
        float *value = begin(out, unused, axis, count, true);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)i;
        }
    }
    if (logs && count > 3 && has_alignment(from)) {
        float *value = begin(out, unused, axis, count, false);
        for (uint32_t i = 0; i < count; i++) {
            value[i] = (float)twos(from->values[i]);
        }
        scale(value, count);
    }
}

gputune_status gt_coordinates_make(gt_coordinates *out, const gt_domain *domain)
{
    *out = (gt_coordinates){0};
    size_t values = 1;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        values += (size_t)PER_AXIS * domain->axes[i].choices;
    }
    out->values = malloc(values * sizeof *out->values);
    if (!out->values) {
        return gt_fail_memory();
    }
    float *unused = out->values;
    for (uint32_t i = 0; i < domain->axis_count; i++) {
        if (domain->axes[i].choices > 1) {
            add_axis(out, &unused, i, &domain->axes[i]);
        }
    }
    return GPUTUNE_OK;
}

void gt_coordinates_free(gt_coordinates *coordinates)
{
    free(coordinates->values);
    *coordinates = (gt_coordinates){0};
}

void gt_coordinates_of(float *out, const gt_coordinates *coordinates, const gt_point *point)
{
    for (uint32_t i = 0; i < coordinates->count; i++) {
        out[i] = coordinates->value[i][point->choice[coordinates->axis[i]]];
    }
}
