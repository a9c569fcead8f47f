GPUTUNE_FAKE=nogpu $FAKE warm axpy
echo "exit $?"
GPUTUNE_FAKE=nogpu $FAKE warm axpy --driver emu -q
echo "exit $?"
GPUTUNE_FAKE=nogpu $FAKE warm axpy --size n=1M -q
