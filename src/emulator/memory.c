/* Manages device memory: addresses, allocations, and sharing with other processes. */
#include "emulator/memory.h"

#include "base/signals.h"
#include "emulator/driver_abi.h"
#include "emulator/registered.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define GRANULE_SHIFT 16
#define GRANULE_BYTES (UINT64_C(1) << GRANULE_SHIFT)
#define RANGE_BYTES   (UINT64_C(1) << 39) /* large enough that addresses are rarely reused */
#define GRANULE_COUNT (RANGE_BYTES >> GRANULE_SHIFT)
#define SLOT_COUNT    (UINT32_C(1) << 20)
#define SHARE_MAGIC   UINT64_C(0x756d652d656e7574)

/* Marks a granule whose pages could not be released. It is never used again. */
#define LOST_GRANULE UINT32_MAX

/* Allocations are 64 MB apart if possible, so an access far out of bounds is detected too. */
enum { FAR_GRANULES = 1024, FREED_COUNT = 256 };

/* An allocation and its name. The slot is free if the allocation has 0 bytes. */
typedef struct slot {
    emu_allocation what;
    char name[64];
    size_t before; /* distance from the start of the allocation to the address that was named */
    uint32_t next_free;
} slot;

typedef struct freed_range {
    uint64_t base;
    size_t bytes;
} freed_range;

static struct {
    pthread_mutex_t lock;
    bool open;
    int file; /* file that backs the range; -1: anonymous memory, which cannot be shared */
    uint64_t base;
    uint64_t cursor;
    /* for each granule: index of its slot plus one; 0: free; or LOST_GRANULE */
    _Atomic uint32_t *owner_of_granule;
    slot *slots;
    uint32_t slots_used, first_free;
    uint64_t last_id, token;
    size_t in_use, limit;
    freed_range freed[FREED_COUNT];
    unsigned freed_next;
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static void *reserve_addresses(size_t bytes, int protection)
{
    void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void *reserve_shared(int *file)
{
    *file = memfd_create("gputune-emu", MFD_CLOEXEC);
    gt_held_signal held;
    gt_signal_hold(&held);
    bool sized = *file >= 0 && ftruncate(*file, (off_t)RANGE_BYTES) == 0;
    gt_signal_release(&held);
    if (!sized) {
        return NULL;
    }
    void *at = mmap(NULL, RANGE_BYTES, PROT_NONE, MAP_SHARED | MAP_NORESERVE, *file, 0);
    return at == MAP_FAILED ? NULL : at;
}

static int open_range(void)
{
    void *range = reserve_shared(&memory.file);
    if (!range) {
        if (memory.file >= 0) {
            close(memory.file);
            memory.file = -1;
        }
        range = reserve_addresses(RANGE_BYTES, PROT_NONE);
    }
    memory.owner_of_granule =
        reserve_addresses(GRANULE_COUNT * sizeof(uint32_t), PROT_READ | PROT_WRITE);
    memory.slots = reserve_addresses(SLOT_COUNT * sizeof(slot), PROT_READ | PROT_WRITE);
    if (!range || !memory.owner_of_granule || !memory.slots) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (getrandom(&memory.token, sizeof memory.token, GRND_NONBLOCK) < 0) {
        memory.token = (uint64_t)(uintptr_t)range ^ (uint64_t)getpid();
    }
    madvise(range, RANGE_BYTES, MADV_DONTFORK); /* a forked child must not access the range */
    memory.base = (uint64_t)(uintptr_t)range;
    memory.cursor = 1; /* granule 0 stays free, so small negative offsets are detected */
    memory.open = true;
    return 0;
}

int emu_memory_open(size_t limit_bytes)
{
    pthread_mutex_lock(&memory.lock);
    int code = memory.open ? 0 : open_range();
    memory.limit = limit_bytes;
    pthread_mutex_unlock(&memory.lock);
    return code;
}

static uint64_t granules_for(size_t bytes)
{
    return (bytes + GRANULE_BYTES - 1) >> GRANULE_SHIFT;
}

static uint64_t address_of_granule(uint64_t granule)
{
    return memory.base + (granule << GRANULE_SHIFT);
}

/* Finds `count` free granules from granule `from` upwards, with `gap` free granules before and
 * after them. Returns 0 if there are none. */
static uint64_t find_run(uint64_t from, uint64_t count, uint64_t gap)
{
    uint64_t run = 0;
    for (uint64_t granule = from; granule < GRANULE_COUNT; granule++) {
        run = atomic_load_explicit(&memory.owner_of_granule[granule], memory_order_relaxed)
                  ? 0
                  : run + 1;
        if (run == count + 2 * gap) {
            return granule + 1 - count - gap;
        }
    }
    return 0;
}

static uint64_t claim_granules(uint64_t count)
{
    uint64_t gap = FAR_GRANULES;
    uint64_t first = find_run(memory.cursor, count, gap);
    if (!first) {
        first = find_run(0, count, gap);
    }
    if (!first) { /* use smaller gaps, because few addresses are left */
        gap = 1;
        first = find_run(0, count, gap);
    }
    if (first) {
        memory.cursor = first + count;
    }
    return first;
}

static bool take_slot(uint32_t *out)
{
    if (memory.first_free) {
        *out = memory.first_free - 1;
        memory.first_free = memory.slots[*out].next_free;
        return true;
    }
    if (memory.slots_used == SLOT_COUNT) {
        return false;
    }
    *out = memory.slots_used++;
    return true;
}

static void mark_granules(uint64_t base, size_t bytes, uint32_t owner)
{
    uint64_t first = (base - memory.base) >> GRANULE_SHIFT;
    for (uint64_t i = 0; i < granules_for(bytes); i++) {
        atomic_store_explicit(&memory.owner_of_granule[first + i], owner, memory_order_release);
    }
}

static size_t page_round(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Returns false for imports and views, which map memory of another allocation. */
static bool holds_own(emu_memory_kind kind)
{
    return kind != EMU_MEMORY_IMPORT && kind != EMU_MEMORY_VIEW;
}

/* Reserves a slot, and addresses that cannot be accessed yet. Call it with the lock held. */
static int claim_slot(uint32_t *out, size_t bytes, emu_memory_kind kind, void *owner)
{
    if (!memory.open || bytes > memory.limit || memory.in_use > memory.limit - bytes) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    uint64_t first = claim_granules(granules_for(bytes));
    if (!first || !take_slot(out)) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory.slots[*out].what = (emu_allocation){.base = address_of_granule(first),
                                               .bytes = bytes,
                                               .kind = kind,
                                               .owner = owner,
                                               .id = ++memory.last_id};
    memory.in_use += holds_own(kind) ? bytes : 0;
    return 0;
}

static void give_slot(uint32_t index)
{
    emu_allocation *what = &memory.slots[index].what;
    memory.in_use -= holds_own(what->kind) ? what->bytes : 0;
    *what = (emu_allocation){0};
    memory.slots[index].name[0] = '\0';
    memory.slots[index].before = 0;
    memory.slots[index].next_free = memory.first_free;
    memory.first_free = index + 1;
}

static int claim_and_protect(uint64_t *out, size_t bytes, emu_memory_kind kind, void *owner)
{
    uint32_t index;
    int code = claim_slot(&index, bytes, kind, owner);
    if (code) {
        return code;
    }
    uint64_t base = memory.slots[index].what.base;
    if (mprotect((void *)(uintptr_t)base, page_round(bytes), PROT_READ | PROT_WRITE)) {
        give_slot(index);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    mark_granules(base, bytes, index + 1);
    *out = base;
    return 0;
}

int emu_memory_allocate(uint64_t *out, size_t bytes, emu_memory_kind kind, void *owner)
{
    if (!bytes) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&memory.lock);
    int code = claim_and_protect(out, bytes, kind, owner);
    pthread_mutex_unlock(&memory.lock);
    return code;
}

static void remember_freed(const emu_allocation *what)
{
    memory.freed[memory.freed_next++ % FREED_COUNT] =
        (freed_range){.base = what->base, .bytes = what->bytes};
}

/* Frees a part of the memory file, which then reads as zeros. */
static bool punch_hole(off_t offset, size_t bytes)
{
    return fallocate(memory.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset,
                     (off_t)bytes) == 0;
}

/* Releases the pages, so later accesses by the host fail as on a real device. Returns false if the
 * system cannot do this; the addresses must then not be used again. */
static bool drop_pages(const emu_allocation *what)
{
    void *at = (void *)(uintptr_t)what->base;
    size_t bytes = page_round(what->bytes);
    off_t offset = memory.file >= 0 ? (off_t)(what->base - memory.base) : 0;
    bool emptied = !holds_own(what->kind) || memory.file < 0 || punch_hole(offset, bytes);
    int flags = memory.file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    flags |= MAP_FIXED | MAP_NORESERVE;
    if (mmap(at, bytes, PROT_NONE, flags, memory.file, offset) == MAP_FAILED) {
        return false;
    }
    madvise(at, bytes, MADV_DONTFORK);
    return emptied;
}

static void release_slot(uint32_t index)
{
    emu_allocation what = memory.slots[index].what;
    mark_granules(what.base, what.bytes, 0);
    if (!drop_pages(&what)) {
        mark_granules(what.base, what.bytes, LOST_GRANULE);
    }
    remember_freed(&what);
    give_slot(index);
}

/* Returns the slot index, plus one, of the allocation at `address`. Returns 0 if there is none. */
static uint32_t owner_at(uint64_t address)
{
    uint64_t offset = address - memory.base;
    if (!memory.open || offset >= RANGE_BYTES) {
        return 0;
    }
    uint32_t owner = atomic_load_explicit(&memory.owner_of_granule[offset >> GRANULE_SHIFT],
                                          memory_order_acquire);
    return owner == LOST_GRANULE ? 0 : owner;
}

int emu_memory_release(uint64_t base, emu_memory_kind kind)
{
    pthread_mutex_lock(&memory.lock);
    uint32_t owner = owner_at(base);
    const emu_allocation *what = owner ? &memory.slots[owner - 1].what : NULL;
    bool ok = what && what->base == base && what->kind == kind;
    if (ok) {
        release_slot(owner - 1);
    }
    pthread_mutex_unlock(&memory.lock);
    return ok ? 0 : CUDA_ERROR_INVALID_VALUE;
}

void emu_memory_release_owner(void *owner)
{
    pthread_mutex_lock(&memory.lock);
    for (uint32_t i = 0; i < memory.slots_used; i++) {
        if (memory.slots[i].what.bytes && memory.slots[i].what.owner == owner) {
            release_slot(i);
        }
    }
    pthread_mutex_unlock(&memory.lock);
    emu_registered_release_owner(owner);
}

bool emu_memory_lookup(emu_allocation *out, uint64_t address)
{
    uint32_t owner = owner_at(address);
    if (!owner) {
        return emu_registered_find(out, address);
    }
    const emu_allocation *what = &memory.slots[owner - 1].what;
    if (address - what->base >= what->bytes) {
        return false;
    }
    *out = *what;
    return true;
}

/* Finds the whole pages of a range, as offset and size in the memory file. Returns false if the
 * range is small or is not in the file. */
static bool find_pages(off_t *offset, size_t *bytes, uint64_t address, size_t size)
{
    enum { LARGE = 1 << 20 };
    emu_allocation what;
    const uint64_t end = address + size;
    const uint64_t first = page_round(address), past = page_round(end + 1) - page_round(1);
    if (size < LARGE || memory.file < 0 || !owner_at(address) ||
        !emu_memory_lookup(&what, address) || !holds_own(what.kind)) {
        return false;
    }
    *offset = (off_t)(first - memory.base);
    *bytes = past - first;
    return true;
}

void emu_memory_clear(void *at, size_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    off_t offset;
    size_t inner;
    if (!find_pages(&offset, &inner, address, bytes) || !punch_hole(offset, inner)) {
        memset(at, 0, bytes);
        return;
    }
    const size_t before = memory.base + (uint64_t)offset - address;
    memset(at, 0, before);
    memset((char *)at + before + inner, 0, bytes - before - inner);
}

bool emu_memory_is_clear(const void *at, size_t bytes)
{
    const uint64_t address = (uint64_t)(uintptr_t)at;
    off_t offset;
    size_t inner;
    if (!find_pages(&offset, &inner, address, bytes) || inner != bytes) {
        return false;
    }
    const off_t data = lseek(memory.file, offset, SEEK_DATA);
    return data < 0 ? errno == ENXIO : data >= offset + (off_t)bytes;
}

bool emu_memory_name(uint64_t address, const char *name)
{
    pthread_mutex_lock(&memory.lock);
    uint32_t owner = owner_at(address);
    if (owner) {
        slot *named = &memory.slots[owner - 1];
        snprintf(named->name, sizeof named->name, "%s", name);
        named->before = address - named->what.base;
    }
    pthread_mutex_unlock(&memory.lock);
    return owner != 0;
}

bool emu_memory_covers(uint64_t address, size_t bytes)
{
    emu_allocation what;
    return emu_memory_lookup(&what, address) && bytes <= what.bytes - (address - what.base);
}

/* Returns the distance from an address outside the allocation to its nearest byte. */
static uint64_t distance_to(const emu_allocation *what, uint64_t address)
{
    return address < what->base ? what->base - address : address - (what->base + what->bytes);
}

/* Returns the nearest allocation in the address's granule or a granule next to it, or NULL. */
static const slot *find_neighbour(uint64_t address)
{
    const slot *nearest = NULL;
    for (int side = -1; side <= 1; side++) {
        uint32_t owner = owner_at(address + (uint64_t)side * GRANULE_BYTES);
        const slot *found = owner ? &memory.slots[owner - 1] : nearest;
        if (!nearest || distance_to(&found->what, address) < distance_to(&nearest->what, address)) {
            nearest = found;
        }
    }
    return nearest;
}

static bool describe_freed(char *out, size_t out_bytes, uint64_t address)
{
    for (unsigned i = 0; i < FREED_COUNT; i++) {
        const freed_range *range = &memory.freed[i];
        if (address - range->base < range->bytes) {
            snprintf(out, out_bytes, "in freed memory (%zu bytes at 0x%llx)", range->bytes,
                     (unsigned long long)range->base);
            return true;
        }
    }
    return false;
}

static const char *name_of(const slot *named)
{
    return named->name[0] ? named->name : "an allocation";
}

static void describe_near(char *out, size_t out_bytes, const slot *near, uint64_t address)
{
    const emu_allocation *what = &near->what;
    const uint64_t start = what->base + near->before;
    const bool is_before = address < start;
    snprintf(out, out_bytes, "%llu bytes %s %s of %zu bytes at 0x%llx",
             (unsigned long long)(is_before ? start - address : distance_to(what, address)),
             is_before ? "before" : "past the end of", name_of(near), what->bytes - near->before,
             (unsigned long long)start);
}

void emu_memory_describe(char *out, size_t out_bytes, uint64_t address)
{
    emu_allocation inside;
    pthread_mutex_lock(&memory.lock);
    const slot *near = find_neighbour(address);
    if (emu_memory_lookup(&inside, address)) {
        uint32_t owner = owner_at(address);
        snprintf(out, out_bytes, "in %s of %zu bytes at 0x%llx",
                 owner ? name_of(&memory.slots[owner - 1]) : "an allocation", inside.bytes,
                 (unsigned long long)inside.base);
    } else if (!describe_freed(out, out_bytes, address)) {
        if (near) {
            describe_near(out, out_bytes, near, address);
        } else {
            snprintf(out, out_bytes, "not near any allocation");
        }
    }
    pthread_mutex_unlock(&memory.lock);
}

size_t emu_memory_in_use(void)
{
    pthread_mutex_lock(&memory.lock);
    size_t bytes = memory.in_use;
    pthread_mutex_unlock(&memory.lock);
    return bytes;
}

size_t emu_memory_limit(void)
{
    return memory.limit;
}

int emu_memory_export(emu_memory_share *out, uint64_t address)
{
    emu_allocation what;
    if (!emu_memory_lookup(&what, address) || what.kind != EMU_MEMORY_DEVICE) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (memory.file < 0) {
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *out = (emu_memory_share){.magic = SHARE_MAGIC,
                              .process = getpid(),
                              .file = memory.file,
                              .offset = what.base - memory.base,
                              .bytes = what.bytes,
                              .token = memory.token};
    return 0;
}

/* Opens the memory file of another process. Returns -1 if the process has ended. */
static int open_share(const emu_memory_share *share)
{
    char path[64], link[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)share->process, (int)share->file);
    ssize_t length = readlink(path, link, sizeof link - 1);
    if (length < 0) {
        return -1;
    }
    link[length] = '\0';
    return strstr(link, "gputune-emu") ? open(path, O_RDWR | O_CLOEXEC) : -1;
}

/* Maps a range of a memory file. Call it with the lock held. */
static int map_file(uint64_t *out, int file, uint64_t offset, const emu_allocation *like)
{
    uint32_t index;
    int code = claim_slot(&index, like->bytes, like->kind, like->owner);
    if (code) {
        return code;
    }
    uint64_t base = memory.slots[index].what.base;
    void *at = mmap((void *)(uintptr_t)base, page_round(like->bytes),
                    like->read_only ? PROT_READ : PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, (off_t)offset);
    if (at == MAP_FAILED) {
        give_slot(index);
        return CUDA_ERROR_INVALID_VALUE;
    }
    madvise(at, page_round(like->bytes), MADV_DONTFORK);
    memory.slots[index].what.read_only = like->read_only;
    mark_granules(base, like->bytes, index + 1);
    *out = base;
    return 0;
}

int emu_memory_view(uint64_t *out, uint64_t base, void *owner)
{
    pthread_mutex_lock(&memory.lock);
    uint32_t slot = owner_at(base);
    int code = slot && memory.slots[slot - 1].what.base == base
                   ? memory.file < 0 ? CUDA_ERROR_NOT_SUPPORTED : 0
                   : CUDA_ERROR_INVALID_VALUE;
    if (!code) {
        const emu_allocation like = {.bytes = memory.slots[slot - 1].what.bytes,
                                     .kind = EMU_MEMORY_VIEW,
                                     .owner = owner,
                                     .read_only = true};
        code = map_file(out, memory.file, base - memory.base, &like);
    }
    pthread_mutex_unlock(&memory.lock);
    return code;
}

int emu_memory_import(uint64_t *out, const emu_memory_share *share, void *owner)
{
    if (share->magic != SHARE_MAGIC || !share->bytes || share->offset % GRANULE_BYTES ||
        share->offset >= RANGE_BYTES || share->bytes > RANGE_BYTES - share->offset) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (share->process == getpid() && share->token == memory.token) {
        return CUDA_ERROR_INVALID_CONTEXT;
    }
    int file = open_share(share);
    if (file < 0) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_mutex_lock(&memory.lock);
    int code = map_file(
        out, file, share->offset,
        &(emu_allocation){.bytes = share->bytes, .kind = EMU_MEMORY_IMPORT, .owner = owner});
    pthread_mutex_unlock(&memory.lock);
    close(file);
    return code;
}
