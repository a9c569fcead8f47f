/* Makes a first template out of CUDA text. */
#include "draft/draft.h"

#include "draft/parts.h"
#include "kernel/branches.h"
#include "kernel/headers.h"
#include "kernel/parse.h"
#include "kernel/types.h"

#include <stdlib.h>
#include <string.h>

/* ---- its parameters -------------------------------------------------------------------------- */

gt_place gt_draft_place(const gt_draft *draft, size_t offset)
{
    bool is_own;
    gt_place place = {draft->path, gt_lines_of(&is_own, draft->lines, offset), 1};
    for (; offset > 0 && draft->text[offset - 1] != '\n'; offset--) {
        place.column++;
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
    GT_REFUSE_AT(parameter->is_overlong, gt_draft_place(draft, draft->function.parameters),
                 "a parameter's type or name has more than %d characters; expected fewer",
                 GT_NAME_MAX - 1);
    if (parameter->is_unusual) {
        return refuse(draft, parameter->name, "neither a value nor a plain pointer",
                      "TYPE or TYPE *, which a template can fill and compare");
    }
    return GPUTUNE_OK;
}

static gputune_status read_parameters(gt_draft *draft)
{
    gt_signature takes;
    GT_REFUSE_AT(!gt_function_signature(&takes, draft->text, &draft->function) ||
                     takes.count > GT_PARAMETER_MAX,
                 gt_draft_place(draft, draft->function.name),
                 "the parameters of the kernel cannot be read; expected them without "
                 "directives");
    memcpy(draft->blocks, takes.blocks, sizeof takes.blocks);
    draft->block_count = takes.block_count;
    for (uint32_t i = 0; i < takes.count; i++) {
        gt_draft_argument *own = gt_draft_add_argument(draft, &takes.items[i], NULL);
        gt_function_parameter *parameter = &own->declared;
        own->texture = gt_draft_read_texture(draft, parameter);
        gt_draft_read_void(draft, parameter);
        GT_TRY(check_parameter(draft, parameter));
        if (parameter->pointer) {
            continue;
        }
        int symbol = gt_draft_add_symbol(draft, parameter->name, GT_DRAFT_PARAMETER);
        draft->symbols.items[symbol].is_integer = parameter->has_type &&
                                                  !gt_type_is_float(parameter->element.type) &&
                                                  parameter->element.lanes == 1;
    }
    gt_draft_add_members(draft);
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* __launch_bounds__(threads, …) in front of the kernel's name. */
static void read_launch_bounds(gt_draft *draft)
{
    const char *text = draft->text;
    const gt_span head = gt_program_between(draft->program, text + draft->function.begin,
                                            text + draft->function.name);
    const size_t at = gt_program_first(draft->program, head, "__launch_bounds__");
    if (at < head.end) {
        draft->thread_bound = gt_draft_read_sum(draft, &(gt_span){at + 2, head.end});
    }
}

static gputune_status add_builtins(gt_draft *draft)
{
    static const char *const names[] = {"threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x",
                                        "blockIdx.y",  "blockIdx.z",  "blockDim.x",  "blockDim.y",
                                        "blockDim.z",  "gridDim.x",   "gridDim.y",   "gridDim.z"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)gt_draft_add_symbol(draft, names[i],
                                  i < GT_DRAFT_BLOCK_DIM ? GT_DRAFT_INDEX : GT_DRAFT_EXTENT);
    }
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* What a kernel leaves must be in its arguments: where it is seen to write none, in those that are
 * not const. */
static gputune_status check_outputs(gt_draft *draft)
{
    bool writes = draft->block_count > 0;
    for (int pass = 0; pass < 2 && !writes; pass++) {
        for (gt_draft_argument *buffer = NULL; (buffer = gt_draft_next_buffer(draft, buffer));) {
            if (pass == 1 && !buffer->declared.is_const) {
                buffer->is_read = buffer->is_written = buffer->is_passed_on = true;
            }
            writes |= strcmp(gt_draft_direction(buffer), "in") != 0;
        }
    }
    if (!writes) {
        gt_message_at(gt_draft_place(draft, draft->function.name),
                      "a kernel that writes none of its arguments; expected a pointer to what it "
                      "leaves");
        return gt_failure(GPUTUNE_EUNSUPPORTED);
    }
    return GPUTUNE_OK;
}

/* Reads the kernel `draft->function` and fills the other members. */
static gputune_status read_kernel(gt_draft *draft)
{
    const char *text = draft->text;
    draft->body = gt_program_between(draft->program, text + draft->function.parameters_end,
                                     text + draft->function.end);
    GT_TRY(add_builtins(draft));
    gt_draft_read_constants(draft);
    read_launch_bounds(draft);
    GT_TRY(read_parameters(draft));
    gt_draft_read_undefined(draft);
    GT_TRY(gt_draft_read_body(draft));
    GT_TRY(check_outputs(draft));
    gt_draft_settle(draft);
    return draft->failed ? gt_fail_memory() : GPUTUNE_OK;
}

static void end_draft(gt_draft **of)
{
    gt_draft *draft = *of;
    if (draft) {
        gt_array_free(&draft->symbols);
        gt_array_free(&draft->guards);
        gt_array_free(&draft->accesses);
        gt_array_free(&draft->aliases);
        gt_array_free(&draft->shared);
        gt_array_free(&draft->constants);
        gt_array_free(&draft->members);
        gt_texts_free(&draft->kept);
        gt_text_free(&draft->call.sizes);
        gt_texts_free(&draft->call.divided);
        free(draft);
    }
}

/* ---- the text -------------------------------------------------------------------------------- */

/* What a draft is made from. */
typedef struct maker {
    const char *path;
    gt_reader reader;
    gt_texts texts; /* what it read, without what its #if leave out, and the same of other files */
    gt_draft_compared compared;
    gt_program program;
    gt_lines lines;
    gt_include_fn include;
    gt_neighbour_fn neighbour;
    bool is_elsewhere; /* another file of the program is being read */
    gt_text *front;    /* what stands in front of this file where another includes it; NULL:
                          `text` has it already */
    void *user;
    gt_texts missing; /* headers that were not found */
} maker;

static bool is_read(const maker *m, const char *path)
{
    const gt_template_parts *parts = m->reader.parts;
    for (uint32_t i = 0; i < parts->file_count && path; i++) {
        if (strcmp(parts->files[i].path, path) == 0) {
            return true;
        }
    }
    return false;
}

/* A file that cannot be read is a header: the compiler will say so where it counts. */
static gputune_status find_include(void *user, const gt_include *include, gt_included *out)
{
    maker *m = user;
    gputune_status status = m->include ? m->include(m->user, include, out) : GPUTUNE_ENOTFOUND;
    if (include->system && (status == GPUTUNE_OK || gt_header_is_toolkits(include->name))) {
        free(out->text);
        free(out->path);
        return gt_failure(GPUTUNE_ENOTFOUND);
    }
    if (status == GPUTUNE_OK && m->is_elsewhere && is_read(m, out->path)) {
        out->text[0] = '\0';
    }
    if (status == GPUTUNE_OK || status == GPUTUNE_ENOMEM) {
        return status;
    }
    GT_TRY(m->is_elsewhere ? GPUTUNE_OK
                           : gt_texts_add(&m->missing, include->name, strlen(include->name)));
    return gt_fail(GPUTUNE_ENOTFOUND, "no file '%s'", include->name);
}

static gputune_status add_kernel(maker *m, gt_draft *draft)
{
    GT_SCOPED(gt_text_free) gt_text clauses = {0};
    bool has_block = gt_draft_has_clause(draft->present, "block") ||
                     gt_draft_has_clause(draft->present, "launch");
    GT_TRY(read_kernel(draft));
    gt_draft_resolve_types(draft);
    gt_draft_name_axes(draft, has_block);
    gt_call_read(draft, !has_block);
    draft->out = &clauses;
    gt_draft_write(draft);
    GT_TRY(draft->failed || clauses.failed ? gt_fail_memory() : GPUTUNE_OK);
    return clauses.length == 0
               ? GPUTUNE_OK
               : gt_lines_insert(&m->lines, gt_draft_place(draft, draft->function.begin).line,
                                 "%s\n", gt_text_string(&clauses));
}

/* A draft of the kernel, for end_draft(); NULL: memory ran out. */
static gt_draft *new_draft(maker *m, const gt_function *kernel)
{
    gt_draft *draft = calloc(1, sizeof *draft);
    if (!draft) {
        return NULL;
    }
    const char *text = m->texts.items[0];
    const gt_lexer name = gt_lexer_of(text + kernel->name);
    draft->path = m->path;
    draft->text = text;
    draft->whole = gt_text_string(&m->reader.body);
    draft->present = &m->reader;
    draft->compared = &m->compared;
    draft->program = &m->program;
    draft->lines = &m->lines;
    for (size_t i = 0; i < m->missing.count; i++) {
        draft->lacks_header |= !gt_header_is_hosts(m->missing.items[i]);
    }
    draft->function = *kernel;
    gt_token_name(draft->name, &name.token);
    draft->full_name =
        gt_draft_print(draft, "%s%s%s", kernel->scope, kernel->scope[0] ? "::" : "", draft->name);
    draft->call.shared = draft->call.work = "";
    for (int d = 0; d < 3; d++) {
        draft->call.block[d] = draft->call.grid[d] = draft->call.extent[d] = "";
    }
    return draft;
}

/* ---- which kernel ---------------------------------------------------------------------------- */

/* The next kernel that is no specialisation of another; false: there is none. */
static bool next_kernel(gt_function *out, gt_functions *walk)
{
    bool found;
    do {
        found = gt_function_next(out, walk);
    } while (found && out->is_specialisation);
    return found;
}

/* The names of all kernels of the text, separated by commas; back: how many. */
static size_t list_kernels(gt_text *out, const char *text)
{
    gt_function found;
    size_t count = 0;
    for (gt_functions walk = gt_functions_of(text, NULL, 0); next_kernel(&found, &walk);) {
        const gt_lexer name = gt_lexer_of(text + found.name);
        gt_text_printf(out, "%s%s%s%s", count++ ? ", " : "", found.scope,
                       found.scope[0] ? "::" : "", GT_TOKEN_TEXT(&name.token));
    }
    return count;
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

static gputune_status choose_kernel(gt_function *out, const maker *m, const char *kernel)
{
    const char *text = m->texts.items[0];
    char named[GT_NAME_MAX] = "";
    GT_SCOPED(gt_text_free) gt_text names = {0};
    GT_TRY(named_kernel(named, &m->reader));
    kernel = kernel ? kernel : named[0] ? named : NULL;
    const size_t count = list_kernels(&names, text);
    GT_REFUSE(!kernel && count > 1, GPUTUNE_EINVAL,
              "%s: several kernels; expected the name of one behind the path: %s", m->path,
              gt_text_string(&names));
    gt_functions walk = gt_functions_of(text, NULL, 0);
    if (kernel ? gt_function_definition(out, text, kernel) : next_kernel(out, &walk)) {
        return GPUTUNE_OK;
    }
    GT_REFUSE(count > 0, GPUTUNE_ENOTFOUND, "%s: no kernel '%s'; expected one of %s", m->path,
              kernel ? kernel : "", gt_text_string(&names));
    GT_REFUSE(m->missing.count > 0, GPUTUNE_ENOTFOUND,
              "%s: no __global__ function, and '%s' is not found, which it includes; expected a "
              "kernel's definition, or that header's folder by -I or GPUTUNE_INCLUDE",
              m->path, m->missing.items[m->missing.count - 1]);
    return gt_fail(GPUTUNE_ENOTFOUND, "%s: no __global__ function; expected a kernel's definition",
                   m->path);
}

static gputune_status add_one(maker *m, const char *kernel)
{
    gt_function function;
    GT_TRY(choose_kernel(&function, m, kernel));
    GT_SCOPED(end_draft) gt_draft *draft = new_draft(m, &function);
    return draft ? add_kernel(m, draft) : gt_fail_memory();
}

/* Another function of a kernel's name, with other parameters, is said to be left out. */
static gputune_status note_overload(maker *m, const gt_draft *draft)
{
    gt_function first;
    const gt_function *own = &draft->function;
    const size_t length = own->parameters_end - own->parameters;
    if (!gt_function_definition(&first, draft->text, draft->name) || first.begin == own->begin ||
        (first.parameters_end - first.parameters == length &&
         memcmp(draft->text + first.parameters, draft->text + own->parameters, length) == 0)) {
        return GPUTUNE_OK;
    }
    return gt_lines_insert(&m->lines, gt_draft_place(draft, own->begin).line,
                           "// ? no template of this '%s': another kernel has its name, and args() "
                           "choose between them\n",
                           draft->name);
}

/* Adds the kernel, whose name is added to `names`, unless it is among these: a variant for another
 * compiler has the same. What no template can have is said in front of the kernel. */
static gputune_status add_named(maker *m, gt_text *names, size_t *added, gt_draft *draft)
{
    const char *name = draft->full_name;
    if (gt_is_any(name, strlen(name), gt_text_string(names))) {
        return note_overload(m, draft);
    }
    gt_text_printf(names, "%s ", name);
    const gputune_status status = add_kernel(m, draft);
    *added += status == GPUTUNE_OK;
    return status == GPUTUNE_EUNSUPPORTED || status == GPUTUNE_ETEMPLATE
               ? gt_lines_insert(&m->lines, gt_draft_place(draft, draft->function.begin).line,
                                 "// ? no template of '%s': %s\n", name, gt_message())
               : status;
}

/* Every kernel that the program launches, or, where it launches none, every kernel. */
static gputune_status add_all(maker *m)
{
    GT_SCOPED(gt_text_free) gt_text names = {0};
    size_t added = 0;
    for (int launched = 1; launched >= 0 && added == 0; launched--) {
        gt_function function;
        gt_functions walk = gt_functions_of(m->texts.items[0], NULL, 0);
        while (next_kernel(&function, &walk)) {
            GT_SCOPED(end_draft) gt_draft *draft = new_draft(m, &function);
            GT_TRY(draft ? GPUTUNE_OK : gt_fail_memory());
            if (!launched || gt_call_is_launched(draft)) {
                GT_TRY(add_named(m, &names, &added, draft));
            }
        }
    }
    return added ? GPUTUNE_OK
                 : gt_fail(GPUTUNE_EUNSUPPORTED,
                           "%s: none of its kernels can be a template; expected "
                           "the name of one behind the path, which says why",
                           m->path);
}

/* What is wrong with one kernel of the draft, for check_draft(). */
typedef struct verdict {
    const maker *m;
    const char *draft;
    gt_text notes;
} verdict;

static gputune_status check_kernel(void *user, const char *name)
{
    verdict *v = user;
    gt_template *template = NULL;
    gputune_status status =
        gt_template_parse(&template, v->m->path, v->draft, name, v->m->include, v->m->user);
    if (status == GPUTUNE_OK) {
        gt_template_free(template);
    } else if (status != GPUTUNE_ENOMEM) {
        const char *message = gt_message(), *what = strstr(message, ": ");
        gt_text_printf(&v->notes, "// ? the draft of '%s' is refused as it stands: %s\n", name,
                       what ? what + 2 : message);
    }
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

/* Says at the top what a draft lacks that is no template yet. */
static gputune_status check_draft(char **out, const maker *m)
{
    verdict v = {.m = m, .draft = *out};
    char *noted = NULL;
    gputune_status status = gt_template_names(m->path, *out, m->include, m->user, check_kernel, &v);
    if (status != GPUTUNE_OK && status != GPUTUNE_ENOMEM) {
        gt_text_printf(&v.notes, "// ? the draft is refused as it stands: %s\n", gt_message());
        status = GPUTUNE_OK;
    }
    bool is_new = v.notes.length > 0 && !strstr(*out, gt_text_string(&v.notes));
    if (status == GPUTUNE_OK && is_new) {
        gt_text_append(&v.notes, *out);
        status = gt_text_take(&noted, &v.notes);
    }
    gt_text_free(&v.notes);
    if (noted || status != GPUTUNE_OK) {
        free(*out);
        *out = noted;
    }
    return status;
}

static gputune_status read_program(maker *m)
{
    gt_program_free(&m->program);
    m->program = (gt_program){0};
    gt_program_read(&m->program, (const char *const *)m->texts.items, m->texts.count);
    return m->program.failed ? gt_fail_memory() : GPUTUNE_OK;
}

/* Does something with each other file of the program, until that gives ENOTFOUND. */
static gputune_status each_neighbour(maker *m, gputune_status (*use)(maker *, const gt_included *))
{
    gputune_status status = m->neighbour ? GPUTUNE_OK : GPUTUNE_ENOTFOUND;
    for (size_t i = 0; status == GPUTUNE_OK; i++) {
        gt_included file = {0};
        status = m->neighbour(m->user, i, &file);
        GT_THEN(status, use(m, &file));
        free(file.text);
        free(file.path);
    }
    return status == GPUTUNE_ENOTFOUND ? GPUTUNE_OK : status;
}

/* Reads another file's text with what that includes, without what its #if leave out; *out is NULL
 * where it is of no use. `parts` as in gt_reader. */
static gputune_status read_elsewhere(char **out, maker *m, const char *path, const char *text,
                                     gt_template_parts *parts)
{
    gt_reader reader = {.parts = parts, .include = find_include, .user = m};
    *out = NULL;
    m->is_elsewhere = true;
    gputune_status status = gt_reader_run(&reader, path, text);
    m->is_elsewhere = false;
    GT_THEN(status,
            gt_branches_cut(out, gt_text_string(&reader.body), gt_draft_meaning, &m->compared));
    gt_reader_free(&reader);
    return status == GPUTUNE_ETEMPLATE ? GPUTUNE_OK : status;
}

/* A file that launches no kernel has perhaps a tuner that does. */
static gputune_status read_script(maker *m, const gt_included *file)
{
    return gt_draft_read_told(&m->compared, file->text, gt_text_string(&m->reader.body));
}

/* If `file` includes the one that is drafted, appends to m->front what it has in front of that. */
static void take_front(const maker *m, const gt_included *file)
{
    const char *name = gt_base_name(m->path);
    const size_t length = strlen(name);
    int open = 0; /* conditions */
    for (gt_lexer lexer = gt_lexer_of(file->text), line; gt_lexer_find_directive(&lexer, &line);) {
        const gt_token word = line.token;
        open += gt_token_is_any(&word, "if ifdef ifndef") - gt_token_is(&word, "endif");
        gt_lexer_next(&line);
        const gt_token *given = &line.token;
        if (gt_token_is(&word, "include") && given->kind == GT_TOKEN_STRING &&
            given->length >= length + 2 && strchr("/\"", given->text[given->length - length - 2]) &&
            strncmp(given->text + given->length - length - 1, name, length) == 0) {
            const char *end = word.text;
            while (end > file->text && end[-1] != '\n') {
                end--;
            }
            gt_text_printf(m->front, "#ifdef __CUDACC_RTC__ // %s has this in front of %s\n",
                           file->path, name);
            gt_text_append_bytes(m->front, file->text, (size_t)(end - file->text));
            for (; open >= 0; open--) {
                gt_text_append(m->front, "#endif\n");
            }
            return;
        }
    }
}

/* A file that another one includes, and that reads names of it, is compiled behind what stands
 * there in front of it. */
static gputune_status read_front(maker *m, const gt_included *file)
{
    GT_FREED char *text = NULL;
    GT_SCOPED(gt_program_free) gt_program before = {0};
    take_front(m, file);
    GT_TRY(m->front->length == 0
               ? GPUTUNE_OK
               : read_elsewhere(&text, m, file->path, gt_text_string(m->front), NULL));
    if (text) {
        gt_program_read(&before, (const char *const[]){text}, 1);
    }
    if (text && gt_program_needs(&m->program, &before)) {
        return GPUTUNE_ENOTFOUND;
    }
    gt_text_free(m->front);
    return GPUTUNE_OK;
}

/* Whether the program begins and allocates memory in what is read of it. */
static bool is_complete(const maker *m)
{
    const gt_token main = gt_token_of("main");
    return gt_program_function_of(&m->program, &main) &&
           gt_program_allocates(&m->program, (gt_span){0, m->program.code});
}

/* Adds another file with what it includes, if it belongs to the program. */
static gputune_status add_context(maker *m, const gt_included *file)
{
    GT_SCOPED(gt_program_free) gt_program alone = {0};
    char *text = NULL;
    if (is_complete(m)) {
        return GPUTUNE_ENOTFOUND;
    }
    if (is_read(m, file->path)) {
        return GPUTUNE_OK;
    }
    gt_program_read(&alone, (const char *const[]){file->text}, 1);
    if (!alone.failed && gt_program_takes(&m->program, &alone)) {
        GT_TRY(read_elsewhere(&text, m, file->path, file->text, m->reader.parts));
    }
    GT_TRY(text ? gt_texts_take(&m->texts, text) : GPUTUNE_OK);
    return text ? read_program(m) : GPUTUNE_OK;
}

/* Where the file does not launch its kernels, is not called, or leaves it to other functions to
 * allocate memory, other files of the program do. */
static gputune_status read_context(maker *m)
{
    enum { ROUNDS = 3 };
    size_t before = 0;
    for (int round = 0; round < ROUNDS && before < m->texts.count; round++) {
        before = m->texts.count;
        GT_TRY(each_neighbour(m, add_context));
    }
    return GPUTUNE_OK;
}

static gputune_status make(char **out, maker *m, const char *text, const char *kernel)
{
    const char *whole = gt_text_string(&m->reader.body);
    char *joined = NULL;
    GT_TRY(strstr(whole, "<<<") ? GPUTUNE_OK : each_neighbour(m, read_script));
    GT_TRY(gt_draft_read_compared(&m->compared, whole));
    GT_TRY(gt_branches_cut(&joined, whole, gt_draft_meaning, &m->compared));
    GT_TRY(gt_texts_take(&m->texts, joined));
    m->lines.text = whole;
    m->lines.name = gt_base_name(m->path);
    GT_TRY(read_program(m));
    GT_TRY(m->front ? each_neighbour(m, read_front) : GPUTUNE_OK);
    if (m->front && m->front->length > 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_context(m));
    GT_SCOPED(gt_text_free) gt_text names = {0};
    const bool is_one =
        kernel || list_kernels(&names, joined) < 2 || gt_draft_has_clause(&m->reader, "kernel");
    GT_TRY(gt_lines_put_aside(&m->lines, &m->program, joined, text, &m->missing));
    GT_TRY(is_one ? add_one(m, kernel) : add_all(m));
    GT_TRY(gt_lines_join(out, &m->lines, text));
    return check_draft(out, m);
}

/* Makes the draft, or finds what belongs in front of the text first. */
static gputune_status make_of(char **out, maker m, const char *text, const char *kernel)
{
    m.reader = (gt_reader){.include = find_include, .user = &m};
    gputune_status status = gt_reader_run(&m.reader, m.path, text);
    GT_THEN(status, make(out, &m, text, kernel));
    gt_texts_free(&m.missing);
    gt_lines_free(&m.lines);
    gt_program_free(&m.program);
    gt_texts_free(&m.texts);
    gt_array_free(&m.compared);
    gt_reader_free(&m.reader);
    return status;
}

gputune_status gt_draft_template(char **out, const char *path, const char *text, const char *kernel,
                                 gt_include_fn include, gt_neighbour_fn neighbour, void *user)
{
    GT_SCOPED(gt_text_free) gt_text front = {0};
    maker m = {path, .include = include, .neighbour = neighbour, .user = user, .front = &front};
    gputune_status status = make_of(out, m, text, kernel);
    if (status == GPUTUNE_OK && front.length > 0) {
        m.front = NULL;
        gt_text_append(&front, text);
        status = front.failed ? gt_fail_memory() : make_of(out, m, gt_text_string(&front), kernel);
    }
    return status;
}
