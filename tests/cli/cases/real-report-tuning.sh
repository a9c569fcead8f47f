# The page of warm --report is complete at any time; during tuning it names the current scenario.
exec 2>&1
export GPUTUNE_DB=$PWD/x.db COMPILE_AFTER="$PWD/go" # so no tuning ends before its page is read
page() { # waits for the page and prints the scenarios in progress
    until [ -s page.html ]; do sleep 0.1; done
    grep -o '"tuning": \[[^]]*\]' page.html
}
warm() { # OPTION...
    $GPUTUNE warm axpy --driver emu -q --only VEC=1,4 --only UNROLL=1,2 --size n=2000,4000 --report page.html "$@" >/dev/null
}
warm &
tuning=$!
page | sed 's/n=[24]000/n=N/'
touch go
wait $tuning
echo "exit $?"
page
grep -o '"kernel": "axpy", "sizes": "n=[24]000 T=float"' page.html | sort -u
ls
rm page.html x.db
echo == on several GPUs, while another run writes the same page
warm &
GPUTUNE_EMU_DEVICES=h200,h200 warm --gpus all
wait $! || echo "exit $?"
page
grep -o '"kernel": "axpy", "sizes": "n=[24]000 T=float"' page.html | sort -u
warm --report none/page.html
echo "exit $?"
