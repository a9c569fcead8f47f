# Only a database in the home folder has a path that begins with '~'.
export HOME=/nowhere/me
GPUTUNE_DB=/nowhere/me/x.db $FAKE show axpy 2>&1 >/dev/null | grep -o 'database .*'
GPUTUNE_DB=/nowhere/me2/x.db $FAKE show axpy 2>&1 >/dev/null | grep -o 'database .*'
