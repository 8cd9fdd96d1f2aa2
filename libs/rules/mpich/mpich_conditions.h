// SPDX-License-Identifier: BSD-3-Clause
// The conditions of MPICH's selection files: what can be asked, of which collectives, and what an
// answer establishes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

struct MpichTest {
  std::string key;
  std::string comparison;  // "<=", "<" or "="
  std::string value;
};
// Splits "comm_size<=4"; blanks do not count.
MpichTest split_test(std::string_view text);
// From 5.0 on MPICH does not tell communicators that it makes inside and between nodes from a
// program's that are no parents: it reads "comm_hierarchy=node" as "=flat".
bool is_blind_to_its_own(const RuleTarget& target);
// Returns false for a test of the call.
bool is_of_communicator(const MpichTest& test);
// Returns the greatest value for which a "<=" or "<" holds, with numbers as MPICH reads them (C's
// atoi); a negative result means that it never holds. `below_call` says that the test stands below
// a test of the call, where MPICH takes the "<" of a communicator for "<=".
std::int64_t greatest_value(const MpichTest& test, bool below_call);
// True if MPICH accepts a chain that ends in this test instead of "any".
bool may_stay_open(const MpichTest& test);

// The facts (AlgorithmNeed bits) that a condition and, for later siblings, its failure establish.
struct MpichFacts {
  std::uint32_t need = 0;
  bool met = false;  // the condition holds when the fact does
};
MpichFacts facts_of(const MpichTest& test);

struct MpichComplaint {
  std::string text;  // "" = nothing is wrong
  // kError: MPICH aborts in MPI_Init; kUnsafe: in the call that comes to the test.
  Severity severity = Severity::kWarning;
};
// `written` is the test as in the file; `below_call` is that of greatest_value.
MpichComplaint check_condition(std::string_view collective, const MpichTest& test,
                               std::string_view written, bool below_call);

// Says why the ranks of a correct call can answer the test differently and so choose different
// algorithms; "" means that they cannot. `not_in_place` says that the test stands below
// is_sendbuf_inplace=no.
std::string local_answer(std::string_view collective, const MpichTest& test, bool not_in_place);

// The conditions that a path through a file lacks for the needs (AlgorithmNeed bits) of an
// algorithm.
std::vector<std::string_view> unmet_guards(std::uint32_t needs, const Rule& path);

}  // namespace colltree::rules
