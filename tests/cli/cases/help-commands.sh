# `help COMMAND` prints the same as COMMAND --help: the usage line and every option.
for command in $($FAKE help --options | cut -f1); do
    [ $command = help ] && continue
    $FAKE $command --help >text || echo "$command --help: exit $?"
    head -n 1 text | grep -q "^usage: gputune $command \[options\]" || echo "$command --help: $(head -n 1 text)"
    [ $command = template ] || $FAKE help $command | cmp - text
    $FAKE $command --options | cut -f1 | grep -e -- | while read -r option; do
        grep -q -e "^ .*$option" text || echo "$command --help lacks $option"
    done
done
$FAKE help kernels
$FAKE help help | head -n 1
