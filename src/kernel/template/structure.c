/* Reads the structs in the code of a template. */
#include "kernel/template/structure.h"

#include "kernel/text/functions.h"
#include "kernel/text/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Skips a member that is not data, including the `;` or `{…}` at its end. */
static void skip_declaration(gt_lexer *lexer)
{
    /* a constructor such as S() : x{1}, y{2} {} has several pairs of braces */
    bool initialises = true;
    while (initialises) {
        gt_lexer_skip_to(lexer, "; { }");
        initialises = gt_lexer_is(lexer, "{");
        if (initialises) {
            gt_lexer_skip(lexer, "{", "}");
            initialises = gt_token_is_any(&lexer->token, ", {");
        }
    }
    (void)gt_lexer_accept(lexer, ";");
}

/* Reads alignas(16), __align__(16) or __builtin_align__(16). If there are several, sets *alignment
 * to the largest. */
static gputune_status read_alignment(uint32_t *alignment, gt_parse *p)
{
    while (gt_lexer_accept_any(&p->at, "alignas __align__ __builtin_align__") >= 0) {
        int64_t value;
        GT_TRY(gt_lexer_expect(&p->at, "("));
        gt_place place = gt_lexer_place(&p->at);
        GT_TRY(gt_read_constant(&value, p));
        GT_TRY(gt_lexer_expect(&p->at, ")"));
        GT_REFUSE_AT(value < 1 || value > 4096 || (value & (value - 1)), place,
                     "an alignment of %lld; expected a power of two up to 4096", (long long)value);
        *alignment = (uint32_t)value > *alignment ? (uint32_t)value : *alignment;
    }
    return GPUTUNE_OK;
}

typedef struct head {
    const char *own;    /* name to find, without namespaces, up to a '<' or "::" */
    const char *nested; /* name of a type in the struct `own`, such as "B" in "A<T>::B"; or NULL */
    char tag[GT_NAME_MAX];
    bool is_typedef, is_union, is_class, is_template;
    bool specialises; /* true if the struct to find is a specialisation */
    gt_place place;
    gt_lexer attributes, parameters; /* `parameters` starts at the word `template` */
    gt_lexer body;                   /* starts at the `:` or `{` after the name */
    gt_lexer pattern;                /* arguments of a specialisation; otherwise empty */
} head;

/* Reads the head of a struct, which is the text between `struct` and `{`. Returns false if there is
 * no `{`. */
static bool read_head(head *out, gt_lexer *lexer)
{
    while (gt_lexer_is(lexer, "[")) { /* attributes, as in struct [[nodiscard]] S */
        gt_lexer_skip(lexer, "[", "]");
    }
    out->attributes = *lexer;
    while (gt_lexer_accept_any(lexer, "alignas __align__ __builtin_align__ __attribute__") >= 0) {
        gt_lexer_skip(lexer, "(", ")");
    }
    out->tag[0] = '\0';
    if (lexer->token.kind == GT_TOKEN_NAME &&
        gt_name_read(out->tag, sizeof out->tag, lexer, "") < 0) {
        return false;
    }
    out->pattern = (gt_lexer){.token = {.kind = GT_TOKEN_END}};
    if (gt_lexer_is(lexer, "<")) {
        out->pattern = *lexer;
        gt_lexer_next(&out->pattern);
        (void)gt_lexer_skip_angles(lexer);
    }
    (void)gt_lexer_accept(lexer, "final");
    out->body = *lexer;
    if (gt_lexer_is(lexer, ":")) {
        gt_lexer_skip_to(lexer, "{ ;");
    }
    return gt_lexer_is(lexer, "{");
}

/* ---- Members --------------------------------------------------------------------------------- */

static gputune_status refuse_structure(gt_place place, const gt_structure *structure,
                                       const char *what, const char *expected)
{
    return gt_fail_at(place, "%s in struct '%s', which an argument uses; expected %s", what,
                      structure->name, expected);
}

static gputune_status read_list(gt_structure_member *member, gt_parse *p)
{
    const gt_place place = gt_lexer_place(&p->at);
    gputune_status status = GPUTUNE_OK;
    while (status == GPUTUNE_OK && member->value_count < GT_MEMBER_VALUES &&
           !gt_lexer_is(&p->at, "}") && !gt_lexer_is(&p->at, "{")) {
        status = gt_read_expression(&member->values[member->value_count++], p, GT_USE_CONST, true);
        (void)gt_lexer_accept(&p->at, ",");
    }
    GT_TRY(status);
    return gt_read_text(&member->values[member->value_count++], p, "0", 1, place, 0);
}

/* Reads a default value, such as `= 0.5f`, `{0.5f}` or `= {1, 2}`. Ignores it if gputune cannot
 * compute the value. */
static gputune_status read_default(gt_structure_member *member, gt_parse *p)
{
    const gt_lexer begin = p->at;
    gputune_status status = GPUTUNE_OK;
    const bool equals = gt_lexer_accept(&p->at, "="), lists = gt_lexer_accept(&p->at, "{");
    gt_element element;
    if (lists && member->extents.count == 1 && gt_element_from_name(&element, member->type) &&
        element.lanes == 1) {
        status = read_list(member, p);
    } else if ((equals != lists) && !member->extents.count) {
        status = gt_read_expression(&member->values[member->value_count++], p, GT_USE_CONST, true);
    }
    if (status < 0 || !gt_token_is_any(&p->at.token, "; , }")) {
        memset(member->values, 0, sizeof member->values);
        member->value_count = 0;
    }
    p->at = begin;
    gt_lexer_skip_to(&p->at, "; ,");
    return status == GPUTUNE_ENOMEM ? status : GPUTUNE_OK;
}

static gputune_status add_member(gt_structure *structure, gt_parse *p, const char *type,
                                 uint32_t alignment)
{
    uint32_t stars = 0;
    gt_place place = gt_lexer_place(&p->at);
    for (; gt_lexer_accept(&p->at, "*"); stars++) {
        while (gt_lexer_accept_any(&p->at, "const volatile __restrict__ __restrict restrict") >=
               0) {
        }
    }
    if (gt_lexer_is(&p->at, "&")) {
        return refuse_structure(place, structure, "a reference", "a pointer, or numbers");
    }
    if (structure->member_count == GT_STRUCTURE_MEMBERS) {
        return refuse_structure(place, structure, "a 65th member", "at most 64");
    }
    gt_structure_member *member = &structure->members[structure->member_count];
    GT_TRY(gt_name_read(member->name, sizeof member->name, &p->at, "a member's name"));
    structure->member_count++;
    member->is_pointer = stars > 0;
    if (stars < 2) {
        memcpy(member->type, type, sizeof member->type);
    }
    member->alignment = alignment;
    if (gt_lexer_is(&p->at, "[")) {
        GT_TRY(gt_read_extents(member->extents.items, &member->extents.count, p, GT_USE_CONST));
    }
    if (gt_lexer_is(&p->at, ":")) {
        return refuse_structure(gt_lexer_place(&p->at), structure, "a bit-field", "whole numbers");
    }
    return read_default(member, p);
}

#define TYPE_WORDS "struct union class enum"

/* Skips a definition up to its closing brace. Returns false if there is none. */
static bool skip_definition(gt_lexer *lexer)
{
    head head;
    gt_lexer ahead = *lexer;
    const bool is_type = gt_lexer_accept_any(&ahead, TYPE_WORDS) >= 0;
    (void)gt_lexer_accept_any(&ahead, "class struct");
    if (!is_type || !read_head(&head, &ahead)) {
        return false;
    }
    gt_lexer_skip(&ahead, "{", "}");
    *lexer = ahead;
    return true;
}

/* Finds the type of a member. A type of the struct itself or of one around it gets its name. */
static gputune_status find_member_type(const gt_structure **out, gt_parse *p,
                                       const gt_structure *structure, char type[GT_NAME_MAX])
{
    char name[GT_NAME_MAX];
    const char *outer = structure->name, *end = outer + strlen(outer);
    for (*out = NULL; end > outer && !*out; end -= end > outer ? strlen("::") : 0) {
        const int length = (int)(end - outer);
        if (snprintf(name, sizeof name, "%.*s::%s", length, outer, type) < (int)sizeof name) {
            GT_TRY(gt_structure_find(out, p, name));
        }
        while (end > outer && end[-1] != ':') {
            end--;
        }
    }
    if (*out) {
        memcpy(type, name, sizeof name);
        return GPUTUNE_OK;
    }
    return gt_structure_find(out, p, type);
}

static gputune_status read_member_type(char out[GT_NAME_MAX], const gt_structure *structure,
                                       gt_parse *p)
{
    while (gt_lexer_accept_any(&p->at, "const volatile mutable") >= 0) {
    }
    gt_lexer after = p->at;
    const bool defines = skip_definition(&after);
    const gt_place place = gt_lexer_place(&p->at);
    while (gt_lexer_accept_any(&p->at, TYPE_WORDS) >= 0) {
    }
    if (gt_token_is_any(&p->at.token, "{ :")) {
        return refuse_structure(place, structure, "a nested definition",
                                "it outside of the struct");
    }
    GT_TRY(gt_words_read(out, GT_NAME_MAX, &p->at, "a type and a name", false));
    p->at = defines ? after : p->at;
    while (gt_lexer_accept_any(&p->at, "const") >= 0) {
    }
    const gt_structure *nested;
    if (gt_lexer_is(&p->at, "*") || gt_is_type(out) ||
        gt_template_problem_index(p->template, out) >= 0) {
        return GPUTUNE_OK;
    }
    GT_TRY(find_member_type(&nested, p, structure, out));
    if (nested) {
        return GPUTUNE_OK;
    }
    gt_near near = gt_near_to(out);
    gt_near_types(&near);
    return gt_fail_at(place, "unknown type '%s' in struct '%s'; expected %s", out, structure->name,
                      gt_near_or(&near, "a number type"));
}

static bool is_data(const gt_lexer *lexer)
{
    static const char others[] = "static using typedef friend template ~ public private protected "
                                 "; inline explicit static_assert";
    gt_lexer ahead = *lexer;
    if (gt_token_is_any(&ahead.token, others)) {
        return false;
    }
    if (gt_lexer_accept_any(&ahead, TYPE_WORDS) >= 0) {
        const bool is_unnamed = gt_lexer_is(&ahead, "{") && !gt_lexer_is(lexer, "enum");
        gt_lexer_next(&ahead);
        const bool is_declared = gt_lexer_is(&ahead, ";");
        ahead = *lexer;
        if (is_declared || (skip_definition(&ahead) && gt_lexer_is(&ahead, ";"))) {
            return is_unnamed; /* the members of an unnamed struct or union are data */
        }
        ahead = *lexer;
    }
    while (ahead.token.kind != GT_TOKEN_END && !gt_token_is_any(&ahead.token, "; { =")) {
        if (gt_lexer_accept_any(&ahead, "alignas __align__ __builtin_align__") >= 0) {
            gt_lexer_skip(&ahead, "(", ")");
            continue;
        }
        if (gt_token_is_any(&ahead.token, "( operator")) {
            return false;
        }
        gt_lexer_next(&ahead);
    }
    return true;
}

/* Reads a member or a label. After a label such as `public:`, sets *is_private for the members that
 * follow. */
static gputune_status read_member(gt_structure *structure, bool *is_private, gt_parse *p)
{
    char type[GT_NAME_MAX];
    uint32_t alignment = 0, first = structure->member_count;
    const bool is_public = gt_lexer_is(&p->at, "public");
    if (gt_lexer_accept_any(&p->at, "public private protected") >= 0) {
        *is_private = !is_public;
        return gt_lexer_expect(&p->at, ":");
    }
    if (!is_data(&p->at)) {
        skip_declaration(&p->at);
        return GPUTUNE_OK;
    }
    GT_TRY(read_alignment(&alignment, p));
    GT_TRY(read_member_type(type, structure, p));
    do {
        GT_TRY(add_member(structure, p, type, alignment));
    } while (gt_lexer_accept(&p->at, ","));
    for (; first < structure->member_count; first++) {
        structure->members[first].is_private = *is_private;
    }
    return gt_lexer_expect(&p->at, ";");
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static gputune_status new_structure(gt_structure **out, gt_parse *p, const char *name)
{
    gt_template_parts *parts = p->parts;
    GT_REFUSE(parts->structure_count == GT_STRUCTURE_MAX, GPUTUNE_ETEMPLATE,
              "%s:1:1: more than %d structs in arguments; expected fewer", parts->files[0].path,
              GT_STRUCTURE_MAX);
    gt_structure *structure = calloc(1, sizeof *structure);
    GT_TRY(gt_keep(parts, structure));
    parts->structures[parts->structure_count++] = structure;
    structure->members = calloc(GT_STRUCTURE_MEMBERS, sizeof *structure->members);
    GT_TRY(gt_keep(parts, structure->members));
    memcpy(structure->name, name, strlen(name) + 1);
    *out = structure;
    return GPUTUNE_OK;
}

/* Returns true if a definition has the name to find, as in `struct NAME {` or `} NAME;`. */
static bool is_named(const head *head, const gt_lexer *after)
{
    const size_t length = strcspn(head->own, "<:");
    return (strlen(head->tag) == length && strncmp(head->tag, head->own, length) == 0) ||
           (head->is_typedef && gt_lexer_is(after, head->own));
}

static bool has_arguments(const char *own)
{
    return own[strcspn(own, "<:")] == '<';
}

/* Opens *out on the argument at `index` in a name such as "vec<float,4>". Returns false if there
 * are fewer arguments. */
static bool argument_at(gt_lexer *out, const char *own, int index)
{
    gt_lexer list = gt_lexer_of(has_arguments(own) ? strchr(own, '<') + 1 : "");
    while (gt_lexer_item(out, &list) && index > 0) {
        index--;
    }
    return index == 0 && out->token.kind != GT_TOKEN_END;
}

/* Returns the index of a name in a list such as `template <typename T, int N>`, or -1. */
static int parameter_at(const gt_token *name, gt_lexer parameters)
{
    gt_lexer item;
    gt_lexer_next(&parameters);
    gt_lexer_next(&parameters);
    for (int index = 0; gt_lexer_item(&item, &parameters); index++) {
        gt_token last = {.kind = GT_TOKEN_END};
        for (; item.token.kind != GT_TOKEN_END && !gt_lexer_is(&item, "="); gt_lexer_next(&item)) {
            last = item.token;
        }
        if (gt_token_equals(&last, name)) {
            return index;
        }
    }
    return -1;
}

static bool is_alone(const gt_lexer *item)
{
    return gt_lexer_peek(*item).kind == GT_TOKEN_END;
}

/* Returns true if a specialisation fits the arguments in a name such as "op<SCALE,float>". */
static bool head_matches(const head *head)
{
    int place = 0;
    gt_lexer item, argument, list = head->pattern;
    for (; gt_lexer_item(&item, &list); place++) {
        if (!argument_at(&argument, head->own, place)) {
            return false;
        }
        const bool any = is_alone(&item) && parameter_at(&item.token, head->parameters) >= 0;
        while (!any && item.token.kind != GT_TOKEN_END) {
            if (!gt_token_equals(&item.token, &argument.token)) {
                return false;
            }
            gt_lexer_next(&item);
            gt_lexer_next(&argument);
        }
        if (!any && argument.token.kind != GT_TOKEN_END) {
            return false;
        }
    }
    return !argument_at(&argument, head->own, place);
}

/* Returns the index of the argument that replaces a parameter, or -1. A specialisation may have its
 * arguments in another order than its parameters. */
static int place_of(const gt_token *name, const head *head)
{
    gt_lexer item, list = head->pattern;
    const int index = parameter_at(name, head->parameters);
    for (int place = 0; index >= 0 && gt_lexer_item(&item, &list); place++) {
        if (is_alone(&item) && gt_token_equals(&item.token, name)) {
            return place;
        }
    }
    return head->pattern.token.kind == GT_TOKEN_END ? index : -1;
}

/* Copies the definition, replaces its parameters by the arguments, and moves p->at to the copy. */
static gputune_status instantiate_structure(gt_parse *p, const head *head)
{
    char *made = NULL;
    gt_text text = {0};
    gt_lexer at = p->at, end = p->at;
    const char *copied = at.token.text;
    gt_lexer_skip_to(&end, "{");
    gt_lexer_skip(&end, "{", "}");
    for (; at.token.text < end.token.text && at.token.kind != GT_TOKEN_END; gt_lexer_next(&at)) {
        gt_lexer argument;
        int index = at.token.kind == GT_TOKEN_NAME ? place_of(&at.token, head) : -1;
        if (index >= 0 && argument_at(&argument, head->own, index)) {
            const char *begin = argument.token.text;
            gt_text_append_bytes(&text, copied, (size_t)(at.token.text - copied));
            gt_text_append_bytes(&text, begin, (size_t)(argument.end - begin));
            copied = at.token.text + at.token.length;
        }
    }
    gt_text_append_bytes(&text, copied, (size_t)(end.token.text - copied));
    GT_TRY(gt_text_take(&made, &text));
    gt_lexer_open(&p->at, made, strlen(made), gt_lexer_place(&p->at));
    return gt_keep(p->parts, made);
}

/* Reads the base classes after a `:`. Each of them becomes a member that has no name. */
static gputune_status read_bases(gt_structure *structure, gt_parse *p, bool is_class)
{
    if (!gt_lexer_accept(&p->at, ":")) {
        return GPUTUNE_OK;
    }
    do {
        const gt_structure *base;
        gt_structure_member member = {.is_private = is_class};
        const gt_place place = gt_lexer_place(&p->at);
        if (gt_lexer_is(&p->at, "virtual")) {
            return refuse_structure(place, structure, "a virtual base class",
                                    "a plain struct of numbers");
        }
        member.is_private = !gt_lexer_is(&p->at, "public") &&
                            (is_class || gt_token_is_any(&p->at.token, "private protected"));
        (void)gt_lexer_accept_any(&p->at, "public private protected");
        GT_TRY(gt_words_read(member.type, sizeof member.type, &p->at, "a base class", true));
        GT_TRY(gt_structure_find(&base, p, member.type));
        while (base && base->alias[0]) {
            base = gt_structure_of(p->template, base->alias);
        }
        if (!base) {
            return refuse_structure(place, structure, "an unknown base class",
                                    "a struct of this file");
        }
        if (base->member_count) { /* a base class without members takes no space */
            structure->members[structure->member_count++] = member;
        }
    } while (structure->member_count < GT_STRUCTURE_MEMBERS && gt_lexer_accept(&p->at, ","));
    return GPUTUNE_OK;
}

static gputune_status read_definition(gt_parse *p, const head *head, const char *name)
{
    gt_structure *structure = NULL;
    GT_TRY(new_structure(&structure, p, name));
    const bool is_open = head->is_template && !has_arguments(head->own);
    if (head->is_union || is_open) {
        return refuse_structure(head->place, structure,
                                is_open ? "a template without arguments" : "a union",
                                "a plain struct of numbers");
    }
    p->at = head->attributes;
    GT_TRY(read_alignment(&structure->alignment, p));
    p->at = head->body;
    if (head->is_template) {
        GT_TRY(instantiate_structure(p, head));
    }
    GT_TRY(read_bases(structure, p, head->is_class));
    GT_TRY(gt_lexer_expect(&p->at, "{"));
    bool is_private = head->is_class;
    while (!gt_lexer_is(&p->at, "}") && p->at.token.kind != GT_TOKEN_END) {
        if (p->at.token.kind == GT_TOKEN_DIRECTIVE) {
            return refuse_structure(gt_lexer_place(&p->at), structure, "a directive",
                                    "members alone");
        }
        GT_TRY(read_member(structure, &is_private, p));
    }
    return GPUTUNE_OK;
}

static gputune_status add_alias(gt_parse *p, const char *name, const char type[GT_NAME_MAX])
{
    gt_structure *structure = NULL;
    const gt_structure *target;
    GT_TRY(new_structure(&structure, p, name));
    memcpy(structure->alias, type, sizeof structure->alias);
    GT_TRY(gt_structure_find(&target, p, type));
    for (; target && target->alias[0]; target = gt_structure_of(p->template, target->alias)) {
        GT_REFUSE(strcmp(target->alias, name) == 0, GPUTUNE_ETEMPLATE,
                  "%s:1:1: type '%s' is an alias of itself; expected a struct or number type",
                  p->parts->files[0].path, name);
    }
    return GPUTUNE_OK;
}

/* Reads an enum if it has the name to find, and stores it as an alias of its integer type. */
static gputune_status read_enum(bool *found, head *head, gt_parse *p, const char *name)
{
    char type[GT_NAME_MAX] = "int";
    gt_lexer lexer = p->at;
    (void)gt_lexer_accept_any(&lexer, "class struct");
    if (!read_head(head, &lexer)) {
        return GPUTUNE_OK;
    }
    gt_lexer_skip(&lexer, "{", "}");
    if (!is_named(head, &lexer)) {
        return GPUTUNE_OK;
    }
    *found = true;
    if (gt_lexer_accept(&head->body, ":")) {
        GT_TRY(gt_words_read(type, sizeof type, &head->body, "a type", true));
    }
    return add_alias(p, name, type);
}

/* Reads `typedef TYPE NAME;` or `using NAME = TYPE;`, starting after the first word. */
static gputune_status read_alias(bool *found, const head *head, gt_parse *p, bool is_using,
                                 const char *name)
{
    char type[GT_NAME_MAX];
    gt_lexer lexer = p->at;
    if (is_using && !(gt_lexer_accept(&lexer, head->own) && gt_lexer_accept(&lexer, "="))) {
        return GPUTUNE_OK;
    }
    (void)gt_lexer_accept_any(&lexer, "struct enum");
    gputune_status status = gt_words_read(type, sizeof type, &lexer, "a type", is_using);
    if (status < 0 || (!is_using && !gt_lexer_accept(&lexer, head->own)) ||
        !gt_lexer_is(&lexer, ";") || strcmp(type, name) == 0) {
        return GPUTUNE_OK; /* another alias, an unsupported type, or `typedef struct S S;` */
    }
    *found = true;
    return add_alias(p, name, type);
}

static gputune_status read_nested(bool *found, const head *outer, gt_parse *p, const char *name);

static gputune_status read_type(bool *found, head *head, gt_parse *p, const char *name)
{
    if (gt_lexer_is(&p->at, "template")) {
        head->is_template = true;
        head->parameters = p->at;
        gt_lexer_next(&p->at);
        gt_lexer_skip_angles(&p->at);
    }
    gt_lexer_skip_to(&p->at, "struct union class enum using typedef");
    int word = gt_lexer_accept_any(&p->at, "using typedef");
    head->is_typedef = word == 1;
    if (word >= 0) {
        GT_TRY(read_alias(found, head, p, word == 0, name));
        gt_lexer_skip_to(&p->at, "struct union class enum ;");
    }
    head->place = gt_lexer_place(&p->at);
    word = *found ? -1 : gt_lexer_accept_any(&p->at, "struct union class enum");
    head->is_union = word == 1;
    head->is_class = word == 2;
    if (word == 3) {
        return read_enum(found, head, p, name);
    }
    if (word < 0 || !read_head(head, &p->at)) {
        return GPUTUNE_OK;
    }
    gt_lexer after = p->at;
    gt_lexer_skip(&after, "{", "}");
    const bool is_special = head->pattern.token.kind != GT_TOKEN_END;
    if (!is_named(head, &after) || is_special != head->specialises ||
        (is_special && !head_matches(head))) {
        return GPUTUNE_OK;
    }
    if (head->nested) {
        return read_nested(found, head, p, name);
    }
    *found = true;
    return read_definition(p, head, name);
}

/* Returns the name after the "::" that follows the first name in `own`, or NULL. */
static const char *nested_in(const char *own)
{
    gt_lexer lexer = gt_lexer_of(own);
    gt_lexer_next(&lexer);
    if (gt_lexer_is(&lexer, "<")) {
        gt_lexer_skip_angles(&lexer);
    }
    return gt_lexer_accept(&lexer, "::") ? lexer.token.text : NULL;
}

/* Reads the type `outer->nested` in the definition of the struct `outer->own`. */
static gputune_status read_nested(bool *found, const head *outer, gt_parse *p, const char *name)
{
    p->at = outer->body;
    if (outer->is_template) {
        GT_TRY(instantiate_structure(p, outer));
    }
    gt_lexer_skip_to(&p->at, "{");
    gt_lexer_next(&p->at);
    bool is_private = outer->is_class;
    while (!*found && !gt_token_is_any(&p->at.token, "}") && p->at.token.kind != GT_TOKEN_END) {
        const uint32_t next = p->parts->structure_count;
        const bool is_public = gt_lexer_is(&p->at, "public");
        head inner = {.own = outer->nested, .nested = nested_in(outer->nested)};
        const gt_lexer begin = p->at;
        if (gt_token_is_any(&p->at.token, "template struct union class enum using typedef")) {
            GT_TRY(read_type(found, &inner, p, name));
            p->at = begin;
        }
        if (*found) {
            p->parts->structures[next]->is_private |= is_private;
        } else if (gt_lexer_accept_any(&p->at, "public private protected") >= 0) {
            is_private = !is_public;
            (void)gt_lexer_accept(&p->at, ":");
        } else {
            skip_declaration(&p->at);
        }
    }
    return GPUTUNE_OK;
}

const gt_structure *gt_structure_of(const gt_template *template, const char *name)
{
    const gt_template_parts *parts = template->parts;
    for (uint32_t i = 0; i < parts->structure_count; i++) {
        if (strcmp(parts->structures[i]->name, name) == 0) {
            return parts->structures[i];
        }
    }
    return NULL;
}

const gt_structure_member *gt_structure_pointer(const gt_template *template, const char *type,
                                                const char *path)
{
    const gt_structure *structure = gt_structure_of(template, type);
    while (structure && structure->alias[0]) {
        structure = gt_structure_of(template, structure->alias);
    }
    for (uint32_t i = 0; structure && i < structure->member_count; i++) {
        const gt_structure_member *member = &structure->members[i];
        const size_t length = strlen(member->name);
        if (strncmp(path, member->name, length) != 0 || member->extents.count) {
            continue;
        }
        if (!length) { /* a base class */
            const gt_structure_member *inner = gt_structure_pointer(template, member->type, path);
            if (inner) {
                return inner;
            }
            continue;
        }
        if (member->is_pointer && !path[length]) {
            return member;
        }
        if (!member->is_pointer && path[length] == '.') {
            return gt_structure_pointer(template, member->type, path + length + 1);
        }
    }
    return NULL;
}

/* How well the namespaces of a declaration fit a use of its name. */
typedef enum fit { NOT, ELSEWHERE, OUTSIDE, HERE } fit;

/* Returns how well the namespaces `scope` of a declaration fit a use of its name in the namespaces
 * `inside`. The namespaces that precede the used name are `length` bytes at `written`: "a::". */
static fit fit_of(const char *scope, const char *written, size_t length, const char *inside)
{
    const char *end = scope + strlen(scope);
    const size_t own = length > 2 ? length - 2 : 0;
    if (own > (size_t)(end - scope) || strncmp(end - own, written, own) != 0) {
        return NOT;
    }
    size_t left = (size_t)(end - scope) - own;
    left -= own && left ? 2 : 0;
    if (strncmp(scope, inside, left) != 0 || (left && inside[left] && inside[left] != ':')) {
        return ELSEWHERE;
    }
    return inside[left] ? OUTSIDE : HERE;
}

/* Reads each type named `own` whose namespaces fit to the degree `wanted`. `name` is `own` with the
 * namespaces before it. */
static gputune_status try_declarations(bool *found, gt_parse *p, const char *name, const char *own,
                                       bool specialises, fit wanted)
{
    const gt_declarations *code = &p->found;
    const char *inside = p->scope ? p->scope : "";
    const gt_place place = gt_lexer_place(&p->at);
    gt_structure *structure = NULL;
    const uint32_t id = gt_macros_id(&code->macros, own, strcspn(own, "<:"));
    for (size_t i = 0; (i = gt_piece_find(code, i, id)) < code->items.count; i++) {
        const gt_piece *piece = &code->items.items[i];
        const gt_token first = code->words.items[piece->begin].token;
        const gt_token last = code->words.items[piece->end - 1].token;
        head head = {.own = own, .nested = nested_in(own), .specialises = specialises};
        char scope[GT_ENTRY_MAX];
        gt_scope_find(scope, code->words.items, piece->begin);
        if ((piece->kind != GT_PIECE_TYPE && piece->kind != GT_PIECE_ALIAS) ||
            fit_of(scope, name, (size_t)(own - name), inside) != wanted) {
            continue;
        }
        GT_REFUSE_AT(structure && piece->body_begin && strcmp(structure->scope, scope) != 0, place,
                     "'%s' is declared in the namespaces '%s' and '%s'; expected one of them "
                     "before its name",
                     name, structure->scope, scope);
        if (!structure) {
            const uint32_t next = p->parts->structure_count;
            gt_lexer_open(&p->at, first.text, (size_t)(last.text + last.length - first.text),
                          (gt_place){p->parts->files[0].path, first.line, first.column});
            p->scope = scope;
            const gputune_status status = read_type(found, &head, p, name);
            p->scope = inside;
            GT_TRY(status);
            structure = *found ? p->parts->structures[next] : NULL;
            if (structure) {
                memcpy(structure->scope, scope, sizeof scope);
                structure->own = (size_t)(own - name);
            }
        }
    }
    return GPUTUNE_OK;
}

/* Takes the names before the last "::" of `name` first for namespaces, then for structs. */
static gputune_status find_declaration(bool *found, gt_parse *p, const char *name, bool specialises)
{
    const char *own = name + strcspn(name, "<");
    for (bool more = true; more && !*found;) {
        while (own > name && own[-1] != ':') {
            own--;
        }
        for (fit wanted = HERE; wanted != NOT && !*found; wanted--) {
            GT_TRY(try_declarations(found, p, name, own, specialises, wanted));
        }
        more = own > name;
        own -= more ? 2 : 0;
    }
    return GPUTUNE_OK;
}

static gputune_status find_definition(gt_parse *p, const char *name)
{
    const gt_lexer body = p->at;
    char type[GT_NAME_MAX];
    gt_lexer value;
    int64_t above;
    bool found = false;
    if (strchr(name, '<')) {
        GT_TRY(find_declaration(&found, p, name, true));
    }
    if (!found) {
        GT_TRY(find_declaration(&found, p, name, false));
    }
    p->at = body;
    bool is_macro = !found && /* `#define NAME TYPE` */
                    gt_code_constant(&value, &above, &p->found, name) &&
                    value.token.kind == GT_TOKEN_NAME &&
                    gt_words_read(type, sizeof type, &value, "a type", true) == GPUTUNE_OK &&
                    value.token.kind == GT_TOKEN_END && strcmp(type, name) != 0;
    return is_macro ? add_alias(p, name, type) : GPUTUNE_OK;
}

gputune_status gt_structure_find(const gt_structure **out, gt_parse *p, const char *name)
{
    *out = gt_structure_of(p->template, name);
    if (*out || gt_is_type(name)) {
        return GPUTUNE_OK;
    }
    gputune_status status = find_definition(p, name);
    *out = gt_structure_of(p->template, name);
    return status;
}
