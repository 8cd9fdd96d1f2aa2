// SPDX-License-Identifier: BSD-3-Clause
#include "profile/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/input.h"
#include "profile/test_csv.h"

namespace colltree::profile {
namespace {

const std::string kHeader = std::string(kCsvHeader) + "\n";

TEST(Csv, FieldsOfARow) {
  const auto rows =
      parse_csv("\xEF\xBB\xBF" + kHeader +
                    "orfeo,openmpi-4.1.5,bcast,254,2,127,1048576,chain,65536,3,28366.8\r\n"
                    "orfeo,openmpi-4.1.5,gather,4,,,0,default,,,0.14",
                "F.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].system, "orfeo");
  EXPECT_EQ(rows[0].mpi, "openmpi-4.1.5");
  EXPECT_EQ(rows[0].instance, (Instance{Collective::kBcast, 254, 1048576, 2, 127}));
  EXPECT_EQ(rows[0].method, (Method{"chain", 65536}));
  EXPECT_EQ(rows[0].sample, (Sample{3, 28366.8}));
  EXPECT_EQ(rows[0].line, 2U);
  EXPECT_EQ(rows[1].instance, (Instance{Collective::kGather, 4, 0, 0, 0}));
  EXPECT_EQ(rows[1].method, (Method{"default", std::nullopt}));
  EXPECT_EQ(rows[1].sample, (Sample{Sample::kAggregate, 0.14}));
}

TEST(Csv, CanonicalOrderAndNumbers) {
  const std::string shuffled = kHeader +
                               "b,m,bcast,8,,,10,x,,1,1000000\n"
                               "b,m,bcast,8,,,10,x,,0,0.000001\n"
                               "b,m,bcast,8,,,9,x,0,,2.50\n"
                               "b,m,bcast,8,,,9,x,,,2\n"
                               "a,m,reduce,16,2,8,9,x,,,3\n"
                               "a,m,bcast,16,2,8,9,x,,,3\n";
  const std::string canonical = canonical_csv(parse_csv(shuffled, "F.csv"));
  EXPECT_EQ(canonical, kHeader +
                           "a,m,bcast,16,2,8,9,x,,,3\n"
                           "a,m,reduce,16,2,8,9,x,,,3\n"
                           "b,m,bcast,8,,,9,x,,,2\n"
                           "b,m,bcast,8,,,9,x,0,,2.5\n"
                           "b,m,bcast,8,,,10,x,,0,0.000001\n"
                           "b,m,bcast,8,,,10,x,,1,1000000\n");
  EXPECT_EQ(canonical_csv(parse_csv(canonical, "F.csv")), canonical);
}

TEST(Csv, TextsThatSpreadsheetsWouldCalculateAreGuardedAndReadBack) {
  const std::string guarded = kHeader +
                              "'=1+1,\"a, b\",bcast,8,,,10,\"say \"\"x\"\"\",,,1\n"
                              "'@s,'-m,bcast,8,,,10,'+x,,,2\n";
  const std::vector<CsvRow> rows = parse_csv(guarded, "F.csv");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].system, "=1+1");
  EXPECT_EQ(rows[0].mpi, "a, b");
  EXPECT_EQ(rows[0].method.algorithm, "say \"x\"");
  EXPECT_EQ(rows[1].mpi, "-m");
  EXPECT_EQ(canonical_csv(rows), guarded);
}

struct BadCase {
  const char* rows;  // after the header
  const char* message;
};

const BadCase kBad[] = {
    {"s,m,bcast,8,1,8,64,x,,1\n", "F.csv:2: expected 11 fields, got '10'"},
    {"s,m,bcast,8,1,8,64,x,,,1,\n", "F.csv:2: expected 11 fields, got '12'"},
    {"s,m,bcast,8,1,8,64,x,,,1\n\n", "F.csv:3: expected 11 fields, got '1'"},
    {"s,m,bcast,8,1,8,64,x,,,1\ns,m,bcast,8,1,8,6", "F.csv:3: expected 11 fields, got '7'"},
    {",m,bcast,8,1,8,64,x,,,1\n", "F.csv:2: expected system (not empty), got ''"},
    {"\"s,m,bcast,8,1,8,64,x,,,1\n",
     "F.csv:2: a quote without its end, or in the middle of a field"},
    {"s\x1b[31m,m,bcast,8,1,8,64,x,,,1\n",
     "F.csv:2: this line holds a control character (0x1B); the format is UTF-8 without control "
     "characters"},
    {"s,m,bcast,8,1,8,64,caf\xE9,,,1\n",
     "F.csv:2: this line holds a byte that is not UTF-8 (0xE9); the format is UTF-8 without "
     "control "
     "characters"},
    {" s,m,bcast,8,1,8,64,x,,,1\n", "F.csv:2: expected system without blanks around it, got ' s'"},
    {"s,m,bcats,8,1,8,64,x,,,1\n", "F.csv:2: unknown collective 'bcats'; did you mean 'bcast'?"},
    {"s,m,Ibcast,8,1,8,64,x,,,1\n",
     "F.csv:2: unknown collective 'Ibcast'; name its blocking form, bcast: what is measured and "
     "decided is bcast"},
    {"s,m,bcast,0,1,8,64,x,,,1\n",
     "F.csv:2: expected procs as a whole number from 1 to 2147483647, got '0'"},
    {"s,m,bcast,,1,8,64,x,,,1\n",
     "F.csv:2: expected procs as a whole number from 1 to 2147483647, got ''"},
    {"s,m,bcast,2147483648,,,64,x,,,1\n",
     "F.csv:2: expected procs as a whole number from 1 to 2147483647, got '2147483648'"},
    {"s,m,bcast,8.0,1,8,64,x,,,1\n",
     "F.csv:2: expected procs as a whole number from 1 to 2147483647, got '8.0'"},
    {"s,m,bcast,8,0,8,64,x,,,1\n",
     "F.csv:2: expected nodes as a whole number from 1 to 2147483647, got '0'"},
    {"s,m,bcast,8,1,x,64,x,,,1\n",
     "F.csv:2: expected ppn as a whole number from 1 to 2147483647, got 'x'"},
    {"s,m,bcast,8,2,2,64,x,,,1\n", "F.csv:2: 2 nodes with 2 ranks each do not hold 8 ranks"},
    {"s,m,bcast,8,1,8,-1,x,,,1\n",
     "F.csv:2: expected msg_bytes as a whole number from 0 to 4611686018427387904, got '-1'"},
    {"s,m,bcast,8,1,8,1K,x,,,1\n",
     "F.csv:2: expected msg_bytes as a whole number from 0 to 4611686018427387904, got '1K'"},
    {"s,m,bcast,8,1,8,99999999999999999999,x,,,1\n",
     "F.csv:2: expected msg_bytes as a whole number from 0 to 4611686018427387904, got "
     "'99999999999999999999'"},
    {"s,m,bcast,8,1,8,64,,,,1\n", "F.csv:2: expected algorithm (not empty), got ''"},
    {"s,m,bcast,8,1,8,64,x,none,,1\n",
     "F.csv:2: expected segment_bytes as a whole number from 0 to 4611686018427387904, got 'none'"},
    {"s,m,bcast,8,1,8,64,default,0,,1\n",
     "F.csv:2: 'default' is the library's own choice: its segment_bytes must be empty"},
    {"s,m,bcast,8,1,8,64,x,,-1,1\n",
     "F.csv:2: expected rep as a whole number from 0 to 1000000000, got '-1'"},
    {"s,m,bcast,8,1,8,64,x,,,0\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got '0'"},
    {"s,m,bcast,8,1,8,64,x,,,-3\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got '-3'"},
    {"s,m,bcast,8,1,8,64,x,,,1e307\n",
     "F.csv:2: expected time_us from 1e-06 to 1e+15, got '1e307'"},
    {"s,m,bcast,8,1,8,64,x,,,1e-7\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got '1e-7'"},
    {"s,m,bcast,8,1,8,64,x,,,nan\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got 'nan'"},
    {"s,m,bcast,8,1,8,64,x,,,inf\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got 'inf'"},
    {"s,m,bcast,8,1,8,64,x,,,\n", "F.csv:2: expected time_us from 1e-06 to 1e+15, got ''"},
    {"s,m,bcast,8,1,8,64,x,,,1.5us\n",
     "F.csv:2: expected time_us from 1e-06 to 1e+15, got '1.5us'"},
    {"s,m,bcast,8,1,8,64,x,,,1\nt,n,bcast,8,1,8,64,x,,,1\ns,n,bcast,8,1,8,64,x,,,1\n",
     "F.csv:4: system 's' has MPI library 'n' here and 'm' in line 2; two libraries are two "
     "systems"},
    {"", "F.csv:1: a header and no timings: there is nothing to import"},
};

std::string csv_error(const std::string& text) {
  try {
    parse_csv(text, "F.csv");
  } catch (const ParseError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, BadRowsSayWhereAndWhatWasExpected) {
  for (const BadCase& bad : kBad) EXPECT_EQ(csv_error(kHeader + bad.rows), bad.message);
}

TEST(Csv, BadHeaders) {
  const std::string expected =
      "F.csv:1: expected the header '" + std::string(kCsvHeader) + "', got ";
  for (const char* header : {"", "system,collective,procs", "s,m,bcast,8,1,8,64,x,,,1"})
    EXPECT_EQ(csv_error(std::string(header) + "\n"),
              expected + "'" + header +
                  "'; for another table say what its columns are: --columns "
                  "procs=NAME,time_us=NAME,...");
}

std::string mapped(const std::string& columns, const std::string& text,
                   std::map<std::string, std::string> values = {}) {
  try {
    std::string rows;
    CsvReader reader(
        "F", [&](const CsvRow& row) { rows += csv_line(row); },
        CsvColumns{parse_column_names(columns), std::move(values)});
    LineSplitter lines("F", [&](std::string_view line) { reader.line(line); });
    lines.add(text);
    lines.end();
    reader.end();
    return rows;
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Csv, ColumnsOfAnotherTableAreNamed) {
  const std::map<std::string, std::string> all = {{"system", "nano"}, {"algorithm", "default"}};
  EXPECT_EQ(mapped("procs=nprocs,collective=op,msg_bytes=size,time_s=avg (s)",
                   "op, size, iterations, avg (s), nprocs\nMPI_Allreduce, 8, 10, 2.5e-6, 4\n", all),
            "nano,,allreduce,4,,,8,default,,,2.5\n");
  EXPECT_EQ(mapped("procs=np",
                   "time_us,np,msg_bytes,collective,rep,algorithm\n1.5,4,8,bcast,3,ring\n", all),
            "nano,,bcast,4,,,8,ring,,3,1.5\n");
  EXPECT_EQ(mapped("procs=nprocs,time_us=t", "nproc,t\n4,1\n"),
            "F:1: --columns: there is no column 'nprocs'; did you mean 'nproc'?");
  EXPECT_EQ(
      mapped("procs=n", "n,size\n4,1\n", all),
      "F:1: no column says collective, msg_bytes, time_us: name it in --columns, or give what "
      "holds for all rows as --system, --collective or --communicator-sizes");
  EXPECT_EQ(mapped("procs", "n\n"),
            "--columns: expected OURS=THEIRS, for example procs=nprocs, got 'procs'");
  EXPECT_EQ(mapped("ranks=n", "n\n"), "--columns: 'ranks' is no column of " +
                                          std::string(kCsvHeader) +
                                          " (or time_ns, time_ms, time_s)");
}

}  // namespace
}  // namespace colltree::profile
