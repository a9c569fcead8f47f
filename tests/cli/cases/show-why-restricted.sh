# the winner of the whole space is explained, also where that of a restricted space is faster
GPUTUNE_FAKE=restricted $FAKE show axpy --why
