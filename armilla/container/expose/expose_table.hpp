// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/container/keyed/unordered_map_inline.hpp"
#include "armilla/expose.hpp"
#include "armilla/rpc/provided_method.hpp"
#include "armilla/rpc/table_calls.hpp"

// What expose_map.hpp is made of.
namespace armilla::detail {

/// What attached clients see of a table's value: void of a set.
template <class Core>
using shown_value = typename Core::part::table_type::slot_value;

/// The verbs of a container of keys whose slots are keys, or keys with what `find` gives. Not of a multiset: its slots hold how
/// often a key is there, and `find` gives the key.
template <class Verbs, class Part = typename Verbs::part_type, class Key = typename Verbs::key_type>
concept exposable_table =
    requires(const typename Part::table_type& t) { t.rebuilds(); } &&
    std::same_as<typename Part::table_type::element, Key> == std::same_as<typename Part::slot, Key> &&
    (std::same_as<typename Part::slot, Key> || std::same_as<typename Part::slot, std::pair<const Key, typename Part::kept>>);

/// What attached clients call at a rank. It knows the part by name: the container may end before the exposure does.
template <class Core>
class table_answers {
  using part = typename Core::part;
  using key = typename Core::key_type;
  using kept = typename part::kept;
  using calls = table_calls<key, shown_value<Core>>;

 public:
  explicit table_answers(object_ref<part> name) noexcept : name_(name) {}

  /// Null when the container has ended.
  Core* core() const {
    part* const here = name_.local();
    return here == nullptr ? nullptr : static_cast<Core*>(here->owner);
  }

  // The bodies touch nothing of this object once they wait: the exposure may have ended.
  std::optional<kept> find(const key& k) { return armilla::call<&part::find>(checked("find").settled(k, "find"), k).get(); }
  bool contains(const key& k) { return armilla::call<&part::contains>(checked("contains").settled(k, "contains"), k).get(); }
  rank_t rank_of(const key& k) {
    Core& at = checked("rank_of");
    return at.members().world_rank(rank_t(at.member_of(k, typename Core::hash_type{}(k))));
  }
  table_page<typename calls::element> elements(std::uint64_t from, std::uint64_t most) {
    const object_ref<part> name = name_;
    checked("elements").mine().guard.await_open();
    part& here = table_answers(name).checked("elements").mine();
    table_page<typename calls::element> page;
    auto& [rebuilds, next, some] = page;
    rebuilds = here.table.rebuilds();
    some.reserve(std::min<std::size_t>(most, here.table.size()));
    next = here.table.page(std::size_t(from), std::size_t(most), [&](const auto& each) { some.emplace_back(each); });
    return page;
  }

 private:
  Core& checked(const char* operation) const {
    Core* const there = core();
    if (there == nullptr) throw_usage(operation, "the container that was exposed has ended on this rank");
    return *there;
  }
  object_ref<part> name_;
};

/// The methods of an exposure, and its record, in which the container writes its size.
template <class Core>
class table_exposure final : public exposure_help {
  using answers = table_answers<Core>;
  using calls = table_calls<typename Core::key_type, shown_value<Core>>;
  static constexpr bool is_set = std::is_void_v<shown_value<Core>>;
  template <class C>
  struct finding {
    using type = provided_method<&answers::find, typename C::find>;
  };
  struct no_method {
    no_method(const std::string&, answers&) noexcept {}
  };
  struct nothing {
    using type = no_method;
  };

 public:
  table_exposure(const std::string& name, Core& core, exposed_record& record)
      : answers_(core.own_name()),
        record_(record),
        find_(name + ".find", answers_),
        contains_(name + ".contains", answers_),
        rank_of_(name + ".rank_of", answers_),
        elements_(name + ".elements", answers_) {
    core.show_in(record);
  }
  ~table_exposure() override {
    if (current == nullptr) return;
    if (Core* const there = answers_.core()) there->hide_from(record_);
  }

 private:
  answers answers_;
  exposed_record& record_;
  [[no_unique_address]] typename std::conditional_t<is_set, nothing, finding<calls>>::type find_;
  provided_method<&answers::contains, typename calls::contains> contains_;
  provided_method<&answers::rank_of, typename calls::rank_of> rank_of_;
  provided_method<&answers::elements, typename calls::elements> elements_;
};

struct exposer {
  template <class Verbs>
  static exposure expose(std::string_view name, hash_container<Verbs>& x) {
    using core = typename hash_container<Verbs>::core;
    using shown = typename table_calls<typename core::key_type, shown_value<core>>::shown;
    exposed_shape shape;
    shape.stride[0] = 1;
    core& here = *x.core_;
    exposure made = exposure_access::make(name, {signature<shown()>::text, signature<void(shown)>::hash, 0}, shape, nullptr);
    exposure_access::set_help(made,
                              std::make_unique<table_exposure<core>>(std::string(name), here, exposure_access::record(made)));
    return made;
  }
};

}  // namespace armilla::detail
