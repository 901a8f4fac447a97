// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/descriptor.hpp"
#include "armilla/wire/decode.hpp"
#include "armilla/wire/encode.hpp"

/// How an attached client reaches ranks of another host, where the job was started by armilla-run --hosts. It connects to a
/// socket of the agent of its own host and names a rank; the agents carry bytes between it and a process on the host of that
/// rank, which does there what the attached client asks: docs/spec/wire.md, Attached clients.
namespace armilla::detail {

/// The name of that socket, for attached clients of a job's memory: see `job_memory::identity`.
std::string relay_socket_name(std::uint64_t identity);

/// What goes over a circuit, either way: this, and `bytes` bytes.
struct circuit_head {
  enum word : std::uint32_t {
    // From the attached client; each but `drop` is answered once, under its number.
    hosts = 1,  ///< nothing; the answer: a remote_ranks
    call,       ///< a remote_call
    exposed,    ///< nothing; the answer: a vector of remote_part
    read,       ///< a exposed_bytes; the answer: its bytes
    write,      ///< a exposed_bytes, and the bytes; the answer: nothing
    waits,      ///< nothing; the answer: a vector of remote_waits
    late,       ///< a remote_lateness; the answer: a sentence that says why that call has not been answered
    drop,       ///< of the call with that number no answer is wanted
    // From the other side.
    answer = 16,  ///< `outcome` says how it went
    refused       ///< a sentence: nothing is served on this circuit
  };
  static constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30;

  std::uint64_t number;
  std::uint32_t what;
  std::int32_t rank;  ///< which is asked; one of that host
  std::uint32_t outcome;
  std::uint32_t unused;
  std::uint64_t bytes;
};

/// What is at the other end.
struct remote_ranks {
  std::string host;  ///< as the user of armilla-run called it
  std::vector<std::int32_t> ranks;
};
struct remote_call {
  std::uint32_t request;  ///< a client_request
  std::string name, signature;
  std::uint64_t hash;
  std::vector<std::byte> message;
};
struct remote_part {
  std::int32_t rank;
  std::string name, type;
  std::uint64_t type_hash, element_bytes;
  std::vector<std::uint64_t> shape, extent, origin;
  std::vector<std::int64_t> stride;
  std::uint64_t block, turn;
};
/// Bytes of what the rank exposes as `name`, counted from its first element.
struct exposed_bytes {
  std::string name;
  std::uint64_t offset, bytes;
};
struct remote_lateness {
  std::uint64_t number;  ///< of the call
  double seconds;        ///< that the attached client has waited
};
struct remote_waits {
  std::int32_t rank;
  std::string text;
};

struct circuit_frame {
  circuit_head head;
  std::vector<std::byte> body;
};

/// One end of a circuit: frames over packets. One thread at a time.
class circuit {
 public:
  static constexpr std::size_t packet = 8000;  ///< bytes, at most; less than channel::most_later of agents

  explicit circuit(int socket) noexcept : socket_(socket) {}

  int socket() const noexcept { return socket_.get(); }
  /// Puts a frame behind those that wait to leave.
  void post(circuit_head head, std::span<const std::byte> body);
  /// Sends what the system takes, without waiting; false: the other end is gone.
  bool flush() noexcept;
  /// Bytes that wait to leave.
  std::size_t waiting() const noexcept { return waiting_; }
  /// Takes in what has come, without waiting; false: the other end is gone, or talks nonsense.
  bool receive();
  std::optional<circuit_frame> next();
  /// Whether `next` has one.
  bool has_next() const noexcept { return !whole_.empty(); }

 private:
  bool take(const std::byte* bytes, std::size_t n);

  descriptor socket_;
  std::deque<std::vector<std::byte>> packets_;  // to leave
  std::size_t waiting_ = 0;
  std::size_t have_ = 0;  // of the frame that comes in
  circuit_head head_{};
  std::vector<std::byte> body_;
  std::deque<circuit_frame> whole_;
};

template <class T>
std::vector<std::byte> circuit_bytes(const T& value) {
  std::vector<std::byte> bytes(encoded_size(value));
  encode(bytes.data(), value);
  return bytes;
}
/// Throws decode_error.
template <class T>
T from_circuit(std::span<const std::byte> bytes) {
  return decoder(bytes.data(), bytes.size()).template get<T>();
}

}  // namespace armilla::detail
