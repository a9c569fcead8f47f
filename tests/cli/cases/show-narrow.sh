# A narrow table shows only the axes that differ from the default.
script -qec "stty cols 44; NO_COLOR=1 GPUTUNE_FAKE=restricted $FAKE show" /dev/null </dev/null | tr -d '\r'
