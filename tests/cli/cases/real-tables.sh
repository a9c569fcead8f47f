# Tables of winners: measured, exported, rebuilt from text, and used without a compiler.
exec 2>&1
export GPUTUNE_DRIVER=emu
echo "the canonical scenarios are listed in canonical.txt next to the templates:"
mkdir templates
cp "$(dirname "$0")"/../../../templates/*.cu* templates
printf '# a comment\naxpy n=1K,2K\ncopy n=1K\n' >templates/canonical.txt
export GPUTUNE_TEMPLATES=$PWD/templates
$GPUTUNE warm --canonical axpy --db a.db --format csv -q | cut -d, -f1,2
$GPUTUNE warm --canonical dot --db a.db 2>&1 | sed "s|$PWD|.|"
$GPUTUNE warm --canonical --size n=1K --db a.db
$GPUTUNE warm --canonical --watch ./templates/axpy.cu --db a.db
echo "a time limit that is too short to measure anything is raised:"
$GPUTUNE warm --canonical copy --time-limit 0.05 --db limit.db --format csv -q | cut -d, -f1,2
rm templates/canonical.txt
$GPUTUNE warm --canonical --db a.db 2>&1 | sed "s|$PWD|.|"
echo "export --whole includes code, and its import gives the same database:"
$GPUTUNE wisdom export --whole --db a.db -o a.wisdom
grep -c '^code ' a.wisdom
$GPUTUNE wisdom import --trust -d none --db b.db a.wisdom
$GPUTUNE wisdom export --whole --any-gpu --db b.db -o b.wisdom
cmp a.wisdom b.wisdom && echo same
echo "the imported database answers without NVRTC:"
CUDA_HOME=/none GPUTUNE_NVRTC=/none/libnvrtc.so $GPUTUNE warm axpy --size n=1K,2K --db b.db --format json -q | grep -o '"source": "[a-z]*"'
echo "without --trust, code is not imported:"
$GPUTUNE wisdom import -d none --db c.db a.wisdom
$GPUTUNE wisdom export --whole --any-gpu --db c.db | grep -c '^code '
echo "an entry whose code was edited is left out:"
sed '0,/^code [0-9]* /s//&A/' a.wisdom >edited.wisdom
$GPUTUNE wisdom import --trust -d none --db d.db edited.wisdom
echo "importing and exporting an installed table does not change it:"
for table in "$(dirname "$0")"/../../../db/*.wisdom; do
    rm -f e.db
    $GPUTUNE wisdom import -q --trust -d none --db e.db "$table"
    $GPUTUNE wisdom export -q --whole --any-gpu --db e.db | cmp - "$table" && basename "$table"
done
