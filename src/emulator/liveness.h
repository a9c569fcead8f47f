/* Which registers may share storage. */
#pragma once

#include "emulator/decode.h"

/* Gives each register of the function the offset of its lanes: registers of one size whose live
 * ranges do not meet share one. Reads decoder->touches and ->flows of a complete pass over the
 * function; writes slots[register] and the function's register_bytes and live_words. False when
 * memory runs out. */
bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots);
