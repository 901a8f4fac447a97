// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <limits>
#include <type_traits>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "armilla/array.hpp"
#include "armilla/error.hpp"
#include "armilla/fold.hpp"
#include "armilla/scan.hpp"
#include "armilla/sort.hpp"
#include "armilla/transfer.hpp"
#include "operation.hpp"

/// am::array for Python, one class for each kind of element. What all ranks do begins here and is awaited as every collective.
namespace armilla::python {

/// Lets go of a container where that may be done: now on the rank's own thread, else when the rank next does something with
/// arrays; never once the job has ended.
void let_go(std::shared_ptr<void> container);
/// What other threads have let go of.
void let_go_of_rest();

template <class T>
class typed_array {
 public:
  using total = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

  typed_array() = default;
  typed_array(const typed_array&) = delete;
  ~typed_array() {
    if (elements_ != nullptr) let_go(std::move(elements_));
  }

  static std::uint64_t create(nb::object self, std::size_t n) {
    let_go_of_rest();
    typed_array& mine = of(self);
    return begin("array", self, [&mine, n](const team&) {
      mine.elements_ = std::make_shared<array<T>>(n);
      return nothing();
    });
  }

  static std::uint64_t sort(nb::object self, bool descending) {
    array<T>& a = of(self).all();
    return begin("array.sort", self, [&a, descending]([[maybe_unused]] const team& t) {
      if constexpr (std::is_floating_point_v<T>) {
        if (any_nan(t, a.local())) {
          armilla::sort(a, [descending](T x, T y) { return descending ? nan_last(y, x) : nan_last(x, y); });
          return nothing();
        }
      }
      if (descending)
        armilla::sort(a, std::greater<>{});
      else
        armilla::sort(a);
      return nothing();
    });
  }

  /// Its value is `value()` then.
  static std::uint64_t reduce(nb::object self, const std::string& op) {
    typed_array& mine = of(self);
    array<T>& a = mine.all();
    if (op == "sum")
      return fold("array.sum", self,
                  [&a] { return transform_reduce(a, total{}, std::plus<>{}, [](const T& e) { return total(e); }); });
    if (a.empty()) detail::throw_usage(("array." + op).c_str(), "the array is empty");
    if (op == "min") return fold("array.min", self, [&a] { return armilla::reduce(a, most(), minimum{}); });
    if (op == "max") return fold("array.max", self, [&a] { return armilla::reduce(a, least(), maximum{}); });
    detail::throw_usage("array", "'" + op + "' is no reduction of arrays");
  }
  total value() const noexcept { return value_; }

  static std::uint64_t scan(nb::object self) {
    array<T>& a = of(self).all();
    return begin("array.cumsum", self, [&a](const team&) {
      inclusive_scan(a, a);
      return nothing();
    });
  }

  std::size_t size() const { return all().size(); }
  /// The bounds of the indices that rank r has.
  std::pair<std::size_t, std::size_t> bounds(int r) const {
    const array<T>& a = all();
    if (r < 0 || r >= a.members().size()) detail::throw_bad_rank("array.local", r, a.members().size());
    const std::size_t first = a.placement().next_on(rank_t(r), 0);
    return {first, first < a.size() ? a.placement().run_at(first).end : first};
  }
  /// This rank's elements in place.
  static nb::ndarray<nb::numpy, T, nb::ndim<1>> local(nb::object self) {
    const std::span<T> mine = of(self).all().local();
    return nb::ndarray<nb::numpy, T, nb::ndim<1>>(mine.data(), {mine.size()}, self);
  }
  /// Rank r's elements in place, where this process maps them; None where not.
  static nb::object view(nb::object self, int r) {
    const auto [first, end] = of(self).bounds(r);
    array<T>& a = of(self).all();
    if (first == end) return nb::none();
    T* const there = a.ptr(first).local();
    if (there == nullptr) return nb::none();
    return nb::cast(nb::ndarray<nb::numpy, T, nb::ndim<1>>(there, {end - first}, self));
  }
  /// Where they lie in the memory of the host, for processes that map it.
  std::size_t place() const {
    return std::size_t(reinterpret_cast<const std::byte*>(all().local().data()) - here("array").session.self.host_base);
  }

  /// Copies of elements from `first` on, wherever they lie, and the way back. One rank calls it.
  void read(std::size_t first, nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu> to) const {
    each_run(first, std::span(to.data(), to.size()), "array.read", [](std::span<T> part, global_ptr<T> at) { get(part, at); });
  }
  void write(std::size_t first, nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu> from) {
    each_run(first, std::span(from.data(), from.size()), "array.write",
             [](std::span<const T> part, global_ptr<T> at) { put(at, part); });
  }

 private:
  static typed_array& of(nb::handle self) { return *nb::inst_ptr<typed_array>(self); }
  static std::vector<block> nothing() { return {}; }
  static constexpr T most() {
    return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
  }
  static constexpr T least() {
    return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
  }

  // NumPy's order, in which NaN comes behind all numbers. For arrays that have some: others are sorted by a faster one.
  static bool nan_last(T x, T y) { return x < y || (y != y && x == x); }
  static bool any_nan(const team& t, std::span<const T> mine) {
    return t.all_reduce(int(std::ranges::any_of(mine, [](T x) { return x != x; })), std::plus<>{}) != 0;
  }

  template <class F>
  static std::uint64_t fold(const char* name, nb::object self, F f) {
    typed_array& mine = of(self);
    return begin(name, self, [&mine, f](const team&) {
      mine.value_ = total(f());
      return nothing();
    });
  }

  array<T>& all() const {
    here("array");
    if (elements_ == nullptr) detail::throw_usage("array", "it has no elements; make it by armilla.array");
    return *elements_;
  }

  template <class Part, class Move>
  void each_run(std::size_t first, std::span<Part> part, const char* name, Move move) const {
    const array<T>& a = all();
    if (first > a.size() || part.size() > a.size() - first)
      detail::throw_usage(name, "elements " + std::to_string(first) + " to " + std::to_string(first + part.size()) + " of " +
                                    std::to_string(a.size()));
    while (!part.empty()) {
      const std::size_t n = std::min(part.size(), a.placement().run_at(first).end - first);
      move(part.first(n), a.ptr(first));
      part = part.subspan(n);
      first += n;
    }
    sync_memory();
  }

  std::shared_ptr<array<T>> elements_;
  total value_{};
};

template <class T>
void bind_array(nb::module_& m, const char* name) {
  using A = typed_array<T>;
  nb::class_<A>(m, name)
      .def(nb::init<>())
      .def("create", [](nb::object self, std::size_t n) { return A::create(self, n); })
      .def("sort", [](nb::object self, bool descending) { return A::sort(self, descending); })
      .def("reduce", [](nb::object self, const std::string& op) { return A::reduce(self, op); })
      .def("scan", [](nb::object self) { return A::scan(self); })
      .def("local", [](nb::object self) { return A::local(self); })
      .def("view", [](nb::object self, int r) { return A::view(self, r); })
      .def("value", &A::value)
      .def("size", &A::size)
      .def("bounds",
           [](const A& self, int r) {
             const auto [first, end] = self.bounds(r);
             return nb::make_tuple(first, end);
           })
      .def("place", &A::place)
      .def("read", &A::read)
      .def("write", &A::write);
}

void bind_array_f8(nb::module_& m);
void bind_array_f4(nb::module_& m);
void bind_array_i8(nb::module_& m);
void bind_array_i4(nb::module_& m);

}  // namespace armilla::python
