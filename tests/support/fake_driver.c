#include "support/fake_driver.h"
#include "support/test.h"

fake_driver fake;

enum { CALLS_MAX = 65536 };

/* Calls that change nothing. The list of recorded calls omits them. */
static const char *const questions[] = {
    "CtxGetCurrent",
    "CtxGetDevice",
    "StreamGetCaptureInfo",
    "StreamIsCapturing",
    "StreamGetId",
    "FuncGetAttribute",
    "EventQuery",
    "FuncGetParamInfo",
    "ModuleGetFunction",
    "ModuleGetGlobal",
    "FuncLoad",
    "OccupancyMaxActiveBlocksPerMultiprocessor",
    "OccupancyMaxActiveClusters",
    "ThreadExchangeStreamCaptureMode",
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local CUstreamCaptureMode mode;

CUstreamCaptureMode fake_mode(void)
{
    return mode;
}

static fake_call *note(const char *name)
{
    pthread_mutex_lock(&lock);
    fake_call *call = &fake.calls[fake.call_count++];
    assert_true(fake.call_count < CALLS_MAX);
    pthread_mutex_unlock(&lock);
    *call = (fake_call){.name = name, .relaxed = mode == CU_STREAM_CAPTURE_MODE_RELAXED};
    return call;
}

static uint64_t count_object(int *live)
{
    pthread_mutex_lock(&lock);
    (*live)++;
    uint64_t number = ++fake.next_object;
    pthread_mutex_unlock(&lock);
    return number;
}

/* Returns true for calls that release something. These calls need a working context. */
static bool frees(const char *name)
{
    return strncmp(name, "Ctx", 3) == 0 || strstr(name, "Free") || strstr(name, "Unload") ||
           strstr(name, "Destroy");
}

static CUresult answer(const char *name)
{
    if (fake.fails && !frees(name) && fake.fails("driver", 0)) {
        return fake.fail_code;
    }
    if (!fake.fail_name || strcmp(fake.fail_name, name) != 0) {
        return CUDA_SUCCESS;
    }
    return fake.fail_after-- > 0 ? CUDA_SUCCESS : fake.fail_code;
}

/* Records the call, and returns from the function if the script makes the call fail. */
#define NOTE(name)                                                                                 \
    fake_call *call = note(name);                                                                  \
    CUresult scripted = answer(name);                                                              \
    if (scripted != CUDA_SUCCESS) {                                                                \
        return scripted;                                                                           \
    }                                                                                              \
    (void)call

/* Defines a call that succeeds, and records it before the statements. */
#define FAKE(name, parameters, ...)                                                                \
    static CUresult fake_##name parameters                                                         \
    {                                                                                              \
        NOTE(#name);                                                                               \
        __VA_ARGS__                                                                                \
        return CUDA_SUCCESS;                                                                       \
    }

static CUresult get_error_name(CUresult error, const char **out)
{
    *out = error == CUDA_ERROR_INVALID_IMAGE ? "CUDA_ERROR_INVALID_IMAGE" : "CUDA_ERROR_SCRIPTED";
    return CUDA_SUCCESS;
}

static CUresult get_error_string(CUresult error, const char **out)
{
    *out = "as scripted";
    return CUDA_SUCCESS;
}

FAKE(CtxGetCurrent, (CUcontext * out), { *out = fake.current; })

static CUcontext pushed_over;

FAKE(CtxGetDevice, (CUdevice * out), { *out = 0; })

FAKE(CtxPushCurrent, (CUcontext context), {
    pushed_over = fake.current;
    fake.current = context;
})

FAKE(CtxPopCurrent, (CUcontext * out), {
    *out = fake.current;
    fake.current = pushed_over;
})

FAKE(CtxSynchronize, (void), {})

FAKE(ModuleLoadData, (CUmodule * out, const void *image), {
    call->object = count_object(&fake.live_modules);
    *out = (CUmodule)(uintptr_t)call->object;
})

static CUresult module_load_ex(CUmodule *out, const void *image, unsigned count,
                               CUjit_option *options, void **values)
{
    return fake_ModuleLoadData(out, image);
}

FAKE(ModuleUnload, (CUmodule module), {
    call->object = (uint64_t)(uintptr_t)module;
    fake.live_modules--;
})

/* Derives the handle of a function or symbol from its module. */
static CUresult module_get_function(CUfunction *out, CUmodule module, const char *name)
{
    NOTE("ModuleGetFunction");
    *out = (CUfunction)((uintptr_t)module + 1000);
    return strcmp(name, "missing") == 0 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

static CUresult module_get_global(CUdeviceptr *out, size_t *bytes, CUmodule module,
                                  const char *name)
{
    NOTE("ModuleGetGlobal");
    *out = (CUdeviceptr)(uintptr_t)module + 2000;
    *bytes = 65536;
    return fake.no_symbol ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

static CUresult func_get_attribute(int *out, CUfunction_attribute which, CUfunction function)
{
    NOTE("FuncGetAttribute");
    *out = which == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? fake.max_threads
           : which == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? fake.fixed_shared_bytes
           : which == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 42
                                                            : 0;
    return CUDA_SUCCESS;
}

FAKE(FuncSetAttribute, (CUfunction function, CUfunction_attribute which, int value), {
    call->object = (uint64_t)which;
    call->bytes = (size_t)value;
})

FAKE(FuncLoad, (CUfunction function), {})

static CUresult func_get_param_info(CUfunction function, size_t index, size_t *offset,
                                    size_t *bytes)
{
    NOTE("FuncGetParamInfo");
    *offset = 0;
    *bytes = (size_t)fake.parameter_sizes[index];
    fake.refused += !*bytes;
    return *bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static CUresult launch(const CUlaunchConfig *config, CUfunction function, void **parameters,
                       void **extra)
{
    NOTE("LaunchKernelEx");
    assert_null(extra);
    call->stream = config->hStream;
    call->object = (uint64_t)(uintptr_t)function;
    call->config = *config;
    for (unsigned i = 0; i < config->numAttrs; i++) {
        call->attributes[i] = config->attrs[i];
    }
    for (int i = 0; fake.parameter_sizes[i]; i++) {
        size_t bytes = (size_t)fake.parameter_sizes[i];
        call->pointers[i] = parameters[i];
        memcpy(&call->parameters[i], parameters[i], bytes < 8 ? bytes : 8);
    }
    return CUDA_SUCCESS;
}

FAKE(OccupancyMaxActiveBlocksPerMultiprocessor,
     (int *out, CUfunction function, int threads, size_t shared_bytes), { *out = fake.blocks; })

FAKE(OccupancyMaxActiveClusters, (int *out, CUfunction function, const CUlaunchConfig *config),
     { *out = fake.clusters; })

FAKE(MemAlloc, (CUdeviceptr * out, size_t bytes), {
    call->bytes = bytes;
    call->object = *out = 0x100000 + 0x1000 * count_object(&fake.live_memory);
})

FAKE(MemFree, (CUdeviceptr address), {
    call->object = address;
    fake.live_memory--;
})

/* The driver's memory does not come from malloc(), because tests make malloc() fail. */
extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *memory);

static CUresult mem_alloc_host(void **out, size_t bytes)
{
    NOTE("MemAllocHost");
    *out = __libc_malloc(bytes);
    if (!*out) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    count_object(&fake.live_host);
    return CUDA_SUCCESS;
}

FAKE(MemFreeHost, (void *host), {
    fake.live_host--;
    __libc_free(host);
})

FAKE(MemcpyHtoDAsync, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream), {
    call->stream = stream;
    call->object = to;
    call->bytes = bytes;
    call->pointers[0] = from;
    memcpy(call->data, from, bytes < FAKE_DATA_BYTES ? bytes : FAKE_DATA_BYTES);
})

FAKE(MemcpyDtoDAsync, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), {
    call->stream = stream;
    call->object = to;
    call->bytes = bytes;
    call->parameters[0] = from;
})

FAKE(MemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream), {
    call->stream = stream;
    call->object = to;
    call->bytes = count;
    call->data[0] = value;
})

FAKE(StreamGetId, (CUstream stream, unsigned long long *out),
     { *out = (unsigned long long)(uintptr_t)stream; })

FAKE(StreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), {
    assert_int_equal(flags, 0);
    call->stream = stream;
    call->object = (uint64_t)(uintptr_t)event;
})

static CUresult capture_info(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id,
                             CUgraph *graph, const CUgraphNode **dependencies, size_t *count)
{
    NOTE("StreamGetCaptureInfo");
    assert_null(dependencies);
    assert_null(count);
    uintptr_t number = (uintptr_t)stream / 16;
    *status = number < FAKE_STREAMS ? fake.capture_status[number] : CU_STREAM_CAPTURE_STATUS_NONE;
    if (id) {
        *id = 7;
    }
    if (graph) {
        *graph = (CUgraph)(uintptr_t)0x77;
    }
    return fake.capture_result;
}

static CUresult is_capturing(CUstream stream, CUstreamCaptureStatus *status)
{
    NOTE("StreamIsCapturing");
    uintptr_t number = (uintptr_t)stream / 16;
    *status = number < FAKE_STREAMS ? fake.capture_status[number] : CU_STREAM_CAPTURE_STATUS_NONE;
    return fake.capture_result;
}

static CUresult exchange_mode(CUstreamCaptureMode *wanted)
{
    CUstreamCaptureMode old = mode;
    mode = *wanted;
    *wanted = old;
    note("ThreadExchangeStreamCaptureMode");
    return CUDA_SUCCESS;
}

FAKE(StreamCreate, (CUstream * out, unsigned flags), {
    assert_int_equal(flags, CU_STREAM_NON_BLOCKING);
    call->object = count_object(&fake.live_streams);
    *out = (CUstream)(uintptr_t)call->object;
})

FAKE(StreamSynchronize, (CUstream stream), { call->stream = stream; })

FAKE(StreamDestroy, (CUstream stream), {
    call->stream = stream;
    fake.live_streams--;
})

FAKE(EventCreate, (CUevent * out, unsigned flags), {
    assert_int_equal(flags, CU_EVENT_DISABLE_TIMING);
    call->object = count_object(&fake.live_events);
    *out = (CUevent)(uintptr_t)call->object;
})

FAKE(EventRecord, (CUevent event, CUstream stream), {
    call->stream = stream;
    call->object = (uint64_t)(uintptr_t)event;
})

static CUresult event_query(CUevent event)
{
    NOTE("EventQuery");
    call->object = (uint64_t)(uintptr_t)event;
    return fake.events_pending ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult event_synchronize(CUevent event)
{
    NOTE("EventSynchronize");
    call->object = (uint64_t)(uintptr_t)event;
    return CUDA_SUCCESS;
}

FAKE(EventDestroy, (CUevent event), { fake.live_events--; })

FAKE(TexObjectCreate,
     (CUtexObject * out, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
      const CUDA_RESOURCE_VIEW_DESC *view),
     {
         assert_null(view);
         fake.resource = *resource;
         fake.texture = *texture;
         call->relaxed = fake_mode() == CU_STREAM_CAPTURE_MODE_RELAXED;
         call->object = *out = count_object(&fake.live_textures);
     })

FAKE(TexObjectDestroy, (CUtexObject object), {
    call->object = object;
    fake.live_textures--;
})

FAKE(Array3DCreate, (CUarray * out, const CUDA_ARRAY3D_DESCRIPTOR *shape), {
    fake.array = *shape;
    call->object = count_object(&fake.live_arrays);
    *out = (CUarray)(uintptr_t)call->object;
})

FAKE(ArrayDestroy, (CUarray array), {
    call->object = (uint64_t)(uintptr_t)array;
    fake.live_arrays--;
})

FAKE(Memcpy3DAsync, (const CUDA_MEMCPY3D *copy, CUstream stream), {
    fake.copy = *copy;
    call->stream = stream;
    call->object = (uint64_t)(uintptr_t)copy->dstArray;
})

FAKE(UserObjectCreate,
     (CUuserObject * out, void *user, CUhostFn destroy, unsigned references, unsigned flags), {
         assert_int_equal(references, 1);
         assert_int_equal(flags, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
         fake.destroy[fake.user_objects] = destroy;
         fake.destroy_user[fake.user_objects++] = user;
         *out = (CUuserObject)(uintptr_t)fake.user_objects;
     })

FAKE(UserObjectRelease, (CUuserObject object, unsigned count), {
    size_t index = (size_t)(uintptr_t)object - 1;
    assert_int_equal(count, 1);
    fake.destroy[index](fake.destroy_user[index]);
    fake.destroy[index] = NULL;
})

FAKE(GraphRetainUserObject, (CUgraph graph, CUuserObject object, unsigned count, unsigned flags), {
    assert_int_equal(count, 1);
    assert_int_equal(flags, CU_GRAPH_USER_OBJECT_MOVE);
})

void fake_graphs_gone(void)
{
    for (size_t i = 0; i < fake.user_objects; i++) {
        if (fake.destroy[i]) {
            fake.destroy[i](fake.destroy_user[i]);
        }
    }
    fake.user_objects = 0;
}

static const gt_driver table = {
    .GetErrorName = get_error_name,
    .GetErrorString = get_error_string,
    .CtxGetCurrent = fake_CtxGetCurrent,
    .CtxGetDevice = fake_CtxGetDevice,
    .CtxPushCurrent = fake_CtxPushCurrent,
    .CtxPopCurrent = fake_CtxPopCurrent,
    .CtxSynchronize = fake_CtxSynchronize,
    .ModuleLoadData = fake_ModuleLoadData,
    .ModuleLoadDataEx = module_load_ex,
    .ModuleUnload = fake_ModuleUnload,
    .ModuleGetFunction = module_get_function,
    .ModuleGetGlobal = module_get_global,
    .FuncGetAttribute = func_get_attribute,
    .FuncSetAttribute = fake_FuncSetAttribute,
    .FuncLoad = fake_FuncLoad,
    .FuncGetParamInfo = func_get_param_info,
    .LaunchKernelEx = launch,
    .OccupancyMaxActiveBlocksPerMultiprocessor = fake_OccupancyMaxActiveBlocksPerMultiprocessor,
    .OccupancyMaxActiveClusters = fake_OccupancyMaxActiveClusters,
    .MemAlloc = fake_MemAlloc,
    .MemFree = fake_MemFree,
    .MemAllocHost = mem_alloc_host,
    .MemFreeHost = fake_MemFreeHost,
    .MemcpyHtoDAsync = fake_MemcpyHtoDAsync,
    .MemcpyDtoDAsync = fake_MemcpyDtoDAsync,
    .MemsetD8Async = fake_MemsetD8Async,
    .StreamCreate = fake_StreamCreate,
    .StreamSynchronize = fake_StreamSynchronize,
    .StreamDestroy = fake_StreamDestroy,
    .StreamGetId = fake_StreamGetId,
    .StreamWaitEvent = fake_StreamWaitEvent,
    .StreamGetCaptureInfo = capture_info,
    .StreamIsCapturing = is_capturing,
    .ThreadExchangeStreamCaptureMode = exchange_mode,
    .EventCreate = fake_EventCreate,
    .EventRecord = fake_EventRecord,
    .EventQuery = event_query,
    .EventSynchronize = event_synchronize,
    .EventDestroy = fake_EventDestroy,
    .Array3DCreate = fake_Array3DCreate,
    .ArrayDestroy = fake_ArrayDestroy,
    .Memcpy3DAsync = fake_Memcpy3DAsync,
    .TexObjectCreate = fake_TexObjectCreate,
    .TexObjectDestroy = fake_TexObjectDestroy,
    .UserObjectCreate = fake_UserObjectCreate,
    .UserObjectRelease = fake_UserObjectRelease,
    .GraphRetainUserObject = fake_GraphRetainUserObject,
    .version = 13000,
    .name = "fake",
};

int fake_live(void)
{
    return fake.live_modules + fake.live_memory + fake.live_host + fake.live_events +
           fake.live_streams + fake.live_textures + fake.live_arrays;
}

void fake_reset(void)
{
    fake_call *calls = fake.calls ? fake.calls : calloc(CALLS_MAX, sizeof *calls);
    fake = (fake_driver){.table = table,
                         .calls = calls,
                         .current = fake_context(1),
                         .max_threads = 1024,
                         .clusters = 8,
                         .blocks = 4};
}

void fake_forget(void)
{
    fake.call_count = 0;
}

size_t fake_count(const char *name)
{
    size_t count = 0;
    for (size_t i = 0; i < fake.call_count; i++) {
        count += strcmp(fake.calls[i].name, name) == 0;
    }
    return count;
}

const fake_call *fake_find(const char *name, size_t nth)
{
    for (size_t i = 0; i < fake.call_count; i++) {
        if (strcmp(fake.calls[i].name, name) == 0 && nth-- == 0) {
            return &fake.calls[i];
        }
    }
    fail_msg("no such call: %s", name);
    return NULL;
}

const char *fake_story(void)
{
    static char story[4096];
    size_t used = 0;
    story[0] = '\0';
    for (size_t i = 0; i < fake.call_count; i++) {
        bool asks = false;
        for (size_t q = 0; q < sizeof questions / sizeof *questions; q++) {
            asks |= strcmp(questions[q], fake.calls[i].name) == 0;
        }
        if (!asks && used < sizeof story) {
            used += (size_t)snprintf(story + used, sizeof story - used, "%s%s", used ? " " : "",
                                     fake.calls[i].name);
        }
    }
    return story;
}

CUstream fake_stream(int number)
{
    return (CUstream)(uintptr_t)(number * 16);
}

CUcontext fake_context(int number)
{
    return (CUcontext)(uintptr_t)(number * 16);
}
