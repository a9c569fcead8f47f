/* Counts the cost of accesses: sectors, lines, bank conflicts and lanes at the same address. */
#include "emulator/address.h"
#include "emulator/cache.h"

enum { SECTOR = 32, LINE = 128, BANKS = 32 };

typedef struct lines {
    uint64_t line[EMU_WARP];
    uint8_t sectors[EMU_WARP]; /* bit i is set if sector i of the line is accessed */
    unsigned count;
} lines;

static void add_line(lines *all, uint64_t line, unsigned sectors)
{
    unsigned i = all->count;
    while (i > 0 && all->line[i - 1] != line)
        i--;
    if (i == 0) {
        all->line[all->count] = line;
        all->sectors[all->count++] = 0;
        i = all->count;
    }
    all->sectors[i - 1] |= (uint8_t)sectors;
}

/* Finds the cache lines that the lanes access. Each access is aligned, so it is in one sector. */
static void find_lines(lines *out, const emu_access *access, uint32_t mask)
{
    out->count = 0;
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t address = access->address[lane];
        add_line(out, address / LINE, 1u << (address / SECTOR % (LINE / SECTOR)));
    }
}

static void find_contiguous_lines(lines *out, uint64_t first, uint64_t bytes)
{
    uint64_t from = first / SECTOR, end = (first + bytes - 1) / SECTOR + 1;
    out->count = 0;
    while (from < end) {
        uint64_t line = from / 4;
        unsigned last = end - line * 4 < 4 ? (unsigned)(end - line * 4) : 4;
        unsigned sectors = ((1u << last) - 1) & ~((1u << from % 4) - 1);
        out->line[out->count] = line;
        out->sectors[out->count++] = (uint8_t)sectors;
        from = line * 4 + 4;
    }
}

static unsigned count_sectors(const lines *all)
{
    unsigned count = 0;
    for (unsigned i = 0; i < all->count; i++)
        count += emu_popcount(all->sectors[i]);
    return count;
}

static unsigned most_on_one(const emu_access *access, uint32_t mask)
{
    unsigned most = 0;
    while (mask) {
        uint64_t address = access->address[__builtin_ctz(mask)];
        uint32_t same = 0;
        EMU_FOR_LANES(lane, mask)
        same |= (uint32_t)(access->address[lane] == address) << lane;
        mask &= ~same;
        most = emu_popcount(same) > most ? emu_popcount(same) : most;
        if (most >= emu_popcount(mask))
            break;
    }
    return most;
}

static void count_loads(emu_warp *warp, const emu_op *op, const lines *all, unsigned sectors)
{
    emu_counters *counters = &warp->worker->counters;
    counters->global_load_lines += all->count;
    counters->global_load_sectors += sectors;
    if (op->flags & EMU_ACCESS_BYPASS)
        return;
    for (unsigned i = 0; warp->worker->l1 && i < all->count; i++)
        counters->global_load_l1_hits +=
            emu_cache_read(warp->worker->l1, all->line[i], all->sectors[i]);
}

/* Counts the atomic accesses to each sector in a small hash table. If several sectors have the same
 * entry, it counts only one of them, usually the one with the most accesses. */
static void note_hot(emu_group *group, const emu_access *access, uint32_t mask)
{
    EMU_FOR_LANES(lane, mask)
    {
        uint64_t sector = access->address[lane] / SECTOR;
        emu_hot *hot = &group->hot[(sector ^ sector >> 8 ^ sector >> 16) % EMU_HOT];
        if (hot->sector != sector && hot->lanes > 0) {
            hot->lanes--;
            continue;
        }
        hot->sector = sector;
        hot->lanes++;
        group->hottest = hot->lanes > group->hottest ? hot->lanes : group->hottest;
    }
}

EMU_WIDE void emu_count_global(emu_warp *warp, const emu_op *op, const emu_access *access,
                               uint32_t mask)
{
    emu_counters *counters = &warp->worker->counters;
    lines all;
    if (access->is_contiguous)
        find_contiguous_lines(&all, access->address[0], (uint64_t)access->bytes * EMU_WARP);
    else
        find_lines(&all, access, access->is_uniform ? mask & -mask : mask);
    unsigned sectors = count_sectors(&all);
    if (op->flags & EMU_ACCESS_ATOMIC) {
        counters->global_atomic_sectors += sectors;
        note_hot(warp->block->group, access, mask);
    } else if (op->flags & EMU_ACCESS_WRITE) {
        counters->global_store_lines += all.count;
        counters->global_store_sectors += sectors;
    } else {
        count_loads(warp, op, &all, sectors);
    }
}

/* Returns the number of cycles of one phase: the maximum number of distinct words in one bank. */
static unsigned phase_cycles(const emu_access *access, uint32_t mask)
{
    uint32_t words[BANKS][EMU_WARP];
    uint8_t counts[BANKS] = {0};
    unsigned most = 0, per_lane = access->bytes < 4 ? 1 : access->bytes / 4;
    EMU_FOR_LANES(lane, mask)
    for (unsigned k = 0; k < per_lane; k++) {
        uint32_t word = (uint32_t)access->address[lane] / 4 + k, bank = word % BANKS;
        unsigned i = 0;
        while (i < counts[bank] && words[bank][i] != word)
            i++;
        if (i == counts[bank])
            words[bank][counts[bank]++] = word;
        most = counts[bank] > most ? counts[bank] : most;
    }
    return most;
}

/* Returns the number of phases of an access: two for 64-bit elements, four for wider elements. */
static unsigned phases_of(const emu_access *access)
{
    return access->bytes <= 4 ? 1 : access->bytes / 4;
}

static unsigned shared_cycles(const emu_access *access, uint32_t mask)
{
    unsigned phases = phases_of(access), lanes = EMU_WARP / phases, cycles = 0;
    for (unsigned p = 0; p < phases; p++) {
        uint32_t part = mask & (lanes == 32 ? UINT32_MAX : ((1u << lanes) - 1) << p * lanes);
        cycles += part ? phase_cycles(access, part) : 0;
    }
    return cycles;
}

void emu_count_shared(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask)
{
    emu_counters *counters = &warp->worker->counters;
    if (op->flags & EMU_ACCESS_ATOMIC) {
        counters->shared_atomic_serial += most_on_one(access, mask);
        return;
    }
    counters->shared_requests++;
    counters->shared_wavefronts +=
        access->is_contiguous ? phases_of(access) : shared_cycles(access, mask);
}

void emu_count_cluster(emu_warp *warp, const emu_op *op, const emu_access *access, uint32_t mask)
{
    emu_counters *counters = &warp->worker->counters;
    lines all;
    find_lines(&all, access, mask);
    if (op->flags & EMU_ACCESS_ATOMIC)
        counters->cluster_atomic_lanes += emu_popcount(mask);
    else
        counters->cluster_requests++;
    counters->cluster_sectors += count_sectors(&all);
}

/* Counts the cost of an access to local memory, in which word w of lane l is at 128 w + 4 l. */
void emu_count_local(emu_warp *warp, const emu_access *access, uint32_t mask)
{
    emu_counters *counters = &warp->worker->counters;
    unsigned per_lane = access->bytes < 4 ? 1 : access->bytes / 4;
    lines all = {.count = 0};
    EMU_FOR_LANES(lane, access->is_uniform ? 0 : mask)
    add_line(&all, access->address[lane] / 4, 1u << lane / 8);
    for (unsigned lane = 0; lane < EMU_WARP && access->is_uniform; lane += 8)
        add_line(&all, 0, (mask >> lane & 0xff) != 0 ? 1u << lane / 8 : 0);
    counters->local_sectors += (uint64_t)count_sectors(&all) * per_lane;
}

void emu_count_constant(emu_warp *warp, const emu_access *access, uint32_t mask)
{
    emu_counters *counters = &warp->worker->counters;
    mask = access->is_uniform ? mask & -mask : mask;
    counters->const_requests++;
    while (mask) {
        uint64_t address = access->address[__builtin_ctz(mask)];
        EMU_FOR_LANES(lane, mask)
        if (access->address[lane] == address)
            mask &= ~(1u << lane);
        counters->const_addresses++;
    }
}
