/* Implements queries of devices: cuDevice*. */
#include "emulator/enter.h"

#include <stdio.h>
#include <string.h>

EMU_EXPORT CUresult cuDeviceGetCount(int *count)
{
    EMU_ENTER(cuDeviceGetCount, EMU_INITIALIZED);
    EMU_CHECK(count, CUDA_ERROR_INVALID_VALUE);
    *count = emu.device_count;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    EMU_ENTER(cuDeviceGet, EMU_INITIALIZED);
    EMU_CHECK(device, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(ordinal));
    *device = ordinal;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDeviceGetName(char *name, int bytes, CUdevice device)
{
    EMU_ENTER(cuDeviceGetName, EMU_INITIALIZED);
    EMU_CHECK(name && bytes > 0, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    snprintf(name, (size_t)bytes, "%s", emu.devices[device].gpu_name);
    return CUDA_SUCCESS;
}

/* Derives a UUID from the profile's name. It is the same on all machines, but no GPU has it. */
static void make_uuid(CUuuid *uuid, CUdevice device)
{
    const char *profile = emu.devices[device].name;
    static const char prefix[] = "emulated";
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, prefix, sizeof prefix - 1);
    size_t length = strlen(profile);
    memcpy(uuid->bytes + 8, profile, length < 7 ? length : 7);
    uuid->bytes[15] = (char)device;
}

EMU_EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    EMU_ENTER(cuDeviceGetUuid, EMU_INITIALIZED);
    EMU_CHECK(uuid, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    make_uuid(uuid, device);
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    EMU_ENTER(cuDeviceTotalMem, EMU_INITIALIZED);
    EMU_CHECK(bytes, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    *bytes = (size_t)emu.devices[device].total_memory_bytes;
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    EMU_ENTER(cuDeviceGetAttribute, EMU_INITIALIZED);
    EMU_CHECK(value && attribute > 0 && (int)attribute < EMU_ATTRIBUTE_COUNT,
              CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(emu_check_device(device));
    *value = emu.devices[device].attribute[attribute];
    return CUDA_SUCCESS;
}
