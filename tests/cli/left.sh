# Sourced by the cases that look whether workers end with their command: MARK is a folder's name in
# the environment of all that a case starts.

# What of the case's workers, or of what stands in for one, still runs.
left() {
    for process in $(grep -lsz "^MARK=$MARK\$" /proc/[0-9]*/environ); do
        name=$({ tr "\0" " " <"${process%environ}cmdline"; } 2>/dev/null)
        case $name in
        *gputune-worker* | *pretend*) echo "still there: $name" ;;
        esac
    done
}
# The same, once they have had 6 s to end.
left_in_the_end() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        [ -n "$(left)" ] || return 0
        sleep 0.3
    done
    left
}
