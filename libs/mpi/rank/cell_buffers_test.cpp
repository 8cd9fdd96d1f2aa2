// SPDX-License-Identifier: BSD-3-Clause
#include "rank/cell_buffers.h"

#include <gtest/gtest.h>

#include <cstring>

namespace colltree::rank {
namespace {

// One rank alone receives what it sends. 99 bytes of a reduction are combined as bytes, 100 as
// integers.
TEST(CellBuffers, EachByteThatArrivesWrongIsSeen) {
  for (const Collective collective : {Collective::kAllgather, Collective::kAllreduce}) {
    for (const std::uint64_t bytes : {1U, 99U, 100U}) {
      CellBuffers buffers(cell_shape({collective, 1, bytes}, 0), 1);
      buffers.fill(0);
      auto* const received = static_cast<unsigned char*>(buffers.receive(0));
      EXPECT_FALSE(buffers.correct(0)) << "nothing has arrived";
      std::memcpy(received, buffers.send(0), bytes);
      EXPECT_TRUE(buffers.correct(0));
      for (std::uint64_t i = 0; i < bytes; ++i) {
        received[i] ^= 4;
        EXPECT_FALSE(buffers.correct(0)) << name(collective) << ", byte " << i << " of " << bytes;
        received[i] ^= 4;
      }
    }
  }
}

}  // namespace
}  // namespace colltree::rank
