// SPDX-License-Identifier: Apache-2.0
#include "armilla/object/made_object.hpp"

#include <algorithm>
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
#include "armilla/object/object_state.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/team.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla::detail {

struct object_label {
  std::string name, type;
  std::source_location where;

  std::string text(std::string_view extent = {}) const { return text_of_object(name, type, extent, text_of_place(where)); }
};

struct making_scope {
  /// `brief`: for other ranks, which see few letters.
  making_scope(std::string what, std::string_view brief) : text(std::move(what)), name(text.c_str()) {
    if (name.outermost()) post_text(current->host->control(current->rank).algorithm, brief);
  }
  std::string text;
  named_algorithm name;
  std::string object;  ///< of an operation: what it is on
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
  return std::make_shared<const object_label>(object_label{shown_name(at.name()), known_text_of(type), at.where()});
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
    scope_ = std::make_unique<making_scope>(label_->text(), label_->name.empty() ? label_->type : '"' + label_->name + '"');
}
making::~making() = default;

object_operation::object_operation(const char* name, const void* inside) {
  std::string what = described(inside);
  auto scope = std::make_unique<making_scope>(what.empty() ? name : fmt::format("{} of {}", name, what), name);
  scope->object = std::move(what);
  mine->operations.push_back(scope.get());
  scope_ = std::move(scope);
}
object_operation::~object_operation() {
  if (is_ready()) std::erase(mine->operations, &*scope_);
}
const char* object_operation::text() const noexcept { return scope_->text.c_str(); }

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
