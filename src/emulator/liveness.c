/* Assigns storage to registers. Registers that are never live at the same time share storage. */
#include "emulator/liveness.h"

#include <stdlib.h>

enum { CLASSES = 5 }; /* sizes of registers: predicate, 16, 32, 64 and 128 bits */

typedef struct block {
    uint32_t first, end; /* instructions */
} block;

typedef struct range {
    uint32_t reg, start, end;
} range;

typedef struct liveness {
    const emu_decoder *decoder;
    /* `words`: number of 64-bit words of a bit mask of registers */
    size_t registers, instructions, words;
    uint32_t *block_of;
    block *blocks;
    size_t block_count;
    uint64_t *uses, *kills, *in, *out;
    size_t *touch_from; /* by instruction: index of its first use; last: number of all uses */
    range *ranges;
} liveness;

/* ---- basic blocks ---- */

static void find_blocks(liveness *l)
{
    const emu_flow *flows = l->decoder->flows;
    uint32_t *leads = l->block_of;
    if (l->instructions)
        leads[0] = 1;
    for (size_t i = 0; i < l->instructions; i++) {
        for (uint32_t t = 0; t < flows[i].count; t++)
            leads[flows[i].targets[t]] = 1;
        if ((flows[i].count || !flows[i].falls_through) && i + 1 < l->instructions)
            leads[i + 1] = 1;
    }
    for (size_t i = 0; i < l->instructions; i++) {
        if (leads[i])
            l->blocks[l->block_count++].first = (uint32_t)i;
        l->blocks[l->block_count - 1].end = (uint32_t)i + 1;
        l->block_of[i] = (uint32_t)l->block_count - 1;
    }
}

static void index_touches(liveness *l)
{
    const emu_decoder *decoder = l->decoder;
    size_t t = 0;
    for (size_t i = 0; i <= l->instructions; i++) {
        while (t < decoder->touch_count && decoder->touches[t].instruction < i)
            t++;
        l->touch_from[i] = t;
    }
}

static bool has_bit(const uint64_t *set, size_t index)
{
    return set[index / 64] >> (index % 64) & 1;
}

static void set_bit(uint64_t *set, size_t index)
{
    set[index / 64] |= UINT64_C(1) << (index % 64);
}

/* Finds the registers that a block uses or overwrites. A write with a guard does not overwrite a
 * register, because some lanes keep the old value. */
static void summarise_block(liveness *l, size_t index)
{
    const emu_decoder *decoder = l->decoder;
    uint64_t *uses = l->uses + index * l->words, *kills = l->kills + index * l->words;
    for (size_t i = l->blocks[index].first; i < l->blocks[index].end; i++) {
        const emu_touch *from = decoder->touches + l->touch_from[i];
        const emu_touch *end = decoder->touches + l->touch_from[i + 1];
        bool guarded = decoder->function->instructions[i].has_guard;
        for (const emu_touch *touch = from; touch < end; touch++)
            if ((!touch->writes || guarded) && !has_bit(kills, touch->reg))
                set_bit(uses, touch->reg);
        for (const emu_touch *touch = from; touch < end; touch++)
            if (touch->writes && !guarded)
                set_bit(kills, touch->reg);
    }
}

/* ---- data flow ---- */

static void add_successor(liveness *l, uint64_t *out, size_t successor)
{
    const uint64_t *in = l->in + successor * l->words;
    for (size_t w = 0; w < l->words; w++)
        out[w] |= in[w];
}

static bool update_block(liveness *l, size_t index)
{
    uint64_t *in = l->in + index * l->words, *out = l->out + index * l->words;
    const uint64_t *uses = l->uses + index * l->words, *kills = l->kills + index * l->words;
    const emu_flow *flow = &l->decoder->flows[l->blocks[index].end - 1];
    for (uint32_t t = 0; t < flow->count; t++)
        add_successor(l, out, l->block_of[flow->targets[t]]);
    if (flow->falls_through && index + 1 < l->block_count)
        add_successor(l, out, index + 1);
    bool changed = false;
    for (size_t w = 0; w < l->words; w++) {
        uint64_t value = uses[w] | (out[w] & ~kills[w]);
        changed |= value != in[w];
        in[w] = value;
    }
    return changed;
}

static void solve_flow(liveness *l)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t b = l->block_count; b-- > 0;)
            changed |= update_block(l, b);
    }
}

/* ---- ranges ---- */

static void extend_range(range *r, uint32_t at)
{
    r->start = at < r->start ? at : r->start;
    r->end = at > r->end ? at : r->end;
}

static void extend_set(liveness *l, const uint64_t *set, uint32_t at)
{
    for (size_t w = 0; w < l->words; w++)
        for (uint64_t rest = set[w]; rest; rest &= rest - 1)
            extend_range(&l->ranges[w * 64 + (size_t)__builtin_ctzll(rest)], at);
}

static void find_ranges(liveness *l)
{
    for (size_t r = 0; r < l->registers; r++)
        l->ranges[r] = (range){.reg = (uint32_t)r, .start = UINT32_MAX};
    for (size_t t = 0; t < l->decoder->touch_count; t++)
        extend_range(&l->ranges[l->decoder->touches[t].reg], l->decoder->touches[t].instruction);
    for (size_t b = 0; b < l->block_count; b++) {
        extend_set(l, l->in + b * l->words, l->blocks[b].first);
        extend_set(l, l->out + b * l->words, l->blocks[b].end - 1);
    }
}

static int by_start(const void *left, const void *right)
{
    const range *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->reg < b->reg ? -1 : a->reg > b->reg;
}

/* ---- slots ---- */

static unsigned class_of(ptx_type type)
{
    unsigned bytes = ptx_type_bytes(type), class = 0;
    for (; bytes > 1; bytes /= 2)
        class ++;
    return class;
}

/* Returns a free slot. The value in slot s is live until instruction busy_until[s]. */
static uint32_t take_slot(uint32_t *busy_until, uint32_t *count, const range *r)
{
    uint32_t slot = 0;
    while (slot < *count && busy_until[slot] >= r->start)
        slot++;
    *count += slot == *count;
    busy_until[slot] = r->end;
    return slot;
}

static void place_classes(emu_function *out, const uint32_t counts[CLASSES],
                          uint32_t bases[CLASSES])
{
    uint32_t at = EMU_FIRST_SLOT;
    bases[0] = at;
    at = (at + counts[0] * 4 + 63) & ~63u;
    for (unsigned class = 1; class < CLASSES; class ++) {
        bases[class] = at;
        at += counts[class] * (EMU_WARP << class);
    }
    out->register_bytes = at;
}

static void assign_slots(liveness *l, uint32_t *busy[CLASSES], uint32_t *slots)
{
    const ptx_type *types = l->decoder->function->registers;
    uint32_t counts[CLASSES] = {0}, bases[CLASSES];
    qsort(l->ranges, l->registers, sizeof *l->ranges, by_start);
    for (size_t i = 0; i < l->registers && l->ranges[i].start != UINT32_MAX; i++) {
        unsigned class = class_of(types[l->ranges[i].reg]);
        slots[l->ranges[i].reg] = take_slot(busy[class], &counts[class], &l->ranges[i]);
    }
    place_classes(l->decoder->out, counts, bases);
    for (size_t i = 0; i < l->registers && l->ranges[i].start != UINT32_MAX; i++) {
        unsigned class = class_of(types[l->ranges[i].reg]);
        uint32_t *slot = &slots[l->ranges[i].reg];
        *slot = bases[class] + *slot * (class ? EMU_WARP << class : 4);
    }
}

/* ---- pressure ---- */

/* Finds the registers whose values ptxas reads from constant memory or recomputes. */
static bool *find_folded(const liveness *l)
{
    const emu_decoder *decoder = l->decoder;
    const emu_op *ops = &decoder->program->ops[decoder->out->first];
    bool *folded = malloc(l->registers + 1);
    if (!folded)
        return NULL;
    memset(folded, true, l->registers + 1);
    for (size_t t = 0; t < decoder->touch_count; t++)
        if (decoder->touches[t].writes &&
            ops[decoder->touches[t].instruction].unit != EMU_CLASS_FOLDED)
            folded[decoder->touches[t].reg] = false;
    return folded;
}

/* Computes the maximum number of live 32-bit values. */
static bool measure_pressure(liveness *l)
{
    const ptx_type *types = l->decoder->function->registers;
    bool *folded = find_folded(l);
    int32_t *change = calloc(l->instructions + 2, sizeof *change), live = 0, most = 0;
    for (size_t i = 0; folded && change && i < l->registers; i++) {
        const range *r = &l->ranges[i];
        int32_t words = (int32_t)(ptx_type_bytes(types[r->reg]) + 3) / 4;
        if (r->start == UINT32_MAX || folded[r->reg])
            continue;
        change[r->start] += words;
        change[r->end > r->start ? r->end : r->start + 1] -= words;
    }
    for (size_t i = 0; folded && change && i <= l->instructions; i++) {
        live += change[i];
        most = live > most ? live : most;
    }
    bool done = folded && change;
    l->decoder->out->live_words = (uint32_t)most;
    free(folded);
    free(change);
    return done;
}

static bool allocate_arrays(liveness *l)
{
    l->block_of = calloc(l->instructions + 1, sizeof *l->block_of);
    l->blocks = calloc(l->instructions + 1, sizeof *l->blocks);
    l->touch_from = calloc(l->instructions + 1, sizeof *l->touch_from);
    l->ranges = calloc(l->registers + 1, sizeof *l->ranges);
    if (!l->block_of || !l->blocks || !l->touch_from || !l->ranges)
        return false;
    find_blocks(l);
    size_t sets = l->block_count * l->words;
    l->uses = calloc(4 * sets + 1, sizeof *l->uses);
    if (!l->uses)
        return false;
    l->kills = l->uses + sets;
    l->in = l->kills + sets;
    l->out = l->in + sets;
    return true;
}

bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots)
{
    const ptx_function *function = decoder->function;
    liveness l = {.decoder = decoder,
                  .registers = function->register_count,
                  .instructions = function->instruction_count,
                  .words = function->register_count / 64 + 1};
    uint32_t *busy[CLASSES] = {0};
    bool done = allocate_arrays(&l);
    for (unsigned class = 0; class < CLASSES; class ++) {
        busy[class] = calloc(l.registers + 1, sizeof *busy[class]);
        done = done && busy[class];
    }
    if (done) {
        index_touches(&l);
        for (size_t b = 0; b < l.block_count; b++)
            summarise_block(&l, b);
        solve_flow(&l);
        find_ranges(&l);
        assign_slots(&l, busy, slots);
        done = measure_pressure(&l);
    }
    for (unsigned class = 0; class < CLASSES; class ++)
        free(busy[class]);
    free(l.block_of);
    free(l.blocks);
    free(l.touch_from);
    free(l.ranges);
    free(l.uses);
    return done;
}
