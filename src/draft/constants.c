/* What a kernel's text gives a name to: macros, constants, and the parameters of its template. */
#include "draft/parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

gt_draft_constant *gt_draft_constant_of(const gt_draft *draft, const char *name)
{
    for (size_t i = 0; i < draft->constants.count; i++) {
        if (strcmp(draft->constants.items[i].name, name) == 0) {
            return &draft->constants.items[i];
        }
    }
    return NULL;
}

/* A constant of the name at the lexer, unless that is known already; NULL: then, or no room. */
static gt_draft_constant *add(gt_draft *draft, const gt_token *name)
{
    gt_draft_constant added = {0};
    gt_draft_token_text(added.name, sizeof added.name, name);
    if (!added.name[0] || gt_draft_constant_of(draft, added.name)) {
        return NULL;
    }
    if (gt_array_push(&draft->constants, added) != GPUTUNE_OK) {
        draft->failed = true;
        return NULL;
    }
    return &draft->constants.items[draft->constants.count - 1];
}

/* Reads the value at the lexer, which must be all that is left in front of `end`. */
static void read_value(gt_draft *draft, gt_draft_constant *constant, gt_lexer *lexer,
                       const char *end)
{
    size_t index = (size_t)(constant - draft->constants.items);
    gt_polynomial sum = gt_draft_read_sum(draft, lexer);
    bool whole = end ? gt_lexer_is(lexer, end) || gt_lexer_is(lexer, ">")
                     : lexer->token.kind == GT_TOKEN_END;
    constant = &draft->constants.items[index];
    constant->value = gt_draft_evaluate(draft, &sum);
    constant->has_value = sum.known && whole && constant->value > 0;
    gt_powers at = {0};
    for (const gt_power *power; (power = gt_polynomial_next(&sum, &at));) {
        const gt_draft_constant *part =
            gt_draft_constant_of(draft, gt_draft_symbol_at(draft, power->symbol)->name);
        constant->has_value &= part && part->has_value;
    }
}

bool gt_draft_is_guarded(const gt_draft *draft, const gt_draft_constant *constant)
{
    const char *text = draft->whole ? draft->whole : draft->text;
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
    while (gt_lexer_find_directive(&lexer, &line)) {
        if (gt_lexer_accept(&line, "ifndef") && gt_lexer_is(&line, constant->name)) {
            return true;
        }
    }
    return false;
}

/* `#define NAME value`. */
static void read_directive(gt_draft *draft, gt_lexer *line)
{
    if (!gt_lexer_accept(line, "define")) {
        return;
    }
    gt_token name = line->token;
    const char *behind = name.text + name.length;
    gt_lexer_next(line);
    bool is_function = line->token.text == behind && gt_lexer_is(line, "(");
    if (name.kind != GT_TOKEN_NAME || is_function || line->token.kind == GT_TOKEN_END) {
        return;
    }
    gt_draft_constant *constant = add(draft, &name);
    if (constant) {
        constant->is_macro = true;
        constant->first_line = constant->last_line = name.line;
        read_value(draft, constant, line, NULL);
    }
}

/* Behind `const` or `constexpr`: `TYPE NAME = value;` of an integer type. */
static void read_declaration(gt_draft *draft, const gt_lexer *from, int first_line)
{
    gt_lexer lexer = *from, ahead;
    gt_token name = {GT_TOKEN_END, "", 0, 0, 0};
    for (; lexer.token.kind == GT_TOKEN_NAME; gt_lexer_next(&lexer)) {
        if (gt_lexer_is(&lexer, "float") || gt_lexer_is(&lexer, "double")) {
            return;
        }
        name = lexer.token;
    }
    if (!gt_lexer_is(&lexer, "=") || name.kind != GT_TOKEN_NAME) {
        return;
    }
    gt_lexer_next(&lexer);
    gt_draft_constant *constant = add(draft, &name);
    if (constant) {
        constant->first_line = first_line;
        ahead = lexer;
        read_value(draft, constant, &ahead, ";");
        constant = gt_draft_constant_of(draft, constant->name);
        constant->last_line = ahead.token.line;
    }
}

/* Behind `enum`: `{ A, B = 1 << 4 }`, whose names are numbers. One with a scope has none to use. */
static void read_enumerators(gt_draft *draft, gt_lexer lexer)
{
    double next = 0;
    bool is_scoped = gt_lexer_is(&lexer, "class") || gt_lexer_is(&lexer, "struct");
    while (lexer.token.kind == GT_TOKEN_NAME || gt_lexer_is(&lexer, ":")) {
        gt_lexer_next(&lexer);
    }
    if (is_scoped || !gt_lexer_accept(&lexer, "{")) {
        return;
    }
    while (lexer.token.kind == GT_TOKEN_NAME) {
        gt_draft_constant *constant = add(draft, &lexer.token);
        gt_lexer_next(&lexer);
        if (!constant) {
            return;
        }
        size_t index = (size_t)(constant - draft->constants.items);
        constant->is_enumerator = constant->has_value = true;
        if (gt_lexer_accept(&lexer, "=")) {
            gt_polynomial value = gt_draft_read_sum(draft, &lexer);
            draft->constants.items[index].has_value = gt_polynomial_is_number(&value, &next);
        }
        draft->constants.items[index].value = next++;
        (void)gt_lexer_accept(&lexer, ",");
    }
}

/* Whether the position is inside of a kernel's or another function's braces. */
static void note_brace(int *depth, bool *in_namespace, const gt_lexer *lexer)
{
    if (gt_lexer_is(lexer, "namespace") || gt_lexer_is(lexer, "\"C\"")) {
        *in_namespace = true;
    } else if (gt_lexer_is(lexer, "{")) {
        *depth += *in_namespace ? 0 : 1;
        *in_namespace = false;
    } else if (gt_lexer_is(lexer, "}")) {
        *depth -= *depth > 0;
    } else if (gt_lexer_is(lexer, ";")) {
        *in_namespace = false;
    }
}

/* `template <class T, int N = 4>` in front of the kernel. */
static void read_template(gt_draft *draft)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, draft->text + draft->function.begin,
                  draft->function.global - draft->function.begin, (gt_place){draft->path, 1, 1});
    if (!gt_lexer_accept(&lexer, "template") || !gt_lexer_accept(&lexer, "<")) {
        return;
    }
    while (lexer.token.kind == GT_TOKEN_NAME) {
        bool is_type = gt_lexer_is(&lexer, "typename") || gt_lexer_is(&lexer, "class");
        bool is_bool = gt_lexer_is(&lexer, "bool");
        gt_token name = lexer.token;
        for (; lexer.token.kind == GT_TOKEN_NAME; gt_lexer_next(&lexer)) {
            name = lexer.token;
        }
        gt_draft_constant *constant = add(draft, &name);
        if (constant) {
            constant->is_template_parameter = true;
            constant->is_type = is_type;
            constant->is_bool = is_bool;
        }
        if (gt_lexer_accept(&lexer, "=") && constant && !is_type) {
            read_value(draft, constant, &lexer, ",");
        }
        int depth = 0;
        while (lexer.token.kind != GT_TOKEN_END && depth >= 0 &&
               !(depth == 0 && gt_lexer_is(&lexer, ","))) {
            depth += gt_token_angles(&lexer.token);
            gt_lexer_next(&lexer);
        }
        if (depth < 0) {
            return;
        }
        (void)gt_lexer_accept(&lexer, ",");
    }
}

void gt_draft_read_constants(gt_draft *draft)
{
    gt_lexer lexer, line;
    int depth = 0;
    bool in_namespace = false;
    if (draft->function.is_template) {
        read_template(draft);
    }
    gt_lexer_open(&lexer, draft->text, strlen(draft->text), (gt_place){draft->path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !draft->failed) {
        if (lexer.token.kind == GT_TOKEN_DIRECTIVE) {
            gt_lexer_directive(&lexer, &line);
            read_directive(draft, &line);
            continue;
        }
        bool declares = gt_lexer_is(&lexer, "const") || gt_lexer_is(&lexer, "constexpr");
        bool is_enum = gt_lexer_is(&lexer, "enum");
        int first_line = lexer.token.line;
        note_brace(&depth, &in_namespace, &lexer);
        gt_lexer_next(&lexer);
        if (declares && depth == 0) {
            read_declaration(draft, &lexer, first_line);
        }
        if (is_enum && depth == 0) {
            read_enumerators(draft, lexer);
        }
    }
}

/* The dimension that a name of Kernel Tuner's and its like stands for; -1: none. */
static int named_dimension(const char *name)
{
    static const char *const forms[] = {"block_size_", "work_group_size_"};
    char lower[GT_NAME_MAX];
    size_t length = strlen(name);
    for (size_t i = 0; i <= length; i++) {
        lower[i] = (char)tolower((unsigned char)name[i]);
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t own = strlen(forms[i]);
        if (strncmp(lower, forms[i], own) == 0 && length == own + 1 && lower[own] >= 'x' &&
            lower[own] <= 'z') {
            return lower[own] - 'x';
        }
    }
    return -1;
}

static void insert_number(gt_draft_comparison *one, int64_t number)
{
    size_t at = 0;
    while (at < one->count && one->numbers[at] < number) {
        at++;
    }
    if (one->count < GT_DRAFT_COMPARED && (at == one->count || one->numbers[at] != number)) {
        memmove(&one->numbers[at + 1], &one->numbers[at], (one->count - at) * sizeof *one->numbers);
        one->numbers[at] = number;
        one->count++;
    }
}

static gt_draft_comparison *find_comparison(const gt_draft_compared *compared, const gt_token *name)
{
    for (size_t i = 0; compared && i < compared->count; i++) {
        if (gt_token_is(name, compared->items[i].name)) {
            return &compared->items[i];
        }
    }
    return NULL;
}

const gt_draft_comparison *gt_draft_compared_with(const gt_draft_compared *compared,
                                                  const gt_token *name)
{
    const gt_draft_comparison *found = find_comparison(compared, name);
    return found && found->count ? found : NULL;
}

/* `NAME == 4` in a condition. */
static gputune_status read_comparisons(gt_draft_compared *out, gt_lexer line)
{
    for (; line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
        gt_draft_comparison added = {0}, *one = find_comparison(out, &line.token);
        gt_lexer ahead = line;
        gt_lexer_next(&ahead);
        if (line.token.kind != GT_TOKEN_NAME || !gt_lexer_accept(&ahead, "==") ||
            ahead.token.kind != GT_TOKEN_NUMBER || gt_lexer_is(&line, "__CUDA_ARCH__") ||
            (one && one->is_told)) {
            continue;
        }
        gt_draft_token_text(added.name, sizeof added.name, &line.token);
        insert_number(one ? one : &added, strtoll(ahead.token.text, NULL, 0));
        GT_TRY(one || !added.name[0] ? GPUTUNE_OK : gt_array_push(out, added));
    }
    return GPUTUNE_OK;
}

gputune_status gt_draft_read_compared(gt_draft_compared *out, const char *text)
{
    gt_lexer lexer, line;
    for (int defines = 0; defines < 2; defines++) {
        gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
        while (gt_lexer_find_directive(&lexer, &line)) {
            if (defines == 0 && gt_token_is_any(&line.token, "if elif")) {
                GT_TRY(read_comparisons(out, line));
            }
            bool is_definition = defines && gt_lexer_accept(&line, "define");
            gt_draft_comparison *one = is_definition ? find_comparison(out, &line.token) : NULL;
            if (one) {
                one->count = 0;
            }
        }
    }
    return GPUTUNE_OK;
}

/* The numbers of a list, with the lexer behind its bracket; false: it has something else. */
static bool read_numbers(gt_draft_comparison *out, gt_lexer *lexer)
{
    while (lexer->token.kind == GT_TOKEN_NUMBER) {
        insert_number(out, strtoll(lexer->token.text, NULL, 0));
        gt_lexer_next(lexer);
        if (!gt_lexer_accept(lexer, ",")) {
            break;
        }
    }
    return out->count > 0 && gt_token_is_any(&lexer->token, "} ]");
}

gputune_status gt_draft_read_told(gt_draft_compared *out, const char *script, const char *text)
{
    enum { BETWEEN = 9 }; /* tokens, as in `, std::vector<uint64_t>` */
    gt_lexer lexer;
    gt_lexer_open(&lexer, script, strlen(script), (gt_place){"", 1, 1});
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        gt_draft_comparison added = {.is_told = true};
        gt_lexer ahead = lexer;
        const gt_token name = {GT_TOKEN_NAME, lexer.token.text + 1, lexer.token.length - 2, 0, 0};
        if (lexer.token.kind != GT_TOKEN_STRING || lexer.token.length < 3) {
            continue;
        }
        gt_draft_token_text(added.name, sizeof added.name, &name);
        gt_lexer_next(&ahead);
        for (int i = 0; i < BETWEEN && !gt_token_is_any(&ahead.token, "{ [ ; )"); i++) {
            gt_lexer_next(&ahead);
        }
        bool opens = gt_token_is_any(&ahead.token, "{ [");
        gt_lexer_next(&ahead);
        if (opens && added.name[0] && !find_comparison(out, &name) &&
            read_numbers(&added, &ahead) && gt_draft_occurs(text, strlen(text), added.name)) {
            GT_TRY(gt_array_push(out, added));
        }
    }
    return GPUTUNE_OK;
}

gt_meaning gt_draft_meaning(const void *user, const gt_token *name, int64_t *value)
{
    enum { ARCHITECTURE = 900 };
    const gt_draft_comparison *compared = gt_draft_compared_with(user, name);
    bool is_architecture = gt_token_is(name, "__CUDA_ARCH__");
    *value = is_architecture ? ARCHITECTURE : compared ? compared->numbers[0] : 0;
    return is_architecture || compared ? GT_VALUED : GT_UNDEFINED;
}

/* Whether the place is in the kernel, or outside of all functions. */
static bool concerns_kernel(const gt_draft *draft, size_t at)
{
    int depth = 0;
    gt_lexer lexer;
    if (at >= draft->function.begin && at < draft->function.end) {
        return true;
    }
    gt_lexer_open(&lexer, draft->text, at, (gt_place){"", 1, 1});
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        depth += gt_lexer_is(&lexer, "{") - gt_lexer_is(&lexer, "}");
    }
    return depth == 0;
}

static void note_undefined(gt_draft *draft, const gt_token *name)
{
    gt_draft_constant *constant = add(draft, name);
    if (!constant) {
        return;
    }
    constant->is_undefined = true;
    int dimension = named_dimension(constant->name);
    int symbol = dimension < 0 ? -1 : gt_draft_find_symbol(draft, constant->name);
    if (dimension >= 0 && symbol < 0) {
        symbol = gt_draft_add_symbol(draft, constant->name, GT_DRAFT_CONSTANT);
    }
    if (symbol > 0) {
        draft->dimensions[dimension].fixed = gt_polynomial_symbol((uint16_t)symbol);
        draft->dimensions[dimension].has_threads = true;
    }
}

/* The names of a span, and of the macros that it reads. */
static void read_undefined(gt_draft *draft, gt_span span, int depth)
{
    enum { DEPTH_MAX = 4 };
    for (size_t i = span.first; i < span.end && depth < DEPTH_MAX; i++) {
        const gt_token *token = &draft->program->tokens.items[i];
        const gt_macro *macro =
            token->kind == GT_TOKEN_NAME ? gt_program_macro_of(draft->program, token) : NULL;
        const gt_program_function *called = token->kind == GT_TOKEN_NAME && depth < DEPTH_MAX - 1 &&
                                                    gt_program_is(draft->program, i + 1, "(")
                                                ? gt_program_function_of(draft->program, token)
                                                : NULL;
        if (macro) {
            read_undefined(draft, macro->value, depth + 1);
        } else if (called && called->is_device &&
                   (called->body.first > span.end || called->body.end < span.first)) {
            read_undefined(draft, called->body, depth + 1);
        } else if (gt_program_is_undefined(draft->program, i)) {
            note_undefined(draft, token);
        }
    }
}

void gt_draft_read_undefined(gt_draft *draft)
{
    const gt_program *program = draft->program;
    gt_lexer lexer, line;
    const char *whole = draft->whole ? draft->whole : draft->text;
    gt_lexer_open(&lexer, whole, strlen(whole), (gt_place){"", 1, 1});
    while (program && gt_lexer_find_directive(&lexer, &line)) { /* #pragma unroll NAME, #if NAME */
        for (bool asks = gt_token_is_any(&line.token, "if elif");
             asks && line.token.kind != GT_TOKEN_END; gt_lexer_next(&line)) {
            if (gt_draft_compared_with(draft->compared, &line.token) &&
                concerns_kernel(draft, (size_t)(line.token.text - whole))) {
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
    const gt_program_function *kernel = program ? gt_draft_program_function(draft) : NULL;
    if (kernel) {
        read_undefined(draft, kernel->body, 0);
    }
    for (size_t i = 0; draft->compared && i < draft->compared->count; i++) {
        const gt_draft_comparison *one = &draft->compared->items[i];
        const gt_function *own = &draft->function;
        const gt_token token = {GT_TOKEN_NAME, one->name, strlen(one->name), 0, 0};
        if (one->is_told && one->count > 0 &&
            gt_draft_occurs(whole + own->begin, own->end - own->begin, one->name)) {
            note_undefined(draft, &token); /* also where an #if leaves it out */
        }
    }
}
