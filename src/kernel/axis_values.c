/* The values of axes: their texts, and those that users add. */
#include "kernel/axis_kind.h"

#include "base/condition.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *gt_value_text(char out[GT_NAME_MAX], const gt_value *value)
{
    if (value->word) {
        (void)snprintf(out, GT_NAME_MAX, "%s", value->word);
    } else {
        (void)snprintf(out, GT_NAME_MAX, "%lld", (long long)value->number);
    }
    return out;
}

void gt_values_append(gt_text *out, const gt_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        gt_text_printf(out, "%s%s", i ? ", " : "", GT_TEXT_OF_VALUE(&values[i]));
    }
}

static gputune_status intern(gt_value *out, gt_template_parts *parts, const char *word)
{
    uint32_t i = 0;
    while (i < parts->word_count && strcmp(parts->words[i], word) != 0) {
        i++;
    }
    if (i == parts->word_count) {
        GT_REFUSE(i == GT_WORDS_ADDED, GPUTUNE_EINVAL,
                  "more than %d different words; expected fewer", GT_WORDS_ADDED);
        GT_TRY(gt_keep_text(&parts->words[i], parts, word, strlen(word)));
        parts->word_count++;
    }
    *out = (gt_value){i == GT_WORD_AUTO ? -1 : (int64_t)i, parts->words[i]};
    return GPUTUNE_OK;
}

gputune_status gt_template_word(gt_value *out, const gt_template *template, const char *word)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&template->parts->lock);
    return intern(out, template->parts, word);
}

static gputune_status refuse(const gt_axis *axis, const char *text, const char *expected)
{
    GT_SCOPED(gt_text_free) gt_text list = {0};
    gt_values_append(&list, axis->values, axis->count);
    return gt_fail(GPUTUNE_EINVAL, "%s has no value '%s'; expected %s%s", axis->name, text,
                   expected ? expected : "one of ", expected ? "" : gt_text_string(&list));
}

/* Whether the axis has a value of the same kind, a word or a number. */
static bool has_alike(const gt_axis *axis, const gt_value *value)
{
    bool has = false;
    for (uint32_t i = 0; i < axis->count; i++) {
        has |= !axis->values[i].word == !value->word;
    }
    return has;
}

static bool is_word(const char *text)
{
    bool ok = isalpha((unsigned char)*text) || *text == '_';
    for (; ok && *text; text++) {
        ok = isalnum((unsigned char)*text) || *text == '_' || (*text == ' ' && text[1] > ' ');
    }
    return ok;
}

const char *gt_axis_refuses(const gt_axis *axis, const gt_value *value)
{
    const gt_axis_traits *traits = gt_axis_traits_of(axis->kind);
    const int64_t n = value->number;
    if (!traits->expected) {
        return has_alike(axis, value) ? NULL : value->word ? "an integer" : "a word";
    }
    bool takes = value->word ? n >= traits->words.least && n <= traits->words.most
                             : n >= traits->numbers.least && n <= traits->numbers.most &&
                                   !(traits->doubles && (n & (n - 1)));
    return takes ? NULL : traits->expected;
}

static gputune_status read_value(gt_value *out, gt_template_parts *parts, const char *text)
{
    if (is_word(text)) {
        return intern(out, parts, text);
    }
    out->word = NULL;
    return gt_parse_int(&out->number, text);
}

gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t index,
                              const char *text, bool add)
{
    gt_template_parts *parts = template->parts;
    const gt_axis *axis = &template->axes[index];
    gt_value value;
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&parts->lock);
    gputune_status status =
        strlen(text) < GT_NAME_MAX ? read_value(&value, parts, text) : GPUTUNE_EINVAL;
    if (status < 0) {
        return status == GPUTUNE_EINVAL ? refuse(axis, text, NULL) : status;
    }
    for (uint32_t i = 0; i < parts->value_count[index]; i++) {
        const gt_value *known = &axis->values[i];
        if (known->number == value.number && !known->word == !value.word) {
            *out = (uint8_t)i;
            return GPUTUNE_OK;
        }
    }
    const char *refusal = gt_axis_refuses(axis, &value);
    if (!add || refusal) {
        return refuse(axis, text, add ? refusal : NULL);
    }
    GT_REFUSE(parts->value_count[index] == GT_AXIS_VALUES, GPUTUNE_EINVAL,
              "%s: more than %d values tried; expected fewer", axis->name, GT_AXIS_VALUES);
    *out = (uint8_t)parts->value_count[index];
    parts->axis_values[index][parts->value_count[index]++] = value;
    return GPUTUNE_OK;
}
