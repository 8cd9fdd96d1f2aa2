// SPDX-License-Identifier: BSD-3-Clause
// legal [--calls N] [--seed S] [--limit SECONDS] [--counters FILE] [--after CASE] [--list]
// [CASE...]
//
// Legal programs, one a case: COLLECTIVE/FEATURE makes N random calls of one collective that use
// one feature of the standard; COLLECTIVE/everything uses all; mixed/everything calls one
// collective after the other, with others under way. Every rank compares its memory with what must
// be there. For each case rank 0 prints "begin CASE" and then "CASE right" or "CASE wrong CALLS";
// the last line is "done". A wrong case ends the job, and so does one that takes longer than the
// limit: it hangs.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "call.h"

namespace {

using colltree::Collective;
using legal::Call;
using legal::Random;

struct FeatureCase {
  const char* name;
  unsigned needs;     // of the collective; 0 = any
  unsigned features;  // of the calls
};
// Without what libraries break by themselves, which would hide the rest.
constexpr unsigned kEverything = ~0U & ~legal::kEmptyTypes & ~legal::kStructs;
constexpr FeatureCase kFeatures[] = {
    {"same", 0, legal::kLarge},
    {"types", legal::kCounts, legal::kCounts | legal::kLarge},
    {"gaps", legal::kGaps, legal::kCounts | legal::kGaps | legal::kLarge},
    {"bounds", legal::kBounds, legal::kCounts | legal::kBounds | legal::kLarge},
    {"permuted", legal::kPermuted, legal::kCounts | legal::kPermuted | legal::kLarge},
    {"structs", legal::kStructs, legal::kStructs | legal::kLarge},
    {"in_place", legal::kInPlace, legal::kInPlace | legal::kLarge},
    {"in_place_types", legal::kInPlace | legal::kCounts,
     legal::kInPlace | legal::kCounts | legal::kLarge},
    {"ignored", legal::kIgnored, legal::kIgnored | legal::kLarge},
    {"zero", legal::kZero, legal::kZero},
    {"empty_types", legal::kEmptyTypes, legal::kZero | legal::kEmptyTypes},
    {"operation", legal::kOwnOperation, legal::kOwnOperation | legal::kLarge},
    {"gapped_operation", legal::kGappedOperation, legal::kGappedOperation | legal::kLarge},
    {"communicators", legal::kCommunicators, legal::kCommunicators},
    {"everything", 0, kEverything},
};

struct Case {
  std::string name;
  std::optional<Collective> collective;  // none: any
  unsigned features;
  bool is_everything;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& [collective, name, unit, shape] : colltree::all_collectives()) {
    const unsigned features = legal::features_of(collective);
    for (const FeatureCase& feature : kFeatures) {
      if ((features & feature.needs) != feature.needs) continue;
      cases.push_back({std::string(name) + "/" + feature.name, collective,
                       features & feature.features,
                       feature.needs == 0 && feature.features != legal::kLarge});
    }
  }
  cases.push_back({"mixed/everything", std::nullopt, kEverything, true});
  return cases;
}

struct Options {
  int calls = 20;
  std::uint64_t seed = 1;
  unsigned limit_s = 20;
  const char* counters = nullptr;
  std::string after;
  bool list = false;
  std::set<std::string> wanted;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--list") {
      options.list = true;
      continue;
    }
    if (word.rfind("--", 0) != 0) {
      options.wanted.insert(word);
      continue;
    }
    if (word == "--calls") options.calls = std::atoi(value);
    if (word == "--seed") options.seed = std::strtoull(value, nullptr, 10);
    if (word == "--limit") options.limit_s = static_cast<unsigned>(std::atoi(value));
    if (word == "--counters") options.counters = value;
    if (word == "--after") options.after = value;
    ++i;
  }
  return options;
}

// The communicators that calls are made on: MPI_COMM_NULL where this rank is not in it.
struct Communicator {
  MPI_Comm comm;
  std::uint64_t color;  // of those that are used side by side
};

std::vector<Communicator> make_communicators(int rank, int ranks) {
  std::vector<Communicator> made = {{MPI_COMM_WORLD, 0}};
  const auto split = [&](int color, int key) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    made.push_back({comm, static_cast<std::uint64_t>(color + 1)});
  };
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  made.push_back({copy, 0});
  split(0, -rank);
  split(rank % 2, rank);
  split(rank == ranks - 1 ? MPI_UNDEFINED : 0, rank);
  split(rank / 2, -rank);
  return made;
}

// A reduction and a message that are under way during the call.
class Background {
 public:
  explicit Background(Call& call) : call_(call), used_(call.shared.one_in(4)) {
    if (!used_) return;
    root_ = call.shared.below(call.size);
    value_ = call.rank == root_ ? 4711 : -1;
    mine_ = call.rank + 1;
    MPI_Iallreduce(&mine_, &sum_, 1, MPI_INT, MPI_SUM, call.comm, &requests_[0]);
    MPI_Ibcast(&value_, 1, MPI_INT, root_, call.comm, &requests_[1]);
  }
  bool end() {
    if (!used_) return true;
    MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE);
    return value_ == 4711 && sum_ == call_.size * (call_.size + 1) / 2;
  }

 private:
  Call& call_;
  bool used_;
  int root_ = 0, value_ = 0, mine_ = 0, sum_ = 0;
  MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

class Runner {
 public:
  Runner(const Options& options, int rank, int ranks)
      : options_(options), rank_(rank), ranks_(ranks), all_(make_communicators(rank, ranks)) {
    MPI_Comm_dup(MPI_COMM_WORLD, &verdicts_);
  }

  void run(const Case& one) {
    if (rank_ == 0) std::printf("begin %s\n", one.name.c_str());
    std::fflush(stdout);
    alarm(options_.limit_s);
    Random shared(options_.seed * 1000003 + std::hash<std::string>()(one.name));
    Random own = Random(shared).fork(static_cast<std::uint64_t>(rank_) + 17);
    int wrong = 0;
    for (int i = 0; i < options_.calls; ++i) wrong += call(one, shared, own) ? 0 : 1;
    wrong = total(wrong);
    alarm(0);
    if (rank_ == 0 && wrong == 0) std::printf("%s right\n", one.name.c_str());
    if (rank_ == 0 && wrong != 0) std::printf("%s wrong %d\n", one.name.c_str(), wrong);
    std::fflush(stdout);
    // Messages may be left that the next calls would take for theirs.
    if (wrong != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }

 private:
  bool call(const Case& one, Random& shared, Random& own) {
    const bool anywhere = (one.features & legal::kCommunicators) != 0;
    const Communicator& where = anywhere ? shared.of(all_) : all_[0];
    const std::uint64_t seed = shared.next();
    if (where.comm == MPI_COMM_NULL) return true;
    Call made{where.comm, 0, 0, one.features, Random(seed + where.color), own.fork(seed)};
    MPI_Comm_rank(where.comm, &made.rank);
    MPI_Comm_size(where.comm, &made.size);
    const auto all = colltree::all_collectives();
    const Collective collective =
        one.collective ? *one.collective : all[made.shared.next() % all.size()].collective;
    made.features &= legal::features_of(collective);
    // Of all features a random part, so that none hides another.
    if (one.is_everything) made.features &= static_cast<unsigned>(made.shared.next());
    if (one.collective) return legal::run(collective, made);
    Background background(made);
    const bool right = legal::run(collective, made);
    return background.end() && right;
  }

  // By messages: the collectives are what is tried.
  int total(int wrong) {
    if (rank_ != 0) {
      MPI_Send(&wrong, 1, MPI_INT, 0, 1, verdicts_);
      MPI_Recv(&wrong, 1, MPI_INT, 0, 2, verdicts_, MPI_STATUS_IGNORE);
      return wrong;
    }
    for (int other = 1; other < ranks_; ++other) {
      int more = 0;
      MPI_Recv(&more, 1, MPI_INT, other, 1, verdicts_, MPI_STATUS_IGNORE);
      wrong += more;
    }
    for (int other = 1; other < ranks_; ++other) {
      MPI_Send(&wrong, 1, MPI_INT, other, 2, verdicts_);
    }
    return wrong;
  }

  const Options& options_;
  int rank_;
  int ranks_;
  std::vector<Communicator> all_;
  MPI_Comm verdicts_ = MPI_COMM_NULL;
};

void hangs(int) {
  static const char kText[] = "\nhangs\n";
  if (write(STDOUT_FILENO, kText, sizeof kText - 1) < 0) _exit(78);
  _exit(77);
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = read_options(argc, argv);
  const std::vector<Case> cases = all_cases();
  if (options.list) {
    for (const Case& one : cases) std::puts(one.name.c_str());
    return 0;
  }
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (options.counters != nullptr) legal::open_counters(options.counters);
  std::signal(SIGALRM, hangs);
  Runner runner(options, rank, ranks);
  bool reached = options.after.empty();
  for (const Case& one : cases) {
    const bool wanted = options.wanted.empty() || options.wanted.count(one.name) != 0;
    if (reached && wanted) runner.run(one);
    reached = reached || one.name == options.after;
  }
  if (rank == 0) std::puts("done");
  MPI_Finalize();
}
