# bash completion for gputune; install as share/bash-completion/completions/gputune

_gputune_options() {
    # from the command's own help, which is made of its option table
    gputune "$1" --help 2>/dev/null | sed -n 's/^  .\{4\}\(--[a-z-]*\).*/\1/p; s/^  -., \(--[a-z-]*\).*/\1/p'
}

_gputune_choices() {
    gputune "$1" --help 2>/dev/null |
        sed -n "s/^.*$2 \([a-z0-9]*|[a-z|-]*\).*/\1/p" | tr '|' ' '
}

_gputune() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "warm show run compare kernels space emit embed devices prune replay export help --version" -- "$word"))
        return
    fi
    case $previous in
    --objective | -o | --cache | --effort | --strategy | --format | -f | --as)
        local long=$previous
        case $previous in
        -o)
            [ "$command" != export ] || { # there it is --output
                # shellcheck disable=SC2207
                COMPREPLY=($(compgen -f -- "$word"))
                return
            }
            long=--objective
            ;;
        -f) long=--format ;;
        esac
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$(_gputune_choices "$command" "$long")" -- "$word"))
        return
        ;;
    --arch)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_103 sm_110 sm_120" -- "$word"))
        return
        ;;
    --db | --samples | --output | -O | --templates)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -f -- "$word"))
        return
        ;;
    --driver)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "cuda emu" -- "$word"))
        return
        ;;
    esac
    if [[ $word == -* ]]; then
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$(_gputune_options "$command")" -- "$word"))
        return
    fi
    case $command in
    help)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "warm show run compare kernels space emit embed devices prune replay export" -- "$word"))
        ;;
    embed)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -f -X '!*.cu' -- "$word"))
        ;;
    replay)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -f -X '!*.json*' -- "$word"))
        ;;
    warm | show | prune | run | compare | space | emit | export)
        # shellcheck disable=SC2207
        COMPREPLY=($(compgen -W "$(gputune kernels --format csv --quiet 2>/dev/null |
            tail -n +2 | cut -d, -f1)" -- "$word") $(compgen -f -X '!*.cu' -- "$word"))
        ;;
    esac
}
complete -o filenames -F _gputune gputune
