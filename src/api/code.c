/* Shares images between plans, and loads the images in contexts. */
#include "api/code.h"

#include "api/plan.h"
#include "base/condition.h"
#include "base/hash.h"
#include "gpu/image.h"

#include <stdlib.h>
#include <string.h>

static void note_variable(void *user, const char *name, size_t length)
{
    (void)name;
    (void)length;
    *(bool *)user = true;
}

static gputune_status new_code(gt_shared_code **out, gt_plan_pool *pool, gt_image *image,
                               uint64_t hash, int carveout_kb)
{
    gt_shared_code *code = *out = calloc(1, sizeof *code);
    GT_TRY(gt_allocated(code));
    *code =
        (gt_shared_code){.pool = pool, .hash = hash, .carveout_kb = carveout_kb, .image = *image};
    pthread_mutex_init(&code->loading, NULL);
    gt_image_each_variable(image, note_variable, &code->is_private);
    *image = (gt_image){0};
    code->next = pool->codes;
    pool->codes = code;
    return GPUTUNE_OK;
}

/* Returns a reference to the image's code in the pool. Moves the image there if the code is new. */
static gputune_status take_code(gt_shared_code **out, gt_plan_pool *pool, gt_image *image,
                                int carveout_kb)
{
    const uint64_t hash = gt_hash64(image->data, image->bytes);
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&pool->mutex);
    gt_shared_code *code = pool->codes;
    while (code && !(code->hash == hash && code->carveout_kb == carveout_kb &&
                     code->image.bytes == image->bytes &&
                     memcmp(code->image.data, image->data, image->bytes) == 0)) {
        code = code->next;
    }
    if (!code) {
        GT_TRY(new_code(&code, pool, image, hash, carveout_kb));
    }
    code->plans++;
    *out = code;
    return GPUTUNE_OK;
}

/* Drops a reference. Returns true if it was the last; the code is then removed from the pool. */
static bool leave_code(gt_shared_code *code)
{
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&code->pool->mutex);
    if (--code->plans) {
        return false;
    }
    gt_shared_code **link = &code->pool->codes;
    while (*link != code) {
        link = &(*link)->next;
    }
    *link = code->next;
    return true;
}

static void drop_code(gt_shared_code *code)
{
    if (!code || !leave_code(code)) {
        return;
    }
    for (size_t i = 0; i < code->modules.count; i++) {
        gt_module_release(code->modules.items[i]);
    }
    gt_array_free(&code->modules);
    pthread_mutex_destroy(&code->loading);
    free(code->image.data);
    free(code);
}

/* Returns the module loaded in a context, or NULL. Frees modules of contexts that were reset. */
static gt_module *find_module(gt_shared_code *code, const gt_context *context)
{
    gt_module *found = NULL;
    for (size_t i = code->modules.count; i-- > 0;) {
        gt_module *module = code->modules.items[i];
        const gt_context *home = &module->context;
        if (home->handle != context->handle) {
            continue;
        }
        if (home->id == context->id) {
            found = module;
        } else {
            code->modules.items[i] = code->modules.items[--code->modules.count];
            gt_module_release(module);
        }
    }
    return found;
}

static gputune_status load_launch(gt_launcher **out, gt_shared_code *code,
                                  const gt_launch_view *launch, const gt_context *context)
{
    const gt_plan_pool *pool = code->pool;
    gt_module *module = find_module(code, context);
    if (!module) {
        GT_TRY(gt_array_reserve(&code->modules));
    }
    GT_TRY(gt_launcher_load_view(out, pool->driver, pool->device, &code->image, module, launch));
    gt_module *loaded = gt_launcher_module(*out);
    if (!module && loaded && !code->is_private) {
        code->modules.items[code->modules.count++] = gt_module_retain(loaded);
    }
    return GPUTUNE_OK;
}

gputune_status gt_plan_code_load(gt_launcher **out, gt_plan_code *code)
{
    gt_context context;
    gt_launcher *launcher;
    const gt_plan_pool *pool = code->code->pool;
    GT_TRY(gt_plan_context(&context, pool->driver, pool->device->ordinal,
                           code->launch->steps[0].entry));
    GT_SCOPED(gt_unlock) pthread_mutex_t *held = gt_lock(&code->code->loading);
    gt_loaded_code *at = atomic_load(&code->loaded);
    while (at && at->handle != context.handle) {
        at = at->next;
    }
    if (at && atomic_load(&at->id) == context.id && atomic_load(&at->launcher)) {
        *out = atomic_load(&at->launcher);
        return GPUTUNE_OK;
    }
    if (!at) {
        at = calloc(1, sizeof *at);
        GT_TRY(gt_allocated(at));
        at->handle = context.handle;
        at->next = atomic_load(&code->loaded);
        atomic_store_explicit(&code->loaded, at, memory_order_release);
    }
    GT_TRY(load_launch(&launcher, code->code, code->launch, &context));
    gt_launcher *before = atomic_exchange(&at->launcher, launcher);
    atomic_store_explicit(&at->id, context.id, memory_order_release);
    gt_launcher_free(before); /* the old launcher's context is gone, so no launch uses it */
    *out = launcher;
    return GPUTUNE_OK;
}

gputune_status gt_plan_code_make(gt_plan_code **out, gt_plan_pool *pool, gt_launch_view *launch,
                                 gt_image *image)
{
    GT_FREED gt_plan_code *code = calloc(1, sizeof *code);
    GT_TRY(gt_allocated(code));
    GT_TRY(take_code(&code->code, pool, image, launch->carveout_kb));
    code->launch = launch;
    *out = gt_take(&code);
    return GPUTUNE_OK;
}

void gt_plan_code_free(gt_plan_code *code)
{
    gt_loaded_code *next;
    if (!code) {
        return;
    }
    for (gt_loaded_code *at = atomic_load(&code->loaded); at; at = next) {
        next = at->next;
        gt_launcher_free(atomic_load(&at->launcher));
        free(at);
    }
    drop_code(code->code);
    free(code->launch);
    free(code);
}
