# Sourced by cases that check that workers end with their command. All processes of a case have MARK,
# the name of a folder, in their environment.

# Prints the case's workers that still run, including scripts that replace a worker.
left() {
    for process in $(grep -lsz "^MARK=$MARK\$" /proc/[0-9]*/environ); do
        name=$({ tr "\0" " " <"${process%environ}cmdline"; } 2>/dev/null)
        case $name in
        *gputune-worker* | *pretend*) echo "still there: $name" ;;
        esac
    done
}
# Does the same after waiting at most 6 s for them to end.
left_in_the_end() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -n "$(left)" ] || return 0
        sleep 0.3
    done
    left
}
