/* Implements textures of linear memory, pitched memory and arrays: cuTexObject*, cuArray*. */
#include "emulator/driver_texture.h"

#include "emulator/enter.h"
#include "emulator/queue.h"

#include <stdlib.h>
#include <string.h>

/* Limits of all GPUs since compute capability 7.5. */
enum { ADDRESS_ALIGNMENT = 512, PITCH_ALIGNMENT = 32, CHANNELS = 4 };
static const uint64_t most_linear[3] = {UINT64_C(1) << 28}, most_rows[3] = {131072, 65000},
                      most_of_arrays[2][4][3] = {
                          {{0}, {131072}, {131072, 65536}, {16384, 16384, 16384}},
                          {{0}, {32768, 0, 2048}, {32768, 32768, 2048}}};

struct CUarray_st {
    emu_handle handle;
    emu_texture texture;
};

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

static uint64_t element_bytes(int format, unsigned channels)
{
    return channels <= CHANNELS && channels != 3 ? channels * emu_texture_component_bytes(format)
                                                 : 0;
}

static bool is_within(const uint64_t sizes[3], const uint64_t most[3])
{
    return sizes[0] > 0 && sizes[0] <= most[0] && sizes[1] <= most[1] && sizes[2] <= most[2];
}

static unsigned rank_of(const CUDA_ARRAY3D_DESCRIPTOR *shape, bool layered)
{
    return 1 + (shape->Height > 0) + (shape->Depth > 0 && !layered);
}

/* Stores arrays row by row. Programs cannot see the layout of an array. */
EMU_EXPORT CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *shape)
{
    EMU_ENTER(cuArray3DCreate, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(out && shape && !(shape->Flags & ~(unsigned)CUDA_ARRAY3D_LAYERED),
              CUDA_ERROR_INVALID_VALUE);
    const bool layered = shape->Flags & CUDA_ARRAY3D_LAYERED;
    const uint64_t element = element_bytes(shape->Format, shape->NumChannels),
                   sizes[3] = {shape->Width, shape->Height, shape->Depth};
    const unsigned rank = rank_of(shape, layered);
    EMU_CHECK(element && is_within(sizes, most_of_arrays[layered][rank]) &&
                  (!layered || shape->Depth) && (layered || !shape->Depth || shape->Height),
              CUDA_ERROR_INVALID_VALUE);
    CUarray array = calloc(1, sizeof *array);
    EMU_CHECK(array, CUDA_ERROR_OUT_OF_MEMORY);
    array->texture = (emu_texture){.rank = rank,
                                   .layers = layered ? shape->Depth : 0,
                                   .sizes = {sizes[0], sizes[1], layered ? 0 : sizes[2]},
                                   .pitch_bytes = shape->Width * element,
                                   .format = shape->Format,
                                   .channels = (int)shape->NumChannels};
    const size_t bytes = array->texture.pitch_bytes * emu_array_rows(array);
    int code =
        emu_memory_allocate(&array->texture.base, bytes, EMU_MEMORY_DEVICE, emu_context_top());
    if (code) {
        free(array);
        return (CUresult)code;
    }
    emu_handle_add(&array->handle, array, EMU_KIND_ARRAY, emu_context_top());
    *out = array;
    return CUDA_SUCCESS;
}

const emu_texture *emu_array_find(CUarray array)
{
    return emu_handle_is(array, EMU_KIND_ARRAY) ? &array->texture : NULL;
}

uint64_t emu_array_rows(CUarray array)
{
    const emu_texture *texture = &array->texture;
    return (texture->sizes[1] ? texture->sizes[1] : 1) * (texture->layers     ? texture->layers
                                                          : texture->sizes[2] ? texture->sizes[2]
                                                                              : 1);
}

static void end_array(CUarray array)
{
    emu_handle_drop(&array->handle);
    emu_handle_free(array);
}

EMU_EXPORT CUresult cuArrayDestroy(CUarray array)
{
    EMU_ENTER(cuArrayDestroy, EMU_USE | EMU_UNSAFE);
    EMU_CHECK(emu_array_find(array), CUDA_ERROR_INVALID_HANDLE);
    const uint64_t base = array->texture.base;
    emu_lock();
    CUresult code = emu_queue_join_context(emu_context_top());
    end_array(array);
    emu_unlock();
    return code ? code : (CUresult)emu_memory_release(base, EMU_MEMORY_DEVICE);
}

static bool describe_memory(emu_texture *out, const CUDA_RESOURCE_DESC *resource)
{
    const bool linear = resource->resType == CU_RESOURCE_TYPE_LINEAR;
    const uint64_t element =
        element_bytes(resource->res.linear.format, resource->res.linear.numChannels);
    *out = (emu_texture){.base = resource->res.linear.devPtr,
                         .format = resource->res.linear.format,
                         .channels = (int)resource->res.linear.numChannels};
    if (linear) {
        out->sizes[0] = resource->res.linear.sizeInBytes / (element ? element : 1);
    } else {
        out->rank = 2;
        out->sizes[0] = resource->res.pitch2D.width;
        out->sizes[1] = resource->res.pitch2D.height;
        out->pitch_bytes = resource->res.pitch2D.pitchInBytes;
    }
    return element && out->base && out->base % ADDRESS_ALIGNMENT == 0 &&
           is_within(out->sizes, linear ? most_linear : most_rows) &&
           (linear || (out->sizes[1] && out->pitch_bytes % PITCH_ALIGNMENT == 0 &&
                       out->pitch_bytes >= out->sizes[0] * element));
}

static CUresult describe_resource(emu_texture *out, const CUDA_RESOURCE_DESC *resource)
{
    const emu_texture *array = NULL;
    switch (resource->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        array = emu_array_find(resource->res.array.hArray);
        EMU_CHECK(array, CUDA_ERROR_INVALID_HANDLE);
        *out = *array;
        return CUDA_SUCCESS;
    case CU_RESOURCE_TYPE_LINEAR:
    case CU_RESOURCE_TYPE_PITCH2D:
        return describe_memory(out, resource) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
}

/* Returns true for valid settings. A linear filter requires values that are read as float. */
static bool has_sound_settings(const CUDA_TEXTURE_DESC *settings, int format)
{
    const bool is_float = format >= CU_AD_FORMAT_HALF;
    const bool filters = settings->filterMode == CU_TR_FILTER_MODE_LINEAR;
    bool sound = filters || settings->filterMode == CU_TR_FILTER_MODE_POINT;
    for (int i = 0; i < 3; i++) {
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
    EMU_CHECK(!view, CUDA_ERROR_NOT_SUPPORTED);
    emu_texture texture;
    EMU_TRY(describe_resource(&texture, resource));
    EMU_CHECK(has_sound_settings(settings, texture.format), CUDA_ERROR_INVALID_VALUE);
    memcpy(texture.address, settings->addressMode, sizeof texture.address);
    texture.filter = settings->filterMode;
    texture.flags = settings->flags;
    texture_object *object = calloc(1, sizeof *object);
    EMU_CHECK(object, CUDA_ERROR_OUT_OF_MEMORY);
    object->texture = texture;
    emu_handle_add(&object->handle, object, EMU_KIND_TEXTURE, emu_context_top());
    *out = (uintptr_t)object;
    return CUDA_SUCCESS;
}

static void end_texture(texture_object *object)
{
    emu_handle_drop(&object->handle);
    emu_handle_free(object);
}

EMU_EXPORT CUresult cuTexObjectDestroy(CUtexObject object)
{
    EMU_ENTER(cuTexObjectDestroy, EMU_INITIALIZED | EMU_NO_STICKY_ERROR);
    EMU_CHECK(emu_texture_find(object), CUDA_ERROR_INVALID_VALUE);
    emu_lock();
    end_texture(object_of(object));
    emu_unlock();
    return CUDA_SUCCESS;
}

void emu_textures_end(CUcontext context)
{
    texture_object *object;
    CUarray array;
    while ((object = emu_handle_any(EMU_KIND_TEXTURE, context))) {
        end_texture(object);
    }
    while ((array = emu_handle_any(EMU_KIND_ARRAY, context))) {
        end_array(array);
    }
}
