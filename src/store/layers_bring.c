/* Brings to the file what stayed in memory because another process had locked the file. */
#include "store/layers_parts.h"

static const double closing_wait_s = 5;

/* In the order in which rows refer to each other. */
static const gt_sql steps[] = {GT_SQL_BRING_GPU,   GT_SQL_BRING_KERNEL, GT_SQL_BRING_SCENARIO,
                               GT_SQL_BRING_CUBIN, GT_SQL_BRING_CODE,   GT_SQL_BRING_TRIAL,
                               GT_SQL_BRING_WINNER};

typedef struct bringing {
    gt_store *store;
    uint64_t writes; /* to memory, when it was copied */
} bringing;

/* The database in memory once more, as `kept` of the writer's connection. */
static gputune_status copy_memory(gt_database *database, bringing *what)
{
    gt_store *store = what->store;
    pthread_mutex_lock(&store->remembering);
    sqlite3_backup *backup =
        store->memory ? sqlite3_backup_init(database->handle, "kept", store->memory->handle, "main")
                      : NULL;
    int code = backup ? sqlite3_backup_step(backup, -1) : SQLITE_NOMEM;
    sqlite3_backup_finish(backup);
    what->writes = store->memory_writes;
    pthread_mutex_unlock(&store->remembering);
    if (code != SQLITE_DONE) {
        database->code = code;
        return gt_database_is_memory(code) ? gt_fail_memory() : GPUTUNE_EDATABASE;
    }
    return GPUTUNE_OK;
}

static gputune_status bring_rows(gt_database *database, void *context)
{
    bool attached = sqlite3_db_readonly(database->handle, "kept") >= 0;
    GT_TRY(attached ? GPUTUNE_OK : gt_execute(database, GT_SQL_BRING_BEGIN, ""));
    GT_TRY(copy_memory(database, context));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        GT_TRY(gt_execute(database, steps[i], ""));
    }
    return GPUTUNE_OK;
}

/* Behind the transaction. Where another thread writes, the copy stays for the next time. */
static void detach(gt_store *store)
{
    if (pthread_mutex_trylock(&store->writing) != 0) {
        return;
    }
    if (store->writer && sqlite3_db_readonly(store->writer->handle, "kept") >= 0) {
        (void)gt_execute(store->writer, GT_SQL_BRING_END, "");
    }
    pthread_mutex_unlock(&store->writing);
}

/* What was put into memory since then is brought the next time, and leases stay there. */
static void forget_memory(gt_store *store, const bringing *what)
{
    int64_t leases = 1;
    pthread_mutex_lock(&store->remembering);
    bool all = store->memory && store->memory_writes == what->writes;
    bool empty = all && gt_query_integer(&leases, store->memory, GT_SQL_LEASES, "") == GPUTUNE_OK &&
                 leases == 0;
    if (empty) {
        gt_database_close(store->memory);
        store->memory = NULL;
    }
    pthread_mutex_unlock(&store->remembering);
    pthread_mutex_lock(&store->telling);
    store->unbrought = store->unbrought && !all;
    if (all && !store->no_file) {
        store->unkept[0] = '\0';
    }
    pthread_mutex_unlock(&store->telling);
}

void gt_layers_bring(gt_store *store, const gt_patience *patience)
{
    bringing what = {.store = store};
    gt_patience closing = gt_patience_for(closing_wait_s, NULL);
    if (!gt_layers_own(store) || !gt_layers_is_set(store, &store->unbrought) ||
        gt_layers_is_set(store, &store->no_file)) {
        return;
    }
    gputune_status status =
        gt_store_write_file(store, bring_rows, &what, patience ? patience : &closing);
    detach(store);
    if (status == GPUTUNE_OK) {
        forget_memory(store, &what);
    }
}
