// SPDX-License-Identifier: Apache-2.0
#include "armilla/ring/heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "armilla/base/values/types.hpp"
#include "armilla/ring/size_classes.hpp"

// Model: tests/models/order/heap.rs
namespace armilla::detail {
namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t magic_word = 0x70616568'616c6c69;
constexpr unsigned run_bins = 32;

void set_generation(std::uint16_t& place, std::uint16_t generation) noexcept {
  __atomic_store_n(&place, generation, __ATOMIC_RELAXED);
}

constexpr unsigned bin_of(std::uint32_t length) { return unsigned(std::bit_width(length)) - 1; }

enum class chunk_state : std::uint8_t { untouched, unused, small, large, inside };

/// A word that the owner writes while other ranks may read it. It says nothing about other memory: a rank that reads one that
/// matters has the block's pointer from the owner, and with it all that was written before.
template <class T>
struct seen_by_all {
  T value;
  operator T() const noexcept {
    T v;
    __atomic_load(&value, &v, __ATOMIC_RELAXED);
    return v;
  }
  T operator=(T v) noexcept {
    __atomic_store(&value, &v, __ATOMIC_RELAXED);
    return v;
  }
};

}  // namespace

/// State of a chunk. Chunk 0 holds metadata, so 0 ends every list.
struct heap::chunk_info {
  seen_by_all<chunk_state> state;
  seen_by_all<std::uint8_t> size_class;   // small
  seen_by_all<std::uint16_t> generation;  // large
  seen_by_all<std::uint32_t> length;  // large, unused (first and last chunk): chunks of the run; inside: distance to the first
  std::uint32_t before, after;        // neighbours in a list of runs or of chunks with room
  std::uint32_t free;                 // small: offset in the chunk of the first free block, 0: none
  std::uint16_t used, fresh;          // small: blocks in use; blocks that were handed out at least once
  seen_by_all<std::uint64_t> start;   // large: offset in the area of what the user got

  void begin_small(unsigned c) noexcept {
    before = after = free = 0;
    used = fresh = 0;
    size_class = std::uint8_t(c);
    state = chunk_state::small;
  }
};

struct heap::header {
  std::uint64_t magic, bytes;
  std::uint32_t chunks, first_chunk;
  std::uint32_t top;  // chunks from here on were never touched, or were given back
  std::uint32_t peak;
  std::uint32_t generation;
  std::uint32_t large_blocks;  // that were ever given out
  std::uint64_t blocks_used, bytes_used;
  std::uint32_t runs[run_bins];                // free runs by the logarithm of their length
  std::uint32_t partial[class_count];          // chunks of a class with room
  alignas(cache_line) std::uint64_t returned;  // blocks freed by other ranks: a stack that only the owner empties
};

/// Where a block lies.
struct heap::place {
  std::uint32_t chunk = 0;  // its (first) chunk
  std::uint64_t begin = 0;  // in the area
  std::uint64_t size = 0;
  std::uint16_t* generation = nullptr;
};

heap::chunk_info& heap::info(std::uint32_t chunk) const {
  return reinterpret_cast<chunk_info*>(area_ + align_up(sizeof(header), cache_line))[chunk];
}

heap heap::create(std::byte* base, std::uint64_t first, std::uint64_t bytes, std::uint16_t generation) {
  heap self{base + first, first};
  const std::uint64_t chunks = bytes / chunk_bytes;
  const std::uint64_t metadata = align_up(sizeof(header), cache_line) + chunks * sizeof(chunk_info);
  auto& h = *new (self.area_) header{};
  h.bytes = bytes;
  h.chunks = std::uint32_t(chunks);
  h.first_chunk = h.top = h.peak = std::uint32_t(align_up(metadata, chunk_bytes) / chunk_bytes);
  if (h.chunks < h.first_chunk) h.chunks = h.first_chunk;  // too small for anything: every allocation fails
  h.generation = generation;
  h.magic = magic_word;
  return self;
}

std::uint16_t heap::next_generation() const {
  auto& h = head();
  if ((++h.generation & 0xffff) == 0) ++h.generation;
  return std::uint16_t(h.generation);
}

void heap::link(std::uint32_t& list, std::uint32_t chunk) {
  auto& i = info(chunk);
  i.before = 0;
  i.after = list;
  if (list != 0) info(list).before = chunk;
  list = chunk;
}

void heap::unlink(std::uint32_t& list, std::uint32_t chunk) {
  auto& i = info(chunk);
  if (i.before != 0)
    info(i.before).after = i.after;
  else
    list = i.after;
  if (i.after != 0) info(i.after).before = i.before;
}

// ---- runs of chunks ----

std::uint32_t heap::take_run(std::uint32_t length) {
  auto& h = head();
  for (unsigned bin = bin_of(length); bin < run_bins; ++bin) {
    for (std::uint32_t c = h.runs[bin]; c != 0; c = info(c).after) {
      const std::uint32_t have = info(c).length;
      if (have < length) continue;
      unlink(h.runs[bin], c);
      info(c + length - 1).state = chunk_state::inside;  // so that the rest does not join what is taken
      if (have > length) give_run(c + length, have - length);
      return c;
    }
  }
  if (h.chunks - h.top < length) return 0;
  const std::uint32_t c = h.top;
  h.top += length;
  if (h.top > h.peak) h.peak = h.top;
  return c;
}

/// Joins [first, first + length) with the free runs beside it; the last one melts into what was never touched.
void heap::give_run(std::uint32_t first, std::uint32_t length) {
  auto& h = head();
  for (std::uint32_t c = first; c < first + length; ++c) info(c).state = chunk_state::unused;
  if (first > h.first_chunk && info(first - 1).state == chunk_state::unused) {
    const std::uint32_t left = info(first - 1).length;
    first -= left;
    length += left;
    unlink(h.runs[bin_of(left)], first);
  }
  const std::uint32_t next = first + length;
  if (next < h.top && info(next).state == chunk_state::unused) {
    const std::uint32_t right = info(next).length;
    unlink(h.runs[bin_of(right)], next);
    length += right;
  }
  if (first + length == h.top) {
    h.top = first;
    return;
  }
  info(first).length = info(first + length - 1).length = length;
  link(h.runs[bin_of(length)], first);
}

// ---- allocation ----

heap::block heap::allocate(std::uint64_t bytes, std::uint64_t alignment) {
  if (__atomic_load_n(&head().returned, __ATOMIC_RELAXED) != 0) [[unlikely]]
    collect();
  if (alignment <= min_alignment && bytes <= small_limit) return allocate_small(class_for(bytes));
  const std::uint64_t rounded = bytes > small_limit ? bytes : align_up(bytes == 0 ? 1 : bytes, alignment);
  if (alignment <= page && rounded <= small_limit) {
    for (unsigned c = class_for(rounded); c < class_count; ++c)
      if (classes[c].size % alignment == 0) return allocate_small(c);
  }
  return allocate_large(bytes, alignment);
}

heap::block heap::allocate_small(unsigned size_class_index) {
  auto& h = head();
  const size_class& shape = classes[size_class_index];
  std::uint32_t c = h.partial[size_class_index];
  if (c == 0) [[unlikely]] {
    c = take_run(1);
    if (c == 0) return {};
    std::memset(chunk_at(c), 0, 2u * shape.count);
    info(c).begin_small(size_class_index);
    link(h.partial[size_class_index], c);
  }
  chunk_info& i = info(c);
  std::byte* const bytes = chunk_at(c);
  std::uint32_t at = i.free;
  if (at != 0)
    std::memcpy(&i.free, bytes + at, sizeof i.free);
  else
    at = shape.first + std::uint32_t{i.fresh++} * shape.size;
  if (++i.used == shape.count) unlink(h.partial[size_class_index], c);
  ++h.blocks_used;
  h.bytes_used += shape.size;
  const std::uint16_t generation = next_generation();
  set_generation(reinterpret_cast<std::uint16_t*>(bytes)[(at - shape.first) / shape.size], generation);
  return {first_ + std::uint64_t{c} * chunk_bytes + at, generation};
}

/// How far into its page a large block begins. Where arrays that a loop walks through together begin alike in their pages, a
/// load of one looks to the processor like the last store into another, and waits for it: a loop of three takes 2.8 times as
/// long. So each block begins elsewhere: 39 and 64 have no divisor in common. Not where that needs memory that counts.
std::uint64_t heap::stagger(std::uint64_t bytes, std::uint64_t alignment) const {
  if (alignment > cache_line) return 0;
  const std::uint64_t offset = (head().large_blocks * 39 % 64) * cache_line;
  const std::uint64_t unused = align_up(bytes, chunk_bytes) - bytes;
  return offset <= unused || bytes >= 16 * chunk_bytes ? offset : 0;
}

heap::block heap::allocate_large(std::uint64_t bytes, std::uint64_t alignment) {
  if (bytes > head().bytes || alignment > head().bytes) return {};
  const std::uint64_t offset = stagger(bytes, alignment);
  const block found = allocate_large_at(offset, bytes, alignment);
  return found.offset == none && offset != 0 ? allocate_large_at(0, bytes, alignment) : found;
}

heap::block heap::allocate_large_at(std::uint64_t offset, std::uint64_t bytes, std::uint64_t alignment) {
  auto& h = head();
  const std::uint64_t slack = alignment > page ? alignment : offset;  // the area itself begins at a page
  const std::uint32_t length = std::max(1u, std::uint32_t(align_up(bytes + slack, chunk_bytes) / chunk_bytes));
  const std::uint32_t c = take_run(length);
  if (c == 0) return {};
  ++h.large_blocks;
  chunk_info& i = info(c);
  i.length = length;
  const std::uint16_t generation = next_generation();
  const auto address = reinterpret_cast<std::uintptr_t>(chunk_at(c)) + offset;
  i.start = std::uint64_t{c} * chunk_bytes + offset + (align_up(address, alignment) - address);
  for (std::uint32_t k = 1; k < i.length; ++k) {
    info(c + k).length = k;
    info(c + k).state = chunk_state::inside;
  }
  i.generation = generation;
  i.state = chunk_state::large;
  ++h.blocks_used;
  h.bytes_used += std::uint64_t{i.length} * chunk_bytes;
  return {first_ + i.start, generation};
}

// ---- finding and giving back ----

bool heap::locate(std::uint64_t offset, place& found) const {
  const header& h = head();
  const std::uint64_t at = offset - first_;
  std::uint64_t c = at / chunk_bytes;
  if (c < h.first_chunk || c >= h.chunks) return false;
  if (info(std::uint32_t(c)).state == chunk_state::inside) {
    const std::uint32_t distance = info(std::uint32_t(c)).length;
    if (distance > c - h.first_chunk) return false;  // an old pointer: the chunk is becoming something else
    c -= distance;
  }
  chunk_info& i = info(std::uint32_t(c));
  const chunk_state state = i.state;
  found.chunk = std::uint32_t(c);
  if (state == chunk_state::large) {
    found.begin = i.start;
    found.size = (c + i.length) * chunk_bytes - found.begin;
    found.generation = &i.generation.value;
    return at >= found.begin;
  }
  if (state != chunk_state::small) return false;
  const size_class& shape = classes[i.size_class];
  const auto in_chunk = std::uint32_t(at % chunk_bytes);
  if (in_chunk < shape.first) return false;
  const std::uint32_t index = (in_chunk - shape.first) / shape.size;
  if (index >= shape.count) return false;
  found.begin = c * chunk_bytes + shape.first + index * shape.size;
  found.size = shape.size;
  found.generation = reinterpret_cast<std::uint16_t*>(chunk_at(std::uint32_t(c))) + index;
  return true;
}

/// Finds the block around `offset`; `foreign` where no block ever was.
heap::status heap::examine(std::uint64_t offset, std::uint16_t generation, place& found) const {
  if (offset < first_ || offset - first_ >= head().bytes) return status::outside;
  if (!locate(offset, found)) return (offset - first_) / chunk_bytes < head().first_chunk ? status::foreign : status::freed;
  const std::uint16_t lives = __atomic_load_n(found.generation, __ATOMIC_RELAXED);
  return lives == 0 || (generation != 0 && lives != generation) ? status::freed : status::live;
}

/// Takes a block's generation: of all ranks that try to free it, the owner included, one succeeds. By the generation that was
/// seen: in between it may have been freed, collected and given out anew.
heap::status heap::mark_freed(std::uint64_t offset, std::uint16_t generation, place& found) const {
  if (const status s = examine(offset, generation, found); s != status::live) return s;
  if (found.begin != offset - first_) return status::foreign;
  std::uint16_t seen = generation != 0 ? generation : __atomic_load_n(found.generation, __ATOMIC_RELAXED);
  if (seen == 0 || !__atomic_compare_exchange_n(found.generation, &seen, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    return status::freed;
  return status::live;
}

heap::status heap::deallocate(std::uint64_t offset, std::uint16_t generation) {
  place found;
  const status s = mark_freed(offset, generation, found);
  if (s == status::live) release(found);
  return s;
}

heap::status heap::retire(std::uint64_t offset, std::uint16_t generation) {
  place found;
  return mark_freed(offset, generation, found);
}

void heap::reuse(std::uint64_t offset) {
  if (place found; locate(offset, found)) release(found);
}

heap::status heap::remote_free(std::uint64_t offset, std::uint16_t generation) {
  place found;
  if (const status s = mark_freed(offset, generation, found); s != status::live) return s;
  header& h = head();
  std::uint64_t top = __atomic_load_n(&h.returned, __ATOMIC_RELAXED);
  do {
    std::memcpy(area_ + found.begin, &top, sizeof top);
    // release: the link above and the caller's last accesses; pairs with the exchange in collect.
  } while (!__atomic_compare_exchange_n(&h.returned, &top, found.begin, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
  return status::live;
}

void heap::collect() {
  // Taking the whole stack at once: no block can come back between a look and a swap, so there is no ABA.
  std::uint64_t at = __atomic_exchange_n(&head().returned, 0, __ATOMIC_ACQUIRE);
  while (at != 0) {
    std::uint64_t next = 0;
    std::memcpy(&next, area_ + at, sizeof next);
    if (place found; locate(first_ + at, found)) release(found);
    at = next;
  }
}

void heap::release(const place& where) {
  header& h = head();
  chunk_info& i = info(where.chunk);
  --h.blocks_used;
  if (i.state == chunk_state::large) {
    h.bytes_used -= std::uint64_t{i.length} * chunk_bytes;
    give_run(where.chunk, i.length);
    return;
  }
  const unsigned c = i.size_class;
  h.bytes_used -= where.size;
  std::memcpy(area_ + where.begin, &i.free, sizeof i.free);
  i.free = std::uint32_t(where.begin % chunk_bytes);
  if (i.used-- == classes[c].count) link(h.partial[c], where.chunk);
  // An empty chunk goes back unless it is the last one with room: a single block must not take and give a chunk each time.
  if (i.used == 0 && (i.before != 0 || i.after != 0)) {
    unlink(h.partial[c], where.chunk);
    give_run(where.chunk, 1);
  }
}

// ---- what a block is ----

heap::status heap::check(std::uint64_t offset, std::uint64_t bytes, std::uint16_t generation) const {
  place found;
  if (const status s = examine(offset, generation, found); s != status::live) return s;
  return offset - first_ + bytes <= found.begin + found.size ? status::live : status::outside;
}

std::uint16_t heap::generation_at(std::uint64_t offset) const {
  place found;
  return examine(offset, 0, found) == status::live ? __atomic_load_n(found.generation, __ATOMIC_RELAXED) : std::uint16_t{0};
}

heap::extent heap::extent_of(std::uint64_t offset) const {
  place found;
  if (examine(offset, 0, found) != status::live) return {};
  return {first_ + found.begin, found.size};
}

heap::usage heap::used() const {
  const header& h = head();
  return {h.blocks_used, h.bytes_used, std::uint64_t{h.peak} * chunk_bytes, h.bytes};
}

bool heap::is_valid() const {
  const header& h = head();
  if (h.magic != magic_word || h.top > h.chunks || h.peak < h.top) return false;
  std::uint64_t used = 0;
  std::uint32_t c = h.first_chunk;
  bool last_free = false;
  while (c < h.top) {
    const chunk_info& i = info(c);
    const bool is_free = i.state == chunk_state::unused;
    if (is_free && (last_free || i.length == 0 || info(c + i.length - 1).length != i.length)) return false;  // runs are joined
    last_free = is_free;
    if (i.state == chunk_state::small) {
      if (i.used > i.fresh || i.fresh > classes[i.size_class].count) return false;
      used += i.used;
    } else if (i.state == chunk_state::large) {
      ++used;
    } else if (!is_free) {
      return false;
    }
    c += i.state == chunk_state::small ? 1 : i.length;
  }
  return c == h.top && !last_free && used == h.blocks_used;
}

}  // namespace armilla::detail
