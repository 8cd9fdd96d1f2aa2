// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

std::string_view of(const LibraryInfo* found) { return found == nullptr ? "" : found->name; }

TEST(Libraries, AreKnownByWhatTheySay) {
  EXPECT_EQ(of(library_of_version("Open MPI v4.1.4, package: Debian")), "openmpi");
  EXPECT_EQ(of(library_of_version("MPICH Version:\t4.0.2\n")), "mpich");
  EXPECT_EQ(of(library_of_version("Intel(R) MPI Library 2021.19.0 for Linux* OS\n")), "intel");
  EXPECT_EQ(of(library_of_version("SMPI Version 3.32.0")), "");
  EXPECT_EQ(of(library_of_launcher("mpirun (Open MPI) 4.1.4\n")), "openmpi");
  EXPECT_EQ(of(library_of_launcher("mpiexec (OpenRTE) 4.1.4\n")), "openmpi");
  EXPECT_EQ(of(library_of_launcher("HYDRA build details:\n    Version: 4.0.2\n")), "mpich");
  EXPECT_EQ(of(library_of_launcher("Intel(R) MPI Library for Linux* OS, Version 2021.19.0\n")),
            "intel");
  EXPECT_EQ(of(library_of_launcher("slurm 22.05.8\n")), "");
}

TEST(Libraries, AreNamedInOptions) {
  EXPECT_EQ(library_names(), "openmpi, mpich or intel");
  EXPECT_EQ(parse_library("intel"), Library::kIntel);
  try {
    parse_library("lam");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "unknown library 'lam'; known are openmpi, mpich and intel");
  }
}

TEST(Libraries, RulesInTheEnvironmentAreSeen) {
  const auto with = [](const char* variable, const char* value) {
    ::setenv(variable, value, 1);
    const std::string found = join(rules_in_environment(), " ");
    ::unsetenv(variable);
    return found;
  };
  EXPECT_TRUE(rules_in_environment().empty());
  EXPECT_EQ(with("I_MPI_ADJUST_BCAST", "1:0-9;2"), "I_MPI_ADJUST_BCAST=1:0-9;2");
  EXPECT_EQ(with("I_MPI_TUNING", "f"), "I_MPI_TUNING=f");
  EXPECT_EQ(with("I_MPI_TUNING_MODE", "auto"), "") << "no file of rules";
  EXPECT_EQ(with("OMPI_MCA_coll_tuned_dynamic_rules_filename", ""), "") << "of no value";
}

}  // namespace

}  // namespace colltree
