/* reference(y[i] = a * x[i] + y[i]): makes the kernel of a reference that is told element by
 * element. */
#include "kernel/parse.h"
#include "kernel/types.h"

#include <string.h>

enum { INDICES_MAX = 3 };

/* One `y[i][j] = …`. */
typedef struct assignment {
    const gt_argument *output;
    char indices[INDICES_MAX][GT_NAME_MAX];
    uint32_t index_count;
    const char *value, *end;
    gt_place place;
} assignment;

static const gt_argument *scalar(const gt_template *template, const gt_token *name)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        if (!template->arguments[i].is_buffer && gt_token_is(name, template->arguments[i].name)) {
            return &template->arguments[i];
        }
    }
    return NULL;
}

/* A kernel knows the sizes that are its arguments. */
static gputune_status check_extent(const gt_template *template, const gt_expression *extent)
{
    gt_lexer lexer;
    const char *text = gt_expression_text(extent);
    gt_lexer_open(&lexer, text, strlen(text), gt_expression_place(extent));
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        for (uint32_t i = 0; i < template->problem_count; i++) {
            const gt_problem_value *size = &template->problem[i];
            if (size->kind == GT_PROBLEM_SIZE && gt_token_is(&lexer.token, size->name) &&
                !scalar(template, &lexer.token)) {
                return gt_fail_at(gt_expression_place(extent),
                                  "a reference by elements needs '%s', which is no argument; "
                                  "expected it in args(), or a kernel in reference()",
                                  size->name);
            }
        }
    }
    return GPUTUNE_OK;
}

static gputune_status read_indices(assignment *out, gt_lexer *body)
{
    while (gt_lexer_accept(body, "[")) {
        if (out->index_count == INDICES_MAX) {
            return gt_fail_expected(body, "at most three indices");
        }
        GT_TRY(gt_name_read(out->indices[out->index_count++], GT_NAME_MAX, body,
                            "a name for the index, as in y[i]"));
        GT_TRY(gt_lexer_expect(body, "]"));
    }
    return gt_lexer_expect(body, "=");
}

static gputune_status read_output(assignment *out, const gt_template *template, gt_lexer *body)
{
    out->place = gt_lexer_place(body);
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        bool is_output = argument->is_buffer && argument->direction != GT_IN;
        out->output = is_output && gt_lexer_is(body, argument->name) ? argument : out->output;
    }
    if (!out->output) {
        return gt_fail_expected(body, "an out or inout buffer of args()");
    }
    gt_lexer_next(body);
    GT_TRY(read_indices(out, body));
    return out->index_count == 1 || out->index_count == out->output->extent_count
               ? GPUTUNE_OK
               : gt_fail_at(out->place, "%u indices of '%s', which has %u; expected %s%u",
                            out->index_count, out->output->name, out->output->extent_count,
                            out->output->extent_count > 1 ? "1 or " : "",
                            out->output->extent_count);
}

static gputune_status read_value(assignment *out, gt_lexer *body)
{
    int depth = 0;
    out->value = out->end = body->token.text;
    while (body->token.kind != GT_TOKEN_END && !(depth == 0 && gt_lexer_is(body, ","))) {
        depth += gt_lexer_is(body, "(") || gt_lexer_is(body, "[") || gt_lexer_is(body, "{");
        depth -= gt_lexer_is(body, ")") || gt_lexer_is(body, "]") || gt_lexer_is(body, "}");
        out->end = body->token.text + body->token.length;
        gt_lexer_next(body);
    }
    return out->end > out->value ? GPUTUNE_OK : gt_fail_expected(body, "the element's value");
}

static void append_extents(gt_text *out, const gt_argument *buffer, uint32_t from)
{
    for (uint32_t i = from; i < buffer->extent_count; i++) {
        gt_text_printf(out, "%s(long long)(%s)", i > from ? " * " : "",
                       gt_expression_text(buffer->extents[i]));
    }
}

/* Gives a buffer of several extents as many indices. */
static void append_view(gt_text *out, const gt_argument *buffer)
{
    const char *type = buffer->type, *name = buffer->name;
    const char *constant = buffer->direction == GT_IN ? "const " : "";
    if (buffer->extent_count == 2) {
        gt_text_printf(
            out,
            "struct { %s%s *at; long long columns; __device__ %s%s *operator[](long long "
            "i) const { return at + i * columns; } } %s = {gputune_%s, ",
            constant, type, constant, type, name, name);
        append_extents(out, buffer, 1);
    } else {
        gt_text_printf(
            out,
            "struct { %s%s *at; long long rows, columns; __device__ auto operator[](long long i) "
            "const { struct { %s%s *at; long long columns; __device__ %s%s *operator[](long long "
            "j) "
            "const { return at + j * columns; } } plane = {at + i * rows * columns, columns}; "
            "return plane; } } %s = {gputune_%s, (long long)(%s), ",
            constant, type, constant, type, constant, type, name, name,
            gt_expression_text(buffer->extents[1]));
        append_extents(out, buffer, 2);
    }
    gt_text_append(out, "};\n");
}

/* The loop over the elements of one output, in a block of its own. */
static void append_loop(gt_text *out, const gt_template *template, const assignment *now)
{
    const gt_argument *y = now->output;
    gt_text_append(out, "{\nconst long long gputune_count = ");
    append_extents(out, y, 0);
    gt_text_append(out, ";\n");
    for (uint32_t i = 0; i < template->argument_count && now->index_count > 1; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->is_buffer && argument->extent_count > 1) {
            append_view(out, argument);
        }
    }
    gt_text_append(out, "for (long long gputune_at = blockIdx.x * (long long)blockDim.x + "
                        "threadIdx.x; gputune_at < gputune_count; gputune_at += gridDim.x * (long "
                        "long)blockDim.x) {\n");
    for (uint32_t i = 0; i < now->index_count; i++) {
        gt_text_printf(out, "const long long %s = gputune_at", now->indices[i]);
        if (i + 1 < now->index_count) {
            gt_text_append(out, " / (");
            append_extents(out, y, i + 1);
            gt_text_append(out, ")");
        }
        if (i > 0) {
            gt_text_printf(out, " %% ((long long)(%s))", gt_expression_text(y->extents[i]));
        }
        gt_text_append(out, ";\n");
    }
    gt_line_mark_append(out, now->place.line, now->place.path);
    gt_text_printf(out, "gputune_%s[gputune_at] = ", y->name);
    gt_text_append_bytes(out, now->value, (size_t)(now->end - now->value));
    gt_text_append(out, ";\n}\n}\n");
}

/* What expressions may call, unless an argument has that name. */
static void append_helpers(gt_text *out, const gt_template *template)
{
    static const char *const helpers[][2] = {
        {"ceil_div", "[](long long a, long long b) { return (a + b - 1) / b; }"},
        {"round_up", "[](long long a, long long b) { return (a + b - 1) / b * b; }"},
        {"sum",
         "[](long long count, auto term) { decltype(0.0 + term(0)) total = 0; for (long long "
         "k = 0; k < count; k++) { total += term(k); } return total; }"}};
    for (size_t h = 0; h < sizeof helpers / sizeof *helpers; h++) {
        bool taken = false;
        for (uint32_t i = 0; i < template->argument_count; i++) {
            taken |= strcmp(template->arguments[i].name, helpers[h][0]) == 0;
        }
        if (!taken) {
            gt_text_printf(out, "auto %s = %s;\n(void)%s;\n", helpers[h][0], helpers[h][1],
                           helpers[h][0]);
        }
    }
}

/* The kernel's head; its buffers have second names, which the views do not hide. */
static void append_head(gt_text *out, const gt_template *template)
{
    gt_text_append(out, "\n#line 1 \"gputune\"\n__global__ void " GT_ELEMENTS_REFERENCE "(");
    for (uint32_t i = 0; i < template->pass_count; i++) {
        if (template->passes[i].axis >= 0) {
            gt_text_printf(out, "const %s *%s, ", template->passes[i].type,
                           template->passes[i].name);
        }
    }
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        bool null = argument->pointee[0], read = argument->direction == GT_IN;
        gt_text_printf(out, "%s%s%s %s%s", i ? ", " : "",
                       argument->is_buffer && read ? "const " : "",
                       null ? argument->pointee : argument->type,
                       argument->is_buffer || null ? "*" : "", argument->name);
    }
    gt_text_append(out, ")\n{\n");
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const char *name = template->arguments[i].name;
        if (template->arguments[i].is_buffer) {
            gt_text_printf(out, "auto gputune_%s = %s;\n", name, name);
        }
    }
    append_helpers(out, template);
}

static gputune_status check_all_assigned(const gt_template *template, uint64_t assigned,
                                         gt_place place)
{
    for (uint32_t i = 0; i < template->argument_count; i++) {
        const gt_argument *argument = &template->arguments[i];
        if (argument->is_buffer && argument->direction != GT_IN && !(assigned >> i & 1)) {
            return gt_fail_at(place,
                              "no value for the elements of '%s'; expected '%s[i] = …' too, or a "
                              "kernel in reference()",
                              argument->name, argument->name);
        }
    }
    return GPUTUNE_OK;
}

bool gt_elements_follow(const gt_lexer *body)
{
    gt_lexer ahead = *body;
    gt_lexer_next(&ahead);
    return body->token.kind == GT_TOKEN_NAME && gt_lexer_is(&ahead, "[");
}

gputune_status gt_read_elements(gt_parse *parse, gt_lexer *body)
{
    const gt_template *template = parse->template;
    const gt_place place = gt_lexer_place(body);
    gt_text *out = &parse->elements;
    uint64_t assigned = 0;
    append_head(out, template);
    do {
        assignment now = {.output = NULL};
        GT_TRY(read_output(&now, template, body));
        for (uint32_t i = 0; i < now.output->extent_count; i++) {
            GT_TRY(check_extent(template, now.output->extents[i]));
        }
        GT_TRY(read_value(&now, body));
        append_loop(out, template, &now);
        assigned |= UINT64_C(1) << (now.output - template->arguments);
    } while (gt_lexer_accept(body, ",") && gt_elements_follow(body));
    gt_text_append(out, "}\n");
    return check_all_assigned(template, assigned, place);
}
