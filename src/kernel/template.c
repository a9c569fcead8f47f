/* Parses a template: all its pragmas, in phases, and then its functions. */
#include "kernel/axis_kind.h"
#include "kernel/body.h"
#include "kernel/compiler_options.h"
#include "kernel/pipeline.h"
#include "kernel/structure.h"
#include "kernel/tensormap.h"

#include <ctype.h>
#include <string.h>

typedef enum occurrence { ONCE, MANY, NEEDED } occurrence;

typedef struct pragma {
    const char *word;
    int phase;
    occurrence occurrence;
    gt_parse_fn parse;
    const char *form; /* an example for messages; NULL: they need none */
} pragma;

/* The pragmas by the phase in which they are read: later ones use what earlier ones declare. Those
 * that declare axes are in axis_kind.c, and are read in the phase AXES. */
enum { AXES = 1 };

static const pragma pragmas[] = {
    {"kernel", 0, NEEDED, gt_parse_kernel, NULL},
    {"problem", 0, MANY, gt_parse_problem, NULL},
    {"constant", 1, MANY, gt_parse_constant, "constant(weights : float[9])"},
    {"args", 2, NEEDED, gt_parse_args, NULL},
    {"scratch", 2, MANY, gt_parse_scratch, NULL},
    {"default", 2, MANY, gt_parse_default, NULL},
    {"block", 2, NEEDED, gt_parse_block, NULL},
    {"grid", 2, NEEDED, gt_parse_grid, NULL},
    {"shared", 2, ONCE, gt_parse_shared, NULL},
    {"cooperative", 2, ONCE, gt_parse_cooperative, NULL},
    {"require", 2, MANY, gt_parse_require, NULL},
    {"launch_bounds", 2, ONCE, gt_parse_launch_bounds, NULL},
    {"maxreg", 2, ONCE, gt_parse_maxreg, NULL},
    {"work", 2, ONCE, gt_parse_work, NULL},
    {"reference", 2, ONCE, gt_parse_reference,
     "reference(KERNEL, block = 256, grid = ceil_div(n, 256), rtol = 1e-5)"},
    {"check", 2, ONCE, gt_parse_check, "check(KERNEL, block = 256, grid = ceil_div(n, 256))"},
    {"define", 2, MANY, gt_parse_define, NULL},
    {"options", 2, MANY, gt_parse_options,
     "options(\"--use_fast_math\", FAST ? \"--ftz=true\" : \"\")"},
    {"clear", 3, MANY, gt_parse_clear, NULL},
    {"tensormap", 3, MANY, gt_parse_tensormap, "tensormap(x, box = (64, 64), swizzle = 128)"},
    {"expect", 3, ONCE, gt_parse_expect, "expect(y = file(\"y.npy\"), rtol = 1e-5)"},
    {"init", AXES, ONCE, gt_parse_init,
     "init(KERNEL, block = 256, grid = ceil_div(n, 256))"}, /* before args(), whose integers then
                                                               need no fill */
    {"launch", 3, MANY, gt_parse_launch,
     "launch(KERNEL, block = 256, grid = ceil_div(n, 256), args = (y, x, n))"},
};

enum { PRAGMA_COUNT = sizeof pragmas / sizeof *pragmas, PHASES = 4, WORD_MAX = 32 };

/* The index-th of all pragmas; its word is NULL behind the last. */
static pragma pragma_at(int index)
{
    if (index < PRAGMA_COUNT) {
        return pragmas[index];
    }
    const gt_axis_traits *kind = gt_axis_traits_of((gt_axis_kind)(index - PRAGMA_COUNT));
    return kind ? (pragma){kind->name, AXES, kind->once ? ONCE : MANY, kind->parse, NULL}
                : (pragma){0};
}

/* Words that are known and not to be had yet. */
static const struct {
    const char *word, *expected;
} refused[] = {{"texture", "a buffer, which const and __restrict__ let the kernel read as fast"},
               {"surface", "a buffer"}};

static int word_index(const char *word)
{
    for (int i = 0; pragma_at(i).word; i++) {
        if (strcmp(pragma_at(i).word, word) == 0) {
            return i;
        }
    }
    return -1;
}

static gputune_status unknown_word(const gt_clause *clause)
{
    const char *names[WORD_MAX] = {"include"};
    size_t count = 1;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strcmp(refused[i].word, clause->word) == 0) {
            return gt_fail_at(clause->place, "'%s' is not supported yet; expected %s", clause->word,
                              refused[i].expected);
        }
    }
    for (int i = 0; pragma_at(i).word; i++) {
        names[count++] = pragma_at(i).word;
    }
    const char *nearest = gt_nearest(clause->word, names, count);
    return gt_fail_at(clause->place, "unknown pragma '%s'; expected %s%s%s", clause->word,
                      nearest ? "'" : "", nearest ? nearest : "one such as tune or require",
                      nearest ? "'" : "");
}

/* What to write beside launch() in place of a clause that is for a template with one kernel; NULL:
 * the clause has its place there too. */
static const char *beside_launch(const char *word)
{
    static const struct {
        const char *word, *instead;
    } of_one_kernel[] = {
        {"block", "it in each launch(), as in launch(KERNEL, block = 256, …)"},
        {"grid", "it in each launch(), as in launch(KERNEL, grid = ceil_div(n, 256), …)"},
        {"shared", "it in a launch(), as in launch(KERNEL, shared = 4 * BLOCK, …)"},
        {"cluster", "it in a launch(), as in tune(SIZE = 1, 2) launch(KERNEL, cluster = SIZE, …)"},
        {"cooperative", "it in a launch(), as in launch(KERNEL, cooperative = 1, …)"},
        {"preferred_cluster", "it left out, or a template with one kernel"},
        {"launch_bounds", "__launch_bounds__(BLOCK) in the kernels' definitions"},
        {"pass", "constant(NAME : TYPE[COUNT]), or a buffer in args()"},
        {"tensormap", "a buffer in args(), or a template with one kernel"}};
    for (size_t i = 0; i < sizeof of_one_kernel / sizeof *of_one_kernel; i++) {
        if (strcmp(of_one_kernel[i].word, word) == 0) {
            return of_one_kernel[i].instead;
        }
    }
    return NULL;
}

/* Unknown words, words that came twice, and words that are missing. */
static gputune_status check_words(const gt_reader *reader)
{
    const gt_clause *first[WORD_MAX] = {NULL};
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        int i = word_index(clause->word);
        if (i < 0) {
            return unknown_word(clause);
        }
        if (first[i] && pragma_at(i).occurrence != MANY) {
            return gt_fail_at(clause->place,
                              "'%s' given twice; expected it once (first on line "
                              "%d)",
                              clause->word, first[i]->place.line);
        }
        first[i] = first[i] ? first[i] : clause;
    }
    for (size_t c = 0; c < reader->clauses.count && first[word_index("launch")]; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        const char *instead = beside_launch(clause->word);
        if (instead) {
            return gt_fail_at(clause->place, "'%s' beside launch(); expected %s", clause->word,
                              instead);
        }
    }
    for (int i = 0; i < PRAGMA_COUNT; i++) {
        bool in_launch = first[word_index("launch")] && beside_launch(pragmas[i].word);
        if (pragmas[i].occurrence == NEEDED && !first[i] && !in_launch) {
            const char *path = reader->parts->files[0].path;
            if (!reader->clauses.count) {
                return gt_fail(
                    GPUTUNE_ETEMPLATE,
                    "%s:1:1: no #pragma gputune; 'gputune template %s' writes those of a "
                    "first template",
                    path, path);
            }
            return gt_fail(GPUTUNE_ETEMPLATE, "%s:1:1: no '%s'; expected #pragma gputune %s(…)",
                           path, pragmas[i].word, pragmas[i].word);
        }
    }
    return GPUTUNE_OK;
}

static gputune_status parse_phase(gt_parse *parse, const gt_reader *reader, int phase)
{
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        pragma found = pragma_at(word_index(clause->word));
        if (found.phase != phase) {
            continue;
        }
        gt_lexer body = clause->body;
        body.form = found.form;
        GT_TRY(found.parse(parse, clause, &body));
        if (body.token.kind != GT_TOKEN_END) {
            return gt_fail_expected(&body, "',' or ')'");
        }
    }
    return GPUTUNE_OK;
}

static gputune_status check_outputs(const gt_parse *parse)
{
    const gt_template *template = parse->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (template->arguments[i].is_buffer && template->arguments[i].direction != GT_IN) {
            return GPUTUNE_OK;
        }
    }
    return gt_fail_at(parse->parts->kernel.place,
                      "no out or inout buffer in args(); expected at least one");
}

/* An axis's value reaches the source as a macro, through a define() or the like, or as the
 * machinery of a pass block. */
static bool is_in_source(const gt_template_parts *parts, const gt_template *template, uint32_t axis)
{
    const gt_expression *others[] = {parts->launch_bounds[0], parts->launch_bounds[1]};
    int slot = GT_SLOT_AXIS + (int)axis;
    bool in = gt_axis_traits_of(template->axes[axis].kind)->generates ||
              (parts->kernel_body.axis_mask >> axis & 1) || gt_compiler_options_use(template, axis);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        in |= others[i] && gt_expression_uses(others[i], slot);
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        in |= parts->defines[i].value && gt_expression_uses(parts->defines[i].value, slot);
    }
    return in;
}

/* The words whose clauses say what a kernel computes, and those that say how it is launched. */
static const char *const meaning_words[] = {"args", "reference", "check",   "expect", "init",
                                            "work", "clear",     "options", "launch"};
static const char *const launch_words[] = {"block", "grid",        "shared",    "scratch",
                                           "clear", "cooperative", "tensormap", "launch"};

/* How variants are proved right. What was proved, or refuted, in another way does not answer:
 * change it where the proof or the default tolerances change. */
static const char proof[] = "two launches, tolerances by the reference's sensitivity\n";

static void append_clauses(gt_text *out, const gt_reader *reader, const char *const *list,
                           size_t count)
{
    for (size_t w = 0; w < count; w++) {
        for (size_t c = 0; c < reader->clauses.count; c++) {
            const gt_clause *clause = &reader->clauses.items[c];
            if (strcmp(clause->word, list[w]) == 0) {
                const char *begin = clause->body.token.text;
                gt_text_printf(out, "\n%s ", list[w]);
                gt_tokens_append(out, begin, (size_t)(clause->body.end - begin));
            }
        }
    }
}

static void append_fill(gt_text *out, const gt_fill *fill)
{
    gt_text_printf(out, "%d %s %s", (int)fill->kind, fill->low ? gt_expression_text(fill->low) : "",
                   fill->high ? gt_expression_text(fill->high) : "");
}

static void append_pass(gt_text *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->pass_count; i++) {
        const gt_pass_block *pass = &template->passes[i];
        gt_text_printf(out, "\n%s %s %s %s ", pass->axis < 0 ? "constant" : "pass", pass->name,
                       pass->type, pass->count ? gt_expression_text(pass->count) : "");
        append_fill(out, &pass->fill);
        for (uint32_t k = 0; k < pass->initialisers.count; k++) {
            const gt_initialiser *item = &pass->initialisers.items[k];
            gt_text_printf(out, ", .%s ", item->path);
            append_fill(out, &item->fill);
        }
    }
}

static void append_instance(gt_text *out, const gt_kernel_name *kernel)
{
    const char *begin = kernel->arguments.token.text;
    if (kernel->is_template) {
        gt_text_append(out, "\nkernel ");
        gt_tokens_append(out, begin, (size_t)(kernel->arguments.end - begin));
    }
}

/* Times are kept for the work of the default's launch: with another default they are others. */
static void append_work_of_default(gt_text *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis *axis = &template->axes[i];
        if (template->work.axes >> i & 1) {
            gt_text_printf(out, "\ndefault %s=", axis->name);
            gt_axis_value_append(out, axis, axis->default_choice);
        }
    }
}

static gputune_status make_hashes(gt_parse *parse, const gt_reader *reader)
{
    gt_text text = {0};
    gt_text_append(&text, proof);
    gt_tokens_append(&text, gt_text_string(&reader->body), reader->body.length);
    append_clauses(&text, reader, meaning_words, sizeof meaning_words / sizeof *meaning_words);
    append_pass(&text, parse->template);
    append_instance(&text, &parse->parts->kernel);
    append_work_of_default(&text, parse->template);
    parse->template->identity = gt_hash_string(gt_text_string(&text));
    if (reader->has_headers) {
        parse->template->identity = gt_hash_join(parse->template->identity, reader->headers);
        parse->template->has_headers = true;
    }
    gputune_status status = text.failed ? gt_fail_memory() : GPUTUNE_OK;
    gt_text_clear(&text);
    append_clauses(&text, reader, launch_words, sizeof launch_words / sizeof *launch_words);
    parse->parts->geometry = gt_hash_string(gt_text_string(&text));
    status = text.failed ? gt_fail_memory() : status;
    gt_text_free(&text);
    return status;
}

static uint64_t axes_of(const gt_expression *const *expressions, size_t count)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < count; i++) {
        mask |= gt_axes_used(expressions[i]);
    }
    return mask;
}

static void note_axes(gt_parse *parse)
{
    gt_template_parts *parts = parse->parts;
    parts->geometry_axes = axes_of((const gt_expression *const *)parts->block.items, 3) |
                           axes_of((const gt_expression *const *)parts->grid.items, 3) |
                           axes_of((const gt_expression *const *)parts->cluster.items, 3) |
                           axes_of((const gt_expression *const *)&parts->shared, 1) |
                           gt_axes_used(parts->cooperative) | gt_steps_axes(parse->template);
    for (uint32_t i = 0; i < parts->scratch_count; i++) {
        parts->geometry_axes |=
            axes_of((const gt_expression *const *)parts->scratch[i].extents.items, 3);
    }
    for (uint32_t i = 0; i < parts->map_count; i++) {
        parts->geometry_axes |= gt_map_axes(&parts->maps[i]);
    }
    if (!parse->template->work.stated) {
        parse->template->work.place = parts->kernel.place;
    }
    for (uint32_t i = 0; i < parse->template->axis_count; i++) {
        parse->template->axes[i].in_source = is_in_source(parts, parse->template, i);
    }
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
    GT_TRY(gt_strndup(&parts->summary, at, length));
    for (char *c = parts->summary; *c; c++) {
        *c = iscntrl((unsigned char)*c) ? ' ' : *c;
    }
    template->summary = parts->summary;
    return GPUTUNE_OK;
}

static gputune_status parse_all(gt_parse *parse, gt_reader *reader, const char *path,
                                const char *text, const char *kernel)
{
    GT_TRY(gt_reader_run(reader, path, text));
    GT_TRY(gt_select_kernel(reader, kernel));
    GT_TRY(check_words(reader));
    parse->code = gt_text_string(&reader->body);
    for (int phase = 0; phase < PHASES; phase++) {
        GT_TRY(parse_phase(parse, reader, phase));
    }
    GT_TRY(gt_parse_vector_buffers(parse));
    GT_TRY(check_outputs(parse));
    GT_TRY(gt_bodies_make(parse, gt_text_string(&reader->body)));
    parse->parts->headers = reader->headers;
    note_axes(parse);
    GT_TRY(make_hashes(parse, reader));
    parse->template->path = parse->parts->files[0].path;
    parse->template->text = parse->parts->files[0].text;
    return make_summary(parse->template, parse->parts);
}

static gputune_status seed_words(gt_template *template)
{
    static const char *const fixed[GT_WORD_FIXED] = {"",         "value",  "split",
                                                     "constant", "global", "auto"};
    gt_value ignored;
    for (int i = 0; i < GT_WORD_FIXED; i++) {
        GT_TRY(gt_template_word(&ignored, template, fixed[i]));
    }
    return GPUTUNE_OK;
}

static gputune_status new_template(gt_template **out)
{
    gt_template *template = calloc(1, sizeof *template);
    gt_template_parts *parts = calloc(1, sizeof *parts);
    if (!template || !parts || pthread_mutex_init(&parts->lock, NULL) != 0) {
        free(template);
        free(parts);
        return gt_fail_memory();
    }
    template->parts = parts;
    gputune_status status = seed_words(template);
    if (status < 0) {
        gt_template_free(template);
        return status;
    }
    *out = template;
    return GPUTUNE_OK;
}

gputune_status gt_template_parse(gt_template **out, const char *path, const char *text,
                                 gt_include_fn include, void *user)
{
    return gt_template_parse_kernel(out, path, text, NULL, include, user);
}

gputune_status gt_template_parse_kernel(gt_template **out, const char *path, const char *text,
                                        const char *kernel, gt_include_fn include, void *user)
{
    gt_template *template = NULL;
    GT_TRY(new_template(&template));
    gt_parse *parse = calloc(1, sizeof *parse);
    if (!parse) {
        gt_template_free(template);
        return gt_fail_memory();
    }
    gt_reader reader = {.parts = template->parts, .include = include, .user = user};
    parse->template = template;
    parse->parts = template->parts;
    gputune_status status = parse_all(parse, &reader, path, text, kernel);
    free(parse);
    gt_reader_free(&reader);
    if (status < 0) {
        gt_template_free(template);
        return status;
    }
    *out = template;
    return GPUTUNE_OK;
}

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
}

static void free_launch(gt_template_parts *parts)
{
    gt_expression *const singles[] = {
        parts->cooperative, parts->shared,     parts->launch_bounds[0], parts->launch_bounds[1],
        parts->maxreg,      parts->work_bytes, parts->work_flops};
    free_expressions(singles, sizeof singles / sizeof *singles);
    free_expressions(parts->block.items, 3);
    free_expressions(parts->grid.items, 3);
    free_expressions(parts->cluster.items, 3);
    free_expressions(parts->requires, GT_REQUIRE_MAX);
    for (uint32_t i = 0; i < parts->map_count; i++) {
        gt_map_free(&parts->maps[i]);
    }
    for (uint32_t i = 0; i < parts->step_count; i++) {
        gt_template_step *step = &parts->steps[i];
        gt_expression *const own[] = {step->shared, step->times, step->cooperative,
                                      step->programmatic};
        free_expressions(own, sizeof own / sizeof *own);
        free_expressions(step->block.items, 3);
        free_expressions(step->grid.items, 3);
        free_expressions(step->cluster.items, 3);
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

int gt_template_axis_index(const gt_template *template, const char *name)
{
    for (uint32_t i = 0; i < template->axis_count; i++) {
        if (strcmp(template->axes[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

int gt_template_problem_index(const gt_template *template, const char *name)
{
    for (uint32_t i = 0; i < template->problem_count; i++) {
        if (strcmp(template->problem[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

const char *gt_template_scratch(const gt_template *template, uint32_t index, const char **type)
{
    if (index >= template->parts->scratch_count) {
        return NULL;
    }
    *type = template->parts->scratch[index].type;
    return template->parts->scratch[index].name;
}

const gt_axis *gt_template_axis(const gt_template *template, const char *name)
{
    int index = gt_template_axis_index(template, name);
    return index < 0 ? NULL : &template->axes[index];
}
