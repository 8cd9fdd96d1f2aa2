// SPDX-License-Identifier: BSD-3-Clause
// content_hash (file.h) of a content that comes in pieces.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace colltree {

class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();

  void add(std::string_view piece);
  std::string hash() const;  // of all pieces up to now, as content_hash of them in one

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace colltree
