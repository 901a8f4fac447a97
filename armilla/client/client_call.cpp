// SPDX-License-Identifier: Apache-2.0
#include "armilla/client_call.hpp"

#include <charconv>
#include <string_view>

#include "armilla/base/values/clock.hpp"
#include "armilla/client/client_state.hpp"
#include "armilla/error.hpp"

namespace armilla {
namespace detail {
namespace {

constexpr std::uint64_t patience_ns = 10'000'000'000;

std::string_view next_part(std::string_view& text, char end) noexcept {
  const std::size_t n = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, n);
  text.remove_prefix(std::min(n + 1, text.size()));
  return part;
}

}  // namespace

client_call::client_call(std::shared_ptr<client_line> line, const method_description& what, std::vector<std::byte> message)
    : line_(std::move(line)),
      answer_(line_->ask({client_request::call, what.name, what.signature, what.hash, std::move(message)}, patience_ns)) {}

client_call& client_call::operator=(client_call&& other) noexcept {
  std::swap(line_, other.line_);
  std::swap(answer_, other.answer_);
  return *this;
}

client_call::~client_call() {
  if (answer_ != nullptr) line_->drop(*answer_);
}

rank_t client_call::rank() const noexcept { return line_->to(); }
bool client_call::ready() const { return line_->ready(*answer_); }
bool client_call::spin(std::uint64_t span_ns) const { return line_->spin(*answer_, span_ns); }
bool client_call::wait(std::uint64_t span_ns) const { return line_->wait(*answer_, now_ns() + span_ns); }

void client_call::throw_late(double seconds) const { line_->throw_late(*answer_, seconds); }

std::vector<std::byte> client_call::take(std::uint64_t most_ns) { return take_answer(*line_, *answer_, most_ns); }

std::shared_ptr<client_line> line_of(const client_rank& r) { return r.job_->line(r.rank_); }

}  // namespace detail

client_rank client::on(rank_t r) const {
  if (r < 0 || r >= ranks()) detail::throw_bad_rank("attached client::on", r, ranks());
  return {state_, r};
}

std::vector<method_summary> client_rank::methods() const {
  using namespace detail;
  const auto line = line_of(*this);
  const auto answer = line->ask({client_request::methods, "methods", "", 0, {}}, patience_ns);
  const auto drop = [&](client_answer* one) { line->drop(*one); };
  const std::unique_ptr<client_answer, decltype(drop)> dropped(answer.get(), drop);
  const std::vector<std::byte> lines = take_answer(*line, *answer, patience_ns);
  std::vector<method_summary> result;
  for (std::string_view text = text_of(lines); !text.empty();) {
    method_summary one;
    one.name = next_part(text, '\t');
    one.signature = next_part(text, '\t');
    const std::string_view hash = next_part(text, '\n');
    std::from_chars(hash.data(), hash.data() + hash.size(), one.hash);
    result.push_back(std::move(one));
  }
  return result;
}

}  // namespace armilla
