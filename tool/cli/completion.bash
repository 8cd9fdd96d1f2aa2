# SPDX-License-Identifier: BSD-3-Clause
# bash completion of colltree by its own --help: commands, options, the words that an option takes, else files.
# zsh: autoload -U +X bashcompinit && bashcompinit && source THIS_FILE
_colltree_commands() { sed -nE '/^Usage:.*SUBCOMMAND/,$!d; /^(Example|Penalties):/q; s/^  ([a-z][a-z0-9-]*)  .*/\1/p'; }
_colltree() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  local -a command=("${COMP_WORDS[0]}")
  local each words help
  help=$("${command[@]}" --help 2>/dev/null)
  for each in "${COMP_WORDS[@]:1:COMP_CWORD - 1}"; do
    _colltree_commands <<<"$help" | grep -qxF -e "$each" || continue
    command+=("$each")
    help=$("${command[@]}" --help 2>/dev/null)
  done
  COMPREPLY=()
  words=
  [[ $before != --[a-z]* ]] || words=$(sed -nE "s/^  (-[^ ]*,)?${before//[^a-z-]/}(,[^ ]*)? [^ ]*\{([^}]*)\}.*/\3/p" <<<"$help")
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "${words//,/ }" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(sed -nE 's/^  (-[^ ]*).*/\1/p' <<<"$help" | tr , ' ')" -- "$word"))
  else
    words=$(_colltree_commands <<<"$help")
    COMPREPLY=($(compgen -W "$words" -- "$word")) || true
    # A command that only groups others takes no files.
    [[ -n $words && ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY+=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _colltree colltree
