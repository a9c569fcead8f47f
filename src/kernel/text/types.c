/* Names and sizes of the element types. */
#include "kernel/text/types.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
    bool is_float;
} types[] = {
    [GT_TYPE_I8] = {"signed char", 1, false},    [GT_TYPE_U8] = {"unsigned char", 1, false},
    [GT_TYPE_I16] = {"short", 2, false},         [GT_TYPE_U16] = {"unsigned short", 2, false},
    [GT_TYPE_I32] = {"int", 4, false},           [GT_TYPE_U32] = {"unsigned int", 4, false},
    [GT_TYPE_I64] = {"long long", 8, false},     [GT_TYPE_U64] = {"unsigned long long", 8, false},
    [GT_TYPE_BOOL] = {"bool", 1, false},         [GT_TYPE_F16] = {"half", 2, true},
    [GT_TYPE_BF16] = {"__nv_bfloat16", 2, true}, [GT_TYPE_F32] = {"float", 4, true},
    [GT_TYPE_F64] = {"double", 8, true},         [GT_TYPE_E4M3] = {"__nv_fp8_e4m3", 1, true},
    [GT_TYPE_E5M2] = {"__nv_fp8_e5m2", 1, true},
};

/* CUDA's vector types (CUDA programming guide, "Built-in Vector Types"). Vectors of two and four
 * components are aligned to their size, up to 16 bytes. `long` has 8 bytes. */
#define NAMED(type, lanes, alignment, ...)                                                         \
    {                                                                                              \
        GT_TYPE_##type, lanes, alignment,                                                          \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define VECTORS(name, type)                                                                        \
    NAMED(type, 1, 0, name "1"), NAMED(type, 2, 0, name "2"), NAMED(type, 3, 0, name "3"),         \
        NAMED(type, 4, 0, name "4")
#define ALIGNED_FOURS(name, type) NAMED(type, 4, 0, name "4_16a"), NAMED(type, 4, 32, name "4_32a")

static const struct named {
    gt_type type;
    uint32_t lanes, alignment; /* alignment in bytes; 0 for CUDA's usual alignment of vectors */
    const char *names[9];
} named[] = {
    NAMED(I8, 1, 0, "char", "signed char", "int8_t"),
    NAMED(U8, 1, 0, "unsigned char", "uint8_t"),
    NAMED(I16, 1, 0, "short", "short int", "int16_t"),
    NAMED(U16, 1, 0, "unsigned short", "unsigned short int", "ushort", "uint16_t"),
    NAMED(I32, 1, 0, "int", "int32_t", "signed"),
    NAMED(U32, 1, 0, "unsigned", "unsigned int", "uint", "uint32_t"),
    NAMED(I64, 1, 0, "long", "long int", "long long", "long long int", "int64_t", "ptrdiff_t",
          "intptr_t"),
    NAMED(U64, 1, 0, "unsigned long", "unsigned long int", "unsigned long long",
          "unsigned long long int", "ulong", "uint64_t", "size_t", "uintptr_t"),
    NAMED(BOOL, 1, 0, "bool"),
    NAMED(F16, 1, 0, "half", "__half"),
    NAMED(F16, 2, 0, "half2", "__half2"),
    NAMED(BF16, 1, 0, "__nv_bfloat16", "nv_bfloat16"),
    NAMED(BF16, 2, 0, "__nv_bfloat162", "nv_bfloat162"),
    NAMED(E4M3, 1, 0, "__nv_fp8_e4m3"),
    NAMED(E4M3, 2, 0, "__nv_fp8x2_e4m3"),
    NAMED(E4M3, 4, 0, "__nv_fp8x4_e4m3"),
    NAMED(E5M2, 1, 0, "__nv_fp8_e5m2"),
    NAMED(E5M2, 2, 0, "__nv_fp8x2_e5m2"),
    NAMED(E5M2, 4, 0, "__nv_fp8x4_e5m2"),
    NAMED(F32, 1, 0, "float"),
    NAMED(F64, 1, 0, "double"),
    NAMED(F32, 2, 0, "cuComplex", "cuFloatComplex"),
    NAMED(F64, 2, 0, "cuDoubleComplex"),
    NAMED(U32, 3, 0, "dim3"),
    VECTORS("char", I8),
    VECTORS("uchar", U8),
    VECTORS("short", I16),
    VECTORS("ushort", U16),
    VECTORS("int", I32),
    VECTORS("uint", U32),
    VECTORS("long", I64),
    VECTORS("ulong", U64),
    VECTORS("longlong", I64),
    VECTORS("ulonglong", U64),
    VECTORS("float", F32),
    VECTORS("double", F64),
    ALIGNED_FOURS("long", I64),
    ALIGNED_FOURS("ulong", U64),
    ALIGNED_FOURS("longlong", I64),
    ALIGNED_FOURS("ulonglong", U64),
    ALIGNED_FOURS("double", F64),
};

enum { ROWS = sizeof named / sizeof *named, WIDEST_ALIGNMENT = 16 };

uint32_t gt_type_bytes(gt_type type)
{
    return types[type].bytes;
}

bool gt_type_is_float(gt_type type)
{
    return types[type].is_float;
}

bool gt_type_holds(gt_type type, int64_t value)
{
    uint32_t bits = gt_type_bytes(type) * 8;
    bool is_unsigned = type == GT_TYPE_U8 || type == GT_TYPE_U16 || type == GT_TYPE_U32;
    if (type == GT_TYPE_BOOL) {
        return value == 0 || value == 1;
    }
    if (gt_type_is_float(type) || bits == 64) {
        return true;
    }
    int64_t high = (INT64_C(1) << (is_unsigned ? bits : bits - 1)) - 1;
    return value <= high && value >= (is_unsigned ? 0 : -high - 1);
}

const char *gt_type_name(gt_type type)
{
    return types[type].name;
}

static gt_element element_of(const struct named *one)
{
    gt_element element = {.type = one->type,
                          .lanes = one->lanes,
                          .bytes = one->lanes * types[one->type].bytes,
                          .alignment = one->alignment};
    if (element.alignment == 0) {
        const uint32_t whole = element.bytes < WIDEST_ALIGNMENT ? element.bytes : WIDEST_ALIGNMENT;
        element.alignment = one->lanes == 3 ? types[one->type].bytes : whole;
    }
    return element;
}

bool gt_element_from_name(gt_element *out, const char *name)
{
    name += strncmp(name, "std::", 5) == 0 ? 5 : 0;
    for (size_t i = 0; i < ROWS; i++) {
        for (const char *const *own = named[i].names; *own; own++) {
            if (name[0] == **own && strcmp(name, *own) == 0) {
                *out = element_of(&named[i]);
                return true;
            }
        }
    }
    return false;
}

bool gt_is_type(const char *name)
{
    gt_element element;
    return gt_element_from_name(&element, name);
}

void gt_near_types(gt_near *near)
{
    for (size_t i = 0; i < ROWS; i++) {
        for (const char *const *own = named[i].names; *own; own++) {
            gt_near_try(near, *own);
        }
    }
}

const char *gt_token_name(char out[GT_NAME_MAX], const gt_token *token)
{
    const size_t length = token->length < GT_NAME_MAX ? token->length : 0;
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        out[kept] = token->text[i];
        kept += token->kind != GT_TOKEN_NUMBER || token->text[i] != '\'';
    }
    out[kept] = '\0';
    return out;
}

gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what)
{
    GT_EXPECT(lexer->token.kind == GT_TOKEN_NAME, lexer, what);
    GT_REFUSE_AT(lexer->token.length >= bytes, gt_lexer_place(lexer),
                 "a name of %zu characters; expected at most %zu", lexer->token.length, bytes - 1);
    memcpy(out, lexer->token.text, lexer->token.length);
    out[lexer->token.length] = '\0';
    gt_lexer_next(lexer);
    return GPUTUNE_OK;
}

gputune_status gt_argument_name_read(char out[GT_NAME_MAX], gt_lexer *lexer, const char *what)
{
    size_t length = 0;
    GT_TRY(gt_name_read(out, GT_NAME_MAX, lexer, what));
    while ((length += strlen(out + length)) + 1 < GT_NAME_MAX && gt_lexer_accept(lexer, ".")) {
        out[length++] = '.';
        GT_TRY(gt_name_read(out + length, GT_NAME_MAX - length, lexer, what));
    }
    return GPUTUNE_OK;
}

static gputune_status read_arguments(char *out, size_t bytes, gt_lexer *lexer)
{
    gt_lexer at = *lexer;
    bool behind_name = false;
    if (gt_lexer_is(lexer, "<")) {
        gt_lexer_skip_angles(lexer);
    }
    for (; at.token.text < lexer->token.text; gt_lexer_next(&at)) {
        const bool is_name = at.token.kind == GT_TOKEN_NAME;
        const size_t length = strlen(out);
        GT_EXPECT(length + at.token.length + 1 < bytes, &at, "a shorter type, or a typedef of it");
        (void)snprintf(out + length, bytes - length, "%s%.*s", behind_name && is_name ? " " : "",
                       (int)at.token.length, at.token.text);
        behind_name = is_name;
    }
    return GPUTUNE_OK;
}

gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what, bool all)
{
    size_t length = 0;
    gt_place place = gt_lexer_place(lexer);
    bool is_scoped = false; /* true after a "::" */
    do {
        char name[64];
        GT_TRY(gt_name_read(name, sizeof name, lexer, what));
        const char *between = is_scoped ? "::" : length > 0 ? " " : "";
        GT_REFUSE_AT(length + strlen(name) + 3 > bytes, place,
                     "a type of too many words; expected %s", what);
        (void)snprintf(out + length, bytes - length, "%s%s", between, name);
        GT_TRY(read_arguments(out, bytes, lexer));
        length = strlen(out);
        is_scoped = gt_lexer_accept(lexer, "::");
        if (is_scoped) {
            continue;
        }
        const gt_token next = gt_lexer_peek(*lexer);
        if (!all && next.kind != GT_TOKEN_NAME && !gt_token_is(&next, "*")) {
            break;
        }
    } while (lexer->token.kind == GT_TOKEN_NAME);
    return GPUTUNE_OK;
}

const gt_refused_type *gt_type_refused(const char *words)
{
    static const char
        texture[] = "a texture, whose type does not show its elements",
        plain[] = "the buffer, as in float NAME[n], and texture(NAME) for tex1Dfetch() or tex2D()",
        surface[] = "a surface, which a template cannot have";
    static const gt_refused_type refused[] = {
        {"cudaTextureObject_t", texture, plain},
        {"CUtexObject", texture, plain},
        {"cudaSurfaceObject_t", surface, "a buffer"},
        {"CUsurfObject", surface, "a buffer"},
        {"CUtensorMap", "a tensor map, whose type does not show its elements",
         "the buffer, and tensormap(BUFFER, box = (…))"},
        {"void", "not an element type",
         "the type that the kernel reads, such as float, or unsigned char for bytes"}};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (strstr(words, refused[i].type)) {
            return &refused[i];
        }
    }
    return NULL;
}
