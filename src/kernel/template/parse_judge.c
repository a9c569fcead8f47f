/* Parses the clauses work, reference, check, init and expect. Also generates a kernel for a
 * reference that assigns elements, such as reference(y[i] = a * x[i] + y[i]). */
#include "kernel/template/parse.h"

#include "kernel/template/axis_kind.h"
#include "kernel/text/types.h"

#include <string.h>

#define REFERENCE_NAME "gputune_reference"

enum { INDICES_MAX = 3 };

typedef struct assignment {
    const gt_argument *output;
    char indices[INDICES_MAX][GT_NAME_MAX];
    uint32_t index_count;
    const char *value, *end;
    gt_place place;
} assignment;

typedef struct elements {
    gt_parse *p;
    gt_judge *judge;
    gt_text loops;
} elements;

static int find_argument(const gt_template *template, const char *name)
{
    return GT_NAMED(template->arguments, template->argument_count, name);
}

static gputune_status take_value(uint32_t *out, elements *made, const gt_token *text,
                                 gt_place place)
{
    gt_judge *judge = made->judge;
    for (*out = 0; *out < judge->value_count; ++*out) {
        if (gt_token_is(text, (judge->values[*out])->text)) {
            return GPUTUNE_OK;
        }
    }
    GT_REFUSE_AT(judge->value_count == GT_JUDGE_VALUES, place,
                 "more than %d different extents and sizes in a reference by elements; "
                 "expected fewer, or a kernel in reference()",
                 GT_JUDGE_VALUES);
    GT_TRY(gt_read_text(&judge->values[judge->value_count], made->p, text->text, text->length,
                        place, GT_USE_PROBLEM));
    judge->value_count++;
    return GPUTUNE_OK;
}

static gputune_status take_extents(uint32_t out[INDICES_MAX], elements *made,
                                   const gt_argument *buffer)
{
    for (uint32_t i = 0; i < buffer->extent_count; i++) {
        const gt_token token = gt_token_of(buffer->extents[i]->text);
        GT_TRY(take_value(&out[i], made, &token, buffer->extents[i]->place));
    }
    return GPUTUNE_OK;
}

static gputune_status read_output(assignment *out, const gt_template *template, gt_lexer *body)
{
    const int index = find_argument(template, GT_TOKEN_TEXT(&body->token));
    out->place = gt_lexer_place(body);
    GT_EXPECT(index >= 0 && template->arguments[index].direction != GT_IN, body,
              "an out or inout buffer of args()");
    out->output = &template->arguments[index];
    gt_lexer_next(body);
    while (gt_lexer_accept(body, "[")) {
        GT_EXPECT(out->index_count != INDICES_MAX, body, "at most three indices");
        GT_TRY(gt_name_read(out->indices[out->index_count++], GT_NAME_MAX, body,
                            "a name for the index, as in y[i]"));
        GT_TRY(gt_lexer_expect(body, "]"));
    }
    GT_TRY(gt_lexer_expect(body, "="));
    GT_REFUSE_AT(out->index_count != 1 && out->index_count != out->output->extent_count, out->place,
                 "%u indices for '%s'; expected %s%u, as in %s[i] = …", out->index_count,
                 out->output->name, out->output->extent_count > 1 ? "1 or " : "",
                 out->output->extent_count, out->output->name);
    return GPUTUNE_OK;
}

/* Returns true if the code at `at` reads the element to which the reference assigns. */
static bool is_own_element(const assignment *now, gt_lexer at)
{
    bool own = gt_lexer_accept(&at, now->output->name);
    for (uint32_t i = 0; i < now->index_count && own; i++) {
        own = gt_lexer_accept(&at, "[") && gt_lexer_accept(&at, now->indices[i]) &&
              gt_lexer_accept(&at, "]");
    }
    return own;
}

/* If an expression uses a size, adds the size to the parameters of the kernel. If the expression
 * reads other elements of an output, requests a copy of that output. */
static gputune_status note_name(elements *made, const assignment *now, const gt_lexer *at)
{
    const gt_template *template = made->p->template;
    const int index = find_argument(template, GT_TOKEN_TEXT(&at->token));
    const gt_argument *argument = index < 0 ? NULL : &template->arguments[index];
    GT_REFUSE_AT(argument && argument->direction == GT_OUT, gt_lexer_place(at),
                 "'%s' is an out buffer, which has no values before a launch; expected the inputs "
                 "that it is computed from, or inout in args()",
                 argument->name);
    if (argument && argument->direction == GT_INOUT && !is_own_element(now, *at)) {
        made->judge->copied |= UINT64_C(1) << index;
    }
    for (uint32_t i = 0; i < template->problem_count && !argument; i++) {
        const gt_problem_value *size = &template->problem[i];
        if (size->kind == GT_PROBLEM_SIZE && gt_token_is(&at->token, size->name)) {
            return take_value(&(uint32_t){0}, made, &at->token, gt_lexer_place(at));
        }
    }
    return GPUTUNE_OK;
}

static gputune_status read_value(assignment *out, elements *made)
{
    gt_lexer *body = &made->p->at;
    int depth = 0;
    bool is_member = false;
    out->value = out->end = body->token.text;
    while (body->token.kind != GT_TOKEN_END && !(depth == 0 && gt_lexer_is(body, ","))) {
        depth += gt_token_is_any(&body->token, "( [ {");
        depth -= gt_token_is_any(&body->token, ") ] }");
        out->end = body->token.text + body->token.length;
        GT_TRY(is_member ? GPUTUNE_OK : note_name(made, out, body));
        is_member = gt_token_is_any(&body->token, ". ->");
        gt_lexer_next(body);
    }
    return out->end > out->value ? GPUTUNE_OK : gt_fail_expected(body, "the element's value");
}

static void append_product(gt_text *out, const uint32_t *extents, uint32_t from, uint32_t count)
{
    for (uint32_t i = from; i < count; i++) {
        gt_text_printf(out, "%sgputune_value_%u", i > from ? " * " : "", extents[i]);
    }
}

static gputune_status append_view(elements *made, const gt_argument *buffer)
{
    const char *type = buffer->type, *name = buffer->name;
    const char *constant = buffer->direction == GT_IN ? "const " : "";
    const char *rows = buffer->extent_count == 2 ? "gputune_row" : "gputune_plane";
    uint32_t extents[INDICES_MAX];
    GT_TRY(take_extents(extents, made, buffer));
    gt_text_printf(&made->loops, "%s<%s%s> %s = {gputune_from_%s", rows, constant, type, name,
                   name);
    for (uint32_t i = 1; i < buffer->extent_count; i++) {
        gt_text_printf(&made->loops, ", gputune_value_%u", extents[i]);
    }
    gt_text_append(&made->loops, "};\n");
    return GPUTUNE_OK;
}

static void append_indices(gt_text *out, const assignment *now, const uint32_t *extents)
{
    for (uint32_t i = 0; i < now->index_count; i++) {
        gt_text_printf(out, "const long long %s = gputune_at", now->indices[i]);
        if (i + 1 < now->index_count) {
            gt_text_append(out, " / (");
            append_product(out, extents, i + 1, now->index_count);
            gt_text_append(out, ")");
        }
        if (i > 0) {
            gt_text_printf(out, " %% gputune_value_%u", extents[i]);
        }
        gt_text_append(out, ";\n");
    }
}

static bool has_indices(const assignment *now, const gt_argument *buffer)
{
    gt_lexer at;
    bool any = false;
    gt_lexer_open(&at, now->value, (size_t)(now->end - now->value), now->place);
    for (; at.token.kind != GT_TOKEN_END; gt_lexer_next(&at)) {
        gt_lexer after = at;
        if (gt_lexer_accept(&after, buffer->name) && gt_lexer_is(&after, "[")) {
            gt_lexer_skip(&after, "[", "]");
            any |= gt_lexer_is(&after, "[");
        }
    }
    return any;
}

static gputune_status append_loop(elements *made, const assignment *now)
{
    const gt_template *template = made->p->template;
    const gt_argument *y = now->output;
    gt_text *out = &made->loops;
    uint32_t extents[INDICES_MAX];
    GT_TRY(take_extents(extents, made, y));
    gt_text_append(out, "{\n");
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->is_buffer && argument->extent_count > 1 &&
            (now->index_count > 1 || has_indices(now, argument))) {
            GT_TRY(append_view(made, argument));
        }
    }
    gt_text_append(out, "for (long long gputune_at = blockIdx.x * (long long)blockDim.x + "
                        "threadIdx.x; gputune_at < ");
    append_product(out, extents, 0, y->extent_count);
    gt_text_append(out, "; gputune_at += gridDim.x * (long long)blockDim.x) {\n");
    append_indices(out, now, extents);
    gt_line_mark_append(out, now->place.line, now->place.path);
    gt_text_printf(out, "gputune_to_%s[gputune_at] = ", y->name);
    gt_text_append_bytes(out, now->value, (size_t)(now->end - now->value));
    gt_text_append(out, ";\n}\n}\n");
    return GPUTUNE_OK;
}

/* The beginning of the generated source. Its structs allow y[i][j] if y has several extents. */
static const char prologue[] =
    "\n#line 1 \"gputune\"\n"
    "template <typename gputune_t> struct gputune_row { gputune_t *at; long long columns; "
    "__device__ gputune_t *operator[](long long i) const { return at + i * columns; } };\n"
    "template <typename gputune_t> struct gputune_plane { gputune_t *at; long long rows, columns; "
    "__device__ gputune_row<gputune_t> operator[](long long i) const { return {at + i * rows * "
    "columns, columns}; } };\n"
    "__global__ void " REFERENCE_NAME "(";

/* Defines min() or max() for two arguments of different types, such as an index and an int. */
#define EXTREME(name)                                                                              \
    {                                                                                              \
        name, name "(",                                                                            \
            "[](auto a, auto b) { using type = decltype(a + b); return (::" name                   \
            ")(type(a), type(b)); }" /* parentheses prevent macros */                              \
    }

/* Appends helper functions, unless an argument has the same name. Helpers with a `call` were added
 * later. They are only appended if they are called, because the generated sources of existing
 * templates must not change. */
static void append_helpers(gt_text *out, const elements *made)
{
    static const struct {
        const char *name, *call, *code; /* call: text in the code that needs it; NULL: always */
    } helpers[] = {
        {"ceil_div", NULL, "[](long long a, long long b) { return (a + b - 1) / b; }"},
        {"round_up", NULL, "[](long long a, long long b) { return (a + b - 1) / b * b; }"},
        {"sum", NULL,
         "[](long long gputune_count, auto gputune_term) { decltype(0.0 + gputune_term(0)) "
         "gputune_total = 0; for (long long gputune_k = 0; gputune_k < gputune_count; "
         "gputune_k++) { gputune_total += gputune_term(gputune_k); } return gputune_total; }"},
        EXTREME("min"),
        EXTREME("max")};
    for (size_t h = 0; h < sizeof helpers / sizeof *helpers; h++) {
        const char *name = helpers[h].name, *call = helpers[h].call;
        bool is_called = !call || strstr(gt_text_string(&made->loops), call);
        if (is_called && find_argument(made->p->template, name) < 0) {
            gt_text_printf(out, "auto %s = %s;\n(void)%s;\n", name, helpers[h].code, name);
        }
    }
}

static void append_argument(gt_text *out, const gt_argument *argument)
{
    const char *read = argument->direction == GT_IN ? "const " : "";
    if (argument->pointee[0]) {
        gt_text_printf(out, "%s *%s", argument->pointee, argument->name);
    } else if (argument->is_buffer) {
        gt_text_printf(out, "%s%s *gputune_to_%s", read, argument->type, argument->name);
    } else {
        gt_text_printf(out, "%s %s", argument->type, argument->name);
    }
}

static void append_extras(gt_text *out, const elements *made)
{
    const gt_template *template = made->p->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (made->judge->copied >> i & 1) {
            gt_text_printf(out, ", %s *gputune_from_%s", argument->type, argument->name);
        }
    }
    for (uint32_t i = 0; i < made->judge->value_count; i++) {
        gt_text_printf(out, ", long long gputune_value_%u", i);
    }
    gt_text_append(out, ")\n{\n");
}

/* Declares the names that the expressions use. A buffer y also gets the name gputune_from_y, which
 * stays valid if y is declared again as a view. */
static void append_names(gt_text *out, const elements *made)
{
    const gt_template *template = made->p->template;
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const char *name = template->arguments[i].name;
        bool copied = made->judge->copied >> i & 1;
        if (template->arguments[i].is_buffer && !copied) {
            gt_text_printf(out, "auto gputune_from_%s = gputune_to_%s;\n", name, name);
        }
        if (template->arguments[i].is_buffer) {
            gt_text_printf(out, "auto %s = gputune_from_%s;\n", name, name);
        }
    }
    for (uint32_t i = 0; i < made->judge->value_count; i++) {
        const char *name = made->judge->values[i]->text;
        int problem = gt_template_problem_index(template, name);
        if (problem >= 0 && template->problem[problem].kind == GT_PROBLEM_SIZE &&
            find_argument(template, name) < 0) {
            gt_text_printf(out, "const long long %s = gputune_value_%u;\n", name, i);
        }
    }
    append_helpers(out, made);
}

static void append_kernel(gt_text *out, const elements *made)
{
    const gt_template *template = made->p->template;
    gt_text_append(out, prologue);
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (template->passes[i].axis >= 0) {
            gt_text_printf(out, "const %s *%s, ", template->passes[i].type,
                           template->passes[i].name);
        }
    }
    for (uint32_t i = 0; i < template->argument_count; i++) {
        gt_text_append(out, i ? ", " : "");
        append_argument(out, &template->arguments[i]);
    }
    append_extras(out, made);
    append_names(out, made);
    gt_text_append(out, gt_text_string(&made->loops));
    gt_text_append(out, "}\n");
}

static bool elements_follow(const gt_lexer *body)
{
    gt_lexer ahead = *body;
    do {
        gt_lexer_next(&ahead);
    } while (gt_lexer_accept(&ahead, "."));
    return body->token.kind == GT_TOKEN_NAME && gt_lexer_is(&ahead, "[");
}

static gputune_status read_assignments(elements *made)
{
    gt_lexer *body = &made->p->at;
    const gt_template *template = made->p->template;
    const gt_place place = gt_lexer_place(body);
    uint64_t assigned = 0;
    GT_REFUSE_AT(template->taken_count < template->argument_count, place,
                 "reference() by elements does not reach '%s', which a struct points to; "
                 "expected a kernel in reference()",
                 template->arguments[template->taken_count].name);
    do {
        assignment now = {.output = NULL};
        GT_TRY(read_output(&now, template, body));
        GT_TRY(read_value(&now, made));
        GT_TRY(append_loop(made, &now));
        assigned |= UINT64_C(1) << (now.output - template->arguments);
    } while (gt_lexer_accept(body, ",") && elements_follow(body));
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        GT_REFUSE_AT(argument->direction != GT_IN && !(assigned >> i & 1), place,
                     "reference() does not compute '%s'; expected '%s[i] = …' too, or a kernel in "
                     "reference()",
                     argument->name, argument->name);
    }
    return GPUTUNE_OK;
}

static const gt_setting of_judge[] = {
    {"block", offsetof(gt_judge, block), 3, .launch_use = GT_USE_PROBLEM},
    {"grid", offsetof(gt_judge, grid), 3, .launch_use = GT_USE_PROBLEM},
    {"rtol", offsetof(gt_judge, rtol), 1, .launch_use = GT_USE_PROBLEM, .is_real = true},
    {"atol", offsetof(gt_judge, atol), 1, .launch_use = GT_USE_PROBLEM, .is_real = true},
    {"stol", offsetof(gt_judge, stol), 1, .launch_use = GT_USE_PROBLEM, .is_real = true}};
static const char example[] = "a setting such as block = 256";
static const gt_settings shapes = {of_judge, 2, example}, tolerances = {of_judge + 2, 3, example},
                         all_settings = {of_judge, 5, example};

static gputune_status read_settings(void *to, const gt_settings *settings, gt_parse *p)
{
    uint32_t given = 0;
    do {
        GT_TRY(gt_read_setting(to, settings, &given, p));
    } while (gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}

static const gt_axis *first_axis(const gt_template *template, uint64_t axes)
{
    return &template->axes[__builtin_ctzll(axes)];
}

/* Refuses work() if it depends on vector widths or pass(), because a plan's fallback may have other
 * values of these axes. */
static gputune_status check_work_axes(const gt_template *template, const gt_expression *measure)
{
    uint64_t interchangeable = 0;
    for (uint32_t i = 0; i < template->axis_count; i++) {
        const gt_axis_traits *traits = gt_axis_traits_of(template->axes[i].kind);
        interchangeable |= traits->aligned || traits->generates ? UINT64_C(1) << i : 0;
    }
    interchangeable &= gt_axes_used(measure);
    GT_REFUSE_AT(
        interchangeable, measure->place,
        "work() depends on '%s', which may have another value in the plan's fallback; expected a "
        "tune or cluster axis",
        first_axis(template, interchangeable)->name);
    return GPUTUNE_OK;
}

const gt_expression *gt_work_measure(const gt_template *template)
{
    const gt_template_parts *parts = template->parts;
    return parts->work_flops ? parts->work_flops : parts->work_bytes;
}

gputune_status gt_parse_work(gt_parse *p)
{
    gt_template *template = p->template;
    const gt_template_parts *parts = p->parts;
    enum { USE = GT_USE_PROBLEM | GT_USE_AXIS };
    static const gt_setting items[] = {
        {"bytes", offsetof(gt_template_parts, work_bytes), 1, 0, USE, .is_real = true},
        {"flops", offsetof(gt_template_parts, work_flops), 1, 0, USE, .is_real = true}};
    GT_TRY(read_settings(p->parts, &(gt_settings){items, 2, example}, p));
    const gt_expression *measure = gt_work_measure(template);
    template->work = (gt_work){true, gt_axes_used(measure), p->clause->place};
    GT_REFUSE_AT(!template->work.axes && gt_axes_used(parts->work_bytes), parts->work_bytes->place,
                 "in work(), only the bytes depend on '%s', but the flops are what is compared; "
                 "expected flops that depend on it too",
                 first_axis(template, gt_axes_used(parts->work_bytes))->name);
    return check_work_axes(template, measure);
}

static gputune_status read_judge(gt_judge *judge, const gt_settings *settings, gt_parse *p)
{
    judge->present = true;
    GT_TRY(gt_read_kernel_name(&judge->kernel, &p->at, "a __global__ function's name"));
    judge->kernel.place = p->clause->place;
    return gt_lexer_accept(&p->at, ",") ? read_settings(judge, settings, p) : GPUTUNE_OK;
}

/* Reads the rest of reference(self, AXIS = value, …, rtol = e), starting after `self`. */
static gputune_status read_self(gt_judge *judge, gt_parse *p)
{
    uint32_t given = 0;
    while (gt_lexer_accept(&p->at, ",")) {
        uint32_t axis = 0;
        uint8_t choice = 0;
        if (gt_token_is_any(&p->at.token, "rtol atol stol")) {
            GT_TRY(gt_read_setting(judge, &tolerances, &given, p));
        } else {
            GT_TRY(gt_read_choice(&axis, &choice, &judge->chosen, p));
            judge->choices[axis] = choice;
        }
    }
    return GPUTUNE_OK;
}

/* Reads a clause such as reference(y[i] = x[i], …, rtol = e). */
static gputune_status read_by_elements(gt_judge *judge, gt_parse *p)
{
    elements made = {.p = p, .judge = judge};
    p->at.form = "reference(y[i] = a * x[i] + y[i], rtol = 1e-5)";
    judge->present = true;
    judge->kernel.place = p->clause->place;
    memcpy(judge->kernel.name, REFERENCE_NAME, sizeof REFERENCE_NAME);
    gputune_status status = read_assignments(&made);
    if (status == GPUTUNE_OK) {
        append_kernel(&p->elements, &made);
    }
    gt_text_free(&made.loops);
    GT_TRY(status);
    return p->at.token.kind == GT_TOKEN_END ? GPUTUNE_OK : read_settings(judge, &tolerances, p);
}

gputune_status gt_parse_reference(gt_parse *p)
{
    gt_judge *judge = &p->parts->reference;
    judge->self = gt_lexer_accept(&p->at, "self");
    if (judge->self) {
        p->at.form = "reference(self, AXIS = value, rtol = 1e-5)";
        judge->kernel.place = p->clause->place;
        return read_self(judge, p);
    }
    const gt_token next = gt_lexer_peek(p->at);
    return elements_follow(&p->at) || gt_token_is(&next, "=") ? read_by_elements(judge, p)
                                                              : read_judge(judge, &all_settings, p);
}

gputune_status gt_parse_judge(gt_parse *p)
{
    return read_judge((gt_judge *)((char *)p->parts + p->member), &shapes, p);
}

static gputune_status read_expected(gt_parse *p)
{
    char name[GT_NAME_MAX];
    uint32_t given = 0;
    gt_argument *found = NULL;
    if (gt_token_is_any(&p->at.token, "rtol atol stol")) {
        return gt_read_setting(&p->parts->reference, &tolerances, &given, p);
    }
    gt_place place = gt_lexer_place(&p->at);
    GT_TRY(gt_argument_name_read(name, &p->at, "an output's name, as in y = file(\"y.npy\")"));
    gt_near near = gt_near_to(name);
    for (uint32_t i = 0; i < p->template->argument_count; i++) {
        gt_argument *argument = &p->template->arguments[i];
        const bool is_output = argument->direction != GT_IN;
        found = is_output && strcmp(argument->name, name) == 0 ? argument : found;
        gt_near_try(&near, is_output ? argument->name : "");
    }
    GT_REFUSE_AT(!found, place, "no output '%s'; expected %s, rtol, atol or stol", name,
                 gt_near_or(&near, "an out or inout buffer"));
    GT_TRY(gt_lexer_expect(&p->at, "="));
    GT_REFUSE_AT(found->expected, place, "'%s' is given twice; expected each output once", name);
    return gt_read_file_name(&found->expected, p);
}

gputune_status gt_parse_expect(gt_parse *p)
{
    const gt_template *template = p->template;
    const gt_judge *reference = &p->parts->reference;
    GT_REFUSE_AT(reference->present || reference->self || p->parts->check.present, p->clause->place,
                 "expect() cannot be combined with reference() or check(); expected one of them, "
                 "because each defines the correct result");
    p->parts->reference.kernel.place = p->clause->place;
    do {
        GT_TRY(read_expected(p));
    } while (gt_lexer_accept(&p->at, ","));
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        GT_REFUSE_AT(argument->direction != GT_IN && !argument->expected, p->clause->place,
                     "'%s' has no expected results; expected '%s = file(\"name.npy\")' too, "
                     "because every output is compared",
                     argument->name, argument->name);
    }
    p->parts->expects = true;
    return GPUTUNE_OK;
}
