# A winner that is no faster is not reported as faster; a problem that launches nothing is not a failure.
GPUTUNE_FAKE=equal $FAKE warm axpy
GPUTUNE_FAKE=equal $FAKE warm axpy --epsilon 0.0005 2>&1 >/dev/null | grep -o 'the winner is.*default ('
GPUTUNE_FAKE=equal $FAKE warm axpy --size n=1M,2M >/dev/null
GPUTUNE_FAKE=untimed $FAKE warm axpy --size n=1M,2M >/dev/null
GPUTUNE_FAKE=nothing exit_of $FAKE warm axpy --size n=0
