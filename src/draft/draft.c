/* Makes a first template out of CUDA text. */
#include "draft/draft.h"

#include "draft/parts.h"
#include "kernel/structure.h"
#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- which kernel ---------------------------------------------------------------------------- */

static void append_name(gt_text *out, const char *text, const gt_function *function)
{
    gt_lexer lexer;
    gt_lexer_open(&lexer, text + function->name, strlen(text + function->name),
                  (gt_place){"", 1, 1});
    gt_text_append(out, function->scope);
    gt_text_append(out, function->scope[0] ? "::" : "");
    gt_text_append_bytes(out, lexer.token.text, lexer.token.length);
}

/* The names of all kernels of the text, separated by commas; *count: how many. */
static void list_kernels(gt_text *out, size_t *count, const char *text)
{
    gt_function function;
    *count = 0;
    for (size_t at = 0; gt_function_find(&function, text, NULL, at); at = function.end) {
        if (function.is_specialisation || function.end <= at) {
            break;
        }
        gt_text_append(out, (*count)++ ? ", " : "");
        append_name(out, text, &function);
    }
}

static gputune_status no_such_kernel(const char *path, const char *text, const char *kernel)
{
    gt_text names = {0};
    size_t count;
    list_kernels(&names, &count, text);
    gputune_status status =
        count == 0 ? gt_fail(GPUTUNE_ENOTFOUND,
                             "%s: no __global__ function; expected a kernel's definition", path)
                   : gt_fail(GPUTUNE_ENOTFOUND, "%s: no kernel '%s'; expected one of %s", path,
                             kernel, gt_text_string(&names));
    gt_text_free(&names);
    return status;
}

static gputune_status several_kernels(const char *path, const char *names)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: several kernels; expected the name of one behind the path: %s", path,
                   names);
}

/* The definition of `kernel`, behind declarations of it. */
static bool find_definition(gt_function *out, const char *text, const char *kernel)
{
    for (size_t at = 0; gt_function_find(out, text, kernel, at); at = out->end) {
        if (out->is_definition && !out->is_specialisation) {
            return true;
        }
        if (out->end <= at) {
            return false;
        }
    }
    return false;
}

/* What kernel() names, in a text that has one; "": none. */
static gputune_status named_kernel(char out[GT_NAME_MAX], const gt_reader *reader)
{
    size_t count = 0;
    for (size_t i = 0; i < reader->clauses.count; i++) {
        gt_lexer body = reader->clauses.items[i].body;
        gt_kernel_name name;
        if (strcmp(reader->clauses.items[i].word, "kernel") == 0) {
            GT_TRY(gt_read_kernel_name(&name, &body, "the kernel function's name"));
            memcpy(out, name.name, sizeof name.name);
            count++;
        }
    }
    if (count != 1) {
        out[0] = '\0';
    }
    return GPUTUNE_OK;
}

static gputune_status choose_kernel(gt_draft *draft, const gt_reader *reader, const char *kernel)
{
    char named[GT_NAME_MAX] = "";
    gt_text names = {0};
    size_t count;
    GT_TRY(named_kernel(named, reader));
    kernel = kernel ? kernel : named[0] ? named : NULL;
    if (!kernel) {
        list_kernels(&names, &count, draft->text);
        gputune_status status = count > 1 ? several_kernels(draft->path, gt_text_string(&names))
                                : gt_function_find(&draft->function, draft->text, NULL, 0)
                                    ? GPUTUNE_OK
                                    : no_such_kernel(draft->path, draft->text, "");
        gt_text_free(&names);
        return status;
    }
    return find_definition(&draft->function, draft->text, kernel)
               ? GPUTUNE_OK
               : no_such_kernel(draft->path, draft->text, kernel);
}

/* ---- its parameters -------------------------------------------------------------------------- */

gt_place gt_draft_place(const gt_draft *draft, size_t offset)
{
    gt_place place = {draft->path, 1, 1};
    for (size_t i = 0; i < offset; i++) {
        bool ends = draft->text[i] == '\n';
        place.line += ends;
        place.column = ends ? 1 : place.column + 1;
    }
    return place;
}

static gputune_status refuse(const gt_draft *draft, const char *name, const char *what,
                             const char *remedy)
{
    gt_message_at(gt_draft_place(draft, draft->function.parameters), "'%s' is %s; expected %s",
                  name, what, remedy);
    return gt_failure(GPUTUNE_EUNSUPPORTED);
}

static gputune_status check_parameter(const gt_draft *draft, const gt_function_parameter *parameter)
{
    const gt_refused_type *refused = gt_type_refused(parameter->words);
    if (refused) {
        return refuse(draft, parameter->name, refused->what, refused->remedy);
    }
    if (parameter->is_overlong) {
        return gt_fail_at(gt_draft_place(draft, draft->function.parameters),
                          "a parameter's type or name has more than %d characters; expected fewer",
                          GT_NAME_MAX - 1);
    }
    if (parameter->is_unusual) {
        return refuse(draft, parameter->name, "neither a value nor a plain pointer",
                      "TYPE or TYPE *, which a template can fill and compare");
    }
    return GPUTUNE_OK;
}

static gputune_status read_parameters(gt_draft *draft)
{
    if (!gt_function_parameters(draft->parameters, GT_PARAMETER_MAX, &draft->parameter_count,
                                draft->blocks, draft->text, &draft->function) ||
        draft->parameter_count > GT_PARAMETER_MAX) {
        return gt_fail_at(gt_draft_place(draft, draft->function.name),
                          "the parameters of the kernel cannot be read; expected them without "
                          "directives");
    }
    for (uint32_t i = 0; i < draft->parameter_count; i++) {
        const gt_function_parameter *parameter = &draft->parameters[i];
        GT_TRY(check_parameter(draft, parameter));
        if (parameter->pointer) {
            draft->buffers[draft->buffer_count++] = (gt_draft_buffer){.parameter = i};
            continue;
        }
        uint16_t symbol = gt_draft_add_symbol(draft, parameter->name, GT_DRAFT_PARAMETER);
        draft->symbols.items[symbol].is_integer = parameter->has_type &&
                                                  !gt_type_is_float(parameter->element.type) &&
                                                  parameter->element.lanes == 1;
    }
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* __launch_bounds__(threads, …) in front of the kernel's name. */
static void read_launch_bounds(gt_draft *draft)
{
    const gt_function *function = &draft->function;
    gt_lexer lexer;
    gt_lexer_open(&lexer, draft->text + function->global, function->name - function->global,
                  (gt_place){draft->path, 1, 1});
    while (lexer.token.kind != GT_TOKEN_END && !gt_lexer_accept(&lexer, "__launch_bounds__")) {
        gt_lexer_next(&lexer);
    }
    if (gt_lexer_accept(&lexer, "(")) {
        draft->thread_bound = gt_draft_read_sum(draft, &lexer);
    }
}

static gputune_status add_builtins(gt_draft *draft)
{
    static const char *const names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x",
                                        "blockIdx.y",  "blockIdx.z",  "blockDim.x",  "blockDim.y",
                                        "blockDim.z",  "gridDim.x",   "gridDim.y",   "gridDim.z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)gt_draft_add_symbol(draft, names[i], GT_DRAFT_BUILTIN);
    }
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* ---- the text -------------------------------------------------------------------------------- */

/* Lines that are put in front of a line of the text. */
typedef struct insertion {
    int line;
    char *text;
} insertion;

typedef GT_ARRAY(insertion) insertions;

static gputune_status insert(insertions *list, int line, gt_text *text)
{
    insertion added = {line, NULL};
    GT_TRY(gt_text_take(&added.text, text));
    if (gt_array_push(list, added) != GPUTUNE_OK) {
        free(added.text);
        return gt_fail_memory();
    }
    return GPUTUNE_OK;
}

static gputune_status enclose(insertions *list, int first, int last, const char *macro)
{
    gt_text text = {0};
    gt_text_printf(&text, "#ifndef %s\n", macro);
    GT_TRY(insert(list, first, &text));
    gt_text_append(&text, "#endif\n");
    return insert(list, last + 1, &text);
}

/* NVRTC defines the macro, and compilers that know the host do not. */
static gputune_status guard_host(insertions *list, const gt_draft *draft)
{
    for (size_t i = 0; i < draft->host.count; i++) {
        const gt_draft_lines *lines = &draft->host.items[i];
        GT_TRY(enclose(list, lines->first, lines->last, "__CUDACC_RTC__"));
    }
    return GPUTUNE_OK;
}

/* A definition that an axis takes the place of stands where the axis is not defined. */
static gputune_status guard_constants(insertions *list, const gt_draft *draft)
{
    for (uint16_t d = 0; d < 3; d++) {
        uint16_t symbol;
        const gt_draft_constant *constant = NULL;
        if (gt_polynomial_is_symbol(&draft->dimensions[d].fixed, &symbol)) {
            constant = gt_draft_constant_of(draft, draft->symbols.items[symbol].name);
        }
        bool again = d > 0 && gt_polynomial_equal(&draft->dimensions[d].fixed,
                                                  &draft->dimensions[d - 1].fixed);
        if (!constant || constant->is_guarded || constant->is_template_parameter || again) {
            continue;
        }
        GT_TRY(enclose(list, constant->first_line, constant->last_line, constant->name));
    }
    return GPUTUNE_OK;
}

static void append_insertions(gt_text *out, const insertions *list, int line)
{
    for (size_t i = 0; i < list->count; i++) {
        gt_text_append(out, list->items[i].line == line ? list->items[i].text : "");
    }
}

static gputune_status put_together(char **out, const char *text, const insertions *list)
{
    gt_text joined = {0};
    int line = 1;
    while (*text) {
        size_t length = strcspn(text, "\n");
        append_insertions(&joined, list, line++);
        gt_text_append_bytes(&joined, text, length);
        gt_text_append(&joined, "\n");
        text += length + (text[length] == '\n');
    }
    append_insertions(&joined, list, line);
    return gt_text_take(out, &joined);
}

static gputune_status write_template(char **out, gt_draft *draft, const gt_reader *reader,
                                     const char *text)
{
    insertions list = {0};
    gt_text clauses = {0};
    gputune_status status = guard_host(&list, draft);
    if (status == GPUTUNE_OK) {
        status = guard_constants(&list, draft);
    }
    gt_draft_write(&clauses, draft, reader);
    if (status == GPUTUNE_OK && clauses.length > 0) {
        gt_text_append(&clauses, "\n");
        status = insert(&list, gt_draft_place(draft, draft->function.begin).line, &clauses);
    }
    if (status == GPUTUNE_OK) {
        status = put_together(out, text, &list);
    }
    for (size_t i = 0; i < list.count; i++) {
        free(list.items[i].text);
    }
    gt_array_free(&list);
    gt_text_free(&clauses);
    return status;
}

gputune_status gt_draft_read(gt_draft *draft)
{
    GT_TRY(add_builtins(draft));
    gt_draft_read_constants(draft);
    read_launch_bounds(draft);
    GT_TRY(read_parameters(draft));
    GT_TRY(gt_draft_read_body(draft));
    gt_draft_settle(draft);
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

void gt_draft_free(gt_draft *draft)
{
    if (!draft) {
        return;
    }
    gt_array_free(&draft->symbols);
    gt_array_free(&draft->guards);
    gt_array_free(&draft->accesses);
    gt_array_free(&draft->aliases);
    gt_array_free(&draft->shared);
    gt_array_free(&draft->constants);
    gt_array_free(&draft->host);
    free(draft);
}

static gputune_status make(char **out, gt_draft *draft, const gt_reader *reader, const char *text,
                           const char *kernel)
{
    GT_TRY(choose_kernel(draft, reader, kernel));
    GT_TRY(gt_draft_read(draft));
    gt_draft_find_host(draft);
    return draft->failed ? gt_fail_memory() : write_template(out, draft, reader, text);
}

gputune_status gt_draft_template(char **out, const char *path, const char *text, const char *kernel)
{
    gt_template_parts *parts = calloc(1, sizeof *parts);
    gt_draft *draft = calloc(1, sizeof *draft);
    gt_reader reader = {.parts = parts};
    gputune_status status = parts && draft ? GPUTUNE_OK : gt_fail_memory();
    if (status == GPUTUNE_OK) {
        status = gt_reader_run(&reader, path, text);
    }
    if (status == GPUTUNE_OK) {
        draft->path = path;
        draft->text = gt_text_string(&reader.body);
        status = make(out, draft, &reader, text, kernel);
    }
    gt_reader_free(&reader);
    if (parts) {
        gt_structures_free(parts);
        gt_reader_free_files(parts);
    }
    free(parts);
    gt_draft_free(draft);
    return status;
}
