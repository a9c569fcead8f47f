# A rule for all sizes of a region: made, exported with its code, used without a compiler, and deleted.
exec 2>&1
export GPUTUNE_DRIVER=emu
cp "$(dirname "$0")/../../language/corner.cu" .
export GPUTUNE_DB=a.db
$GPUTUNE warm corner.cu --sizes rows=8:48,columns=8:48 --variants 4 --time-limit 100 -q | head -n 2
$GPUTUNE show corner.cu --rules | grep -c '^variant '
echo == header
# An architecture counts once, as the compiler gets it: sm_90 as sm_90a, whose code other GPUs cannot run.
$GPUTUNE emit corner.cu --rule --arch sm_90 --arch sm_90a | grep -o '^    {90, [01]'
echo == another database
$GPUTUNE wisdom export --whole -q -o a.wisdom
grep -c '^rule' a.wisdom
$GPUTUNE wisdom import --trust -d none -q --db b.db a.wisdom
$GPUTUNE wisdom export --whole --any-gpu -q --db b.db | cmp - a.wisdom && echo same
$GPUTUNE wisdom export --rules -o rules.wisdom
grep -c '^winner' rules.wisdom
grep -c ' g.nvrtc_version=13' rules.wisdom # the rule does not replace what the tunings stored
# Only the rule and its code, because a winner of this size would precede the rule.
$GPUTUNE wisdom export --whole --rules -q -o code.wisdom
$GPUTUNE wisdom import --trust -d none -q --db c.db code.wisdom
CUDA_HOME=/none GPUTUNE_NVRTC=/none/libnvrtc.so $GPUTUNE warm corner.cu --db c.db -s rows=33 -s columns=13 \
    --effort cached --format json -q | grep -o '"source": "[a-z]*"'
echo == deleted
$GPUTUNE forget corner.cu 2>&1 >/dev/null | grep -o '1 rule'
$GPUTUNE show corner.cu --rules | cut -d';' -f1
$GPUTUNE wisdom import -d none -q --db rules.db rules.wisdom # has no other results
$GPUTUNE forget corner.cu --db rules.db
$GPUTUNE show corner.cu --rules --db rules.db | cut -d';' -f1
echo == refused
$GPUTUNE warm corner.cu --sizes rows=8:64 || echo "exit $?"
$GPUTUNE warm corner.cu --sizes rows=8:64,columns=8:64 --only KIND=exact || echo "exit $?"
$GPUTUNE warm softmax --sizes rows=64:4K,columns=64:4K || echo "exit $?"
