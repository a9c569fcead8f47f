GPUTUNE_FAKE=interrupt $FAKE warm axpy scale --size n=1M,2M -q
