// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/made_object.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/am/handler/method_name.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/watch/posted_text.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/object/object_state.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/phase.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/team.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

struct object_label {
  std::string name, type, place;
  mutable object_share last{};  // of this rank, for statistics: what it has when it ends cannot be asked any more
  mutable std::uint64_t operations = 0;
  mutable bool exposed = false;

  std::string text(std::string_view extent = {}) const { return text_of_object(name, type, extent, place); }
};

struct making_scope {
  /// `brief`, `place`: for other ranks, which see few letters.
  making_scope(std::string what, std::string_view brief, std::string_view place = {})
      : text(std::move(what)), name(text.c_str()) {
    if (!name.outermost()) return;
    control_block& mine = current->host->control(current->rank);
    post_text(mine.algorithm, brief);
    post_text(mine.made_at, place);
  }
  ~making_scope() {
    if (name.outermost()) current->host->control(current->rank).made_at[0].store(0, std::memory_order_relaxed);
  }
  std::string text;
  named_algorithm name;
  std::string object;  ///< of an operation: what it is on
  owned<shown_operation> shown;
};

namespace {

constexpr std::size_t most_ended = 64;

struct known_object {
  noted_object kind;
  std::shared_ptr<const object_label> label;

  const void* object() const noexcept { return kind.moves ? *static_cast<const void* const*>(kind.at) : kind.at; }
  bool holds(const void* inside) const noexcept {
    const auto *const begin = static_cast<const std::byte*>(object()), *const at = static_cast<const std::byte*>(inside);
    return begin != nullptr && !std::less<>{}(at, begin) && std::less<>{}(at, begin + kind.bytes);
  }
};

/// What this rank knows.
struct directory {
  std::map<std::uint64_t, known_object> objects;            // by the word of their names
  std::deque<std::pair<std::uint64_t, std::string>> ended;  // the last ones, and what they were
  std::map<const std::type_info*, std::string> types;
  std::vector<const making_scope*> operations;
  std::vector<shown_operation*> shown;
  std::vector<object_row> rows;  // of those that have ended
};
per_rank<directory> mine;

bool is_ready() noexcept { return current != nullptr && current->memory != nullptr && current->objects != nullptr; }

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size())) text.replace(at, what.size(), by);
}

/// As users write it: without arguments that have defaults.
std::string text_of(const std::type_info& type) {
  std::string text = demangle(type.name());
  replace_all(text, "armilla::detail::", "");
  replace_all(text, "armilla::", "am::");
  text = shorten_type(std::move(text));
  for (const std::string_view left_out : {", am::hash, equal_to<void>>", ", am::hash>", ", less<void>>"})
    replace_all(text, left_out, ">");
  for (const std::string_view n : {"1", "2", "3"}) replace_all(text, fmt::format(", {}ul>", n), fmt::format(", {}>", n));
  replace_all(text, "am::graph<void, void>", "am::graph<>");
  return text;
}
const std::string& known_text_of(const std::type_info& type) {
  std::string& text = mine->types[&type];
  if (text.empty()) text = text_of(type);
  return text;
}

std::string text_of(const object_extent& e) {
  if (e.dimensions == 0) return {};
  std::string all;
  for (std::size_t d = 0; d < e.dimensions; ++d) all += (d == 0 ? "" : " x ") + with_commas(e.extents[d]);
  return fmt::format("{} {}", all, all == "1" ? e.one : e.many);
}

std::string text_of(const known_object& o) {
  std::string extent;
  try {
    if (o.object() != nullptr && o.kind.extent != nullptr) extent = text_of(o.kind.extent(o.object()));
  } catch (const error&) {}  // it is on its way from one place to another
  return o.label == nullptr ? text_of_object({}, known_text_of(*o.kind.type), extent, {}) : o.label->text(extent);
}

std::shared_ptr<const object_label> label_of(const made_at& at, const std::type_info& type) {
  return std::make_shared<const object_label>(
      object_label{shown_name(at.name()), known_text_of(type), text_of_place(at.where())});
}

// It may be on its way from one place to another.
object_share share_of(const known_object& o) noexcept try {
  return o.object() != nullptr && o.kind.share != nullptr ? o.kind.share(o.object()) : object_share{};
} catch (const error&) { return {}; }

object_row& row_of(std::vector<object_row>& rows, const object_row& like) {
  const auto found = std::ranges::find_if(
      rows, [&](const object_row& each) { return each.name == like.name && each.type == like.type && each.place == like.place; });
  return found != rows.end() ? *found : rows.emplace_back(object_row{like.name, like.type, like.place});
}

// `alive`: it is beside the others, else it takes the place of the one before.
void add_row(std::vector<object_row>& rows, const object_label& label, const object_share& share, bool alive) {
  constexpr std::size_t most_rows = 10'000;
  if (rows.size() == most_rows) return;
  object_row& row = row_of(rows, {label.name, label.type, label.place});
  ++row.made;
  row.operations += label.operations;
  row.share = alive ? object_share{row.share.elements + share.elements, row.share.bytes + share.bytes} : share;
}

// A container and its parts have one label; the parts may be what knows the elements.
object_share share_of(const object_label& label) noexcept {
  object_share most;
  for (const auto& [word, each] : mine->objects)
    if (each.label.get() == &label)
      if (const object_share its = share_of(each); its.elements > most.elements) most = its;
  return most;
}

template <class Wanted>
std::vector<object_row> rows_of(Wanted wanted) {
  std::vector<object_row> rows;
  std::vector<const object_label*> seen;
  for (const auto& [word, each] : mine->objects) {
    const object_label* const label = each.label.get();
    if (label == nullptr || each.kind.share == nullptr || !wanted(*label)) continue;
    if (std::ranges::find(seen, label) != seen.end()) continue;
    seen.push_back(label);
    add_row(rows, *label, share_of(*label), true);
  }
  return rows;
}

bool is_last(const directory& all, const known_object& o) {
  return std::ranges::none_of(all.objects, [&](const auto& each) { return &each.second != &o && each.second.label == o.label; });
}

known_object* object_around(const void* inside) noexcept {
  known_object* found = nullptr;
  for (auto& [word, each] : mine->objects)
    if (each.holds(inside) && (found == nullptr || found->kind.bytes < each.kind.bytes)) found = &each;
  return found;
}

}  // namespace

making::making(const made_at& at, const std::type_info& type, const team& members) {
  if (!is_ready()) return;
  label_ = label_of(at, type);
  if (members)
    scope_ = std::make_unique<making_scope>(label_->text(), label_->name.empty() ? label_->type : '"' + label_->name + '"',
                                            label_->place);
}
making::~making() = default;

object_operation::object_operation(const char* name, const void* inside) {
  std::string what = described(inside);
  auto scope = std::make_unique<making_scope>(what.empty() ? name : fmt::format("{} of {}", name, what), name);
  scope->object = std::move(what);
  if (scope->name.outermost() && stats_of(*current).watched()) [[unlikely]] {
    scope->shown = std::make_unique<shown_operation>(name);
    scope->shown->add(inside);
  }
  mine->operations.push_back(scope.get());
  scope_ = std::move(scope);
}
object_operation::~object_operation() {
  if (is_ready()) std::erase(mine->operations, &*scope_);
}
const char* object_operation::text() const noexcept { return scope_->text.c_str(); }

shown_operation::shown_operation(const char* name, std::string_view before)
    : fiber_(&current->fibers->running()), phase_(std::make_unique<phase>(fmt::format("{}{}", before, name).c_str())) {
  mine->shown.push_back(this);
}

shown_operation::~shown_operation() {
  if (!is_ready()) return;
  std::erase(mine->shown, this);
  std::string names;
  for (const auto& label : about_) {
    ++label->operations;
    label->last = share_of(*label);
    names += (names.empty() ? "" : "; ") + label->text();
  }
  if (trace* const events = stats_of(*current).events.get(); events != nullptr && !names.empty())
    events->phase(trace_kind::about, names.c_str());
}

void shown_operation::add(const void* inside) {
  const known_object* const found = object_around(inside);
  if (found != nullptr && found->label != nullptr && std::ranges::find(about_, found->label) == about_.end())
    about_.push_back(found->label);
}

void operate_on(const void* inside) {
  if (!is_ready() || mine->shown.empty()) return;
  const void* const fiber = &current->fibers->running();
  const auto outer = std::ranges::find(mine->shown, fiber, [](const shown_operation* each) { return each->fiber_; });
  if (outer != mine->shown.end()) (*outer)->add(inside);
}

void note_share(const void* inside) noexcept {
  if (!is_ready() || !stats_of(*current).asked.any()) return;
  if (const known_object* const found = object_around(inside); found != nullptr && found->label != nullptr)
    found->label->last = share_of(*found->label);
}

// Their numbers come from the end of those that no object has.
shown_data::shown_data(std::string_view name, std::string_view type, std::string_view place) {
  static std::atomic<std::uint64_t> last = 0;
  id_.word = ~last.fetch_add(1, std::memory_order_relaxed);
  const auto share = [](const void* data) { return static_cast<const shown_data*>(data)->share_; };
  mine->objects.insert_or_assign(
      id_.word,
      known_object{{&typeid(shown_data), this, false, sizeof *this, nullptr, share},
                   std::make_shared<const object_label>(object_label{shown_name(name), std::string(type), std::string(place)})});
}
shown_data::~shown_data() { forget_object(id_); }

void shown_data::resize(const object_share& share) noexcept {
  share_ = share;
  note_share(this);
}

std::vector<object_row> objects_here() {
  return rows_of([](const object_label&) { return true; });
}

std::string list_of_objects() {
  std::string text;
  for (const object_row& each : rows_of([](const object_label& label) { return !label.exposed; }))
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", each.name, each.type, each.place, each.share.elements, each.share.bytes);
  return text;
}

void note_exposed(const void* inside) noexcept {
  if (const known_object* const found = object_around(inside); found != nullptr && found->label != nullptr)
    found->label->exposed = true;
}

std::vector<object_row> objects_ever_here() {
  std::vector<object_row> rows = objects_here();
  for (const object_row& old : mine->rows) {
    object_row& row = row_of(rows, old);
    if (row.made == 0) row.share = old.share;
    row.made += old.made;
    row.operations += old.operations;
  }
  return rows;
}

void note_object(object_id id, const noted_object& kind, const making* how) {
  mine->objects.insert_or_assign(id.word, known_object{kind, how == nullptr ? nullptr : how->label()});
}

void note_object(object_id id, const noted_object& kind, const made_at& at, const std::type_info& type) {
  mine->objects.insert_or_assign(id.word, known_object{kind, label_of(at, type)});
}

void call_as(const void* inside, const made_at& at, const std::type_info& type) {
  if (known_object* const found = object_around(inside)) found->label = label_of(at, type);
}

void call_as(const void* made, const void* old) noexcept {
  known_object *const to = object_around(made), *const from = object_around(old);
  if (to != nullptr && from != nullptr) to->label = from->label;
}

void forget_object(object_id id) noexcept try {
  if (!is_ready()) return;
  directory& all = *mine;
  const auto found = all.objects.find(id.word);
  if (found == all.objects.end()) return;
  if (const known_object& o = found->second; o.label != nullptr) {
    if (o.kind.share != nullptr && stats_of(*current).asked.any() && is_last(all, o))
      add_row(all.rows, *o.label, o.label->last, false);
    all.ended.emplace_back(id.word, o.label->text());
    if (all.ended.size() > most_ended) all.ended.pop_front();
  }
  all.objects.erase(found);
} catch (const std::bad_alloc&) {}

std::string described(const void* inside) {
  if (inside == nullptr || !is_ready()) return {};
  const known_object* const found = object_around(inside);
  return found == nullptr ? std::string() : text_of(*found);
}

std::string described(object_id id) {
  if (!is_ready()) return {};
  if (const auto found = mine->objects.find(id.word); found != mine->objects.end()) return text_of(found->second);
  const auto ended = std::ranges::find(mine->ended, id.word, [](const auto& each) { return each.first; });
  return ended == mine->ended.end() ? std::string() : ended->second;
}

std::string required_name(const void* inside, const char* operation) {
  const known_object* const found = inside == nullptr || !is_ready() ? nullptr : object_around(inside);
  if (found == nullptr || found->label == nullptr || found->label->name.empty())
    throw_usage(operation, about(inside) + "it has no name; construct it with am::named(\"name\"), or give a name here");
  return found->label->name;
}

std::string about(const void* inside) {
  std::string text = described(inside);
  return text.empty() ? text : text + ": ";
}

// The text of the outermost operation is what names the fiber's algorithm.
std::string operated_on() {
  const char* const text = algorithm_here(nullptr);
  const auto found =
      std::ranges::find_if(mine->operations, [text](const making_scope* each) { return each->text.c_str() == text; });
  return found == mine->operations.end() ? std::string() : (*found)->object;
}

void throw_usage_of(const void* inside, const char* otherwise, std::string_view text) {
  const std::string what = described(inside);
  throw_usage(what.empty() ? otherwise : what.c_str(), text);
}
void throw_usage_of(object_id id, const char* otherwise, std::string_view text) {
  const std::string what = described(id);
  throw_usage(what.empty() ? otherwise : what.c_str(), text);
}

}  // namespace armilla::detail
