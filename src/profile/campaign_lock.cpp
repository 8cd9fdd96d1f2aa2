// SPDX-License-Identifier: BSD-3-Clause
#include "profile/campaign_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace colltree {

namespace {

// Far behind the bytes that SQLite locks, at 1 GiB: a campaign's own byte, which need not exist.
constexpr off_t kFirstByte = off_t{1} << 40;

// A child that a colltree had just forked when it was killed holds the lock, too, until the machine
// lets it become its program, which on a busy one takes a while.
constexpr int kTries = 60;
constexpr useconds_t kPause_us = 50'000;

}  // namespace

CampaignLock::CampaignLock(const std::filesystem::path& profile, CampaignId campaign,
                           const std::string& system)
    : file_(::open(profile.c_str(), O_RDWR | O_CLOEXEC)) {
  if (!file_.is_open()) return;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kFirstByte + campaign;
  lock.l_len = 1;
  // Of this open file, not of the process: SQLite opens and closes the file as it likes.
  for (int i = 0; i < kTries; ++i) {
    if (::fcntl(file_.number(), F_OFD_SETLK, &lock) == 0) return;
    if (errno != EAGAIN && errno != EACCES) return;
    ::usleep(kPause_us);
  }
  throw Error(fmt::format(
      "{}: another colltree measures system {} with the same options into it; wait for it, or end "
      "it and give the same command again",
      profile.string(), system));
}

}  // namespace colltree
