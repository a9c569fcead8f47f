# No line of a command's help is longer than 80 characters, and -h prints the same as --help.
for command in $($GPUTUNE help --options | cut -f1); do
    [ "$command" = help ] && continue
    $GPUTUNE $command --help >text
    awk -v command="$command" 'length > 80 { print command " --help: " $0 }' text
    $GPUTUNE $command -h | cmp - text
done
