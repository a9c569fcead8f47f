/* Interprets constructors and initialiser lists, which create structs. */
#include "draft/parts.h"

draft_spot draft_new_object(const draft_node *node)
{
    draft_decl *made = draft_new(sizeof *made);
    made->at = node->at;
    made->name = "";
    return (draft_spot){.variable = made, .path = ""};
}

static void set_defaults(const draft_spot *object, cx_type type, bool is_zero);

/* Gives a field its value or, if `made` is NULL, the value in its declaration. If the field has
 * neither and `is_zero` is true, it becomes zero. */
static void assign_member(const draft_spot *object, const draft_field *field, draft_node *made,
                          bool is_zero)
{
    draft_spot member = *object;
    member.path = draft_format("%s.%s", object->path, field->name);
    made = made ? made : draft_default_of(field->at);
    if (made) {
        draft_amount *value =
            draft_is_reference(field->type) ? draft_object(draft_spot_of(made)) : draft_eval(made);
        if (object->variable) {
            draft_assign(object->variable, member.path, value, field->type);
        }
    } else if (field->type.kind == CX_TYPE_RECORD) {
        set_defaults(&member, field->type, is_zero);
    } else if (is_zero && object->variable && !draft_is_array(field->type)) {
        draft_bind(object->variable, member.path, draft_number(0));
    }
}

/* Gives the fields of an object the values in their declarations, or zero if `is_zero` is true.
 * Skips the fields of classes with constructors. */
static void set_defaults(const draft_spot *object, cx_type type, bool is_zero)
{
    const draft_fields fields = draft_fields_of(type);
    const draft_spot outer = draft_now.object;
    draft_now.object = *object;
    for (size_t i = 0; i < fields.count; i++) {
        const draft_field *field = &fields.items[i];
        if (!draft_has_child(cx.getCursorSemanticParent(field->at), CX_CONSTRUCTOR)) {
            assign_member(object, field, NULL, is_zero);
        }
    }
    draft_now.object = outer;
}

void draft_initialise_members(draft_decl *constructor)
{
    cx_cursor at = cx.getCursorDefinition(constructor->at);
    draft_cursors children = draft_children(at.kind == CX_CONSTRUCTOR ? at : constructor->at);
    const draft_spot object = draft_now.object;
    const cx_cursor own = cx.getCursorSemanticParent(constructor->at);
    const draft_fields fields = draft_fields_of(cx.getCanonicalType(cx.getCursorType(own)));
    bool delegates = false;
    for (size_t i = 0; i + 1 < children.count; i++) { /* the last child is the body */
        if (children.items[i].kind == CX_CALL &&
            (!i ||
             children.items[i - 1].kind != CX_MEMBER)) { /* base class or delegating constructor */
            draft_node *call = draft_tree(children.items[i]);
            draft_node *body = call->decl && !call->decl->busy ? draft_body_of(call->decl) : NULL;
            delegates |=
                call->decl && cx.equalCursors(cx.getCursorSemanticParent(call->decl->at), own);
            if (body && draft_now.calls < DRAFT_CALLS_MOST) {
                draft_follow(body, &call->decl->parameters, call, 0, &draft_now.object);
            }
        }
    }
    for (size_t i = 0; !delegates && i < fields.count; i++) {
        draft_node *made = NULL;
        for (size_t k = 0; k + 1 < children.count; k++) {
            if (children.items[k].kind == CX_MEMBER &&
                cx.equalCursors(cx.getCursorReferenced(children.items[k]), fields.items[i].at)) {
                made = draft_tree(children.items[k + 1]);
            }
        }
        assign_member(&object, &fields.items[i], made, false);
    }
}

draft_amount *draft_construct(draft_node *node)
{
    draft_decl *function = node->decl;
    draft_node *body = function->busy ? NULL : draft_body_of(function);
    if (node->count == 1 && node->children[0]->type.kind == CX_TYPE_RECORD &&
        !(body && draft_now.calls < DRAFT_CALLS_MOST &&
          !draft_is_same_struct(node->children[0]->type, node->type))) {
        return draft_eval(node->children[0]);
    }
    draft_spot object = draft_new_object(node);
    if (body && draft_now.calls < DRAFT_CALLS_MOST) {
        draft_follow(body, &function->parameters, node, 0, &object);
        return draft_object(object);
    }
    for (unsigned i = 0; i < node->count; i++) {
        draft_eval(node->children[i]);
    }
    set_defaults(&object, node->type, false);
    return draft_object(object);
}

/* Returns the number of the field that an element of an initialiser list initialises. This is
 * `next`, unless a designator such as .b in { .b = 1 } names the field. */
static size_t designated(cx_cursor element, const draft_fields *fields, size_t next)
{
    const draft_cursors parts = draft_children(element);
    size_t found = next, names = 0;
    for (size_t i = 0; i < parts.count; i++) {
        names += parts.items[i].kind == CX_MEMBER;
        for (size_t k = 0; parts.items[i].kind == CX_MEMBER && k < fields->count; k++) {
            found = cx.equalCursors(cx.getCursorReferenced(parts.items[i]), fields->items[k].at)
                        ? k
                        : found;
        }
    }
    return names < 2 ? found : fields->count;
}

/* Returns true if an element of an initialiser list initialises a whole member, and false if it is
 * the first part of a member whose inner braces are left out. */
static bool is_whole(const draft_node *value, cx_type member)
{
    return draft_is_array(member)
               ? value->kind == CX_INIT_LIST
               : value->type.kind == CX_TYPE_RECORD || member.kind != CX_TYPE_RECORD;
}

draft_amount *draft_list(draft_node *node)
{
    const draft_fields fields = draft_fields_of(node->type);
    const draft_cursors elements = draft_children(node->at);
    draft_spot object = draft_new_object(node);
    size_t at = 0;
    if (node->type.kind != CX_TYPE_RECORD) {
        return node->count == 1 && !draft_is_array(node->type) ? draft_eval(node->children[0])
                                                               : draft_nothing();
    }
    set_defaults(&object, node->type, true);
    for (unsigned i = 0; i < node->count; i++) {
        draft_node *made = node->children[i];
        at = elements.count == node->count ? designated(elements.items[i], &fields, at)
                                           : fields.count;
        const draft_field *field = at < fields.count ? &fields.items[at] : NULL;
        if (!field || !is_whole(made, field->type)) {
            draft_bind(object.variable, "", draft_unknown("has an initialiser that is not read"));
            break;
        }
        if (made->type.kind == CX_TYPE_RECORD && !draft_is_same_struct(made->type, field->type)) {
            draft_assign(object.variable, "", draft_eval(made), made->type); /* the base class */
            at += draft_fields_of(made->type).count;
        } else {
            assign_member(&object, field, made, false);
            at++;
        }
    }
    return draft_object(object);
}
