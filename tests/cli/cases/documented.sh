# Every command and option is in the man page.
page=$(dirname "$0")/../../../tools/man/gputune.1
for command in warm show run check kernels space emit embed template devices doctor forget merge wisdom report export; do
    grep -q "^\.B $command$" "$page" || echo "$command is missing"
    $FAKE $command --help | sed -n 's/^  .\{4\}--\([a-z-]*\).*/\1/p; s/^  -., --\([a-z-]*\).*/\1/p'
done | sort -u | grep -v '^help$' | while read -r option; do
    grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')" "$page" || echo "--$option is missing"
done
# Every command that a document mentions exists.
cd "$(dirname "$0")/../../.." || exit
cat ./*.md docs/*.md examples/*.md python/*.md tests/*.md tools/bench/*.md tools/bench/notes/*.md |
    grep -o '`gputune [a-z][a-z]*' | sort -u | while read -r _ command; do
    $FAKE help "$command" >/dev/null 2>&1 || echo "a document names gputune $command"
done
