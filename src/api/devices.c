/* gputune_devices() and gputune_tuner_device(): the GPUs that a driver offers, as the public
 * struct. */
#include "api/tuner.h"

#include "base/versioned.h"
#include "gpu/nvrtc.h"

#include <stdio.h>
#include <string.h>

static void describe(gputune_device *out, const gt_device *device)
{
    *out = (gputune_device){.version = GPUTUNE_DEVICE_VERSION,
                            .ordinal = device->ordinal,
                            .compute_capability = device->cc,
                            .sm_count = device->sm_count,
                            .memory_bytes = device->memory_bytes,
                            .l2_bytes = device->l2_bytes,
                            .shared_per_sm_bytes = device->shared_per_sm_bytes,
                            .shared_optin_bytes = device->shared_per_block_optin_bytes,
                            .memory_clock_khz = device->memory_clock_khz,
                            .sm_clock_khz = device->sm_clock_khz,
                            .bus_width_bits = device->bus_width_bits,
                            .max_cluster = device->max_cluster,
                            .max_parameter_bytes = device->max_parameter_bytes,
                            .driver_version = device->driver_version,
                            .nvrtc_version = device->nvrtc_version,
                            .peak_bytes_per_s = gt_device_peak_bytes_per_s(device),
                            .emulated = device->emulated};
    snprintf(out->name, sizeof out->name, "%s", device->name);
    snprintf(out->uuid, sizeof out->uuid, "%s", device->uuid);
    snprintf(out->arch, sizeof out->arch, "%s", device->arch);
    snprintf(out->environment, sizeof out->environment, "%s", device->environment);
}

static int nvrtc_version(int driver_version)
{
    const gt_nvrtc *nvrtc;
    return gt_nvrtc_open(&nvrtc, driver_version) == GPUTUNE_OK ? gt_nvrtc_version(nvrtc) : 0;
}

int gputune_devices(const char *driver_name, int (*each)(void *, const gputune_device *),
                    void *user)
{
    const gt_driver *driver;
    int count;
    GT_TRY(gt_need_callback(__func__, each != NULL));
    GT_TRY(gt_driver_open(&driver, driver_name));
    GT_TRY(gt_device_count(&count, driver));
    for (int i = 0; i < count; i++) {
        gt_device device;
        gputune_device description;
        GT_TRY(gt_device_query(&device, driver, i));
        gt_device_set_nvrtc(&device, nvrtc_version(device.driver_version));
        describe(&description, &device);
        int answer = each(user, &description);
        if (answer) {
            return answer;
        }
    }
    return GPUTUNE_OK;
}

static gputune_status describe_own(gputune_device *out, const gputune *tuner)
{
    static const size_t bytes[] = {GT_BYTES_THROUGH(gputune_device, emulated)};
    static const gt_layouts layouts = {"gputune_device", GPUTUNE_DEVICE_VERSION, bytes};
    _Static_assert(sizeof bytes / sizeof *bytes == GPUTUNE_DEVICE_VERSION, "a row for each");
    gputune_device description;
    GT_TRY(gt_tuner_need_device(tuner, GPUTUNE_EUNSUPPORTED, "gputune_tuner_device"));
    describe(&description, &tuner->device);
    return gt_versioned_write(out, &description, &layouts);
}

int gputune_tuner_device(gputune_device *out, gputune *tuner)
{
    gt_call call;
    GT_TRY(gt_need(__func__, "out", out));
    GT_TRY(gt_call_begin(&call, tuner, __func__));
    gputune_status status = describe_own(out, tuner);
    gt_call_end(&call);
    return status;
}
