# A time limit that is too short for a canonical scenario is raised by a factor of four, up to 60 s, unless the whole run has one.
mkdir templates && echo "axpy n=1000" >templates/canonical.txt
canonical() {
    GPUTUNE_FAKE=busy,limit $FAKE warm --canonical axpy "$@" 2>&1 | grep -o "not tuned: limit of [0-9]* s" | sort -u
}
canonical
canonical --time-limit 2
canonical --time-limit 300
canonical --total-limit 8
