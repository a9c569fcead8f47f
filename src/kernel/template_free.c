/* Frees a template. */
#include "kernel/parse.h"
#include "kernel/settings.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"

#include <stdlib.h>

static void free_expressions(gt_expression *const *expressions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gt_expression_free(expressions[i]);
    }
}

static void free_fill(const gt_fill *fill)
{
    gt_expression_free((gt_expression *)fill->low);
    gt_expression_free((gt_expression *)fill->high);
    free((char *)fill->file);
}

static void free_arguments(gt_template *template)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        gt_argument *argument = &template->arguments[i];
        free_expressions((gt_expression *const *)argument->extents, 3);
        gt_expression_free((gt_expression *)argument->value);
        free_expressions((gt_expression *const *)argument->others, GT_OTHER_MAX);
        free_fill(&argument->fill);
        free((char *)argument->expected);
        gt_initialisers_free(&argument->initialisers);
    }
    free(template->arguments);
    for (uint32_t i = 0; i < template->pass_count; i++) {
        gt_expression_free((gt_expression *)template->passes[i].count);
        free_fill(&template->passes[i].fill);
        gt_initialisers_free(&template->passes[i].initialisers);
    }
}

static void free_judge(gt_judge *judge)
{
    gt_expression *const tolerances[] = {judge->rtol, judge->atol, judge->stol};
    free_expressions(judge->block.items, 3);
    free_expressions(judge->grid.items, 3);
    free_expressions(tolerances, 3);
    free_expressions(judge->values, judge->value_count);
}

static void free_setting(void *user, const gt_expression *expression)
{
    (void)user;
    gt_expression_free((gt_expression *)expression);
}

static void free_launch(gt_template_parts *parts)
{
    gt_settings_visit(parts, true, free_setting, NULL);
    gt_settings_visit(parts, false, free_setting, NULL);
    gt_expression_free(parts->work_bytes);
    gt_expression_free(parts->work_flops);
    free_expressions(parts->requires, GT_REQUIRE_MAX);
    for (uint32_t i = 0; i < parts->map_count; i++) {
        gt_map_free(&parts->maps[i]);
    }
    for (uint32_t i = 0; i < parts->texture_count; i++) {
        gt_expression_free(parts->textures[i].width);
    }
    for (uint32_t i = 0; i < GT_SCRATCH_MAX; i++) {
        free_expressions(parts->scratch[i].extents.items, 3);
    }
    for (uint32_t i = 0; i < GT_DEFINE_MAX; i++) {
        gt_expression_free(parts->defines[i].value);
        free(parts->defines[i].text);
    }
    for (uint32_t i = 0; i < parts->option_count; i++) {
        gt_expression_free(parts->options[i].condition);
        free(parts->options[i].text);
    }
}

static void free_texts(gt_template_parts *parts)
{
    gt_reader_free_files(parts);
    for (uint32_t i = 0; i < GT_AXIS_MAX; i++) {
        free(parts->axis_values[i]);
    }
    for (uint32_t i = 0; i < GT_PROBLEM_MAX; i++) {
        free(parts->problem_values[i]);
    }
    for (uint32_t i = 0; i < parts->word_count; i++) {
        free(parts->words[i]);
    }
    free(parts->summary);
    free(parts->kernel_body.text);
    free(parts->kernel_body.head_path);
    free(parts->judge_body.text);
    free(parts->judge_body.head_path);
}

void gt_template_free(gt_template *template)
{
    if (!template) {
        return;
    }
    free_arguments(template);
    gt_structures_free(template->parts);
    free_judge(&template->parts->reference);
    free_judge(&template->parts->check);
    free_judge(&template->parts->init);
    free_launch(template->parts);
    free_texts(template->parts);
    pthread_mutex_destroy(&template->parts->lock);
    free(template->parts);
    free(template);
}
