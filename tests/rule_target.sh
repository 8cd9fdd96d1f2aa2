# SPDX-License-Identifier: BSD-3-Clause
# rule_target BUILD LIBRARY: the format of rules that the installed openmpi, mpich or intel reads. Sourced by tests.
rule_target() {
  local version
  version=$("$1/colltree-measure-$2" --library | sed -n '1s/^[^0-9]*\([0-9.]*\).*/\1/p')
  case $2-$version in
    openmpi-4.1.* | openmpi-5.0.[0-6]) echo openmpi-4.1 ;;
    openmpi-5.*) echo openmpi-5.0.7 ;;
    mpich-4.0 | mpich-4.0.*) echo mpich-4.0 ;;
    mpich-4.1 | mpich-4.1.*) echo mpich-4.1 ;;
    mpich-4.2 | mpich-4.2.*) echo mpich-4.2 ;;
    mpich-4.3 | mpich-4.3.*) echo mpich-4.3 ;;
    mpich-5.0 | mpich-5.0.*) echo mpich-5.0 ;;
    intel-2021.*) echo intel-tuning ;;
    *) echo "rule_target: no rules for $2 $version" >&2; return 1 ;;
  esac
}
