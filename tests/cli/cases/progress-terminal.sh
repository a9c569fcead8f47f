# On a terminal, progress is one line, which is redrawn and erased at the end.
TERM=xterm script -qec "$FAKE warm axpy scale --size n=1M,2M --format csv" /dev/null |
    tr '\r' '\n' | sed 's/\x1b\[K/<erase>/g' | grep -v '^$'
TERM=xterm script -qec "$FAKE warm axpy --objective energy --size n=1M" /dev/null | tr '\r' '\n' | grep 18/18
TERM=dumb script -qec "$FAKE warm axpy --format csv" /dev/null | tr -d '\r'
GPUTUNE_FAKE=race TERM=xterm script -qec "$FAKE check axpy" /dev/null | tr '\r' '\n' | sed 's/\x1b\[K//g' | grep -o '.*so far' | tail -1
