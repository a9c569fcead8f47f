# A space of 64 configurations, with the best at A=8 B=8. Every strategy finds it if it may try all.
{
    printf '{"tune_params_keys": ["A", "B"], "tune_params": {"A": [1,2,3,4,5,6,7,8], "B": [1,2,3,4,5,6,7,8]},\n"cache": {'
    for a in 1 2 3 4 5 6 7 8; do
        for b in 1 2 3 4 5 6 7 8; do
            printf '"%s,%s": {"A": %s, "B": %s, "time": %s, "compile_time": 1000, "benchmark_time": 100},\n' \
                $a $b $a $b $((200 - a * b))
        done
    done
} >square.json # without closing braces, like Kernel Tuner's caches
$REPLAY square.json --strategy auto,exhaustive,random,model,local --evaluations 64 --seeds 3 \
    --format csv
# Replays with a seed repeat exactly, also from a compressed file.
gzip -k square.json
$REPLAY square.json --strategy model,local --evaluations 20 --workers 4 --format json >once
$REPLAY square.json.gz --strategy model,local --evaluations 20 --workers 4 --format json |
    cmp - once && echo same
head -c 300 square.json.gz >cut.json.gz
sed 's/"time": 199/"time": "soon"/' square.json >soon.json
sed 's/"A": 2, //' square.json >missing.json
sed 's/"time": 1[0-9]*/"time": "InvalidConfig"/' square.json >empty.json
for file in cut.json.gz soon.json missing.json empty.json none.json; do
    $REPLAY $file
    echo "$file: exit $?"
done
