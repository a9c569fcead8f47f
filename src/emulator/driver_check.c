/* Implements the sanitizer's entry points: emuCheckBegin, emuCheckMemory, emuCheckEnd. */
#include "emulator/check.h"
#include "emulator/enter.h"

EMU_EXPORT CUresult emuCheckBegin(void)
{
    EMU_ENTER(emuCheckBegin, EMU_USE);
    emu_check_on();
    return CUDA_SUCCESS;
}

EMU_EXPORT CUresult emuCheckMemory(CUdeviceptr address, size_t bytes, const char *name,
                                   unsigned element_bytes, unsigned flags)
{
    EMU_ENTER(emuCheckMemory, EMU_USE);
    EMU_CHECK(name && emu_memory_covers(address, bytes), CUDA_ERROR_INVALID_VALUE);
    emu_check_note(address, bytes, name, element_bytes, flags);
    return CUDA_SUCCESS;
}

EMU_EXPORT const char *emuCheckEnd(void)
{
    return emu_check_off();
}
