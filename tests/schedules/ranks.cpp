// SPDX-License-Identifier: BSD-3-Clause
#include "ranks.h"

#include <mpi.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

// One side of a message.
struct Transfer {
  bool sends = false;
  int rank = 0;
  int peer = 0;
  void* data = nullptr;
  int bytes = 0;
  double posted = 0;
  bool done = false;
  int error = MPI_SUCCESS;
  double end = 0;    // when it was done
  int received = 0;  // bytes
  Transfer* next = nullptr;
  bool left = false;  // a message whose sender went on: it owns its content
  std::vector<std::byte> content;
};

namespace colltree::test {

namespace {

constexpr std::size_t kStack = 256 << 10;

// How many messages a rank sends, or receives, in each round; a message takes the first round in
// which both of its ends have a port free.
class Ports {
 public:
  void open(int ports) { ports_ = ports; }
  bool is_free(int round) const {
    return static_cast<std::size_t>(round) >= taken_.size() || taken_[round] < ports_;
  }
  void take(int round) {
    if (static_cast<std::size_t>(round) >= taken_.size()) taken_.resize(round + 8, 0);
    ++taken_[round];
    while (!is_free(first_free_)) ++first_free_;
  }
  int first_free() const { return first_free_; }

 private:
  std::vector<std::int16_t> taken_;
  int ports_ = 1;
  int first_free_ = 0;
};

struct Queue {
  Transfer* first = nullptr;
  Transfer* last = nullptr;

  void push(Transfer* one) {
    (first == nullptr ? first : last->next) = one;
    last = one;
  }
  Transfer* pop() {
    Transfer* one = first;
    first = one->next;
    one->next = nullptr;
    return one;
  }
};

struct Rank {
  bool finished = false;
  int error = MPI_SUCCESS;
  double now = 0;
  const Transfer* waits_for = nullptr;
  Ports out;
  Ports in;
  double next_departure = 0;  // by a network
  double next_arrival = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  std::uint64_t unexpected = 0;  // messages that wait for it, of eager sends
};

// A message on its way to a rank whose link it reaches then.
struct Arrival {
  double at;
  long number;  // of those at the same time the first sent comes first
  Transfer* message;
  bool operator<(const Arrival& other) const {
    return std::tie(other.at, other.number) < std::tie(at, number);  // the earliest on top
  }
};

// A stack on which ranks of one number run, job after job: to make one costs more than most calls.
struct Fiber {
  jmp_buf place;
  bool begun = false;
  std::byte* stack = nullptr;
};

// By sender and receiver, the messages of which one side is there. They are empty between jobs, and
// their memory is kept.
struct Posted {
  std::vector<Queue> sends;
  std::vector<Queue> receives;

  void make_room(std::size_t pairs) {
    if (sends.size() >= pairs) return;
    sends.resize(pairs);
    receives.resize(pairs);
  }
  void clear() {
    std::ranges::fill(sends, Queue{});
    std::ranges::fill(receives, Queue{});
  }
};

class Running {
 public:
  Running(const Job& job, const std::function<int(int)>& body)
      : size_(job.size),
        node_of_(job.node_of),
        network_(job.network),
        last_(job.last),
        body_(body),
        ranks_(new Rank[index(job.size)]) {
    posted_.make_room(index(size_) * index(size_));
    while (fibers_.size() < index(size_)) fibers_.push_back(std::make_unique<Fiber>());
    for (int rank = 0; rank < size_; ++rank) {
      ranks_[rank].out.open(job.ports);
      ranks_[rank].in.open(job.ports);
    }
    if (job.late >= 0) ranks_[job.late].now = kLate;
  }

  // The ranks that are the farthest behind first, so that ports are taken in the order of time.
  Traffic run() {
    for (int rank = 0; rank < size_; ++rank) wake(rank);
    while (!ready_.empty() || !arrivals_.empty()) {
      const auto earliest = ready_.begin();
      if (earliest == ready_.end() ||
          (!arrivals_.empty() && arrivals_.top().at <= earliest->first)) {
        arrive();
        continue;
      }
      here_ = earliest->second.front();
      earliest->second.pop_front();
      if (earliest->second.empty()) ready_.erase(earliest);
      enter();
    }
    return traffic();
  }

  int rank() const { return here_; }
  int size() const { return size_; }

  Transfer* post(Side side, void* data, int bytes, int peer) {
    const bool sends = side != Side::kReceive;
    auto* one = new Transfer;
    one->sends = sends;
    one->rank = here_;
    one->peer = peer;
    one->data = data;
    one->bytes = bytes;
    one->posted = ranks_[here_].now;
    if (peer == MPI_PROC_NULL) {
      one->done = true;
      one->end = one->posted;
      return one;
    }
    if (sends && network_ != nullptr) {
      depart(one);
      return one;
    }
    if (last_ >= 0) {
      Rank& to = ranks_[sends ? peer : here_];
      const Queue& posted = (sends ? posted_.receives : posted_.sends)[pair_of(one)];
      if (sends && posted.first == nullptr)
        traffic_.most_unexpected = std::max(traffic_.most_unexpected, ++to.unexpected);
      if (!sends && posted.first != nullptr) --to.unexpected;
      if (side == Side::kSend) return leave(one);
    }
    const std::size_t pair = pair_of(one);
    Queue& others = (sends ? posted_.receives : posted_.sends)[pair];
    if (others.first != nullptr) {
      Transfer* other = others.pop();
      carry(sends ? one : other, sends ? other : one);
    } else {
      (sends ? posted_.sends : posted_.receives)[pair].push(one);
      ++open_;
    }
    return one;
  }

  int wait(Transfer* one, MPI_Status* status) {
    Rank& here = ranks_[here_];
    if (!one->done) {
      here.waits_for = one;
      if (_setjmp(fibers_[index(here_)]->place) == 0) _longjmp(back_, 1);
    }
    here.now = std::max(here.now, one->end);
    if (status != nullptr) status->bytes = one->received;
    const int error = one->error;
    delete one;
    return error;
  }

  void fold(std::size_t bytes) {
    if (network_ != nullptr) ranks_[here_].now += network_->fold_us(static_cast<double>(bytes));
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  // A fiber's life: it carries out a rank of one job after the other. Between two of its steps all
  // else may have happened, so it looks at everything anew.
  static void begin() {
    for (;;) {
      const int rank = running_->here_;
      const int error = running_->body_(rank);
      running_->ranks_[rank].error = error;
      running_->ranks_[rank].finished = true;
      if (_setjmp(fibers_[index(rank)]->place) == 0) _longjmp(running_->back_, 1);
    }
  }

  void enter() {
    Fiber& fiber = *fibers_[index(here_)];
    running_ = this;
    if (_setjmp(back_) != 0) return;
    if (fiber.begun) _longjmp(fiber.place, 1);
    start(fiber);
  }

  static void start(Fiber& fiber) {
    if (fiber.stack == nullptr) {
      void* made = mmap(nullptr, kStack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (made == MAP_FAILED) std::abort();
      fiber.stack = static_cast<std::byte*>(made);
    }
    fiber.begun = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = fiber.stack;
    context.uc_stack.ss_size = kStack;
    context.uc_link = nullptr;
    makecontext(&context, begin, 0);
    setcontext(&context);
  }

  void wake(int rank) {
    if (last_ >= 0) ranks_[rank].now = rank == last_ ? 1 : 0;
    ready_[ranks_[rank].now].push_back(rank);
  }

  std::size_t pair_of(const Transfer* one) const {
    const int from = one->sends ? one->rank : one->peer;
    const int to = one->sends ? one->peer : one->rank;
    return index(from) * index(size_) + index(to);
  }

  // By a network the sender has done its part when the next message can leave.
  void depart(Transfer* send) {
    Rank& from = ranks_[send->rank];
    const auto bytes = static_cast<double>(send->bytes);
    const double at = std::max(send->posted, from.next_departure);
    from.next_departure = at + network_->gap_us(bytes);
    send->end = from.next_departure;
    arrivals_.push({at + network_->message_us(bytes), ++departed_, copy_of(send)});
    ++open_;
  }

  // The message of a send that is done.
  static Transfer* copy_of(Transfer* send) {
    send->done = true;
    auto* message = new Transfer(*send);
    message->left = true;
    const auto* data = static_cast<const std::byte*>(send->data);
    if (send->bytes > 0) message->content.assign(data, data + send->bytes);
    message->data = message->content.data();
    return message;
  }

  // An eager send is done at once.
  Transfer* leave(Transfer* send) {
    Transfer* message = copy_of(send);
    Queue& receives = posted_.receives[pair_of(message)];
    ++open_;
    if (receives.first == nullptr) {
      posted_.sends[pair_of(message)].push(message);
    } else {
      --open_;  // of the receive; carry takes off the message
      carry(message, receives.pop());
    }
    return send;
  }

  void arrive() {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    Transfer* message = arrival.message;
    Rank& to = ranks_[message->peer];
    message->posted = std::max(arrival.at, to.next_arrival);
    to.next_arrival = message->posted + network_->gap_us(static_cast<double>(message->bytes));
    Queue& receives = posted_.receives[pair_of(message)];
    if (receives.first == nullptr) return posted_.sends[pair_of(message)].push(message);
    --open_;  // of the receive; carry takes off the message
    carry(message, receives.pop());
  }

  void carry(Transfer* send, Transfer* receive) {
    --open_;
    const double end = last_ >= 0            ? 0
                       : network_ == nullptr ? end_of_round(*send, *receive)
                                             : std::max(send->posted, receive->posted);
    const int bytes = std::min(send->bytes, receive->bytes);
    if (bytes > 0) std::memcpy(receive->data, send->data, static_cast<std::size_t>(bytes));
    if (send->bytes > receive->bytes) receive->error = MPI_ERR_TRUNCATE;
    receive->received = bytes;
    count(send->rank, receive->rank, static_cast<std::uint64_t>(send->bytes));
    for (Transfer* one : {send, receive}) {
      one->done = true;
      one->end = end;
      Rank& owner = ranks_[one->rank];
      if (owner.waits_for != one) continue;
      owner.waits_for = nullptr;
      owner.now = std::max(owner.now, one->end);
      wake(one->rank);
    }
    if (send->left) delete send;  // the message; its sender has waited, or will
  }

  double end_of_round(const Transfer& send, const Transfer& receive) {
    Rank& from = ranks_[send.rank];
    Rank& to = ranks_[receive.rank];
    int round = std::max({static_cast<int>(std::max(send.posted, receive.posted)),
                          from.out.first_free(), to.in.first_free()});
    while (!from.out.is_free(round) || !to.in.is_free(round)) ++round;
    from.out.take(round);
    to.in.take(round);
    return round + 1;
  }

  void count(int from, int to, std::uint64_t bytes) {
    ++traffic_.messages;
    traffic_.bytes += bytes;
    if (!node_of_.empty() && node_of_[index(from)] != node_of_[index(to)]) {
      ++traffic_.messages_between;
      traffic_.bytes_between += bytes;
    }
    ranks_[from].sent += bytes;
    ranks_[to].received += bytes;
  }

  Traffic traffic() {
    traffic_.first_done = ranks_[0].now;
    traffic_.failed = open_ != 0;
    if (open_ != 0) posted_.clear();
    for (int i = 0; i < size_; ++i) {
      const Rank& one = ranks_[i];
      traffic_.deadlock = traffic_.deadlock || !one.finished;
      if (!one.finished) fibers_[index(i)]->begun = false;  // its next rank begins anew
      traffic_.failed = traffic_.failed || one.error != MPI_SUCCESS;
      traffic_.time = std::max(traffic_.time, one.now);
      traffic_.first_done = std::min(traffic_.first_done, one.now);
      traffic_.most_sent = std::max(traffic_.most_sent, one.sent);
      traffic_.most_received = std::max(traffic_.most_received, one.received);
    }
    return traffic_;
  }

  static Running* running_;
  static Posted posted_;
  static std::vector<std::unique_ptr<Fiber>> fibers_;  // by rank

  int size_;
  std::span<const int> node_of_;
  const parametric::Network* network_;
  int last_;  // -1: sends are not eager
  const std::function<int(int)>& body_;
  std::unique_ptr<Rank[]> ranks_;
  std::map<double, std::deque<int>> ready_;  // by when
  std::priority_queue<Arrival> arrivals_;
  long departed_ = 0;
  jmp_buf back_;
  int here_ = 0;
  long open_ = 0;  // transfers without their other side
  Traffic traffic_;
};

Running* Running::running_ = nullptr;
Posted Running::posted_;
std::vector<std::unique_ptr<Fiber>> Running::fibers_;
Running* current = nullptr;

}  // namespace

Traffic run_ranks(const Job& job, const std::function<int(int)>& body) {
  Running running(job, body);
  current = &running;
  const Traffic traffic = running.run();
  current = nullptr;
  return traffic;
}

int this_rank() { return current->rank(); }
int ranks_of_job() { return current->size(); }
Transfer* post(Side side, void* data, int bytes, int peer) {
  return current->post(side, data, bytes, peer);
}
int wait_for(Transfer* one, MPI_Status* status) { return current->wait(one, status); }
void fold(std::size_t bytes) {
  if (current != nullptr) current->fold(bytes);
}

}  // namespace colltree::test
