/* What a kernel's text gives a name to: macros, constants, and the parameters of its template. */
#include "draft/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

gt_draft_constant *gt_draft_constant_of(const gt_draft *draft, const char *name)
{
    const int i = GT_NAMED(draft->constants.items, (uint32_t)draft->constants.count, name);
    return i < 0 ? NULL : &draft->constants.items[i];
}

/* A constant of the name at that token, unless that is known already; NULL: then, or no room. */
static gt_draft_constant *add(gt_draft *draft, const gt_token *name)
{
    gt_draft_constant added = {.line = name->line};
    gt_token_name(added.name, name);
    if (!added.name[0] || gt_draft_constant_of(draft, added.name)) {
        return NULL;
    }
    draft->failed |= gt_array_push(&draft->constants, added) != GPUTUNE_OK;
    return draft->failed ? NULL : &draft->constants.items[draft->constants.count - 1];
}

static gt_draft_constant *add_at(gt_draft *draft, size_t at)
{
    const gt_token name = draft->program->tokens.items[at];
    return name.kind == GT_TOKEN_NAME ? add(draft, &name) : NULL;
}

/* Reads the value, a whole number, which must be all that the span has. */
static void read_value(gt_draft *draft, gt_draft_constant *constant, gt_span span)
{
    const gt_sum sum = gt_draft_read_sum(draft, &span);
    gt_powers at = {0};
    constant->value = floor(gt_draft_evaluate(draft, &sum));
    constant->has_value = sum.known && constant->value > 0 && span.first >= span.end;
    for (const gt_power *power; (power = gt_sum_next(&sum, &at));) {
        const gt_draft_constant *part =
            gt_draft_constant_of(draft, gt_draft_symbol_at(draft, power->symbol)->name);
        constant->has_value &= part && part->has_value;
    }
}

/* `#define NAME value`. */
static void read_macro(gt_draft *draft, const gt_macro *macro)
{
    gt_draft_constant *constant = macro->takes_arguments || macro->value.first == macro->value.end
                                      ? NULL
                                      : add_at(draft, macro->name);
    if (constant) {
        read_value(draft, constant, macro->value);
    }
}

/* With `at` on `const` or `constexpr`: `TYPE NAME = value, NAME = value;` of an integer type. */
static void read_declaration(gt_draft *draft, size_t at, gt_span code)
{
    const gt_program *program = draft->program;
    size_t end = at;
    while (end < code.end && program->tokens.items[end].kind == GT_TOKEN_NAME) {
        end++;
    }
    bool is_float = gt_program_first(program, (gt_span){at, end}, "float double") < end;
    if (is_float || end <= at + 1 || !gt_program_is(program, end, "=")) {
        return;
    }
    gt_span item, rest = gt_program_statement(program, end - 1);
    while (gt_program_item(program, &item, &rest) && gt_program_is(program, item.first + 1, "=")) {
        gt_draft_constant *constant = add_at(draft, item.first);
        if (constant) {
            read_value(draft, constant, (gt_span){item.first + 2, item.end});
        }
    }
}

/* Behind `enum`: `{ A, B = 1 << 4 }`, whose names are numbers. One with a scope has none to use. */
static void read_enumerators(gt_draft *draft, size_t at, gt_span code)
{
    const gt_program *program = draft->program;
    double next = 0;
    const size_t open = gt_program_first(program, (gt_span){at, code.end}, "{ ; ( ) =");
    gt_span item, items = {open + 1, gt_program_close(program, open)};
    gt_draft_constant *constant = NULL;
    if (gt_program_is(program, at, "class struct") || !gt_program_is(program, open, "{")) {
        return;
    }
    while (gt_program_item(program, &item, &items) && (constant = add_at(draft, item.first))) {
        constant->is_enumerator = constant->has_value = true;
        item.first++;
        if (gt_program_accept(program, &item, "=")) {
            const gt_sum value = gt_draft_read_sum(draft, &item);
            constant->has_value = gt_sum_is_number(&value, &next);
        }
        constant->value = next++;
    }
}

/* `template <class T, int N = 4>` in front of the kernel. */
static void read_template(gt_draft *draft)
{
    const gt_program *program = draft->program;
    const char *text = draft->text;
    const gt_span all =
        gt_program_between(program, text + draft->function.begin, text + draft->function.global);
    const gt_span rest = {all.first + 2, gt_program_close_angle(program, all.first + 1)};
    for (size_t at = rest.first, end; at < rest.end; at = end + 1) {
        int depth = 0;
        for (end = at; end < rest.end && (depth > 0 || !gt_program_is(program, end, ",")); end++) {
            depth += gt_token_angles(&program->tokens.items[end]);
        }
        const size_t set = gt_program_first(program, (gt_span){at, end}, "=");
        gt_draft_constant *constant = add_at(draft, set - 1);
        if (constant) {
            constant->line = 0;
            constant->is_template_parameter = true;
            constant->is_type = gt_program_is(program, at, "typename class");
            if (set < end && !constant->is_type) {
                read_value(draft, constant, (gt_span){set + 1, end});
            }
        }
    }
}

void gt_draft_read_constants(gt_draft *draft)
{
    const gt_program *program = draft->program;
    const char *end = draft->text + strlen(draft->text);
    const gt_span code = gt_program_between(program, draft->text, end);
    size_t macro = 0;
    if (draft->function.is_template) {
        read_template(draft);
    }
    for (size_t i = code.first; i <= code.end && !draft->failed; i++) {
        const char *at = i < code.end ? program->tokens.items[i].text : end;
        for (const char *name; macro < program->macros.count; macro++) {
            name = program->tokens.items[program->macros.items[macro].name].text;
            if (name < draft->text || name > at) {
                break;
            }
            read_macro(draft, &program->macros.items[macro]);
        }
        if (i < code.end && gt_program_is(program, i, "const constexpr")) {
            read_declaration(draft, i, code);
        } else if (i < code.end && gt_program_is(program, i, "enum")) {
            read_enumerators(draft, i + 1, code);
        } else if (i < code.end && gt_program_is(program, i, "{") &&
                   !gt_program_is_scope(program, i)) {
            i = gt_program_close(program, i);
        }
    }
}

/* The dimension that a name of Kernel Tuner's and its like stands for; -1: none. */
static int named_dimension(const char *name)
{
    static const char *const names[] = {"block_size_x",      "block_size_y",
                                        "block_size_z",      "work_group_size_x",
                                        "work_group_size_y", "work_group_size_z"};
    for (int i = 0; i < 6; i++) {
        if (strcasecmp(name, names[i]) == 0) {
            return i % 3;
        }
    }
    return -1;
}

void gt_values_add(gt_values *values, int64_t number)
{
    size_t at = 0;
    while (at < values->count && values->list[at] < number) {
        at++;
    }
    if (values->count < GT_DRAFT_COMPARED && (at == values->count || values->list[at] != number)) {
        memmove(&values->list[at + 1], &values->list[at],
                (values->count - at) * sizeof *values->list);
        values->list[at] = number;
        values->count++;
    }
}

static gt_draft_comparison *find_comparison(const gt_draft_compared *compared, const char *name)
{
    const int i = GT_NAMED(compared->items, (uint32_t)compared->count, name);
    return i < 0 ? NULL : &compared->items[i];
}

const gt_draft_comparison *gt_draft_compared_with(const gt_draft_compared *compared,
                                                  const char *name)
{
    const gt_draft_comparison *found = find_comparison(compared, name);
    return found && found->values.count ? found : NULL;
}

/* `NAME == 4` in a condition. */
static gputune_status read_comparisons(gt_draft_compared *out, gt_lexer line)
{
    for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
        gt_draft_comparison added = {0}, *one = find_comparison(out, GT_TOKEN_TEXT(&line.token));
        gt_lexer ahead = line;
        gt_lexer_next(&ahead);
        if (line.token.kind != GT_TOKEN_NAME || !gt_lexer_accept(&ahead, "==") ||
            ahead.token.kind != GT_TOKEN_NUMBER || gt_lexer_is(&line, "__CUDA_ARCH__") ||
            (one && one->is_told)) {
            continue;
        }
        gt_token_name(added.name, &line.token);
        gt_values_add(one ? &one->values : &added.values, strtoll(ahead.token.text, NULL, 0));
        GT_TRY(one || !added.name[0] ? GPUTUNE_OK : gt_array_push(out, added));
    }
    return GPUTUNE_OK;
}

gputune_status gt_draft_read_compared(gt_draft_compared *out, const char *text)
{
    for (int defines = 0; defines < 2; defines++) {
        for (gt_lexer lexer = gt_lexer_of(text), line; gt_lexer_find_directive(&lexer, &line);) {
            if (defines == 0 && gt_token_is_any(&line.token, "if elif")) {
                GT_TRY(read_comparisons(out, line));
            }
            bool is_definition = defines && gt_lexer_accept(&line, "define");
            gt_draft_comparison *one =
                is_definition ? find_comparison(out, GT_TOKEN_TEXT(&line.token)) : NULL;
            if (one) {
                one->values.count = 0;
            }
        }
    }
    return GPUTUNE_OK;
}

bool gt_values_read(gt_values *values, gt_lexer *lexer)
{
    while (lexer->token.kind == GT_TOKEN_NUMBER) {
        gt_values_add(values, strtoll(lexer->token.text, NULL, 0));
        gt_lexer_next(lexer);
        if (!gt_lexer_accept(lexer, ",")) {
            break;
        }
    }
    return values->count > 0;
}

gputune_status gt_draft_read_told(gt_draft_compared *out, const char *script, const char *text)
{
    enum { BETWEEN = 9 }; /* tokens, as in `, std::vector<uint64_t>` */
    for (gt_lexer lexer = gt_lexer_of(script); lexer.token.kind != GT_TOKEN_END;
         gt_lexer_next(&lexer)) {
        gt_draft_comparison added = {.is_told = true};
        gt_lexer ahead = lexer;
        if (lexer.token.kind != GT_TOKEN_STRING || lexer.token.length < 3) {
            continue;
        }
        const size_t length = lexer.token.length - 2; /* without its quotes */
        const gt_token name = gt_lexer_on(lexer.token.text + 1, length).token;
        if (name.kind == GT_TOKEN_NAME && name.length == length) {
            gt_token_name(added.name, &name);
        }
        gt_lexer_next(&ahead);
        for (int i = 0; i < BETWEEN && !gt_token_is_any(&ahead.token, "{ [ ; )"); i++) {
            gt_lexer_next(&ahead);
        }
        bool opens = gt_token_is_any(&ahead.token, "{ [");
        gt_lexer_next(&ahead);
        if (opens && added.name[0] && !find_comparison(out, added.name) &&
            gt_values_read(&added.values, &ahead) && gt_token_is_any(&ahead.token, "} ]") &&
            gt_draft_occurs(text, strlen(text), added.name)) {
            GT_TRY(gt_array_push(out, added));
        }
    }
    return GPUTUNE_OK;
}

gt_meaning gt_draft_meaning(const void *user, const gt_token *name, int64_t *value)
{
    enum { ARCHITECTURE = 900 };
    const gt_draft_comparison *compared = gt_draft_compared_with(user, GT_TOKEN_TEXT(name));
    bool is_architecture = gt_token_is(name, "__CUDA_ARCH__");
    if (gt_token_is(name, "__CUDACC_RTC__")) {
        return GT_OPEN; /* what a draft puts aside says how its kernels are launched */
    }
    *value = is_architecture ? ARCHITECTURE : compared ? compared->values.list[0] : 0;
    return is_architecture || compared ? GT_VALUED : GT_UNDEFINED;
}

/* Whether the place is in the kernel, or outside of all functions. */
static bool concerns_kernel(const gt_draft *draft, size_t at)
{
    int depth = 0;
    for (gt_lexer lexer = gt_lexer_on(draft->whole, at); lexer.token.kind != GT_TOKEN_END;
         gt_lexer_next(&lexer)) {
        depth += gt_lexer_is(&lexer, "{") - gt_lexer_is(&lexer, "}");
    }
    return depth == 0 || (at >= draft->function.begin && at < draft->function.end);
}

static void note_undefined(gt_draft *draft, const gt_token *name)
{
    gt_draft_constant *constant = add(draft, name);
    int dimension = constant ? named_dimension(constant->name) : -1;
    if (constant) {
        constant->is_undefined = true;
        constant->line = 0;
    }
    if (dimension >= 0) {
        draft->dimensions[dimension].fixed = gt_draft_constant_sum(draft, constant->name);
        draft->dimensions[dimension].has_threads = true;
    }
}

/* The names of a span, and of the macros and functions of the device that it reads. */
static void read_undefined(gt_draft *draft, gt_span span, int depth)
{
    enum { DEPTH_MAX = 4 };
    const gt_program *program = draft->program;
    for (size_t i = span.first; i < span.end && depth < DEPTH_MAX; i++) {
        const gt_token token = program->tokens.items[i];
        const bool is_name = token.kind == GT_TOKEN_NAME;
        const gt_macro *macro = is_name ? gt_program_macro_of(program, &token) : NULL;
        const gt_program_function *called =
            is_name && depth < DEPTH_MAX - 1 && gt_program_is(program, i + 1, "(")
                ? gt_program_function_of(program, &token)
                : NULL;
        if (macro) {
            read_undefined(draft, macro->value, depth + 1);
        } else if (called && called->is_device &&
                   (called->body.first > span.end || called->body.end < span.first)) {
            read_undefined(draft, called->body, depth + 1);
        } else if (gt_program_is_undefined(program, i)) {
            note_undefined(draft, &token);
        }
    }
}

/* Those of `#pragma unroll NAME` and `#if NAME`. */
static void read_directives(gt_draft *draft)
{
    const gt_program *program = draft->program;
    for (gt_lexer lexer = gt_lexer_of(draft->whole), line;
         gt_lexer_find_directive(&lexer, &line);) {
        for (bool asks = gt_token_is_any(&line.token, "if elif");
             asks && line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
            if (gt_draft_compared_with(draft->compared, GT_TOKEN_TEXT(&line.token)) &&
                concerns_kernel(draft, (size_t)(line.token.text - draft->whole))) {
                note_undefined(draft, &line.token);
            }
        }
        if (gt_lexer_accept(&line, "pragma") && gt_lexer_accept(&line, "unroll")) {
            (void)gt_lexer_accept(&line, "(");
            if (line.token.kind == GT_TOKEN_NAME && !gt_program_macro_of(program, &line.token) &&
                !gt_program_is_told(program, &line.token)) {
                note_undefined(draft, &line.token);
            }
        }
    }
}

void gt_draft_read_undefined(gt_draft *draft)
{
    const gt_function *own = &draft->function;
    read_directives(draft);
    read_undefined(draft, draft->body, 0);
    for (size_t i = 0; i < draft->compared->count; i++) {
        const gt_draft_comparison *one = &draft->compared->items[i];
        const gt_token token = gt_token_of(one->name);
        if (one->is_told && one->values.count > 0 &&
            gt_draft_occurs(draft->whole + own->begin, own->end - own->begin, one->name)) {
            note_undefined(draft, &token); /* also where an #if leaves it out */
        }
    }
}
