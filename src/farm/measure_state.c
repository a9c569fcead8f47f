/* Which variables of its module a variant writes: what one launch leaves in them meets the next,
 * and launches on several streams share them. */
#include "base/hash.h"
#include "farm/measure_parts.h"
#include "gpu/image.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MAX = 32, BYTES_MAX = 1 << 16 };

struct gt_variables {
    uint32_t count;
    char names[VARIABLES_MAX][GT_NAME_MAX];
    uint64_t hashes[VARIABLES_MAX]; /* as they were noted last */
};

static void add(void *user, const char *name, size_t length)
{
    gt_variables *all = user;
    if (all->count < VARIABLES_MAX && length > 0 && length < GT_NAME_MAX) {
        memcpy(all->names[all->count], name, length);
        all->names[all->count++][length] = '\0';
    }
}

gputune_status gt_variables_find(gt_variables **out, const gt_image *image)
{
    gt_variables *all = calloc(1, sizeof *all);
    GT_TRY(gt_allocated(all));
    gt_image_each_variable(image, add, all);
    if (all->count == 0) {
        free(all);
        all = NULL;
    }
    *out = all;
    return GPUTUNE_OK;
}

/* Of its first bytes; 0 for one that the module lacks. Waits. */
static gputune_status hash_of(uint64_t *out, gt_measure *measure, gt_loaded *variant,
                              const char *name, void *room)
{
    CUdeviceptr address;
    size_t bytes;
    *out = 0;
    GT_TRY(gt_launcher_variable(&address, &bytes, variant->launchers[0], name));
    if (address == 0 || bytes == 0) {
        return GPUTUNE_OK;
    }
    bytes = bytes < BYTES_MAX ? bytes : BYTES_MAX;
    GT_CALL(measure, MemcpyDtoHAsync, room, address, bytes, measure->stream);
    GT_TRY(gt_measure_wait(measure));
    *out = gt_hash64(room, bytes);
    return GPUTUNE_OK;
}

gputune_status gt_variables_note(const char **changed, gt_measure *measure, gt_loaded *variant)
{
    gt_variables *all = variant->variables;
    void *room = all ? malloc(BYTES_MAX) : NULL;
    *changed = NULL;
    if (!room) {
        return all ? gt_fail_memory() : GPUTUNE_OK;
    }
    gputune_status status = GPUTUNE_OK;
    for (uint32_t i = 0; i < all->count && status == GPUTUNE_OK; ++i) {
        uint64_t before = all->hashes[i];
        status = hash_of(&all->hashes[i], measure, variant, all->names[i], room);
        *changed = !*changed && all->hashes[i] != before ? all->names[i] : *changed;
    }
    free(room);
    return status;
}
