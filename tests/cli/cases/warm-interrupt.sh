# warm stops if its terminal is closed, unless it ignores SIGHUP as under nohup, and on Ctrl-C.
GPUTUNE_FAKE=hangup $FAKE warm axpy scale --size n=1M,2M -q --format csv | wc -l
(
    trap '' HUP
    GPUTUNE_FAKE=hangup $FAKE warm axpy scale --size n=1M,2M -q --format csv | wc -l
)
GPUTUNE_FAKE=interrupt $FAKE warm axpy scale --size n=1M,2M -q
