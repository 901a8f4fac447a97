// SPDX-License-Identifier: Apache-2.0
// Frames of another rank, as a network brings them: their heads, records, and the items of every handler that all programs have.
//
// A rank of a job of four is started, of which another one is the input. An input is a row of frames; each begins with 8 bytes:
// u8 what of the head is to be right, u8 kind, u16 words of the frame, u32 nothing; then its words. Every frame is taken in, or
// refused by an error of the library; all else is for the sanitizers to find.
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/handler/message_handlers.hpp"
#include "armilla/boot/wire_up/join_job.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/fabric/testing/scripted_network.hpp"
#include "armilla/method.hpp"
#include "armilla/session/layers.hpp"
#include "armilla/session/session_state.hpp"
#include "armilla/team/core/collective_area.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace armilla::fuzz {
namespace {

using detail::bundle_header;
using detail::network_head;
using words = detail::scripted_network::words;

inline constexpr method<double(double)> half{"fuzz.half"};
inline constexpr method<std::string(std::string, std::vector<int>)> join{"fuzz.join"};

enum head_use : std::uint8_t { good_head, own_head };  ///< made here, or the first words of the frame

/// Bulk is there as soon as it is expected: a full block with the input's bytes.
class input_network final : public detail::scripted_network {
 public:
  explicit input_network(const std::byte* bytes, std::size_t n) : scripted_network(4096), input_(bytes), input_bytes_(n) {}
  std::uintptr_t receive_bulk(rank_t from, std::uint32_t id, std::byte* data, std::size_t bytes) override {
    const std::uintptr_t number = scripted_network::receive_bulk(from, id, data, bytes);
    for (std::size_t at = 0; at < bytes && input_bytes_ != 0; at += input_bytes_)
      std::memcpy(data + at, input_, std::min(input_bytes_, bytes - at));
    const std::uint64_t mark = detail::watermark::finished(bytes - sizeof(detail::watermark));
    if (bytes >= sizeof mark) std::memcpy(data, &mark, sizeof mark);
    over.insert(number);
    return number;
  }
  std::uintptr_t send_bulk(rank_t to, std::uint32_t id, const std::byte* data, std::size_t bytes) override {
    const std::uintptr_t number = scripted_network::send_bulk(to, id, data, bytes);
    over.insert(number);
    return number;
  }

 private:
  const std::byte* input_;
  std::size_t input_bytes_;
};

/// Rank 0 of a job of four ranks that share no memory, whose one-way calls go by rows and columns.
class fuzzed_rank {
 public:
  fuzzed_rank(const std::byte* bytes, std::size_t n) : net(bytes, n) {
    settings.segment = 16 << 20;
    settings.ring = 64 * 1024;
    settings.stall_ns = 0;
    settings.access = detail::access_kind::opened;  // to write into memory that is open would be no fault
    settings.route_hosts = 4;
    layout_.places = layout_.locals = 4;
    layout_.ring_bytes = settings.ring;
    layout_.segment_bytes = settings.segment;
    void* const p = mmap(nullptr, layout_.total(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) std::abort();
    auto& job = *static_cast<detail::job_block*>(p);
    job.magic = detail::job_block::good_magic;
    job.version = detail::job_block::good_version;
    job.places = job.locals.count = 4;
    job.program_count = 1;
    job.ring_bytes = layout_.ring_bytes;
    job.segment_bytes = layout_.segment_bytes;
    job.cores = job.processors = 1;
    for (auto& met : job.arrived) met = 3;  // the other ranks are everywhere already
    detail::launch self = detail::describe_launch(job, 0, settings);
    self.all_far = true;
    self.beyond = &net;
    rank = std::make_unique<detail::session_state>(self);
  }
  ~fuzzed_rank() {
    net.over.clear();
    detail::stop_layers(rank->rank);
    void* const memory = rank->self.host_base;
    rank.reset();
    munmap(memory, layout_.total());
  }
  fuzzed_rank(const fuzzed_rank&) = delete;

  void take_in() {
    for (int i = 0; i < 4 || net.waiting() != 0; ++i) {
      try {
        rank->rank.messages->waits.poll();
      } catch (const error&) {}  // what it is for
      if (i > 200) break;        // a held source
    }
  }

  detail::options settings;
  input_network net;
  std::unique_ptr<detail::session_state> rank;

 private:
  detail::host_layout layout_;
};

/// Writes inputs: frames of records.
struct frames {
  std::vector<std::byte> input{std::byte{0}};  // replay.cpp leaves the first byte alone

  frames& add(std::uint8_t use, std::uint8_t control, const words& content) {
    const std::uint64_t head = use | std::uint64_t(control) << 8 | std::uint64_t(content.size()) << 16;
    put(head);
    for (const std::uint64_t w : content) put(w);
    return *this;
  }
  /// A record for handler `h` with these words.
  frames& add_record(std::uint32_t h, const words& items, std::uint8_t control = 0) {
    words content{std::uint64_t(items.size()) * 8 << 32 | h};
    content.insert(content.end(), items.begin(), items.end());
    return add(good_head, control, content);
  }

 private:
  void put(std::uint64_t w) {
    const auto* const p = reinterpret_cast<const std::byte*>(&w);
    input.insert(input.end(), p, p + sizeof w);
  }
};

words head_words(const network_head& h, const words& behind) {
  words all(sizeof h / 8);
  std::memcpy(all.data(), &h, sizeof h);
  all.insert(all.end(), behind.begin(), behind.end());
  return all;
}

network_head head_of(std::uint64_t number, std::size_t records, std::uint16_t aside = 0) {
  network_head h;
  h.source = 1;
  h.number = number;
  h.bytes = std::uint32_t(records * 8);
  h.control = aside;
  return h;
}

void bring(detail::scripted_network& net, const std::byte* bytes, std::size_t n) {
  for (std::uint64_t number = 0; n >= 8;) {
    std::uint64_t control;
    std::memcpy(&control, bytes, sizeof control);
    const std::size_t all = std::min<std::size_t>({std::size_t(control >> 16 & 0xffff) * 8, n - 8, 4096 - sizeof(network_head)});
    words content(all / 8);
    if (all >= 8) std::memcpy(content.data(), bytes + 8, all / 8 * 8);
    if ((control & 1) == good_head)
      net.comes(head_of(content.empty() ? 0 : number++, content.size(), std::uint16_t(control >> 8 & 1)), content);
    else
      net.comes(1, bytes + 8, all);
    bytes += 8 + all;
    n -= 8 + all;
  }
}

}  // namespace

const int mutations = 20'000;

std::vector<std::vector<std::byte>> samples() {
  std::vector<std::vector<std::byte>> all;
  const auto sample = [&](const frames& f) { all.push_back(f.input); };
  using namespace detail;
  sample(frames().add(own_head, 0, head_words(head_of(0, 0), {})));
  sample(frames().add(own_head, 0, head_words(head_of(1, 2), {0, 0})).add(own_head, 0, head_words(head_of(0, 2), {0, 0})));
  network_head credit = head_of(0, 0);
  credit.taken = 5;
  sample(frames().add(own_head, 0, head_words(credit, {})));
  sample(frames().add_record(bulk_handler, {64, 64, 10}));
  sample(frames()
             .add_record(remote_bulk_handler, {0, 64, named_two_way_call_handler})
             .add_record(well_known(handler_range::session, 0), {1}, 1));
  sample(frames().add_record(remote_bulk_handler, {0, 256, named_cold_handler}).add_record(remote_bulk_handler, {1, 8, 64}));
  sample(frames().add_record(zero_copy_handler, {0, 72, named_two_way_call_handler, 16, 48, 1, 2, 3}));
  sample(frames().add_record(reply_error_handler, {0, 5ULL << 32 | 3, 1, 0x6261726f7272, 0}));
  sample(frames().add_record(named_index_handler, {0, 0, 0}));
  sample(frames().add_record(named_two_way_call_handler, {0, 0, 0x3ff0000000000000}));
  sample(frames().add_record(named_two_way_call_handler, {0, 1, 3, 0x616263, 2, 0x0000000200000001}));
  sample(frames().add_record(named_one_way_call_handler, {0, 0x3ff0000000000000}));
  for (std::uint64_t generation = 0; generation < 2; ++generation)
    for (std::uint64_t cell = 0; cell < 2; ++cell) {
      const std::uint64_t name = generation << 32 | cell;
      sample(frames().add_record(named_reply_handler, {name, 0x3ff0000000000000}));
      sample(frames().add_record(named_reply_handler, {name, 3, 0x616263}));
      sample(frames().add_record(reply_error_handler, {name, 5ULL << 32 | 3, 1, 0x6261726f7272, 0}));
    }
  const auto routed = [](std::uint64_t to, std::uint64_t source, std::uint64_t h, std::uint64_t length) {
    return to | source << 16 | h << 32 | length << 48;
  };
  constexpr std::uint64_t follows = 1 << 15, one = 0x3ff0000000000000;
  sample(frames().add_record(relay_handler, {routed(0, 1, named_one_way_call_handler, 2), 0, one}));
  sample(frames().add_record(relay_handler, {routed(0, 3, named_two_way_call_handler, 2), 0, one, routed(0, 3, 100, 0)}));
  sample(frames()
             .add_record(relay_handler, {routed(0, 1, named_one_way_call_handler, follows | 2), 3, 0, one})
             .add_record(named_one_way_call_handler, {0, one})
             .add_record(named_one_way_call_handler, {0, one})
             .add_record(named_one_way_call_handler, {0, one}));
  sample(frames().add_record(relay_handler, {routed(3, 1, named_one_way_call_handler, 2), 0, one, routed(1, 2, 7, 0)}));
  sample(frames().add_record(relay_handler, {routed(4, 1, named_one_way_call_handler, 1), 0, routed(0, 4, 7, 0)}));
  sample(frames().add_record(relay_handler, {routed(0, 0, relay_handler, 1), 0, routed(0, 1, relay_handler, 9)}));
  sample(frames().add_record(begun_handler, {8}, 1).add_record(begun_handler, {~0ULL}));
  sample(frames()
             .add_record(order_handler, {0})
             .add_record(order_handler, {1})
             .add_record(relay_handler, {routed(0, 1, named_one_way_call_handler, 2), 0, one}));
  sample(frames().add_record(named_cold_handler, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  for (std::uint64_t what = 0; what < 7; ++what)
    sample(frames().add_record(well_known(handler_range::global, 0), {64, 0, what << 8, 0, 0, 0, 0, 0}));
  sample(frames().add_record(well_known(handler_range::global, 1), {24, 0, 0}));
  sample(frames().add_record(well_known(handler_range::global, 2), {64, 1}));
  sample(frames().add_record(well_known(handler_range::global, 3), {1ULL << 32 | 8, 64, 7}));
  sample(frames().add_record(well_known(handler_range::global, 3), {1ULL << 32 | 1 << 31 | 8, 64, 1ULL << 32 | 3, 128, 7}));
  sample(frames().add_record(well_known(handler_range::global, 4), {64, 1ULL << 48, 2}));
  for (std::uint32_t i = 0; i < 5; ++i) sample(frames().add_record(well_known(handler_range::object, 0) + i, {0, 1, 2, 3}));
  sample(frames().add_record(well_known(handler_range::team, 0), {0, 1, 2, 3, 4, 5, 6, 7, 8}, 1));
  sample(frames().add_record(well_known(handler_range::team, 0), {std::uint64_t(collective_layout::board(0)), 1, 2, 3}, 1));
  for (const std::size_t end : {collective_layout::slot(1), collective_layout::slot(collective_layout::all_slots)})
    sample(frames().add_record(well_known(handler_range::team, 0), {std::uint64_t(end - 8), 1, 2, 3}, 1));
  sample(frames().add_record(well_known(handler_range::team, 1), {0, 12, 0, 0x61626364, 0x65666768}, 1));
  sample(frames().add_record(well_known(handler_range::team, 1), {3, 1 << 20, 7ULL << 32 | 1, 0}, 1));
  sample(frames().add_record(well_known(handler_range::team, 2), {0, 0}, 1));
  sample(frames().add_record(well_known(handler_range::session, 0), {1}, 1));
  return all;
}

void try_input(const std::byte* bytes, std::size_t n) {
  if (n == 0) return;
  fuzzed_rank rank(bytes + 1, n - 1);
  provide<half>([](double x) { return x / 2; });
  provide<join>([](const std::string& s, const std::vector<int>& v) { return s + std::to_string(v.size()); });
  const auto number = call<half>(1, 3.0);  // whose answers may come
  const auto text = call<join>(1, std::string("text"), std::vector<int>{1, 2});
  bring(rank.net, bytes + 1, n - 1);
  rank.take_in();
}

}  // namespace armilla::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  armilla::fuzz::try_input(reinterpret_cast<const std::byte*>(data), size);
  return 0;
}
