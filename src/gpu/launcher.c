/* Launches a loaded variant.
 *
 * A launcher has the code of one launch (grid, parameters, attributes) in one context: see
 * gt_loaded_launch. There are three kinds of launches, and a launcher uses the first that fits:
 *
 *   direct   The caller's arguments are the kernel's parameters. The launch is one call of the
 *            driver and takes no lock. Launchers of the same image share a module.
 *   plain    The parameters are computed from the arguments (tensor maps, textures, structs), or
 *            there are several kernels. `clear_lock` ensures that no other launch runs between
 *            clearing a buffer and the kernels.
 *   state    The launch copies a parameter block, or it has scratch memory or arrays. These belong
 *            to a gt_instance, which only one stream at a time may use.
 *
 * The state of a stream is free, owned or taken:
 *
 *   free     The key is 0.
 *   owned    The key is that of a stream, whose launches use the state one after another.
 *   taken    Another stream has taken the state, because there was no free one. The first launch
 *            of the new owner waits for `last`, the event after the last launch of the old one.
 *
 * The events and the staging memory of a state form a ring. A slot is not used again until its
 * event has occurred. Locks are taken in the order launcher, state, textures. No other lock is held
 * when `clear_lock` is taken.
 *
 * A captured launch has its own state (graph_state), because a graph may be replayed at any time
 * and on any stream. A graph has references to the module and textures of the launcher, and to the
 * states that it uses (gpu/held.h), so it may outlive the launcher.
 *
 * A context may be destroyed or reset at any time, together with everything in it. For this reason,
 * objects are freed only after checking that the context still exists (gt_context_enter()). */
#include "gpu/launcher.h"

#include "base/condition.h"
#include "gpu/held.h"
#include "gpu/l2.h"
#include "gpu/loaded.h"

#include <string.h>

enum { SLOTS = 8 }; /* number of slots of staging memory for a stream, each with an event */

/* An instance and staging memory, which only one stream at a time can use. */
typedef struct stream_state {
    pthread_mutex_t lock;      /* protects the members below; held during a launch */
    atomic_uint_least64_t key; /* key of the stream that uses this state, or 0 */
    atomic_uintptr_t stream;   /* the stream's handle, by which a capture identifies the stream */
    gt_instance instance;      /* `module` is NULL before make_ready() */
    bool copied;               /* true if a launch has copied the parameter blocks */
    bool must_wait;            /* true if the next launch must wait for `last` first */
    uint8_t *staging;
    CUevent events[SLOTS]; /* event i is recorded after the last launch that used slot i */
    bool used[SLOTS];
    unsigned next;
    CUevent last; /* event of the last launch, or NULL if there was none */
} stream_state;

/* The state of a stream in a capture. It can be used again after its graph is destroyed. */
typedef struct graph_state {
    gt_held held; /* must be first */
    struct graph_state *next;
    uint64_t capture, key;
    gt_instance instance;
    GT_ARRAY(void *) staging; /* pinned host memory, with one buffer for each captured launch */
    size_t used;              /* number of staging buffers that the current graph uses */
} graph_state;

typedef struct texture_object {
    CUtexObject object;
    CUdeviceptr address;
    uint32_t texture; /* index of the texture in the launch */
} texture_object;

/* Objects that a launcher shares with captured graphs. */
typedef struct held_module {
    gt_held held; /* must be first */
    gt_module *module;
    GT_ARRAY(texture_object) textures; /* protected by the texture_lock of the launcher */
} held_module;

struct gt_launcher {
    gt_loaded_launch loaded; /* a direct launch reads only the beginning of this struct */
    pthread_mutex_t lock;    /* protects the keys of the states, and the graph states */
    pthread_mutex_t clear_lock, texture_lock;
    stream_state *states; /* GT_LAUNCHER_STREAMS states; NULL if needs_state is false */
    unsigned next_victim;
    graph_state *graph_states;
    held_module *held;
    uint64_t held_capture; /* id of the last capture whose graph has a reference to `held` */
};

typedef struct stream_facts {
    CUstream stream;
    uint64_t key; /* a number that identifies the stream; never 0 */
    bool capturing;
    cuuint64_t capture; /* id of the capture if `capturing` is true */
    CUgraph graph;
} stream_facts;

/* ---- parameters ---- */

/* Returns the error of a failed launch: the wrong context is current, or CUDA reports an error. */
static gputune_status explain_result(const gt_loaded_launch *loaded, CUresult result)
{
    GT_TRY(gt_loaded_check_context(loaded));
    return gt_cuda_check(loaded->driver, result, "cuLaunchKernelEx");
}

/* Reads the address of the buffer for a texture or a tensor map. EINVAL if it is not aligned. */
static gputune_status take_address(CUdeviceptr *out, const gt_loaded_launch *loaded, int argument,
                                   const void *const *arguments, uint32_t alignment,
                                   const char *reader)
{
    memcpy(out, arguments[argument], sizeof *out);
    GT_REFUSE(*out % alignment, GPUTUNE_EINVAL,
              "%s: argument %d is at %#llx; its %s needs a multiple of %u bytes",
              loaded->launch.steps[0].entry, argument + 1, (unsigned long long)*out, reader,
              alignment);
    return GPUTUNE_OK;
}

static gputune_status encode_map(CUtensorMap *out, const gt_loaded_launch *loaded,
                                 const gt_tensormap *map, const gt_parameter *parameter,
                                 const void *const *arguments)
{
    static const cuuint32_t every[GT_TENSORMAP_RANK] = {1, 1, 1, 1, 1};
    const gt_driver *driver = loaded->driver;
    cuuint64_t sizes[GT_TENSORMAP_RANK], strides[GT_TENSORMAP_RANK];
    CUdeviceptr address;
    GT_TRY(take_address(&address, loaded, parameter->argument, arguments, map->alignment,
                        "tensor map"));
    for (int i = 0; i < GT_TENSORMAP_RANK; i++) {
        sizes[i] = map->sizes[i];
        strides[i] = map->strides[i];
    }
    CUresult result = driver->TensorMapEncodeTiled(
        out, (int)map->type, map->rank, (void *)(uintptr_t)address, sizes, strides, map->box, every,
        (int)map->interleave, (int)map->swizzle, (int)map->l2_promotion, (int)map->nan_fill);
    return gt_cuda_check(driver, result, "cuTensorMapEncodeTiled");
}

/* Returns the texture object for the instance's array, or a cached one for the caller's buffer. */
static gputune_status find_texture(CUtexObject *out, gt_launcher *launcher,
                                   const gt_instance *instance, const gt_parameter *parameter,
                                   const void *const *arguments)
{
    held_module *objects = launcher->held;
    const uint32_t index = parameter->map;
    CUdeviceptr address;
    if (instance->arrays[index]) {
        *out = instance->textures[index];
        return GPUTUNE_OK;
    }
    GT_TRY(take_address(&address, &launcher->loaded, parameter->argument, arguments,
                        GT_TEXTURE_ALIGNMENT, "texture"));
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->texture_lock);
    for (size_t i = 0; i < objects->textures.count; i++) {
        if (objects->textures.items[i].address == address &&
            objects->textures.items[i].texture == index) {
            *out = objects->textures.items[i].object;
            return GPUTUNE_OK;
        }
    }
    GT_TRY(gt_array_reserve(&objects->textures));
    GT_TRY(gt_loaded_texture(out, &launcher->loaded, &launcher->loaded.launch.textures[index],
                             address, NULL));
    objects->textures.items[objects->textures.count++] = (texture_object){*out, address, index};
    return GPUTUNE_OK;
}

/* ---- queueing a launch ---- */

static CUresult launch_run(const gt_loaded_launch *loaded, const gt_instance *instance,
                           CUstream stream, void **parameters, const gt_iteration *run)
{
    const gt_kernel_step *kernel = &loaded->launch.steps[run->step];
    const gt_l2_window *l2 = &loaded->launch.l2;
    CUlaunchConfig config = loaded->kernels[run->step].config;
    CUlaunchAttribute attributes[GT_LOADED_ATTRIBUTES];
    void *own[GT_PARAMETER_MAX];
    CUdeviceptr addresses[GT_PARAMETER_MAX];
    CUresult result = CUDA_SUCCESS;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const uint32_t place = run->places[kernel->parameters[i]];
        const uint32_t base = loaded->launch.parameters[place].base;
        own[i] = parameters[place];
        if (base) {
            memcpy(&addresses[i], parameters[run->places[base - 1]], sizeof *addresses);
            addresses[i] += (CUdeviceptr) * (const int64_t *)own[i];
            own[i] = &addresses[i];
        }
    }
    config.gridDimX = run->grid[0], config.gridDimY = run->grid[1], config.gridDimZ = run->grid[2];
    config.blockDimX = run->block[0], config.blockDimY = run->block[1];
    config.blockDimZ = run->block[2];
    config.hStream = stream;
    if (l2->window_bytes) { /* the address of the L2 window is set in the last attribute */
        memcpy(attributes, config.attrs, config.numAttrs * sizeof *attributes);
        config.attrs = attributes;
        memcpy(&attributes[config.numAttrs - 1].value.accessPolicyWindow.base_ptr,
               parameters[l2->parameter], sizeof(CUdeviceptr));
    }
    for (uint32_t t = 0; t < run->times && result == CUDA_SUCCESS; t++) {
        result = loaded->driver->LaunchKernelEx(&config, instance->functions[run->step], own, NULL);
    }
    return result;
}

static gputune_status launch_kernels(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     const gt_instance *instance, CUstream stream,
                                     const void *const *arguments)
{
    void *parameters[GT_PARAMETER_MAX];
    CUtensorMap maps[GT_TENSORMAP_MAX];
    CUtexObject textures[GT_TEXTURE_MAX];
    unsigned char structs[GT_HELD_BYTES];
    gt_iteration run;
    const gt_launch_view *launch = &launcher->loaded.launch;
    gt_iteration_begin(&run);
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->kind == GT_PARAMETER_SCRATCH) {
            parameters[i] = (void *)&instance->scratch[i];
        } else if (parameter->kind == GT_PARAMETER_TENSORMAP) {
            parameters[i] = &maps[parameter->map];
            const gt_tensormap *all = sizes && sizes->maps ? sizes->maps : launch->maps;
            GT_TRY(encode_map(parameters[i], &launcher->loaded, &all[parameter->map], parameter,
                              arguments));
        } else if (parameter->kind == GT_PARAMETER_TEXTURE) {
            parameters[i] = &textures[parameter->map];
            GT_TRY(find_texture(parameters[i], launcher, instance, parameter, arguments));
        } else if (parameter->kind == GT_PARAMETER_VALUE) {
            parameters[i] = launch->sequence         ? (void *)&run.values[parameter->map]
                            : sizes && sizes->values ? (void *)&sizes->values[parameter->map]
                                                     : (void *)&parameter->scratch_bytes;
        } else if (parameter->kind != GT_PARAMETER_BLOCK) {
            parameters[i] = (void *)arguments[parameter->argument];
        } else { /* pass the copied block's address, or else the block (the beginning if `split`) */
            int block = parameter->argument;
            parameters[i] = launch->blocks[block].pass == GT_PASS_GLOBAL
                                ? (void *)&instance->blocks[block]
                                : (void *)arguments[block];
        }
    }
    gt_launch_hold(parameters, structs, launch);
    CUresult result = CUDA_SUCCESS;
    while (result == CUDA_SUCCESS && gt_launch_next(&run, launch)) {
        if (sizes) {
            memcpy(run.grid, sizes->grids[run.step], sizeof run.grid);
        }
        result = launch_run(&launcher->loaded, instance, stream, parameters, &run);
    }
    return result == CUDA_SUCCESS ? GPUTUNE_OK : explain_result(&launcher->loaded, result);
}

static gputune_status queue_copies(const gt_loaded_launch *loaded, const gt_instance *instance,
                                   CUstream stream, const void *const *arguments)
{
    const gt_launch_view *launch = &loaded->launch;
    for (uint32_t i = 0; loaded->needs_state && i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        CUdeviceptr from;
        if (parameter->kind == GT_PARAMETER_SCRATCH && parameter->argument >= 0) {
            memcpy(&from, arguments[parameter->argument], sizeof from);
            GT_CUDA(loaded->driver, MemcpyDtoDAsync, instance->scratch[i], from,
                    parameter->scratch_bytes, stream);
        }
        if (parameter->kind != GT_PARAMETER_TEXTURE || !instance->arrays[parameter->map]) {
            continue;
        }
        const gt_texture *texture = &launch->textures[parameter->map];
        CUDA_MEMCPY3D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                              .srcPitch = texture->pitch_bytes,
                              .srcHeight = texture->height ? texture->height : 1,
                              .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                              .dstArray = instance->arrays[parameter->map],
                              .WidthInBytes = texture->row_bytes,
                              .Height = texture->height ? texture->height : 1,
                              .Depth = texture->depth ? texture->depth : 1};
        memcpy(&copy.srcDevice, arguments[parameter->argument], sizeof copy.srcDevice);
        GT_CUDA(loaded->driver, Memcpy3DAsync, &copy, stream);
    }
    return GPUTUNE_OK;
}

static void stage_blocks(uint8_t *to, const gt_loaded_launch *loaded, const void *const *arguments)
{
    for (uint32_t i = 0; i < loaded->launch.block_count; i++) {
        const gt_block *block = &loaded->launch.blocks[i];
        uint32_t bytes = gt_block_copied(block);
        if (bytes > 0) {
            memcpy(to, (const uint8_t *)arguments[i] + block->by_value_bytes, bytes);
        }
        to += gt_staged_bytes(bytes);
    }
}

/* Queues a launch, its copies and its clears. `staged` contains the blocks to copy, or is NULL. */
static gputune_status queue_launch(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                   const gt_instance *instance, CUstream stream,
                                   const void *const *arguments, const void *staged)
{
    const gt_launch_view *launch = &launcher->loaded.launch;
    const uint8_t *from = staged;
    GT_TRY(queue_copies(&launcher->loaded, instance, stream, arguments));
    for (uint32_t i = 0; i < launch->parameter_count; i++) {
        const gt_parameter *parameter = &launch->parameters[i];
        if (parameter->clear_bytes) {
            const uint64_t bytes = sizes ? sizes->bytes[i] : parameter->clear_bytes;
            CUdeviceptr address = instance->scratch[i];
            if (parameter->kind != GT_PARAMETER_SCRATCH) {
                memcpy(&address, arguments[parameter->argument], sizeof address);
            }
            GT_CUDA(launcher->loaded.driver, MemsetD8Async, address, 0, bytes, stream);
        }
    }
    for (uint32_t i = 0; from && i < launch->block_count; i++) {
        uint32_t bytes = gt_block_copied(&launch->blocks[i]);
        if (bytes > 0 && instance->blocks[i]) { /* the image may lack the block's symbol */
            GT_CUDA(launcher->loaded.driver, MemcpyHtoDAsync, instance->blocks[i], from, bytes,
                    stream);
        }
        from += gt_staged_bytes(bytes);
    }
    return launch_kernels(launcher, sizes, instance, stream, arguments);
}

/* ---- states of streams ---- */

/* Creates the memory, the events and the instance of a state, unless they exist already. */
static gputune_status make_ready(stream_state *state, gt_launcher *launcher,
                                 const gt_launch_sizes *sizes)
{
    const gt_driver *driver = launcher->loaded.driver;
    if (state->instance.module) {
        return GPUTUNE_OK;
    }
    if (launcher->loaded.slot_bytes && !state->staging) {
        void *host;
        GT_CUDA(driver, MemAllocHost, &host, launcher->loaded.slot_bytes * SLOTS);
        state->staging = host;
    }
    for (int i = 0; i < SLOTS; i++) {
        if (!state->events[i]) {
            GT_CUDA(driver, EventCreate, &state->events[i], CU_EVENT_DISABLE_TIMING);
        }
    }
    return gt_instance_make(&state->instance, &launcher->loaded, sizes);
}

static void free_state(stream_state *state, const gt_driver *driver)
{
    for (int i = 0; i < SLOTS; i++) {
        if (state->events[i]) {
            if (state->used[i]) {
                driver->EventSynchronize(state->events[i]);
            }
            driver->EventDestroy(state->events[i]);
        }
    }
    if (state->staging) {
        driver->MemFreeHost(state->staging);
    }
    gt_instance_free(&state->instance, driver);
}

/* Finds and locks the state of a stream. Returns NULL if there is none. The key is compared again
 * under the lock, because another stream may have taken the state in the meantime. */
static stream_state *lock_own(gt_launcher *launcher, uint64_t key)
{
    for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
        stream_state *state = &launcher->states[i];
        if (atomic_load(&state->key) != key) {
            continue;
        }
        pthread_mutex_lock(&state->lock);
        if (atomic_load(&state->key) == key) {
            return state;
        }
        pthread_mutex_unlock(&state->lock);
    }
    return NULL;
}

/* Locks the state of a stream. If the stream has no state, it gets a free state or, if there is
 * none, the state of another stream. */
static stream_state *lock_state(gt_launcher *launcher, uint64_t key)
{
    stream_state *state = lock_own(launcher, key);
    if (state) {
        return state;
    }
    pthread_mutex_lock(&launcher->lock);
    state = lock_own(launcher, key); /* another thread may have given the stream a state */
    if (!state) {
        for (int i = 0; i < GT_LAUNCHER_STREAMS && !state; i++) {
            state = atomic_load(&launcher->states[i].key) ? NULL : &launcher->states[i];
        }
        state = state ? state : &launcher->states[launcher->next_victim++ % GT_LAUNCHER_STREAMS];
        pthread_mutex_lock(&state->lock);
        state->must_wait = state->last != NULL;
        state->copied = false;
        atomic_store(&state->key, key);
    }
    pthread_mutex_unlock(&launcher->lock);
    return state;
}

static gputune_status wait_for_previous_owner(stream_state *state, const gt_driver *driver,
                                              CUstream stream)
{
    if (state->must_wait) {
        GT_CUDA(driver, StreamWaitEvent, stream, state->last, CU_EVENT_WAIT_DEFAULT);
        state->must_wait = false;
    }
    return GPUTUNE_OK;
}

static gputune_status launch_locked(stream_state *state, gt_launcher *launcher,
                                    const gt_launch_sizes *sizes, CUstream stream,
                                    const void *const *arguments, bool copy)
{
    const gt_driver *driver = launcher->loaded.driver;
    unsigned slot = state->next;
    uint8_t *staged = NULL;
    GT_TRY(make_ready(state, launcher, sizes));
    if (state->used[slot]) { /* an earlier launch may still read the slot */
        GT_CUDA(driver, EventSynchronize, state->events[slot]);
    }
    GT_TRY(wait_for_previous_owner(state, driver, stream));
    GT_TRY(gt_instance_resize(&state->instance, &launcher->loaded, sizes, stream, state->last));
    if (copy && launcher->loaded.slot_bytes) {
        staged = state->staging + slot * launcher->loaded.slot_bytes;
        stage_blocks(staged, &launcher->loaded, arguments);
    }
    gputune_status status =
        queue_launch(launcher, sizes, &state->instance, stream, arguments, staged);
    /* record the event even if the launch failed, because the copy may still be running */
    CUresult recorded = driver->EventRecord(state->events[slot], stream);
    state->used[slot] = true;
    state->last = state->events[slot];
    GT_TRY(status);
    state->copied |= copy;
    state->next = (slot + 1) % SLOTS;
    return gt_cuda_check(driver, recorded, "cuEventRecord");
}

static gputune_status no_block(void)
{
    return gt_fail(GPUTUNE_EINVAL,
                   "no block was passed on this stream yet; launch on it once before capturing");
}

static gputune_status launch_on_stream(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                       const stream_facts *facts, const void *const *arguments,
                                       bool copy)
{
    stream_state *state = lock_state(launcher, facts->key);
    atomic_store_explicit(&state->stream, (uintptr_t)facts->stream, memory_order_relaxed);
    gputune_status status = copy || state->copied ? launch_locked(state, launcher, sizes,
                                                                  facts->stream, arguments, copy)
                                                  : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}

static gputune_status capture_repeat(gt_launcher *launcher, CUstream stream,
                                     const void *const *arguments)
{
    uint64_t key = 0;
    for (int i = 0; i < GT_LAUNCHER_STREAMS && !key; i++) {
        const uint64_t own = atomic_load(&launcher->states[i].key);
        key = atomic_load(&launcher->states[i].stream) == (uintptr_t)stream ? own : 0;
    }
    stream_state *state = key ? lock_own(launcher, key) : NULL;
    if (!state) {
        return no_block();
    }
    gputune_status status =
        state->copied ? queue_launch(launcher, NULL, &state->instance, stream, arguments, NULL)
                      : no_block();
    pthread_mutex_unlock(&state->lock);
    return status;
}

/* ---- states of graphs ---- */

static void end_module(gt_held *held, bool alive)
{
    held_module *module = (held_module *)held;
    for (size_t i = 0; i < module->textures.count && alive; i++) {
        held->driver->TexObjectDestroy(module->textures.items[i].object);
    }
    gt_module_drop(module->module, alive);
    gt_array_free(&module->textures);
    free(module);
}

/* Gives the graph a reference to the module and the textures. The caller must hold the lock. */
static gputune_status hold_module(gt_launcher *launcher, const stream_facts *facts)
{
    if ((launcher->loaded.needs_module && !launcher->loaded.launch.texture_count) ||
        launcher->held_capture == facts->capture) {
        return GPUTUNE_OK;
    }
    GT_TRY(gt_held_give(&launcher->held->held, facts->graph));
    launcher->held_capture = facts->capture;
    return GPUTUNE_OK;
}

static void end_state(gt_held *held, bool alive)
{
    graph_state *state = (graph_state *)held;
    if (alive) {
        gt_instance_free(&state->instance, held->driver);
        for (size_t i = 0; i < state->staging.count; i++) {
            held->driver->MemFreeHost(state->staging.items[i]);
        }
    }
    gt_array_free(&state->staging);
    free(state);
}

static gputune_status make_state(graph_state **out, gt_launcher *launcher,
                                 const gt_launch_sizes *sizes)
{
    GT_FREED graph_state *state = calloc(1, sizeof *state);
    GT_TRY(gt_allocated(state));
    GT_TRY(gt_instance_make(&state->instance, &launcher->loaded, sizes));
    gt_held_begin(&state->held, launcher->loaded.driver, &launcher->loaded.context, end_state);
    state->next = launcher->graph_states;
    launcher->graph_states = *out = gt_take(&state);
    return GPUTUNE_OK;
}

/* Returns the state of a stream in a capture. If the stream has no state yet, it gets a state whose
 * graph was destroyed, or a new one. */
static gputune_status find_state(graph_state **out, gt_launcher *launcher,
                                 const gt_launch_sizes *sizes, const stream_facts *facts)
{
    const uint64_t id = sizes ? sizes->id : 0;
    graph_state *unused = NULL;
    for (graph_state *state = launcher->graph_states; state; state = state->next) {
        bool in_use = atomic_load(&state->held.holders) > 1, same = state->instance.sizes_id == id;
        if (in_use && same && state->capture == facts->capture && state->key == facts->key) {
            *out = state;
            return GPUTUNE_OK;
        }
        unused = in_use || (unused && !same) ? unused : state;
    }
    if (!unused) {
        GT_TRY(make_state(&unused, launcher, sizes));
    } else if (!unused->instance.module || unused->instance.sizes_id != id) {
        gt_instance_free(&unused->instance, launcher->loaded.driver);
        GT_TRY(gt_instance_make(&unused->instance, &launcher->loaded, sizes));
    }
    unused->used = 0;
    unused->capture = facts->capture;
    unused->key = facts->key;
    GT_TRY(gt_held_give(&unused->held, facts->graph));
    *out = unused;
    return GPUTUNE_OK;
}

/* Copies the blocks to memory that belongs to the graph and that every replay reads. */
static gputune_status stage_for_graph(const void **out, graph_state *state,
                                      const gt_launcher *launcher, const void *const *arguments)
{
    *out = NULL;
    if (!launcher->loaded.slot_bytes) {
        return GPUTUNE_OK;
    }
    if (state->used == state->staging.count) {
        void *host;
        GT_TRY(gt_array_reserve(&state->staging));
        GT_CUDA(launcher->loaded.driver, MemAllocHost, &host, launcher->loaded.slot_bytes);
        state->staging.items[state->staging.count++] = host;
    }
    void *staged = state->staging.items[state->used++];
    stage_blocks(staged, &launcher->loaded, arguments);
    *out = staged;
    return GPUTUNE_OK;
}

static gputune_status fail_capture(const gt_launcher *launcher)
{
    return gt_fail_prefix(GPUTUNE_ECAPTURE, "%s cannot be launched during this capture",
                          launcher->loaded.launch.steps[0].entry);
}

static gputune_status capture_launch(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     const stream_facts *facts, const void *const *arguments)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->lock);
    graph_state *state;
    const void *staged;
    if (find_state(&state, launcher, sizes, facts) != GPUTUNE_OK ||
        hold_module(launcher, facts) != GPUTUNE_OK ||
        stage_for_graph(&staged, state, launcher, arguments) != GPUTUNE_OK) {
        return fail_capture(launcher);
    }
    return queue_launch(launcher, sizes, &state->instance, facts->stream, arguments, staged);
}

/* ---- launching ---- */

static gputune_status read_capture(stream_facts *out, const gt_driver *driver, CUstream stream)
{
    CUstreamCaptureStatus status;
    *out = (stream_facts){.stream = stream};
    CUresult result =
        driver->StreamGetCaptureInfo(stream, &status, &out->capture, &out->graph, NULL, NULL);
    GT_REFUSE(result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, GPUTUNE_ECAPTURE,
              "the default stream cannot be used while another stream is being captured");
    GT_TRY(gt_cuda_check(driver, result, "cuStreamGetCaptureInfo"));
    GT_REFUSE(status == CU_STREAM_CAPTURE_STATUS_INVALIDATED, GPUTUNE_ECAPTURE,
              "the capture of this stream has already failed");
    out->capturing = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return GPUTUNE_OK;
}

/* Reads the properties of a stream. The key of a stream is its id, because the driver may reuse the
 * handle of a destroyed stream. It does not reuse ids (driver 12.0). During a capture,
 * cuStreamGetId fails with error 900 (H200, driver 13.0). The key is then the handle, which is
 * unique in the capture. */
static gputune_status read_stream(stream_facts *out, const gt_launcher *launcher, CUstream stream)
{
    const gt_driver *driver = launcher->loaded.driver;
    unsigned long long id = (unsigned long long)(uintptr_t)stream;
    GT_TRY(gt_loaded_check_context(&launcher->loaded));
    GT_TRY(read_capture(out, driver, stream));
    if (!out->capturing) {
        GT_CUDA(driver, StreamGetId, stream, &id);
    }
    out->key = id + 1;
    return GPUTUNE_OK;
}

static gputune_status launch_with_state(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                        CUstream stream, const void *const *arguments, bool copy)
{
    stream_facts facts;
    GT_TRY(read_stream(&facts, launcher, stream));
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(launcher->loaded.driver);
    if (!facts.capturing) {
        return launch_on_stream(launcher, sizes, &facts, arguments, copy);
    }
    return copy ? capture_launch(launcher, sizes, &facts, arguments)
                : capture_repeat(launcher, stream, arguments);
}

static gputune_status hold_for_capture(gt_launcher *launcher, CUstream stream)
{
    stream_facts facts;
    GT_TRY(read_capture(&facts, launcher->loaded.driver, stream));
    if (!facts.capturing) {
        return GPUTUNE_OK;
    }
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(launcher->loaded.driver);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->lock);
    return hold_module(launcher, &facts) == GPUTUNE_OK ? GPUTUNE_OK : fail_capture(launcher);
}

gputune_status gt_launcher_launch_at(gt_launcher *launcher, const gt_launch_sizes *sizes,
                                     CUstream stream, const void *const *arguments)
{
    const gt_driver *driver = launcher->loaded.driver;
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    if (launcher->loaded.needs_state) {
        return launch_with_state(launcher, sizes, stream, arguments, true);
    }
    /* the default stream (NULL) cannot be captured */
    if (stream && driver->StreamIsCapturing(stream, &capture) == CUDA_SUCCESS &&
        capture == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        GT_TRY(hold_for_capture(launcher, stream));
    }
    if (launcher->loaded.is_direct) {
        CUlaunchConfig config = launcher->loaded.only.config;
        config.hStream = stream;
        if (sizes) {
            const uint32_t *grid = sizes->grids[0];
            config.gridDimX = grid[0], config.gridDimY = grid[1], config.gridDimZ = grid[2];
        }
        CUresult result = driver->LaunchKernelEx(&config, launcher->loaded.base.functions[0],
                                                 (void **)arguments, NULL);
        return result == CUDA_SUCCESS ? GPUTUNE_OK : explain_result(&launcher->loaded, result);
    }
    if (!gt_launch_clears(&launcher->loaded.launch)) {
        return queue_launch(launcher, sizes, &launcher->loaded.base, stream, arguments, NULL);
    }
    /* no other thread may launch between the clear and the kernel */
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&launcher->clear_lock);
    return queue_launch(launcher, sizes, &launcher->loaded.base, stream, arguments, NULL);
}

gputune_status gt_launcher_launch(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    return gt_launcher_launch_at(launcher, NULL, stream, arguments);
}

gputune_status gt_launcher_repeat(gt_launcher *launcher, CUstream stream,
                                  const void *const *arguments)
{
    return launcher->loaded.needs_state
               ? launch_with_state(launcher, NULL, stream, arguments, false)
               : gt_launcher_launch(launcher, stream, arguments);
}

/* ---- making and freeing ---- */

static gputune_status load_module(gt_launcher *launcher, const gt_image *image, gt_module *module)
{
    gt_loaded_launch *loaded = &launcher->loaded;
    launcher->held = calloc(1, sizeof *launcher->held);
    GT_TRY(gt_allocated(launcher->held));
    gt_held_begin(&launcher->held->held, loaded->driver, &loaded->context, end_module);
    gputune_status status = gt_loaded_make(loaded, image, module);
    launcher->held->module = loaded->module;
    GT_TRY(status);
    if (loaded->needs_state) {
        launcher->states = calloc(GT_LAUNCHER_STREAMS, sizeof *launcher->states);
        GT_TRY(gt_allocated(launcher->states));
        for (int i = 0; i < GT_LAUNCHER_STREAMS; i++) {
            pthread_mutex_init(&launcher->states[i].lock, NULL);
        }
    }
    return GPUTUNE_OK;
}

gputune_status gt_launcher_load_view(gt_launcher **out, const gt_driver *driver,
                                     const gt_device *device, const gt_image *image,
                                     gt_module *module, const gt_launch_view *launch)
{
    gt_context context;
    gt_held_collect();
    GT_TRY(gt_context_current(&context, driver));
    gt_launcher *launcher = calloc(1, sizeof *launcher);
    GT_TRY(gt_allocated(launcher));
    launcher->loaded.context = context;
    launcher->loaded.driver = driver;
    launcher->loaded.device = device;
    launcher->loaded.launch = *launch;
    pthread_mutex_init(&launcher->lock, NULL);
    pthread_mutex_init(&launcher->clear_lock, NULL);
    pthread_mutex_init(&launcher->texture_lock, NULL);
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(driver);
    gputune_status status = load_module(launcher, image, module);
    if (status != GPUTUNE_OK) {
        gt_launcher_free(launcher);
        return status;
    }
    *out = launcher;
    return GPUTUNE_OK;
}

gputune_status gt_launcher_load(gt_launcher **out, const gt_driver *driver, const gt_device *device,
                                const gt_image *image, gt_module *module, const gt_launch *launch)
{
    const gt_launch_view view = gt_launch_view_of(launch);
    return gt_launcher_load_view(out, driver, device, image, module, &view);
}

/* Unloading a module waits for its launches and does not disturb captures (seen on an H200 with
 * driver 13.0). Waiting for the whole context instead would break all captures in it. */
void gt_launcher_free(gt_launcher *launcher)
{
    if (!launcher) {
        return;
    }
    const gt_driver *driver = launcher->loaded.driver;
    GT_SCOPED(gt_context_leave)
    gt_context_visit visit = gt_context_enter(driver, &launcher->loaded.context);
    const bool alive = visit.entered;
    for (int i = 0; launcher->states && i < GT_LAUNCHER_STREAMS; i++) {
        if (alive) {
            free_state(&launcher->states[i], driver);
        }
        pthread_mutex_destroy(&launcher->states[i].lock);
    }
    graph_state *next;
    for (graph_state *state = launcher->graph_states; state; state = next) {
        next = state->next;
        gt_held_leave(&state->held, alive);
    }
    if (launcher->held) {
        gt_held_leave(&launcher->held->held, alive);
    }
    gt_loaded_free(&launcher->loaded, alive);
    free(launcher->states);
    pthread_mutex_destroy(&launcher->clear_lock);
    pthread_mutex_destroy(&launcher->texture_lock);
    pthread_mutex_destroy(&launcher->lock);
    free(launcher);
    gt_held_collect();
}

/* ---- other questions ---- */

gt_module *gt_launcher_module(const gt_launcher *launcher)
{
    return launcher->held->module->handle ? launcher->held->module : NULL;
}

gputune_status gt_launcher_prepare(gt_launcher *launcher)
{
    const gt_loaded_launch *loaded = &launcher->loaded;
    return loaded->launch.l2.used
               ? gt_l2_set(loaded->driver, &loaded->context, loaded->launch.l2.set_aside_bytes)
               : GPUTUNE_OK;
}

gputune_status gt_launcher_check_count(const gt_launcher *launcher)
{
    return gt_loaded_check_count(&launcher->loaded);
}

gputune_status gt_launcher_occupancy(double *out, const gt_launcher *launcher)
{
    return gt_loaded_occupancy(out, &launcher->loaded);
}

gputune_status gt_launcher_function(gt_function_facts *out, const gt_launcher *launcher,
                                    uint32_t index)
{
    GT_TRY(gt_loaded_check_context(&launcher->loaded));
    *out = (gt_function_facts){.function = launcher->loaded.base.functions[index],
                               .symbol = launcher->loaded.kernels[index].symbol,
                               .carveout_percent = launcher->loaded.carveout_percent};
    return GPUTUNE_OK;
}

gputune_status gt_launcher_variable(CUdeviceptr *out, size_t *bytes, gt_launcher *launcher,
                                    const char *name)
{
    *out = 0;
    *bytes = 0;
    CUresult result =
        launcher->loaded.driver->ModuleGetGlobal(out, bytes, launcher->loaded.base.module, name);
    return result == CUDA_ERROR_NOT_FOUND
               ? GPUTUNE_OK
               : gt_cuda_check(launcher->loaded.driver, result, "cuModuleGetGlobal");
}

void gt_launcher_guard(gt_launcher *launcher, uint32_t bytes)
{
    launcher->loaded.guard_bytes = bytes;
}

gputune_status gt_launcher_scratch(CUdeviceptr *out, gt_launcher *launcher, CUstream stream,
                                   uint32_t parameter)
{
    stream_facts facts;
    const gt_driver *driver = launcher->loaded.driver;
    *out = 0;
    if (launcher->loaded.launch.parameters[parameter].kind != GT_PARAMETER_SCRATCH) {
        return GPUTUNE_OK;
    }
    GT_TRY(read_stream(&facts, launcher, stream));
    GT_REFUSE(facts.capturing, GPUTUNE_ECAPTURE,
              "scratch memory cannot be filled while the stream is being captured");
    stream_state *state = lock_state(launcher, facts.key);
    GT_SCOPED(gt_relaxed_leave) gt_relaxed relaxed = gt_relaxed_enter(driver);
    gputune_status status = make_ready(state, launcher, NULL);
    GT_THEN(status, wait_for_previous_owner(state, driver, stream));
    *out = status == GPUTUNE_OK ? state->instance.scratch[parameter] : 0;
    pthread_mutex_unlock(&state->lock);
    return status;
}
