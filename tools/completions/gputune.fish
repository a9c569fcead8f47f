# fish completion for gputune; installed as share/fish/vendor_completions.d/gputune.fish. Commands and options
# are queried from gputune, which prints them from its tables.

function __gputune_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

# Prints "value<TAB>description" for each option and its letter, or for each value of the option before the cursor.
function __gputune_options
    set -l command (__gputune_command)
    set -l words (commandline -opc)
    for line in (gputune $command --options 2>/dev/null)
        set -l part (string split \t -- $line)
        if contains -- $words[-1] $part[1] $part[2]
            switch $part[3]$part[4]
                case ''
                case FILE FOLDER
                    __fish_complete_path (commandline -ct)
                    return
                case DRIVER
                    printf '%s\n' cuda emu
                    return
                case '*'
                    string split -n ' ' -- $part[4]
                    return
            end
        end
    end
    test "$command" = help; and gputune help --options
    for line in (gputune $command --options 2>/dev/null)
        set -l part (string split \t -- $line)
        if test -n "$part[1]"
            printf '%s\t%s\n' $part[1] $part[5]
        else if string match -q '*KERNEL*' -- $part[3]
            gputune kernels --format csv --quiet 2>/dev/null | tail -n +2 | cut -d, -f1
        end
    end
end

complete -c gputune -f -n 'not __gputune_command' -a '(gputune help --options)'
complete -c gputune -n __gputune_command -a '(__gputune_options)'
