// SPDX-License-Identifier: BSD-3-Clause
#include "cli/run_command.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "measure/installed_library.h"

namespace colltree::cli {
namespace {

Passing passing_of(const std::string& launcher) {
  if (launcher == "mpirun") return Passing::kEachProgram;
  if (launcher == "mpiexec") return Passing::kAllPrograms;
  return launcher == "srun" ? Passing::kExport : Passing::kInherited;
}

JoinedCommand command_of(const std::string& line, const std::string& preload) {
  UserCommand command{.words = measure::split_command(line), .preload = preload};
  command.launcher = find_launcher(command.words);
  if (command.launcher < command.words.size())
    command.passing = passing_of(command.words[command.launcher]);
  return with_settings(command, "/c.so", {{"COLLTREE_MODEL", "m"}});
}

std::string joined(const std::string& line, const std::string& preload = "") {
  return join(command_of(line, preload).words, " ");
}

struct Row {
  const char* given;
  const char* joined;
  const char* preload = "";  // in the environment
};

TEST(RunCommand, GivesEveryRankTheLibraryAndTheVariables) {
  const Row rows[] = {
      {"mpirun -n 2 ./a", "mpirun -x LD_PRELOAD=/c.so -x COLLTREE_MODEL=m -n 2 ./a"},
      {"timeout 9 mpirun -n 1 a : -n 1 b",
       "timeout 9 mpirun -x LD_PRELOAD=/c.so -x COLLTREE_MODEL=m -n 1 a : -x LD_PRELOAD=/c.so -x "
       "COLLTREE_MODEL=m -n 1 b"},
      {"mpiexec -n 1 a : -n 1 b",
       "mpiexec -genv LD_PRELOAD /c.so -genv COLLTREE_MODEL m -n 1 a : -n 1 b"},
      {"srun -n 2 a", "env COLLTREE_MODEL=m srun --export=ALL,LD_PRELOAD=/c.so -n 2 a"},
      {"numactl -N 0 flux run -n 2 a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m numactl -N 0 flux run -n 2 a"},
      {"./a 1", "env LD_PRELOAD=/c.so COLLTREE_MODEL=m ./a 1"},
      {"./a", "env LD_PRELOAD=/c.so:/j.so COLLTREE_MODEL=m ./a", "/j.so"},
      {"mpirun a", "mpirun -x LD_PRELOAD=/c.so:/j.so -x COLLTREE_MODEL=m a", "/j.so"},
      {"srun a", "env COLLTREE_MODEL=m srun --export=ALL,LD_PRELOAD=/c.so:/j.so a", "/j.so"},
  };
  for (const Row& row : rows) EXPECT_EQ(joined(row.given, row.preload), row.joined);
}

TEST(RunCommand, JoinsWhatTheUserPreloads) {
  const Row rows[] = {
      {"mpirun -x LD_PRELOAD=/p.so -n 2 a",
       "mpirun -x COLLTREE_MODEL=m -x LD_PRELOAD=/c.so:/p.so -n 2 a"},
      {"mpirun --x LD_PRELOAD=/p.so a", "mpirun -x COLLTREE_MODEL=m --x LD_PRELOAD=/c.so:/p.so a"},
      {"mpirun -x LD_PRELOAD a", "mpirun -x COLLTREE_MODEL=m -x LD_PRELOAD=/c.so:/j.so a", "/j.so"},
      {"mpirun a : -x LD_PRELOAD=/p.so b",
       "mpirun -x LD_PRELOAD=/c.so -x COLLTREE_MODEL=m a : -x COLLTREE_MODEL=m -x "
       "LD_PRELOAD=/c.so:/p.so b"},
      {"mpirun -mca mca_base_env_list 'A=1;LD_PRELOAD=/p.so' a",
       "mpirun -mca mca_base_env_list A=1;LD_PRELOAD=/c.so:/p.so;COLLTREE_MODEL=m a"},
      {"mpirun -mca mca_base_env_list A=1 a",
       "mpirun -mca mca_base_env_list A=1;LD_PRELOAD=/c.so;COLLTREE_MODEL=m a"},
      {"mpirun -n 2 env LD_PRELOAD=/p.so a",
       "mpirun -x LD_PRELOAD=/c.so -x COLLTREE_MODEL=m -n 2 env LD_PRELOAD=/c.so:/p.so a"},
      {"env LD_PRELOAD=/p.so mpirun a",
       "env LD_PRELOAD=/p.so mpirun -x LD_PRELOAD=/c.so:/p.so -x COLLTREE_MODEL=m a"},
      {"env -u LD_PRELOAD mpirun a",
       "env -u LD_PRELOAD mpirun -x LD_PRELOAD=/c.so -x COLLTREE_MODEL=m a", "/j.so"},
      {"env -i PATH=/bin srun a",
       "env -i PATH=/bin env COLLTREE_MODEL=m srun --export=ALL,LD_PRELOAD=/c.so a", "/j.so"},
      {"mpiexec -genv LD_PRELOAD /p.so -n 2 a",
       "mpiexec -genv COLLTREE_MODEL m -genv LD_PRELOAD /c.so:/p.so -n 2 a"},
      {"mpiexec -genv LD_PRELOAD=/p.so a",
       "mpiexec -genv COLLTREE_MODEL m -genv LD_PRELOAD=/c.so:/p.so a"},
      {"mpiexec a : -env LD_PRELOAD /p.so b",
       "mpiexec -genv LD_PRELOAD /c.so -genv COLLTREE_MODEL m a : -env LD_PRELOAD /c.so:/p.so b"},
      {"mpiexec -env LD_PRELOAD=/p.so a : b",
       "mpiexec -genv LD_PRELOAD /c.so -genv COLLTREE_MODEL m -env LD_PRELOAD=/c.so:/p.so a : b"},
      {"mpiexec -genvlist A,LD_PRELOAD a",
       "mpiexec -genv LD_PRELOAD /c.so:/j.so -genv COLLTREE_MODEL m -genvlist A,LD_PRELOAD a",
       "/j.so"},
      {"srun --export=ALL,LD_PRELOAD=/p.so -n 2 a",
       "env COLLTREE_MODEL=m srun --export=ALL,LD_PRELOAD=/c.so:/p.so -n 2 a"},
      {"srun --export LD_PRELOAD=/p.so,A=1 a",
       "env COLLTREE_MODEL=m srun --export A=1,COLLTREE_MODEL,LD_PRELOAD=/c.so:/p.so a"},
      {"srun --export=ALL,OMP_NUM_THREADS=4 a",
       "env COLLTREE_MODEL=m srun --export=ALL,OMP_NUM_THREADS=4,LD_PRELOAD=/c.so a"},
      {"srun --export=NONE a",
       "env COLLTREE_MODEL=m srun --export=COLLTREE_MODEL,LD_PRELOAD=/c.so a"},
      {"srun -n 2 a --export=csv",
       "env COLLTREE_MODEL=m srun --export=ALL,LD_PRELOAD=/c.so -n 2 a --export=csv"},
      {"flux run --env=LD_PRELOAD=/p.so a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m flux run --env=LD_PRELOAD=/c.so:/p.so a"},
      {"jsrun -E LD_PRELOAD=/p.so a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m jsrun -E LD_PRELOAD=/c.so:/p.so a"},
      {"jsrun -E LD_PRELOAD a", "env LD_PRELOAD=/c.so:/j.so COLLTREE_MODEL=m jsrun -E LD_PRELOAD a",
       "/j.so"},
      {"env LD_PRELOAD=/p.so ./a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m env LD_PRELOAD=/c.so:/p.so ./a"},
      {"sh -c 'export A=1; LD_PRELOAD=/p.so ./a'",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m sh -c export A=1; LD_PRELOAD=/c.so:/p.so ./a"},
      {"sh -c 'LD_PRELOAD=$LD_PRELOAD:/p.so ./a'",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m sh -c LD_PRELOAD=/c.so:$LD_PRELOAD:/p.so ./a"},
      {"env -S 'LD_PRELOAD=/p.so ./a'",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m env -S LD_PRELOAD=/c.so:/p.so ./a"},
      // Already joined by the user; and other variables.
      {"env LD_PRELOAD=/p.so:/c.so ./a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m env LD_PRELOAD=/p.so:/c.so ./a"},
      {"env MY_LD_PRELOAD=/p.so LD_PRELOAD_64=/q.so ./a",
       "env LD_PRELOAD=/c.so COLLTREE_MODEL=m env MY_LD_PRELOAD=/p.so LD_PRELOAD_64=/q.so ./a"},
  };
  for (const Row& row : rows) EXPECT_EQ(joined(row.given, row.preload), row.joined);
  EXPECT_EQ(command_of("mpirun -x LD_PRELOAD=/p.so a", "/j.so").preloads.front(), "/p.so");
}

TEST(RunCommand, RefusesByNameWhatItCannotJoin) {
  const std::pair<const char*, const char*> rows[] = {
      {"env -u LD_PRELOAD ./a", "'-u LD_PRELOAD': this takes LD_PRELOAD away"},
      {"mpirun env --unset=LD_PRELOAD a", "'--unset=LD_PRELOAD': this takes"},
      {"mpirun -n 2 env -i a", "'-i': this empties the environment"},
      {"env - ./a", "'-': this empties"},
      {"env -u A -i ./a", "this empties"},
      {"flux run --env=-* a", "'--env=-*': this empties"},
      {"flux run --env=-LD_PRELOAD a", "'--env=-LD_PRELOAD': this takes"},
      {"jsrun -D LD_PRELOAD a", "'-D LD_PRELOAD': this takes"},
      {"sh -c 'unset LD_PRELOAD; ./a'", "this takes LD_PRELOAD away"},
      {"sh -c 'LD_PRELOAD= ./a'", "this sets LD_PRELOAD to nothing"},
      {"env LD_PRELOAD= ./a", "'LD_PRELOAD=': this sets LD_PRELOAD to nothing"},
      {"mpiexec -genv LD_PRELOAD '' a", "'-genv LD_PRELOAD': this takes"},
      {"mpirun --app f", "'--app f': mpirun gives"},
  };
  for (const auto& [given, said] : rows) {
    try {
      ADD_FAILURE() << given << " became " << joined(given);
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
  }
}

std::string refusal(const std::string& line) {
  try {
    return "no refusal: " + joined(line);
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(RunCommand, RefusesFilesThatSetTheVariable) {
  const TransientFolder folder;
  using Permissions = std::filesystem::perms;
  const auto written = [&](const char* name, const std::string& content,
                           Permissions permissions = Permissions::owner_all) {
    const std::filesystem::path file = folder.path() / name;
    write_file(file.string(), content);
    std::filesystem::permissions(file, permissions);
    return file.string();
  };
  const std::string sets = written("sets", "#!/bin/sh\nexport LD_PRELOAD=/p.so\nexec ./a\n");
  const std::string keeps = written("keeps", "#!/bin/sh\nLD_PRELOAD=$LD_PRELOAD:/p.so ./a\n");
  const std::string speaks = written("speaks", "#!/bin/sh\n# LD_PRELOAD=/p.so was here\n./a\n");
  const std::string tuned = written("tuned", "-x LD_PRELOAD=/p.so\n", Permissions::owner_read);
  EXPECT_NE(refusal("mpirun -n 2 " + sets).find("this script sets LD_PRELOAD"), std::string::npos);
  EXPECT_EQ(refusal("mpirun -n 2 " + keeps).find("no refusal"), 0U);
  EXPECT_EQ(refusal(speaks).find("no refusal"), 0U);
  EXPECT_NE(refusal("mpirun --tune " + tuned + " a").find("this file sets LD_PRELOAD"),
            std::string::npos);
  EXPECT_NE(refusal("mpiexec -configfile " + tuned).find("this file sets LD_PRELOAD"),
            std::string::npos);
}

}  // namespace
}  // namespace colltree::cli
