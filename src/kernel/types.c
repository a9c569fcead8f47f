/* Element types: their names and sizes. */
#include "kernel/types.h"

#include "base/text.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t bytes;
    bool is_float;
} types[] = {
    [GT_TYPE_I8] = {"signed char", 1, false}, [GT_TYPE_U8] = {"unsigned char", 1, false},
    [GT_TYPE_I16] = {"short", 2, false},      [GT_TYPE_U16] = {"unsigned short", 2, false},
    [GT_TYPE_I32] = {"int", 4, false},        [GT_TYPE_U32] = {"unsigned int", 4, false},
    [GT_TYPE_I64] = {"long long", 8, false},  [GT_TYPE_U64] = {"unsigned long long", 8, false},
    [GT_TYPE_F16] = {"half", 2, true},        [GT_TYPE_BF16] = {"__nv_bfloat16", 2, true},
    [GT_TYPE_F32] = {"float", 4, true},       [GT_TYPE_F64] = {"double", 8, true},
};

/* CUDA's platforms of interest are LP64. */
static const char *const names[] = {"char",
                                    "signed char",
                                    "int8_t",
                                    "unsigned char",
                                    "uint8_t",
                                    "short",
                                    "short int",
                                    "int16_t",
                                    "unsigned short",
                                    "unsigned short int",
                                    "uint16_t",
                                    "int",
                                    "int32_t",
                                    "signed",
                                    "unsigned",
                                    "unsigned int",
                                    "uint32_t",
                                    "long",
                                    "long int",
                                    "long long",
                                    "long long int",
                                    "int64_t",
                                    "unsigned long",
                                    "unsigned long int",
                                    "unsigned long long",
                                    "unsigned long long int",
                                    "uint64_t",
                                    "size_t",
                                    "half",
                                    "__half",
                                    "__nv_bfloat16",
                                    "float",
                                    "double"};

static const gt_type named[] = {
    GT_TYPE_I8,  GT_TYPE_I8,  GT_TYPE_I8,   GT_TYPE_U8,  GT_TYPE_U8,  GT_TYPE_I16, GT_TYPE_I16,
    GT_TYPE_I16, GT_TYPE_U16, GT_TYPE_U16,  GT_TYPE_U16, GT_TYPE_I32, GT_TYPE_I32, GT_TYPE_I32,
    GT_TYPE_U32, GT_TYPE_U32, GT_TYPE_U32,  GT_TYPE_I64, GT_TYPE_I64, GT_TYPE_I64, GT_TYPE_I64,
    GT_TYPE_I64, GT_TYPE_U64, GT_TYPE_U64,  GT_TYPE_U64, GT_TYPE_U64, GT_TYPE_U64, GT_TYPE_U64,
    GT_TYPE_F16, GT_TYPE_F16, GT_TYPE_BF16, GT_TYPE_F32, GT_TYPE_F64};

enum { NAME_COUNT = sizeof names / sizeof *names };
_Static_assert(sizeof named / sizeof *named == NAME_COUNT, "one type for each name");

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

bool gt_type_from_name(gt_type *out, const char *name)
{
    for (size_t i = 0; i < NAME_COUNT; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = named[i];
            return true;
        }
    }
    return false;
}

const char *gt_type_nearest(const char *name)
{
    return gt_nearest(name, names, NAME_COUNT);
}

gputune_status gt_name_read(char *out, size_t bytes, gt_lexer *lexer, const char *what)
{
    if (lexer->token.kind != GT_TOKEN_NAME) {
        return gt_fail_expected(lexer, what);
    }
    if (lexer->token.length >= bytes) {
        return gt_fail_at(gt_lexer_place(lexer), "a name of %zu characters; expected at most %zu",
                          lexer->token.length, bytes - 1);
    }
    memcpy(out, lexer->token.text, lexer->token.length);
    out[lexer->token.length] = '\0';
    gt_lexer_next(lexer);
    return GPUTUNE_OK;
}

static gputune_status read_names(char *out, size_t bytes, gt_lexer *lexer, const char *what,
                                 bool all)
{
    size_t length = 0;
    gt_place place = gt_lexer_place(lexer);
    do {
        char name[64];
        GT_TRY(gt_name_read(name, sizeof name, lexer, what));
        size_t more = strlen(name);
        if (length + more + 2 > bytes) {
            return gt_fail_at(place, "a type of too many words; expected %s", what);
        }
        if (length > 0) {
            out[length++] = ' ';
        }
        memcpy(out + length, name, more + 1);
        length += more;
        gt_lexer ahead = *lexer;
        gt_lexer_next(&ahead);
        if (!all && ahead.token.kind != GT_TOKEN_NAME) {
            break;
        }
    } while (lexer->token.kind == GT_TOKEN_NAME);
    return GPUTUNE_OK;
}

gputune_status gt_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what)
{
    return read_names(out, bytes, lexer, what, true);
}

gputune_status gt_type_words_read(char *out, size_t bytes, gt_lexer *lexer, const char *what)
{
    return read_names(out, bytes, lexer, what, false);
}
