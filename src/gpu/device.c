/* Reads device properties from the driver or from a table, and computes the environment key. */
#include "gpu/device.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/launch.h"
#include "base/text.h"
#include "gpu/budget.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct buffers {
    const gt_driver *driver;
    CUdeviceptr memory[2];
    CUevent events[2];
} buffers;

static void free_buffers(const buffers *buffers)
{
    for (int i = 0; i < 2; i++) {
        if (buffers->events[i]) {
            buffers->driver->EventDestroy(buffers->events[i]);
        }
        if (buffers->memory[i]) {
            gt_device_free(buffers->driver, buffers->memory[i]);
        }
    }
}

gputune_status gt_copy_rate(double *bytes_per_s, const gt_driver *driver, size_t most_bytes,
                            int copies)
{
    GT_SCOPED(free_buffers) buffers all = {.driver = driver};
    size_t free_bytes, total;
    float elapsed_ms;
    GT_TRY(gt_cuda_check(driver, gt_device_info(driver, &free_bytes, &total), "cuMemGetInfo"));
    const size_t bytes = free_bytes / 8 < most_bytes ? free_bytes / 8 : most_bytes;
    for (int i = 0; i < 2; i++) {
        GT_TRY(gt_cuda_check(driver, gt_device_alloc(driver, &all.memory[i], bytes), "cuMemAlloc"));
        GT_CUDA(driver, EventCreate, &all.events[i], 0);
    }
    for (int i = 0; i <= copies; i++) {
        if (i == 1) { /* the first copy is a warm-up */
            GT_CUDA(driver, EventRecord, all.events[0], NULL);
        }
        GT_CUDA(driver, MemcpyDtoDAsync, all.memory[1], all.memory[0], bytes, NULL);
    }
    GT_CUDA(driver, EventRecord, all.events[1], NULL);
    GT_CUDA(driver, EventSynchronize, all.events[1]);
    GT_CUDA(driver, EventElapsedTime, &elapsed_ms, all.events[0], all.events[1]);
    *bytes_per_s = elapsed_ms > 0 ? 2e3 * copies * (double)bytes / (double)elapsed_ms : 0;
    return GPUTUNE_OK;
}

gputune_status gt_device_copy_rate(double *bytes_per_s, const gt_driver *driver, int ordinal)
{
    CUdevice device;
    CUcontext context, popped;
    GT_CUDA(driver, DeviceGet, &device, ordinal);
    GT_CUDA(driver, DevicePrimaryCtxRetain, &context, device);
    gputune_status status =
        gt_cuda_check(driver, driver->CtxPushCurrent(context), "cuCtxPushCurrent");
    if (status == GPUTUNE_OK) {
        status = gt_copy_rate(bytes_per_s, driver, (size_t)256 << 20, 10);
        driver->CtxPopCurrent(&popped);
    }
    driver->DevicePrimaryCtxRelease(device);
    return status;
}

enum { KB = 1024, MB = 1024 * 1024 };

/* Carveout sizes in KB, from the CUDA programming guide ("Compute Capabilities"). */
static const int carveout_75[] = {32, 64};
static const int carveout_100kb[] = {0, 8, 16, 32, 64, 100};
static const int carveout_164kb[] = {0, 8, 16, 32, 64, 100, 132, 164};
static const int carveout_228kb[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
#define SIZES(list) list, sizeof(list) / sizeof *(list)

/* Limits of each architecture, from the technical specifications in the CUDA programming guide. The
 * numbers of multiprocessors and the L2 sizes are those of the T4, A100, A40, Orin, L40, H100,
 * B200, B300, Thor, RTX PRO 6000 and GB10. */
static const struct arch {
    int cc, threads_per_sm, blocks_per_sm, shared_per_sm_kb, shared_optin_kb, reserved_kb;
    const int *carveout;
    size_t carveouts;
    int max_cluster, sm_count, l2_mb;
} table[] = {
    {75, 1024, 16, 64, 64, 0, SIZES(carveout_75), 1, 40, 4},
    {80, 2048, 32, 164, 163, 1, SIZES(carveout_164kb), 1, 108, 40},
    {86, 1536, 16, 100, 99, 1, SIZES(carveout_100kb), 1, 84, 6},
    {87, 1536, 16, 164, 163, 1, SIZES(carveout_164kb), 1, 16, 4},
    {88, 1536, 16, 100, 99, 1, SIZES(carveout_100kb), 1, 16, 4},
    {89, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 1, 142, 96},
    {90, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 132, 50},
    {100, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 148, 126},
    {103, 2048, 32, 228, 227, 1, SIZES(carveout_228kb), 16, 148, 126},
    {110, 1536, 24, 228, 227, 1, SIZES(carveout_228kb), 16, 20, 32},
    {120, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 8, 188, 128},
    {121, 1536, 24, 100, 99, 1, SIZES(carveout_100kb), 8, 48, 24},
};
enum { ARCHES = sizeof table / sizeof *table };

/* Returns the row for `cc`. If there is none, returns the last row that has the same major version
 * or a lower `cc`. */
static const struct arch *nearest_arch(int cc)
{
    const struct arch *best = &table[0];
    for (size_t i = 0; i < ARCHES; i++) {
        if (table[i].cc == cc) {
            return &table[i];
        }
        if (table[i].cc / 10 == cc / 10 || table[i].cc < cc) {
            best = &table[i];
        }
    }
    return best;
}

/* Writes the target with all features, such as "sm_90a". The `a` enables wgmma and tcgen05. */
static void arch_exact(char *out, size_t bytes, int cc)
{
    enum { FIRST_WITH_FEATURES = 90 };
    snprintf(out, bytes, "sm_%d%s", cc, cc >= FIRST_WITH_FEATURES ? "a" : "");
}

void gt_device_add_arch_facts(gt_device *device)
{
    const struct arch *arch = nearest_arch(device->cc);
    device->max_cluster =
        device->cluster_launch ? (arch->max_cluster > 1 ? arch->max_cluster : 8) : 1;
    device->carveout_count = 0;
    for (size_t i = 0; i < arch->carveouts; i++) {
        if (arch->carveout[i] * KB <= device->shared_per_sm_bytes) {
            device->carveout_kb[device->carveout_count++] = arch->carveout[i];
        }
    }
}

static void fill_from_arch(gt_device *device, const struct arch *arch)
{
    *device = (gt_device){
        .ordinal = -1,
        .cc = arch->cc,
        .sm_count = arch->sm_count,
        .warp_size = 32,
        .max_threads_per_block = 1024,
        .max_threads_per_sm = arch->threads_per_sm,
        .max_blocks_per_sm = arch->blocks_per_sm,
        .registers_per_sm = 65536,
        .registers_per_block = 65536,
        .shared_per_block_bytes = 48 * KB,
        .shared_per_block_optin_bytes = arch->shared_optin_kb * KB,
        .shared_per_sm_bytes = arch->shared_per_sm_kb * KB,
        .shared_reserved_per_block_bytes = arch->reserved_kb * KB,
        .constant_bytes = INT64_C(64) * KB,
        .l2_bytes = (int64_t)arch->l2_mb * MB,
        /* three quarters of L2 can persist on an A100, 62.5% on an H200 */
        .l2_persist_bytes = arch->cc >= 80 ? arch->l2_mb * MB / 4 * 3 : 0,
        .l2_window_bytes = arch->cc >= 80 ? 128 * MB : 0,
        .memory_bytes = (int64_t)1 << 40,
        .max_block = {1024, 1024, 64},
        .max_grid = {INT32_MAX, 65535, 65535},
        .cluster_launch = arch->max_cluster > 1,
        .max_parameter_bytes = 32764,
    };
    gt_device_add_arch_facts(device);
}

gputune_status gt_device_for_arch(gt_device *out, const char *arch)
{
    enum { PREFIX = 3, MOST_DIGITS = 4 };
    int cc = 0, used = strncmp(arch, "sm_", PREFIX) == 0 ? PREFIX : 0;
    while (used && used < PREFIX + MOST_DIGITS && isdigit((unsigned char)arch[used])) {
        cc = cc * 10 + (arch[used++] - '0');
    }
    const char *suffix = arch + used;
    bool known_suffix =
        !*suffix || (!suffix[1] && ((*suffix == 'a' && cc >= 90) || (*suffix == 'f' && cc >= 100)));
    const struct arch *row = nearest_arch(cc);
    if (!used || row->cc != cc || !known_suffix) {
        GT_SCOPED(gt_text_free) gt_text known = {0};
        for (size_t i = 0; i < ARCHES; i++) {
            gt_text_printf(&known, " sm_%d", table[i].cc);
        }
        return gt_fail(GPUTUNE_EINVAL, "unknown architecture '%s'; expected one of:%s", arch,
                       gt_text_string(&known));
    }
    fill_from_arch(out, row);
    snprintf(out->name, sizeof out->name, "%s (no GPU)", arch);
    if (*suffix == 'f') {
        snprintf(out->arch, sizeof out->arch, "%s", arch);
    } else {
        arch_exact(out->arch, sizeof out->arch, cc);
    }
    snprintf(out->origin, sizeof out->origin, "arch");
    gt_device_environment(out);
    return GPUTUNE_OK;
}

void gt_device_environment(gt_device *device)
{
    char text[512];
    snprintf(text, sizeof text,
             "cc=%d sm=%d l2=%lld shared_sm=%d shared_optin=%d bus=%d memory_clock=%d sm_clock=%d "
             "mig=%s origin=%s",
             device->cc, device->sm_count, (long long)device->l2_bytes, device->shared_per_sm_bytes,
             device->shared_per_block_optin_bytes, device->bus_width_bits, device->memory_clock_khz,
             device->sm_clock_khz, device->mig_profile, device->origin);
    gt_hash_hex(device->environment, gt_hash_string(text));
}

enum { LARGE_PARAMETERS_VERSION = 12010 };

static const struct {
    size_t offset;
    CUdevice_attribute attribute;
    bool required;
} plain[] = {
#define PLAIN(name, member, required)                                                              \
    {                                                                                              \
        offsetof(gt_device, member), CU_DEVICE_ATTRIBUTE_##name, required                          \
    }
    PLAIN(MULTIPROCESSOR_COUNT, sm_count, true),
    PLAIN(WARP_SIZE, warp_size, true),
    PLAIN(MAX_THREADS_PER_BLOCK, max_threads_per_block, true),
    PLAIN(MAX_THREADS_PER_MULTIPROCESSOR, max_threads_per_sm, true),
    PLAIN(MAX_BLOCKS_PER_MULTIPROCESSOR, max_blocks_per_sm, true),
    PLAIN(MAX_REGISTERS_PER_MULTIPROCESSOR, registers_per_sm, true),
    PLAIN(MAX_REGISTERS_PER_BLOCK, registers_per_block, true),
    PLAIN(MAX_SHARED_MEMORY_PER_BLOCK, shared_per_block_bytes, true),
    PLAIN(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, shared_per_block_optin_bytes, true),
    PLAIN(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, shared_per_sm_bytes, true),
    PLAIN(RESERVED_SHARED_MEMORY_PER_BLOCK, shared_reserved_per_block_bytes, false),
    PLAIN(GLOBAL_MEMORY_BUS_WIDTH, bus_width_bits, false),
    PLAIN(MAX_PERSISTING_L2_CACHE_SIZE, l2_persist_bytes, false),
    PLAIN(MAX_ACCESS_POLICY_WINDOW_SIZE, l2_window_bytes, false),
    PLAIN(MAX_BLOCK_DIM_X, max_block[0], true),
    PLAIN(MAX_BLOCK_DIM_Y, max_block[1], true),
    PLAIN(MAX_BLOCK_DIM_Z, max_block[2], true),
#undef PLAIN
};

static gputune_status get_attribute(int *out, const gt_driver *driver, CUdevice device,
                                    CUdevice_attribute attribute)
{
    GT_CUDA(driver, DeviceGetAttribute, out, attribute, device);
    return GPUTUNE_OK;
}

static int get_or_zero(const gt_driver *driver, CUdevice device, CUdevice_attribute attribute)
{
    int value = 0;
    return driver->DeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : 0;
}

static gputune_status read_attributes(gt_device *out, const gt_driver *driver, CUdevice device)
{
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        int value = get_or_zero(driver, device, plain[i].attribute);
        if (plain[i].required && value <= 0) {
            GT_TRY(get_attribute(&value, driver, device, plain[i].attribute));
        }
        memcpy((char *)out + plain[i].offset, &value, sizeof value);
    }
    int major, minor;
    GT_TRY(get_attribute(&major, driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    GT_TRY(get_attribute(&minor, driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    out->cc = major * 10 + minor;
    out->constant_bytes = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    out->l2_bytes = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    out->cluster_launch = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) > 0;
    for (int axis = 0; axis < 3; axis++) {
        int value;
        GT_TRY(get_attribute(&value, driver, device,
                             (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis)));
        out->max_grid[axis] = value;
    }
    size_t bytes;
    GT_CUDA(driver, DeviceTotalMem, &bytes, device);
    out->memory_bytes = (int64_t)bytes;
    return GPUTUNE_OK;
}

static gputune_status read_identity(gt_device *out, const gt_driver *driver, CUdevice device)
{
    GT_CUDA(driver, DeviceGetName, out->name, (int)sizeof out->name, device);
    out->name[sizeof out->name - 1] = '\0';
    const char *mig = strstr(out->name, " MIG ");
    if (mig) {
        snprintf(out->mig_profile, sizeof out->mig_profile, "%.31s", mig + 5);
    }
    CUuuid uuid;
    GT_CUDA(driver, DeviceGetUuid, &uuid, device);
    /* write the UUID like nvidia-smi: "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" */
    size_t used = (size_t)snprintf(out->uuid, sizeof out->uuid, mig ? "MIG-" : "GPU-");
    for (int i = 0; i < 16; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        used += (size_t)snprintf(out->uuid + used, sizeof out->uuid - used, "%s%02x", dash,
                                 (unsigned)(unsigned char)uuid.bytes[i]);
    }
    arch_exact(out->arch, sizeof out->arch, out->cc);
    out->emulated = driver->emulated;
    out->driver_version = driver->version;
    if (driver->emulated) {
        snprintf(out->origin, sizeof out->origin, "emu:%.32s:model%d",
                 driver->EmuProfileName(device),
                 driver->EmuModelVersion ? driver->EmuModelVersion() : 0);
    } else {
        snprintf(out->origin, sizeof out->origin, "cuda");
    }
    return GPUTUNE_OK;
}

gputune_status gt_device_count(int *out, const gt_driver *driver)
{
    GT_CUDA(driver, DeviceGetCount, out);
    return GPUTUNE_OK;
}

static void read_processor(char *out, size_t bytes)
{
    char text[1024];
    const char *line = strstr(gt_file_peek(text, sizeof text, "/proc/cpuinfo"), "\nmodel name");
    const char *name = line ? strstr(line, ": ") : NULL;
    if (name) {
        snprintf(out, bytes, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
    }
}

gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal)
{
    gt_device device = {.ordinal = ordinal};
    CUdevice handle;
    GT_CUDA(driver, DeviceGet, &handle, ordinal);
    GT_TRY(read_attributes(&device, driver, handle));
    GT_TRY(read_identity(&device, driver, handle));
    bool is_large = device.cc >= 70 && driver->version >= LARGE_PARAMETERS_VERSION;
    device.max_parameter_bytes = is_large ? GT_PARAMETER_LARGE_BYTES : GT_PARAMETER_PORTABLE_BYTES;
    gt_device_add_arch_facts(&device);
    read_processor(device.processor, sizeof device.processor);
    *out = device;
    return GPUTUNE_OK;
}

gputune_status gt_device_read_clock_rates(gt_device *device, const gt_driver *driver)
{
    CUdevice handle;
    GT_CUDA(driver, DeviceGet, &handle, device->ordinal);
    device->memory_clock_khz = get_or_zero(driver, handle, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
    device->sm_clock_khz = get_or_zero(driver, handle, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
    return GPUTUNE_OK;
}

gputune_status gt_device_query(gt_device *out, const gt_driver *driver, int ordinal)
{
    gt_device device;
    GT_TRY(gt_device_identify(&device, driver, ordinal));
    GT_TRY(gt_device_read_clock_rates(&device, driver));
    gt_device_environment(&device);
    *out = device;
    return GPUTUNE_OK;
}

void gt_device_set_nvrtc(gt_device *device, int nvrtc_version)
{
    device->nvrtc_version = nvrtc_version;
    if (nvrtc_version && nvrtc_version < LARGE_PARAMETERS_VERSION) {
        device->max_parameter_bytes = GT_PARAMETER_PORTABLE_BYTES;
    }
}

static gputune_status no_such_device(const gt_driver *driver, const char *which, int count)
{
    GT_SCOPED(gt_text_free) gt_text list = {0};
    for (int i = 0; i < count; i++) {
        gt_device device;
        if (gt_device_identify(&device, driver, i) == GPUTUNE_OK) {
            gt_text_printf(&list, "%s%d (%s, %s)", list.length ? ", " : "", i, device.name,
                           device.uuid);
        }
    }
    return gt_fail(GPUTUNE_ENODRIVER, "no GPU '%s'; expected one of: %s", which,
                   list.length ? gt_text_string(&list) : "none");
}

/* Returns the device whose UUID begins with `prefix`. Returns -1 if there is not exactly one. */
static int find_by_uuid(const gt_driver *driver, const char *prefix, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++) {
        gt_device device;
        if (gt_device_identify(&device, driver, i) == GPUTUNE_OK &&
            strncasecmp(device.uuid, prefix, strlen(prefix)) == 0) {
            if (found >= 0) {
                return -1;
            }
            found = i;
        }
    }
    return found;
}

static int find_current(const gt_driver *driver, int count)
{
    CUcontext context = NULL;
    CUdevice current, device;
    if (driver->CtxGetCurrent(&context) != CUDA_SUCCESS || !context ||
        driver->CtxGetDevice(&current) != CUDA_SUCCESS) {
        return 0;
    }
    for (int i = 0; i < count; i++) {
        if (driver->DeviceGet(&device, i) == CUDA_SUCCESS && device == current) {
            return i;
        }
    }
    return 0;
}

gputune_status gt_device_find(int *ordinal, const gt_driver *driver, const char *which)
{
    int count;
    GT_TRY(gt_device_count(&count, driver));
    char *end = NULL;
    long found = which ? strtol(which, &end, 10) : find_current(driver, count);
    if (which && (end == which || *end)) {
        found = strlen(which) > strlen("GPU-") ? find_by_uuid(driver, which, count) : -1;
    }
    if (found < 0 || found >= count) {
        return no_such_device(driver, which ? which : "0", count);
    }
    *ordinal = (int)found;
    return GPUTUNE_OK;
}
