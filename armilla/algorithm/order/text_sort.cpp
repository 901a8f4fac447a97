// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/text_sort.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "armilla/algorithm/order/digit_sort.hpp"

namespace armilla::detail {
namespace {

/// Beyond so many characters that strings have in common they are compared.
constexpr std::size_t most_in_common = 512;

/// Eight characters of a string at a time, as a number, with zeros behind its end: most strings are told apart by it, without a
/// look at where they lie. Paper: Bentley, Sedgewick, Fast algorithms for sorting and searching strings.
class text_order {
 public:
  text_order(const std::vector<std::string_view>& texts, bool ascending)
      : texts_(texts), turned_(ascending ? 0 : ~std::uint64_t{0}), entries_(texts.size()) {
    for (std::size_t k = 0; k < texts.size(); ++k) entries_[k].index = k;
    sort(entries_.data(), entries_.size(), 0);
  }
  std::vector<std::size_t> indices() const {
    std::vector<std::size_t> all(entries_.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = entries_[k].index;
    return all;
  }

 private:
  struct entry {
    std::uint64_t word;
    std::size_t index;
  };

  std::uint64_t word_at(const entry& e, std::size_t offset) const noexcept {
    const std::string_view text = texts_[e.index];
    std::uint64_t word = 0;
    if (text.size() > offset) std::memcpy(&word, text.data() + offset, std::min(sizeof word, text.size() - offset));
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    return word ^ turned_;
  }
  /// How many characters all have in common, of which `known` are known: that many unless there are eight more.
  std::size_t in_common(const entry* first, std::size_t n, std::size_t known) const noexcept {
    const std::string_view one = texts_[first->index];
    const std::size_t enough = known + sizeof(std::uint64_t);
    std::size_t all = one.size();
    for (std::size_t k = 1; k < n && all >= enough; ++k) {
      const std::string_view text = texts_[first[k].index];
      const std::size_t most = std::min(all, text.size());
      if (most > known && std::memcmp(one.data() + known, text.data() + known, most - known) == 0)
        all = most;
      else
        all = std::size_t(std::mismatch(one.begin(), one.begin() + std::ptrdiff_t(most), text.begin()).first - one.begin());
    }
    return all >= enough ? all : known;
  }
  /// Those that follow each other and are alike in their first `offset` characters.
  void sort(entry* first, std::size_t n, std::size_t offset) {
    if (n < few_for_digits || offset >= most_in_common) return compare(first, n, offset);
    offset = in_common(first, n, offset);
    bool any_longer = false;
    for (std::size_t k = 0; k < n; ++k) {
      first[k].word = word_at(first[k], offset);
      any_longer = any_longer || texts_[first[k].index].size() > offset;
    }
    if (!any_longer || !sort_by_digits(first, n, [](const entry& e) { return e.word; })) return compare(first, n, offset);
    for (std::size_t begin = 0, k = 1; k <= n; ++k) {
      if (k < n && first[k].word == first[begin].word) continue;
      if (k - begin > 1) sort(first + begin, k - begin, offset + sizeof(std::uint64_t));
      begin = k;
    }
  }
  /// The same by comparisons. Of those that end before, and differ in the zeros at their end alone, the shorter one comes first.
  void compare(entry* first, std::size_t n, std::size_t offset) const {
    const auto less = [this, offset](const entry& a, const entry& b) {
      const std::string_view text = texts_[a.index], other = texts_[b.index];
      const int order = text.substr(std::min(offset, text.size())).compare(other.substr(std::min(offset, other.size())));
      return order != 0 ? order < 0 : text.size() < other.size();
    };
    guarded_stable_sort(first, n,
                        [this, &less](const entry& a, const entry& b) { return turned_ == 0 ? less(a, b) : less(b, a); });
  }

  const std::vector<std::string_view>& texts_;
  const std::uint64_t turned_;
  std::vector<entry> entries_;
};

}  // namespace

std::vector<std::size_t> order_of_texts(const std::vector<std::string_view>& texts, bool ascending) {
  return text_order(texts, ascending).indices();
}

}  // namespace armilla::detail
