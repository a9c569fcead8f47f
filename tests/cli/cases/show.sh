$FAKE show
$FAKE show axpy -q --any-gpu
