/* Texture objects of the caller's buffers. To make one takes a call of the driver, and one that is
 * in use must not be destroyed: so each address has one for the launcher's life, or the graph's. */
#include "gpu/launcher_parts.h"

#include <string.h>

static CUDA_RESOURCE_DESC describe(const gt_texture *texture, CUdeviceptr address)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    if (texture->height == 0) {
        resource.res.linear.devPtr = address;
        resource.res.linear.format = (int)texture->format;
        resource.res.linear.numChannels = texture->channels;
        resource.res.linear.sizeInBytes = texture->pitch_bytes;
        return resource;
    }
    resource.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = address;
    resource.res.pitch2D.format = (int)texture->format;
    resource.res.pitch2D.numChannels = texture->channels;
    resource.res.pitch2D.width = texture->width;
    resource.res.pitch2D.height = texture->height;
    resource.res.pitch2D.pitchInBytes = texture->pitch_bytes;
    return resource;
}

/* In the launcher's context alone: an object is of the context in which it is made. */
static gputune_status make(CUtexObject *out, const gt_launcher *launcher, const gt_texture *texture,
                           CUdeviceptr address)
{
    const gt_driver *driver = launcher->driver;
    CUcontext current = NULL;
    const int mode = (int)texture->address;
    const CUDA_RESOURCE_DESC resource = describe(texture, address);
    const CUDA_TEXTURE_DESC settings = {.addressMode = {mode, mode, mode},
                                        .filterMode = (int)texture->filter,
                                        .flags = texture->flags};
    GT_CUDA(driver, CtxGetCurrent, &current);
    if (current != launcher->context.handle) {
        return gt_launcher_explain(launcher, CUDA_ERROR_INVALID_CONTEXT);
    }
    CUstreamCaptureMode capture = gt_relaxed_enter(driver);
    CUresult result = driver->TexObjectCreate(out, &resource, &settings, NULL);
    gt_relaxed_leave(driver, capture);
    return gt_cuda_check(driver, result, "cuTexObjectCreate");
}

static gputune_status find(CUtexObject *out, gt_launcher *launcher, uint32_t index,
                           CUdeviceptr address)
{
    gt_texture_objects *objects = &launcher->textures;
    for (size_t i = 0; i < objects->count; i++) {
        if (objects->items[i].address == address && objects->items[i].texture == index) {
            *out = objects->items[i].object;
            return GPUTUNE_OK;
        }
    }
    GT_TRY(gt_array_reserve(objects));
    GT_TRY(make(out, launcher, &launcher->launch->textures[index], address));
    objects->items[objects->count++] = (gt_texture_object){*out, address, index};
    return GPUTUNE_OK;
}

gputune_status gt_textures_find(CUtexObject out[GT_TEXTURE_MAX], gt_launcher *launcher,
                                const void *const *arguments)
{
    const gt_launch *launch = launcher->launch;
    gputune_status status = GPUTUNE_OK;
    pthread_mutex_lock(&launcher->texture_lock);
    for (uint32_t i = 0; i < launch->parameter_count && status == GPUTUNE_OK; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        CUdeviceptr address;
        if (parameter->kind != GT_PARAMETER_TEXTURE) {
            continue;
        }
        memcpy(&address, arguments[parameter->argument], sizeof address);
        status = address % GT_TEXTURE_ALIGNMENT
                     ? gt_fail(GPUTUNE_EINVAL,
                               "%s: argument %d is at %#llx; its texture needs a multiple of %d "
                               "bytes",
                               launch->steps[0].entry, parameter->argument + 1,
                               (unsigned long long)address, GT_TEXTURE_ALIGNMENT)
                     : find(&out[parameter->map], launcher, parameter->map, address);
    }
    pthread_mutex_unlock(&launcher->texture_lock);
    return status;
}

void gt_textures_free(gt_texture_objects *objects, const gt_driver *driver, bool alive)
{
    for (size_t i = 0; i < objects->count && alive; i++) {
        driver->TexObjectDestroy(objects->items[i].object);
    }
    gt_array_free(objects);
}
