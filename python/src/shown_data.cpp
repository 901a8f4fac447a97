// SPDX-License-Identifier: Apache-2.0
// Arrays, dictionaries and tables that the program has named, and the operations of Python, in statistics, traces and
// armilla-top.
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nanobind/stl/string.h>

#include "armilla/object/made_object.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "rank.hpp"

namespace armilla::python {
namespace {

using data = detail::shown_data;

std::mutex guard;
auto& rest =
    *new std::vector<std::unique_ptr<data>>;  // what other threads have dropped; never destroyed, as the job may be over then

class shown_data {
 public:
  shown_data(const std::string& name, const std::string& type, const std::string& place) {
    here("array");
    std::vector<std::unique_ptr<data>> dropped;
    {
      const std::lock_guard guarded(guard);
      dropped.swap(rest);
    }
    shown_ = std::make_unique<data>(name, type, place);
  }
  shown_data(const shown_data&) = delete;
  ~shown_data() {
    if (is_here()) return;
    const std::lock_guard guarded(guard);
    rest.push_back(std::move(shown_));
  }

  void resize(std::uint64_t elements, std::uint64_t bytes) noexcept {
    if (is_here()) shown_->resize({elements, bytes});
  }
  void operate() const {
    if (is_here()) detail::operate_on(shown_.get());
  }

 private:
  static bool is_here() noexcept { return rank_of_bodies != nullptr && detail::current == &rank_of_bodies->session.rank; }

  std::unique_ptr<data> shown_;
};

/// An operation that all ranks do, as a phase of its name until `end`.
class shown_operation {
 public:
  explicit shown_operation(const std::string& name) {
    here("array");
    begun_ = std::make_unique<detail::shown_operation>(name.c_str(), "");
  }
  void end() noexcept { begun_.reset(); }

 private:
  std::unique_ptr<detail::shown_operation> begun_;
};

bool is_observed() { return detail::stats_of(here("array").session.rank).watched(); }

}  // namespace

void bind_shown_data(nb::module_& m) {
  nb::class_<shown_data>(m, "ShownData")
      .def(nb::init<const std::string&, const std::string&, const std::string&>())
      .def("resize", &shown_data::resize)
      .def("operate", &shown_data::operate);
  nb::class_<shown_operation>(m, "ShownOperation").def(nb::init<const std::string&>()).def("end", &shown_operation::end);
  m.def("is_observed", &is_observed);
}

}  // namespace armilla::python
