export GPUTUNE_FAKE=nonvrtc
exit_of $FAKE warm axpy
$FAKE warm axpy --compile-only --arch sm_90
