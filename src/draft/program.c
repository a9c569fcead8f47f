/* Parses a program and lists its kernels and host functions. clang drops a statement that contains
 * an undeclared name, and this statement may be a launch. The program is therefore parsed again,
 * with the missing names declared as objects that convert to any type. Errors that are found in a
 * kernel during the first parse become questions in the draft. */
#include "draft/parts.h"

#include "base/clock.h"
#include "base/file.h"
#include "kernel/text/lexer.h"

#include <ctype.h>
#include <string.h>

extern const char gt_draft_stub[];

enum {
    OPTIONS = 0x1 | 0x200 /* record macros, and continue if a header is missing */,
    ARGUMENTS_MOST = 64
};
enum { ROUNDS_MOST = 6 };
#define ROUNDS_SECONDS 4.0

/* A file that is being parsed. */
typedef struct scan {
    draft_program *program;
    const char *path;
    char *text;
    void *unit;
    bool is_main;             /* false for a file given with --host; its kernels are ignored */
    gt_texts names, declared; /* missing names, and declarations for them */
} scan;

/* ---- parsing --------------------------------------------------------------------------------- */

/* Returns true if the lexer is at a call with explicit template arguments. */
static bool is_template_call(gt_lexer at)
{
    gt_lexer_next(&at);
    if (!gt_lexer_is(&at, "<")) {
        return false;
    }
    gt_lexer_skip(&at, "<", ">");
    return gt_lexer_is(&at, "(");
}

/* Declares gt_any, the type of all missing names. It has every member that the text uses. */
static char *write_anything(const scan *s)
{
    gt_text out = {0};
    gt_texts members = {0}, templates = {0};
    bool follows = false;
    gt_text_append(
        &out,
        "struct gt_any { typedef int gt_mark; template <class... T> gt_any(T...); operator long() "
        "const; "
        "template <class T> operator T *() const; gt_any operator[](long) const; "
        "template <class... T> gt_any operator()(T &&...) const; "
        "template <class... T> gt_any operator()(std::initializer_list<long>, T &&...) const; "
        "gt_any *operator->() const;\n");
    for (gt_lexer at = gt_lexer_of(s->text); at.token.kind != GT_TOKEN_END; gt_lexer_next(&at)) {
        if (follows && at.token.kind == GT_TOKEN_NAME) {
            draft_add_text(is_template_call(at) ? &templates : &members,
                           draft_format("%.*s", (int)at.token.length, at.token.text));
        }
        follows = gt_token_is_any(&at.token, ". ->");
    }
    for (size_t i = 0; i < members.count; i++) {
        if (!draft_has_text(&templates, members.items[i])) {
            gt_text_printf(&out, "static gt_any %s;\n", members.items[i]);
        }
    }
    for (size_t i = 0; i < templates.count; i++) {
        gt_text_printf(&out, "template <class... T, class... A> static gt_any %s(A &&...);\n",
                       templates.items[i]);
    }
    gt_text_append(&out, "}; template <class T> gt_any operator>>(const gt_any &, T &);\n"
                         "namespace std { extern gt_any cin, cout, cerr, endl; }\n");
    for (size_t i = 0; i < s->declared.count; i++) {
        gt_text_printf(&out, "%s\n", s->declared.items[i]);
    }
    return draft_format("%s", gt_text_string(&out));
}

static gputune_status parse(scan *s)
{
    /* without -target-sdk-version, clang parses launches as before CUDA 9.2 */
    char standard[] = "-x cuda --cuda-host-only -nocudainc -nocudalib -nostdinc -std=c++17 "
                      "--cuda-path=/dev/null -Xclang -target-sdk-version=12.0 "
                      "-ferror-limit=0 -fshow-overloads=best -Wno-everything "
                      "-fno-spell-checking -D__CUDA_ARCH__=800 -ftemplate-depth=1024 "
                      "-include " DRAFT_STUB " -include " DRAFT_ANYTHING;
    const gt_draft_request *request = s->program->request;
    const char *arguments[ARGUMENTS_MOST];
    int count = 0;
    const char *anything = write_anything(s);
    cx_unsaved files[] = {{DRAFT_STUB, gt_draft_stub, strlen(gt_draft_stub)},
                          {DRAFT_ANYTHING, anything, strlen(anything)},
                          {s->path, s->text, strlen(s->text)}};
    for (char *rest, *word = strtok_r(standard, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        arguments[count++] = word;
    }
    for (size_t i = 0; i < request->argument_count && count < ARGUMENTS_MOST; i++) {
        arguments[count++] = request->arguments[i];
    }
    if (s->unit) {
        cx.disposeTranslationUnit(s->unit);
        s->unit = NULL;
    }
    int failed = cx.parseTranslationUnit2(cx.createIndex(0, 0), s->path, arguments, count, files, 3,
                                          OPTIONS, &s->unit);
    GT_REFUSE(failed || !s->unit, GPUTUNE_ETEMPLATE, "%s: libclang cannot parse it (code %d)",
              s->path, failed);
    return GPUTUNE_OK;
}

/* ---- errors of clang ------------------------------------------------------------------------- */

static bool read_error(draft_error *out, void *unit, unsigned index)
{
    void *diagnostic = cx.getDiagnostic(unit, index);
    size_t bytes;
    *out = (draft_error){.message = draft_string(cx.getDiagnosticSpelling(diagnostic))};
    cx.getFileLocation(cx.getDiagnosticLocation(diagnostic), &out->at.file, &out->at.line,
                       &out->at.column, &out->at.begin);
    out->at.path = out->at.file ? draft_string(cx.getFileName(out->at.file)) : "";
    out->at.text = out->at.file ? cx.getFileContents(unit, out->at.file, &bytes) : NULL;
    return cx.getDiagnosticSeverity(diagnostic) >= CX_SEVERITY_ERROR;
}

static void note_errors(scan *s)
{
    draft_program *program = s->program;
    for (unsigned i = 0, count = cx.getNumDiagnostics(s->unit); i < count; i++) {
        draft_error c;
        const char *end;
        if (!read_error(&c, s->unit, i) || !c.at.file) {
            continue;
        }
        end = strstr(c.message, "' file not found");
        if (end && *c.message == '\'') {
            draft_add_text(&program->missing,
                           draft_format("%.*s", (int)(end - c.message - 1), c.message + 1));
            continue;
        }
        c.message = draft_format("%s", c.message); /* a copy: another parse frees the message */
        c.at.path = draft_format("%s", c.at.path);
        draft_add(&program->errors, c);
    }
}

static const char *behind_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* Declares a name that clang has reported as missing in a scope such as "a::b". If `types` is true,
 * only types are declared, otherwise only names that are not types. */
static void declare_name(scan *s, const draft_error *c, const char *scope, bool is_type, bool types)
{
    const char *at = c->at.text + c->at.begin;
    gt_text opening = {0}, closing = {0};
    bool qualified = *scope != '\0';
    while (*scope) {
        size_t length = draft_word_length(scope);
        gt_text_printf(&opening, "namespace %.*s { ", (int)length, scope);
        gt_text_append(&closing, " }");
        scope += length;
        scope += strncmp(scope, "::", 2) == 0 ? 2 : strlen(scope);
    }
    size_t length = draft_word_length(at);
    while (strncmp(behind_blanks(at + length), "::", 2) == 0) {
        gt_text_printf(&opening, "namespace %.*s { ", (int)length, at);
        gt_text_append(&closing, " }");
        at = behind_blanks(behind_blanks(at + length) + 2);
        length = draft_word_length(at);
        qualified = true;
    }
    const char *name = draft_format("%.*s", (int)length, at), *next = behind_blanks(at + length);
    const char *closed = *next == '<' ? strchr(next, '>') : NULL;
    is_type |=
        qualified && (draft_word_length(next) || *next == '&' || *next == '*' || *next == '>');
    is_type |= closed && *behind_blanks(closed + 1) != '(';
    const char *full = draft_format("%s%s", gt_text_string(&opening), name);
    if (!length || is_type != types || draft_has_text(&s->names, full) ||
        strncmp(name, "gt_", 3) == 0) {
        return;
    }
    draft_add_text(&s->names, full);
    const char *declared =
        is_type && *next == '<' ? draft_format("template <class... T> using %s = gt_any;", name)
        : is_type ? draft_format("struct %s : gt_any { using gt_any::gt_any; };", name)
                  : draft_format("extern gt_any %s;", name);
    draft_add_text(&s->declared, draft_format("%s%s%s", gt_text_string(&opening), declared,
                                              gt_text_string(&closing)));
}

/* Declares the names that clang has reported as missing. Returns true if any of them are new. */
static bool declare_names(scan *s)
{
    static const char *const forms[] = {"use of undeclared identifier '", "unknown type name '",
                                        "no member named '", "no type named '",
                                        "no template named '"};
    const size_t before = s->names.count;
    const unsigned count = cx.getNumDiagnostics(s->unit);
    /* declare the types first, because a type must not be declared as an object */
    for (unsigned i = 0; i < 2 * count; i++) {
        draft_error c;
        int form = -1;
        bool is_error = read_error(&c, s->unit, i % count);
        for (int f = 0; f < (int)(sizeof forms / sizeof *forms); f++) {
            form = strncmp(c.message, forms[f], strlen(forms[f])) == 0 ? f : form;
        }
        if (!is_error || form < 0 || !c.at.text) {
            continue;
        }
        const char *name = c.message + strlen(forms[form]);
        const char *scope = strstr(name, "in namespace '");
        if (scope || form < 2 || form == 4) {
            scope = scope ? scope + strlen("in namespace '") : "";
            scope = draft_format("%.*s", (int)strcspn(scope, "'"), scope);
            declare_name(s, &c, scope, form == 1 || form == 3, i < count);
        }
    }
    return s->names.count > before;
}

/* ---- names ----------------------------------------------------------------------------------- */

draft_decl *draft_overload_of(draft_decl *name)
{
    bool is_open = name && name->at.kind == CX_OVERLOADED && cx.getNumOverloadedDecls(name->at);
    return is_open ? draft_decl_of(cx.getOverloadedDecl(name->at, 0)) : name;
}

draft_decl *draft_template_of(draft_decl *function)
{
    draft_decl *made_of = draft_decl_of(cx.getSpecializedCursorTemplate(function->at));
    return made_of ? made_of : function;
}

const char *draft_full_name(const draft_decl *decl)
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

const char *draft_signature(const draft_decl *function)
{
    return draft_format("%s %s", draft_full_name(function),
                        draft_string(cx.getTypeSpelling(draft_type_of(function))));
}

void draft_add_once(draft_decls *out, draft_decl *decl)
{
    bool is_new = true;
    for (size_t i = 0; i < out->count; i++) {
        is_new &= out->items[i] != decl;
    }
    if (is_new) {
        draft_add(out, decl);
    }
}

bool draft_has_text(const gt_texts *texts, const char *text)
{
    return texts->count && gt_is_listed(text, (const char *const *)texts->items, texts->count);
}

void draft_add_text(gt_texts *out, const char *text)
{
    if (!draft_has_text(out, text)) {
        draft_need_memory(gt_texts_add(out, text, strlen(text)));
    }
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* Records the kernels that are mentioned in host code, in a launch or as an argument. */
static int visit_name(cx_cursor at, cx_cursor parent, void *user)
{
    const cx_cursor name = at.kind == CX_DECL_REF ? cx.getCursorReferenced(at) : at;
    const bool is_open = name.kind == CX_OVERLOADED, is_name = is_open || at.kind == CX_DECL_REF;
    const unsigned count = is_open ? cx.getNumOverloadedDecls(name) : is_name;
    (void)parent;
    for (unsigned i = 0; i < count; i++) {
        draft_decl *decl = draft_decl_of(is_open ? cx.getOverloadedDecl(name, i) : name);
        if (decl && draft_has_child(draft_template_of(decl)->at, CX_GLOBAL_ATTRIBUTE)) {
            draft_add_text(&((draft_program *)user)->launched,
                           draft_signature(draft_template_of(decl)));
        }
    }
    return CX_RECURSE_VISIT;
}

/* Marks the variables that are used in the code of a kernel. */
static int mark_variable(cx_cursor at, cx_cursor parent, void *user)
{
    draft_decl *decl = at.kind == CX_DECL_REF ? draft_decl_of(cx.getCursorReferenced(at)) : NULL;
    (void)parent;
    (void)user;
    if (decl) {
        decl->in_code = true;
    }
    return CX_RECURSE_VISIT;
}

/* Records a function, unless it is only declared. */
static void note_function(scan *s, cx_cursor at)
{
    if (draft_has_child(at, CX_DEVICE_ATTRIBUTE) || draft_has_child(at, CX_GLOBAL_ATTRIBUTE)) {
        cx.visitChildren(at, mark_variable, NULL);
    }
    if ((!draft_has_child(at, CX_COMPOUND) && !draft_has_child(at, CX_TRY)) ||
        (draft_has_child(at, CX_DEVICE_ATTRIBUTE) && !draft_has_child(at, CX_HOST_ATTRIBUTE))) {
        return;
    }
    if (!draft_has_child(at, CX_GLOBAL_ATTRIBUTE)) {
        cx.visitChildren(at, visit_name, s->program);
        if (at.kind != CX_FUNCTION_TEMPLATE) {
            draft_add(&s->program->functions, draft_decl_of(at));
        }
    } else if (s->is_main) {
        draft_add(&s->program->kernels, draft_decl_of(at));
    }
}

static int visit_declaration(cx_cursor at, cx_cursor parent, void *user)
{
    scan *s = user;
    (void)parent;
    if (!draft_is_own(at)) {
        return CX_CONTINUE_VISIT;
    }
    switch (at.kind) {
    case CX_FUNCTION:
    case CX_FUNCTION_TEMPLATE:
    case CX_METHOD:
    case CX_CONSTRUCTOR:
        note_function(s, at);
        return CX_CONTINUE_VISIT;
    case CX_VAR:
        draft_add_once(&s->program->globals, draft_decl_of(at));
        if (draft_has_child(at, CX_CONSTANT_ATTRIBUTE) ||
            draft_has_child(at, CX_DEVICE_ATTRIBUTE)) {
            draft_add_once(&s->program->constants, draft_decl_of(at));
        }
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

/* ---- the program ----------------------------------------------------------------------------- */

/* Joins the << < and >> > of launches, because clang accepts no blanks in them. */
static void join_launches(char *text)
{
    for (; (text = strstr(text, "<<")); text += 2) {
        const char *end = strchr(text, ';');
        char *close = strstr(text, ">> >");
        const bool is_split = strncmp(text, "<< <", 4) == 0;
        if ((is_split || text[2] == '<') && close && end && close < end) {
            memcpy(close, ">>> ", 4);
        }
        if (is_split) {
            memcpy(text, " <<<", 4);
        }
    }
}

static gputune_status read_file(scan *s)
{
    join_launches(s->text);
    const int64_t begin = gt_now_ns();
    draft_program *program = s->program;
    GT_TRY(parse(s));
    if (s->is_main) {
        note_errors(s); /* do this first, because declare_names() may cause more errors */
    }
    for (int i = 0; i < ROUNDS_MOST && declare_names(s) && gt_seconds_since(begin) < ROUNDS_SECONDS;
         i++) {
        GT_TRY(parse(s));
    }
    for (unsigned i = 0, count = cx.getNumDiagnostics(s->unit); i < count; i++) {
        draft_error c;
        if (read_error(&c, s->unit, i)) {
            draft_add(&program->unread, c.at);
        }
    }
    if (s->is_main) {
        program->root = cx.getTranslationUnitCursor(s->unit);
    }
    cx.visitChildren(cx.getTranslationUnitCursor(s->unit), visit_declaration, s);
    return GPUTUNE_OK;
}

gputune_status draft_program_read(draft_program *out, const gt_draft_request *request)
{
    scan s = {.program = out, .path = request->path, .is_main = true};
    *out = (draft_program){.request = request};
    s.text = draft_format("%s", request->text);
    GT_TRY(read_file(&s));
    for (size_t i = 0; i < request->host_count; i++) {
        scan host = {.program = out, .path = request->hosts[i]};
        GT_TRY(gt_file_read(&host.text, NULL, host.path));
        GT_TRY(read_file(&host));
    }
    return GPUTUNE_OK;
}
