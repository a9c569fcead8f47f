$FAKE warm
echo "exit $?"
$FAKE show axpy scale
echo "exit $?"
$FAKE kernels axpy scale
echo "exit $?"
$FAKE forget
echo "exit $?"
$FAKE run
echo "exit $?"
$FAKE warm axpy --arch sm_90
$FAKE warm axpy --any-gpu
