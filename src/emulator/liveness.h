/* Assigns storage to registers. */
#pragma once

#include "emulator/decode.h"

/* Sets slots[r] to the offset of the lanes of register r. Registers of the same size share storage
 * if they are never live at once. Also sets the function's register_bytes and live_words. Must be
 * called after a decoder pass that recorded all register uses and branches. False: no memory. */
bool emu_assign_registers(emu_decoder *decoder, uint32_t *slots);
