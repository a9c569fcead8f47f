export GPUTUNE_DB=:memory:
# A missing driver is reported in one line with the library's path.
exit_of $GPUTUNE warm axpy --driver ./libnothing.so 2>err
wc -l <err
grep -c libnothing.so err
GPUTUNE_DRIVER=./libnothing.so exit_of $GPUTUNE run axpy 2>/dev/null
GPUTUNE_EMU_DEVICES=h200,mine $GPUTUNE devices --driver emu 2>&1
