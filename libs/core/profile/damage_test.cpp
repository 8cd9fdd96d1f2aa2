// SPDX-License-Identifier: BSD-3-Clause
// A profile that was damaged, edited or taken away gives what was written into it or an error,
// never something else.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/random.h"
#include "profile/import.h"
#include "profile/load_timings.h"
#include "profile/test_profile.h"

namespace colltree::profile {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

const std::string kRemedy =
    "; the file is damaged: restore a copy, or save what is left as "
    "docs/reference/formats/profile.md says";

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void put_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// Everything that later rooms may read.
std::string content(const fs::path& path) {
  const Profile profile(path, OpenMode::kRead);
  std::string all = export_csv(profile);
  for (const StoredCampaign& campaign : profile.campaigns()) {
    all += campaign.info.uid + campaign.info.options + campaign.info.host;
    for (const Cell& one : profile.cells(campaign.id)) {
      all += one.key.method.label() + std::string(name(one.status)) + one.reason;
    }
  }
  const Timings timings = load_timings(profile, "grig", Collective::kBcast).timings;
  for (const double time_us : timings.time_us.known_us()) all += std::to_string(time_us);
  return all;
}

fs::path filled(const std::string& file) {
  const fs::path path = fresh_path(file);
  Profile profile(path, OpenMode::kWrite);
  for (const char* system : {"grig", "frodo"}) {
    std::vector<Cell> cells;
    for (std::uint64_t i = 0; i < 150; ++i) {
      const auto time_us = static_cast<double>(i + 1);
      cells.push_back(cell(2 + i % 7, i, {"binomial", 1024 * (i % 3)}, {time_us, time_us + 0.1}));
    }
    cells.push_back(failed_cell(2, 1, {"linear", 0}, "killed by signal 11"));
    profile.record(profile.begin_campaign(campaign(system)), cells);
  }
  return path;
}

// Sixteen places: anywhere, in a row, or in the head of one page.
std::string flipped(std::string bytes, SeededRandom& random, std::uint64_t kind) {
  const std::uint64_t start = random.below(bytes.size() - 16);
  const std::uint64_t page = random.below(bytes.size() / 4096) * 4096;
  for (std::uint64_t i = 0; i < 16; ++i) {
    const std::uint64_t at = kind == 0   ? random.below(bytes.size())
                             : kind == 1 ? start + i
                                         : page + random.below(page == 0 ? 116 : 16);
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random.below(255)));
  }
  return bytes;
}

TEST(Damage, SixteenChangedBytesNeverChangeTimings) {
  const std::string bytes = bytes_of(filled("whole.db"));
  const std::string expected = content(filled("expected.db"));
  SeededRandom random(1);
  std::size_t refused = 0;
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    const fs::path path = fresh_path("flipped.db");
    put_bytes(path, flipped(bytes, random, trial % 3));
    std::string found;
    const std::string error = error_of([&] { found = content(path); });
    if (error == "no error") {
      EXPECT_EQ(found, expected) << "trial " << trial;
    } else {
      ++refused;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
      EXPECT_TRUE(error.starts_with(path.string() + ": ")) << error;
    }
    for (const char* tail : {"-journal", "-wal", "-shm"}) fs::remove(path.string() + tail);
  }
  EXPECT_GT(refused, 200U);
}

// The name of a system in the table, and another one in its index.
TEST(Damage, WhatSqliteFindsIsSaid) {
  const fs::path path = filled("structure.db");
  std::string bytes = bytes_of(path);
  const std::size_t page = 2 * 4096;  // of the index of system names
  const std::size_t place = bytes.find("grig", page);
  ASSERT_LT(place, page + 4096);
  bytes[place + 3] = 'h';
  put_bytes(path, bytes);
  EXPECT_EQ(error_of([&] { content(path); }),
            path.string() + ": SQLite finds: row 1 missing from index sqlite_autoindex_systems_1" +
                kRemedy);
}

TEST(Damage, RowsThatAreGoneAreCounted) {
  const fs::path path = filled("gone.db");
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE)
      .exec("DELETE FROM samples WHERE cell = 7; DELETE FROM cells WHERE id = 7");
  EXPECT_THAT(
      error_of([&] { Profile(path, OpenMode::kRead); }),
      HasSubstr(" of grig holds 150 cells and 298 samples, 151 and 300 were written" + kRemedy));
  EXPECT_THAT(error_of([&] { Profile(path, OpenMode::kWrite); }), HasSubstr("150 cells"));
}

struct Edit {
  const char* sql;
  const char* message;  // after the file's name
};

// What no CHECK and no count would find is in the second list.
const Edit kEdits[] = {
    {"UPDATE cells SET communicator_size = 'many' WHERE id = 3",
     "table cells, row 3: communicator_size is 'many', expected a whole number from 1 to "
     "2147483647"},
    {"UPDATE cells SET message_size = -5 WHERE id = 3",
     "table cells, row 3: message_size is -5, expected a whole number from 0 to "
     "4611686018427387904"},
    {"UPDATE cells SET segment_size = x'00' WHERE id = 3",
     "segment_size is '\\x00', expected a whole number"},
    {"UPDATE cells SET nodes = 1.5 WHERE id = 3", "nodes is 1.5, expected a whole number"},
    {"UPDATE cells SET status = 'fine' WHERE id = 3",
     "table cells, row 3: status is 'fine', expected ok, failed, cannot_run or wanted"},
    {"UPDATE cells SET collective = 'bcats' WHERE id = 3",
     "collective is 'bcats', expected a collective"},
    {"UPDATE cells SET algorithm = 'bin' || char(27) || 'omial' WHERE id = 3",
     "algorithm is 'bin\\x1Bomial', expected text without a control character (0x1B)"},
    {"UPDATE cells SET algorithm = CAST(x'62E9' AS TEXT) WHERE id = 3",
     "expected text without a byte that is not UTF-8 (0xE9)"},
    {"UPDATE samples SET time_us = -3 WHERE cell = 3 AND rep = 0",
     "table samples, cell 3: time_us is -3, expected a time from 1e-06 to 1e+15"},
    {"UPDATE samples SET time_us = 1e307 WHERE cell = 3 AND rep = 0", "time_us is 1e+307"},
    {"UPDATE samples SET time_us = 'x' WHERE cell = 3 AND rep = 0", "time_us is 'x'"},
    {"UPDATE samples SET rep = 'x' WHERE cell = 3 AND rep = 0", "rep is 'x'"},
    {"UPDATE samples SET copy = 4 WHERE cell = 3 AND rep = 0", "copy is 4"},
    {"UPDATE systems SET name = 'a' || char(10) || 'b' WHERE id = 1", "name is 'a\\x0Ab'"},
    {"UPDATE cells SET campaign = 77 WHERE id = 3", "there is no campaign 77"},
    {"UPDATE samples SET cell = 7777 WHERE cell = 3", "samples without their cell"},
    {"DELETE FROM campaigns WHERE id = 2; DELETE FROM cells WHERE campaign = 2;"
     "DELETE FROM samples WHERE cell > 151",
     "a system without a campaign"},
};

const Edit kUncounted[] = {
    {"UPDATE samples SET time_us = 99 WHERE cell = 3 AND rep = 0",
     " of grig is not what was written: its checksum differs"},
    {"UPDATE cells SET message_size = 1 WHERE id = 3", "its checksum differs"},
    {"UPDATE cells SET status = 'failed' WHERE id = 3", "its checksum differs"},
    {"UPDATE campaigns SET options = '{}' WHERE id = 1", "its checksum differs"},
    {"UPDATE systems SET noise = 'spread=1' WHERE id = 1", "its checksum differs"},
    {"UPDATE campaigns SET checksum = 0 WHERE id = 1", "its checksum differs"},
    {"DROP INDEX cell_key", "'cell_key' is not as schema 3 has it"},
    {"ALTER TABLE cells RENAME COLUMN reason TO cause", "'cells' is not as schema 3 has it"},
};

void expect_refused(const fs::path& path, const Edit& edit) {
  {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON");
    database.exec(edit.sql);
  }
  const std::string error = error_of([&] { Profile(path, OpenMode::kRead); });
  EXPECT_THAT(error, HasSubstr(edit.message)) << edit.sql;
  EXPECT_THAT(error, ::testing::EndsWith(kRemedy)) << edit.sql;
  EXPECT_EQ(error_of([&] { Profile(path, OpenMode::kWrite); }), error) << edit.sql;
}

TEST(Damage, EveryColumnIsReadWithItsTypeAndRange) {
  for (const Edit& edit : kEdits) expect_refused(filled("edited.db"), edit);
}

TEST(Damage, WhatLooksRightIsSummedUp) {
  for (const Edit& edit : kUncounted) expect_refused(filled("summed.db"), edit);
}

TEST(Damage, EveryWayOfWritingKeepsTheSum) {
  const fs::path path = filled("kept.db");
  const fs::path other = fresh_path("kept_other.db");
  {
    Profile profile(path, OpenMode::kWrite);
    const CampaignId id = profile.begin_campaign(campaign("grig"));
    const Cell failed = failed_cell(3, 3, {"pipeline", 0}, "a reason with \x1b[31mcolour\x1b[0m");
    profile.record(id, std::vector{failed});
    profile.record(id, std::vector{failed_cell(3, 3, {"pipeline", 0}, "another reason")});
    profile.record(id, std::vector{cell(3, 3, {"pipeline", 0}, {5, 5, 5})});
    profile.record(id, std::vector{cell(3, 3, {"pipeline", 0}, {5, 6})});
    profile.record(id, std::vector{failed, failed_cell(4, 3, {"pipeline", 0}, "\xFF")});
    profile.forget_failed(id);
    profile.forget(id, std::vector{cell(2, 0, {"binomial", 0}, {}).key});
    import_csv(profile, std::string(kCsvHeader) + "\ns,m,bcast,4,,,8,x,,,1\n", "F.csv");
    Profile into(other, OpenMode::kWrite);
    merge(into, profile);
    merge(into, profile);
  }
  EXPECT_EQ(content(path), content(other));
}

TEST(Gone, AProfileThatIsTakenAwayIsCalledSo) {
  const std::string said =
      ": was deleted, moved or replaced while it was in use; put it back or rerun the same "
      "command";
  const auto use = [](const fs::path& path, const auto& take_away) {
    Profile profile(path, OpenMode::kWrite);
    const CampaignId id = profile.begin_campaign(campaign("grig"));
    profile.record(id, std::vector{cell(8, 1, {"linear", 0}, {1})});
    take_away();
    return error_of([&] { profile.record(id, std::vector{cell(8, 2, {"linear", 0}, {1})}); });
  };
  const fs::path path = fresh_path("gone.db");
  EXPECT_EQ(use(path, [&] { fs::remove(path); }), path.string() + said);
  EXPECT_EQ(use(path, [&] { fs::rename(path, path.string() + "2"); }), path.string() + said);
  const fs::path other = filled("instead.db");
  EXPECT_EQ(use(path, [&] { fs::rename(other, path); }), path.string() + said);
}

}  // namespace
}  // namespace colltree::profile
