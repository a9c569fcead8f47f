/* Binds a template's problem values to those of a request. */
#include "kernel/problem.h"
#include "kernel/template_parts.h"
#include "kernel/types.h"

#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static gputune_status find(uint32_t *out, const gt_template *template, const char *name)
{
    int index = gt_template_problem_index(template, name);
    if (index >= 0) {
        *out = (uint32_t)index;
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_text_free) gt_text list = {0};
    for (uint32_t i = 0; i < template->problem_count; i++) {
        gt_text_printf(&list, "%s%s", i ? ", " : "one of: ", template->problem[i].name);
    }
    gt_near near = gt_near_to(name);
    gt_near_items(&near, template->problem, template->problem_count);
    return gt_fail(GPUTUNE_EINVAL, "%s has no size '%s'; expected %s", template->name, name,
                   gt_near_or(&near, list.length ? gt_text_string(&list)
                                                 : "one of: none, because it takes no sizes"));
}

static gputune_status refuse(const gt_problem_value *value, const char *given)
{
    GT_SCOPED(gt_text_free) gt_text list = {0};
    gt_values_append(&list, value->values, value->count);
    return gt_fail(GPUTUNE_EINVAL, "%s is not %s; expected %s%s", value->name, given,
                   value->count > 1 ? "one of " : "", gt_text_string(&list));
}

static gputune_status set_number(gt_value *out, const gt_problem_value *value, int64_t number)
{
    const gt_value given = {number, NULL};
    const char *text = GT_TEXT_OF_VALUE(&given);
    GT_REFUSE(value->kind == GT_PROBLEM_TYPE, GPUTUNE_EINVAL,
              "%s is a type, not %s; expected it as a word, \"%s=%s\"", value->name, text,
              value->name, value->fallback.word);
    GT_REFUSE(value->kind == GT_PROBLEM_SIZE && (number < 0 || number > GT_SIZE_MAX),
              GPUTUNE_EINVAL, "size %s is %s; expected 0 to 2^40", value->name, text);
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->values[i].number == number) {
            *out = value->values[i];
            return GPUTUNE_OK;
        }
    }
    if (value->count > 0) {
        return refuse(value, text);
    }
    *out = given;
    return GPUTUNE_OK;
}

static gputune_status set_word(gt_value *out, const gt_problem_value *value, const char *word)
{
    int64_t number;
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->values[i].word && strcmp(value->values[i].word, word) == 0) {
            *out = value->values[i];
            return GPUTUNE_OK;
        }
    }
    if (value->kind == GT_PROBLEM_TYPE) {
        return refuse(value, word);
    }
    GT_TRY(gt_parse_int(&number, word));
    return set_number(out, value, number);
}

static gputune_status bind_one(gt_problem *problem, bool given[GT_PROBLEM_MAX],
                               const gt_template *template, const gputune_size *size)
{
    char name[GT_NAME_MAX];
    uint32_t index = 0;
    GT_REFUSE(!size->name, GPUTUNE_EINVAL, "a size without a name; expected {\"n\", value}");
    const char *equals = strchr(size->name, '=');
    size_t length = equals ? (size_t)(equals - size->name) : strlen(size->name);
    GT_REFUSE(length >= sizeof name, GPUTUNE_EINVAL, "%s has no size '%s'", template->name,
              size->name);
    memcpy(name, size->name, length);
    name[length] = '\0';
    GT_TRY(find(&index, template, name));
    GT_REFUSE(given[index], GPUTUNE_EINVAL, "size '%s' given twice; expected it once", name);
    given[index] = true;
    return equals ? set_word(&problem->values[index], &template->problem[index], equals + 1)
                  : set_number(&problem->values[index], &template->problem[index], size->value);
}

gputune_status gt_problem_bind(gt_problem *out, const gt_template *template, gputune_sizes sizes)
{
    gt_problem problem = {0};
    bool given[GT_PROBLEM_MAX] = {false};
    for (uint32_t i = 0; i < template->problem_count; i++) {
        problem.values[i] = template->problem[i].fallback;
    }
    for (size_t i = 0; i < sizes.count; i++) {
        GT_TRY(bind_one(&problem, given, template, &sizes.items[i]));
    }
    *out = problem;
    return GPUTUNE_OK;
}

gputune_status gt_problem_text(char **out, const gt_template *template, const gt_problem *problem)
{
    gt_text text = {0};
    for (uint32_t i = 0; i < template->problem_count; i++) {
        gt_text_printf(&text, "%s%s=%s", i ? " " : "", template->problem[i].name,
                       GT_TEXT_OF_VALUE(&problem->values[i]));
    }
    return gt_text_take(out, &text);
}

gputune_status gt_problem_parse(gt_problem *out, const gt_template *template, const char *text)
{
    gputune_size items[GT_PROBLEM_MAX];
    gputune_sizes sizes = {0, items};
    char *rest = NULL;
    GT_FREED char *words = NULL;
    GT_TRY(gt_strdup(&words, text));
    for (char *word = strtok_r(words, " ", &rest); word && sizes.count < GT_PROBLEM_MAX;
         word = strtok_r(NULL, " ", &rest)) {
        items[sizes.count++] = (gputune_size){word, 0};
    }
    return gt_problem_bind(out, template, sizes);
}

gt_problem gt_problem_bucket(const gt_template *template, const gt_problem *problem)
{
    gt_problem bucket = *problem;
    for (uint32_t i = 0; i < template->problem_count; i++) {
        int64_t up = problem->values[i].number > 0;
        while (up < problem->values[i].number) {
            up *= 2;
        }
        if (template->problem[i].bucket_pow2) {
            bucket.values[i].number = up;
        }
    }
    return bucket;
}
