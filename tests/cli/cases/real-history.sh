# show --history reports how much faster or slower a template has become since its earlier versions.
export GPUTUNE_DB=$PWD/x.db
template=$(dirname "$0")/../../../templates/axpy.cu
one="--driver emu -q --only VEC=4 --only BLOCK=256 --only UNROLL=1"
history() {
    $GPUTUNE show ./mine.cu --history --driver emu -q --format csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    since = float(row["speedup_since"] or 0)
    print(row["sizes"], row["outdated"], row["since"].split(":")[0], since > 1, 0 < since < 1)'
}
work='    for (int i = 0; i < 200; i++) a = a > 1e30f ? a / float(i) : a;'
cp "$template" mine.cu
sed "s|^    gputune_each|$work\n&|" mine.cu >slow.cu
cp "$template" fast.cu
for version in slow fast; do
    cp $version.cu mine.cu
    $GPUTUNE warm ./mine.cu $one --size n=1000,2000 >/dev/null
done
history
$GPUTUNE show ./mine.cu --history --driver emu -q | grep -o 'since then\|faster: [0-9.]*x' | sed 's/[0-9.]*x/Nx/'
cp slow.cu mine.cu
echo "again, at one size"
$GPUTUNE warm ./mine.cu $one --size n=1000 --force >/dev/null
history
$GPUTUNE show ./mine.cu --driver emu -q | grep -c since
true
