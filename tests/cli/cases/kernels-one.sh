$FAKE kernels axpy
$FAKE kernels axpy --format csv
$FAKE kernels nosuch
