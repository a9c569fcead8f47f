/* Assigns storage to registers. */
#pragma once

#include "emulator/decode.h"

/* Assigns each register an offset for its lanes: slots[register]. Registers of the same size with
 * disjoint live ranges share storage. Needs the touches and flows of a complete pass of the
 * decoder. Sets register_bytes and live_words of the function. Returns false if memory runs out. */
bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots);
