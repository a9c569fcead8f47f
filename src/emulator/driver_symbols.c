/* Looks up driver calls by name: cuGetProcAddress. */
#include "emulator/driver_symbols.h"

#include "emulator/enter.h"

#include <stdbool.h>
#include <string.h>

/* Declares entry points without their types, because only the addresses are needed. */
#define X(name, version, symbol) extern void emu_address_##symbol(void) __asm__(#symbol);
EMU_SYMBOL_LIST(X)
#undef X

typedef struct entry {
    const char *name;
    int version;
    void (*function)(void);
} entry;

static const entry entries[] = {
#define X(name, version, symbol) {#name, version, emu_address_##symbol},
    EMU_SYMBOL_LIST(X)
#undef X
};

enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

/* Finds the newest variant of `name` up to `version`. Sets *known if `name` has any variant. */
static const entry *find_symbol(const char *name, int version, int driver_version, bool *known)
{
    const entry *best = NULL;
    *known = false;
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (strcmp(entries[i].name, name) != 0 || entries[i].version > driver_version) {
            continue;
        }
        *known = true;
        if (entries[i].version <= version && (!best || entries[i].version > best->version)) {
            best = &entries[i];
        }
    }
    return best;
}

CUresult cuDriverGetVersion(int *version);

/* Finds the address of a driver call. Also works before cuInit. Succeeds with NULL if the call is
 * unknown or newer than `version`. Fails with 1 if `version` is newer than the driver. Ignores the
 * flag for per-thread default streams, because the legacy stream orders at least as strictly. */
EMU_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status)
{
    int driver_version;
    bool known;
    EMU_ENTER(cuGetProcAddress, 0);
    EMU_CHECK(name && out && flags <= 2, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(cuDriverGetVersion(&driver_version));
    EMU_CHECK(version <= driver_version, CUDA_ERROR_INVALID_VALUE);
    const entry *found = find_symbol(name, version, driver_version, &known);
    *out = NULL;
    if (found) {
        memcpy(out, &found->function, sizeof *out);
    }
    if (status) {
        *status = found   ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    }
    return CUDA_SUCCESS;
}
