// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

namespace armilla::detail {

/// The part of a bundle whose bodies have not begun.
struct bundle_rest {
  const std::byte* at;
  const std::byte* end;
  /// What the loop over the messages compares with `end` behind each body. Another value: it asks `delivery::goes_on`.
  const std::byte* until = end;

  /// The loop ends behind the present message.
  void leave_nothing() noexcept { end = at, until = nullptr; }
};

/// Stands for the rest of a bundle that a poll's limit may cut.
extern const bundle_rest limited_bundle;

/// A frame that is being taken in, as far as handlers of bodies know it.
struct taken_frame {
  bundle_rest* bundle = nullptr;  ///< the rest of its present bundle, if its bodies may wait
};

}  // namespace armilla::detail
