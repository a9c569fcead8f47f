/* Parsing a program, and what it launches, allocates and assigns. */
#include "draft/parts.h"

#include "base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

extern const char gt_draft_stub[];

enum { OPTIONS = 0x1 | 0x200 /* macros; errors of headers do not end it */, ARGUMENTS_MOST = 64 };

/* A file of the program: its kernels count if `is_main`, its launches anyway. */
typedef struct scan {
    draft_program *program;
    const char *path;
    bool is_main;
} scan;

/* ---- parsing --------------------------------------------------------------------------------- */

static gputune_status parse(void **out, const draft_program *program, const char *path,
                            const char *text, const char *behind)
{
    static const char *const standard[] = {"-x",
                                           "cuda",
                                           "--cuda-host-only",
                                           "-nocudainc",
                                           "-nocudalib",
                                           "-nostdinc",
                                           "-std=c++17",
                                           "-ferror-limit=0",
                                           "-Wno-everything",
                                           "-fno-spell-checking",
                                           "-D__CUDA_ARCH__=800",
                                           "-ftemplate-depth=1024",
                                           "-include",
                                           DRAFT_STUB};
    const char *arguments[ARGUMENTS_MOST];
    int count = 0;
    char *whole = draft_format("%s%s", text, behind);
    cx_unsaved files[] = {{DRAFT_STUB, gt_draft_stub, strlen(gt_draft_stub)},
                          {path, whole, strlen(whole)}};
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++) {
        arguments[count++] = standard[i];
    }
    for (size_t i = 0; i < program->request->argument_count && count < ARGUMENTS_MOST; i++) {
        arguments[count++] = program->request->arguments[i];
    }
    int failed = cx.parseTranslationUnit2(cx.createIndex(0, 0), path, arguments, count, files, 2,
                                          OPTIONS, out);
    GT_REFUSE(failed || !*out, GPUTUNE_ETEMPLATE, "%s: libclang cannot parse it (code %d)", path,
              failed);
    return GPUTUNE_OK;
}

/* "'x.h' file not found": the name of the header; NULL: another message. */
static const char *missing_header(const char *message)
{
    const char *end = strstr(message, "' file not found");
    return end && *message == '\'' ? draft_format("%.*s", (int)(end - message - 1), message + 1)
                                   : NULL;
}

static void note_errors(draft_program *program, void *unit)
{
    for (unsigned i = 0; i < cx.getNumDiagnostics(unit); i++) {
        void *diagnostic = cx.getDiagnostic(unit, i);
        const char *message = draft_string(cx.getDiagnosticSpelling(diagnostic));
        const char *header = missing_header(message);
        draft_error error = {0};
        unsigned line, column;
        if (cx.getDiagnosticSeverity(diagnostic) < CX_SEVERITY_ERROR) {
            continue;
        }
        cx.getExpansionLocation(cx.getDiagnosticLocation(diagnostic), &error.file, &line, &column,
                                &error.offset);
        if (header) {
            draft_need_memory(gt_texts_add(&program->missing, header, strlen(header)));
        } else if (error.file) {
            error.text = draft_format("%s:%u:%u: %s", draft_string(cx.getFileName(error.file)),
                                      line, column, message);
            draft_add(&program->errors, error);
        }
    }
}

/* ---- names ----------------------------------------------------------------------------------- */

draft_decl *draft_template_of(draft_decl *function)
{
    draft_decl *made_of = draft_decl_of(cx.getSpecializedCursorTemplate(function->at));
    return made_of ? made_of : function;
}

const char *draft_full_name(draft_decl *decl)
{
    const char *name = decl->name;
    for (cx_cursor at = cx.getCursorSemanticParent(decl->at);
         at.kind == CX_NAMESPACE || at.kind == CX_STRUCT || at.kind == CX_CLASS ||
         at.kind == CX_CLASS_TEMPLATE;
         at = cx.getCursorSemanticParent(at)) {
        const char *outer = draft_string(cx.getCursorSpelling(at));
        if (*outer && *outer != '(') {
            name = draft_format("%s::%s", outer, name);
        }
    }
    return name;
}

/* ---- host code ------------------------------------------------------------------------------- */

static void visit(scan *s, draft_node *node);

/* The kernel that an expression stands for: itself, or what a variable was given. */
static draft_decl *called_kernel(draft_node *callee, int depth)
{
    draft_decl *decl = callee ? callee->decl : NULL;
    draft_decl *found = NULL;
    if (!decl || depth > 4) {
        return NULL;
    }
    if (decl->at.kind == CX_OVERLOADED && cx.getNumOverloadedDecls(decl->at) > 0) {
        return draft_decl_of(cx.getOverloadedDecl(decl->at, 0));
    }
    if (decl->at.kind != CX_VAR) {
        return decl;
    }
    found = called_kernel(draft_initialiser_of(decl), depth + 1);
    for (size_t i = 0; !found && i < decl->assigned.count; i++) {
        found = called_kernel(decl->assigned.items[i], depth + 1);
    }
    return found;
}

static draft_node *stripped_address(draft_node *node)
{
    return node->kind == CX_UNARY && node->operation == CX_ADDRESS ? node->children[0] : node;
}

static void add_launch(scan *s, draft_node *node, draft_node *callee, draft_node *const *geometry,
                       unsigned count)
{
    draft_decl *kernel = called_kernel(callee, 0);
    draft_launched launch = {.call = node,
                             .callee = kernel,
                             .kernel = kernel ? draft_template_of(kernel) : NULL,
                             .grid = count > 0 ? geometry[0] : NULL,
                             .block = count > 1 ? geometry[1] : NULL,
                             .shared = count > 2 ? geometry[2] : NULL,
                             .arguments = node->children,
                             .count = node->count};
    draft_add(&s->program->launches, launch);
}

/* cudaLaunchKernel(kernel, grid, block, arguments, shared): the arguments are an array of
 * addresses. */
static void add_runtime_launch(scan *s, draft_node *node)
{
    draft_node *geometry[] = {node->children[1], node->children[2],
                              node->count > 4 ? node->children[4] : NULL};
    add_launch(s, node, stripped_address(node->children[0]), geometry, node->count > 4 ? 3 : 2);
    draft_launched *launch = &s->program->launches.items[s->program->launches.count - 1];
    draft_decl *list = node->children[3]->decl;
    draft_node *items = list ? draft_initialiser_of(list) : NULL;
    launch->count = 0;
    if (items && items->kind == CX_INIT_LIST) {
        launch->arguments = draft_new((items->count + 1) * sizeof(draft_node *));
        for (unsigned i = 0; i < items->count; i++) {
            launch->arguments[launch->count++] = stripped_address(items->children[i]);
        }
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void visit_call(scan *s, draft_node *node)
{
    const char *name = node->decl ? node->decl->name : "";
    if (node->config) {
        add_launch(s, node, node->callee, node->config->children, node->config->count);
    } else if (begins(name, "cudaLaunch") && node->count > 3) {
        add_runtime_launch(s, node);
    } else if (begins(name, "cudaMalloc") && node->count > 1 &&
               stripped_address(node->children[0])->decl) {
        draft_decl *pointer = stripped_address(node->children[0])->decl;
        pointer->allocated = node->children[1];
        pointer->allocations++;
    } else if (begins(name, "cudaMemcpyToSymbol") && node->count > 1) {
        draft_decl *constant = stripped_address(node->children[0])->decl;
        if (constant) {
            draft_add(&s->program->copied, constant);
        }
    } else if (node->decl && draft_is_own(node->decl->at)) {
        draft_add(&node->decl->calls, node);
        draft_node *body = node->decl->at.kind == CX_FUNCTION &&
                                   draft_template_of(node->decl) != node->decl && !node->decl->busy
                               ? draft_body_of(node->decl)
                               : NULL; /* an instance, which the walk does not meet otherwise */
        if (body) {
            node->decl->busy = true;
            visit(s, body);
            node->decl->busy = false;
        }
    }
}

/* Notes what is assigned to a variable, or to a member of one. */
static void note_assignment(draft_node *to, draft_node *value)
{
    if (to->kind == CX_DECL_REF && to->decl) {
        draft_add(&to->decl->assigned, value);
    } else if (to->kind == CX_MEMBER_REF && to->count && to->children[0]->kind == CX_DECL_REF &&
               to->children[0]->decl && to->decl) {
        draft_assigned part = {to->decl->name, value};
        draft_add(&to->children[0]->decl->parts, part);
    }
}

static void visit(scan *s, draft_node *node)
{
    if (node->kind == CX_CALL) {
        visit_call(s, node);
        for (unsigned i = 0; i < node->count; i++) { /* f(&n) may change n */
            if (node->children[i]->kind == CX_UNARY && node->children[i]->operation == CX_ADDRESS &&
                !(node->decl && begins(node->decl->name, "cuda"))) {
                note_assignment(node->children[i]->children[0], node);
            }
        }
    } else if (node->kind == CX_BINARY && node->operation == CX_ASSIGN && node->count == 2) {
        note_assignment(node->children[0], node->children[1]);
    } else if ((node->kind == CX_COMPOUND_ASSIGN && node->count) ||
               (node->kind == CX_UNARY && node->operation <= CX_PRE_DEC)) {
        note_assignment(node->children[0], node);
        note_assignment(node->children[0], node); /* twice: it has no single value */
    } else if (node->kind == CX_VAR && draft_initialiser_of(node->decl)) {
        visit(s, draft_initialiser_of(node->decl));
        return;
    }
    for (unsigned i = 0; i < node->count; i++) {
        visit(s, node->children[i]);
    }
    if (node->callee) {
        visit(s, node->callee);
    }
}

static void visit_function(scan *s, cx_cursor at)
{
    bool is_kernel = draft_has_child(at, CX_GLOBAL_ATTRIBUTE);
    draft_decl *decl = draft_decl_of(at);
    draft_node *body = draft_has_child(at, CX_COMPOUND) ? draft_body_of(decl) : NULL;
    if (!body) {
        return;
    }
    if (is_kernel && s->is_main) {
        draft_add(&s->program->kernels, decl);
    }
    visit(s, body);
}

static void visit_variable(scan *s, draft_decl *decl)
{
    draft_node *made = draft_initialiser_of(decl);
    if (made && begins(decl->name, "gt_draft_instance_")) { /* an instance that nothing launches */
        add_launch(s, made, stripped_address(made), NULL, 0);
    } else if (made) {
        visit(s, made);
    }
}

static int visit_declaration(cx_cursor at, cx_cursor parent, void *user)
{
    (void)parent;
    if (at.kind >= CX_MACRO && at.kind <= CX_INCLUSION) {
        return CX_CONTINUE_VISIT;
    }
    if (!draft_is_own(at)) {
        return CX_CONTINUE_VISIT;
    }
    switch (at.kind) {
    case CX_FUNCTION:
    case CX_FUNCTION_TEMPLATE:
    case CX_METHOD:
    case CX_CONSTRUCTOR:
        visit_function(user, at);
        return CX_CONTINUE_VISIT;
    case CX_VAR:
        visit_variable(user, draft_decl_of(at));
        return CX_CONTINUE_VISIT;
    case CX_NAMESPACE:
    case CX_LINKAGE:
    case CX_UNEXPOSED_DECL:
    case CX_STRUCT:
    case CX_CLASS:
    case CX_CLASS_TEMPLATE:
        return CX_RECURSE_VISIT;
    default:
        return CX_CONTINUE_VISIT;
    }
}

/* ---- launches that the tree lacks ---------------------------------------------------------------
 */

/* Behind a comment, a string or a directive that begins at `at`; `at`: none does. */
static size_t behind_text(const char *text, size_t at, bool begins_line)
{
    if (strncmp(text + at, "//", 2) == 0) {
        return at + strcspn(text + at, "\n");
    }
    if (strncmp(text + at, "/*", 2) == 0) {
        const char *end = strstr(text + at + 2, "*/");
        return end ? (size_t)(end - text) + 2 : strlen(text);
    }
    if (text[at] == '"' || text[at] == '\'') {
        size_t i = at + 1;
        while (text[i] && text[i] != text[at] && text[i] != '\n') {
            i += text[i] == '\\' && text[i + 1] ? 2 : 1;
        }
        return text[i] ? i + 1 : i;
    }
    if (text[at] == '#' && begins_line) {
        size_t i = at;
        while (text[i] && (text[i] != '\n' || text[i - 1] == '\\')) {
            i++;
        }
        return i;
    }
    return at;
}

static bool is_skipped(void *unit, void *file, unsigned offset)
{
    cx_ranges *skipped = cx.getSkippedRanges(unit, file);
    bool found = false;
    for (unsigned i = 0; skipped && i < skipped->count; i++) {
        void *unused;
        unsigned line, column, begin, end;
        cx.getExpansionLocation(cx.getRangeStart(skipped->items[i]), &unused, &line, &column,
                                &begin);
        cx.getExpansionLocation(cx.getRangeEnd(skipped->items[i]), &unused, &line, &column, &end);
        found |= offset >= begin && offset < end;
    }
    return found;
}

static bool is_covered(const draft_program *program, void *file, unsigned offset)
{
    for (size_t i = 0; i < program->launches.count; i++) {
        draft_extent e = draft_extent_of(program->launches.items[i].call->at);
        if (e.file == file && offset >= e.begin && offset < e.end) {
            return true;
        }
    }
    return false;
}

/* Notes each <<< of the file that no launch covers. */
static void find_unread(scan *s, void *unit, const char *text)
{
    void *file = cx.getFile(unit, s->path);
    bool begins_line = true;
    unsigned line = 1;
    for (size_t i = 0; text[i];) {
        size_t next = behind_text(text, i, begins_line);
        if (next == i) {
            begins_line = text[i] == '\n' || (begins_line && isspace((unsigned char)text[i]));
            if (strncmp(text + i, "<<<", 3) == 0 && !is_skipped(unit, file, (unsigned)i) &&
                !is_covered(s->program, file, (unsigned)i)) {
                draft_need_memory(gt_texts_take(
                    &s->program->unread,
                    draft_format("%s:%u: this launch could not be read, as a name in it is not "
                                 "declared; expected its header, by -I",
                                 s->path, line)));
            }
            if (!s->program->skipped_line && begins(text + i, "__global__") &&
                is_skipped(unit, file, (unsigned)i)) {
                s->program->skipped_line = line;
            }
            next = i + (strncmp(text + i, "<<<", 3) == 0 ? 3 : 1);
        }
        for (; i < next; i++) {
            line += text[i] == '\n';
        }
    }
}

/* ---- the program ------------------------------------------------------------------------------
 */

static gputune_status read_file(scan *s, const char *text, const char *behind)
{
    void *unit = NULL;
    GT_TRY(parse(&unit, s->program, s->path, text, behind));
    if (s->is_main) {
        s->program->unit = unit;
        s->program->root = cx.getTranslationUnitCursor(unit);
        note_errors(s->program, unit);
    }
    cx.visitChildren(cx.getTranslationUnitCursor(unit), visit_declaration, s);
    find_unread(s, unit, text);
    return GPUTUNE_OK;
}

static gputune_status read_host(draft_program *program, const char *path)
{
    char *text;
    scan s = {program, path, false};
    GT_TRY(gt_file_read(&text, NULL, path));
    return read_file(&s, text, "");
}

gputune_status draft_program_read(draft_program *out, const gt_draft_request *request)
{
    const gt_text instances = out->instances;
    scan s = {out, request->path, true};
    *out = (draft_program){.request = request};
    GT_TRY(read_file(&s, request->text, gt_text_string(&instances)));
    for (size_t i = 0; i < request->host_count; i++) {
        GT_TRY(read_host(out, request->hosts[i]));
    }
    return GPUTUNE_OK;
}
