/* The cores of this machine, which the farms of a process share. */
#include "farm/farm_host.h"

#include <pthread.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mutex;
    pid_t owner;      /* a forked child begins anew */
    uint32_t farms;   /* that compile on all cores */
    uint32_t at_work; /* their workers that have a source */
} shared = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void gt_cores_join(gt_compile_host *host)
{
    pthread_mutex_lock(&shared.mutex);
    if (shared.owner != getpid()) {
        shared.owner = getpid();
        shared.farms = shared.at_work = 0;
    }
    host->shares_cores = true;
    shared.farms++;
    pthread_mutex_unlock(&shared.mutex);
}

uint32_t gt_cores_at_work(const gt_compile_host *host)
{
    uint32_t at_work = 0;
    for (uint32_t i = 0; i < host->own_count; i++) {
        const gt_slot *slot = &host->slots[i];
        at_work += slot->link.open && slot->queue.count > 0 && !slot->queue.first->forgotten;
    }
    return at_work;
}

void gt_cores_leave(gt_compile_host *host)
{
    pthread_mutex_lock(&shared.mutex);
    if (host->shares_cores && shared.owner == getpid()) {
        shared.farms--;
        shared.at_work -= host->told_at_work;
    }
    pthread_mutex_unlock(&shared.mutex);
    host->shares_cores = false;
}

void gt_cores_divide(gt_compile_host *host)
{
    host->allowed = host->limit;
    if (!host->shares_cores) {
        return;
    }
    pthread_mutex_lock(&shared.mutex);
    uint32_t mine = gt_cores_at_work(host);
    shared.at_work += mine - host->told_at_work;
    host->told_at_work = mine;
    uint32_t others = shared.at_work - mine, all = host->own_count;
    uint32_t share = all / shared.farms > 1 ? all / shared.farms : 1;
    uint32_t left = all > others ? all - others : 0;
    pthread_mutex_unlock(&shared.mutex);
    uint32_t most = left > share ? left : share;
    host->allowed = most < host->limit ? most : host->limit;
}
