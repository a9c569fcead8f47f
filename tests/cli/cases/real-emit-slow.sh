# emit waits until the compiler ends, for longer than a tuning would.
export GPUTUNE_DB=:memory: COMPILE_AFTER="$PWD/go"
if [ ! -e "${GPUTUNE_NVRTC%/*}/real" ]; then
    echo "GPUTUNE_NVRTC is not that of make check, so no compile can be delayed"
    exit 77
fi
(sleep 11; touch go) &
$GPUTUNE emit axpy --arch sm_90 --as cubin | head -c 4 | tail -c 3 && echo
