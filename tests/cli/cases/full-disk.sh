$FAKE kernels >/dev/full
