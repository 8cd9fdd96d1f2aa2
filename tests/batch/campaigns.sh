# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Sourced behind nodes.sh: campaigns of Open MPI by the Slurm there, and what became of them. $colltree is the program; what they measure: $sizes, $cell_s.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
case $(mpirun.openmpi --version) in
  *') 4.'*) export OMPI_MCA_btl=tcp,vader,self ;;
  *) export OMPI_MCA_btl=tcp,sm,self ;;
esac
# Fences of Slurm 22.05's other kind end too early: of 60 jobs 2 to 8 died when a message came before its receiver was ready.
export SLURM_PMIX_FENCE=ring

tune() { # FOLDER OPTION-OF-SBATCH...
  "$colltree" tune --slurm "-N 4 --ntasks-per-node=2 ${*:2}" --launcher "srun --mpi=pmix --kill-on-bad-exit=1 -n {ranks}" --mpi openmpi \
    --collective bcast --communicator-sizes 2,8 --message-sizes "${sizes:-1,64}" --segment-sizes 0 --min-samples 100000 --max-samples 100000 \
    --cell-budget "${cell_s:-0.05}" --foreign-load 0 --no-verify -o "$1" >"$1.out" 2>"$1.err"
}
# awaits FOLDER CONDITION...: while a campaign runs.
awaits() {
  until "${@:2}" "$1"; do
    [ -n "$(jobs -rp)" ] || "${@:2}" "$1" || die "$1 has ended without: ${*:2}"
    sleep 0.1
  done
}
says() { awaits "$1" has_said "$2"; } # FOLDER PATTERN
has_said() { grep -qE "$1" "$2.err"; } 2>/dev/null
jobs_of() { grep -c submitted "$1/batch/log"; }
job_id() { sed -n "s/^$(jobs_of "$1") submitted //p" "$1/batch/log"; } # the newest
# A job of a folder behind its N-th has measured some cells; srun does not always start one at the first try.
measures() { awaits "$1" has_measured "$2"; }
has_measured() { [ "$(jobs_of "$2")" -gt "$1" ] && grep -q ': [1-9].* cells (' "$2/batch/job-$(jobs_of "$2").out"; } 2>/dev/null
# Those that failed too, as cells do on a loaded machine.
cells() { sqlite3 "$1/profile.db" "SELECT DISTINCT collective, communicator_size, message_size, algorithm, segment_size FROM cells ORDER BY 1, 2, 3, 4, 5"; }
on_four_nodes() { sqlite3 "$1/profile.db" "SELECT count(*) FROM cells WHERE communicator_size = 8 AND nodes = 4 AND ranks_per_node = 2 AND status = 'ok'"; }
ended() { sed -nE "s/^[0-9]+ ended ([a-z_]+) .* cells [1-9].*/\1/p" "$1/batch/log"; } # jobs that measured something
# same_cells END...: the two campaigns have the same, and a job of the disturbed one came to each of these ends.
same_cells() {
  local folder end
  for folder in undisturbed disturbed; do
    cat $folder.err
    tail -n 100 $folder/batch/log
  done
  diff <(cells undisturbed) <(cells disturbed) || die "other cells than undisturbed"
  [ "$(on_four_nodes disturbed)" -ge 10 ] || die "not on four nodes with two ranks each"
  for end; do ended disturbed | grep -qx "$end" || die "no job that was $end: $(cat disturbed/batch/log)"; done
  echo "ok: $(cells disturbed | wc -l) cells"
}
