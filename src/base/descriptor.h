// SPDX-License-Identifier: BSD-3-Clause
// An open file that is closed with this object.
#pragma once

#include <string_view>

namespace colltree {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}  // -1: none
  ~Descriptor();
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }

  // Both return 0 or the error number. A delayed error (quota, network file system) shows at close.
  int write_all(std::string_view content) const;
  int close();

 private:
  int number_;
};

}  // namespace colltree
