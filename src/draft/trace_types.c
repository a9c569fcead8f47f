/* Follows types by their other names, and knows how many bytes they have. */
#include "draft/trace.h"

#include "kernel/types.h"

#include <string.h>

/* What `typedef TYPE NAME;` and `using NAME = TYPE;` say last; empty: nothing. */
static gt_span alias_of(const gt_program *p, const char *name)
{
    gt_span type = {0, 0};
    for (size_t i = 1; i + 1 < p->code; i++) {
        if (!gt_program_is(p, i, name)) {
            continue;
        }
        const gt_span before = gt_program_type(p, i);
        if (gt_program_is(p, i + 1, ";") && before.first > 0 &&
            gt_program_is(p, before.first - 1, "typedef")) {
            type = before;
        } else if (gt_program_is(p, i - 1, "using") && gt_program_is(p, i + 1, "=")) {
            type = gt_program_statement(p, i + 2);
        }
    }
    return type;
}

uint32_t gt_trace_opaque(const char *type)
{
    static const struct {
        const char *type;
        uint32_t bytes;
    } opaque[] = {{"curandState", 48},         {"curandState_t", 48},
                  {"curandStateXORWOW_t", 48}, {"curandStatePhilox4_32_10_t", 64},
                  {"curandStateMRG32k3a", 72}, {"curandStateMRG32k3a_t", 72}};
    enum { TYPES = sizeof opaque / sizeof *opaque };
    const size_t i = gt_index_of(type, opaque, TYPES);
    return i < TYPES ? opaque[i].bytes : 0;
}

int64_t gt_trace_bytes(const gt_program *p, char word[GT_NAME_MAX], bool *by_macro)
{
    gt_element element;
    *by_macro = false;
    for (int depth = 0; depth < 8 && word[0]; depth++) {
        if (gt_element_from_name(&element, word)) {
            return element.bytes;
        }
        if (gt_trace_opaque(word)) {
            return gt_trace_opaque(word);
        }
        gt_token name = gt_token_of(word);
        const gt_macro *macro = gt_program_macro_of(p, &name);
        const gt_span type = macro ? macro->value : alias_of(p, word);
        *by_macro |= macro != NULL;
        if (type.first == type.end) {
            return 0;
        }
        gt_program_words(word, p, type);
    }
    return 0;
}

int64_t gt_trace_type(char words[GT_NAME_MAX], const gt_program *p, gt_closure of)
{
    enum { HOPS = 6 };
    gt_found found;
    char type[GT_NAME_MAX];
    bool by_macro;
    int64_t bytes;
    int hop = 0;
    gt_program_words(words, p, of.span);
    do {
        gt_program_words(type, p, of.span);
        bytes = gt_trace_bytes(p, type, &by_macro);
    } while (bytes <= 0 && ++hop < HOPS && gt_program_follow(&found, p, &of));
    if (bytes > 0) {
        memcpy(words, type, sizeof type);
    }
    return bytes;
}
