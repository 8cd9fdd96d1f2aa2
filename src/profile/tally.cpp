// SPDX-License-Identifier: BSD-3-Clause
#include "profile/tally.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <string>

namespace colltree {

namespace {

void put(std::uint64_t value, char* bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
}

// Bytes to hash: every part with its length, so that no two lists of parts are alike.
class HashInput {
 public:
  HashInput& number(std::uint64_t value) {
    char bytes[8];
    put(value, bytes);
    bytes_.append(bytes, sizeof bytes);
    return *this;
  }
  HashInput& text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  std::uint64_t hash(std::uint64_t seed) const {
    return XXH3_64bits_withSeed(bytes_.data(), bytes_.size(), seed);
  }

 private:
  std::string bytes_;
};

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  cells += other.cells;
  samples += other.samples;
  sum += other.sum;
  return *this;
}

Tally& Tally::operator-=(const Tally& other) {
  cells -= other.cells;
  samples -= other.samples;
  sum -= other.sum;
  return *this;
}

Tally tally_of(const CampaignInfo& info) {
  HashInput input;
  for (const std::string* text :
       {&info.system.name, &info.system.provenance, &info.system.mpi, &info.system.platform_hash,
        &info.system.noise, &info.uid, &info.source, &info.host, &info.platform_file, &info.options,
        &info.config_hash, &info.started_utc, &info.colltree_version}) {
    input.text(*text);
  }
  return {.sum = input.hash(0)};
}

std::uint64_t key_hash(const CellKey& key) {
  const Instance& at = key.instance;
  HashInput input;
  input.text(name(at.collective))
      .number(at.communicator_size)
      .number(at.message_size)
      .number(at.nodes)
      .number(at.ranks_per_node)
      .number(key.count)
      .number(key.type_size)
      .text(key.method.name())
      .number(key.method.segment_size ? 1 : 0)
      .number(key.method.segment_size.value_or(0));
  return input.hash(0);
}

Tally tally_of_state(std::uint64_t key, CellStatus status, const std::string& reason) {
  return {.cells = 1, .sum = HashInput().text(name(status)).text(reason).hash(key)};
}

Tally tally_of_sample(std::uint64_t key, const Sample& sample, std::int64_t copy) {
  char bytes[24];
  put(static_cast<std::uint64_t>(sample.rep), bytes);
  put(std::bit_cast<std::uint64_t>(sample.time_us), bytes + 8);
  put(static_cast<std::uint64_t>(copy), bytes + 16);
  return {.samples = 1, .sum = XXH3_64bits_withSeed(bytes, sizeof bytes, key)};
}

Tally tally_of(const Cell& cell) {
  const std::uint64_t key = key_hash(cell.key);
  Tally tally = tally_of_state(key, cell.status, cell.reason);
  std::vector<Sample> samples = cell.samples;
  std::ranges::sort(samples);
  std::int64_t copy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    copy = i > 0 && samples[i] == samples[i - 1] ? copy + 1 : 0;
    tally += tally_of_sample(key, samples[i], copy);
  }
  return tally;
}

Tally held_tally(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement query(database,
                          "SELECT cell_count, sample_count, checksum FROM campaigns WHERE id = ?");
  query.bind(1, campaign);
  if (!query.executeStep()) return {};
  return {query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
          static_cast<std::uint64_t>(query.getColumn(2).getInt64())};
}

void hold_tally(SQLite::Database& database, CampaignId campaign, const Tally& tally) {
  SQLite::Statement update(
      database, "UPDATE campaigns SET cell_count = ?, sample_count = ?, checksum = ? WHERE id = ?");
  update.bind(1, tally.cells);
  update.bind(2, tally.samples);
  update.bind(3, static_cast<std::int64_t>(tally.sum));
  update.bind(4, campaign);
  update.exec();
}

}  // namespace colltree
