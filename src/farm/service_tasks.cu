/* The service kernels of the measure worker: fill, reset, check, sweep, delay, poison shared memory. NVRTC compiles
 * them as one text, in this order: service.h, service_value.h, this file, service_fill.cu, service_check.cu,
 * service_time.cu.
 *
 * Fill, reset and check work on a table of tasks. A task consists of `tiles` tiles of GT_TILE elements (or
 * GT_TILE_HASH or GT_TILE_RESET bytes). It is repeated `repeats` times at a distance of `stride` bytes. The tiles of
 * all tasks are numbered consecutively and distributed over the blocks. */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef gt_service_task task;
typedef gt_service_number number;
typedef gt_finding finding;

struct findings {
    u64 sequence; // in findings: number of the run; in accumulators: number of blocks that have finished
    finding items[1];
};

static __device__ u32 size_of(u32 type) // the constant is a table with 2 bits for each type: log2 of its size
{
    return 1u << (0x394fa50u >> 2 * type & 3);
}

static __device__ double infinity()
{
    return __longlong_as_double(0x7ff0000000000000ll);
}

static __device__ bool is_float(u32 type)
{
    return type >= GT_TYPE_F16;
}

// --- loading and storing an element --------------------------------------------------------------

static __device__ __noinline__ u64 load_bits(u64 address, u64 index, u32 size)
{
    switch (size) {
    case 1: return ((const u8 *)address)[index];
    case 2: return ((const u16 *)address)[index];
    case 4: return ((const u32 *)address)[index];
    default: return ((const u64 *)address)[index];
    }
}

static __device__ __noinline__ void store_bits(u64 address, u64 index, u32 size, u64 bits)
{
    switch (size) {
    case 1: ((u8 *)address)[index] = (u8)bits; break;
    case 2: ((u16 *)address)[index] = (u16)bits; break;
    case 4: ((u32 *)address)[index] = (u32)bits; break;
    default: ((u64 *)address)[index] = bits; break;
    }
}

// If conversions to a type saturate, returns its largest value. Otherwise returns 0.
static __device__ double saturation_of(u32 type)
{
    return type == GT_TYPE_E4M3 ? 448.0 : type == GT_TYPE_E5M2 ? 57344.0 : 0.0;
}

// Returns the smallest magnitude that becomes infinite when it is converted to the type.
static __device__ double overflow_of(u32 type)
{
    return type == GT_TYPE_F16    ? 65520.0
           : type == GT_TYPE_BF16 ? 3.3961775292304959e38
           : type == GT_TYPE_F32  ? 3.4028235677973366e38
                          : __longlong_as_double(0x7ff0000000000000ll);
}

/* Returns the poison byte at an address. Poisons 0 to 3 alternate every 16 bytes between NaN, a huge negative
 * number, zero, and a huge positive number. `poison` is the index of the first of these. */
static __device__ u32 poison_byte(u32 poison, u64 address)
{
    return poison < 4 ? 0x7b00fbffu >> 8 * ((poison + (u32)(address >> 4)) & 3) & 0xff : poison;
}

static __device__ u64 poison_bits(u32 byte, u32 size)
{
    return byte * 0x0101010101010101ull >> (64 - 8 * size);
}

// --- elements that consist of several numbers ----------------------------------------------------

// Makes a task *one that has only one element: number i of *all. `i` counts the numbers of all elements.
static __device__ __noinline__ void narrow_to_number(task *one, const task *all, u64 i)
{
    const number *f = (const number *)all->numbers + i % all->number_count;
    u64 offset = i / all->number_count * all->pitch + f->offset;
    *one = *all;
    one->numbers = 0;
    one->target += offset;
    one->source += one->source != 0 ? offset : 0;
    one->scale += one->scale != 0 ? i * size_of(one->scale_type) : 0;
    one->type = one->source_type = f->type;
}

// --- tables ----------------------------------------------------------------------------------------

// Returns the task that contains `tile`. Starts the search at `task`; earlier tasks are not searched.
static __device__ const task *advance(const task *task, u64 tile)
{
    while (tile >= task->first_tile + task->tiles * task->repeats) {
        ++task;
    }
    return task;
}
