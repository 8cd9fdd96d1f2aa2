#compdef colltree-c45
# SPDX-License-Identifier: BSD-3-Clause
# zsh completion of colltree-c45: options by its own --help, else files.
if [[ $PREFIX == -* ]]; then
  compadd -- ${(f)"$($words[1] --help | grep -oE '^  -[-[:alnum:]]+' | tr -d ' ')"}
else
  _files
fi
