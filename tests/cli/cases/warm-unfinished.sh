# If the time limit ended a tuning, the last sentence has the remedy.
GPUTUNE_FAKE=part $FAKE warm axpy >/dev/null
GPUTUNE_FAKE=part $FAKE warm axpy --size n=1M,64M >/dev/null
# --force would not help a stored result that is unfinished.
GPUTUNE_FAKE=part,stored $FAKE warm axpy >/dev/null
