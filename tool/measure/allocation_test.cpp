// SPDX-License-Identifier: BSD-3-Clause
#include "measure/allocation.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"
#include "measure/host_files.h"
#include "measure/installed_library.h"

namespace colltree::measure {
namespace {

using Variables = std::map<std::string, std::string>;

std::string found_by(const Variables& variables, const std::string& launcher = "mpirun") {
  try {
    return allocation_text(find_allocation(
        [&](const char* name) -> const char* {
          const auto found = variables.find(name);
          return found == variables.end() ? nullptr : found->second.c_str();
        },
        split_command(launcher)));
  } catch (const Error& error) {
    return error.what();
  }
}

struct Said {
  Variables variables;
  std::string text;  // of the allocation, or the error
};

std::string job_of(const std::string& system, const std::string& why) {
  return "--communicator-sizes auto: this is a job of " + system + ", " + why +
         "; give the sizes as a list";
}

TEST(Allocation, OfEachBatchSystem) {
  const std::string hosts = fresh_path("hosts").string();
  write_file(hosts, "a\na\na\na\r\nb\nb\n\nc\n");
  const std::string counts = fresh_path("pe_hosts").string();
  write_file(counts, "a 4 all.q@a UNDEFINED\nb 2 all.q@b UNDEFINED\n");
  const std::string ad = fresh_path("machine_ad").string();
  write_file(ad, "Arch = \"X86_64\"\nCpus = 6\nTotalCpus = 64\n");
  const Said kSaid[] = {
      {{{"SLURM_NTASKS", "96"}, {"SLURM_JOB_NUM_NODES", "4"}},
       "up to 96 ranks, 24 on a node, by SLURM_NTASKS"},
      {{{"SLURM_NTASKS", "7"}, {"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_TASKS_PER_NODE", "4,3"}},
       "up to 7 ranks, 4 on a node, by SLURM_NTASKS"},
      // sbatch -N 4 alone
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NUM_NODES", "4"}, {"SLURM_TASKS_PER_NODE", "4(x3),2"}},
       "up to 14 ranks, 4 on a node, by SLURM_TASKS_PER_NODE"},
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_TASKS_PER_NODE", "128(x1024)"}},
       "up to 131072 ranks, 128 on a node, by SLURM_TASKS_PER_NODE"},
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_NUM_NODES", "3"}, {"SLURM_NTASKS_PER_NODE", "8"}},
       "up to 24 ranks, 8 on a node, by SLURM_NTASKS_PER_NODE"},
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_JOB_CPUS_PER_NODE", "72(x2),36"}},
       "up to 180 ranks, 72 on a node, by SLURM_JOB_CPUS_PER_NODE"},
      {{{"SLURM_NTASKS", "8"}, {"SLURM_NNODES", "2"}},
       "up to 8 ranks, 4 on a node, by SLURM_NTASKS"},
      {{{"PBS_JOBID", "1"}, {"PBS_NUM_NODES", "2"}, {"PBS_NUM_PPN", "8"}},
       "up to 16 ranks, 8 on a node, by PBS_NUM_PPN"},
      {{{"SLURM_HET_SIZE", "1"}, {"SLURM_NTASKS", "4"}},
       "up to 4 ranks, 4 on a node, by SLURM_NTASKS"},
      {{{"PBS_NP", "7"}}, "up to 7 ranks, 7 on a node, by PBS_NP"},
      {{{"PBS_JOBID", "1.s"}, {"PBS_NODEFILE", hosts}, {"NCPUS", "4"}},
       "up to 7 ranks, 4 on a node, by PBS_NODEFILE"},
      {{{"LSB_JOBID", "1"}, {"LSB_MCPU_HOSTS", "a 2 b 3"}, {"LSB_DJOB_NUMPROC", "5"}},
       "up to 5 ranks, 3 on a node, by LSB_MCPU_HOSTS"},
      {{{"CSM_ALLOCATION_ID", "9"}, {"LSB_MCPU_HOSTS", "batch1 1 n1 42 n2 42 "}},
       "up to 84 ranks, 42 on a node, by LSB_MCPU_HOSTS"},
      {{{"LSB_HOSTS", "a a b"}}, "up to 3 ranks, 2 on a node, by LSB_HOSTS"},
      {{{"LSB_DJOB_NUMPROC", "10"}}, "up to 10 ranks, 10 on a node, by LSB_DJOB_NUMPROC"},
      {{{"FLUX_JOB_SIZE", "3"}, {"FLUX_JOB_NNODES", "2"}},
       "up to 3 ranks, 2 on a node, by FLUX_JOB_SIZE"},
      {{{"OAR_JOB_ID", "1"}, {"OAR_NODEFILE", hosts}},
       "up to 7 ranks, 4 on a node, by OAR_NODEFILE"},
      {{{"PJM_JOBID", "1"}, {"PJM_MPI_PROC", "48"}, {"PJM_NODE", "12"}},
       "up to 48 ranks, 4 on a node, by PJM_MPI_PROC"},
      {{{"PE_HOSTFILE", counts}, {"NSLOTS", "6"}}, "up to 6 ranks, 4 on a node, by PE_HOSTFILE"},
      {{{"_CONDOR_MACHINE_AD", ad}}, "up to 6 ranks, 6 on a node, by _CONDOR_MACHINE_AD"},
      {{{"_CONDOR_MACHINE_AD", ad}, {"_CONDOR_PROCNO", "0"}, {"_CONDOR_NPROCS", "3"}},
       "up to 18 ranks, 6 on a node, by _CONDOR_MACHINE_AD"},
      {{{"SGE_TASK_ID", "undefined"}, {"NSLOTS", "8"}, {"NHOSTS", "2"}},
       "up to 8 ranks, 4 on a node, by NSLOTS"},
  };
  for (const Said& said : kSaid) EXPECT_EQ(found_by(said.variables), said.text);
}

// An allocation that is there is never taken for this machine.
TEST(Allocation, ThatIsNotUnderstoodIsAnError) {
  const std::string slurm = "Slurm (SLURM_JOB_ID is set)";
  const std::string pbs = "PBS (PBS_JOBID is set)";
  const Said kSaid[] = {
      {{{"SLURM_JOB_ID", "1"}},
       job_of(slurm,
              "but none of SLURM_NTASKS, SLURM_NPROCS, SLURM_TASKS_PER_NODE, "
              "SLURM_NTASKS_PER_NODE, SLURM_JOB_CPUS_PER_NODE is")},
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_TASKS_PER_NODE", "4(x3"}},
       job_of(slurm, "and SLURM_TASKS_PER_NODE='4(x3' does not say ranks")},
      {{{"SLURM_JOB_ID", "1"}, {"SLURM_HET_SIZE", "2"}, {"SLURM_NTASKS", "1"}},
       job_of(slurm,
              "heterogeneous of 2 parts by SLURM_HET_SIZE; srun without --het-group starts ranks "
              "in the first part only")},
      {{{"PBS_JOBID", "1"}}, job_of(pbs, "but none of PBS_NP, PBS_NODEFILE, PBS_NUM_PPN is")},
      {{{"PBS_JOBID", "1"}, {"PBS_NODEFILE", "/none"}},
       job_of(pbs, "and PBS_NODEFILE='/none' does not say ranks")},
      {{{"LSB_JOBID", "1"}, {"LSB_MCPU_HOSTS", "a 2 b"}},
       job_of("LSF (LSB_JOBID is set)", "and LSB_MCPU_HOSTS='a 2 b' does not say ranks")},
      {{{"COBALT_JOBID", "1"}, {"COBALT_JOBSIZE", "4"}},
       job_of("Cobalt (COBALT_JOBID is set)",
              "and no variable of it that is known here says its ranks")},
      {{{"FLUX_JOB_SIZE", "3"}, {"FLUX_JOB_NNODES", "x"}},
       job_of("Flux (FLUX_JOB_SIZE is set)",
              "and FLUX_JOB_NNODES='x' is no number of ranks or nodes")},
      {{{"FLUX_JOB_ID", "f1"}},
       job_of("Flux (FLUX_JOB_ID is set)", "but none of FLUX_JOB_SIZE is")},
      {{{"_CONDOR_SLOT", "slot1"}},
       job_of("HTCondor (_CONDOR_SLOT is set)", "but none of _CONDOR_MACHINE_AD is")},
      {{{"SLURM_JOBID", "1"}, {"SLURM_NTASKS_PER_NODE", "4"}},
       job_of("Slurm (SLURM_JOBID is set)", "but SLURM_JOB_NUM_NODES or SLURM_NNODES is not")},
  };
  for (const Said& said : kSaid) EXPECT_EQ(found_by(said.variables), said.text);
  for (const char* wrong : {"0", "-4", "many", "99999999999"}) {
    EXPECT_EQ(found_by({{"SLURM_NTASKS", wrong}}),
              job_of("Slurm (SLURM_NTASKS is set)",
                     fmt::format("and SLURM_NTASKS='{}' is no number of ranks or nodes", wrong)));
  }
}

// A stand-in for `flux` on the path, which says what it is asked for.
TEST(Allocation, OfAnInstanceOfFluxIsAskedFor) {
  const std::filesystem::path folder = fresh_path("flux_bin");
  std::filesystem::create_directory(folder);
  const std::filesystem::path flux = folder / "flux";
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder.string() + ":" + path).c_str(), 1);
  const auto answer = [&](const std::string& script) {
    write_file(flux, "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(flux, std::filesystem::perms::owner_all);
    return found_by({{"FLUX_URI", "local:///run/flux"}});
  };
  EXPECT_EQ(
      answer(R"([ "$*" = "resource list -n --states=up -o {nnodes} {ncores}" ] && echo 3 72)"),
      "up to 72 ranks, 24 on a node, by flux resource list");
  EXPECT_EQ(answer("echo 'flux-resource: ERROR: no broker' >&2; exit 1"),
            job_of("Flux (FLUX_URI is set)",
                   "and 'flux resource list' does not say its cores (flux-resource: ERROR: no "
                   "broker)"));
  ::setenv("PATH", path.c_str(), 1);
}

// A launcher's own list of hosts stands above a batch system's, a default one below.
TEST(Allocation, OfHostFiles) {
  const auto file = [](const char* name, const std::string& text) {
    const std::string path = fresh_path(name).string();
    write_file(path, text);
    return path;
  };
  const std::string slots =
      file("slots", "# hosts\nn1 slots=4 max_slots=8\nn2 slots = 2\n\nlocalhost slots=1\n");
  const std::string colons = file("colons", "n1:4\nn2:2 # two\n");
  const std::string repeated = file("repeated", "n1\nn2\nn1\nn2\nn2\n");
  const std::string bare = file("bare", "n1\nn2\n");
  const std::string wrong = file("wrong", "n1 slots=many\n");
  const std::string ranks = file("ranks", "rank 0=n1 slot=0\nrank 1=n1 slot=1\nrank 2=n2 slot=0\n");
  const std::filesystem::path home = fresh_path("home");
  std::filesystem::create_directories(home / ".openmpi");
  write_file((home / ".openmpi/mca-params.conf").string(),
             "orte_default_hostfile = " + slots + "\n");
  const auto refused = [](const std::string& place, const std::string& why) {
    return fmt::format("--communicator-sizes auto: {}: {}; give the sizes as a list", place, why);
  };
  const Variables slurm = {{"SLURM_NTASKS", "96"}, {"SLURM_JOB_NUM_NODES", "4"}};
  const struct {
    Variables variables;
    std::string launcher, text;
  } kSaid[] = {
      {{}, "mpirun --hostfile " + slots, "up to 7 ranks, 4 on a node, by --hostfile " + slots},
      {slurm, "mpiexec -f " + colons + " -n {ranks}",
       "up to 6 ranks, 4 on a node, by -f " + colons},
      {{},
       "mpirun --hostfile=" + repeated,
       "up to 5 ranks, 3 on a node, by --hostfile " + repeated},
      {{}, "mpirun -ppn 8 -hosts n1,n2", "up to 16 ranks, 8 on a node, by -hosts"},
      {{},
       "env A=1 mpirun --mca plm_rsh_agent ssh -H a:3 --host=b -H a",
       "up to 5 ranks, 4 on a node, by -H"},
      {{}, "mpirun --rankfile " + ranks, "up to 3 ranks, 2 on a node, by --rankfile " + ranks},
      {{{"HOME", home.string()}},
       "mpirun",
       "up to 7 ranks, 4 on a node, by orte_default_hostfile " + slots},
      {{}, "mpirun -H a:3,b", "up to 4 ranks, 3 on a node, by -H"},
      {{},
       "mpirun --map-by ppr:4:node -machinefile " + bare,
       "up to 8 ranks, 4 on a node, by -machinefile " + bare},
      {{}, "mpirun -N 2 --hostfile " + slots, "up to 5 ranks, 2 on a node, by --hostfile " + slots},
      {{},
       "mpirun --mca orte_default_hostfile " + slots,
       "up to 7 ranks, 4 on a node, by OMPI_MCA_orte_default_hostfile " + slots},
      {{{"OMPI_MCA_orte_default_hostfile", slots}},
       "mpirun",
       "up to 7 ranks, 4 on a node, by OMPI_MCA_orte_default_hostfile " + slots},
      {{{"HYDRA_HOST_FILE", colons}},
       "mpiexec",
       "up to 6 ranks, 4 on a node, by HYDRA_HOST_FILE " + colons},
      {{{"SLURM_NTASKS", "8"}, {"HYDRA_HOST_FILE", colons}},
       "mpiexec",
       "up to 8 ranks, 8 on a node, by SLURM_NTASKS"},
      {slurm, "srun -n {ranks}", "up to 96 ranks, 24 on a node, by SLURM_NTASKS"},
      {{},
       "srun -N 2 --ntasks-per-node=4 -n {ranks}",
       "up to 8 ranks, 4 on a node, by -N and --ntasks-per-node"},
      {{},
       "srun -n {ranks}",
       refused("'srun -n {ranks}'",
               "it starts ranks on other machines, and its words do not say "
               "nodes and ranks per node")},
      {{},
       "mpirun --hostfile " + bare,
       refused("--hostfile " + bare,
               "it does not say the ranks of n1 ('n1 slots=N' of Open MPI, "
               "'n1:N' of MPICH and Intel MPI)")},
      {{},
       "mpirun --hostfile " + wrong,
       refused("--hostfile " + wrong, "'many' is no number of ranks of n1")},
      {{}, "mpirun -H a:*", refused("-H", "'*' is no number of ranks of a")},
      {{}, "mpirun --hostfile /none", refused("--hostfile /none", "/none cannot be read")},
  };
  for (const auto& said : kSaid) EXPECT_EQ(found_by(said.variables, said.launcher), said.text);
}

TEST(Allocation, IsThisMachineWithoutOne) {
  const std::uint64_t cores = allowed_cores();
  for (const Variables& none : {Variables{}, Variables{{"SLURM_NTASKS", ""}}}) {
    EXPECT_THAT(found_by(none),
                ::testing::StartsWith(fmt::format(
                    "up to {} ranks, {} on a node, by the cores of this machine", cores, cores)));
  }
}

// As taskset and cpusets do.
TEST(Allocation, IsTheCoresThatMayBeUsed) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t first;
  CPU_ZERO(&first);
  for (int core = 0; CPU_COUNT(&first) == 0; ++core)
    if (CPU_ISSET(core, &before)) CPU_SET(core, &first);
  ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
  EXPECT_THAT(found_by({}), ::testing::StartsWith("up to 1 ranks, 1 on a node, by the cores"));
  sched_setaffinity(0, sizeof before, &before);
}

}  // namespace
}  // namespace colltree::measure
