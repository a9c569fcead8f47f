GPUTUNE_FAKE=baddb $FAKE show
