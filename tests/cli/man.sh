#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages: that man understands them, and that the worked example of memwall-model(7) comes out as it says.
. "$(dirname "$0")/../tap.sh"
PATH=$(dirname "$memwall"):$PATH
cd "$tmp" || exit 1

# example NAME: the lines between the marks, as man shows them
example() {
    sed -n "/^\.\\\\\" example: $1/,/^\.\\\\\" end/p" "$root/man/memwall-model.7" | sed '/^\./d; s/\\-/-/g; s/\\\\/\\/g'
}
example table >table.sh
example fit >fit.sh
check 'the table of the worked example' bash table.sh
check 'its commands' bash fit.sh
one=$(grep '^1,2.4,' <<<"$out") eight=$(grep '^8,2.4,' <<<"$out")
near() { # NAME HAVE WANT
    if awk -v a="${2:-0}" -v b="$3" 'BEGIN { exit !(a > b * .995 && a < b * 1.005) }'; then ok "$1"; else not_ok "$1" "$2, not $3"; fi
}
near 'one core takes what the page computes' "$(cut -d, -f3 <<<"$one")" 45.886
near 'eight cores take what the page computes' "$(cut -d, -f3 <<<"$eight")" 7.328
near 'and are as many times as fast' "$(cut -d, -f6 <<<"$eight")" 6.26

for command in $("$memwall" help | awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on && $1 != "help" { print $1 }'); do
    "$memwall" help --man "$command" >"memwall-$command.1"
done
"$memwall" help --man >memwall.1
if command -v groff >/dev/null; then
    for page in *.1 "$root"/man/*.[57]; do
        words=$(groff -Kutf8 -man -ww -Tutf8 -z "$page" 2>&1)
        if [ -z "$words" ]; then ok "${page##*/} is understood"; else not_ok "${page##*/} is understood" "$words"; fi
    done
else
    skip 'pages are understood' 'groff is missing'
fi
