/* Parses a template: all its pragmas, in phases, and then its functions. */
#include "kernel/axis_kind.h"
#include "kernel/body.h"
#include "kernel/branches.h"

#include <ctype.h>
#include <string.h>

static gputune_status check_outputs(const gt_parse *parse)
{
    const gt_template *template = parse->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (template->arguments[i].direction != GT_IN) {
            return GPUTUNE_OK;
        }
    }
    return gt_fail_at(parse->parts->kernel.place,
                      "no out or inout buffer in args(); expected at least one, as 'out float "
                      "y[n]', or 'out float g.y[n]' where a struct g points to it");
}

/* The first comment of the file without its slashes. */
static gputune_status make_summary(gt_template *template, gt_template_parts *parts)
{
    const char *at = parts->files[0].text;
    at += strspn(at, " \t\r\n");
    bool comment = at[0] == '/' && (at[1] == '/' || at[1] == '*');
    at += comment ? strspn(at, "/* \t!") : 0;
    size_t length = comment ? strcspn(at, "\r\n") : 0;
    while (length > 0 && strchr(" \t*/", at[length - 1])) {
        length--;
    }
    char *summary = strndup(at, length);
    GT_TRY(gt_keep(parts, summary));
    for (char *c = summary; *c; c++) {
        *c = iscntrl((unsigned char)*c) ? ' ' : *c;
    }
    template->summary = summary;
    return GPUTUNE_OK;
}

/* Whether the clause makes a macro of the name, or of its beginning: KIND_fast. */
static bool makes_macro(const gt_clause *clause, const gt_token *name)
{
    const gt_token word = gt_token_of(clause->word);
    gt_lexer lexer = clause->body;
    bool makes = false;
    if (gt_axis_kind_of(clause->word) == GT_AXIS_KINDS &&
        !gt_token_is_any(&word, "problem define options")) {
        return false;
    }
    for (; lexer.token.kind != GT_TOKEN_END && !makes; gt_lexer_next(&lexer)) {
        const gt_token *own = &lexer.token;
        size_t length = own->length;
        bool begins = own->kind == GT_TOKEN_NAME && name->length >= length &&
                      memcmp(own->text, name->text, length) == 0;
        makes =
            (begins && (name->length == length || name->text[length] == '_')) ||
            (own->kind == GT_TOKEN_STRING && memmem(own->text, length, name->text, name->length));
    }
    return makes;
}

/* Conditions on what clauses define are not the text's own to decide. */
static gt_meaning meaning_of(const void *user, const gt_token *name, int64_t *value)
{
    const gt_reader *reader = user;
    if (gt_token_is(name, "__CUDACC_RTC__")) {
        *value = 1;
        return GT_VALUED;
    }
    if (gt_token_is(name, "__CUDA_ARCH__")) {
        return GT_OPEN;
    }
    for (size_t i = 0; i < reader->clauses.count; i++) {
        if (makes_macro(&reader->clauses.items[i], name)) {
            return GT_OPEN;
        }
    }
    return GT_UNDEFINED;
}

/* What is read of the code: the compiler gets all of it. */
static gputune_status take_code(gt_parse *parse, const gt_reader *reader)
{
    free(parse->left);
    parse->left = NULL;
    GT_TRY(gt_branches_cut(&parse->left, gt_text_string(&reader->body), meaning_of, reader));
    parse->code = parse->left;
    return GPUTUNE_OK;
}

static gputune_status parse_all(gt_parse *parse, gt_reader *reader, const char *path,
                                const char *text, const char *kernel)
{
    GT_TRY(gt_reader_run(reader, path, text));
    GT_TRY(gt_select_kernel(reader, kernel));
    GT_TRY(take_code(parse, reader));
    GT_TRY(gt_parse_clauses(parse, reader));
    if (parse->elements.length > 0) {
        gt_text_append(&reader->body, gt_text_string(&parse->elements));
        GT_TRY(take_code(parse, reader));
    }
    GT_TRY(gt_parse_vector_buffers(parse));
    GT_TRY(gt_loops_finish(parse));
    GT_TRY(check_outputs(parse));
    GT_TRY(gt_bodies_make(parse, gt_text_string(&reader->body)));
    parse->parts->headers = reader->headers;
    GT_TRY(gt_template_identify(parse, reader));
    parse->template->path = parse->parts->files[0].path;
    parse->template->text = parse->parts->files[0].text;
    return make_summary(parse->template, parse->parts);
}

static gputune_status new_template(gt_template **out)
{
    static const char *const words[GT_WORD_FIXED] = {"",         "value",  "split",
                                                     "constant", "global", "auto"};
    gt_template *template = calloc(1, sizeof *template);
    gt_template_parts *parts = calloc(1, sizeof *parts);
    if (!template || !parts || pthread_mutex_init(&parts->lock, NULL) != 0) {
        free(template);
        free(parts);
        return gt_fail_memory();
    }
    memcpy(parts->words, words, sizeof words);
    parts->word_count = GT_WORD_FIXED;
    template->parts = parts;
    *out = template;
    return GPUTUNE_OK;
}

gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 const char *kernel, gt_include_fn include, void *user)
{
    gt_template *template = NULL;
    GT_FREED gt_parse *parse = calloc(1, sizeof *parse);
    GT_TRY(gt_allocated(parse));
    GT_TRY(new_template(&template));
    gt_reader reader = {.parts = template->parts, .include = include, .user = user};
    parse->template = template;
    parse->parts = template->parts;
    gputune_status status = parse_all(parse, &reader, path, text, kernel);
    gt_text_free(&parse->elements);
    free(parse->left);
    gt_reader_free(&reader);
    return GT_GIVE(status, out, template, gt_template_free(template));
}

gputune_status gt_keep(gt_template_parts *parts, void *memory)
{
    GT_TRY(gt_allocated(memory));
    return gt_texts_take(&parts->kept, memory);
}

gputune_status gt_keep_text(const char **out, gt_template_parts *parts, const char *text,
                            size_t length)
{
    char *copy = strndup(text, length);
    GT_TRY(gt_keep(parts, copy));
    *out = copy;
    return GPUTUNE_OK;
}

void gt_parts_free(gt_template_parts *parts)
{
    gt_texts_free(&parts->kept);
    free(parts->kernel_body.text);
    free(parts->kernel_body.head_path);
    free(parts->judge_body.text);
    free(parts->judge_body.head_path);
    free(parts);
}

void gt_template_free(gt_template *template)
{
    if (template) {
        pthread_mutex_destroy(&template->parts->lock);
        gt_parts_free(template->parts);
        free(template);
    }
}

int gt_index_by_name(const void *items, size_t bytes, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp((const char *)items + i * bytes, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int gt_template_axis_index(const gt_template *template, const char *name)
{
    return GT_NAMED(template->axes, template->axis_count, name);
}

int gt_template_problem_index(const gt_template *template, const char *name)
{
    return GT_NAMED(template->problem, template->problem_count, name);
}

uint32_t gt_name_count(const gt_template *template)
{
    return template->axis_count + template->problem_count;
}

gt_chosen_name gt_name_at(const gt_template *template, uint32_t index)
{
    if (index < template->axis_count) {
        const gt_axis *axis = &template->axes[index];
        return (gt_chosen_name){axis->name, true, false, axis->values, axis->count, axis->place};
    }
    const gt_problem_value *value = &template->problem[index - template->axis_count];
    return (gt_chosen_name){value->name,   false,        value->kind == GT_PROBLEM_SIZE,
                            value->values, value->count, value->place};
}

int gt_name_index(const gt_template *template, const char *name)
{
    const int axis = gt_template_axis_index(template, name);
    const int problem = gt_template_problem_index(template, name);
    return axis >= 0 || problem < 0 ? axis : (int)template->axis_count + problem;
}
