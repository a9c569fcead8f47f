$FAKE kernels
$FAKE kernels --format json
