/* Cuts out the declarations that kernels refer to, directly or indirectly, in the order of the
 * program. */
#include "draft/parts.h"

#include <ctype.h>
#include <string.h>

/* A top-level declaration; namespaces and extern "C" do not count as levels. */
typedef struct unit {
    cx_cursor at;
    draft_decl *decl;
    draft_decl *owner;   /* the template or the class that it belongs to; NULL: none */
    const char *opening; /* "namespace a { namespace b {" */
    const char *closing;
    draft_extent extent;
    bool kept;
} unit;

typedef struct macro {
    const char *name;
    cx_cursor at;
    draft_extent extent;
    bool kept;
} macro;

static struct {
    draft_program *program;
    draft_slice *out;
    GT_ARRAY(unit) units;
    GT_ARRAY(macro) macros;
    GT_ARRAY(cx_cursor) work;   /* declarations whose references must be followed */
    GT_ARRAY(void *) libraries; /* files that are included as <name> */
    gt_texts names;             /* names in the kept text */
} s;

/* ---- the program's declarations -------------------------------------------------------------- */

static bool is_library(void *file)
{
    for (size_t i = 0; i < s.libraries.count; i++) {
        if (s.libraries.items[i] == file) {
            return true;
        }
    }
    return false;
}

/* Notes a library's file: one that is included in <>, or one that a library's file includes. */
static void note_inclusion(cx_cursor at)
{
    draft_extent e = draft_extent_of(at);
    const char *name = e.text + e.begin;
    void *file = cx.getIncludedFile(at);
    size_t length = strcspn(name, "<\"\n");
    if (file && (name[length] == '<' || is_library(e.file)) && !is_library(file)) {
        draft_add(&s.libraries, file);
    }
}

static bool is_scope(int kind)
{
    return kind == CX_NAMESPACE || kind == CX_LINKAGE || kind == CX_UNEXPOSED_DECL;
}

/* Returns the beginning of a declaration with its attributes and extern "C", which are outside of
 * clang's extent. They begin after the previous declaration, directive or comment. */
static unsigned widened_begin(const draft_extent *e)
{
    unsigned begin = e->begin;
    for (unsigned at = begin; at > 0; at--) {
        char c = e->text[at - 1];
        if (strchr(";{}", c) || (c == '/' && at > 1 && e->text[at - 2] == '*')) {
            break;
        }
        if (c == '\n') {
            unsigned line = at - 1;
            while (line > 0 && e->text[line - 1] != '\n') {
                line--;
            }
            size_t blanks = strspn(e->text + line, " \t");
            const char *comment = strstr(e->text + line, "//");
            if (e->text[line + blanks] == '#' || (comment && comment < e->text + at - 1) ||
                e->text[at > 1 ? at - 2 : 0] == '\\') {
                break;
            }
        } else if (!isspace((unsigned char)c)) {
            begin = at - 1;
        }
    }
    return begin;
}

/* Returns the end of a declaration with its semicolon, if it has one. */
static unsigned widened_end(const draft_extent *e, int kind)
{
    bool always = kind == CX_VAR || kind == CX_TYPEDEF || kind == CX_TYPE_ALIAS;
    unsigned depth = 0;
    for (unsigned at = e->end; e->text[at]; at++) {
        char c = e->text[at];
        if (c == ';' && depth == 0) {
            return at + 1;
        }
        if (!always && !isspace((unsigned char)c)) {
            return e->end;
        }
        depth += strchr("({[", c) ? 1 : 0;
        depth -= depth && strchr(")}]", c) ? 1 : 0;
    }
    return e->end;
}

static draft_decl *owner_of(cx_cursor at)
{
    draft_decl *made_of = draft_decl_of(cx.getSpecializedCursorTemplate(at));
    cx_cursor parent = cx.getCursorSemanticParent(at);
    bool is_member = parent.kind == CX_STRUCT || parent.kind == CX_CLASS ||
                     parent.kind == CX_CLASS_TEMPLATE || parent.kind == CX_PARTIAL_SPECIALIZATION;
    return made_of ? made_of : is_member ? draft_decl_of(parent) : NULL;
}

static void note_units(cx_cursor at, const char *opening, const char *closing);

static void note_unit(cx_cursor at, const char *opening, const char *closing)
{
    if (is_scope(at.kind)) {
        const char *name = draft_string(cx.getCursorSpelling(at));
        draft_extent e = draft_extent_of(at);
        bool named = at.kind == CX_NAMESPACE;
        bool is_c = !named && memchr(e.text + e.begin, '{', e.end - e.begin) != NULL &&
                    strncmp(e.text + e.begin, "extern", 6) == 0;
        const char *more = named  ? draft_format("namespace %s%s{\n", *name == '(' ? "" : name,
                                                *name && *name != '(' ? " " : "")
                           : is_c ? "extern \"C\" {\n"
                                  : "";
        note_units(at, draft_format("%s%s", opening, more),
                   draft_format("%s%s", *more ? "}\n" : "", closing));
        return;
    }
    unit u = {.at = at, .opening = opening, .closing = closing, .extent = draft_extent_of(at)};
    u.decl = draft_decl_of(at);
    u.owner = owner_of(at);
    u.extent.begin = widened_begin(&u.extent);
    u.extent.end = widened_end(&u.extent, at.kind);
    draft_add(&s.units, u);
}

static void note_units(cx_cursor at, const char *opening, const char *closing)
{
    draft_cursors children = draft_children(at);
    for (size_t i = 0; i < children.count; i++) {
        cx_cursor child = children.items[i];
        if (child.kind == CX_INCLUSION) {
            note_inclusion(child);
        } else if (child.kind == CX_MACRO) {
            macro m = {.name = draft_string(cx.getCursorSpelling(child)),
                       .at = child,
                       .extent = draft_extent_of(child)};
            draft_add(&s.macros, m);
        } else if (child.kind != CX_EXPANSION && child.kind < CX_FIRST_ATTRIBUTE &&
                   draft_is_own(child)) {
            note_unit(child, opening, closing);
        } else if (child.kind == CX_ALIAS_TEMPLATE && draft_is_own(child)) {
            note_unit(child, opening, closing);
        }
    }
    gt_array_free(&children);
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static void keep_unit(unit *u)
{
    if (!u->kept && !is_library(u->extent.file)) {
        u->kept = true;
        u->decl->in_slice = true;
        draft_add(&s.work, u->at);
    }
}

static void keep_decl(draft_decl *decl)
{
    for (size_t i = 0; i < s.units.count; i++) {
        unit *u = &s.units.items[i];
        if (u->decl == decl || (u->owner == decl && !u->kept)) {
            keep_unit(u);
        }
    }
}

static bool is_type(int kind)
{
    return kind == CX_STRUCT || kind == CX_CLASS || kind == CX_UNION || kind == CX_ENUM ||
           kind == CX_CLASS_TEMPLATE || kind == CX_PARTIAL_SPECIALIZATION;
}

/* Notes the header of a name that the stub declares: the #line before the name gives the header. */
static void note_header(cx_cursor at)
{
    cx_string name;
    unsigned line, column;
    cx.getPresumedLocation(cx.getCursorLocation(at), &name, &line, &column);
    const char *header = draft_string(name);
    if (strcmp(header, "cuda") != 0 && *header && *header != '/') {
        draft_add_text(&s.out->headers, header);
    }
}

void draft_slice_need(cx_type type)
{
    cx_cursor declared = cx.getTypeDeclaration(cx.getCanonicalType(type));
    if (declared.kind == CX_STRUCT && !draft_is_own(declared)) {
        note_header(declared);
    }
}

/* Keeps the outermost declaration around the one that a cursor refers to. */
static void keep(cx_cursor at)
{
    if (at.kind && !draft_is_own(at)) {
        note_header(at);
    }
    for (int level = 0; level < 20 && at.kind && draft_is_own(at); level++) {
        draft_decl *decl = draft_decl_of(at);
        draft_decl *made_of =
            decl ? draft_decl_of(cx.getSpecializedCursorTemplate(decl->at)) : NULL;
        cx_cursor parent = cx.getCursorLexicalParent(at);
        if (!decl) {
            return;
        }
        decl->in_slice = true;
        keep_decl(decl);
        if (made_of) {
            made_of->in_slice = true;
            keep_decl(made_of);
            cx_cursor outer = cx.getCursorLexicalParent(made_of->at);
            parent = is_type(outer.kind) ? outer : parent;
        }
        if (!is_type(parent.kind)) {
            return;
        }
        at = parent;
    }
}

/* Keeps all functions that a call in a template may mean, except the stub's operators, which belong
 * to other types. */
static void keep_overloads(cx_cursor at)
{
    for (unsigned i = 0; i < cx.getNumOverloadedDecls(at); i++) {
        cx_cursor to = cx.getOverloadedDecl(at, i);
        if (draft_is_own(to) ||
            strncmp(draft_string(cx.getCursorSpelling(to)), "operator", 8) != 0) {
            keep(to);
        }
    }
}

static int follow(cx_cursor at, cx_cursor parent, void *user)
{
    (void)parent;
    (void)user;
    if (at.kind == CX_OVERLOADED) {
        keep_overloads(at);
    } else if ((at.kind >= CX_TYPE_REF && at.kind <= CX_VARIABLE_REF) ||
               (at.kind >= CX_UNEXPOSED_EXPR && at.kind <= CX_CALL)) {
        cx_cursor to = cx.getCursorReferenced(at);
        draft_decl *decl = to.kind && to.kind != at.kind ? draft_decl_of(to) : NULL;
        if (to.kind == CX_OVERLOADED) {
            keep_overloads(to);
        } else if (decl) {
            keep(to);
        }
    }
    return CX_RECURSE_VISIT;
}

bool draft_slice_has(const char *name)
{
    return draft_has_text(&s.names, name);
}

static void note_names(const char *text, unsigned begin, unsigned end)
{
    for (unsigned i = begin; i < end;) {
        const unsigned length = (unsigned)draft_word_length(text + i);
        if (length && !isdigit((unsigned char)text[i])) {
            draft_add_text(&s.names, draft_format("%.*s", (int)length, text + i));
        }
        i += length ? length : 1;
    }
}

/* Keeps macros that the kept text names, and macros that these name. */
static void keep_macros(void)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < s.macros.count; i++) {
            macro *m = &s.macros.items[i];
            if (!m->kept && m->extent.file && !is_library(m->extent.file) &&
                draft_slice_has(m->name)) {
                m->kept = more = true;
                if (!draft_is_own(m->at)) {
                    note_header(m->at);
                    continue;
                }
                note_names(m->extent.text, m->extent.begin, m->extent.end);
            }
        }
    }
}

/* Keeps using-declarations and aliases of namespaces that the kept text needs. */
static void keep_usings(void)
{
    for (size_t i = 0; i < s.units.count; i++) {
        unit *u = &s.units.items[i];
        draft_cursors children = draft_children(u->at);
        bool used = u->at.kind == CX_NAMESPACE_ALIAS && draft_slice_has(u->decl->name);
        if (u->at.kind == CX_USING_DECLARATION || u->at.kind == CX_USING_DIRECTIVE) {
            for (size_t k = 0; k < children.count; k++) {
                cx_cursor to = cx.getCursorReferenced(children.items[k]);
                const char *name = draft_string(cx.getCursorSpelling(to));
                used |= u->at.kind == CX_USING_DECLARATION && to.kind != CX_NAMESPACE &&
                        draft_slice_has(name);
                for (size_t n = 0; u->at.kind == CX_USING_DIRECTIVE && n < s.units.count; n++) {
                    used |= s.units.items[n].kept &&
                            strstr(s.units.items[n].opening, draft_format("namespace %s ", name));
                }
                used |= u->at.kind == CX_USING_DIRECTIVE && to.kind == CX_NAMESPACE &&
                        !draft_is_own(to);
            }
        }
        if (used && !is_library(u->extent.file)) {
            u->kept = true;
            note_names(u->extent.text, u->extent.begin, u->extent.end);
        }
        gt_array_free(&children);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Writes the kept macros. The last definition of a name counts. */
static void write_macros(void)
{
    for (size_t i = 0; i < s.macros.count; i++) {
        const macro *m = &s.macros.items[i];
        bool is_last = m->kept && draft_is_own(m->at);
        for (size_t k = i + 1; is_last && k < s.macros.count; k++) {
            is_last = !s.macros.items[k].kept || strcmp(s.macros.items[k].name, m->name) != 0;
        }
        if (is_last) {
            gt_text_printf(&s.out->text, "#define %.*s\n", (int)(m->extent.end - m->extent.begin),
                           m->extent.text + m->extent.begin);
        }
    }
}

/* Writes the macros of -D that the text names. */
static void write_defines(void)
{
    const gt_draft_request *request = s.program->request;
    for (size_t i = 0; i < request->argument_count; i++) {
        const char *word = request->arguments[i];
        if (strncmp(word, "-D", 2) == 0 && word[2]) {
            size_t length = strcspn(word + 2, "=(");
            const char *name = draft_format("%.*s", (int)length, word + 2);
            const char *value = strchr(word, '=');
            if (draft_slice_has(name)) {
                gt_text_printf(&s.out->text, "#define %.*s %s\n",
                               value ? (int)(value - word - 2) : (int)strlen(word + 2), word + 2,
                               value ? value + 1 : "1");
            }
        }
    }
}

static void note_problems(const draft_extent *e)
{
    for (size_t i = 0; i < s.program->errors.count; i++) {
        const draft_error *error = &s.program->errors.items[i];
        if (strcmp(error->path, e->path) == 0 && error->offset >= e->begin &&
            error->offset < e->end) {
            draft_add_text(&s.out->problems, error->text);
        }
    }
}

/* Returns true if the loop's condition compares with a constant. */
static bool has_known_bound(cx_cursor loop)
{
    const draft_cursors parts = draft_children(loop);
    int64_t number;
    bool found = false;
    for (size_t i = 0; i + 1 < parts.count; i++) {
        const int op = cx.getCursorBinaryOperatorKind(parts.items[i]);
        const draft_cursors sides = draft_children(parts.items[i]);
        found |= parts.items[i].kind == CX_BINARY && sides.count == 2 && op >= CX_LT &&
                 op <= CX_NE && draft_is_constant(&number, sides.items[1]);
    }
    return found;
}

static int note_loop(cx_cursor at, cx_cursor parent, void *user)
{
    if (at.kind >= CX_WHILE && at.kind <= CX_FOR) {
        draft_extent e = draft_extent_of(at);
        bool fits = at.kind == CX_FOR && parent.kind == CX_COMPOUND && has_known_bound(at);
        e.end = fits ? e.end : 0; /* 0: gets no pragma */
        draft_add((draft_extents *)user, e);
    }
    return at.kind == CX_LAMBDA ? CX_CONTINUE_VISIT : CX_RECURSE_VISIT;
}

/* Writes a declaration. Innermost loops of a kernel with a known bound get a pragma that reads the
 * tunable UNROLL; it changes no result. Loops that share a line with other code or have a pragma
 * are left out. */
static void write_unit(const unit *u, const draft_extent *e)
{
    draft_extents loops = {0};
    unsigned begin = e->begin;
    if (draft_has_child(u->at, CX_GLOBAL_ATTRIBUTE) && !draft_slice_has("UNROLL")) {
        cx.visitChildren(u->at, note_loop, &loops);
    }
    for (size_t i = 0; i < loops.count; i++) {
        const draft_extent *loop = &loops.items[i];
        bool is_outer = i + 1 < loops.count && loop[1].begin < loop->end;
        unsigned line = loop->begin;
        while (line > begin && strchr(" \t", e->text[line - 1])) {
            line--;
        }
        if (!is_outer && loop->end && loop->file == e->file && line > begin &&
            e->text[line - 1] == '\n' && strncmp(e->text + loop->begin, "for", 3) == 0) {
            gt_text_append_bytes(&s.out->text, e->text + begin, line - begin);
            gt_text_append(&s.out->text, "#if UNROLL > 0\n#pragma unroll UNROLL\n#endif\n");
            begin = line;
            u->decl->unrolls = true;
        }
    }
    gt_text_append_bytes(&s.out->text, e->text + begin, e->end - begin);
}

/* Writes the kept declarations. Those that overlap, as in typedef struct {…} x;, become one
 * text. */
static void write_units(void)
{
    const char *opening = "", *closing = "";
    for (size_t i = 0; i < s.units.count; i++) {
        unit *u = &s.units.items[i];
        draft_extent e = u->extent;
        if (!u->kept) {
            continue;
        }
        for (size_t k = 0; k < s.units.count; k++) {
            unit *other = &s.units.items[k];
            if (k != i && other->kept && other->extent.file == e.file &&
                other->extent.begin < e.end && other->extent.end > e.begin &&
                strcmp(other->opening, u->opening) == 0) {
                e.begin = other->extent.begin < e.begin ? other->extent.begin : e.begin;
                e.end = other->extent.end > e.end ? other->extent.end : e.end;
                other->kept = k < i ? other->kept : false;
            }
        }
        if (strcmp(opening, u->opening) != 0) {
            gt_text_append(&s.out->text, closing);
            opening = "";
            closing = "";
        }
        if (strcmp(opening, u->opening) != 0) {
            gt_text_append(&s.out->text, u->opening);
            opening = u->opening;
            closing = u->closing;
        }
        note_problems(&e);
        write_unit(u, &e);
        bool is_open = e.end > e.begin && e.text[e.end - 1] != ';' && e.text[e.end - 1] != '}';
        gt_text_append(&s.out->text, is_open ? ";\n\n" : "\n\n");
    }
    gt_text_append(&s.out->text, closing);
}

static void note_constants(void)
{
    for (size_t i = 0; i < s.units.count; i++) {
        unit *u = &s.units.items[i];
        if (u->kept && u->at.kind == CX_VAR &&
            (draft_has_child(u->at, CX_CONSTANT_ATTRIBUTE) ||
             draft_has_child(u->at, CX_DEVICE_ATTRIBUTE))) {
            draft_add_once(&s.out->constants, u->decl);
        }
    }
}

void draft_slice_make(draft_slice *out, draft_program *program, const draft_decls *kernels)
{
    memset(&s, 0, sizeof s);
    *out = (draft_slice){0};
    s.program = program;
    s.out = out;
    note_units(program->root, "", "");
    for (size_t i = 0; i < kernels->count; i++) {
        keep(kernels->items[i]->at);
    }
    while (s.work.count) {
        cx_cursor at = s.work.items[--s.work.count];
        cx.visitChildren(at, follow, NULL);
    }
    for (size_t i = 0; i < s.units.count; i++) {
        const unit *u = &s.units.items[i];
        if (u->kept) {
            note_names(u->extent.text, u->extent.begin, u->extent.end);
        }
    }
    keep_usings();
    keep_macros();
    note_constants();
    write_defines();
    write_macros();
    write_units();
}
