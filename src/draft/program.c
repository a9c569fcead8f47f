/* Reads a program as tokens, and finds what gives a value to a name. */
#include "draft/program.h"

#include "kernel/types.h"

#include "base/number.h"

#include <string.h>

bool gt_program_is(const gt_program *program, size_t at, const char *text)
{
    return at < program->tokens.count && gt_token_is(&program->tokens.items[at], text);
}

static bool is_name(const gt_program *program, size_t at)
{
    return at < program->tokens.count && program->tokens.items[at].kind == GT_TOKEN_NAME;
}

static bool is_same(const gt_program *program, size_t at, const gt_token *name)
{
    return is_name(program, at) && gt_token_equals(&program->tokens.items[at], name);
}

bool gt_program_same(const gt_program *program, size_t a, size_t b)
{
    return gt_token_equals(&program->tokens.items[a], &program->tokens.items[b]);
}

bool gt_program_is_any(const gt_program *program, size_t at, const char *words)
{
    return at < program->tokens.count && gt_token_is_any(&program->tokens.items[at], words);
}

static const char opening[] = "( [ {", closing[] = ") ] }";

size_t gt_program_close(const gt_program *program, size_t open)
{
    int depth = 0;
    size_t at = open;
    for (; at + 1 < program->tokens.count; at++) {
        depth += gt_program_is_any(program, at, opening) - gt_program_is_any(program, at, closing);
        if (depth <= 0) {
            break;
        }
    }
    return at;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void push(gt_program *program, const gt_token *token)
{
    program->failed |= gt_array_push(&program->tokens, *token) != GPUTUNE_OK;
}

/* `#define NAME(a, b) value`; with the lexer behind the word. */
static void read_macro(gt_program *program, gt_lexer *line)
{
    gt_macro macro = {.name = program->tokens.count};
    if (line->token.kind != GT_TOKEN_NAME) {
        return;
    }
    const char *behind = line->token.text + line->token.length;
    for (; line->token.kind != GT_TOKEN_END; gt_lexer_next(line)) {
        push(program, &line->token);
    }
    size_t first = macro.name + 1, end = program->tokens.count;
    if (gt_program_is(program, first, "(") && program->tokens.items[first].text == behind) {
        size_t close = gt_program_close(program, first);
        macro.takes_arguments = true;
        macro.parameters = (gt_span){first + 1, close};
        first = close + 1 < end ? close + 1 : end;
    }
    macro.value = (gt_span){first, end};
    program->failed |= gt_array_push(&program->macros, macro) != GPUTUNE_OK;
}

static void read_tokens(gt_program *program, const char *text, bool macros)
{
    gt_lexer lexer, line;
    gt_lexer_open(&lexer, text, strlen(text), (gt_place){"", 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !program->failed) {
        if (lexer.token.kind != GT_TOKEN_DIRECTIVE) {
            if (!macros) {
                push(program, &lexer.token);
            }
            gt_lexer_next(&lexer);
            continue;
        }
        gt_lexer_directive(&lexer, &line);
        if (macros && gt_lexer_accept(&line, "define")) {
            read_macro(program, &line);
        }
    }
}

/* NAME(…) {…}: with `open` on the first bracket. */
static bool read_function(gt_program *program, size_t open, size_t statement)
{
    gt_program_function function = {.name = open - 1};
    size_t close = gt_program_close(program, open);
    size_t body = close + 1 + gt_program_is(program, close + 1, "const");
    if (!gt_program_is(program, body, "{")) {
        return false;
    }
    function.parameters = (gt_span){open + 1, close};
    function.body = (gt_span){body + 1, gt_program_close(program, body)};
    for (size_t i = statement; i < open; i++) {
        function.is_device |= gt_program_is_any(program, i, "__global__ __device__");
    }
    program->failed |= gt_array_push(&program->functions, function) != GPUTUNE_OK;
    return !program->failed;
}

static void read_functions(gt_program *program)
{
    size_t statement = 0;
    for (size_t i = 1; i < program->code && !program->failed; i++) {
        bool opens = gt_program_is(program, i, "(") && is_name(program, i - 1);
        if (opens && read_function(program, i, statement)) {
            i = program->functions.items[program->functions.count - 1].body.end;
        }
        if (gt_program_is_any(program, i, "; { }")) {
            statement = i + 1;
        }
    }
}

void gt_program_read(gt_program *program, const char *const *texts, size_t count)
{
    for (int macros = 0; macros < 2; macros++) {
        for (size_t i = 0; i < count; i++) {
            read_tokens(program, texts[i], macros);
        }
        program->code = macros ? program->code : program->tokens.count;
    }
    read_functions(program);
}

void gt_program_free(gt_program *program)
{
    gt_array_free(&program->tokens);
    gt_array_free(&program->functions);
    gt_array_free(&program->macros);
}

/* ---- parts ----------------------------------------------------------------------------------- */

bool gt_program_item(const gt_program *program, gt_span *out, gt_span *rest)
{
    size_t at = rest->first;
    if (rest->first >= rest->end) {
        return false;
    }
    for (; at < rest->end && !gt_program_is(program, at, ","); at++) {
        if (gt_program_is_any(program, at, opening)) {
            at = gt_program_close(program, at);
        }
    }
    at = at < rest->end ? at : rest->end;
    *out = (gt_span){rest->first, at};
    rest->first = at + 1;
    return true;
}

bool gt_program_item_at(const gt_program *program, gt_span *out, gt_span items, size_t index)
{
    while (gt_program_item(program, out, &items)) {
        if (index-- == 0) {
            return true;
        }
    }
    return false;
}

size_t gt_program_cast(const gt_program *program, gt_span span)
{
    size_t at = span.first;
    if (is_name(program, at) && gt_program_is(program, at + 1, "<")) {
        const gt_token *name = &program->tokens.items[at];
        bool is_cast = name->length > 5 && memcmp(name->text + name->length - 5, "_cast", 5) == 0;
        while (is_cast && at < span.end && !gt_program_is(program, at, "(")) {
            at++;
        }
        return is_cast ? at - span.first : 0;
    }
    if (!gt_program_is(program, at, "(")) {
        return 0;
    }
    size_t close = gt_program_close(program, at);
    char words[GT_NAME_MAX] = "";
    size_t length = 0, names = 0;
    for (at++; at < close; at++) {
        const gt_token *token = &program->tokens.items[at];
        if (token->kind == GT_TOKEN_NAME && length + token->length + 2 < sizeof words) {
            length += (size_t)gt_snprintf(words + length, sizeof words - length, "%s%.*s",
                                          names++ ? " " : "", (int)token->length, token->text);
        } else if (!gt_program_is_any(program, at, "* ::")) {
            return 0;
        }
    }
    gt_element element;
    bool is_pointer = gt_program_is(program, close - 1, "*");
    bool is_type = names > 1 || is_pointer || gt_element_from_name(&element, words);
    bool is_operand =
        close + 1 < span.end && (program->tokens.items[close + 1].kind != GT_TOKEN_PUNCTUATION ||
                                 gt_program_is_any(program, close + 1, "( &"));
    return names && is_type && is_operand ? close + 1 - span.first : 0;
}

gt_span gt_program_strip(const gt_program *program, gt_span span)
{
    for (;;) {
        size_t cast = gt_program_cast(program, span);
        span.first += cast;
        bool encloses = span.first < span.end && gt_program_is(program, span.first, "(") &&
                        gt_program_close(program, span.first) + 1 == span.end;
        if (encloses) {
            span.first++;
            span.end--;
        } else if (cast == 0) {
            return span;
        }
    }
}

gt_span gt_program_statement(const gt_program *program, size_t first)
{
    gt_span span = {first, first};
    while (span.end < program->code && !gt_program_is(program, span.end, ";")) {
        span.end++;
    }
    return span;
}

gt_span gt_program_type(const gt_program *program, size_t name)
{
    static const char others[] = "static extern typedef __device__ __constant__";
    for (bool again = true; again && name > 2; name -= again ? 2 : 0) {
        while (gt_program_is_any(program, name - 1, "__restrict__ __restrict restrict const *")) {
            name--;
        }
        again = gt_program_is(program, name - 1, ",");
    }
    gt_span type = {name, name};
    while (type.first > 0 && is_name(program, type.first - 1) &&
           !gt_program_is_any(program, type.first - 1, others)) {
        type.first--;
    }
    return type;
}

void gt_program_words(char out[GT_NAME_MAX], const gt_program *program, gt_span span)
{
    size_t length = 0;
    out[0] = '\0';
    for (size_t i = span.first; i < span.end && length < GT_NAME_MAX; i++) {
        const gt_token *token = &program->tokens.items[i];
        bool is_part = !gt_program_is_any(program, i, "struct const");
        length += is_part ? (size_t)gt_snprintf(out + length, GT_NAME_MAX - length, "%s%.*s",
                                                length ? " " : "", (int)token->length, token->text)
                          : 0;
    }
    out[0] = length < GT_NAME_MAX ? out[0] : '\0';
}

const gt_program_function *gt_program_function_at(const gt_program *program, size_t at)
{
    for (size_t i = 0; i < program->functions.count; i++) {
        const gt_program_function *function = &program->functions.items[i];
        if (at >= function->parameters.first && at < function->body.end) {
            return function;
        }
    }
    return NULL;
}

const gt_program_function *gt_program_function_of(const gt_program *program, const gt_token *name)
{
    for (size_t i = 0; i < program->functions.count; i++) {
        if (is_same(program, program->functions.items[i].name, name)) {
            return &program->functions.items[i];
        }
    }
    return NULL;
}

const gt_macro *gt_program_macro_of(const gt_program *program, const gt_token *name)
{
    const gt_macro *found = NULL;
    for (size_t i = 0; i < program->macros.count; i++) {
        const gt_macro *macro = &program->macros.items[i];
        if (is_same(program, macro->name, name) &&
            (!found || macro->value.first < macro->value.end)) {
            found = macro;
        }
    }
    return found;
}

size_t gt_program_parameter(const gt_program *program, gt_span parameters, const gt_token *name,
                            size_t *index)
{
    gt_span item;
    for (*index = 0; gt_program_item(program, &item, &parameters); ++*index) {
        size_t last = 0;
        for (size_t i = item.first; i < item.end && !gt_program_is_any(program, i, "= ["); i++) {
            last = is_name(program, i) ? i : last;
        }
        if (last && is_same(program, last, name)) {
            return last;
        }
    }
    return 0;
}

/* ---- what gives a value to a name ------------------------------------------------------------ */

static const char no_types[] = "return else new delete case do goto";

/* The next call of a function behind `from`: the token of its name, and the arguments; false: there
 * is none. `definition`: where it is defined. */
static bool find_call_of(const gt_program *program, const gt_token *name, size_t definition,
                         size_t from, size_t *at, gt_span *arguments)
{
    for (size_t i = from + 1; i < program->code; i++) {
        if (i == definition || !is_same(program, i, name)) {
            continue;
        }
        size_t open = i + 1;
        while (gt_program_is(program, i + 1, "<") && open < program->code &&
               !gt_program_is_any(program, open, "( ;")) {
            open++;
        }
        bool is_declaration =
            is_name(program, i - 1) && !gt_program_is_any(program, i - 1, no_types);
        if (gt_program_is(program, open, "(") && !is_declaration) {
            *at = i;
            *arguments = (gt_span){open + 1, gt_program_close(program, open)};
            return true;
        }
    }
    return false;
}

/* NAME<<<…>>> or NAME<…><<<…>>>. */
static bool is_launched(const gt_program *program, const gt_token *name)
{
    for (size_t i = 0; i + 1 < program->code; i++) {
        if (is_same(program, i, name) &&
            (gt_program_is(program, i + 1, "<<") || gt_program_is(program, i + 1, "<"))) {
            return true;
        }
    }
    return false;
}

static bool calls(const gt_program *program, const gt_program_function *function,
                  const gt_token *name)
{
    size_t at;
    gt_span arguments;
    return find_call_of(program, name, function ? function->name : program->code, 0, &at,
                        &arguments) ||
           is_launched(program, name);
}

bool gt_program_is_called(const gt_program *program, const gt_program_function *function)
{
    return calls(program, function, &program->tokens.items[function->name]);
}

bool gt_program_takes(const gt_program *program, const gt_program *other)
{
    bool takes = false;
    for (size_t i = 0; i < program->functions.count; i++) {
        const gt_program_function *function = &program->functions.items[i];
        const gt_token *name = &program->tokens.items[function->name];
        if (gt_program_function_of(other, name)) {
            return false;
        }
        takes = takes || (!gt_program_is_called(program, function) && calls(other, NULL, name));
    }
    return takes;
}

/* From `first` to the end of a statement or declarator. */
static gt_span value_at(const gt_program *program, size_t first)
{
    size_t at = first;
    for (; at < program->code && !gt_program_is_any(program, at, "; ,") &&
           !gt_program_is_any(program, at, closing);
         at++) {
        if (gt_program_is_any(program, at, opening)) {
            at = gt_program_close(program, at);
        }
    }
    return (gt_span){first, at};
}

/* Whether the token is a name that gets a value there, `NAME = value` or `TYPE NAME(value)`, or is
 * declared without one. */
static bool defines(gt_found *out, const gt_program *program, size_t at)
{
    bool is_member = at > 0 && gt_program_is_any(program, at - 1, ". -> ::");
    bool is_store = at > 1 && gt_program_is(program, at - 1, "*") &&
                    gt_program_is_any(program, at - 2, "; { } )");
    if (is_member || is_store || at == 0) {
        return false;
    }
    bool is_typed = (is_name(program, at - 1) && !gt_program_is_any(program, at - 1, no_types)) ||
                    gt_program_is(program, at - 1, ">");
    out->identity = at;
    out->is_constructed = is_typed && gt_program_is_any(program, at + 1, "( {");
    if (out->is_constructed) {
        out->value = (gt_span){at + 2, gt_program_close(program, at + 1)};
        return true;
    }
    if (gt_program_is(program, at + 1, "=")) {
        out->value = value_at(program, at + 2);
        return true;
    }
    bool is_pointer = at > 2 && gt_program_is(program, at - 1, "*") && is_name(program, at - 2) &&
                      !gt_program_is_any(program, at - 2, no_types) &&
                      gt_program_is_any(program, at - 3, "; { } const");
    return (is_typed && gt_program_is_any(program, at + 1, "; :")) ||
           (is_pointer && gt_program_is_any(program, at + 1, "; ,"));
}

bool gt_program_is_plain(const gt_program *program, gt_span span)
{
    static const char known[] = "sizeof min max ceil ceilf floor floorf round dim3 pow";
    gt_element element;
    for (size_t i = span.first; i < span.end; i++) {
        const gt_token *token = &program->tokens.items[i];
        char word[GT_NAME_MAX];
        bool is_call = is_name(program, i) && gt_program_is(program, i + 1, "(");
        (void)gt_snprintf(word, sizeof word, "%.*s", (int)token->length, token->text);
        if (gt_token_is(token, "argv") || gt_token_is(token, "argc") ||
            gt_program_is(program, i + 1, "->") ||
            (is_call && !gt_program_is_any(program, i, known) &&
             !gt_element_from_name(&element, word) && !gt_program_macro_of(program, token) &&
             !gt_program_function_of(program, token))) {
            return false;
        }
    }
    return span.first < span.end;
}

/* Of `argc > 1 ? atoi(argv[1]) : 1024`, the half that the program itself says. */
static gt_span plain_half(const gt_program *program, gt_span value)
{
    size_t question = 0, colon = 0;
    for (size_t i = value.first; i < value.end; i++) {
        i = gt_program_is_any(program, i, opening) ? gt_program_close(program, i) : i;
        question = question ? question : gt_program_is(program, i, "?") ? i : 0;
        colon = gt_program_is(program, i, ":") ? i : colon;
    }
    gt_span halves[] = {{colon + 1, value.end}, {question + 1, colon}};
    for (size_t i = 0; i < 2 && question && colon > question; i++) {
        if (!gt_program_is_plain(program, value) && gt_program_is_plain(program, halves[i])) {
            return halves[i];
        }
    }
    return value;
}

/* Whether the variable, zero at first, gets its value later, up to `end`: fscanf(f, "%d", &n), n++,
 * n += 2. What counts a loop's passes begins with its zero. */
static bool is_filled_later(const gt_program *program, size_t at, size_t end, gt_span value)
{
    if (value.end != value.first + 1 || !gt_program_is(program, value.first, "0") ||
        (at > 1 && gt_program_is(program, at - 1, "(")) ||
        (at > 2 && gt_program_is(program, at - 2, "("))) {
        return false;
    }
    for (size_t i = value.end; i < end; i++) {
        if (gt_program_same(program, i, at) &&
            ((gt_program_is(program, i - 1, "&") && gt_program_is_any(program, i - 2, "( ,")) ||
             gt_program_is_any(program, i - 1, "++ >>") ||
             gt_program_is_any(program, i + 1, "++ +="))) {
            return true;
        }
    }
    return false;
}

/* The last definition within [first, end) whose value is plain, or the last of all. */
static bool find_within(gt_found *out, const gt_program *program, gt_span span,
                        const gt_token *name)
{
    bool found = false;
    for (size_t i = span.end; i > span.first; i--) {
        gt_found one = {0};
        if (!is_same(program, i - 1, name) || !defines(&one, program, i - 1)) {
            continue;
        }
        one.site = (gt_site){i - 1, gt_program_function_at(program, i - 1), NULL};
        one.value = plain_half(program, gt_program_strip(program, one.value));
        if (is_filled_later(program, i - 1, span.end, one.value)) {
            one.value = (gt_span){0};
            *out = one;
            return true;
        }
        bool plain = gt_program_is_plain(program, one.value);
        if (!found || plain) {
            *out = one;
            found = true;
        }
        if (plain) {
            return true;
        }
    }
    return found;
}

/* What calls give to a function's parameter. */
static void find_argument(gt_found *out, const gt_program *program,
                          const gt_program_function *function, size_t index)
{
    gt_span arguments, value;
    size_t at = 0;
    const gt_token *name = &program->tokens.items[function->name];
    while (find_call_of(program, name, function->name, at, &at, &arguments)) {
        if (gt_program_item_at(program, &value, arguments, index)) {
            out->value = value;
            out->site = (gt_site){at, gt_program_function_at(program, at), NULL};
            return;
        }
    }
}

/* With `open` on "<": the token that closes it. */
static size_t close_angle(const gt_program *program, size_t open)
{
    int depth = 0;
    for (; open < program->code && !gt_program_is_any(program, open, "; { }"); open++) {
        depth += gt_token_angles(&program->tokens.items[open]);
        if (depth <= 0) {
            break;
        }
    }
    return open;
}

/* What calls, NAME<…>(), give to a parameter of a function's template. */
static bool find_template_argument(gt_found *out, const gt_program *program,
                                   const gt_program_function *function, const gt_token *name)
{
    size_t first = function->name, index;
    while (first > 0 && !gt_program_is_any(program, first, "; } template")) {
        first--;
    }
    if (!gt_program_is(program, first, "template")) {
        return false;
    }
    const gt_span parameters = {first + 2, close_angle(program, first + 1)};
    size_t parameter = gt_program_parameter(program, parameters, name, &index);
    for (size_t i = 1; i < program->code && parameter; i++) {
        if (i == function->name || !gt_program_same(program, i, function->name) ||
            !gt_program_is(program, i + 1, "<")) {
            continue;
        }
        const gt_span given = {i + 2, close_angle(program, i + 1)};
        if (gt_program_item_at(program, &out->value, given, index)) {
            out->identity = parameter;
            out->site = (gt_site){i, gt_program_function_at(program, i), NULL};
            return true;
        }
    }
    return false;
}

/* One identity for a variable: where its function, or the text, has its name first. */
static size_t first_of(const gt_program *program, gt_span span, const gt_token *name)
{
    for (size_t i = span.first; i < span.end; i++) {
        if (is_same(program, i, name)) {
            return i;
        }
    }
    return 0;
}

bool gt_program_find(gt_found *out, const gt_program *program, const gt_site *site, size_t at)
{
    const gt_token *name = &program->tokens.items[at];
    const gt_program_function *function = site->function;
    size_t index;
    *out = (gt_found){0};
    if (site->bound) {
        size_t parameter = gt_program_parameter(program, site->bound->parameters, name, &index);
        if (parameter && gt_program_item_at(program, &out->value, site->bound->arguments, index)) {
            out->identity = parameter;
            out->site = site->bound->caller;
            return true;
        }
    }
    if (function) {
        gt_span before = {function->body.first, site->at};
        size_t parameter = gt_program_parameter(program, function->parameters, name, &index);
        if (find_within(out, program, before, name)) {
            out->identity = parameter ? parameter : first_of(program, before, name);
            return true;
        }
        if (parameter) {
            out->identity = parameter;
            find_argument(out, program, function, index);
            return true;
        }
        if (find_template_argument(out, program, function, name)) {
            return true;
        }
    }
    out->macro = gt_program_macro_of(program, name);
    if (out->macro) {
        out->identity = out->macro->name;
        out->value = out->macro->value;
        out->site = (gt_site){program->code, NULL, NULL};
        return true;
    }
    gt_span all = {0, program->code};
    bool found = find_within(out, program, all, name);
    out->identity = first_of(program, all, name);
    return found;
}

static bool on_device(const gt_program *program, const gt_token *name, int depth)
{
    enum { DEPTH_MAX = 6 };
    for (size_t i = 0; i < program->functions.count && depth < DEPTH_MAX; i++) {
        const gt_program_function *function = &program->functions.items[i];
        const gt_token *own = &program->tokens.items[function->name];
        gt_span span = {function->parameters.first, function->body.end};
        if (!gt_token_equals(own, name) && !gt_token_is(own, "main") &&
            first_of(program, span, name) &&
            (function->is_device || on_device(program, own, depth + 1))) {
            return true;
        }
    }
    for (size_t i = 1; i + 1 < program->code && depth < DEPTH_MAX; i++) { /* a struct's extents */
        bool is_struct =
            gt_program_is(program, i + 1, "{") &&
            (gt_program_is(program, i - 1, "struct") || gt_program_is(program, i, "struct"));
        gt_span span = {i + 2, is_struct ? gt_program_close(program, i + 1) : 0};
        if (is_struct && first_of(program, span, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < program->macros.count && depth < DEPTH_MAX; i++) {
        const gt_macro *macro = &program->macros.items[i];
        const gt_token *own = &program->tokens.items[macro->name];
        if (!gt_token_equals(own, name) && first_of(program, macro->value, name) &&
            on_device(program, own, depth + 1)) {
            return true;
        }
    }
    return false;
}

bool gt_program_on_device(const gt_program *program, const gt_token *macro)
{
    return on_device(program, macro, 0);
}
