exit_of $FAKE warm axpy --compile-only --arch sm_90
$FAKE warm axpy --compile-only --arch sm_100 -q --format csv
GPUTUNE_FAKE=broken exit_of $FAKE warm axpy --compile-only --arch sm_90
