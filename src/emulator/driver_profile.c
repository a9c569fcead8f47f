#include "emulator/driver.h"
#include "emulator/extensions.h"

#include <stdio.h>
#include <string.h>

EMU_EXPORT CUresult emuSelectProfile(const char *name)
{
    emu_profile profile;
    char why[256];
    EMU_CHECK(name, CUDA_ERROR_INVALID_VALUE);
    if (emu.ready) {
        return strcmp(emu.profile.name, name) == 0 ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    }
    if (!emu_profile_load(&profile, name, NULL, why, sizeof why)) {
        emu_say(why);
        return CUDA_ERROR_NOT_FOUND;
    }
    emu_lock();
    snprintf(emu.selected_profile, sizeof emu.selected_profile, "%s", name);
    emu_unlock();
    return CUDA_SUCCESS;
}

EMU_EXPORT const char *emuProfileName(void)
{
    return emu.profile.name;
}
