# The default races beside the restricted variants; if it wins, its row notes that it is outside of --only.
$GPUTUNE warm axpy --driver emu -q --size n=1000 --only BLOCK=1024 --only UNROLL=8 --only VEC=1 -f csv | cut -d, -f4,23-
$GPUTUNE warm axpy --driver emu --size n=1000 --only BLOCK=1024 --only UNROLL=8 --only VEC=1 | grep -o 'default, outside of --only'
