# Every -h fits a screen of 24 lines, and no help line is longer than 80 characters.
for command in '' $($GPUTUNE help --options | cut -f1); do
    [ "$command" = help ] && continue
    $GPUTUNE $command -h >short
    $GPUTUNE $command --help >long
    awk -v command="$command" -v lines=24 '
        NR == lines + 1 { print command " -h: more than " lines " lines" }
        length > 80 { print command " -h: " $0 }' short
    awk -v command="$command" 'length > 80 { print command " --help: " $0 }' long
    [ -z "$command" ] || $GPUTUNE $command --options | cut -f1 | grep -e -- | grep -v help | while read -r option; do
        grep -q -e "$option" short || echo "$command -h lacks $option"
    done
done
$FAKE warm -h
