GPUTUNE_FAKE=part $FAKE show
GPUTUNE_FAKE=part $FAKE show --format json
