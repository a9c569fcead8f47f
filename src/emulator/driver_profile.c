#include "emulator/driver.h"
#include "emulator/extensions.h"

#include <stdlib.h>
#include <string.h>

EMU_EXPORT CUresult emuSelectProfile(const char *name)
{
    emu_profile profile;
    char why[256];
    if (emu.ready) {
        return strcmp(emu.profile.name, name) == 0 ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
    }
    if (!emu_profile_load(&profile, name, NULL, why, sizeof why)) {
        emu_say(why);
        return CUDA_ERROR_NOT_FOUND;
    }
    return setenv("GPUTUNE_EMU_PROFILE", name, 1) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}
