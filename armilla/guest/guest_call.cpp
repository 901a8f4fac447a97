// SPDX-License-Identifier: Apache-2.0
#include "armilla/guest/guest_call.hpp"

#include <charconv>
#include <ctime>
#include <string_view>

#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"
#include "armilla/boot/stall_detector.hpp"
#include "armilla/guest/guest_state.hpp"

namespace armilla {
namespace detail {
namespace {

constexpr std::uint64_t patience_ns = 10'000'000'000;
constexpr std::uint64_t answers_within_ns = 200'000'000, look_for_answers_ns = 1'000'000;

std::string_view text_of(const std::vector<std::byte>& bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void throw_failure(rank_t rank, const std::vector<std::byte>& bytes) {
  const std::string_view both = text_of(bytes);
  const std::size_t zero = std::min(both.find('\0'), both.size());
  throw remote_error(rank, "call", both.substr(0, zero), both.substr(std::min(zero + 1, both.size())));
}

std::string_view next_part(std::string_view& text, char end) noexcept {
  const std::size_t n = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, n);
  text.remove_prefix(std::min(n + 1, text.size()));
  return part;
}

}  // namespace

std::shared_ptr<rank_line> guest_state::line(rank_t to) {
  const std::lock_guard lock(lock_);
  std::shared_ptr<rank_line>& line = lines_[to];
  if (line == nullptr || !line->good()) line = std::make_shared<rank_line>(memory_, to);
  return line;
}

guest_call::guest_call(std::shared_ptr<rank_line> line, const method_description& what, std::vector<std::byte> message)
    : line_(std::move(line)),
      answer_(line_->ask({guest_request::call, what.name, what.signature, what.hash, std::move(message)}, patience_ns)) {}

guest_call& guest_call::operator=(guest_call&& other) noexcept {
  std::swap(line_, other.line_);
  std::swap(answer_, other.answer_);
  return *this;
}

guest_call::~guest_call() {
  if (answer_ != nullptr) line_->drop(*answer_);
}

rank_t guest_call::rank() const noexcept { return line_->to(); }
bool guest_call::ready() const { return line_->ready(*answer_); }
bool guest_call::spin(std::uint64_t span_ns) const { return line_->spin(*answer_, span_ns); }
bool guest_call::wait(std::uint64_t span_ns) const { return line_->wait(*answer_, now_ns() + span_ns); }

void guest_call::throw_late(double seconds) const { line_->throw_late(*answer_, seconds); }

std::vector<std::byte> guest_call::take(std::uint64_t most_ns) {
  if (!answer_->done.load(std::memory_order_acquire) && !line_->wait(*answer_, now_ns() + most_ns))
    throw_late(double(most_ns) / 1e9);
  if (answer_->failed) throw_failure(rank(), answer_->bytes);
  return std::move(answer_->bytes);
}

std::shared_ptr<rank_line> line_of(const guest_rank& r) { return r.job_->line(r.rank_); }

}  // namespace detail

guest_rank guest::on(rank_t r) const {
  if (r < 0 || r >= ranks()) detail::throw_bad_rank("guest::on", r, ranks());
  return {state_, r};
}

std::vector<method_summary> guest_rank::methods() const {
  using namespace detail;
  const auto line = line_of(*this);
  const auto answer = line->ask({guest_request::methods, "methods", "", 0, {}}, patience_ns);
  if (!line->wait(*answer, now_ns() + patience_ns)) {
    line->drop(*answer);
    line->throw_late(*answer, double(patience_ns) / 1e9);
  }
  if (answer->failed) throw_failure(rank_, answer->bytes);
  std::vector<method_summary> result;
  for (std::string_view text = text_of(answer->bytes); !text.empty();) {
    method_summary one;
    one.name = next_part(text, '\t');
    one.signature = next_part(text, '\t');
    const std::string_view hash = next_part(text, '\n');
    std::from_chars(hash.data(), hash.data() + hash.size(), one.hash);
    result.push_back(std::move(one));
  }
  return result;
}

std::string guest::who_waits() const {
  using namespace detail;
  job_memory& memory = state_->memory();
  if (!memory.write_control()) throw_limit("who_waits", "the job's control pages cannot be written to");
  job_block& job = memory.job();
  const auto each = [&](auto&& use) {
    for (rank_t r = 0; r < ranks(); ++r)
      if (job.rank[r].stage.load(std::memory_order_acquire) == rank_stage::running) use(control_of(job, r));
  };
  each([](control_block& rank) { ask(rank); });
  const std::uint64_t until = now_ns() + answers_within_ns;
  for (bool all = false; !all && now_ns() < until;) {
    const timespec nap{0, long(look_for_answers_ns)};
    nanosleep(&nap, nullptr);
    all = true;
    each([&](const control_block& rank) { all = all && has_answered(rank); });
  }
  std::string text;
  for (rank_t r = 0; r < ranks(); ++r) text += waits_of(job, r, now_ns());
  return text;
}

}  // namespace armilla
