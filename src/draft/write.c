/* Writes the clauses of a first template. */
#include "draft/write.h"

#include <stdlib.h>
#include <string.h>

/* ---- what is right, and how much work it is -------------------------------------------------- */

/* Some bytes more or less are no work. */
static void drop_number(gt_polynomial *sum)
{
    for (uint32_t i = sum->count; i > 0; i--) {
        if (sum->terms[i - 1].count == 0) {
            sum->terms[i - 1] = sum->terms[--sum->count];
        }
    }
}

/* Every buffer once, and twice what is read and written. */
static void write_work(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    if (gt_draft_has_clause(w, "args")) {
        return; /* when that was written */
    }
    const char *bytes = draft->call ? gt_text_string(&draft->call->work) : "";
    if (bytes[0]) {
        gt_text_printf(w->out,
                       "// guess: every argument is moved once\n"
                       "#pragma gputune work(bytes = %s)\n",
                       bytes);
        return;
    }
    gt_polynomial sum = gt_polynomial_number(0);
    for (uint32_t i = 0; i < draft->buffer_count; i++) {
        const gt_draft_buffer *buffer = &draft->buffers[i];
        const gt_function_parameter *parameter = &draft->parameters[buffer->parameter];
        bool twice = strcmp(gt_draft_direction(draft, buffer), "inout") == 0;
        bool is_told = draft->call && draft->call->parameters[buffer->parameter].length.length > 0;
        if (is_told || !parameter->has_type || !buffer->length.known) {
            return;
        }
        sum = gt_polynomial_add(&sum, &buffer->length,
                                parameter->element.bytes * (twice ? 2.0 : 1.0));
    }
    drop_number(&sum);
    if (sum.known && sum.count > 0 && !draft->is_pinned) {
        gt_text_append(w->out,
                       "// guess: every argument is moved once\n#pragma gputune work(bytes = ");
        gt_draft_append_sum(w, &sum);
        gt_text_append(w->out, ")\n");
    }
}

void gt_draft_function_name(char out[GT_NAME_MAX], const gt_draft *draft,
                            const gt_function *function)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, draft->text + function->name, function->end - function->name,
                  (gt_place){"", 1, 1});
    gt_draft_token_text(out, GT_NAME_MAX, &lexer.token);
}

/* Whether a function's name says that it is another one's reference: axpy_ref, naive_axpy. */
static bool is_reference_name(const char *name, const char *of)
{
    static const char *const words[] = {"ref", "naive", "golden", "simple", "slow", "base"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strstr(name, of) && strlen(name) > strlen(of) && strstr(name, words[i]) &&
            !strstr(of, words[i])) {
            return true;
        }
    }
    return false;
}

bool gt_draft_is_reference(const gt_draft *draft)
{
    char own[GT_NAME_MAX], other[GT_NAME_MAX];
    gt_function function;
    gt_draft_function_name(own, draft, &draft->function);
    for (size_t at = 0; gt_function_find(&function, draft->text, NULL, at) && function.end > at;
         at = function.end) {
        gt_draft_function_name(other, draft, &function);
        if (is_reference_name(own, other)) {
            return true;
        }
    }
    return false;
}

static bool same_parameters(const gt_draft *a, const gt_draft *b)
{
    bool same = a->parameter_count == b->parameter_count;
    for (size_t i = 0; i < a->parameter_count && same; i++) {
        same = strcmp(a->parameters[i].name, b->parameters[i].name) == 0;
    }
    return same;
}

/* The reference's sizes are the problem's; false: it has some that the kernel does not take. */
static bool take_sizes(gt_draft *draft, const gt_draft *other)
{
    for (size_t i = 0; i < other->symbols.count; i++) {
        const gt_draft_symbol *symbol = &other->symbols.items[i];
        int own = symbol->is_size ? gt_draft_find_symbol(draft, symbol->name) : 0;
        if (own < 0 || (own > 0 && draft->symbols.items[own].kind != GT_DRAFT_PARAMETER)) {
            return false;
        }
        draft->symbols.items[own].is_size |= own > 0;
    }
    return true;
}

/* Another kernel of the text that takes the same and is called a reference, read with one block
 * and grid; NULL: there is none. */
static gt_draft *find_reference(gt_draft *draft)
{
    char own[GT_NAME_MAX], name[GT_NAME_MAX];
    gt_function function;
    gt_draft_function_name(own, draft, &draft->function);
    for (size_t at = 0; gt_function_find(&function, draft->text, NULL, at); at = function.end) {
        gt_draft_function_name(name, draft, &function);
        gt_draft *other = NULL;
        if (function.end <= at) {
            return NULL;
        }
        if (function.is_template || !is_reference_name(name, own) ||
            !(other = calloc(1, sizeof *other))) {
            continue;
        }
        other->path = draft->path;
        other->text = draft->text;
        other->program = draft->program;
        other->function = function;
        if (gt_draft_read(other) == GPUTUNE_OK && same_parameters(draft, other) &&
            take_sizes(draft, other)) {
            gt_draft_pin(other);
            return other;
        }
        gt_draft_free(other);
    }
    return NULL;
}

static void write_other_kernel(gt_draft_writer *w, gt_draft *other)
{
    gt_draft_writer own = {.out = w->out, .draft = other, .present = w->present};
    char name[GT_NAME_MAX];
    gt_draft_function_name(name, other, &other->function);
    gt_text_printf(w->out,
                   "// guess: by its name, '%s' says what is right\n"
                   "#pragma gputune reference(%s, block = ",
                   name, name);
    for (uint16_t d = 0; d <= gt_draft_last_dimension(other, true); d++) {
        gt_text_append(w->out, d ? ", " : "");
        gt_draft_append_block(&own, d);
    }
    gt_text_append(w->out, ", grid = ");
    other->is_pinned = true;
    for (uint16_t d = 0; d <= gt_draft_last_dimension(other, false); d++) {
        gt_text_append(w->out, d ? ", " : "");
        gt_draft_append_grid(&own, d);
    }
    gt_text_append(w->out, ")\n");
}

static void write_reference(gt_draft_writer *w)
{
    if (w->reference) {
        write_other_kernel(w, w->reference);
        return;
    }
    if (w->draft->is_cooperative) {
        bool is_told = gt_draft_has_clause(w, "kernel"); /* when that was written */
        gt_text_append(w->out, is_told ? ""
                                       : "// guess: nothing here says what is right: a kernel that "
                                         "is easy to trust, as in reference(NAME, block = 256, "
                                         "grid = 1)\n");
        return;
    }
    gt_text_append(
        w->out, "// guess: the kernel as it is by default is right; better a kernel that is easy "
                "to trust: reference(NAME)\n#pragma gputune reference(self)\n");
}

/* Other constants of the code that look as if they could be varied. */
static void write_candidates(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    for (size_t i = 0; i < draft->constants.count; i++) {
        const gt_draft_constant *constant = &draft->constants.items[i];
        if (constant->is_template_parameter || !constant->has_value || constant->value < 2 ||
            constant->value > 1024 || constant->is_enumerator ||
            gt_draft_is_block(draft, constant->name) || gt_draft_is_declared(w, constant->name) ||
            !gt_draft_in_kernel(draft, constant->name)) {
            continue;
        }
        gt_text_printf(w->out,
                       "// guess: if results do not depend on '%s' (line %d), it may be an "
                       "axis: put its definition between #ifndef %s and #endif, and add\n"
                       "// #pragma gputune tune(%s = %.0f, %.0f, %.0f)\n",
                       constant->name, constant->first_line, constant->name, constant->name,
                       constant->value / 2 < 1 ? 1 : constant->value / 2, constant->value,
                       constant->value * 2);
    }
}

static void write_kernel(gt_draft_writer *w)
{
    const gt_draft *draft = w->draft;
    char name[GT_NAME_MAX];
    gt_draft_function_name(name, draft, &draft->function);
    gt_text_printf(w->out, "#pragma gputune kernel(%s%s%s", draft->function.scope,
                   draft->function.scope[0] ? "::" : "", name);
    if (draft->function.is_template) {
        bool first = true;
        for (size_t i = 0; i < draft->constants.count; i++) {
            if (draft->constants.items[i].is_template_parameter) {
                gt_text_printf(w->out, "%s%s", first ? "<" : ", ", draft->constants.items[i].name);
                first = false;
            }
        }
        gt_text_append(w->out, first ? "" : ">");
    }
    gt_text_append(w->out, ")\n");
}

static void write_cooperative(gt_draft_writer *w)
{
    gt_text_append(w->out, w->draft->is_cooperative ? "#pragma gputune cooperative()\n" : "");
}

/* The clauses in their order: what is written when its word is missing. */
static const struct {
    const char *word; /* NULL: always */
    void (*write)(gt_draft_writer *);
} clauses[] = {
    {"kernel", write_kernel},
    {NULL, gt_draft_write_sizes},
    {NULL, gt_draft_write_template_parameters},
    {NULL, gt_draft_write_types},
    {NULL, gt_draft_write_undefined},
    {"constant", gt_draft_write_constants},
    {"pass", gt_draft_write_passes},
    {"args", gt_draft_write_args},
    {"texture", gt_draft_write_textures},
    {"block", gt_draft_write_axes},
    {"block", gt_draft_write_block},
    {"grid", gt_draft_write_grid},
    {"require", gt_draft_write_requirements},
    {"shared", gt_draft_write_shared},
    {"cooperative", write_cooperative},
    {"work", write_work},
    {"reference", write_reference},
    {"tune", write_candidates},
};

void gt_draft_write(gt_text *out, gt_draft *draft, const gt_reader *present)
{
    gt_draft_writer w = {
        .out = out, .draft = draft, .present = present, .reference = find_reference(draft)};
    for (size_t i = 0; i < sizeof clauses / sizeof *clauses; i++) {
        const char *word = clauses[i].word;
        bool judged = word && strcmp(word, "reference") == 0 &&
                      (gt_draft_has_clause(&w, "check") || gt_draft_has_clause(&w, "expect"));
        if (!word || (!gt_draft_has_clause(&w, word) && !judged)) {
            clauses[i].write(&w);
        }
    }
    gt_draft_free(w.reference);
}
