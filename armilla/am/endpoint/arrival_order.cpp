// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/arrival_order.hpp"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/message_state.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/regular_file.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

std::string first_line(rank_t rank, rank_t ranks) { return fmt::format("armilla arrivals 1, rank {} of {}", rank, ranks); }

// Null: the orders of this job are not explored.
exploration* explored_here() {
  exploration* const run = exploration_here();
  return run != nullptr && run->explores != 0 ? run : nullptr;
}

}  // namespace

bool arrival_order::is_wanted(const options& settings) {
  return !settings.record.empty() || !settings.replay.empty() || explored_here() != nullptr;
}

arrival_order::arrival_order(const options& settings, rank_t rank, rank_t ranks) : rank_(rank), ranks_(ranks) {
  if (exploration* const run = explored_here(); run != nullptr) explorer_ = std::make_unique<explorer>(*run, rank, ranks);
  if (!settings.replay.empty()) read_script(fmt::format("{}.{}", settings.replay, rank));
  if (!settings.record.empty()) open_record(fmt::format("{}.{}", settings.record, rank));
}

arrival_order::~arrival_order() {
  if (record_ != nullptr) std::fclose(record_);
}

void arrival_order::open_record(const std::string& name) {
  const write_target target = target_of(name);
  const int file =
      target.wrong.empty() ? ::open(target.name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666) : -1;
  record_ = file < 0 ? nullptr : ::fdopen(file, "w");
  if (record_ == nullptr)
    throw_usage("ARMILLA_RECORD",
                fmt::format("'{}' cannot be written: {}", name,
                            !target.wrong.empty() ? target.wrong
                                                  : text_of_errno(errno, "name a file in a folder where that is possible")));
  recorded_ = name;
  write(first_line(rank_, ranks_));
}

void arrival_order::read_script(const std::string& name) {
  replayed_ = name;
  std::string wrong, line;
  const std::optional<std::string> text = read_small_file(name, std::size_t(1) << 32, wrong);
  if (!text)
    throw_usage("ARMILLA_REPLAY",
                fmt::format("'{}' cannot be read: {}; give the name that ARMILLA_RECORD was given", name, wrong));
  std::istringstream in(*text);
  if (!std::getline(in, line) || line != first_line(rank_, ranks_))
    throw_usage("ARMILLA_REPLAY", fmt::format("'{}' begins with '{}', not with '{}'; replay with as many ranks as were recorded",
                                              name, line, first_line(rank_, ranks_)));
  for (int number = 2; std::getline(in, line); ++number) {
    char* end = nullptr;
    const long source = std::strtol(line.c_str(), &end, 10);
    if (line.empty() || *end != 0 || source < 0 || source >= ranks_)
      throw_usage("ARMILLA_REPLAY", fmt::format("line {} of '{}' is '{}', which is not a rank of this job", number, name, line));
    script_.push_back(rank_t(source));
  }
}

bool arrival_order::take(rank_t source, std::uint64_t look) {
  if (look == last_look_ || !next_may_be(source) || (explorer_ != nullptr && !explorer_->lets_in(source))) return false;
  last_look_ = look;
  if (at_ != script_.size()) ++at_;
  if (record_ != nullptr) write(std::to_string(source));
  return true;
}

/// It is written as the job runs, so that it is there after a crash.
void arrival_order::write(const std::string& line) noexcept {
  if (std::fputs((line + "\n").c_str(), record_) < 0 && error_ == 0) error_ = errno;
}

void arrival_order::flush() noexcept {
  if (record_ != nullptr && std::fflush(record_) != 0 && error_ == 0) error_ = errno;
}

void arrival_order::finish() {
  if (explorer_ != nullptr) explorer_->leave();
  flush();
  if (record_ != nullptr && std::fclose(std::exchange(record_, nullptr)) != 0 && error_ == 0) error_ = errno;
  if (error_ != 0)
    throw_usage("ARMILLA_RECORD", fmt::format("'{}' could not be written whole: {}", recorded_, text_of_errno(error_)));
}

std::string arrival_order::explain() const {
  if (at_ == script_.size()) return {};
  return fmt::format("  the replay of '{}' takes in nothing before arrival {} has come, from rank {}\n", replayed_, at_ + 1,
                     script_[at_]);
}

arrival_order* order_of(const context& self) noexcept {
  const message_state* const state = self.message_layer;
  return state != nullptr && &state->messages == self.messages ? state->order.get() : nullptr;
}

}  // namespace armilla::detail
