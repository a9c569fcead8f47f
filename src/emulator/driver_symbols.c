#include "emulator/driver_symbols.h"

#include "emulator/driver.h"

#include <string.h>

CUresult cuDriverGetVersion(int *version);
CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status);
CUresult cuGetExportTable(const void **table, const CUuuid *id);

/* Declared without their types: only their addresses are taken here. */
#define X(name, version, symbol) extern void symbol(void);
EMU_SYMBOL_LIST(X)
#undef X
void emuModelledTimeNs(void);
void emuLastMessage(void);
void emuModelVersion(void);
void emuProfileName(void);
void emuSelectProfile(void);

typedef struct entry {
    const char *name;
    int version;
    void (*function)(void);
} entry;

static const entry entries[] = {
#define X(name, version, symbol) {#name, version, symbol},
    EMU_SYMBOL_LIST(X)
#undef X
        {"emuModelledTimeNs", 0, emuModelledTimeNs},
    {"emuLastMessage", 0, emuLastMessage},
    {"emuModelVersion", 0, emuModelVersion},
    {"emuProfileName", 0, emuProfileName},
    {"emuSelectProfile", 0, emuSelectProfile},
    {"cuDriverGetVersion", 2020, (void (*)(void))cuDriverGetVersion},
    {"cuGetProcAddress", 12000, (void (*)(void))cuGetProcAddress_v2},
    {"cuGetExportTable", 3000, (void (*)(void))cuGetExportTable},
};

enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

bool emu_knows_call(const char *name)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (!strcmp(entries[i].name, name)) {
            return true;
        }
    }
    return false;
}

/* The newest form of `name` that `version` covers. *known: the driver has some form of it. */
static const entry *find(const char *name, int version, int driver_version, bool *known)
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

/* Works before cuInit. A name that is missing, or newer than `version`, is success with NULL;
 * asking for a later version than the driver's is 1. Flags choose between legacy and per-thread
 * default streams; here NULL is always the legacy one, which orders at least as much. */
EMU_EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, cuuint64_t flags,
                                        CUdriverProcAddressQueryResult *status)
{
    int driver_version;
    bool known;
    EMU_ENTER(cuGetProcAddress, 0);
    EMU_CHECK(name && out && flags <= 2, CUDA_ERROR_INVALID_VALUE);
    EMU_TRY(cuDriverGetVersion(&driver_version));
    EMU_CHECK(version <= driver_version, CUDA_ERROR_INVALID_VALUE);
    const entry *found = find(name, version, driver_version, &known);
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

/* The first form, which told no status and failed instead. */
EMU_EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags);
CUresult cuGetProcAddress(const char *name, void **out, int version, cuuint64_t flags)
{
    EMU_TRY(cuGetProcAddress_v2(name, out, version, flags, NULL));
    return *out ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* The CUDA runtime asks for undocumented tables here; there are none. */
EMU_EXPORT CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    EMU_CHECK(table && id, CUDA_ERROR_INVALID_VALUE);
    *table = NULL;
    return CUDA_ERROR_NOT_SUPPORTED;
}
