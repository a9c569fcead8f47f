/* Computes the memory layout of structs, and asserts that the compiler uses the same layout. */
#include "kernel/bind/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t align_up(uint32_t value, uint32_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

typedef struct spot {
    const char *name;
    uint32_t offset;
    const gt_expression *value;
    bool is_pointer;
    uint32_t depth; /* number of structs that contain this one */
} spot;

static gputune_status add_leaf(gt_layout *out, const gt_binding *binding, const spot *at,
                               const char *lane, gt_type type, uint32_t offset)
{
    GT_REFUSE(out->count == GT_LEAF_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: a struct of an argument has more than %d numbers; expected fewer, or "
              "an array of them as a buffer",
              binding->template->path, GT_LEAF_MAX);
    gt_leaf *leaf = &out->leaves[out->count++];
    (void)snprintf(leaf->name, sizeof leaf->name, "%s%s%s", at->name,
                   at->name[0] && lane[0] ? "." : "", lane);
    leaf->type = type;
    leaf->offset = at->offset + offset;
    leaf->value = at->value;
    leaf->is_pointer = at->is_pointer;
    return GPUTUNE_OK;
}

static gputune_status add_lanes(gt_layout *out, const gt_binding *binding, const spot *at,
                                const gt_element *element)
{
    static const char *const names[] = {"x", "y", "z", "w"};
    for (uint32_t lane = 0; lane < element->lanes; lane++) {
        GT_TRY(add_leaf(out, binding, at, element->lanes > 1 ? names[lane] : "", element->type,
                        lane * gt_type_bytes(element->type)));
    }
    return GPUTUNE_OK;
}

typedef struct extent {
    uint32_t bytes, alignment;
} extent;

static gputune_status lay_out(gt_layout *out, extent *size, const gt_binding *binding,
                              const char *name, const spot *at);

static gputune_status lay_out_member(gt_layout *out, extent *size, const gt_binding *binding,
                                     const gt_structure_member *member, const spot *at)
{
    *size = (extent){8, 8};
    return !member->is_pointer ? lay_out(out, size, binding, member->type, at)
           : out               ? add_leaf(out, binding, at, "", GT_TYPE_U64, 0)
                               : GPUTUNE_OK;
}

static gputune_status extents_of(int64_t out[3], const gt_structure_member *member,
                                 const gt_binding *binding)
{
    for (uint32_t i = 0; i < 3; i++) {
        out[i] = 1;
        if (i < member->extents.count) {
            const gt_expression *extent = member->extents.items[i];
            GT_TRY(gt_expression_integer(&out[i], extent, binding->slots));
            GT_REFUSE_AT(out[i] < 1 || out[i] > GT_LEAF_MAX, extent->place,
                         "%s has an extent of %lld; expected 1 to %d", member->name,
                         (long long)out[i], GT_LEAF_MAX);
        }
    }
    return GPUTUNE_OK;
}

/* Writes the path of a member or of an array element: "pos", "inner.pos", "m[1][2]". */
static void member_path(char *out, size_t bytes, const char *outer,
                        const gt_structure_member *member, const int64_t extents[3], int64_t index)
{
    static const char *const formats[] = {"", "[%lld]", "[%lld][%lld]", "[%lld][%lld][%lld]"};
    const uint32_t dimensions = member->extents.count;
    long long indices[3] = {0, 0, 0};
    for (int d = (int)dimensions - 1; d >= 0; d--) {
        indices[d] = (long long)(index % extents[d]);
        index /= extents[d];
    }
    int length =
        snprintf(out, bytes, "%s%s%s", outer, outer[0] && member->name[0] ? "." : "", member->name);
    if (length >= 0 && (size_t)length < bytes) {
        (void)snprintf(out + length, bytes - (size_t)length, formats[dimensions], indices[0],
                       indices[1], indices[2]);
    }
}

static gputune_status add_member(gt_layout *out, extent *size, uint32_t *offset,
                                 const gt_binding *binding, const gt_structure_member *member,
                                 const spot *at)
{
    extent one;
    int64_t extents[3];
    GT_TRY(lay_out_member(NULL, &one, binding, member, &(spot){"", .depth = at->depth + 1}));
    GT_TRY(extents_of(extents, member, binding));
    one.alignment = member->alignment > one.alignment ? member->alignment : one.alignment;
    size->alignment = one.alignment > size->alignment ? one.alignment : size->alignment;
    *offset = size->bytes = align_up(size->bytes, one.alignment);
    const uint32_t count = (uint32_t)(extents[0] * extents[1] * extents[2]);
    for (uint32_t i = 0; out && i < count; i++) {
        char path[GT_NAME_MAX];
        extent ignored;
        member_path(path, sizeof path, at->name, member, extents, i);
        const uint32_t last = member->value_count ? member->value_count - 1 : 0;
        const spot inner = {path, at->offset + size->bytes + i * one.bytes,
                            member->values[i < last ? i : last], member->is_pointer, at->depth + 1};
        GT_TRY(lay_out_member(out, &ignored, binding, member, &inner));
    }
    size->bytes += count * one.bytes;
    return GPUTUNE_OK;
}

/* Adds all members of a struct. A struct without members has a size of one byte, as in C++. */
static gputune_status add_members(gt_layout *out, extent *size,
                                  uint32_t offsets[GT_STRUCTURE_MEMBERS], const gt_binding *binding,
                                  const gt_structure *structure, const spot *at)
{
    *size = (extent){0, structure->alignment ? structure->alignment : 1};
    for (uint32_t m = 0; m < structure->member_count; m++) {
        GT_TRY(add_member(out, size, &offsets[m], binding, &structure->members[m], at));
    }
    size->bytes = align_up(size->bytes ? size->bytes : 1, size->alignment);
    return GPUTUNE_OK;
}

/* Computes the size of a type. Unless `out` is NULL, also appends the type's leaves to *out. */
static gputune_status lay_out(gt_layout *out, extent *size, const gt_binding *binding,
                              const char *name, const spot *at)
{
    gt_element element;
    name = gt_type_word(binding->template, binding->problem, name);
    const gt_structure *structure = gt_structure_of(binding->template, name);
    GT_REFUSE(structure && at->depth >= GT_STRUCTURE_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: struct '%s' contains itself; expected a pointer to it, or another type",
              binding->template->path, name);
    if (structure) {
        uint32_t offsets[GT_STRUCTURE_MEMBERS];
        return add_members(out, size, offsets, binding, structure, at);
    }
    GT_REFUSE(!gt_element_from_name(&element, name), GPUTUNE_ETEMPLATE,
              "%s:1:1: unknown type '%s'; expected a number type", binding->template->path, name);
    *size = (extent){element.bytes, element.alignment};
    return out ? add_lanes(out, binding, at, &element) : GPUTUNE_OK;
}

gputune_status gt_layout_make(gt_layout **out, const gt_binding *binding, const char *name)
{
    extent size = {0, 1};
    *out = calloc(1, sizeof **out);
    GT_TRY(gt_allocated(*out));
    GT_TRY(lay_out(*out, &size, binding, name, &(spot){.name = ""}));
    (*out)->bytes = size.bytes;
    (*out)->alignment = size.alignment;
    return GPUTUNE_OK;
}

gputune_status gt_argument_hold(gt_parameter *out, const gt_binding *binding,
                                const gt_argument *argument, uint32_t first)
{
    if (!argument->holder) {
        return GPUTUNE_OK;
    }
    const gt_argument *holder = &binding->template->arguments[argument->holder - 1];
    const char *path = argument->name + strlen(holder->name) + 1;
    GT_FREED gt_layout *layout = NULL;
    GT_TRY(gt_layout_make(&layout, binding, holder->type));
    for (uint32_t i = 0; i < layout->count; i++) {
        if (strcmp(layout->leaves[i].name, path) == 0) {
            out->holder = first + argument->holder;
            out->offset = layout->leaves[i].offset;
        }
    }
    return GPUTUNE_OK;
}

/* Returns the end of the path component that begins at `at`: "pos", ".x" or "[2]". */
static const char *part_end(const char *at)
{
    return at + (*at != '\0') + strcspn(at + (*at != '\0'), ".[");
}

static bool same_parts(const char *a, const char *b, size_t length)
{
    return strncmp(a, b, length) == 0 && strchr(".[", a[length]) && strchr(".[", b[length]);
}

static uint32_t part_place(const gt_layout *layout, uint32_t leaf, size_t begin)
{
    uint32_t place = 0;
    const char *name = layout->leaves[leaf].name;
    for (uint32_t i = leaf; i > 0; i--) {
        const char *before = layout->leaves[i - 1].name, *after = layout->leaves[i].name;
        if (begin > 0 && !same_parts(name, before, begin)) {
            break;
        }
        place += !same_parts(after, before, (size_t)(part_end(after + begin) - after));
    }
    return place;
}

bool gt_leaf_is_within(const gt_layout *layout, uint32_t leaf, const char *path)
{
    const char *name = layout->leaves[leaf].name;
    for (const char *at = name; *path;) {
        const char *end = part_end(at);
        size_t length = (size_t)(end - at);
        if (*path == '#') {
            unsigned long place = strtoul(path + 1, (char **)&path, 10);
            if (place != (end == at ? 0 : part_place(layout, leaf, (size_t)(at - name)))) {
                return false;
            }
        } else if (end == at || strncmp(path, at, length) != 0) {
            return false;
        } else {
            path += length;
        }
        at = end;
    }
    return true;
}

void gt_structure_describe(gt_text *out, const gt_binding *binding, const char *name)
{
    extent size;
    uint32_t offsets[GT_STRUCTURE_MEMBERS] = {0};
    name = gt_type_word(binding->template, binding->problem, name);
    const gt_structure *structure = gt_structure_of(binding->template, name);
    const bool known = structure && add_members(NULL, &size, offsets, binding, structure,
                                                &(spot){.name = ""}) == GPUTUNE_OK;
    for (uint32_t m = 0; known && m < structure->member_count; m++) {
        const gt_structure_member *member = &structure->members[m];
        gt_text_printf(out, "%s%s at %u", m ? ", " : "",
                       member->name[0] ? member->name : member->type, offsets[m]);
    }
}

/* Writes a type for the generated source. Replaces problem values by their types and numbers,
 * because the source does not declare them. */
static gputune_status spell_type(char **out, const gt_binding *binding, const char *name)
{
    gt_text text = {0};
    bool behind_name = false;
    const gt_template *template = binding->template;
    gt_lexer lexer = gt_lexer_of(name);
    for (; lexer.token.kind != GT_TOKEN_END; gt_lexer_next(&lexer)) {
        char word[GT_NAME_MAX];
        gt_text_append(&text, behind_name && lexer.token.kind == GT_TOKEN_NAME ? " " : "");
        behind_name = lexer.token.kind == GT_TOKEN_NAME;
        (void)snprintf(word, sizeof word, "%.*s", (int)lexer.token.length, lexer.token.text);
        const int index = gt_template_problem_index(template, word);
        if (index >= 0 && !gt_problem_type(template, word)) {
            gt_text_printf(&text, "%lld", (long long)binding->slots[GT_SLOT_PROBLEM + index]);
        } else {
            gt_text_append(&text, gt_type_word(template, binding->problem, word));
        }
    }
    return gt_text_take(out, &text);
}

enum { SCOPED_MAX = GT_ENTRY_MAX + 2 + GT_NAME_MAX };

/* Writes the name of a struct or typedef after the namespaces in which it is defined. */
static void scoped_name(char name[SCOPED_MAX], const gt_structure *structure)
{
    (void)snprintf(name, SCOPED_MAX, "%s%s%s", structure->scope, structure->scope[0] ? "::" : "",
                   structure->name + structure->own);
}

/* Asserts that the compiler sees the same typedef as gputune, because an #if may select another. */
static void assert_alias(gt_text *out, const gt_template *template, const gt_structure *structure)
{
    char name[SCOPED_MAX];
    gt_element element;
    const gt_structure *target = structure;
    const char *type = structure->name;
    for (; target && target->alias[0]; target = gt_structure_of(template, type)) {
        type = target->alias;
    }
    if (strchr(structure->name, '<') || !gt_element_from_name(&element, type)) {
        return;
    }
    scoped_name(name, structure);
    gt_text_printf(out, "static_assert(sizeof(%s) == %u", name, element.bytes);
    if (gt_type_is_float(element.type)) {
        gt_text_printf(out, " && gputune_is_same<%s, %s>::value", name, type);
    }
    gt_text_printf(out,
                   ", \"gputune reads %s as %s, but the code declares another type here: use "
                   "problem(type T = ...) for a type that varies\");\n",
                   structure->name, type);
}

static gputune_status assert_one(gt_text *out, const gt_binding *binding,
                                 const gt_structure *structure)
{
    uint32_t offsets[GT_STRUCTURE_MEMBERS] = {0};
    extent size;
    char scoped[SCOPED_MAX];
    GT_FREED char *name = NULL;
    GT_TRY(add_members(NULL, &size, offsets, binding, structure, &(spot){.name = ""}));
    scoped_name(scoped, structure);
    GT_TRY(spell_type(&name, binding, scoped));
    gt_text_printf(out, "static_assert(sizeof(%s) == %u && alignof(%s) == %u", name, size.bytes,
                   name, size.alignment);
    for (uint32_t m = 0; m < structure->member_count; m++) {
        if (!structure->members[m].is_private && structure->members[m].name[0]) {
            gt_text_printf(out, " && __INTADDR__(&((%s *)0)->%s) == %u", name,
                           structure->members[m].name, offsets[m]);
        }
    }
    gt_text_printf(out, ", \"gputune reads struct %s as %u bytes (", structure->name, size.bytes);
    gt_structure_describe(out, binding, structure->name);
    gt_text_append(out, "), but the compiler lays it out differently: declare its members as "
                        "plain numbers, vectors and arrays\");\n");
    return GPUTUNE_OK;
}

static const char same_type[] =
    "\n#line 1 \"gputune\"\n"
    "template <typename, typename> struct gputune_is_same { enum { value = 0 }; };\n"
    "template <typename T> struct gputune_is_same<T, T> { enum { value = 1 }; };\n";

gputune_status gt_structures_assert(gt_text *out, const gt_binding *binding)
{
    const gt_template_parts *parts = binding->template->parts;
    gt_text_append(out, parts->structure_count ? same_type : "");
    for (uint32_t i = 0; i < parts->structure_count; i++) {
        const gt_structure *structure = parts->structures[i];
        if (structure->is_private) {
            continue;
        }
        if (structure->alias[0]) {
            assert_alias(out, binding->template, structure);
        } else {
            GT_TRY(assert_one(out, binding, structure));
        }
    }
    return GPUTUNE_OK;
}

gt_element gt_element_resolve(const gt_binding *binding, const char *name)
{
    gt_element element = {GT_TYPE_F32, 1, 4, 4};
    extent size;
    name = gt_type_word(binding->template, binding->problem, name);
    if (!gt_element_from_name(&element, name) &&
        lay_out(NULL, &size, binding, name, &(spot){.name = ""}) == GPUTUNE_OK) {
        element.bytes = size.bytes;
        element.alignment = size.alignment;
    }
    return element;
}
