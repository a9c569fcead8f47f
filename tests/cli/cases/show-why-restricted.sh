# show --why explains the winner of the whole space, even if a restricted space has a faster one.
GPUTUNE_FAKE=restricted $FAKE show axpy --why
