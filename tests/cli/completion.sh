#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Shell completion, asked of the shells themselves.
. "$(dirname "$0")/../tap.sh"
for shell in bash zsh fish; do "$memwall" help --$shell >"$tmp/memwall.$shell"; done

# completes WORDS…: what bash offers for the last of them
completes() {
    bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _memwall; printf "%s\n" "${COMPREPLY[@]}"' \
        "$tmp/memwall.bash" "$@" | sort -u | tr '\n' ' '
}
is() { if [ "$2" = "$3" ]; then ok "$1"; else not_ok "$1" "$2" "not $3"; fi; }
cd "$tmp" && touch table.csv
is 'a command' "$(completes memwall di)" 'diagnose '
is 'an option' "$(completes memwall scan --boo)" '--boost '
is 'the words of a choice' "$(completes memwall scan --boost o)" 'off on '
is 'a file' "$(completes memwall fit tab)" 'table.csv '
is 'nothing for a number' "$(completes memwall scan --runs '')" ' '
is 'a command behind --' "$(completes memwall scan -- printen)" 'printenv '
is 'a command of help' "$(completes memwall help sched)" 'schedule '
if command -v zsh >/dev/null; then check 'zsh reads its file' zsh -n "$tmp/memwall.zsh"; else skip 'zsh reads its file' 'zsh is missing'; fi
if command -v fish >/dev/null; then
    check 'fish reads its file' fish -n "$tmp/memwall.fish"
    is 'and completes a choice' "$(HOME=$tmp fish -c "source $tmp/memwall.fish; complete -C 'memwall scan --boost '" | cut -f1 | tr '\n' ' ')" 'keep off on '
else
    skip 'fish reads its file' 'fish is missing'
fi
