/* Reads NumPy's file format: a magic string, a version, the length of the header, and the header, a
 * Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }. */
#include "kernel/text/npy.h"

#include "kernel/text/lexer.h"

#include <string.h>

/* NumPy's names of the types. NumPy has no bfloat16, so programs store bfloat16 numbers as
 * anonymous elements of 2 bytes. */
static const struct {
    const char *descr;
    gt_type type;
} types[] = {
    {"|i1", GT_TYPE_I8},   {"|u1", GT_TYPE_U8},   {"<i2", GT_TYPE_I16}, {"<u2", GT_TYPE_U16},
    {"<i4", GT_TYPE_I32},  {"<u4", GT_TYPE_U32},  {"<i8", GT_TYPE_I64}, {"<u8", GT_TYPE_U64},
    {"<f2", GT_TYPE_F16},  {"<f4", GT_TYPE_F32},  {"<f8", GT_TYPE_F64}, {"<V2", GT_TYPE_BF16},
    {"|V2", GT_TYPE_BF16}, {"|b1", GT_TYPE_BOOL},
};
enum { TYPE_COUNT = sizeof types / sizeof *types, MAGIC_BYTES = 6, DESCR_BYTES = 16 };

static const char magic[] = "\x93NUMPY";

static bool is_text(const gt_token *token)
{
    return token->kind == GT_TOKEN_STRING || token->kind == GT_TOKEN_CHARACTER;
}

static bool find_key(gt_lexer *c, const char *header, const char *end, const char *key)
{
    const size_t length = strlen(key);
    *c = gt_lexer_on(header, (size_t)(end - header));
    while (c->token.kind != GT_TOKEN_END && !(is_text(&c->token) && c->token.length == length + 2 &&
                                              memcmp(c->token.text + 1, key, length) == 0)) {
        gt_lexer_next(c);
    }
    gt_lexer_next(c);
    return gt_lexer_accept(c, ":");
}

static bool read_string(char out[DESCR_BYTES], const gt_lexer *c)
{
    const bool fits = is_text(&c->token) && c->token.length < DESCR_BYTES + 2;
    const size_t length = fits ? c->token.length - 2 : 0;
    memcpy(out, c->token.text + fits, length);
    out[length] = '\0';
    return fits;
}

static bool read_number(uint64_t *out, gt_lexer *c)
{
    const gt_token number = c->token;
    *out = 0;
    for (size_t i = 0; i < number.length; i++) {
        const unsigned digit = (unsigned)(number.text[i] - '0');
        if (digit > 9 || __builtin_mul_overflow(*out, 10, out) ||
            __builtin_add_overflow(*out, digit, out)) {
            return false;
        }
    }
    gt_lexer_next(c);
    return number.length > 0;
}

static bool read_shape(gt_npy *out, gt_lexer *c)
{
    if (!gt_lexer_accept(c, "(")) {
        return false;
    }
    out->elements = 1;
    while (!gt_lexer_accept(c, ")")) {
        uint64_t extent;
        if (out->dimensions == GT_NPY_DIMENSIONS || !read_number(&extent, c) ||
            __builtin_mul_overflow(out->elements, extent, &out->elements) ||
            (!gt_lexer_accept(c, ",") && !gt_lexer_is(c, ")"))) {
            return false;
        }
        out->shape[out->dimensions++] = extent;
    }
    return true;
}

static gputune_status read_type(gt_npy *out, const char *descr, const char *path)
{
    const size_t i = gt_index_of(descr, types, TYPE_COUNT);
    if (i < TYPE_COUNT) {
        out->type = types[i].type;
        return GPUTUNE_OK;
    }
    GT_REFUSE(descr[0] == '>', GPUTUNE_EINVAL,
              "%s: elements are '%s', which is big-endian; expected little-endian: save "
              "array.astype('<%s')",
              path, descr, descr + 1);
    return gt_fail(GPUTUNE_EINVAL,
                   "%s: elements are '%s'; expected integers or floats of 1 to 8 bytes", path,
                   descr);
}

static gputune_status not_numpys(const char *path, const char *what)
{
    return gt_fail(GPUTUNE_EINVAL, "%s: %s; expected a file that numpy.save() wrote", path, what);
}

static gputune_status read_header(gt_npy *out, const char *header, const char *end,
                                  const char *path)
{
    gt_lexer c;
    char descr[DESCR_BYTES];
    if (!find_key(&c, header, end, "descr") || !read_string(descr, &c)) {
        return not_numpys(path, "its header has no number type");
    }
    GT_TRY(read_type(out, descr, path));
    if (!find_key(&c, header, end, "shape") || !read_shape(out, &c)) {
        return not_numpys(path, "its header has no shape of up to 8 dimensions");
    }
    GT_REFUSE(!find_key(&c, header, end, "fortran_order") || gt_lexer_accept(&c, "True"),
              GPUTUNE_EINVAL,
              "%s: stored in column order; expected row order: save numpy.ascontiguousarray(array)",
              path);
    return GPUTUNE_OK;
}

gputune_status gt_npy_read(gt_npy *out, const void *bytes, size_t count, const char *path)
{
    const unsigned char *at = bytes;
    gt_npy npy = {0};
    if (count < MAGIC_BYTES + 4 || memcmp(at, magic, MAGIC_BYTES) != 0) {
        return not_numpys(path, "not an NPY file");
    }
    bool wide = at[MAGIC_BYTES] >= 2;
    if (at[MAGIC_BYTES] < 1 || at[MAGIC_BYTES] > 3 || (wide && count < MAGIC_BYTES + 6)) {
        return not_numpys(path, "not of a version from 1 to 3");
    }
    uint64_t length = at[8] | (uint64_t)at[9] << 8;
    length |= wide ? (uint64_t)at[10] << 16 | (uint64_t)at[11] << 24 : 0;
    size_t begin = MAGIC_BYTES + (wide ? 6 : 4);
    if (length > count - begin) {
        return not_numpys(path, "its header is cut off");
    }
    const char *header = (const char *)at + begin;
    GT_TRY(read_header(&npy, header, header + length, path));
    npy.data = begin + length;
    GT_REFUSE(__builtin_mul_overflow(npy.elements, gt_type_bytes(npy.type), &npy.bytes) ||
                  npy.bytes != count - npy.data,
              GPUTUNE_EINVAL, "%s: %zu bytes of data; expected %llu for its %llu elements", path,
              count - npy.data, (unsigned long long)npy.bytes, (unsigned long long)npy.elements);
    *out = npy;
    return GPUTUNE_OK;
}

static void append_shape(gt_text *out, const uint64_t *shape, uint32_t dimensions)
{
    gt_text_append(out, "(");
    for (uint32_t i = 0; i < dimensions; i++) {
        gt_text_printf(out, "%s%llu", i ? ", " : "", (unsigned long long)shape[i]);
    }
    gt_text_append(out, dimensions == 1 ? ",)" : ")");
}

void gt_npy_describe(gt_text *out, gt_type type, const uint64_t *shape, uint32_t dimensions)
{
    append_shape(out, shape, dimensions);
    gt_text_printf(out, " of %s", gt_type_name(type));
}
