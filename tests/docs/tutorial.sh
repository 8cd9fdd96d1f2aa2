#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# tutorial.sh BUILD PAGE: runs the commands of a page of docs/ in an empty folder and compares what they print with what the page shows.
#
# Only blocks that begin with ```sh count. In them a line "$ COMMAND" is a command, and lines "> MORE" directly after it continue it.
# The other lines are its output as the page shows it. Each must occur in the real output, in this order; the real output may hold further
# lines. Any number matches any number and any white space any other, a line "..." is skipped, and a line that ends with "..." need only
# begin the same. /home/me on the page is the folder in which the commands run. Blocks without "sh" show what differs from run to run:
# they are not compared. The first command that fails, or prints something else, ends the test.
set -u
build=$(cd "$1" && pwd)
page=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
source "$here/../rule_target.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/work"
cd "$scratch/work" || exit 1

# The page says mpirun and mpicc, which may be those of either library here.
for program in mpirun mpicc; do
  printf '#!/bin/sh\nexec %s.openmpi "$@"\n' $program >"$scratch/bin/$program"
  chmod +x "$scratch/bin/$program"
done
export PATH=$scratch/bin:$build:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
unset COLLTREE_MODEL COLLTREE_FORCE COLLTREE_RECORD COLLTREE_CHECK

# The formats of rules that the installed libraries read take the place of those of Debian 12, which the page shows.
formats=()
for format in openmpi-4.1 mpich-4.0; do
  grep -q "$format" "$page" || continue
  installed=$(rule_target "$build" "${format%-*}") || exit 1
  formats+=(-e "s/${format/./\\.}/$installed/g")
done

# Lines as they are compared. On a machine that is busy elsewhere a cell can fail, which adds some words.
shapes() {
  sed -E -e "s|$scratch/work|/home/me|g" -e 's/ \(--retry failed tries these again\)//' -e 's/[-+]?[0-9]+(\.[0-9]+)*(e[-+]?[0-9]+)?/#/g' -e 's/[[:space:]]+/ /g' -e 's/^ //; s/ $//'
}

commands=0
# Runs `command` and compares what it prints with `shown`.
run_command() {
  [ -n "$command" ] || return 0
  [ ${#formats[@]} -eq 0 ] || command=$(sed "${formats[@]}" <<<"$command")
  local start=$SECONDS code line shape i=0 real
  echo "\$ $command"
  eval "$command" >../output 2>&1 </dev/null
  code=$?
  # Progress is overwritten on a terminal.
  tr '\r' '\n' <../output | grep -Ev '^(measuring|verifying|without) .*%' | sed "s|$scratch/work|/home/me|g"
  echo "# $((SECONDS - start)) s"
  [ $code -eq 0 ] || { echo "FAILED: $page: exit code $code: $command" >&2; exit 1; }
  mapfile -t real < <(shapes <../output)
  while IFS= read -r line; do
    [[ $line =~ ^[[:space:]]*(\.\.\.)?$ ]] && continue
    shape=$(shapes <<<"$line")
    while [ $i -lt ${#real[@]} ]; do
      case $shape in
        *...) [[ ${real[i]} == "${shape%...}"* ]] && break ;;
        *) [[ ${real[i]} == "$shape" ]] && break ;;
      esac
      i=$((i + 1))
    done
    [ $i -lt ${#real[@]} ] || { echo "FAILED: $page: not printed, or not in this order: $line" >&2; exit 1; }
    i=$((i + 1))
  done <<<"$shown"
  commands=$((commands + 1))
  command='' shown=''
}

command='' shown='' in_block=0
while IFS= read -r text <&3; do
  case $in_block$text in
    '0```sh') in_block=1 ;;
    '1```') run_command; in_block=0 ;;
    '1$ '*) run_command; command=${text#'$ '} ;;
    '1> '*) [ -z "$shown" ] || { echo "FAILED: $page: continues no command: $text" >&2; exit 1; }
            command+=$'\n'${text#'> '} ;;
    1*) shown+=$text$'\n' ;;
  esac
done 3<"$page"
[ $in_block -eq 0 ] || { echo "FAILED: $page: the last block is not closed" >&2; exit 1; }
[ $commands -gt 0 ] || { echo "FAILED: $page: no command" >&2; exit 1; }
echo "ok: $commands commands in $SECONDS s"
