# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced behind nodes.sh: how Open MPI runs on its nodes.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
case $(mpirun.openmpi --version) in
  *') 4.'*) export OMPI_MCA_btl=tcp,vader,self ;;
  *) export OMPI_MCA_btl=tcp,sm,self ;;
esac
