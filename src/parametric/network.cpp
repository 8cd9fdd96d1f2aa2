// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/network.h"

#include <algorithm>

namespace colltree {

namespace {

// What a model may leave as it is: whatever comes next waits for the gap.
class GapNetwork : public Network {
 public:
  explicit GapNetwork(double gamma_us_per_byte) : gamma_(gamma_us_per_byte) {}
  double fold_us(double bytes) const override { return gamma_ * bytes; }
  double arrival_gap_us(double bytes) const override { return gap_us(bytes); }
  double send_us(double bytes) const override { return gap_us(bytes); }

 private:
  double gamma_;
};

class HockneyNetwork : public GapNetwork {
 public:
  HockneyNetwork(const Hockney& hockney, double gamma) : GapNetwork(gamma), h_(hockney) {}
  double message_us(double bytes) const override {
    return h_.alpha_us + h_.beta_us_per_byte * bytes;
  }
  double gap_us(double bytes) const override { return message_us(bytes); }

 private:
  Hockney h_;
};

class LogGPNetwork : public GapNetwork {
 public:
  LogGPNetwork(const LogGP& loggp, double gamma) : GapNetwork(gamma), l_(loggp) {}
  double message_us(double bytes) const override {
    return l_.latency_us + 2 * l_.overhead_us + long_us(bytes);
  }
  double gap_us(double bytes) const override {
    return std::max(l_.overhead_us, l_.gap_us) + long_us(bytes);
  }

 private:
  double long_us(double bytes) const { return std::max(bytes - 1, 0.0) * l_.byte_gap_us_per_byte; }
  LogGP l_;
};

// A parameter measured apart from the gap may come out above it by noise, or because a blocking
// send of a long message waits for its receiver: then that is what the next send waits for.
class PLogPNetwork : public GapNetwork {
 public:
  PLogPNetwork(const PLogP& plogp, double gamma) : GapNetwork(gamma), l_(plogp) {}
  double message_us(double bytes) const override { return l_.latency_us + l_.gap.at(bytes); }
  double gap_us(double bytes) const override { return l_.gap.at(bytes); }
  double arrival_gap_us(double bytes) const override { return l_.receive_overhead.at(bytes); }
  double send_us(double bytes) const override {
    return std::max(l_.gap.at(bytes), l_.send_overhead.at(bytes));
  }

 private:
  PLogP l_;
};

}  // namespace

SizeTable::SizeTable(std::vector<Point> points) : points_(std::move(points)) {}

double SizeTable::at(double bytes) const {
  if (points_.size() == 1 || bytes <= points_.front().bytes) return points_.front().us;
  const auto above =
      std::ranges::upper_bound(points_.begin() + 1, points_.end() - 1, bytes, {}, &Point::bytes);
  const Point& high = *above;
  const Point& low = *(above - 1);
  const double slope = (high.us - low.us) / (high.bytes - low.bytes);
  return bytes > high.bytes ? high.us + std::max(slope, 0.0) * (bytes - high.bytes)
                            : low.us + slope * (bytes - low.bytes);
}

std::unique_ptr<Network> make_network(const Hockney& hockney, double gamma_us_per_byte) {
  return std::make_unique<HockneyNetwork>(hockney, gamma_us_per_byte);
}

std::unique_ptr<Network> make_network(const LogGP& loggp, double gamma_us_per_byte) {
  return std::make_unique<LogGPNetwork>(loggp, gamma_us_per_byte);
}

std::unique_ptr<Network> make_network(const PLogP& plogp, double gamma_us_per_byte) {
  return std::make_unique<PLogPNetwork>(plogp, gamma_us_per_byte);
}

}  // namespace colltree
