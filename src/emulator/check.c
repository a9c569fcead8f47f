/* Manages a checked stretch of launches: descriptions of memory, shadow memory and findings. */
#include "emulator/check_stretch.h"

#include "base/number.h"
#include "emulator/extensions.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_FOUND = 256, TEXT_BYTES = 1024, MBARRIERS = 64 };

typedef struct emu_found {
    const char *kind;
    uint32_t line, other_line; /* PTX lines */
    ptx_place place, other_place;
    uint64_t count;
    char where[128], thread[64], other[64], what[160];
} emu_found;

/* Memory that a copy or fill has initialised and that is not in a region. */
typedef struct emu_filled {
    uint64_t base, end;
} emu_filled;

/* The current checked stretch, or NULL. Only the measuring thread sets it, between launches. */
static emu_check *stretch;
static char *last_text;

/* ---- a stretch ---- */

static void end_check(emu_check *check)
{
    if (!check)
        return;
    emu_order_forget(check);
    while (check->regions) {
        emu_region *next = check->regions->next;
        free(check->regions->cells);
        free(check->regions);
        check->regions = next;
    }
    free(check->found);
    free(check->transfers);
    free(check->filled);
    free(check);
}

void emu_check_on(void)
{
    end_check(stretch);
    stretch = calloc(1, sizeof *stretch);
    if (stretch)
        stretch->found = calloc(MOST_FOUND, sizeof *stretch->found);
    if (stretch && !stretch->found) {
        end_check(stretch);
        stretch = NULL;
    }
}

emu_region *emu_check_add_region(emu_check *check, uint64_t base, uint64_t bytes)
{
    emu_region *region = calloc(1, sizeof *region);
    if (region) {
        *region = (emu_region){.next = check->regions, .base = base, .bytes = bytes};
        check->regions = region;
    }
    return region;
}

void emu_check_note(uint64_t address, uint64_t bytes, const char *name, uint32_t element_bytes,
                    unsigned flags)
{
    emu_region *region = stretch && bytes ? emu_check_add_region(stretch, address, bytes) : NULL;
    if (!region)
        return;
    region->element_bytes = element_bytes ? element_bytes : 1;
    region->is_set = flags & EMU_CHECK_SET;
    region->races = flags & EMU_CHECK_RACES;
    gt_snprintf(region->name, sizeof region->name, "%s", name);
}

void emu_check_allocated(emu_check *check, uint64_t address, uint64_t bytes)
{
    emu_region *region = emu_check_add_region(check, address, bytes);
    if (!region)
        return;
    region->element_bytes = 1;
    gt_snprintf(region->name, sizeof region->name, "memory of malloc");
}

void emu_check_freed(emu_check *check, uint64_t address)
{
    for (emu_region **place = &check->regions; *place; place = &(*place)->next) {
        emu_region *region = *place;
        if (region->base == address) {
            *place = region->next;
            free(region->cells);
            free(region);
            return;
        }
    }
}

bool emu_check_grow(void **items, size_t count, size_t *capacity, size_t item_bytes)
{
    if (count < *capacity)
        return true;
    void *more = realloc(*items, (*capacity * 2 + 16) * item_bytes);
    if (more) {
        *items = more;
        *capacity = *capacity * 2 + 16;
    }
    return more != NULL;
}

void emu_check_filled(uint64_t address, uint64_t bytes)
{
    emu_check *check = stretch;
    bool is_noted = false;
    for (emu_region *r = check ? check->regions : NULL; r; r = r->next) {
        bool inside = address < r->base + r->bytes && r->base < address + bytes;
        r->is_set |= inside;
        is_noted |= inside;
    }
    if (check && !is_noted &&
        emu_check_grow((void **)&check->filled, check->filled_count, &check->filled_capacity,
                       sizeof *check->filled))
        check->filled[check->filled_count++] = (emu_filled){address, address + bytes};
}

/* Returns log2 of the granule size, which is the program's smallest access but at most 4 bytes. */
static unsigned find_shift(const emu_program *program)
{
    unsigned least = 4;
    for (size_t i = 0; i < program->op_count; i++) {
        const emu_op *op = &program->ops[i];
        bool elsewhere = op->space == PTX_LOCAL || op->space == PTX_PARAM || op->space == PTX_CONST;
        if (op->unit == EMU_CLASS_LDST && op->bytes && op->bytes < least && !elsewhere)
            least = op->bytes;
    }
    return least == 4 ? 2 : least == 2 ? 1 : 0;
}

/* Discards all cells when the granule size changes. Their memory then counts as initialised. */
static void forget_cells(emu_check *check)
{
    for (emu_region *region = check->regions; region; region = region->next) {
        region->is_set |= region->cells != NULL;
        free(region->cells);
        region->cells = NULL;
    }
}

/* Calls `visit` (may be NULL) for each variable that kernels may write. Returns the total size. */
static size_t each_variable(emu_check *check,
                            void (*visit)(emu_check *check, size_t index, size_t at))
{
    const emu_program *program = check->launch->program;
    size_t at = 0;
    for (size_t i = 0; check->launch->globals && i < program->module.global_count; i++) {
        if (program->globals[i].space != EMU_SPACE_GLOBAL || !check->launch->globals[i])
            continue;
        if (visit)
            visit(check, i, at);
        at += program->globals[i].bytes;
    }
    return at;
}

static void keep_variable(emu_check *check, size_t index, size_t at)
{
    memcpy(check->before + at, (const void *)(uintptr_t)check->launch->globals[index],
           check->launch->program->globals[index].bytes);
}

/* Discards the findings about a variable if the launch has not changed its value. */
static void forgive_variable(emu_check *check, size_t index, size_t at)
{
    const emu_global *variable = &check->launch->program->globals[index];
    size_t kept = 0;
    if (memcmp(check->before + at, (const void *)(uintptr_t)check->launch->globals[index],
               variable->bytes) != 0)
        return;
    for (size_t i = 0; i < check->found_count; i++)
        if (strcmp(check->found[i].kind, "state") != 0 ||
            strcmp(check->found[i].where, variable->name) != 0)
            check->found[kept++] = check->found[i];
    check->found_count = kept;
}

/* Returns how many clock components a block needs for griddepcontrol.wait and for its mbarriers. */
static uint32_t count_slots(const emu_program *program)
{
    uint32_t slots = 0;
    for (size_t f = 0; f < program->module.function_count; f++) {
        const ptx_function *function = program->module.functions[f];
        for (size_t i = 0; i < function->instruction_count && slots <= 1; i++) {
            const char *opcode = function->instructions[i].opcode;
            if (strncmp(opcode, "mbarrier.", strlen("mbarrier.")) == 0)
                slots = 1 + MBARRIERS;
            else if (strncmp(opcode, "griddepcontrol.", strlen("griddepcontrol.")) == 0)
                slots = 1;
        }
    }
    return slots;
}

/* Computes which earlier launches may still be running when `launch` begins. A programmatic launch
 * may begin while the previous launch, P, is still running. If a thread of P executed
 * griddepcontrol.wait, the launches before P end before P ends. If a block of P did so before it
 * triggered `launch`, these launches end before `launch` begins. */
static void count_launch(emu_check *check, const emu_launch *launch)
{
    uint32_t before_end = check->waited ? check->open_after_wait : check->open;
    uint32_t before_trigger = check->early_blocks == check->blocks ? check->open : before_end;
    uint32_t recent = launch->is_programmatic ? EMU_LONG_AGO - 1 : 0;
    check->open = (before_trigger << 1 | 1) & recent;
    check->open_after_wait = before_end << 1 & recent;
    check->blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    check->early_blocks = 0;
    check->waited = false;
}

emu_check *emu_check_join(const emu_launch *launch)
{
    const uint32_t *block = launch->block;
    if (!stretch)
        return NULL;
    count_launch(stretch, launch);
    unsigned shift = find_shift(launch->program);
    if (shift != stretch->shift)
        forget_cells(stretch);
    stretch->shift = shift;
    stretch->launch = launch;
    stretch->slots = count_slots(launch->program);
    stretch->block_components =
        (block[0] * block[1] * block[2] + EMU_WARP - 1) / EMU_WARP + stretch->slots;
    stretch->before = malloc(each_variable(stretch, NULL) + 1);
    if (stretch->before)
        each_variable(stretch, keep_variable);
    return stretch;
}

/* Shifts a mask of recent launches by one launch, and sets bit 0 if the launch that has just ended
 * made the access in `stamp`. */
static uint32_t settled_launch(uint32_t launches, const emu_stamp *stamp)
{
    return launches << 1 | (launches & EMU_LONG_AGO) | (stamp->warp != 0);
}

void emu_check_settle(emu_check *check)
{
    if (check->before)
        each_variable(check, forgive_variable);
    free(check->before);
    check->before = NULL;
    emu_order_forget(check);
    for (emu_region *region = check->regions; region; region = region->next) {
        size_t count = region->cells ? (region->bytes >> check->shift) + 2 : 0;
        for (size_t i = 0; i < count; i++) {
            emu_cell *cell = &region->cells[i];
            *cell = (emu_cell){.written_before = settled_launch(cell->written_before, &cell->write),
                               .read_before = settled_launch(cell->read_before, &cell->read[0])};
        }
    }
    check->transfer_count = 0;
    check->is_behind_answer.op = NULL; /* the next program may reuse the op's address */
    check->launch = NULL;
}

/* ---- names ---- */

const emu_global *emu_check_variable(const emu_check *check, uint64_t address)
{
    const emu_program *program = check->launch->program;
    for (size_t i = 0; check->launch->globals && i < program->module.global_count; i++) {
        uint64_t base = check->launch->globals[i];
        const emu_global *global = &program->globals[i];
        if (global->space == EMU_SPACE_GLOBAL && address >= base && address - base < global->bytes)
            return global;
    }
    return NULL;
}

static bool is_filled(const emu_check *check, uint64_t address, uint32_t bytes)
{
    for (size_t i = 0; i < check->filled_count; i++) {
        const emu_filled *filled = &check->filled[i];
        if (address >= filled->base && address + bytes <= filled->end)
            return true;
    }
    return false;
}

const emu_global *emu_check_empty(const emu_check *check, uint64_t address, uint32_t bytes)
{
    const emu_program *program = check->launch->program;
    for (size_t i = 0; check->launch->globals && i < program->module.global_count; i++) {
        uint64_t base = check->launch->globals[i];
        const emu_global *global = &program->globals[i];
        if (global->space == EMU_SPACE_CONST && address >= base && address - base < global->bytes)
            return program->module.globals[i]->initial || is_filled(check, address, bytes) ? NULL
                                                                                           : global;
    }
    return NULL;
}

static const emu_region *nearest_region(const emu_check *check, uint64_t address)
{
    const emu_region *best = NULL;
    uint64_t least = 1 << 20;
    for (const emu_region *r = check->regions; r; r = r->next) {
        uint64_t away = address < r->base              ? r->base - address
                        : address - r->base < r->bytes ? 0
                                                       : address - r->base - r->bytes + 1;
        if (r->element_bytes && away < least) {
            best = r;
            least = away;
        }
    }
    return best;
}

void emu_check_name(char *out, size_t out_bytes, const emu_check *check, uint64_t address)
{
    const emu_region *region = nearest_region(check, address);
    const emu_global *variable = emu_check_variable(check, address);
    if (variable) {
        gt_snprintf(out, out_bytes, "%.60s", variable->name);
    } else if (region) {
        int64_t offset = (int64_t)(address - region->base), size = region->element_bytes;
        int64_t element = offset < 0 ? -((size - 1 - offset) / size) : offset / size;
        gt_snprintf(out, out_bytes, "%.60s[%lld] of %llu", region->name, (long long)element,
                    (unsigned long long)(region->bytes / region->element_bytes));
    } else {
        gt_snprintf(out, out_bytes, "address 0x%llx", (unsigned long long)address);
    }
}

static void name_thread(char *out, size_t out_bytes, const emu_check *check, uint32_t warp,
                        unsigned lane)
{
    const uint32_t *grid = check->launch->grid, *block = check->launch->block;
    uint32_t b = warp / check->block_components;
    uint32_t t = warp % check->block_components * EMU_WARP + lane;
    gt_snprintf(out, out_bytes, "block (%u,%u,%u) thread (%u,%u,%u)", b % grid[0],
                b / grid[0] % grid[1], b / grid[0] / grid[1], t % block[0], t / block[0] % block[1],
                t / block[0] / block[1]);
}

/* ---- findings ---- */

static emu_found *find_finding(emu_check *check, const char *kind, uint32_t line,
                               uint32_t other_line)
{
    for (size_t i = 0; i < check->found_count; i++) {
        emu_found *found = &check->found[i];
        if (found->line == line && found->other_line == other_line &&
            strcmp(found->kind, kind) == 0)
            return found;
    }
    return NULL;
}

void emu_check_report(const emu_warp *warp, const emu_op *op, unsigned lane, const char *kind,
                      const char *where, const emu_stamp *other, const char *what)
{
    emu_check *check = warp->worker->check;
    const ptx_module *module = &check->launch->program->module;
    emu_found *found = find_finding(check, kind, op->line, other ? other->line : 0);
    if (found) {
        found->count++;
        return;
    }
    if (check->found_count == MOST_FOUND)
        return;
    found = &check->found[check->found_count++];
    *found = (emu_found){.kind = kind,
                         .line = op->line,
                         .other_line = other ? other->line : 0,
                         .place = ptx_module_place(module, op->line),
                         .count = 1};
    name_thread(found->thread, sizeof found->thread, check,
                warp->block->order->warps[warp->index].index, lane);
    if (other) {
        found->other_place = ptx_module_place(module, other->line);
        name_thread(found->other, sizeof found->other, check, other->warp - 1, other->lane);
    }
    gt_snprintf(found->where, sizeof found->where, "%s", where);
    gt_snprintf(found->what, sizeof found->what, "%s", what);
}

void emu_check_fault(const emu_warp *warp, const emu_op *op, int code, unsigned lane,
                     uint64_t address, const char *what)
{
    enum { ILLEGAL_ADDRESS = 700, MISALIGNED = 716 };
    char where[128] = "";
    bool write = op->flags & EMU_ACCESS_WRITE;
    bool global = address && address >> EMU_TAG_SHIFT == 0 && op->space != PTX_SHARED;
    if (code != ILLEGAL_ADDRESS && code != MISALIGNED) {
        emu_check_report(warp, op, lane, "fault", "", NULL, what);
        return;
    }
    if (global) {
        emu_check_name(where, sizeof where, warp->worker->check, address);
        what = code == MISALIGNED ? "is misaligned for an access of this size"
               : write            ? "is written outside the buffer"
                                  : "is read outside the buffer";
    }
    emu_check_report(warp, op, lane, code == MISALIGNED ? "alignment" : "bounds", where, NULL,
                     what);
}

void emu_check_stuck(const emu_group *group)
{
    bool polls = false;
    for (const emu_group *g = group; g; g = g->next)
        polls |= emu_check_polls(g);
    for (; group && !polls; group = group->next)
        for (uint32_t b = 0; b < group->block_count; b++)
            for (uint32_t w = 0; w < group->blocks[b].warp_count; w++) {
                const emu_warp *warp = &group->blocks[b].warps[w];
                for (unsigned i = 0; i < warp->split_count; i++) {
                    const emu_split *split = &warp->splits[i];
                    if (split->waiting_op)
                        emu_check_report(warp, split->waiting_op,
                                         (unsigned)__builtin_ctz(split->mask), "barrier", "", NULL,
                                         "waits here for threads that never arrive");
                }
            }
}

void emu_check_endless(const emu_group *group)
{
    for (; group; group = group->next)
        for (uint32_t b = 0; b < group->block_count; b++)
            for (uint32_t w = 0; w < group->blocks[b].warp_count; w++) {
                const emu_warp *warp = &group->blocks[b].warps[w];
                for (unsigned i = 0; i < warp->split_count; i++) {
                    const emu_split *split = &warp->splits[i];
                    if (split->state == EMU_READY) {
                        const emu_op *ops = warp->worker->check->launch->program->ops;
                        emu_check_report(warp, &ops[split->pc],
                                         (unsigned)__builtin_ctz(split->mask), "hang", "", NULL,
                                         "probably an endless loop: the launch still runs here "
                                         "after far more operations than any other launch");
                        return;
                    }
                }
            }
}

/* ---- the report ---- */

static void write_line(char *out, size_t room, const emu_found *f)
{
    gt_snprintf(out, room, "%s\t%s\t%u\t%u\t%llu\t%s\t%s\t%s\t%s\n", f->kind,
                f->place.file ? f->place.file : "", f->place.line, f->other_place.line,
                (unsigned long long)f->count, f->where, f->thread, f->other, f->what);
}

const char *emu_check_off(void)
{
    emu_check *check = stretch;
    size_t at = 0;
    free(last_text);
    last_text = NULL;
    if (check)
        last_text = calloc(check->found_count + 1, TEXT_BYTES);
    for (size_t i = 0; last_text && i < check->found_count; i++) {
        write_line(last_text + at, TEXT_BYTES, &check->found[i]);
        at += strlen(last_text + at);
    }
    end_check(check);
    stretch = NULL;
    return last_text ? last_text : "";
}
