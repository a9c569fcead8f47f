# Completion in bash and fish, which ask the program for the possible words.
completions=$(cd "$(dirname "$0")/../../../tools/completions" && pwd)
mkdir bin
ln -s "$FAKE" bin/gputune
export PATH="$PWD/bin:$PATH" HOME="$PWD"
touch mine.cu table.db other
cat >words <<'WORDS'
gputune sp
gputune warm --stra
gputune warm --strategy ra
gputune warm -o la
gputune warm m
gputune help rep
gputune show --db tab
gputune merge tab
WORDS
cat >try.bash <<'BASH'
. "$1/gputune.bash"
while read -ra COMP_WORDS; do
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _gputune
    echo "${COMP_WORDS[*]}: $(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ')"
done <words
BASH
bash try.bash "$completions" | tee in-bash
command -v fish >/dev/null || exit 0
while read -r line; do
    echo "$line: $(fish -c "source $completions/gputune.fish; complete -C '$line'" | cut -f1 | sort | tr '\n' ' ')"
done <words >in-fish
diff in-bash in-fish
