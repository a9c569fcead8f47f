/* Assigns storage to registers. */
#pragma once

#include "emulator/decode.h"

/* Assigns each register an offset for its lanes in slots[register]. Registers of the same size
 * share storage if they are never live at once. Needs the touches and flows of a complete decoder
 * pass. Sets register_bytes and live_words of the function. Returns false if memory runs out. */
bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots);
