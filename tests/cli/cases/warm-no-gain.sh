# A winner that is no faster is not reported as faster; a problem that launches nothing is not a failure.
GPUTUNE_FAKE=equal $FAKE warm axpy
GPUTUNE_FAKE=equal $FAKE warm axpy --size n=1M,2M -q
GPUTUNE_FAKE=equal $FAKE warm axpy --size n=1M,2M >/dev/null
GPUTUNE_FAKE=untimed $FAKE warm axpy --size n=1M,2M >/dev/null
GPUTUNE_FAKE=nothing exit_of $FAKE warm axpy --size n=0
