#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# run_job.sh COMMAND...: passes if and only if the command exits with 0 and the last line of its
# output says "ok ...". (An MPI job may end early, or deadlock in the simulator, with exit code 0.)
set -u
output=$("$@" 2>&1)
code=$?
tail -n 40 <<<"$output"
[ $code -eq 0 ] || { echo "exit code $code: $*"; exit 1; }
[[ "$(tail -n 1 <<<"$output")" == ok* ]] || { echo "no final 'ok' line: $*"; exit 1; }
