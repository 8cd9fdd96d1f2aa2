# SPDX-License-Identifier: BSD-3-Clause
# bash completion of colltree-c45: options by its own --help, else files.
_colltree_c45() {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=()
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" --help | grep -oE '^  -[-[:alnum:]]+')" -- "$word"))
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == --emit ]]; then
    COMPREPLY=($(compgen -W "text c dot json" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _colltree_c45 colltree-c45
