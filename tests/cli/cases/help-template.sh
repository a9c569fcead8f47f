# help template describes every clause, and has the same text as the man page of the template language.
$FAKE help template >page
head -n 3 page
[ "$(wc -l <page)" -le 66 ] || echo "the page has $(wc -l <page) lines"
awk 'length($0) > 110' page
$FAKE help template all >text
templates=$(dirname "$0")/../../../templates
{
    sed -n '/^#pragma gputune/{ :line; s/  *\\$/ \\/; p; /\\$/{ n; b line; }; }' "$templates/axpy.cu"
    sed -n '/^__global__ void axpy(/,/^}/p' "$templates/axpy.cu"
} | sed 's/^/    /' | while IFS= read -r line; do
    grep -qxF -- "$line" text || echo "the example lacks: $line"
done
sed -n 's|^//   \([a-zA-Z_0-9]*\).*|\1|p' "$templates/gputune.cuh" | while read -r name; do
    grep -q "^ *$name\b" text || echo "$name of the prelude is missing"
done
for clause in kernel problem args tune vector pass cluster carveout default require block grid shared \
    launch_bounds maxreg scratch clear work reference check define include options \
    l2_persist constant launch for end swap cooperative tensormap texture races prove in_place init expect; do
    grep -q "\b$clause(" page || echo "$clause is missing"
    [ "$($FAKE help template $clause | wc -l)" -ge 2 ] || echo "$clause is not described"
done
for name in cc shared_optin max_parameter_bytes block_x max_clusters grid_z; do
    grep -q "\b$name\b" text || echo "$name is not described"
done
grep -c 'ceil_div' text | sed 's/^[1-9].*/expressions are there/'
grep -o 'gputune_each<VEC, UNROLL>(n' text | sort -u
page=$(dirname "$FAKE")/../../man/gputune-template.7
sed -n '/^\.nf/,/^\.fi/p' "$page" | sed '1d; $d' | sed "s/\\\\&//; s/\\\\(aq/'/g; s/\\\\-/-/g; s/\\\\e/\\\\/g" >page
sed 's/…/.../g; s/×/x/g' text | diff - page && echo "the page says the same"
$FAKE help template grid
$FAKE help template clear
$FAKE help template grit
