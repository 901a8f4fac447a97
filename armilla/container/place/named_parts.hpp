// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "armilla/collectives.hpp"
#include "armilla/container/place/failure_agreement.hpp"
#include "armilla/distributed.hpp"
#include "armilla/handle.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/team/core/fence_participant.hpp"

namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_no_queue(object_id part, const char* what);
/// A number in the team; usage_error else.
rank_t checked_owner(const team& members, rank_t owner);
/// All members meet; if they gave different owners, all throw usage_error.
void require_same_owner(const team& members, rank_t owner);

/// A part that says how many elements it has: then fences add these up.
template <class Part>
concept counted_part = requires(const Part& p) {
  { p.size() } -> std::convertible_to<std::size_t>;
};

/// A rank's part of a container. It is a participant of fences, so that one-way calls which are under way when a rank lets
/// it go still find it.
template <class Part>
class participating_part final : public fence_participant {
 public:
  template <class... A>
  explicit participating_part(const team& members, A&&... arguments)
      : fence_participant(members), parts(object_access::of_members<Part>(members, std::forward<A>(arguments)...)) {
    note_elements(members, mark_of<typename Part::value_type>(), false);
  }
  bool look() override {
    if constexpr (counted_part<Part>) counted_ = parts->size();
    return counted_ != agreed_;
  }
  void agree() override {  // of parts that are not counted nothing changes: another participant has the same bit
    if constexpr (counted_part<Part>) {
      agreed_ = counted_;
      total_ = members().all_reduce(counted_, std::plus<>{});
      note_share(this);
    }
  }
  /// How many elements all members had at the last agreement.
  std::size_t total() const noexcept { return total_; }
  std::size_t size() const noexcept
    requires counted_part<Part>
  {
    return total_;
  }  // for errors
  object_share local_share() const
    requires counted_part<Part>
  {
    return {parts->size(), parts->size() * sizeof(typename Part::value_type)};
  }

  distributed<Part> parts;

 private:
  std::size_t counted_ = 0, agreed_ = 0;  // this rank's: as counted now, as last agreed on
  std::size_t total_ = 0;                 // of all members: as last agreed on
};

/// The parts of a container that its members name and call. Members make it together; it moves. Its end waits for nothing: a part
/// stays until the next fence of its team or of all ranks is over.
template <class Part>
class named_parts {
 public:
  template <class... A>
  explicit named_parts(const team& members, A&&... arguments)
      : participant_(std::make_unique<participating_part<Part>>(members, std::forward<A>(arguments)...)) {}
  named_parts(named_parts&&) noexcept = default;
  named_parts& operator=(named_parts&& other) noexcept {
    std::swap(participant_, other.participant_);
    return *this;
  }
  ~named_parts() {
    if (participant_ != nullptr) retire(std::move(participant_));
  }

  /// `how` the container that it is of is made, for errors of the parts.
  void note(const making* how) const {
    using participant = participating_part<Part>;
    note_object(
        object_access::id(participant_->parts),
        {&typeid(Part), participant_.get(), false, sizeof(participant), &noted_extent<participant>, &noted_share<participant>},
        how);
    note_share(participant_.get());
  }

  const void* known() const noexcept { return participant_.get(); }

  /// How many elements all members had at the last fence of the team or of all ranks, or at the last `count`. No message.
  std::size_t size() const noexcept { return participant_ == nullptr ? 0 : participant_->total(); }
  /// All members meet, and know how many there are.
  void count() {
    const meeting here(members());
    participant_->look();
    participant_->agree();
  }

  /// Whether it was not moved from.
  explicit operator bool() const noexcept { return participant_ != nullptr; }
  // A usage_error of one that was moved from.
  Part& mine() const { return *parts(); }
  const team& members() const { return parts().members(); }
  /// The part of member `m`, or of this rank.
  object_ref<Part> of(rank_t m) const { return parts().on(members().world_rank(m)); }
  object_ref<Part> own() const { return parts().on(current_head->rank); }

 private:
  distributed<Part>& parts() const {
    if (participant_ == nullptr) [[unlikely]]
      throw_moved_from();
    return participant_->parts;
  }

  std::unique_ptr<participating_part<Part>> participant_;
};

}  // namespace armilla::detail
