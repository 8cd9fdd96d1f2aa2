// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.h"

namespace colltree {

void declare_c45(CommandLine& line);
void declare_check(CommandLine& line);
void declare_cliffs(CommandLine& line);
void declare_compare(CommandLine& line);
void declare_decide(CommandLine& line);
void declare_describe(CommandLine& line);
void declare_doctor(CommandLine& line);
void declare_emit(CommandLine& line);
void declare_evaluate(CommandLine& line);
void declare_explain(CommandLine& line);
void declare_export(CommandLine& line);
void declare_fit(CommandLine& line);
void declare_guidelines(CommandLine& line);
void declare_import(CommandLine& line);
void declare_kit(CommandLine& line);
void declare_map(CommandLine& line);
void declare_measure(CommandLine& line);
void declare_merge(CommandLine& line);
void declare_methods(CommandLine& line);
void declare_plan(CommandLine& line);
void declare_plot(CommandLine& line);
void declare_portfolio(CommandLine& line);
void declare_predict(CommandLine& line);
void declare_report(CommandLine& line);
void declare_reproduce(CommandLine& line);
void declare_run(CommandLine& line);
void declare_show(CommandLine& line);
void declare_smooth(CommandLine& line);
void declare_study(CommandLine& line);
void declare_tune(CommandLine& line);
void declare_verify(CommandLine& line);

namespace {

// In the order of the data flow, which is the order of `colltree --help`.
constexpr Command kCommands[] = {
    {"tune", "measure, fit, evaluate and emit in one go",
     "colltree tune --platform grig -o grig-tuned", declare_tune},
    {"plan", "what tune would submit to a batch system: the job's script and its node hours",
     "colltree plan --slurm '-N 4 --time=30' --mpi openmpi --budget 2h --communicator-sizes 2..64 "
     "--message-sizes 1..1M:x2 -o tuned",
     declare_plan},
    {"methods", "list the methods, ours or a library's, and where each can run",
     "colltree methods --collective bcast", declare_methods},
    {"measure", "time the methods on a simulated or real cluster",
     "colltree measure --platform grig --collective bcast -o grig.db", declare_measure},
    {"kit", "what measures on a cluster where nothing can be installed: sources, Makefile, plan",
     "colltree kit --communicator-sizes 2..64 --message-sizes 1..1M:x4 -o colltree-kit.tar.gz",
     declare_kit},
    {"import",
     "put timings from CSV or the output of benchmarks (OSU, IMB, nccl-tests, ...) into a profile",
     "colltree import fugaku.csv.gz --message-size total -o fugaku.db", declare_import},
    {"export", "write the timings of a profile as CSV", "colltree export grig.db -o grig.csv",
     declare_export},
    {"merge", "put several profiles together", "colltree merge monday.db tuesday.db -o both.db",
     declare_merge},
    {"show",
     "what a profile, or the record of a job, holds; maps, penalties and trees in the terminal",
     "colltree show grig.db", declare_show},
    {"map", "the best method of each instance", "colltree map grig.db --collective bcast",
     declare_map},
    {"predict", "what methods take where nothing was measured, by Hockney, LogGP or PLogP",
     "colltree predict grig.db --collective bcast --communicator-sizes 64 --message-sizes 1..1M:x4",
     declare_predict},
    {"fit", "fit a model to a profile",
     "colltree fit quadtree grig.db --collective bcast --max-depth 3 -o bcast.json", declare_fit},
    {"evaluate", "what a model's choices cost on measured timings",
     "colltree evaluate bcast.json --on grig.db --held-out communicator_sizes", declare_evaluate},
    {"compare", "one table of all that could decide: the default, trees of every kind, references",
     "colltree compare grig.db --collective bcast --held-out communicator_sizes", declare_compare},
    {"cliffs", "where a model's decision changes and the time jumps",
     "colltree cliffs bcast.json --on grig.db", declare_cliffs},
    {"portfolio", "the fewest methods that a campaign on a similar machine has to try",
     "colltree portfolio grig.db --collective bcast --within 1%", declare_portfolio},
    {"guidelines", "where a collective is slower than other calls that do the same",
     "colltree guidelines grig.db bcast.json", declare_guidelines},
    {"smooth", "the same model without leaves that are hardly worth their test",
     "colltree smooth bcast.json --on grig.db --within 0.1% -o smooth.json", declare_smooth},
    {"report",
     "one HTML page that explains what was measured, what models choose and what it costs",
     "colltree report grig.db -o grig.html", declare_report},
    {"emit", "write a model as source or as the rules of a library",
     "colltree emit c bcast.json -o bcast.c", declare_emit},
    {"check", "what is wrong with a rules file of an MPI library, line by line",
     "colltree check bcast.rules --for openmpi-4.1", declare_check},
    {"verify", "measure a library with and without a rules file, side by side",
     "colltree verify --library openmpi --rules bcast.rules --launcher 'mpirun -np {ranks}' "
     "--collective bcast --communicator-sizes 4 --message-sizes 1..64K:x4",
     declare_verify},
    {"doctor", "whether what is deployed still is right on this machine",
     "colltree doctor --model tuned/tuned.cdt --launcher 'mpirun -np {ranks}'", declare_doctor},
    {"c45", "grow and prune a C4.5 tree from STEM.names and STEM.data, as release 8",
     "colltree c45 -f STEM -m 40 -c 5", declare_c45},
    {"run", "run an MPI program under a compact decision file, or record what it calls",
     "colltree run --model bcast.cdt -- mpirun -n 4 ./program", declare_run},
    {"decide", "the method for one instance, by a model or a compact decision file",
     "colltree decide bcast.cdt bcast 25 480", declare_decide},
    {"explain",
     "why this method: path or rule, what was measured around, the library's own choice; --live: "
     "what really runs",
     "colltree explain bcast 96 40000 --model bcast.json --profile grig.db", declare_explain},
    {"study", "what limits and encodings cost a quadtree",
     "colltree study depth grig.db --collective bcast -o depth.csv", declare_study},
    {"plot", "pictures: maps, penalties, times, trees, as SVG or PNG",
     "colltree plot map grig.db --collective bcast --fit 'quadtree:max_depth=3' -o bcast.svg",
     declare_plot},
    {"reproduce", "the papers' own studies on simulated clusters, theirs and ours side by side",
     "colltree reproduce 2006 -o study", declare_reproduce},
    {"describe", "these commands and options as a man page, or for a shell to complete",
     "colltree describe bash", declare_describe},
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

}  // namespace colltree
