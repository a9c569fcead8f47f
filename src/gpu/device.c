/* Reads a device's properties from the driver, and makes its environment key. */
#include "gpu/device.h"

#include "gpu/arch.h"

#include "base/hash.h"
#include "base/launch.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LARGE_PARAMETERS_VERSION = 12010 };

/* Attributes that are a plain int member of gt_device. */
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

static gputune_status get(int *out, const gt_driver *driver, CUdevice device,
                          CUdevice_attribute attribute)
{
    GT_CUDA(driver, DeviceGetAttribute, out, attribute, device);
    return GPUTUNE_OK;
}

/* The attribute; 0 where the driver does not know it. */
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
            GT_TRY(get(&value, driver, device, plain[i].attribute));
        }
        memcpy((char *)out + plain[i].offset, &value, sizeof value);
    }
    int major, minor;
    GT_TRY(get(&major, driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    GT_TRY(get(&minor, driver, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    out->cc = major * 10 + minor;
    out->constant_bytes = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
    out->l2_bytes = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    out->cluster_launch = get_or_zero(driver, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) > 0;
    for (int axis = 0; axis < 3; axis++) {
        int value;
        GT_TRY(get(&value, driver, device,
                   (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + axis)));
        out->max_grid[axis] = value;
    }
    size_t bytes;
    GT_CUDA(driver, DeviceTotalMem, &bytes, device);
    out->memory_bytes = (int64_t)bytes;
    return GPUTUNE_OK;
}

/* "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it. */
static void format_uuid(char *out, size_t bytes, const CUuuid *uuid, bool is_mig)
{
    size_t used = (size_t)snprintf(out, bytes, is_mig ? "MIG-" : "GPU-");
    for (int i = 0; i < 16 && used < bytes; i++) {
        const char *dash = i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "";
        used += (size_t)snprintf(out + used, bytes - used, "%s%02x", dash,
                                 (unsigned)(unsigned char)uuid->bytes[i]);
    }
}

/* Reads the name, the UUID and the MIG profile. */
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
    format_uuid(out->uuid, sizeof out->uuid, &uuid, mig != NULL);
    gt_arch_exact(out->arch, sizeof out->arch, out->cc);
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
    static const char key[] = "model name";
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, sizeof key - 1) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(out, bytes, "%s", colon + 2);
            break;
        }
    }
    if (file) {
        fclose(file);
    }
}

gputune_status gt_device_identify(gt_device *out, const gt_driver *driver, int ordinal)
{
    gt_device device = {.ordinal = ordinal};
    CUdevice handle;
    GT_CUDA(driver, DeviceGet, &handle, ordinal);
    GT_TRY(read_attributes(&device, driver, handle));
    GT_TRY(read_identity(&device, driver, handle));
    device.max_parameter_bytes = device.cc >= 70 && driver->version >= LARGE_PARAMETERS_VERSION
                                     ? GT_PARAMETER_LARGE_BYTES
                                     : GT_PARAMETER_PORTABLE_BYTES;
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
    gt_text list = {0};
    for (int i = 0; i < count; i++) {
        gt_device device;
        if (gt_device_identify(&device, driver, i) == GPUTUNE_OK) {
            gt_text_printf(&list, "%s%d (%s, %s)", list.length ? ", " : "", i, device.name,
                           device.uuid);
        }
    }
    gputune_status status = gt_fail(GPUTUNE_ENODRIVER, "no GPU \"%s\"; expected one of: %s", which,
                                    list.length ? gt_text_string(&list) : "none");
    gt_text_free(&list);
    return status;
}

/* The only device whose UUID begins with `prefix`, or -1. */
static int find_by_uuid(const gt_driver *driver, const char *prefix, int count)
{
    int found = -1;
    for (int i = 0; i < count; i++) {
        gt_device device;
        if (gt_device_identify(&device, driver, i) != GPUTUNE_OK ||
            strncasecmp(device.uuid, prefix, strlen(prefix)) != 0) {
            continue;
        }
        if (found >= 0) {
            return -1;
        }
        found = i;
    }
    return found;
}

/* The current context's device, else 0. */
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
    if (!which) {
        if (count == 0) {
            return no_such_device(driver, "0", count);
        }
        *ordinal = find_current(driver, count);
        return GPUTUNE_OK;
    }
    char *end;
    long number = strtol(which, &end, 10);
    bool is_number = end != which && !*end;
    int found = is_number ? (number >= 0 && number < count ? (int)number : -1)
                          : (strlen(which) > 4 ? find_by_uuid(driver, which, count) : -1);
    if (found < 0) {
        return no_such_device(driver, which, count);
    }
    *ordinal = found;
    return GPUTUNE_OK;
}
