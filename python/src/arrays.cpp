// SPDX-License-Identifier: Apache-2.0
// What distributed arrays need of the library: memory that the ranks of a host share, a meeting at which all ranks compare what
// they do, an exchange of buffers, and the sort of numbers. The rest of them is Python.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <numeric>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "armilla/algorithm/order/sort_core.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/error.hpp"
#include "armilla/global/memory_need.hpp"
#include "armilla/memory.hpp"
#include "armilla/transfer.hpp"
#include "operation.hpp"

namespace armilla::python {
namespace {

using bytes = std::vector<std::byte>;
using detail::global_address;

constexpr std::uint64_t line = 64;

// ---- memory ----

std::mutex guard;
auto& rest = *new std::vector<global_address>;  // what other threads have dropped; never destroyed, as the job may be over then

// A rank that has the address of a shared array sees by its first word that it is gone.
void free_block(const global_address& at) {
  std::memset(global_ptr<std::byte>(at).local(), 0, sizeof(std::uint64_t));
  detail::deallocate_bytes(at, "array");
}

void let_go_of_rest() {
  std::vector<global_address> dropped;
  {
    const std::lock_guard lock(guard);
    dropped.swap(rest);
  }
  for (const global_address& at : dropped) free_block(at);
}

/// A block of a rank's segment, by the buffer protocol. The owner's object frees it.
class shared_memory {
 public:
  /// `others`: what other ranks of the host take at the same time.
  shared_memory(std::size_t size, std::size_t others) : size_(size), owned_(true) {
    here("array");
    let_go_of_rest();
    at_ = detail::allocate_bytes(std::max<std::size_t>(size, 1), line, "array");
    if (const detail::memory_need need = detail::need_of_block(at_, size); need.large() && need.bytes + others > need.left) {
      detail::deallocate_bytes(at_, "array");
      detail::throw_no_memory("array", size + others, need.bytes + others - need.left);
    }
    memory_ = global_ptr<std::byte>(at_).local();
    detail::before_filling(memory_, size);
  }
  shared_memory(global_address at, std::byte* memory, std::size_t size) : at_(at), memory_(memory), size_(size) {}
  shared_memory(const shared_memory&) = delete;
  ~shared_memory() {
    if (!owned_) return;
    if (rank_of_bodies != nullptr && detail::current == &rank_of_bodies->session.rank) {
      free_block(at_);
      return;
    }
    const std::lock_guard guarded(guard);  // another thread's, or the job has ended and its memory is gone with it
    rest.push_back(at_);
  }

  nb::bytes address() const { return nb::bytes(&at_, sizeof at_); }
  /// Where it is in the memory of the host, for processes that map it.
  std::size_t place() const { return std::size_t(memory_ - here("array").session.self.host_base); }

  static int give_buffer(PyObject* self, Py_buffer* view, int flags) {
    const auto* const mine = nb::inst_ptr<shared_memory>(nb::handle(self));
    return PyBuffer_FillInfo(view, self, mine->memory_, Py_ssize_t(mine->size_), 0, flags);
  }

 private:
  global_address at_;
  std::byte* memory_ = nullptr;
  std::size_t size_;
  bool owned_ = false;
};

PyType_Slot memory_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(shared_memory::give_buffer)}, {0, nullptr}};

global_address address_of(const nb::bytes& text) {
  global_address at;
  if (text.size() != sizeof at) detail::throw_usage("array", "this is not the address of a block");
  std::memcpy(&at, text.c_str(), sizeof at);
  return at;
}

/// Another rank's block where this process maps it; None where it does not.
nb::object mapped(const nb::bytes& address, std::size_t size) {
  here("array");
  const global_address at = address_of(address);
  std::byte* const memory = global_ptr<std::byte>(at).local();
  if (memory == nullptr) return nb::none();
  return nb::cast(new shared_memory(at, memory, size), nb::rv_policy::take_ownership);
}

void read_memory(const nb::bytes& address, std::size_t first, nb::handle to) {
  here("array.get");
  const held_buffer buffer(to, true);
  get(buffer.bytes(), global_ptr<std::byte>(address_of(address).plus(std::int64_t(first))));
  sync_memory();
}

void write_memory(const nb::bytes& address, std::size_t first, nb::handle from) {
  here("array.put");
  const held_buffer buffer(from, false);
  put(global_ptr<std::byte>(address_of(address).plus(std::int64_t(first))), std::span<const std::byte>(buffer.bytes()));
  sync_memory();
}

/// Which block has row i, if block r begins at `first[r]`. Without branches for few ranks.
struct block_search {
  std::span<const std::int64_t> first;

  std::size_t few(std::int64_t i) const noexcept {
    std::size_t r = 0;
    for (std::size_t k = 1; k < first.size(); ++k) r += std::size_t(i >= first[k]);
    return r;
  }
  std::size_t many(std::int64_t i) const noexcept { return std::size_t(std::ranges::upper_bound(first, i) - first.begin()) - 1; }
};

/// Copies rows of `Row` bytes, or of `row` bytes if that is 0: row `index[k]` of the blocks to `to + k`. `zero[r]`: where row 0
/// would be if block r had it.
template <std::size_t Row>
void take_rows_of(std::span<const std::uintptr_t> zero, std::span<const std::int64_t> first, std::span<const std::int64_t> index,
                  std::byte* to, std::size_t row) {
  const std::size_t width = Row != 0 ? Row : row;
  const block_search blocks{first};
  const auto take = [&](auto search) {
    for (const std::int64_t i : index) {
      std::memcpy(to, reinterpret_cast<const std::byte*>(zero[search(i)] + std::uintptr_t(i) * width), width);
      to += width;
    }
  };
  if (first.size() == 2) return take([border = first[1]](std::int64_t i) { return std::size_t(i >= border); });
  if (first.size() <= 8) return take([&](std::int64_t i) { return blocks.few(i); });
  take([&](std::int64_t i) { return blocks.many(i); });
}

/// Rows of the blocks of all ranks, which this process maps: `first` has the index of the first row of each, and the number of
/// rows. The indices are in range.
void take_rows(nb::handle blocks, std::vector<std::int64_t> first, nb::handle index, nb::handle to, std::size_t row) {
  const held_buffers held(blocks);
  const held_buffer of_index(index, false), result(to, true);
  const std::span<const std::byte> raw = of_index.bytes();
  const std::span wanted(reinterpret_cast<const std::int64_t*>(raw.data()), raw.size() / sizeof(std::int64_t));
  std::vector<std::uintptr_t> starts;
  for (const bytes_view part : held.parts())
    starts.push_back(reinterpret_cast<std::uintptr_t>(part.data()) - std::uintptr_t(first.at(starts.size())) * row);
  if (starts.size() + 1 != first.size() || result.bytes().size() != wanted.size() * row)
    detail::throw_usage("array", "the blocks and the result do not fit the indices");
  first.pop_back();
  const auto run = [&](auto size) { take_rows_of<decltype(size)::value>(starts, first, wanted, result.bytes().data(), row); };
  const nb::gil_scoped_release others;
  switch (row) {
    case 1: return run(std::integral_constant<std::size_t, 1>());
    case 2: return run(std::integral_constant<std::size_t, 2>());
    case 4: return run(std::integral_constant<std::size_t, 4>());
    case 8: return run(std::integral_constant<std::size_t, 8>());
    case 16: return run(std::integral_constant<std::size_t, 16>());
    default: return run(std::integral_constant<std::size_t, 0>());
  }
}

// ---- meetings ----

struct said {
  std::uint64_t word;
  std::array<std::byte, 48> payload;  // with the word it fills a line of flags
};

bytes_view view_of(const std::string& text) { return std::as_bytes(std::span(text)); }

/// All ranks meet and compare `what`. Gives one block with the payloads of all ranks, each in 48 bytes; longer ones in blocks of
/// their own. If `what` differs: an empty block, and a block with the text of each rank.
std::uint64_t meet(const std::string& name, const std::string& what, const nb::bytes& payload) {
  return begin(kept_name(name), nb::none(), [what, mine = std::string(payload.c_str(), payload.size())](const team& t) {
    said own{word_of(what), {}};
    const bool is_long = mine.size() > own.payload.size();
    if (!is_long) std::memcpy(own.payload.data(), mine.data(), mine.size());
    const std::vector<said> all = t.all_gather(own);
    const auto gathered = [&t](const std::string& text) {
      const bytes_view data = view_of(text);
      return t.all_gather(bytes(data.begin(), data.end()));
    };
    std::vector<block> values;
    const auto append = [&values](const std::vector<bytes>& texts) {
      for (const bytes& one : texts) {
        const bytes_view part(one);
        values.emplace_back(std::span(&part, 1));
      }
    };
    if (std::ranges::any_of(all, [&](const said& theirs) { return theirs.word != own.word; })) {
      append({bytes()});
      append(gathered(what));
    } else if (is_long) {
      append(gathered(mine));
    } else {
      bytes joined;
      for (const said& theirs : all) joined.insert(joined.end(), theirs.payload.begin(), theirs.payload.end());
      append({joined});
    }
    return values;
  });
}

/// `all`: parts for each rank. Gives a block of the parts from each.
std::uint64_t exchange(const std::string& name, nb::handle all) {
  std::vector<bytes> values;
  for (nb::handle one : all) {
    const held_buffers held(one);
    values.push_back(packed(held.parts()));
  }
  return begin(kept_name(name), nb::none(), [values = std::move(values)](const team& t) {
    std::vector<block> blocks;
    for (const bytes& one : t.all_to_all_v(values)) blocks.emplace_back(bytes_view(one));
    return blocks;
  });
}

// ---- sort ----

template <class... T>
const detail::sort_functions* number_sort_of(const std::string& kind, bool ascending) {
  const auto name = [](auto x) {
    using N = decltype(x);
    return (std::is_floating_point_v<N> ? "f" : std::is_signed_v<N> ? "i" : "u") + std::to_string(sizeof(N));
  };
  const detail::sort_functions* found = nullptr;
  ((kind == name(T{}) ? void(found = &detail::number_sort<T>(ascending)) : void()), ...);
  return found;
}

/// Sorts the parts of all ranks, of so many elements each, as one sequence, in place. Floating-point numbers hold no NaN if they
/// are to descend.
std::uint64_t sort(nb::object part, const std::string& kind, std::vector<std::size_t> sizes, bool descending) {
  const rank_state& me = here("array.sort");
  const held_buffer buffer(part, true);
  const std::span<std::byte> mine = buffer.bytes();
  const detail::sort_functions* const functions =
      number_sort_of<signed char, unsigned char, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                     std::uint64_t, float, double>(kind, !descending);
  if (functions == nullptr) detail::throw_usage("array.sort", "the library does not sort elements of " + kind);
  if (sizes.size() != std::size_t(me.session.self.world_size()) ||
      mine.size() != sizes[std::size_t(me.session.self.rank)] * functions->size)
    detail::throw_usage("array.sort", "the part of this rank has another size");
  return begin("array.sort", std::move(part), [mine, functions, sizes = std::move(sizes)](const team& t) {
    detail::algorithm_call why("sort");
    detail::sort_parts(t, mine.data(), placement(sizes), "sort", false, *functions, nullptr, why);
    return std::vector<block>();
  });
}

}  // namespace

void bind_arrays(nb::module_& m) {
  nb::class_<shared_memory>(m, "SharedMemory", nb::type_slots(memory_slots))
      .def(nb::init<std::size_t, std::size_t>())
      .def("address", &shared_memory::address)
      .def("place", &shared_memory::place);
  m.def("mapped", &mapped);
  m.def("read_memory", &read_memory);
  m.def("write_memory", &write_memory);
  m.def("take_rows", &take_rows);
  m.def("meet", &meet);
  m.def("exchange", &exchange);
  m.def("sort", &sort);
}

}  // namespace armilla::python
