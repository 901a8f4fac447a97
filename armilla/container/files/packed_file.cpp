// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/packed_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/regular_file.hpp"
#include "armilla/container/files/zlib_library.hpp"

#if __has_include(<zstd.h>)
#include <zstd.h>
#define ARMILLA_HAS_ZSTD 1
#endif

namespace armilla::detail {
namespace {

using namespace std::literals;

constexpr std::size_t in_bytes = std::size_t(1) << 16, out_bytes = std::size_t(1) << 18;

/// A part of a file that is read here and there, mostly forwards.
class peeker {
 public:
  peeker(int file, std::uint64_t bytes) : file_(file), bytes_(bytes) {}
  /// `n` bytes, which are few; null: the file ends before, or cannot be read.
  const unsigned char* at(std::uint64_t where, std::size_t n) {
    if (where > bytes_ || n > bytes_ - where) return nullptr;
    if (where < from_ || where + n > from_ + have_) {
      const ssize_t got = ::pread(file_, room_, std::size_t(std::min<std::uint64_t>(sizeof room_, bytes_ - where)), off_t(where));
      from_ = where, have_ = got > 0 ? std::size_t(got) : 0;
      if (n > have_) return nullptr;
    }
    return room_ + (where - from_);
  }

 private:
  int file_;
  std::uint64_t bytes_, from_ = 0;
  std::size_t have_ = 0;
  unsigned char room_[4096];
};

std::uint32_t number_of(const unsigned char* at, std::size_t n) noexcept {
  std::uint32_t all = 0;
  for (std::size_t i = n; i-- > 0;) all = all << 8 | at[i];
  return all;
}

constexpr std::size_t block_header = 18;
/// The bytes of a member with this header, by the extra field of bgzip; 0: it does not say.
std::size_t bytes_of_block(const unsigned char* h) noexcept {
  const bool known =
      h[0] == 0x1f && h[1] == 0x8b && h[2] == 8 && (h[3] & 4) != 0 && h[12] == 'B' && h[13] == 'C' && number_of(h + 14, 2) == 2;
  return known ? number_of(h + 16, 2) + 1 : 0;
}
/// Where the frame at `at` ends; 0: the header does not say.
std::uint64_t end_of_member(peeker& file, std::uint64_t at) {
  const unsigned char* const h = file.at(at, block_header);
  const std::size_t bytes = h == nullptr ? 0 : bytes_of_block(h);
  return bytes == 0 ? 0 : at + bytes;
}

/// The same for zstd: RFC 8878, 3.1.
std::uint64_t end_of_frame(peeker& file, std::uint64_t at) {
  const unsigned char* h = file.at(at, 8);
  if (h == nullptr) return 0;
  const std::uint32_t magic = number_of(h, 4);
  if ((magic & 0xfffffff0U) == 0x184d2a50U) return at + 8 + number_of(h + 4, 4);
  if (magic != 0xfd2fb528U) return 0;
  const unsigned char descriptor = h[4];
  constexpr std::size_t dictionary[] = {0, 1, 2, 4};
  const bool one_segment = (descriptor & 32) != 0, checksum = (descriptor & 4) != 0;
  const int size = descriptor >> 6;
  at += 5 + (one_segment ? 0 : 1) + dictionary[descriptor & 3];
  at += size != 0 ? std::size_t(1) << size : one_segment ? 1 : 0;
  for (;;) {
    const unsigned char* const b = file.at(at, 3);
    if (b == nullptr) return 0;
    const std::uint32_t block = number_of(b, 3);
    const bool repeats = (block >> 1 & 3) == 1;
    at += 3 + (repeats ? 1 : block >> 3);
    if ((block & 1) != 0) return at + (checksum ? 4 : 0);
  }
}

}  // namespace

compression compression_of(std::string_view first) noexcept {
  if (first.starts_with("\x1f\x8b\x08"sv)) return compression::gzip;
  const bool skippable =
      first.size() >= 4 && (number_of(reinterpret_cast<const unsigned char*>(first.data()), 4) >> 4) == 0x184d2a5U;
  return skippable || first.starts_with("\x28\xb5\x2f\xfd"sv) ? compression::zstd : compression::none;
}

compression compression_of(int file) {
  char first[4];
  const ssize_t got = ::pread(file, first, sizeof first, 0);
  return compression_of(std::string_view(first, got > 0 ? std::size_t(got) : 0));
}

std::vector<std::uint64_t> frame_starts(int file, std::uint64_t bytes, compression kind, std::uint64_t step, std::size_t ranks) {
  std::vector<std::uint64_t> starts(ranks, bytes);
  peeker headers(file, bytes);
  std::size_t rank = 0;
  for (std::uint64_t at = 0; at < bytes;) {
    for (; rank < ranks && rank * step <= at; ++rank) starts[rank] = at;
    const std::uint64_t end = kind == compression::gzip ? end_of_member(headers, at) : end_of_frame(headers, at);
    if (end <= at || end > bytes) {
      std::ranges::fill(starts, bytes);
      starts[0] = 0;
      break;
    }
    at = end;
  }
  return starts;
}

/// A stream of frames.
class packed_reader::unpacker {
 public:
  virtual ~unpacker() = default;
  /// Takes from `in` and puts into `out`, which become shorter. Returns what is wrong, or null.
  virtual const char* step(std::string_view& in, std::span<char>& out) = 0;
  bool between_frames() const noexcept { return between_; }

 protected:
  bool between_ = true;
};

namespace {

#if ARMILLA_HAS_ZLIB
/// What this library uses of libdeflate, which needs half of zlib's time, but takes and gives whole members. Declared here, so
/// that no header of it is needed.
struct deflate_functions {
  void* (*create)() = nullptr;
  int (*unpack)(void*, const void* in, std::size_t, void* out, std::size_t, std::size_t* taken, std::size_t* made) = nullptr;
  void (*free)(void*) = nullptr;
  void* (*create_packer)(int level) = nullptr;
  std::size_t (*pack)(void*, const void* in, std::size_t, void* out, std::size_t) = nullptr;
  void (*free_packer)(void*) = nullptr;
  bool found = false;

  deflate_functions() {
    system_library library("libdeflate.so.0");
    library.find(create, "libdeflate_alloc_decompressor"), library.find(free, "libdeflate_free_decompressor");
    library.find(unpack, "libdeflate_gzip_decompress_ex");
    library.find(create_packer, "libdeflate_alloc_compressor"), library.find(free_packer, "libdeflate_free_compressor");
    library.find(pack, "libdeflate_deflate_compress");
    found = library.wrong().empty();
  }
};
const deflate_functions& libdeflate() {
  static const deflate_functions all;
  return all;
}

/// Members as bgzip writes them: of 64 KiB at most, with their sizes in their headers.
class gzip_packer {
 public:
  static constexpr std::size_t most = 0xff00;  // of the text of a member, which is then short enough also if it does not shrink

  gzip_packer() {
    if (libdeflate().found) whole_ = libdeflate().create_packer(6);
    made_ = zlib().init_packing(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                                int(sizeof stream_)) == Z_OK;
  }
  gzip_packer(const gzip_packer&) = delete;
  ~gzip_packer() {
    if (whole_ != nullptr) libdeflate().free_packer(whole_);
    if (made_) zlib().end_packing(&stream_);
  }

  const char* add(std::string& all, std::string_view text) {
    if (!made_) return "there is no memory to compress it";
    const std::size_t begin = all.size();
    all.append("\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0\x42\x43\x02\0\0\0"sv);
    const std::size_t header = all.size() - begin;
    all.resize(begin + (std::size_t(1) << 16));
    const std::size_t packed = pack(text, all.data() + begin + header, (std::size_t(1) << 16) - header - 8);
    if (packed == 0) return "zlib does not compress it";
    all.resize(begin + header + packed);
    put(all, zlib().checksum(0, reinterpret_cast<const Bytef*>(text.data()), uInt(text.size())), 4);
    put(all, std::uint32_t(text.size()), 4);
    const std::size_t size = all.size() - begin - 1;
    all[begin + 16] = char(size), all[begin + 17] = char(size >> 8);
    return nullptr;
  }

 private:
  static void put(std::string& all, std::uint64_t number, int bytes) {
    for (; bytes > 0; --bytes, number >>= 8) all += char(number);
  }
  /// How many bytes it takes; 0: it does not fit.
  std::size_t pack(std::string_view text, char* to, std::size_t room) {
    if (whole_ != nullptr) return libdeflate().pack(whole_, text.data(), text.size(), to, room);
    zlib().reset_packing(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = uInt(text.size());
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = uInt(room);
    return zlib().deflate(&stream_, Z_FINISH) == Z_STREAM_END ? room - stream_.avail_out : 0;
  }
  z_stream stream_{};
  void* whole_ = nullptr;  // of libdeflate
  bool made_ = false;
};

class gzip_unpacker final : public packed_reader::unpacker {
 public:
  gzip_unpacker() { made_ = zlib().init(&stream_, 15 + 16, ZLIB_VERSION, int(sizeof stream_)) == Z_OK; }
  ~gzip_unpacker() override {
    if (made_) zlib().end(&stream_);
  }

  const char* step(std::string_view& in, std::span<char>& out) override {
    if (!made_) return "there is no memory to unpack it";
    if (between_) {
      in.remove_prefix(std::min(in.find_first_not_of('\0'), in.size()));  // of tapes
      if (in.empty()) return nullptr;
      zlib().reset(&stream_);
      between_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    stream_.avail_in = uInt(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = uInt(out.size());
    const int result = zlib().inflate(&stream_, Z_NO_FLUSH);
    in = in.substr(in.size() - stream_.avail_in);
    out = out.last(stream_.avail_out);
    between_ = result == Z_STREAM_END;
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return nullptr;
    return stream_.msg != nullptr ? stream_.msg : "its data is damaged";
  }

 private:
  z_stream stream_{};
  bool made_ = false;
};
#endif

#if ARMILLA_HAS_ZSTD
struct zstd_functions {
  decltype(&::ZSTD_createDStream) create = nullptr;
  decltype(&::ZSTD_freeDStream) free = nullptr;
  decltype(&::ZSTD_decompressStream) decompress = nullptr;
  decltype(&::ZSTD_isError) is_error = nullptr;
  decltype(&::ZSTD_getErrorName) error_name = nullptr;
  decltype(&::ZSTD_createCCtx) create_packer = nullptr;
  decltype(&::ZSTD_freeCCtx) free_packer = nullptr;
  decltype(&::ZSTD_CCtx_setParameter) set = nullptr;
  decltype(&::ZSTD_compress2) compress = nullptr;
  decltype(&::ZSTD_compressBound) bound = nullptr;
  std::string wrong;

  zstd_functions() {
    system_library library("libzstd.so.1");
    library.find(create, "ZSTD_createDStream"), library.find(free, "ZSTD_freeDStream");
    library.find(decompress, "ZSTD_decompressStream"), library.find(is_error, "ZSTD_isError");
    library.find(error_name, "ZSTD_getErrorName");
    library.find(create_packer, "ZSTD_createCCtx"), library.find(free_packer, "ZSTD_freeCCtx");
    library.find(set, "ZSTD_CCtx_setParameter"), library.find(compress, "ZSTD_compress2");
    library.find(bound, "ZSTD_compressBound");
    wrong = library.wrong();
  }
};
const zstd_functions& zstd() {
  static const zstd_functions all;
  return all;
}

/// Frames that say how long their texts are, with checksums.
class zstd_packer {
 public:
  static constexpr std::size_t most = std::size_t(4) << 20;  // of the text of a frame

  zstd_packer() : context_(zstd().create_packer()) {
    if (context_ != nullptr) zstd().set(context_, ZSTD_c_checksumFlag, 1);
  }
  zstd_packer(const zstd_packer&) = delete;
  ~zstd_packer() { zstd().free_packer(context_); }

  const char* add(std::string& all, std::string_view text) {
    if (context_ == nullptr) return "there is no memory to compress it";
    const std::size_t begin = all.size(), room = zstd().bound(text.size());
    all.resize(begin + room);
    const std::size_t result = zstd().compress(context_, all.data() + begin, room, text.data(), text.size());
    if (zstd().is_error(result) != 0) return zstd().error_name(result);
    all.resize(begin + result);
    return nullptr;
  }

 private:
  ZSTD_CCtx* context_;
};

class zstd_unpacker final : public packed_reader::unpacker {
 public:
  zstd_unpacker() : stream_(zstd().create()) {}
  ~zstd_unpacker() override { zstd().free(stream_); }

  const char* step(std::string_view& in, std::span<char>& out) override {
    if (stream_ == nullptr) return "there is no memory to unpack it";
    if (between_ && in.empty()) return nullptr;
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = zstd().decompress(stream_, &to, &from);
    in.remove_prefix(from.pos);
    out = out.subspan(to.pos);
    between_ = result == 0;
    return zstd().is_error(result) != 0 ? zstd().error_name(result) : nullptr;
  }

 private:
  ZSTD_DStream* stream_;
};
#endif

/// Null: `cannot` says why.
std::unique_ptr<packed_reader::unpacker> make_unpacker(compression kind, std::string& cannot) {
  if (kind == compression::gzip) {
    cannot = "it is compressed, and this library was built without zlib; decompress it first: gunzip";
#if ARMILLA_HAS_ZLIB
    if (zlib().wrong.empty()) return std::make_unique<gzip_unpacker>();
    cannot = fmt::format("it is compressed, and {}; install zlib, or decompress it first: gunzip", zlib().wrong);
#endif
    return nullptr;
  }
  cannot = "it is compressed, and this library was built without libzstd; decompress it first: unzstd";
#if ARMILLA_HAS_ZSTD
  if (zstd().wrong.empty()) return std::make_unique<zstd_unpacker>();
  cannot = fmt::format("it is compressed, and {}; install libzstd, or decompress it first: unzstd", zstd().wrong);
#endif
  return nullptr;
}

}  // namespace

compression compression_of_name(std::string_view path) noexcept {
  return path.ends_with(".gz") ? compression::gzip : path.ends_with(".zst") ? compression::zstd : compression::none;
}

namespace {
template <class Packer>
std::string packed_by(std::string_view text, bool even_if_empty, std::string& wrong) {
  std::string all;
  Packer packer;
  for (bool more = even_if_empty || !text.empty(); more; more = !text.empty()) {
    const std::string_view piece = text.substr(0, Packer::most);
    if (const char* const why = packer.add(all, piece); why != nullptr) {
      wrong = why;
      return {};
    }
    text.remove_prefix(piece.size());
  }
  return all;
}
}  // namespace

std::string packed_text(compression kind, std::string_view text, [[maybe_unused]] bool first, [[maybe_unused]] bool last,
                        std::string& wrong) {
  if (kind == compression::gzip) {
    wrong = "its name ends in .gz, and this library was built without zlib";
#if ARMILLA_HAS_ZLIB
    wrong = zlib().wrong;
    if (!wrong.empty()) return {};
    std::string all = packed_by<gzip_packer>(text, false, wrong);
    if (last) all += packed_by<gzip_packer>({}, true, wrong);  // the end of a file of bgzip
    return all;
#endif
  } else {
    wrong = "its name ends in .zst, and this library was built without libzstd";
#if ARMILLA_HAS_ZSTD
    wrong = zstd().wrong;
    return wrong.empty() ? packed_by<zstd_packer>(text, first, wrong) : std::string();
#endif
  }
  return {};
}

packed_reader::packed_reader(int file, compression kind, std::uint64_t from, std::uint64_t to)
    : file_(file), at_(from), to_(to), in_(in_bytes, 0), out_(out_bytes, 0), done_(from == to) {
  if (!done_) unpacker_ = make_unpacker(kind, cannot_);
#if ARMILLA_HAS_ZLIB
  if (unpacker_ != nullptr && kind == compression::gzip && libdeflate().found)
    whole_ = {libdeflate().create(), libdeflate().free};
#endif
}
packed_reader::~packed_reader() = default;

/// Reads until left_ has n bytes, or all of the rest.
bool packed_reader::refill(std::string& wrong, std::size_t n) {
  std::size_t have = left_.size();
  n = std::size_t(std::min<std::uint64_t>(n, have + (to_ - at_)));
  if (n > in_.size()) {
    std::string larger(n, 0);
    left_.copy(larger.data(), have);
    in_.swap(larger);
  } else if (have != 0) {
    std::memmove(in_.data(), left_.data(), have);
  }
  while (have < n && wrong.empty()) {
    const ssize_t got =
        ::pread(file_, in_.data() + have, std::size_t(std::min<std::uint64_t>(in_.size() - have, to_ - at_)), off_t(at_));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) wrong = text_of_errno(errno);
    if (got == 0) wrong = "it changed while it was read; read it when nothing writes to it";
    if (got > 0) have += std::size_t(got), at_ += std::uint64_t(got);
  }
  left_ = {in_.data(), have};
  return wrong.empty();
}

/// Unpacks the member with which left_ begins at once. False: the stream does that, or finds what is wrong with it.
bool packed_reader::unpack_member([[maybe_unused]] std::string& wrong) {
#if ARMILLA_HAS_ZLIB
  constexpr std::uint64_t most_packed = std::uint64_t(64) << 20, most_text = std::uint64_t(512) << 20, most_ratio = 1032;
  const auto byte = [this](std::size_t at) { return reinterpret_cast<const unsigned char*>(left_.data() + at); };
  if (whole_ == nullptr || (left_.size() < block_header && !refill(wrong, block_header)) || left_.size() < block_header)
    return false;
  const std::uint64_t rest = left_.size() + (to_ - at_), block = bytes_of_block(byte(0)), packed = block != 0 ? block : rest;
  if (packed > std::min(rest, most_packed) || packed < block_header ||
      (left_.size() < packed && !refill(wrong, std::size_t(packed))))
    return false;
  // Of several members whose headers do not say where they end, this is the length of the last text; it may suffice.
  const std::uint64_t text = number_of(byte(std::size_t(packed) - 4), 4);
  member_.begin = at_ - left_.size();
  bool good = text <= std::min(most_text, packed * most_ratio);
  if (good && text > member_.capacity) {
    member_.room.reset(new (std::nothrow) char[std::size_t(text)]);
    member_.capacity = member_.room == nullptr ? 0 : std::size_t(text);
  }
  std::size_t taken = 0;
  good = good && text <= member_.capacity && text != 0 &&
         libdeflate().unpack(whole_.get(), left_.data(), std::size_t(packed), member_.room.get(), std::size_t(text), &taken,
                             &member_.bytes) == 0;
  if (!good) {
    if (text != 0) whole_.reset();
    return false;
  }
  member_.taken = 0, member_.packed = taken;
  left_.remove_prefix(taken);
  return true;
#else
  return false;
#endif
}

/// As if it had been unpacked piece by piece: the pieces come from all over the member, by which they go to ranks. They are
/// small, so that the ranks' shares of a short file are even.
std::string_view packed_reader::next_of_member() noexcept {
  constexpr std::size_t piece = std::size_t(64) << 10;
  const std::size_t n = std::min(piece, member_.bytes - member_.taken);
  position_ = member_.begin + member_.packed * member_.taken / member_.bytes;
  return {member_.room.get() + std::exchange(member_.taken, member_.taken + n), n};
}

std::string_view packed_reader::next(std::string& wrong) {
  if (unpacker_ == nullptr) wrong = cannot_;
  while (wrong.empty()) {
    if (member_.taken != member_.bytes) return next_of_member();
    if (left_.empty() && !full_) {
      if (at_ == to_ && !unpacker_->between_frames()) wrong = "its compressed data ends too early; is it cut off?";
      if (at_ == to_ || !refill(wrong, 1)) break;
    }
    if (unpacker_->between_frames() && unpack_member(wrong)) continue;
    position_ = at_ - left_.size();
    std::span<char> room(out_);
    const std::size_t before = left_.size();
    const char* why = unpacker_->step(left_, room);
    const std::size_t made = out_.size() - room.size();
    if (why == nullptr && made == 0 && !left_.empty() && left_.size() == before) why = "its data is damaged";
    if (why != nullptr) wrong = fmt::format("its compressed data is damaged before byte {}: {}", at_ - left_.size(), why);
    full_ = room.empty();
    if (made != 0 && wrong.empty()) return {out_.data(), made};
  }
  done_ = true;
  return {};
}

}  // namespace armilla::detail
