GPUTUNE_FAKE=nogpu exit_of $FAKE warm axpy
GPUTUNE_FAKE=nogpu exit_of $FAKE warm axpy --driver emu -q
GPUTUNE_FAKE=nogpu $FAKE warm axpy --size n=1M -q
