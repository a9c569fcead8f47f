# show marks results with a restricted space or without a reference.
$GPUTUNE warm "$(dirname "$0")/../../poisoned/no_reference.cu" --driver emu -q --size n=1000 >/dev/null
$GPUTUNE warm axpy --driver emu -q --size n=1000 --only VEC=1 --only BLOCK=256 >/dev/null
$GPUTUNE show --driver emu -f json | tr , '\n' | grep -E '"(kernel|unreferenced|unfinished|only)"'
$GPUTUNE show --driver emu | grep -o 'no reference\|only VEC=1 BLOCK=256'
$GPUTUNE run "$(dirname "$0")/../../poisoned/no_reference.cu" --driver emu -q --size n=1000 |
    grep -o 'no reference'
# An estimate measures nothing, so warm does not say which variant wins.
$GPUTUNE warm axpy --driver emu --size n=2000 --effort estimate 2>&1 | grep -c 'wins\|estimated'
