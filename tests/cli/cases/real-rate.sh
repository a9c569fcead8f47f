# A kernel whose launches do different amounts of work is tuned by rate, and other objectives are refused.
steps=$(dirname "$0")/../../end_to_end/steps.cu
some="--driver emu -q --size n=1000 --only BLOCK=64"
$GPUTUNE warm "$steps" $some --format csv | cut -d, -f1-5,16
$GPUTUNE warm "$steps" $some --format csv | cut -d, -f1-5,16
$GPUTUNE show --driver emu | head -n 1 | tr -s ' ' '\n' | grep -E 'bandwidth|arithmetic'
$GPUTUNE export "$steps" --objective rate -q | grep -c '"invalidity": "correct"'
# The work and the times are those of one launch of the default.
$GPUTUNE show --driver emu --format json | grep -o '"bytes": [^,]*, "flops": [^,]*'
$GPUTUNE run "$steps" --driver emu -q --size n=1000 --format csv | cut -d, -f3
for objective in kernel energy; do
    $GPUTUNE warm "$steps" $some --objective $objective 2>&1 | sed 's|/[^ ]*/||'
    $GPUTUNE run "$steps" --driver emu --objective $objective >/dev/null 2>&1
    echo "exit $?"
done
# The rate needs work().
grep -v 'work(' "$steps" >idle.cu
$GPUTUNE warm ./idle.cu $some --objective rate 2>&1
$GPUTUNE warm ./idle.cu $some --objective rat 2>&1
