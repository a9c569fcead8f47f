/* Objects with a reference count, such as a module or the memory of captured launches. The launcher
 * and each graph that uses an object have a reference, and the last one frees it. */
#pragma once

#include "gpu/driver.h"

#include <stdatomic.h>

/* Must be the first member of an object with a reference count. */
typedef struct gt_held {
    const gt_driver *driver;
    gt_context context;
    atomic_uint holders; /* number of graphs that use the object, plus 1 for its launcher */
    /* Frees the object. `alive` is true if its context exists and is current. */
    void (*end)(struct gt_held *held, bool alive);
    struct gt_held *next; /* next object in the list of those whose launcher was freed */
} gt_held;

/* Initialises an object with one reference, which belongs to the launcher. */
void gt_held_begin(gt_held *out, const gt_driver *driver, const gt_context *context,
                   void (*end)(gt_held *held, bool alive));
/* Adds a reference. It is dropped when the graph and its executable graphs are destroyed. */
gputune_status gt_held_give(gt_held *held, CUgraph graph);
/* Drops the reference of the launcher, and frees the object if no graph uses it. `alive` is true if
 * the context of the object exists and is current. */
void gt_held_leave(gt_held *held, bool alive);
/* Frees all objects without references. Any context may be current. */
void gt_held_collect(void);
