# Colour is used on a terminal or with --color always, not in a pipe, and not if NO_COLOR is set.
exec 2>&1
$FAKE doctor | head -2
$FAKE doctor -q --color always | sed 's/\x1b/ESC/g'
$FAKE show nothing --color always 2>&1 | sed 's/\x1b/ESC/g'
on_terminal() {
    TERM=xterm script -qec "stty cols 60; $*" /dev/null </dev/null | tr -d '\r' | sed 's/\x1b/ESC/g'
}
on_terminal $FAKE doctor -q
NO_COLOR=1 on_terminal $FAKE doctor -q
on_terminal $FAKE doctor -q --color never
exit_of $FAKE doctor --color blue
