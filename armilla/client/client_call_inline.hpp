// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/rpc/method_inline.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

// What the templates of client_call.hpp are made of.
namespace armilla {

class client_rank;

namespace detail {

class client_line;
struct client_answer;

/// The line to the rank: made by the first call.
std::shared_ptr<client_line> line_of(const client_rank& r);

/// A call of an attached client that is under way.
class client_call {
 public:
  /// `message`: as from a rank, with 8 bytes for the method's index in front.
  client_call(std::shared_ptr<client_line> line, const method_description& what, std::vector<std::byte> message);
  client_call(client_call&&) noexcept = default;
  client_call& operator=(client_call&& other) noexcept;
  ~client_call();

  rank_t rank() const noexcept;
  bool ready() const;
  /// Looks for the reply, for so long, without sleep: for one that is due at once.
  bool spin(std::uint64_t span_ns) const;
  bool wait(std::uint64_t span_ns) const;
  /// The bytes of the reply; throws what the rank said instead.
  std::vector<std::byte> take(std::uint64_t patience_ns);
  /// Throws the timeout_error of a wait that took so long.
  [[noreturn]] void throw_late(double seconds) const;

 private:
  std::shared_ptr<client_line> line_;
  std::shared_ptr<client_answer> answer_;
};

template <const auto& M, class S = signature_of<M>>
struct client_method;

template <const auto& M, class R, class... P>
struct client_method<M, R(P...)> {
  using result = std::decay_t<R>;

  static client_call ask(std::shared_ptr<client_line> line, const std::decay_t<P>&... arguments) {
    method_calls<M>::check();
    std::vector<std::byte> message(sizeof(std::uint64_t) + encoded_size(arguments...));
    encode(message.data() + sizeof(std::uint64_t), arguments...);
    return client_call(std::move(line), description_of<M>, std::move(message));
  }
};

}  // namespace detail
}  // namespace armilla
