export GPUTUNE_FAKE=nonvrtc
$FAKE warm axpy
echo "exit $?"
$FAKE warm axpy --compile-only --arch sm_90
