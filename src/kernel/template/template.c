/* Parses a template in several phases: clauses, functions, and hashes. */
#include "kernel/template/axis_kind.h"
#include "kernel/template/config.h"
#include "kernel/template/parse.h"
#include "kernel/text/branches.h"
#include "kernel/text/compiler_options.h"
#include "kernel/text/macros.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef enum occurrence {
    ONCE,
    MANY,
    NEEDED, /* exactly once */
    SOME    /* at least once */
} occurrence;

/* Properties of a clause, as bits. */
enum {
    LIST = 1,    /* the clause is a list, whose items are parsed one by one */
    MEANING = 2, /* the clause affects the results of a kernel */
    LAUNCH = 4,  /* the clause affects how a kernel is launched */
    MAKING = 8,  /* the clause affects the code that is generated for a configuration */
    ORDER = 16,  /* the clause belongs to the sequence of launches */
    CODE = 32    /* the clause contains names of functions or text that becomes code */
};

typedef struct pragma {
    const char *word;
    int phase;
    occurrence occurrence;
    gt_parse_fn *parse;
    unsigned roles;
    const char *form;   /* an example for messages, or NULL */
    const char *beside; /* what to use instead in templates with launch(), for messages, or NULL */
    size_t member;      /* offset of the member that the clause sets (gt_parse.member) */
} pragma;

/* All clauses, in the order in which they are hashed. Each phase uses what earlier phases have
 * declared. */
static const pragma pragmas[] = {
    {"kernel", 0, NEEDED, gt_parse_kernel, .roles = CODE},
    {"problem", 0, MANY, gt_parse_problem, .roles = 0},
    {"args", 4, SOME, gt_parse_args, .roles = LIST | MEANING},
    {"reference", 6, ONCE, gt_parse_reference, .roles = MEANING | CODE,
     .form = "reference(KERNEL, block = 256, grid = ceil_div(n, 256), rtol = 1e-5)"},
    {"check", 4, ONCE, gt_parse_judge, .roles = MEANING | CODE,
     .form = "check(KERNEL, block = 256, grid = ceil_div(n, 256))",
     .member = offsetof(gt_template_parts, check)},
    {"expect", 7, ONCE, gt_parse_expect, .roles = MEANING,
     .form = "expect(y = file(\"y.npy\"), rtol = 1e-5)"},
    /* init() is parsed before args(), because integer inputs need no fill if there is an init() */
    {"init", 3, ONCE, gt_parse_judge, .roles = MEANING | CODE,
     .form = "init(KERNEL, block = 256, grid = ceil_div(n, 256))",
     .member = offsetof(gt_template_parts, init)},
    {"work", 4, ONCE, gt_parse_work, .roles = MEANING},
    {"block", 4, NEEDED, gt_parse_setting, .roles = LAUNCH,
     .beside = "it in each launch(), as in launch(KERNEL, block = 256, …)"},
    {"grid", 4, NEEDED, gt_parse_setting, .roles = LAUNCH,
     .beside = "it in each launch(), as in launch(KERNEL, grid = ceil_div(n, 256), …)"},
    {"shared", 4, ONCE, gt_parse_setting, .roles = LAUNCH,
     .beside = "it in a launch(), as in launch(KERNEL, shared = 4 * BLOCK, …)"},
    {"scratch", 5, MANY, gt_parse_scratch, .roles = LIST | LAUNCH},
    {"clear", 6, MANY, gt_parse_written, .roles = LIST | MEANING | LAUNCH,
     .member = offsetof(gt_argument, cleared)},
    {"cooperative", 4, ONCE, gt_parse_cooperative, .roles = LAUNCH,
     .beside = "it in a launch(), as in launch(KERNEL, cooperative = 1, …)"},
    {"options", 4, MANY, gt_parse_options, .roles = LIST | MEANING | CODE,
     .form = "options(\"--use_fast_math\", FAST ? \"--ftz=true\" : \"\")"},
    {"tensormap", 5, MANY, gt_parse_tensormap, .roles = LAUNCH,
     .form = "tensormap(x, box = (64, 64), swizzle = 128)"},
    {"launch", 6, MANY, gt_parse_launch, .roles = MEANING | LAUNCH | ORDER | CODE,
     .form = "launch(KERNEL, block = 256, grid = ceil_div(n, 256), args = (y, x, n))"},
    {"prove", 6, MANY, gt_parse_prove, .roles = LIST | MEANING, .form = "prove(a = 0, -1)"},
    /* after clear() */
    {"in_place", 7, MANY, gt_parse_in_place, .roles = LIST | MEANING, .form = "in_place(y : x)"},
    {"texture", 6, MANY, gt_parse_texture, .roles = MEANING,
     .form = "texture(image, filter = linear, address = border)"},
    {"define", 2, MANY, gt_parse_define, .roles = LIST | MAKING | CODE},
    {"launch_bounds", 4, ONCE, gt_parse_setting, .roles = MAKING,
     .beside = "__launch_bounds__(BLOCK) in the kernels' definitions"},
    {"maxreg", 4, ONCE, gt_parse_setting, .roles = MAKING},
    {"constant", 1, MANY, gt_parse_constant, .roles = 0, .form = "constant(weights : float[9])"},
    {"default", 4, MANY, gt_parse_default, .roles = LIST},
    /* start() is parsed after default(), and affects only which variants are tried first */
    {"start", 5, MANY, gt_parse_start, .roles = 0, .form = "start(VEC = 4, BLOCK = 256)"},
    {"require", 4, MANY, gt_parse_require, .roles = 0},
    {"races", 6, MANY, gt_parse_written, .roles = LIST, .member = offsetof(gt_argument, races)},
    {"for", 6, MANY, gt_parse_for, .roles = ORDER, .form = "for(i = 0; i < n; ++i)"},
    {"end", 6, MANY, gt_parse_end, .roles = ORDER, .form = "end(i)"},
    {"swap", 6, MANY, gt_parse_swap, .roles = ORDER, .form = "swap(next, now)"},
    {"tune", 1, MANY, gt_parse_axis, .roles = LIST},
    {"vector", 1, MANY, gt_parse_vector, .roles = 0},
    {"pass", 1, MANY, gt_parse_pass, .roles = 0,
     .beside = "constant(NAME : TYPE[COUNT]), or a buffer in args()"},
    {"cluster", 1, ONCE, gt_parse_cluster, .roles = 0,
     .beside = "it in a launch(), as in tune(SIZE = 1, 2) launch(KERNEL, cluster = SIZE, …)"},
    {"carveout", 1, ONCE, gt_parse_axis, .roles = 0},
    {"l2_persist", 1, ONCE, gt_parse_vector, .roles = 0},
};

enum { PRAGMA_COUNT = sizeof pragmas / sizeof *pragmas, PHASES = 8 };

static size_t word_index(const char *word)
{
    return gt_index_of(word, pragmas, PRAGMA_COUNT);
}

bool gt_clause_has_code(const char *word)
{
    const size_t index = word_index(word);
    return index < PRAGMA_COUNT && pragmas[index].roles & CODE;
}

bool gt_clause_is_single(const char *word)
{
    const size_t index = word_index(word);
    return index < PRAGMA_COUNT && pragmas[index].occurrence != MANY;
}

static gputune_status unknown_word(const gt_clause *clause)
{
    gt_near near = gt_near_to(clause->word);
    gt_near_try(&near, "include");
    for (size_t i = 0; i < PRAGMA_COUNT; i++) {
        gt_near_try(&near, pragmas[i].word);
    }
    return gt_fail_at(clause->place, "unknown pragma '%s'; expected %s", clause->word,
                      gt_near_or(&near, "one such as tune or require"));
}

static gputune_status check_words(const gt_template_reader *reader)
{
    const gt_clause *first[PRAGMA_COUNT] = {NULL};
    for (size_t c = 0; c < reader->clauses.count; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        const size_t i = word_index(clause->word);
        if (i == PRAGMA_COUNT) {
            return unknown_word(clause);
        }
        GT_REFUSE_AT(first[i] && (pragmas[i].occurrence == ONCE || pragmas[i].occurrence == NEEDED),
                     clause->place, "'%s' is given twice; expected it once (first on line %d)",
                     clause->word, first[i]->place.line);
        first[i] = first[i] ? first[i] : clause;
    }
    const bool launches = first[word_index("launch")];
    for (size_t c = 0; c < reader->clauses.count && launches; c++) {
        const gt_clause *clause = &reader->clauses.items[c];
        const char *instead = pragmas[word_index(clause->word)].beside;
        GT_REFUSE_AT(instead, clause->place, "'%s' cannot be combined with launch(); expected %s",
                     clause->word, instead);
    }
    for (size_t i = 0; i < PRAGMA_COUNT; i++) {
        const bool in_launch = launches && pragmas[i].beside;
        if (pragmas[i].occurrence >= NEEDED && !first[i] && !in_launch) {
            const char *path = reader->parts->files[0].path;
            GT_REFUSE(!reader->clauses.count, GPUTUNE_ETEMPLATE,
                      "%s:1:1: no #pragma gputune line; 'gputune template %s' drafts a template",
                      path, path);
            return gt_fail(GPUTUNE_ETEMPLATE, "%s:1:1: no '%s'; expected #pragma gputune %s(%s",
                           path, pragmas[i].word, pragmas[i].word,
                           launches ? "NAME), a name for the whole pipeline" : "…)");
        }
    }
    return GPUTUNE_OK;
}

static gputune_status parse_phase(gt_parse *p, int phase)
{
    for (size_t c = 0; c < p->reader->clauses.count; c++) {
        const gt_clause *clause = &p->reader->clauses.items[c];
        const pragma *found = &pragmas[word_index(clause->word)];
        if (found->phase != phase) {
            continue;
        }
        p->clause = clause;
        p->word = found->word;
        p->member = found->member;
        p->at = clause->body;
        p->at.form = found->form;
        do {
            GT_TRY(found->parse(p));
        } while (found->roles & LIST && gt_lexer_accept(&p->at, ","));
        GT_TRY(gt_read_end(p));
    }
    return GPUTUNE_OK;
}

/* ---- identity ---- */

/* Notes that the source contains the value of an expression. Unless the expression is only the name
 * of the axis, several values of the axis may give it the same value, and so the same source. */
static void note_in_source(gt_axis *axis, const gt_expression *expression, uint32_t index)
{
    if (expression && gt_expression_uses(expression, GT_SLOT_AXIS + (int)index)) {
        axis->in_source = true;
        axis->shares_source &= expression->count > 1;
    }
}

static void set_in_source(gt_axis *axis, const gt_template_parts *parts, uint32_t index)
{
    const gt_body *body = &parts->kernel_body;
    axis->in_source =
        gt_axis_traits_of(axis->kind)->generates || ((body->macros | body->instances) >> index & 1);
    axis->shares_source = !axis->in_source;
    for (const gt_expression *one = NULL;
         (one = gt_expression_of(parts, GT_WORDS_COMPILED, one));) {
        note_in_source(axis, one, index);
    }
    for (uint32_t i = 0; i < parts->define_count; i++) {
        const gt_define *define = &parts->defines[i];
        note_in_source(axis, define->is_name ? NULL : define->value, index);
    }
    axis->shares_source &= axis->in_source;
}

/* A description of how results are verified, which is a part of the identity. Change it whenever
 * the proof or the default tolerances change, because results of another proof must not be used. */
static const char proof[] = "two launches, other data sets with other scalars, as far as reference "
                            "and default take them, ties, empty rows and twins, all poisons, "
                            "tolerances by each element's sensitivity\n";

static void append_clause(gt_text *out, const gt_clause *clause)
{
    const char *begin = clause->body.token.text;
    gt_text_printf(out, "\n%s ", clause->word);
    gt_tokens_append(out, begin, (size_t)(clause->body.end - begin));
}

/* Appends all clauses with the property `role`. In a template with loops, also appends the clauses
 * that form the sequence of launches, in the order of the text. */
static void append_clauses(gt_text *out, const gt_template_reader *reader, unsigned role)
{
    const gt_clause *clauses = reader->clauses.items;
    for (size_t w = 0; w < PRAGMA_COUNT; w++) {
        for (size_t c = 0; c < reader->clauses.count && pragmas[w].roles & role; c++) {
            if (strcmp(clauses[c].word, pragmas[w].word) == 0) {
                append_clause(out, &clauses[c]);
            }
        }
    }
    for (size_t c = 0; reader->parts->has_loops && c < reader->clauses.count; c++) {
        if (pragmas[word_index(clauses[c].word)].roles & ORDER) {
            append_clause(out, &clauses[c]);
        }
    }
}

static gputune_status hash_clauses(gt_hash *out, const gt_template_reader *reader, unsigned role)
{
    GT_SCOPED(gt_text_free) gt_text text = {0};
    append_clauses(&text, reader, role);
    *out = gt_hash_string(gt_text_string(&text));
    return text.failed ? gt_fail_memory() : GPUTUNE_OK;
}

static void append_fill(gt_text *out, const gt_fill *fill)
{
    gt_text_printf(out, "%d %s %s", (int)fill->kind, fill->low ? fill->low->text : "",
                   fill->high ? fill->high->text : "");
}

static void append_pass(gt_text *out, const gt_template *template)
{
    for (uint32_t i = 0; i < template->pass_count; i++) {
        const gt_argument *pass = &template->passes[i];
        gt_text_printf(out, "\n%s %s %s %s ", pass->axis < 0 ? "constant" : "pass", pass->name,
                       pass->type, pass->extent_count ? pass->extents[0]->text : "");
        append_fill(out, &pass->fill);
        for (uint32_t k = 0; k < pass->initialisers.count; k++) {
            const gt_initialiser *item = &pass->initialisers.items[k];
            gt_text_printf(out, ", .%s ", item->path);
            append_fill(out, &item->fill);
        }
    }
}

/* Appends those define() clauses that are not macros in the generated source. */
static void append_names(gt_text *out, const gt_template_parts *parts)
{
    for (uint32_t i = 0; i < parts->define_count; i++) {
        if (parts->defines[i].is_name) {
            gt_text_printf(out, "\ndefine %s=%s", parts->defines[i].name,
                           parts->defines[i].value->text);
        }
    }
}

/* Appends the defaults of axes that affect the work, because stored times are for this work. */
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

static gputune_status make_hashes(gt_parse *parse)
{
    const gt_template_reader *reader = parse->reader;
    GT_SCOPED(gt_text_free) gt_text text = {0};
    gt_text_append(&text, proof);
    gt_tokens_append(&text, gt_text_string(&reader->body), reader->body.length);
    append_clauses(&text, reader, MEANING);
    append_pass(&text, parse->template);
    if (parse->parts->kernel.is_template) {
        const gt_lexer *arguments = &parse->parts->kernel.arguments;
        gt_text_append(&text, "\nkernel ");
        gt_tokens_append(&text, arguments->token.text,
                         (size_t)(arguments->end - arguments->token.text));
    }
    append_work_of_default(&text, parse->template);
    append_names(&text, parse->parts);
    parse->template->identity = gt_hash_string(gt_text_string(&text));
    parse->template->uses_std = strstr(gt_text_string(&reader->body), "std::") != NULL;
    if (reader->has_headers) {
        parse->template->identity = gt_hash_join(parse->template->identity, parse->parts->headers);
        parse->template->has_headers = true;
    }
    if (text.failed) {
        return gt_fail_memory();
    }
    GT_TRY(hash_clauses(&parse->parts->geometry, reader, LAUNCH));
    return hash_clauses(&parse->parts->making, reader, MAKING);
}

static void note_axes(gt_parse *parse)
{
    gt_template *template = parse->template;
    gt_template_parts *parts = parse->parts;
    parts->geometry_axes = gt_axes_of(parts, GT_WORDS_LAUNCHED " scratch tensormap");
    template->work.place = template->work.stated ? template->work.place : parts->kernel.place;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        set_in_source(&template->axes[i], parts, i);
    }
}

/* ---- parsing ---- */

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

/* Returns true if the clause defines the name as a macro, or as a macro for one of its values, such
 * as KIND_fast. */
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

/* Returns GT_OPEN for macros that clauses define, so #if conditions that use them are kept. */
static gt_meaning meaning_of(const void *user, const gt_token *name, int64_t *value)
{
    const gt_template_reader *reader = user;
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

gt_meaning gt_possible_meaning(const void *user, const gt_token *name, int64_t *value)
{
    const gt_template_reader *reader = user;
    const gt_meaning meaning = meaning_of(user, name, value);
    const bool may_be = reader->has_headers || name->text[0] == '_';
    return meaning == GT_UNDEFINED && may_be ? GT_UNKNOWN : meaning;
}

static void free_code(gt_parse *parse)
{
    gt_declarations_free(&parse->found);
    free(parse->code);
    free(parse->possible);
    parse->code = parse->possible = NULL;
}

/* Sets parse->code to the code without disabled #if branches, and finds its declarations. */
static gputune_status take_code(gt_parse *parse)
{
    const gt_template_reader *reader = parse->reader;
    const char *text = gt_text_string(&reader->body);
    free_code(parse);
    GT_TRY(gt_branches_cut(&parse->code, text, meaning_of, reader));
    GT_TRY(gt_declarations_find(&parse->found, parse->code));
    return gt_branches_cut(&parse->possible, text, gt_possible_meaning, reader);
}

static gputune_status parse_all(gt_parse *parse, gt_template_reader *reader, const char *path,
                                const char *text, const char *kernel)
{
    gt_template *template = parse->template;
    GT_TRY(gt_reader_run(reader, path, text));
    /* expand macros first, because a macro may contain __global__ or the name of a kernel */
    if (strstr(gt_text_string(&reader->body), "define")) {
        GT_TRY(take_code(parse));
        GT_TRY(gt_kernel_macros_expand(&reader->body, parse->code, meaning_of, reader));
    }
    GT_TRY(gt_select_kernel(reader, kernel));
    GT_TRY(take_code(parse));
    GT_TRY(check_words(reader));
    for (int phase = 0; phase < PHASES; phase++) {
        GT_TRY(parse_phase(parse, phase));
    }
    if (parse->elements.length > 0) {
        gt_text_append(&reader->body, gt_text_string(&parse->elements));
        GT_TRY(take_code(parse));
    }
    GT_TRY(gt_parse_vector_buffers(parse));
    GT_TRY(gt_loops_finish(parse));
    bool has_output = false;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        has_output |= template->arguments[i].direction != GT_IN;
    }
    GT_REFUSE_AT(!has_output, parse->parts->kernel.place,
                 "no out or inout buffer in args(); expected at least one, as 'out float y[n]', or "
                 "'out float g.y[n]' where a struct g points to it");
    GT_TRY(gt_bodies_make(parse, reader->body.data));
    note_axes(parse);
    GT_TRY(gt_axes_check(parse));
    GT_TRY(make_hashes(parse));
    template->path = parse->parts->files[0].path;
    template->text = parse->parts->files[0].text;
    return make_summary(template, parse->parts);
}

gputune_status gt_template_new(gt_template **out)
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
    GT_TRY(gt_template_new(&template));
    gt_template_reader reader = {.parts = template->parts, .include = include, .user = user};
    parse->template = template;
    parse->parts = template->parts;
    parse->reader = &reader;
    gputune_status status = parse_all(parse, &reader, path, text, kernel);
    gt_text_free(&parse->elements);
    free_code(parse);
    gt_reader_free(&reader);
    if (status == GPUTUNE_OK) {
        *out = template;
    } else {
        gt_template_free(template);
    }
    return status;
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

bool gt_template_is_own_reference(const gt_template *template)
{
    return template->parts->reference.self;
}

bool gt_template_is_judged(const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    return parts->reference.present || parts->reference.self || parts->check.present ||
           parts->expects;
}

void gt_template_free(gt_template *template)
{
    gt_template_parts *parts = template ? template->parts : NULL;
    if (parts) {
        pthread_mutex_destroy(&parts->lock);
        gt_texts_free(&parts->kept);
        free(parts->kernel_body.text);
        free(parts->kernel_body.mark);
        free(parts->judge_body.text);
        free(parts->judge_body.mark);
        free(parts);
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

const gt_problem_value *gt_problem_type(const gt_template *template, const char *name)
{
    const int i = gt_template_problem_index(template, name);
    return i >= 0 && template->problem[i].kind == GT_PROBLEM_TYPE ? &template->problem[i] : NULL;
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

gputune_status gt_name_find(uint32_t *out, const gt_template *template, bool is_axis,
                            const char *name)
{
    const char *what = is_axis ? "axis" : "size";
    const uint32_t first = is_axis ? 0 : template->axis_count;
    const uint32_t count = is_axis ? template->axis_count : template->problem_count;
    gt_near near = gt_near_to(name);
    GT_SCOPED(gt_text_free) gt_text list = {0};
    for (uint32_t i = 0; i < count; i++) {
        const char *own = gt_name_at(template, first + i).name;
        if (strcmp(own, name) == 0) {
            *out = i;
            return GPUTUNE_OK;
        }
        gt_near_try(&near, own);
        gt_text_printf(&list, "%s%s", i ? ", " : "one of: ", own);
    }
    GT_REFUSE(count == 0, GPUTUNE_EINVAL, "%s has no %s '%s'; it has none at all", template->name,
              what, name);
    return gt_fail(GPUTUNE_EINVAL, "%s has no %s '%s'; expected %s", template->name, what, name,
                   gt_near_or(&near, gt_text_string(&list)));
}
