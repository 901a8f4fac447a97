// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "armilla/base/values/parse_floating.hpp"
#include "armilla/rpc/kept_argument.hpp"

// How the words of a command line become the parameters of a function.
namespace armilla::detail {

template <class T>
concept argument_number =
    std::floating_point<T> || (std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t>);
template <class T>
concept argument_text = std::same_as<T, std::string> || std::same_as<T, std::string_view> || std::same_as<T, const char*>;

/// What has parameters that are known: a pointer to a function, or an object with one operator().
template <class F>
concept takes_arguments = std::is_function_v<std::remove_pointer_t<F>> || requires { &F::operator(); };

/// The values that such a function takes.
template <class P>
struct argument_values;
template <class... P>
struct argument_values<parameters<P...>> {
  using type = std::tuple<std::remove_cvref_t<P>...>;
};
template <takes_arguments F>
auto values_for() {
  if constexpr (std::is_pointer_v<F>)
    return std::type_identity<typename argument_values<typename parameters_of<F>::type>::type>();
  else
    return std::type_identity<typename argument_values<typename body_parameters<F>::type>::type>();
}

template <class T>
inline constexpr bool is_argument_tuple = false;
template <class... T>
inline constexpr bool is_argument_tuple<std::tuple<T...>> = ((argument_number<T> || argument_text<T>) && ...);

/// The words of a command line, and what the program calls them.
class argument_words {
 public:
  static constexpr std::size_t good = ~std::size_t{0};

  argument_words(int argc, char** argv, const char* names) noexcept : argc_(argc), argv_(argv), names_(names) {}
  /// Whether there are `n`. Throws usage_error if there are not as many names.
  bool has(std::size_t n) const;
  template <class T>
  bool read(std::size_t k, T& value) const {
    const std::string_view word = argv_[k + 1];
    if constexpr (std::floating_point<T>) {
      return parse_floating(word, value);
    } else if constexpr (argument_number<T>) {
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      return error == std::errc{} && end == word.data() + word.size();
    } else {
      value = T(argv_[k + 1]);
      return true;
    }
  }
  /// Says on rank 0 how the program is called, and which word is wrong unless it is `good`. Returns the exit code.
  [[gnu::cold]] int refuse(std::size_t wrong) const;

 private:
  int argc_;
  char** argv_;
  const char* names_;
};

/// What a rank runs: the function with the words as its arguments.
template <takes_arguments F>
auto with_arguments(argument_words words, F f) {
  using values = typename decltype(values_for<F>())::type;
  static_assert(is_argument_tuple<values>, "armilla: the arguments of a program are numbers and texts (std::string)");
  return [words, f = std::move(f)]() mutable -> int {
    values all;
    if (!words.has(std::tuple_size_v<values>)) return words.refuse(argument_words::good);
    std::size_t k = 0, wrong = argument_words::good;
    const auto read = [&](auto& value) {
      if (wrong == argument_words::good && !words.read(k, value)) wrong = k;
      ++k;
    };
    std::apply([&](auto&... value) { (read(value), ...); }, all);
    if (wrong != argument_words::good) return words.refuse(wrong);
    using result = decltype(std::apply(f, std::move(all)));
    if constexpr (std::is_void_v<result>)
      return std::apply(f, std::move(all)), 0;
    else if constexpr (std::same_as<result, bool>)
      return std::apply(f, std::move(all)) ? 0 : 1;
    else
      return int(std::apply(f, std::move(all)));
  };
}

}  // namespace armilla::detail
