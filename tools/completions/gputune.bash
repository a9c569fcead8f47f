# bash completion for gputune; installed as share/bash-completion/completions/gputune. Commands and options
# are queried from gputune, which prints them from its tables.

_gputune_kernels() {
    gputune kernels --format csv --quiet 2>/dev/null | tail -n +2 | cut -d, -f1
}

_gputune() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]} options name letter argument choices help
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gputune help --options 2>/dev/null | cut -f1) --version" -- "$word")
        return
    fi
    options=$(gputune "$command" --options 2>/dev/null)
    while IFS='|' read -r name letter argument choices help; do
        if [ "$previous" = "$name" ] || [ "$previous" = "$letter" ]; then
            case $argument$choices in
            '') break ;;
            FILE) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
            FOLDER) mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
            DRIVER) mapfile -t COMPREPLY < <(compgen -W "cuda emu" -- "$word") ;;
            *) mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word") ;;
            esac
            return
        fi
    done < <(tr '\t' '|' <<<"$options")
    if [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(cut -f1 <<<"$options")" -- "$word")
        return
    fi
    if [ "$command" = help ]; then
        mapfile -t COMPREPLY < <(compgen -W "$(gputune help --options 2>/dev/null | cut -f1)" -- "$word")
        return
    fi
    case $(sed -n 's/^\t\t//p' <<<"$options") in
    *KERNEL*) mapfile -t COMPREPLY < <(
        compgen -W "$(_gputune_kernels)" -- "$word"
        compgen -f -X '!*.cu' -- "$word"
    ) ;;
    *FILE*) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    esac
}
complete -o filenames -F _gputune gputune
