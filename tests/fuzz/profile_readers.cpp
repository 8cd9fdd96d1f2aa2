// SPDX-License-Identifier: BSD-3-Clause
// Profiles: a file of any bytes, and a good one whose values were replaced by others and which then
// was counted and summed up anew.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/core.h>

#include <fstream>
#include <map>
#include <string>

#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "profile/import.h"
#include "profile/overview.h"
#include "profile/profile.h"
#include "profile/rows.h"
#include "profile/test_csv.h"
#include "reader.h"

namespace colltree::fuzz {
namespace {

namespace fs = std::filesystem;

// In memory where the system has such a folder.
const fs::path& profile_path() {
  static const TransientFolder folder;
  static const fs::path path = folder.path() / "profile.db";
  return path;
}

void write_plainly(std::string_view content) {
  std::ofstream(profile_path(), std::ios::binary | std::ios::trunc) << content;
}

// All that a profile is asked, then what writing to it would do first.
void ask_everything() {
  std::string before;
  {
    const profile::Profile profile(profile_path(), profile::OpenMode::kRead);
    for (const profile::SystemOverview& one : overview(profile)) {
      overview_text(one);
      overview_json(one).dump();
      for (const profile::StoredCampaign& campaign : one.campaigns)
        profile.finished_cells(campaign.id);
    }
    before = export_csv(profile);
    require(canonical_csv(profile::parse_csv(before, "exported.csv")) == before,
            "a profile's export can be imported again");
  }
  require(export_csv(profile::Profile(profile_path(), profile::OpenMode::kWrite)) == before,
          "opening a profile for writing changes no sample");
}

void read_profile(std::string_view input) {
  write_plainly(input);
  ask_everything();
}

std::string good_profile() {
  const fs::path& path = profile_path();
  fs::remove(path);
  { profile::Profile(path, profile::OpenMode::kWrite); }
  {
    SQLite::Database database(path.string(), SQLite::OPEN_READWRITE);
    database.exec(
        "INSERT INTO systems VALUES(1,'grig','simulated','smpi-3.32','aa','');"
        "INSERT INTO campaigns(id,uid,system,source,host,platform_file,options,config_hash,"
        "started_utc,colltree_version,cell_count,sample_count,checksum) VALUES(1,'u',1,'portable',"
        "'node01','grig.xml','{\"root\":0}','c','2026-11-21T08:52:00Z','0.1.0',0,0,0);"
        "INSERT INTO cells(id,campaign,collective,communicator_size,nodes,ranks_per_node,count,"
        "type_size,message_size,algorithm,segment_size,status,reason) VALUES"
        "(1,1,'bcast',8,8,1,1024,1,1024,'binomial',0,'ok',''),"
        "(2,1,'bcast',8,8,1,1024,1,1024,'linear',NULL,'ok',''),"
        "(3,1,'reduce',4,0,0,0,0,64,'chain@fanout=4',1024,'failed','no answer');"
        "INSERT INTO samples VALUES(1,0,12.5,0),(1,1,13,0),(2,-1,40.25,0);");
  }
  return read_file(path);
}

// A line "TABLE.COLUMN ROW VALUE" each: a number, NULL, or text.
void change_value(SQLite::Database& database, std::string_view line) {
  const auto words = split(line, ' ');
  if (words.size() < 3) return;
  const auto place = split(words[0], '.');
  const auto row = parse_number<std::int64_t>(words[1]);
  if (place.size() != 2 || !row) return;
  for (const std::string_view word : place) {
    if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") != std::string_view::npos) return;
  }
  SQLite::Statement change(
      database, fmt::format("UPDATE OR REPLACE {} SET {} = ? WHERE {} = ?", place[0], place[1],
                            place[0] == "samples" ? "cell" : "id"));
  const std::string value(line.substr(words[0].size() + words[1].size() + 2));
  if (const auto whole = parse_number<std::int64_t>(value)) {
    change.bind(1, *whole);
  } else if (const auto real = parse_number<double>(value)) {
    change.bind(1, *real);
  } else if (value != "NULL") {
    change.bind(1, value);
  }
  change.bind(2, *row);
  change.exec();
}

// So that a changed value is not refused for the sum alone, but for itself or not at all.
void count_anew(SQLite::Database& database) {
  try {
    std::map<profile::CampaignId, profile::Tally> tallies;
    for (const profile::StoredCampaign& campaign :
         profile::read_campaigns(database, profile_path())) {
      tallies[campaign.id] = tally_of(campaign.info);
    }
    profile::visit_cells(database, profile_path(), {},
                         [&](profile::CampaignId campaign, std::int64_t,
                             const profile::Cell& cell) { tallies[campaign] += tally_of(cell); });
    for (const auto& [campaign, tally] : tallies) hold_tally(database, campaign, tally);
  } catch (const std::exception&) {
    // What cannot be read now cannot be read then.
  }
}

void read_profile_values(std::string_view input) {
  static const std::string good = good_profile();
  write_plainly(good);
  {
    SQLite::Database database(profile_path().string(), SQLite::OPEN_READWRITE);
    for (const std::string_view line : split(input, '\n')) {
      try {
        change_value(database, line);
      } catch (const SQLite::Exception&) {
        // SQLite itself refuses: no such column, a constraint.
      }
    }
    count_anew(database);
  }
  ask_everything();
}

}  // namespace

std::vector<Reader> profile_readers() {
  return {{"profile", read_profile}, {"profile-values", read_profile_values}};
}

}  // namespace colltree::fuzz
