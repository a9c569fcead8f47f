$FAKE help wram
