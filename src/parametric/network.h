// SPDX-License-Identifier: BSD-3-Clause
// What a cost formula may know of a machine: how long a message takes and how soon the next one can
// follow. Hockney, LogGP and PLogP answer the same questions from parameters of their own, so one
// formula serves all three. Times in microseconds, sizes in bytes; a size may be a fraction (the
// mean piece of a message that is cut for each rank).
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace colltree {

class Network {
 public:
  virtual ~Network() = default;

  // From the start of a send until the receiver, which waits for it, has the message. Two ranks
  // that exchange messages take as long.
  virtual double message_us(double bytes) const = 0;
  // Of messages that one rank has under way all at once, to as many others: how much later the next
  // one is there.
  virtual double gap_us(double bytes) const = 0;
  // The same of messages from as many others to one rank.
  virtual double arrival_gap_us(double bytes) const = 0;
  // How long a blocking send keeps its rank from the next one.
  virtual double send_us(double bytes) const = 0;
  // To fold that many bytes into a partial result.
  virtual double fold_us(double bytes) const = 0;
};

// T(m) = alpha + beta m; a rank does nothing else meanwhile (Hockney, The communication challenge
// for MPP, 1994).
struct Hockney {
  double alpha_us = 0;
  double beta_us_per_byte = 0;
};

// A message of m bytes: L + 2 o + (m - 1) G; the next one max(o, g) + (m - 1) G later (Culler and
// others, LogP, 1993; Alexandrov and others, LogGP, 1995). An empty message counts as one byte.
struct LogGP {
  double latency_us = 0;            // L
  double overhead_us = 0;           // o
  double gap_us = 0;                // g
  double byte_gap_us_per_byte = 0;  // G
};

// A parameter that depends on the size: linear between the measured sizes, below them as the least,
// above them on along the last two.
class SizeTable {
 public:
  struct Point {
    double bytes;
    double us;
  };

  // Sizes strictly ascending, at least one.
  explicit SizeTable(std::vector<Point> points);
  double at(double bytes) const;
  const std::vector<Point>& points() const { return points_; }

 private:
  std::vector<Point> points_;
};

// A message of m bytes: L + g(m); the next one g(m) later; os(m) and or(m) are the times that its
// sender and its receiver are busy (Kielmann, Bal, Verstoep, Fast measurement of LogP parameters
// for message passing platforms, 2000).
struct PLogP {
  double latency_us = 0;       // L
  SizeTable send_overhead;     // os
  SizeTable receive_overhead;  // or
  SizeTable gap;               // g
};

// gamma_us_per_byte: to fold one byte.
std::unique_ptr<Network> make_network(const Hockney& hockney, double gamma_us_per_byte);
std::unique_ptr<Network> make_network(const LogGP& loggp, double gamma_us_per_byte);
std::unique_ptr<Network> make_network(const PLogP& plogp, double gamma_us_per_byte);

}  // namespace colltree
