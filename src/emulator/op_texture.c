/* tex. Reads texture objects as described in the CUDA programming guide ("Texture Fetching"). */
#include "emulator/address.h"
#include "emulator/driver_abi.h"
#include "emulator/float.h"
#include "emulator/lanes.h"

#include <math.h>

typedef struct fetch {
    uint32_t object, layer, at[3]; /* operands */
    uint32_t targets[4];
    unsigned rank; /* number of coordinates; 0: one index into linear memory */
    bool is_layered;
    bool is_float; /* the result's type */
    bool is_whole; /* coordinates are .s32 */
} fetch;

typedef union component {
    float real;
    uint32_t bits;
} component;

typedef struct result {
    component lanes[4][EMU_WARP];
} result;

/* One texel for each lane, with its position (-1: no texel) and its weight. */
typedef struct tap {
    int64_t row[EMU_WARP], column[EMU_WARP];
    float weight[EMU_WARP];
} tap;

/* ---- texels ---- */

unsigned emu_texture_component_bytes(int format)
{
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

static bool is_normalized(const emu_texture *texture)
{
    return texture->format < CU_AD_FORMAT_HALF &&
           emu_texture_component_bytes(texture->format) < 4 &&
           !(texture->flags & CU_TRSF_READ_AS_INTEGER);
}

static int32_t integer_at(const uint8_t *at, int format)
{
    int32_t word = 0;
    int16_t half = 0;
    memcpy(&half, at,
           format == CU_AD_FORMAT_UNSIGNED_INT8 || format == CU_AD_FORMAT_SIGNED_INT8
               ? 1
               : sizeof half);
    switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return *at;
    case CU_AD_FORMAT_SIGNED_INT8:
        return (int8_t)*at;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return (uint16_t)half;
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return half;
    default:
        memcpy(&word, at, sizeof word);
        return word;
    }
}

static component component_at(const uint8_t *at, const emu_texture *texture)
{
    const bool is_signed = texture->format >= CU_AD_FORMAT_SIGNED_INT8;
    const int32_t value = integer_at(at, texture->format);
    const unsigned bits = emu_texture_component_bytes(texture->format) * 8;
    component out = {.bits = (uint32_t)value};
    if (texture->format == CU_AD_FORMAT_HALF)
        out.real = emu_half_to_float((uint16_t)value);
    if (is_normalized(texture)) {
        float most = (float)((UINT64_C(1) << (bits - is_signed)) - 1);
        out.real = fmaxf((float)value / most, -1.0f);
    }
    return out;
}

/* Adds one texel of each lane to the lane's result. Lanes without a texel add zero. */
static bool read_tap(emu_warp *warp, const emu_op *op, const emu_texture *texture, const tap *tap,
                     result *out)
{
    const unsigned bytes = emu_texture_component_bytes(texture->format),
                   channels = (unsigned)texture->channels;
    const emu_op load = {.line = op->line, .space = PTX_GLOBAL, .unit = op->unit};
    const uint32_t all = warp->mask;
    emu_access access = {.bytes = bytes * channels};
    uint32_t inside = 0;
    uint64_t some = 0;
    EMU_FOR_LANES(lane, all)
    if (tap->row[lane] >= 0 && tap->column[lane] >= 0) {
        inside |= 1u << lane;
        some = texture->base + (uint64_t)tap->row[lane] * texture->pitch_bytes +
               (uint64_t)tap->column[lane] * access.bytes;
        access.address[lane] = some;
    }
    if (!inside)
        return true;
    for (unsigned lane = 0; lane < EMU_WARP; lane++)
        if (!(inside >> lane & 1))
            access.address[lane] = some;
    warp->mask = inside;
    bool ok = emu_resolve(warp, &load, &access);
    warp->mask = all;
    if (!ok)
        return false;
    EMU_FOR_LANES(lane, inside)
    for (unsigned k = 0; k < channels; k++) {
        component one = component_at(access.host[lane] + (size_t)k * bytes, texture);
        if (texture->format >= CU_AD_FORMAT_HALF || is_normalized(texture))
            out->lanes[k][lane].real += tap->weight[lane] * one.real;
        else
            out->lanes[k][lane] = one;
    }
    return true;
}

/* ---- coordinates ---- */

/* Maps an index outside the texture according to the address mode. Returns -1 for the border. The
 * modes wrap and mirror apply only to normalised coordinates. */
static int64_t place_of(int64_t index, const emu_texture *texture, unsigned dimension)
{
    const bool normalized = texture->flags & CU_TRSF_NORMALIZED_COORDINATES;
    const int64_t n = (int64_t)texture->sizes[dimension];
    const int mode = texture->address[dimension];
    if (mode == CU_TR_ADDRESS_MODE_BORDER)
        return index >= 0 && index < n ? index : -1;
    if (mode == CU_TR_ADDRESS_MODE_CLAMP || !normalized)
        return index < 0 ? 0 : index >= n ? n - 1 : index;
    const int64_t turn = mode == CU_TR_ADDRESS_MODE_MIRROR ? 2 * n : n;
    index = (index % turn + turn) % turn;
    return index < n ? index : turn - 1 - index;
}

static float coordinate(const emu_warp *warp, unsigned lane, const fetch *f,
                        const emu_texture *texture, unsigned dimension)
{
    const emu_f32 *real = emu_lanes(warp, f->at[dimension]);
    const emu_s32 *whole = emu_lanes(warp, f->at[dimension]);
    const float limit = 1e15f;
    float value = f->is_whole ? (float)whole[lane] : real[lane];
    value *= texture->flags & CU_TRSF_NORMALIZED_COORDINATES ? (float)texture->sizes[dimension] : 1;
    return fminf(fmaxf(value, -limit), limit);
}

/* Returns the layer that the lane reads, which is clamped to the existing layers. */
static int64_t layer_of(const emu_warp *warp, unsigned lane, const fetch *f,
                        const emu_texture *texture)
{
    const emu_s32 *layers = emu_lanes(warp, f->layer);
    const int64_t layer = layers[lane], last = (int64_t)texture->layers - 1;
    return !f->is_layered || layer < 0 ? 0 : layer > last ? last : layer;
}

/* Returns the lower of the two texels that a filter reads. *weight is the upper one's weight. */
static int64_t split_coordinate(float *weight, float value)
{
    const float below = floorf(value - 0.5f);
    *weight = rintf((value - 0.5f - below) * 256) / 256;
    return (int64_t)below;
}

/* Sets a texel's position and weight. Bit d of `upper` selects the upper texel in dimension d. */
static void place_tap(tap *out, unsigned lane, const emu_texture *texture, unsigned upper,
                      const int64_t lower[3], const float weight[3], int64_t layer)
{
    int64_t place[3] = {0};
    bool inside = true;
    out->weight[lane] = 1;
    for (unsigned d = 0; d < texture->rank; d++) {
        place[d] = place_of(lower[d] + (upper >> d & 1), texture, d);
        inside = inside && place[d] >= 0;
        out->weight[lane] *= upper >> d & 1 ? weight[d] : 1 - weight[d];
    }
    const int64_t rows = texture->rank > 1 ? (int64_t)texture->sizes[1] : 1;
    out->column[lane] = inside ? place[0] : -1;
    out->row[lane] = (layer + place[2]) * rows + place[1];
}

static bool sample_texture(emu_warp *warp, const emu_op *op, const emu_texture *texture,
                           result *out)
{
    const fetch *f = op->extra;
    const bool filters = texture->filter == CU_TR_FILTER_MODE_LINEAR;
    const unsigned count = filters ? 1u << texture->rank : 1;
    tap taps[8];
    EMU_FOR_LANES(lane, warp->mask)
    {
        int64_t lower[3];
        float weight[3] = {0};
        for (unsigned d = 0; d < texture->rank; d++) {
            float at = coordinate(warp, lane, f, texture, d);
            lower[d] = filters ? split_coordinate(&weight[d], at) : (int64_t)floorf(at);
        }
        for (unsigned k = 0; k < count; k++)
            place_tap(&taps[k], lane, texture, k, lower, weight, layer_of(warp, lane, f, texture));
    }
    bool ok = true;
    for (unsigned k = 0; k < count && ok; k++)
        ok = read_tap(warp, op, texture, &taps[k], out);
    return ok;
}

/* Reads linear memory. A read out of bounds returns zero. */
static bool sample_line(emu_warp *warp, const emu_op *op, const emu_texture *texture, result *out)
{
    const fetch *f = op->extra;
    const emu_s32 *index = emu_lanes(warp, f->at[0]);
    tap tap;
    EMU_FOR_LANES(lane, warp->mask)
    {
        bool inside = index[lane] >= 0 && (uint64_t)index[lane] < texture->sizes[0];
        tap.column[lane] = inside ? index[lane] : -1;
        tap.row[lane] = 0;
        tap.weight[lane] = 1;
    }
    return read_tap(warp, op, texture, &tap, out);
}

/* ---- the instruction ---- */

static const char *kind_of(const emu_texture *texture)
{
    static const char *const plain[] = {"which is linear memory: tex1Dfetch() reads it",
                                        "which has one dimension: tex1D() reads it",
                                        "which has rows: tex2D() reads it",
                                        "which has three dimensions: tex3D() reads it"};
    static const char *const layered[] = {"", "which has layers: tex1DLayered() reads it",
                                          "which has layers of rows: tex2DLayered() reads it", ""};
    return (texture->layers ? layered : plain)[texture->rank];
}

static bool is_fitting(emu_warp *warp, const emu_op *op, const emu_texture *texture, unsigned lane,
                       uint64_t object)
{
    enum { LAUNCH_FAILED = 719 };
    const fetch *f = op->extra;
    const char *why = NULL;
    if (!texture)
        why = "which does not exist";
    else if (f->rank != texture->rank || f->is_layered != (texture->layers > 0))
        why = kind_of(texture);
    else if (f->is_float != (texture->format >= CU_AD_FORMAT_HALF || is_normalized(texture)))
        why = f->is_float ? "which has integers, but is read as floats"
                          : "which has floats, but is read as integers";
    if (why)
        emu_raise(warp, op, LAUNCH_FAILED, lane, object, "read of texture object 0x%llx, %s",
                  (unsigned long long)object, why);
    return !why;
}

/* Lanes with the same texture object are read together. */
static void read_texture(emu_warp *warp, const emu_op *op)
{
    const fetch *f = op->extra;
    const emu_u64 *objects = emu_lanes(warp, f->object);
    const emu_memory *memory = warp->worker->run->launch->memory;
    const uint32_t all = warp->mask;
    result out = {0};
    bool ok = true;
    for (uint32_t rest = all; rest && ok;) {
        const unsigned first = (unsigned)__builtin_ctz(rest);
        const uint64_t object = objects[first];
        const emu_texture *texture =
            memory && memory->texture ? memory->texture(memory->context, object) : NULL;
        uint32_t same = 0;
        EMU_FOR_LANES(lane, rest)
        same |= (uint32_t)(objects[lane] == object) << lane;
        rest &= ~same;
        warp->mask = same;
        ok = is_fitting(warp, op, texture, first, object) &&
             (f->rank ? sample_texture : sample_line)(warp, op, texture, &out);
    }
    warp->mask = all;
    for (unsigned k = 0; k < 4 && ok; k++) {
        emu_u32 *target = emu_lanes(warp, f->targets[k]);
        EMU_EACH_LANE(warp, target[i] = out.lanes[k][i].bits);
    }
}

static bool decode_coordinates(emu_decoder *decoder, fetch *f, const ptx_operand *address)
{
    const ptx_operand *at = address->kind == PTX_OPERAND_ADDRESS ? address->second : NULL;
    const unsigned count = (f->rank ? f->rank : 1) + f->is_layered;
    if (!at || at->kind != PTX_OPERAND_VECTOR || at->count < count) {
        emu_decode_fail(decoder, "needs a texture object with %u coordinates", count);
        return false;
    }
    f->object = emu_source(decoder, &address->items[0], 8);
    f->layer = emu_source(decoder, &at->items[0], 4);
    for (unsigned i = f->is_layered; i < count; i++)
        f->at[i - f->is_layered] = emu_source(decoder, &at->items[i], 4);
    return true;
}

/* Decodes tex.SHAPE.v4.TYPE.f32 and .s32. The combination of .1d and .s32 reads linear memory. */
void emu_decode_texture(emu_decoder *decoder)
{
    static const char *const shapes[] = {"1d", "2d", "3d", "a1d", "a2d"};
    enum { FIRST_LAYERED = 3 };
    emu_op *op = decoder->op;
    fetch *f = emu_decode_alloc(decoder, sizeof *f);
    const int shape = emu_take_one(decoder, shapes, sizeof shapes / sizeof *shapes);
    if (shape < 0 || !emu_take(decoder, "v4")) {
        emu_decode_fail(decoder,
                        "the emulator does not support cube and mipmapped textures or gathers");
        return;
    }
    const ptx_type type = emu_take_type(decoder), index = emu_take_type(decoder);
    const ptx_operand *to = emu_operand(decoder, 0);
    if (!f || decoder->failed || !emu_operands(decoder, 2, 2))
        return;
    *f = (fetch){.rank = shape == 0 && index == PTX_S32 ? 0 : (unsigned)shape % FIRST_LAYERED + 1,
                 .is_layered = shape >= FIRST_LAYERED,
                 .is_float = type == PTX_F32,
                 .is_whole = index == PTX_S32};
    if (ptx_type_bytes(type) != 4 || (!f->is_whole && index != PTX_F32) ||
        to->kind != PTX_OPERAND_VECTOR || to->count != 4)
        return; /* no handler, so the caller will refuse the instruction */
    if (!decode_coordinates(decoder, f, emu_operand(decoder, 1)))
        return;
    for (unsigned k = 0; k < 4; k++)
        f->targets[k] = emu_target(decoder, &to->items[k], 4);
    op->unit = EMU_CLASS_LDST;
    op->extra = f;
    op->run = read_texture;
    decoder->flows[decoder->index].is_load = true;
}
