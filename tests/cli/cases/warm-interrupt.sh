# Ctrl-C; a terminal that is closed, which nohup does not feel
GPUTUNE_FAKE=hangup $FAKE warm axpy scale --size n=1M,2M -q --format csv | wc -l
(
    trap '' HUP
    GPUTUNE_FAKE=hangup $FAKE warm axpy scale --size n=1M,2M -q --format csv | wc -l
)
GPUTUNE_FAKE=interrupt $FAKE warm axpy scale --size n=1M,2M -q
