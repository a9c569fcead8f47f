$FAKE kernels >/dev/full
$FAKE emit axpy >/dev/full
