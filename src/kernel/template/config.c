/* Converts configurations to text and back, and adds values that users request. */
#include "kernel/template/config.h"

#include "kernel/template/axis_kind.h"
#include "kernel/template/declared.h"

#include "base/condition.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

gt_config gt_config_default(const gt_template *template)
{
    gt_config config = {{0}};
    for (uint32_t i = 0; i < template->axis_count; i++) {
        config.choice[i] = (uint8_t) template->axes[i].default_choice;
    }
    return config;
}

void gt_axis_value_append(gt_text *text, const gt_axis *axis, uint32_t choice)
{
    gt_text_append(text, GT_TEXT_OF_VALUE(&axis->values[choice]));
}

gputune_status gt_config_text(char **out, const gt_template *template, const gt_config *config)
{
    gt_text text = {0};
    for (uint32_t i = 0; i < template->axis_count; i++) {
        gt_text_printf(&text, "%s%s=", i ? " " : "", template->axes[i].name);
        gt_axis_value_append(&text, &template->axes[i], config->choice[i]);
    }
    return gt_text_take(out, &text);
}

gputune_status gt_setting_split(uint32_t *axis, char **value, bool given[GT_AXIS_MAX],
                                const gt_template *template, char *setting)
{
    char *equals = strchr(setting, '=');
    GT_REFUSE(!equals || equals == setting || !equals[1], GPUTUNE_EINVAL,
              "'%s' is not a setting; expected AXIS=value", setting);
    *equals = '\0';
    setting[strcspn(setting, " \t")] = '\0';
    GT_TRY(gt_name_find(axis, template, true, setting));
    GT_REFUSE(given[*axis], GPUTUNE_EINVAL, "axis '%s' is given twice; expected it once", setting);
    given[*axis] = true;
    *value = equals + 1;
    return GPUTUNE_OK;
}

gputune_status gt_config_parse(gt_config *out, const gt_template *template, const char *text,
                               bool add)
{
    static const char blanks[] = " \t\n,";
    bool given[GT_AXIS_MAX] = {false};
    GT_FREED char *copy = NULL;
    gt_config config = gt_config_default(template);
    GT_TRY(gt_strdup(&copy, text));
    for (char *at = copy + strspn(copy, blanks); *at;) {
        uint32_t axis;
        char *value, *end = at + gt_setting_length(at, true);
        char *next = end + strspn(end, blanks);
        *end = '\0';
        GT_TRY(gt_setting_split(&axis, &value, given, template, at));
        GT_TRY(gt_axis_choice(&config.choice[axis], template, axis, value, add));
        at = next;
    }
    *out = config;
    return GPUTUNE_OK;
}

gt_config gt_config_scalar(const gt_template *template, const gt_config *config)
{
    gt_config scalar = gt_config_default(template);
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        if (template->work.axes >> i & 1) {
            scalar.choice[i] = config->choice[i];
        }
        bool aligned = gt_axis_traits_of(axis->kind)->aligned;
        for (uint32_t v = 0; v < axis->count && aligned; v++) {
            if (axis->values[v].number < axis->values[scalar.choice[i]].number) {
                scalar.choice[i] = (uint8_t)v;
            }
        }
    }
    return scalar;
}

bool gt_config_is_as_safe(const gt_template *template, const gt_config *config,
                          const gt_config *scalar)
{
    bool safe = true;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        bool matters =
            gt_axis_traits_of(template->axes[i].kind)->aligned || (template->work.axes >> i & 1);
        safe = safe && (!matters || config->choice[i] == scalar->choice[i]);
    }
    return safe;
}

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

static gputune_status intern_word(gt_value *out, gt_template_parts *parts, const char *word)
{
    const uint32_t i = (uint32_t)gt_index_of(word, parts->words, parts->word_count);
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
    return intern_word(out, template->parts, word);
}

static gputune_status refuse_value(const gt_axis *axis, const char *text, const char *expected)
{
    GT_SCOPED(gt_text_free) gt_text list = {0};
    gt_values_append(&list, axis->values, axis->count);
    return gt_fail(GPUTUNE_EINVAL, "%s has no value '%s'; expected %s%s", axis->name, text,
                   expected ? expected : "one of ", expected ? "" : gt_text_string(&list));
}

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

gputune_status gt_axis_choice(uint8_t *out, const gt_template *template, uint32_t index,
                              const char *text, bool add)
{
    gt_template_parts *parts = template->parts;
    const gt_axis *axis = &template->axes[index];
    gt_value value = {0, NULL};
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&parts->lock);
    gputune_status status = GPUTUNE_EINVAL;
    if (strlen(text) < GT_NAME_MAX) {
        status =
            is_word(text) ? intern_word(&value, parts, text) : gt_parse_int(&value.number, text);
    }
    if (status < 0) {
        return status == GPUTUNE_EINVAL ? refuse_value(axis, text, NULL) : status;
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
        return refuse_value(axis, text, add ? refusal : NULL);
    }
    GT_REFUSE(parts->value_count[index] == GT_AXIS_VALUES, GPUTUNE_EINVAL,
              "%s: more than %d values tried; expected fewer", axis->name, GT_AXIS_VALUES);
    *out = (uint8_t)parts->value_count[index];
    parts->axis_values[index][parts->value_count[index]++] = value;
    return GPUTUNE_OK;
}
