/* Texture objects over linear and pitched memory: cuTexObjectCreate, cuTexObjectDestroy. */
#include "emulator/driver_texture.h"

#include "emulator/enter.h"

#include <stdlib.h>

/* As every GPU since compute capability 7.5 has them. */
enum { ADDRESS_ALIGNMENT = 512, PITCH_ALIGNMENT = 32, WIDTH = 131072, HEIGHT = 65000 };
#define ELEMENTS (UINT64_C(1) << 28)

typedef struct texture_object {
    emu_handle handle;
    emu_texture texture;
} texture_object;

static void *object_of(uint64_t handle)
{
    return (void *)(uintptr_t)handle;
}

const emu_texture *emu_texture_find(uint64_t object)
{
    return emu_handle_is(object_of(object), EMU_KIND_TEXTURE)
               ? &((texture_object *)object_of(object))->texture
               : NULL;
}

static emu_texture describe(const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *settings,
                            uint64_t element)
{
    emu_texture out = {.base = resource->res.linear.devPtr,
                       .format = resource->res.linear.format,
                       .channels = (int)resource->res.linear.numChannels,
                       .address = {settings->addressMode[0], settings->addressMode[1]},
                       .filter = settings->filterMode,
                       .flags = settings->flags};
    if (resource->resType == CU_RESOURCE_TYPE_LINEAR) {
        out.width = resource->res.linear.sizeInBytes / element;
    } else {
        out.width = resource->res.pitch2D.width;
        out.height = resource->res.pitch2D.height;
        out.pitch_bytes = resource->res.pitch2D.pitchInBytes;
    }
    return out;
}

static bool is_sound(const emu_texture *texture, bool linear, uint64_t element)
{
    return texture->base && texture->base % ADDRESS_ALIGNMENT == 0 && texture->width > 0 &&
           (linear ? texture->width <= ELEMENTS
                   : texture->width <= WIDTH && texture->height > 0 && texture->height <= HEIGHT &&
                         texture->pitch_bytes % PITCH_ALIGNMENT == 0 &&
                         texture->pitch_bytes >= texture->width * element);
}

/* A filter makes a float of what it reads. */
static bool has_sound_settings(const CUDA_TEXTURE_DESC *settings, int format)
{
    const bool is_float = format >= CU_AD_FORMAT_HALF;
    const bool filters = settings->filterMode == CU_TR_FILTER_MODE_LINEAR;
    bool sound = filters || settings->filterMode == CU_TR_FILTER_MODE_POINT;
    for (int i = 0; i < 2; i++) {
        sound = sound && settings->addressMode[i] >= 0 &&
                settings->addressMode[i] <= CU_TR_ADDRESS_MODE_BORDER;
    }
    return sound && !(filters && !is_float && settings->flags & CU_TRSF_READ_AS_INTEGER) &&
           !(settings->flags & ~3u);
}

EMU_EXPORT CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                                      const CUDA_TEXTURE_DESC *settings,
                                      const CUDA_RESOURCE_VIEW_DESC *view)
{
    EMU_ENTER(cuTexObjectCreate, EMU_USE);
    EMU_CHECK(out && resource && settings, CUDA_ERROR_INVALID_VALUE);
    const bool linear = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    EMU_CHECK(!view && (linear || resource->resType == CU_RESOURCE_TYPE_PITCH2D),
              CUDA_ERROR_NOT_SUPPORTED);
    const unsigned channels = resource->res.linear.numChannels;
    const uint64_t element =
        (uint64_t)channels * emu_texture_component_bytes(resource->res.linear.format);
    EMU_CHECK(element && channels <= 4 && channels != 3, CUDA_ERROR_INVALID_VALUE);
    const emu_texture texture = describe(resource, settings, element);
    EMU_CHECK(is_sound(&texture, linear, element) && has_sound_settings(settings, texture.format),
              CUDA_ERROR_INVALID_VALUE);
    texture_object *object = calloc(1, sizeof *object);
    EMU_CHECK(object, CUDA_ERROR_OUT_OF_MEMORY);
    object->texture = texture;
    emu_handle_add(&object->handle, object, EMU_KIND_TEXTURE, emu_context_top());
    *out = (uintptr_t)object;
    return CUDA_SUCCESS;
}

static void end(texture_object *object)
{
    emu_handle_drop(&object->handle);
    emu_handle_free(object);
}

EMU_EXPORT CUresult cuTexObjectDestroy(CUtexObject object)
{
    EMU_ENTER(cuTexObjectDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_texture_find(object), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    end(object_of(object));
    emu_unlock();
    return CUDA_SUCCESS;
}

void emu_textures_end(CUcontext context)
{
    texture_object *object;
    while ((object = emu_handle_any(EMU_KIND_TEXTURE, context))) {
        end(object);
    }
}
