$FAKE show --all
