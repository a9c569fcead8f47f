/* Sharing of storage between registers. */
#pragma once

#include "emulator/decode.h"

/* Assigns each register of the function an offset for its lanes; registers of the same size with
 * disjoint live ranges share one. Reads decoder->touches and ->flows of a complete pass over the
 * function; writes slots[register] and the function's register_bytes and live_words. Returns false
 * if memory runs out. */
bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots);
