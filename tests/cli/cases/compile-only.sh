$FAKE warm axpy --compile-only --arch sm_90
echo "exit $?"
$FAKE warm axpy --compile-only --arch sm_100 -q --format csv
GPUTUNE_FAKE=broken $FAKE warm axpy --compile-only --arch sm_90
echo "exit $?"
