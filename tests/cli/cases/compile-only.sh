$FAKE warm axpy --compile-only --arch sm_90
echo "exit $?"
$FAKE warm axpy -c --arch sm_100 -q --format csv
GPUTUNE_FAKE=broken $FAKE warm axpy -c --arch sm_90
echo "exit $?"
