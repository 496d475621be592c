#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Models with values replaced, through every command that takes one; CHANGED=300 SEED=n for more (tests/fuzz/commands.py).
. "$(dirname "$0")/../tap.sh"
command -v python3 >/dev/null || { echo '# SKIP no python3'; exit 77; }
check 'never a crash, never a hang' python3 "$root/tests/fuzz/commands.py" "$memwall" --count "${CHANGED:-15}" --seed "${SEED:-1}"
