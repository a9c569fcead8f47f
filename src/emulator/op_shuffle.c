/* shfl, vote, match, redux, activemask and elect. */
#include "emulator/check.h"
#include "emulator/lanes.h"

/* Runs an operation for `lanes`, whose member mask is the same. `who` are its active members. */
typedef void (*meeting)(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t who);

/* Calls `each` once for each distinct member mask. */
static void meet_lanes(emu_warp *warp, const emu_op *op, uint32_t operand, meeting each)
{
    uint32_t named[EMU_WARP], rest = warp->mask;
    if (!emu_gather(warp, op, emu_members(warp, operand)))
        return;
    memcpy(named, emu_lanes(warp, operand), sizeof named);
    while (rest) {
        uint32_t who = named[__builtin_ctz(rest)], lanes = 0;
        EMU_FOR_LANES(lane, rest)
        lanes |= (uint32_t)(named[lane] == who) << lane;
        rest &= ~lanes;
        each(warp, op, lanes, who & warp->mask);
    }
}

/* ---- shfl ---- */

enum { UP, DOWN, BUTTERFLY, INDEX };

/* Sets *from to the lane that `lane` reads. If that lane is outside the segment, sets *from to
 * `lane` and returns false. */
static bool source_lane(int mode, unsigned lane, uint32_t b, uint32_t c, unsigned *from)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    int shift = (int)(b & 31), at = (int)lane;
    int most = (int)((lane & segment) | (clamp & ~segment)), least = (int)(lane & segment);
    bool inside = false;
    switch (mode) {
    case UP:
        at -= shift;
        inside = at >= most;
        break;
    case DOWN:
        at += shift;
        inside = at <= most;
        break;
    case BUTTERFLY:
        at ^= shift;
        inside = at <= most;
        break;
    default:
        at = least | (int)(b & 31 & ~segment);
        inside = at <= most;
        break;
    }
    *from = inside ? (unsigned)at & 31 : lane;
    return inside;
}

static void shuffle(emu_warp *warp, const emu_op *op)
{
    if (!emu_gather(warp, op, op->flags ? emu_members(warp, op->d) : 0))
        return;
    emu_u32 *dst = emu_lanes(warp, op->dst);
    const emu_u32 *b = emu_lanes(warp, op->b), *c = emu_lanes(warp, op->c);
    const emu_u32 *named = op->flags ? emu_lanes(warp, op->d) : NULL;
    uint32_t values[EMU_WARP], inside = 0;
    memcpy(values, emu_lanes(warp, op->a), sizeof values);
    EMU_FOR_LANES(lane, warp->mask)
    {
        unsigned from;
        bool valid = source_lane(op->count, lane, b[lane], c[lane], &from);
        dst[lane] = values[from];
        if (warp->worker->check)
            emu_check_source(warp, op, lane, from, named ? named[lane] : UINT32_MAX);
        inside |= (uint32_t)valid << lane;
    }
    emu_set_predicate(warp, (uint32_t)op->imm, warp->mask, inside);
}

void emu_decode_shuffle(emu_decoder *decoder)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    emu_op *op = decoder->op;
    bool sync = emu_take(decoder, "sync");
    int mode = emu_take_one(decoder, modes, 4);
    if (mode < 0 || !emu_take(decoder, "b32") || !emu_operands(decoder, sync ? 5 : 4, sync ? 5 : 4))
        return;
    const ptx_operand *result = emu_operand(decoder, 0);
    op->count = (uint8_t)mode;
    op->flags = sync;
    op->a = emu_source(decoder, emu_operand(decoder, 1), 4);
    op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->c = emu_source(decoder, emu_operand(decoder, 3), 4);
    if (sync)
        op->d = emu_source(decoder, emu_operand(decoder, 4), 4);
    op->dst = emu_target(decoder, result, 4);
    op->imm = result->second ? emu_target(decoder, result->second, 0) : EMU_SINK_PREDICATE;
    op->unit = EMU_CLASS_WARP;
    op->run = shuffle;
}

/* ---- vote ---- */

enum { ALL, ANY, UNIFORM, BALLOT };

static void vote_among(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t who)
{
    uint32_t yes = (emu_predicate(warp, op->a) ^ (op->flags & 2 ? UINT32_MAX : 0)) & who;
    if (op->count == BALLOT) {
        emu_u32 *dst = emu_lanes(warp, op->dst);
        EMU_FOR_LANES(lane, lanes)
        dst[lane] = yes;
        return;
    }
    bool result = op->count == ALL ? yes == who : op->count == ANY ? yes != 0 : !yes || yes == who;
    emu_set_predicate(warp, op->dst, lanes, result ? UINT32_MAX : 0);
}

static void vote(emu_warp *warp, const emu_op *op)
{
    if (op->flags & 1)
        meet_lanes(warp, op, op->b, vote_among);
    else
        vote_among(warp, op, warp->mask, warp->mask);
}

void emu_decode_vote(emu_decoder *decoder)
{
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    emu_op *op = decoder->op;
    bool sync = emu_take(decoder, "sync");
    int mode = emu_take_one(decoder, modes, 4);
    if (mode < 0 || !emu_take(decoder, mode == BALLOT ? "b32" : "pred") ||
        !emu_operands(decoder, sync ? 3 : 2, sync ? 3 : 2))
        return;
    ptx_operand value = *emu_operand(decoder, 1);
    op->flags = (uint16_t)(sync | (value.is_negated ? 2 : 0));
    value.is_negated = false;
    op->count = (uint8_t)mode;
    if (value.kind == PTX_OPERAND_INTEGER) { /* a constant predicate */
        op->flags |= value.value ? 0 : 2;
        op->a = EMU_TRUE_SLOT;
    } else {
        op->a = emu_source(decoder, &value, 0);
    }
    if (sync)
        op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->dst = emu_target(decoder, emu_operand(decoder, 0), mode == BALLOT ? 4 : 0);
    op->unit = EMU_CLASS_WARP;
    op->run = vote;
}

/* ---- match ---- */

static uint64_t lane_value(const emu_warp *warp, const emu_op *op, unsigned lane)
{
    return op->width == 8 ? ((const emu_u64 *)emu_lanes(warp, op->a))[lane]
                          : ((const emu_u32 *)emu_lanes(warp, op->a))[lane];
}

static void match_among(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t who)
{
    uint32_t results[EMU_WARP], all = 0;
    EMU_FOR_LANES(lane, lanes)
    {
        results[lane] = 0;
        EMU_FOR_LANES(other, who)
        results[lane] |= (uint32_t)(lane_value(warp, op, other) == lane_value(warp, op, lane))
                         << other;
        all |= (uint32_t)(results[lane] == who) << lane;
    }
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(mine, lanes)
    dst[mine] = op->count == ALL ? (all >> mine & 1 ? who : 0) : results[mine];
    if (op->count == ALL)
        emu_set_predicate(warp, op->d, lanes, all);
}

static void match(emu_warp *warp, const emu_op *op)
{
    meet_lanes(warp, op, op->b, match_among);
}

void emu_decode_match(emu_decoder *decoder)
{
    static const char *const modes[] = {"all", "any"};
    emu_op *op = decoder->op;
    int mode = emu_take_one(decoder, modes, 2);
    ptx_type type = emu_take_type(decoder);
    op->width = (uint8_t)ptx_type_bytes(type);
    if (mode < 0 || !emu_take(decoder, "sync") || (op->width != 4 && op->width != 8) ||
        !emu_operands(decoder, 3, 3))
        return;
    const ptx_operand *result = emu_operand(decoder, 0);
    op->count = (uint8_t)mode;
    op->a = emu_source(decoder, emu_operand(decoder, 1), op->width);
    op->b = emu_source(decoder, emu_operand(decoder, 2), 4);
    op->dst = emu_target(decoder, result, 4);
    op->d = result->second ? emu_target(decoder, result->second, 0) : EMU_SINK_PREDICATE;
    op->unit = EMU_CLASS_WARP;
    op->run = match;
}

/* ---- redux ---- */

enum { R_ADD, R_MIN, R_MAX, R_AND, R_OR, R_XOR };

static uint32_t reduce_pair(int kind, bool is_signed, uint32_t a, uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    switch (kind) {
    case R_ADD:
        return a + b;
    case R_MIN:
        return less ? a : b;
    case R_MAX:
        return less ? b : a;
    case R_AND:
        return a & b;
    case R_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

static void redux_among(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t who)
{
    const emu_u32 *a = emu_lanes(warp, op->a);
    uint32_t result = who ? a[__builtin_ctz(who)] : 0;
    EMU_FOR_LANES(lane, who & (who - 1))
    result = reduce_pair(op->count, op->flags, result, a[lane]);
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(mine, lanes)
    dst[mine] = result;
}

static void redux(emu_warp *warp, const emu_op *op)
{
    meet_lanes(warp, op, op->b, redux_among);
}

void emu_decode_redux(emu_decoder *decoder)
{
    static const char *const kinds[] = {"add", "min", "max", "and", "or", "xor"};
    emu_op *op = decoder->op;
    int kind = emu_take_one(decoder, kinds, 6);
    ptx_type type = emu_take_type(decoder);
    bool fits = type == PTX_U32 || type == PTX_S32 || type == PTX_B32;
    if (kind < 0 || !fits || !emu_take(decoder, "sync"))
        return;
    op->count = (uint8_t)kind;
    op->flags = type == PTX_S32;
    op->unit = EMU_CLASS_WARP;
    op->run = redux;
    emu_decode_signature(decoder, "www");
}

/* ---- activemask, elect ---- */

static void activemask(emu_warp *warp, const emu_op *op)
{
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(lane, warp->mask)
    dst[lane] = warp->mask;
}

void emu_decode_activemask(emu_decoder *decoder)
{
    if (!emu_take(decoder, "b32"))
        return;
    decoder->op->unit = EMU_CLASS_WARP;
    decoder->op->run = activemask;
    emu_decode_signature(decoder, "w");
}

/* Decodes elect.sync d|p, members. The leader is the lowest member. */
static void elect_among(emu_warp *warp, const emu_op *op, uint32_t lanes, uint32_t who)
{
    uint32_t leader = who ? (uint32_t)__builtin_ctz(who) : 0;
    emu_u32 *dst = emu_lanes(warp, op->dst);
    EMU_FOR_LANES(lane, lanes)
    dst[lane] = leader;
    emu_set_predicate(warp, op->d, lanes, 1u << leader);
}

static void elect(emu_warp *warp, const emu_op *op)
{
    meet_lanes(warp, op, op->a, elect_among);
}

void emu_decode_elect(emu_decoder *decoder)
{
    emu_op *op = decoder->op;
    const ptx_operand *result = emu_operand(decoder, 0);
    if (!emu_take(decoder, "sync") || !emu_operands(decoder, 2, 2))
        return;
    op->a = emu_source(decoder, emu_operand(decoder, 1), 4);
    op->dst = emu_target(decoder, result, 4);
    op->d = result->second ? emu_target(decoder, result->second, 0) : EMU_SINK_PREDICATE;
    op->unit = EMU_CLASS_WARP;
    op->run = elect;
}
