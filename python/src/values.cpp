// SPDX-License-Identifier: Apache-2.0
// Collectives of values and of buffers, on any team, and messages by tag. A number, a short text, a short plain value or pickle
// travels in one line of a collective; what is longer follows in a second step, of which the line tells all members. Arrays are
// combined and copied in place.
#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <string_view>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include "armilla/async.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/poll.hpp"
#include "armilla/view.hpp"
#include "operation.hpp"
#include "plain.hpp"

namespace armilla::python {
namespace {

using run_of_bytes = std::vector<std::byte>;

// `raised`: the member has an error instead of a value.
enum class kind : std::uint8_t { none, no, yes, integer, real, bytes, text, pickle, longer, plain, raised };

constexpr std::size_t in_line = 48;

struct line {
  kind what = kind::none;
  std::uint8_t size = 0;
  std::uint16_t flag = 0;  // that a second step follows
  std::uint32_t mark = 0;  // of what all members give alike
  std::array<std::byte, in_line> data{};

  template <class T>
  static line of(kind what, const T& value) {
    line l{what, std::uint8_t(sizeof value)};
    std::memcpy(l.data.data(), &value, sizeof value);
    return l;
  }
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, data.data(), sizeof value);
    return value;
  }
};
static_assert(sizeof(line) == 56);

bool same_marks(const std::vector<line>& all) {
  return std::ranges::all_of(all, [&](const line& l) { return l.mark == all[0].mark; });
}
bool some_longer(const std::vector<line>& all) {
  return std::ranges::any_of(all, [](const line& l) { return l.flag != 0 || l.what == kind::longer; });
}
bool some_raised(const std::vector<line>& all) {
  return std::ranges::any_of(all, [](const line& l) { return l.what == kind::raised; });
}

// ---- Python's values ----

// Set once, and kept for the life of the interpreter.
PyObject *dumps = nullptr, *loads = nullptr;  // of the package: parts
PyObject* loads_alone = nullptr;              // of pickle: bytes
PyObject* raise_packed = nullptr;             // of the package: raises the error of a rank

bool fits(line& to, kind what, const char* data, Py_ssize_t size) {
  if (size > Py_ssize_t(in_line)) return false;
  to.what = what;
  to.size = std::uint8_t(size);
  std::memcpy(to.data.data(), data, std::size_t(size));
  return true;
}

bool is_simple(PyObject* v, line& to) {
  if (v == Py_None) return to = line{}, true;
  if (v == Py_True || v == Py_False) return to = line{v == Py_True ? kind::yes : kind::no}, true;
  if (PyFloat_CheckExact(v)) return to = line::of(kind::real, PyFloat_AsDouble(v)), true;
  if (PyLong_CheckExact(v)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(v, &overflow);
    if (overflow == 0) to = line::of(kind::integer, std::int64_t(value));
    return overflow == 0;
  }
  if (PyBytes_CheckExact(v)) return fits(to, kind::bytes, PyBytes_AsString(v), PyBytes_Size(v));
  if (PyUnicode_CheckExact(v) && PyUnicode_GetLength(v) <= Py_ssize_t(in_line)) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(v, &size);
    if (text == nullptr) PyErr_Clear();  // it has half a character
    return text != nullptr && fits(to, kind::text, text, size);
  }
  return false;
}

// A value as it travels: a line, and its parts if it is longer.
struct sent_value {
  line head;
  nb::object parts;  // a list of buffers

  // `name`: of the operation, for the error of a value that cannot be sent.
  sent_value(nb::handle value, const char* name) {
    if (is_simple(value.ptr(), head)) return;
    if (const std::size_t size = write_plain(value.ptr(), head.data); size != 0) {
      head.what = kind::plain;
      head.size = std::uint8_t(size);
      return;
    }
    parts = nb::borrow(dumps)(value, name);
    const held_buffers held(parts);
    const auto all = held.parts();
    if (all.size() == 1 && fits(head, kind::pickle, reinterpret_cast<const char*>(all[0].data()), Py_ssize_t(all[0].size())))
      return;
    head.what = kind::longer;
  }
  bool longer() const { return head.what == kind::longer; }
  run_of_bytes run() const {
    if (!longer()) return {};
    const held_buffers held(parts);
    return packed(held.parts());
  }
};

[[noreturn]] void throw_damaged(const char* what) { detail::throw_decode(no_rank, "collective", what); }

// Of another rank: throws decode_error.
nb::object value_of(const line& l) {
  if (l.size > in_line) throw_damaged("a value is longer than its line");
  const char* const data = reinterpret_cast<const char*>(l.data.data());
  switch (l.what) {
    case kind::none: return nb::none();
    case kind::no: return nb::bool_(false);
    case kind::yes: return nb::bool_(true);
    case kind::integer: return nb::int_(l.as<std::int64_t>());
    case kind::real: return nb::float_(l.as<double>());
    case kind::bytes: return nb::bytes(data, l.size);
    case kind::text: return nb::str(data, l.size);
    case kind::pickle: return nb::borrow(loads_alone)(nb::bytes(data, l.size));
    case kind::plain: return read_plain(std::as_bytes(std::span(data, l.size)));
    case kind::longer:
    case kind::raised: break;
  }
  throw_damaged("a value is of no kind that there is");
}

// What an operation has come to: a block of lines, and a block for each longer value or error, in their order.
block lines_as_block(std::span<const line> lines) {
  const bytes_view all = std::as_bytes(lines);
  return block(std::span(&all, 1));
}

std::vector<block> outcome(std::span<const line> lines, std::span<const run_of_bytes> runs = {}) {
  std::vector<block> all;
  all.push_back(lines_as_block(lines));
  for (std::size_t i = 0; i < runs.size() && i < lines.size(); ++i)
    if (lines[i].what == kind::longer || lines[i].what == kind::raised) all.emplace_back(bytes_view(runs[i]));
  return all;
}

// The second step, for all members, after a line of the first has said that one of them has an error: the error of the lowest
// one, which all of them raise. `mine`: the error of this member, packed; empty: it has none.
std::vector<block> first_error(const team& t, const run_of_bytes& mine = {}) {
  const std::vector<run_of_bytes> all = t.all_gather(mine);
  const auto found = std::ranges::find_if(all, [](const run_of_bytes& run) { return !run.empty(); });
  if (found == all.end()) throw_damaged("a member has an error, and does not say which");
  const line l = line::of(kind::raised, std::int32_t(t.world_rank(rank_t(found - all.begin()))));
  return outcome(std::span(&l, 1), std::span(&*found, 1));
}

line line_at(bytes_view lines, std::size_t at) {
  line l;
  if (lines.size() < at + sizeof l) throw_damaged("its lines are cut");
  std::memcpy(&l, lines.data() + at, sizeof l);
  return l;
}

// `longer`: the blocks of those that are longer.
nb::list values_of(bytes_view lines, std::span<block> longer) {
  nb::list values;
  for (std::size_t at = 0; at < lines.size(); at += sizeof(line)) {
    const line l = line_at(lines, at);
    if (l.what != kind::longer && l.what != kind::raised) {
      values.append(value_of(l));
      continue;
    }
    if (longer.empty()) throw_damaged("a value has no parts");
    if (l.what == kind::raised) nb::borrow(raise_packed)(l.as<std::int32_t>(), as_list(std::move(longer.front())));
    values.append(nb::borrow(loads)(as_list(std::move(longer.front()))));
    longer = longer.subspan(1);
  }
  return values;
}

nb::list values_of(operation&& done) {
  if (done.parts.empty()) return {};
  if (gives_nothing(done)) {
    nb::list one;
    one.append(nb::none());
    return one;
  }
  return values_of(done.parts[0].part(0), std::span(done.parts).subspan(1));
}

// ---- teams ----

template <class Work>
std::uint64_t begin_on(const python_team& on, const char* name, nb::object kept, Work work) {
  return begin(name, std::move(kept), std::move(work), {.on = on});
}

rank_t checked_root(const char* name, const python_team& on, int root) {
  if (root < 0 || root >= on.size()) detail::throw_bad_rank(name, root, on.size());
  return rank_t(root);
}

// ---- collectives of values ----

// The values of all members; nothing if they differ in `mark`, on all of them. `root`: who gets those that are longer; -1: all.
std::uint64_t gathered(const python_team& on, nb::handle value, std::uint32_t mark, const std::string& name, int root) {
  const char* const what = kept_name(name);
  if (root >= 0) checked_root(what, on, root);
  const sent_value mine(value, what);
  line head = mine.head;
  head.mark = mark;
  return begin_on(on, what, nb::none(), [head, run = mine.run(), root](const team& t) -> std::vector<block> {
    const std::vector<line> lines = t.all_gather(head);
    if (some_raised(lines)) return first_error(t);
    if (!same_marks(lines)) return {};
    if (!some_longer(lines)) return outcome(lines);
    const std::vector<run_of_bytes> runs = root < 0 ? t.all_gather(run) : t.gather(run, rank_t(root));
    if (runs.empty()) return outcome(std::span(lines).first(0));
    return outcome(lines, runs);
  });
}

struct sizes_of_parts {
  std::uint64_t count = 0;
  std::array<std::uint64_t, 5> each{};
};

// Room for the parts that the root announces. Throws decode_error.
block room_for(const sizes_of_parts& sizes) {
  constexpr std::uint64_t most = std::uint64_t{1} << 48;  // an address space
  if (sizes.count > sizes.each.size()) throw_damaged("a value has more parts than there are");
  std::vector<bytes_view> wanted;
  std::uint64_t all = 0;
  for (const std::uint64_t size : std::span(sizes.each).first(sizes.count)) {
    if (size >= most - all) throw_damaged("a value is longer than an address space");
    all += size;
    wanted.emplace_back(static_cast<const std::byte*>(nullptr), size);
  }
  return block::empty(wanted);
}

std::uint64_t broadcast_value(const python_team& on, nb::handle value, int root) {
  const rank_t r = checked_root("broadcast", on, root);
  line head;
  nb::object parts;
  std::vector<std::span<std::byte>> memory;  // of the root, in place
  if (on.rank() == r) {
    const sent_value mine(value, "broadcast");
    head = mine.head;
    if (mine.longer()) {
      parts = nb::steal(PyTuple_New(Py_ssize_t(nb::len(mine.parts))));
      sizes_of_parts sizes;
      Py_ssize_t i = 0;
      for (nb::handle part : mine.parts) {
        nb::object view = nb::steal(PyMemoryView_FromObject(part.ptr()));  // holds the memory
        const std::span<std::byte> bytes = held_buffer(view, false).bytes();
        memory.push_back(bytes);
        sizes.each.at(sizes.count++) = bytes.size();
        PyTuple_SetItem(parts.ptr(), i++, view.release().ptr());
      }
      head = line::of(kind::longer, sizes);
    }
  }
  return begin_on(on, "broadcast", parts.is_valid() ? parts : nb::none(), [head, memory, r](const team& t) -> std::vector<block> {
    const bool is_root = t.rank() == r;
    const line l = t.broadcast(head, r);
    if (l.what == kind::raised) return first_error(t);
    if (l.what != kind::longer) return is_root ? std::vector<block>() : outcome(std::span(&l, 1));
    const auto sizes = l.as<sizes_of_parts>();
    if (is_root) {
      for (const std::span<std::byte> part : memory)
        if (!part.empty()) t.broadcast(part, r);
      return {};
    }
    block received = room_for(sizes);
    for (std::size_t i = 0; i < sizes.count; ++i)
      if (!received.part(i).empty()) t.broadcast(received.part(i), r);
    std::vector<block> all;
    all.push_back(lines_as_block(std::span(&l, 1)));
    all.push_back(std::move(received));
    return all;
  });
}

std::vector<line> heads_of(const std::vector<sent_value>& values, std::uint32_t mark = 0) {
  const bool longer = std::ranges::any_of(values, &sent_value::longer);
  std::vector<line> heads;
  for (const sent_value& v : values) {
    heads.push_back(v.head);
    heads.back().flag = longer;
    heads.back().mark = mark;
  }
  return heads;
}
std::vector<run_of_bytes> runs_of(const std::vector<sent_value>& values) {
  std::vector<run_of_bytes> runs;
  for (const sent_value& v : values) runs.push_back(v.run());
  return runs;
}
std::vector<sent_value> sent_values(nb::handle all, const char* name) {
  std::vector<sent_value> values;
  for (nb::handle one : all) values.emplace_back(one, name);
  return values;
}

std::uint64_t scatter_values(const python_team& on, nb::handle all, int root) {
  const rank_t r = checked_root("scatter", on, root);
  std::vector<line> heads;
  std::vector<run_of_bytes> runs;
  if (on.rank() == r) {
    const std::vector<sent_value> values = sent_values(all, "scatter");
    heads = heads_of(values);
    runs = runs_of(values);
  }
  return begin_on(on, "scatter", nb::none(), [heads = std::move(heads), runs = std::move(runs), r](const team& t) {
    const line mine = t.scatter(heads, r);
    if (mine.what == kind::raised) return first_error(t);
    if (mine.flag == 0) return outcome(std::span(&mine, 1));
    const run_of_bytes run = t.scatter(runs, r);
    return outcome(std::span(&mine, 1), std::span(&run, 1));
  });
}

// Value i to member i; nothing if the members differ in `mark`, on all of them.
std::uint64_t exchange_values(const python_team& on, nb::handle all, std::uint32_t mark, const std::string& name) {
  const char* const what = kept_name(name);
  const std::vector<sent_value> values = sent_values(all, what);
  const auto work = [heads = heads_of(values, mark), runs = runs_of(values)](const team& t) -> std::vector<block> {
    const std::vector<line> lines = t.all_to_all(heads);
    if (some_raised(lines)) return first_error(t);
    if (!same_marks(lines)) return {};
    if (!some_longer(lines)) return outcome(lines);
    return outcome(lines, t.all_to_all(runs));
  };
  return begin_on(on, what, nb::none(), work);
}

// How members exchange lines in the first step of a collective.
enum class first_step { all_gather, all_to_all, broadcast, scatter };
first_step step_named(std::string_view name) {
  if (name == "all_gather") return first_step::all_gather;
  if (name == "all_to_all") return first_step::all_to_all;
  return name == "broadcast" ? first_step::broadcast : first_step::scatter;
}

// The part of a member that has an error instead of a value, so that all members raise it. Of `broadcast` and `scatter`: of the
// root. `packed`: the error; empty: another member has it, and this one takes its part again after an interrupt.
std::uint64_t raised(const python_team& on, const std::string& name, const std::string& step, int root, const nb::bytes& packed) {
  const rank_t r = checked_root(name.c_str(), on, root);
  const bytes_view error = std::as_bytes(std::span(packed.c_str(), packed.size()));
  const run_of_bytes run = error.empty() ? run_of_bytes() : python::packed(std::span(&error, 1));
  return begin_on(on, kept_name(name), nb::none(), [step = step_named(step), r, run](const team& t) {
    const line head{kind::raised};
    const std::vector<line> one_each(std::size_t(t.size()), head);
    switch (step) {
      case first_step::all_gather: t.all_gather(head); break;
      case first_step::all_to_all: t.all_to_all(one_each); break;
      case first_step::broadcast: t.broadcast(head, r); break;
      case first_step::scatter: t.scatter(one_each, r); break;
    }
    return first_error(t, run);
  });
}

// ---- collectives of arrays, in place ----

// The memory of an array in C order. What keeps the array keeps this.
struct array_memory {
  std::byte* at = nullptr;
  std::size_t bytes = 0, size = 0;
  std::string format;
  std::uint32_t mark = 0;  // of its type and shape
  std::array<Py_ssize_t, 4> shape{};
  int axes = 0;  // its shape has the first of them

  array_memory(nb::handle array, bool writable) {
    Py_buffer b;
    if (PyObject_GetBuffer(array.ptr(), &b, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0)) != 0)
      throw nb::python_error();
    at = static_cast<std::byte*>(b.buf);
    bytes = std::size_t(b.len);
    size = b.itemsize != 0 ? bytes / std::size_t(b.itemsize) : 0;
    format = b.format != nullptr ? b.format : "B";
    if (format.find('O') != std::string::npos) {
      PyBuffer_Release(&b);
      detail::throw_usage("collective", "an array of Python objects is not moved in place; leave out `out`");
    }
    if (format == "q") format = "l";  // two names of one type
    if (format == "Q") format = "L";
    axes = b.ndim;
    std::copy_n(b.shape, std::min<std::size_t>(std::size_t(axes), shape.size()), shape.begin());
    const std::string_view all(reinterpret_cast<const char*>(b.shape), std::size_t(axes) * sizeof(Py_ssize_t));
    mark = std::uint32_t(word_of(all, word_of(format)));
    PyBuffer_Release(&b);
  }
  template <class T>
  std::span<T> of() const {
    return {reinterpret_cast<T*>(at), size};
  }
};

// Without a mark: among ranks of several languages, which compare nothing.
template <class T, class Op>
std::uint64_t reduce_by(const python_team& on, nb::object kept, std::span<T> data, std::optional<std::uint32_t> mark, Op op) {
  return begin_on(on, "all_reduce", std::move(kept), [data, mark, op](const team& t) -> std::vector<block> {
    if (!mark) {
      t.all_reduce(data, op);
      return in_arrays();
    }
    line head{kind::none, 0, 0, *mark};
    const bool fits = data.size_bytes() <= in_line;
    if (fits && !data.empty()) std::memcpy(head.data.data(), data.data(), data.size_bytes());
    const std::vector<line> lines = t.all_gather(head);
    if (some_raised(lines)) return first_error(t);
    if (!same_marks(lines)) return {};
    if (!fits) {
      t.all_reduce(data, op);
    } else if (!data.empty()) {
      std::memcpy(data.data(), lines[0].data.data(), data.size_bytes());
      for (std::size_t i = 1; i < lines.size(); ++i)
        for (std::size_t k = 0; k < data.size(); ++k) {
          T other;
          std::memcpy(&other, lines[i].data.data() + k * sizeof(T), sizeof other);
          data[k] = op(data[k], other);
        }
    }
    return in_arrays();
  });
}

template <class T>
std::uint64_t reduce_as(const python_team& on, const nb::object& kept, const array_memory& a, const std::string& op,
                        bool compared) {
  const std::span<T> data = a.of<T>();
  std::optional<std::uint32_t> mark;
  if (compared) mark = std::uint32_t(word_of(op, a.mark));
  if (op == "sum") return reduce_by(on, kept, data, mark, std::plus<>{});
  if (op == "prod") return reduce_by(on, kept, data, mark, std::multiplies<>{});
  if (op == "min") return reduce_by(on, kept, data, mark, minimum{});
  return reduce_by(on, kept, data, mark, maximum{});
}

// In place. If `compared`, no values if the members give different operations, types or shapes.
std::uint64_t reduced_as(const python_team& on, const nb::object& array, const array_memory& a, const std::string& op,
                         bool compared) {
  if (a.format == "d") return reduce_as<double>(on, array, a, op, compared);
  if (a.format == "f") return reduce_as<float>(on, array, a, op, compared);
  if (a.format == "l") return reduce_as<std::int64_t>(on, array, a, op, compared);
  if (a.format == "i") return reduce_as<std::int32_t>(on, array, a, op, compared);
  detail::throw_usage("all_reduce", "elements of format " + a.format + " are not reduced in place");
}
std::uint64_t reduced(const python_team& on, nb::object array, const std::string& op, bool compared) {
  return reduced_as(on, array, array_memory(array, true), op, compared);
}

// The root's array into those of the others. The root waits for nobody; who has an array of another type or shape gets the
// number of bytes of the root's.
std::uint64_t broadcast_as(const python_team& on, nb::object kept, const array_memory& a, int root) {
  return begin_on(on, "broadcast", std::move(kept), [=](const team& t) -> std::vector<block> {
    const bool mine = t.rank() == root, fits = a.bytes <= in_line;
    line head = line::of(kind::longer, std::uint64_t(a.bytes));
    head.mark = a.mark;
    if (mine && fits) {
      head.what = kind::bytes;
      head.size = std::uint8_t(a.bytes);
      if (a.bytes != 0) std::memcpy(head.data.data(), a.at, a.bytes);
    }
    const line its = t.broadcast(head, rank_t(root));
    if (its.what == kind::raised) return first_error(t);
    const bool same = its.mark == a.mark;
    if (its.what == kind::longer) {
      run_of_bytes other(same ? 0 : its.as<std::uint64_t>());
      t.broadcast(same ? std::span(a.at, a.bytes) : std::span(other), rank_t(root));
    } else if (same && !mine && a.bytes != 0) {
      std::memcpy(a.at, its.data.data(), a.bytes);
    }
    if (same) return in_arrays();
    const line size = line::of(kind::integer, its.what == kind::longer ? its.as<std::int64_t>() : std::int64_t(its.size));
    return outcome(std::span(&size, 1));
  });
}
std::uint64_t broadcast_array(const python_team& on, nb::object array, int root) {
  checked_root("broadcast", on, root);
  const array_memory a(array, true);
  return broadcast_as(on, std::move(array), a, root);
}

// Part i of each member to member i, with the line if it is short. No values if the members differ in `mark`.
std::vector<block> exchange_parts(const team& t, std::span<const std::byte> mine, std::span<std::byte> out, std::uint32_t mark) {
  const std::size_t each = mine.size() / std::size_t(t.size());
  const bool fits = each <= in_line;
  std::vector<line> heads(std::size_t(t.size()), line{kind::none, 0, 0, mark});
  for (std::size_t i = 0; fits && each != 0 && i < heads.size(); ++i) std::memcpy(heads[i].data.data(), &mine[i * each], each);
  const std::vector<line> lines = t.all_to_all(heads);
  if (some_raised(lines)) return first_error(t);
  if (!same_marks(lines)) return {};
  if (!fits) t.all_to_all(mine, out);
  for (std::size_t i = 0; fits && each != 0 && i < lines.size(); ++i) std::memcpy(&out[i * each], lines[i].data.data(), each);
  return in_arrays();
}

// Bytes in place: of `all_gather` and `all_to_all`. No values if the members give arrays of different types or shapes.
std::uint64_t moved_as(const python_team& on, const char* what, nb::object kept, const array_memory& source,
                       const array_memory& target) {
  const std::span<const std::byte> mine(source.at, source.bytes);
  const std::span<std::byte> out(target.at, target.bytes);
  const std::uint32_t mark = std::uint32_t(word_of(what, source.mark));
  const bool everyone = what == std::string_view("all_gather");
  return begin_on(on, what, std::move(kept), [=](const team& t) -> std::vector<block> {
    if (!everyone) return exchange_parts(t, mine, out, mark);
    line head{kind::none, 0, 0, mark};
    const bool fits = mine.size() <= in_line;  // with the line
    if (fits && !mine.empty()) std::memcpy(head.data.data(), mine.data(), mine.size());
    const std::vector<line> lines = t.all_gather(head);
    if (some_raised(lines)) return first_error(t);
    if (!same_marks(lines)) return {};
    if (!fits) {
      t.all_gather(mine, out);
    } else {
      for (std::size_t i = 0; i < lines.size(); ++i)
        std::ranges::copy_n(lines[i].data.data(), std::ptrdiff_t(mine.size()), out.data() + i * mine.size());
    }
    return in_arrays();
  });
}

std::uint64_t moved(const python_team& on, nb::object from, nb::object to, const std::string& name) {
  const array_memory source(from, false), target(to, true);
  return moved_as(on, kept_name(name), nb::make_tuple(from, to), source, target);
}

// ---- the same at once: most collectives of short arrays end before anything else is to be done ----

constexpr std::int64_t not_begun = -1;  // an array is not as these need it: another way says what is wrong with it

std::optional<array_memory> memory_of(nb::handle array, bool writable) {
  try {
    const array_memory found(array, writable);
    return found.axes != 0 ? std::optional(found) : std::nullopt;
  } catch (const nb::python_error&) { return std::nullopt; }
}

std::int64_t broadcast_now(const python_team& on, nb::object array, int root) {
  const auto a = memory_of(array, true);
  if (!a || root < 0 || root >= on.size()) return not_begun;
  return ended_soon(broadcast_as(on, std::move(array), *a, root));
}

std::int64_t all_gather_now(const python_team& on, nb::object from, nb::object to) {
  const auto source = memory_of(from, false), target = memory_of(to, true);
  if (!source || !target || target->axes > int(target->shape.size()) || target->axes != source->axes + 1 ||
      target->shape[0] != on.size() || source->format != target->format ||
      !std::equal(source->shape.begin(), source->shape.begin() + source->axes, target->shape.begin() + 1))
    return not_begun;
  return ended_soon(moved_as(on, "all_gather", nb::make_tuple(from, to), *source, *target));
}

std::int64_t all_to_all_now(const python_team& on, nb::object from, nb::object to) {
  const auto source = memory_of(from, false), target = memory_of(to, true);
  if (!source || !target || source->axes > int(source->shape.size()) || source->mark != target->mark ||
      source->shape[0] != on.size())
    return not_begun;
  return ended_soon(moved_as(on, "all_to_all", nb::make_tuple(from, to), *source, *target));
}

std::int64_t all_reduce_now(const python_team& on, nb::object array, const std::string& op, bool compared) {
  const auto a = memory_of(array, true);
  if (!a || a->format.size() != 1 || std::string_view("dfli").find(a->format[0]) == std::string_view::npos) return not_begun;
  if (op != "sum" && op != "prod" && op != "min" && op != "max") return not_begun;
  return ended_soon(reduced_as(on, array, *a, op, compared));
}

// ---- collectives of numbers at once ----

// The values of the members up to `last`, combined in their order by the operation of that name.
nb::object folded(const nb::list& values, std::size_t last, std::string_view op) {
  nb::object result = values[0];
  for (std::size_t i = 1; i < last; ++i) {
    const nb::object next = values[i];
    if (op == "sum" || op == "prod") {
      result = nb::steal((op == "sum" ? PyNumber_Add : PyNumber_Multiply)(result.ptr(), next.ptr()));
      if (!result.is_valid()) throw nb::python_error();
    } else {  // NaN, if one is
      const nb::object &smaller = op == "min" ? next : result, &greater = op == "min" ? result : next;
      if (smaller < greater || (!next.equal(next) && result.equal(result))) result = next;
    }
  }
  return result;
}

// Of numbers: the result on this member, of all of them (`how` 0), of those up to this one (1) or before it (2). Where it has not
// ended soon, or the members differ in `mark`, a tuple of the number of the operation that gives the values.
nb::object reduced_now(const python_team& on, nb::handle value, std::uint32_t mark, const std::string& name,
                       const std::string& op, int how) {
  const std::uint64_t id = gathered(on, value, mark, name, -1);
  rank_state& me = here("collective");
  poll_for(me, id);
  const auto at = me.operations.find(id);
  if (at == me.operations.end() || !at->second.ended() || at->second.error != nullptr || at->second.parts.empty())
    return nb::make_tuple(id);
  operation done = std::move(at->second);
  me.operations.erase(at);
  const auto last = std::size_t(how == 0 ? on.size() : on.rank() + (how == 1 ? 1 : 0));
  const nb::list values = values_of(std::move(done));  // or the error of a member, also where this one needs no values
  return last == 0 ? nb::none() : folded(values, last, op);
}

// ---- messages by tag ----

struct message {
  rank_t source;
  std::int64_t tag;
  line head;
  block longer;  // its parts, if the line says so

  bool is_longer() const { return head.what == kind::longer; }
};
struct receiver {
  std::uint64_t id;
  rank_t source;  // -1: any
  std::int64_t tag;
  bool any_tag;

  bool wants(const message& m) const { return (source < 0 || source == m.source) && (any_tag || tag == m.tag); }
};
std::deque<message> mailbox;
std::list<receiver> receivers;

// As what an operation has come to: the value, its source, its tag.
void deliver(operation& to, std::uint64_t id, message&& m) {
  const std::array<line, 3> lines{m.head, line::of(kind::integer, std::int64_t(m.source)), line::of(kind::integer, m.tag)};
  to.parts.push_back(lines_as_block(lines));
  if (m.is_longer()) to.parts.push_back(std::move(m.longer));
  rank_of_bodies->end(id, to, state::value);
}

void take(message&& m) {
  for (auto at = receivers.begin(); at != receivers.end();) {
    const auto op = rank_of_bodies->operations.find(at->id);
    if (op == rank_of_bodies->operations.end()) {  // nobody waits any more
      at = receivers.erase(at);
    } else if (at->wants(m)) {
      const std::uint64_t id = at->id;
      receivers.erase(at);
      return deliver(op->second, id, std::move(m));
    } else {
      ++at;
    }
  }
  mailbox.push_back(std::move(m));
}

using part = view<std::byte>;

void take_line(rank_t source, std::int64_t tag, line head) {
  if (rank_of_bodies != nullptr && !rank_of_bodies->over && head.what != kind::longer) take({source, tag, head, {}});
}
void take_parts(rank_t source, std::int64_t tag, std::uint32_t count, part a, part b, part c, part d, part e) {
  if (rank_of_bodies == nullptr || rank_of_bodies->over) return;
  const std::array<bytes_view, 5> parts{bytes_view(a), bytes_view(b), bytes_view(c), bytes_view(d), bytes_view(e)};
  take({source, tag, line{kind::longer}, block(std::span(parts).first(std::min<std::size_t>(count, parts.size())))});
}

void send_message(int dest, std::int64_t tag, nb::handle value) {
  rank_state& me = here("send");
  if (dest < 0 || dest >= me.session.self.places) detail::throw_bad_rank("send", dest, me.session.self.places);
  const sent_value v(value, "send");
  if (v.longer()) {
    const held_buffers held(v.parts);
    const auto all = held.parts();
    const auto at = [&](std::size_t i) { return i < all.size() ? part(all[i].data(), all[i].size()) : part(nullptr, 0); };
    async<&take_parts>(rank_t(dest), me.session.self.rank, tag, std::uint32_t(all.size()), at(0), at(1), at(2), at(3), at(4));
  } else {
    async<&take_line>(rank_t(dest), me.session.self.rank, tag, v.head);
  }
  flush();
}

receiver checked_receiver(const rank_state& me, int source, std::int64_t tag, bool any_tag) {
  if (source >= me.session.self.places || source < -1) detail::throw_bad_rank("recv", source, me.session.self.places);
  return {0, rank_t(source), tag, any_tag};
}

std::optional<message> taken_message(const receiver& r) {
  const auto found = std::ranges::find_if(mailbox, [&](const message& m) { return r.wants(m); });
  if (found == mailbox.end()) return std::nullopt;
  std::optional<message> m = std::move(*found);
  mailbox.erase(found);
  return m;
}

// A message that is there, or comes soon: value, source and tag. Else the number of an operation that waits for it.
nb::object receive_message(int source, std::int64_t tag, bool any_tag) {
  rank_state& me = here("recv");
  receiver r = checked_receiver(me, source, tag, any_tag);
  std::optional<message> m = taken_message(r);
  if (!m && receivers.empty())
    poll_some([&] {
      if (!mailbox.empty()) m = taken_message(r);
      return m.has_value() || !me.requests.empty();
    });
  if (m) {
    nb::object value = m->is_longer() ? nb::borrow(loads)(as_list(std::move(m->longer))) : value_of(m->head);
    return nb::make_tuple(std::move(value), int(m->source), m->tag);
  }
  r.id = ++me.last_id;
  me.operations[r.id];
  receivers.push_back(r);
  return nb::int_(r.id);
}

// ---- results ----

nb::list take_values(std::uint64_t id) {
  rank_state& me = here("collective");
  const auto at = me.operations.find(id);
  if (at == me.operations.end() || !at->second.ended()) detail::throw_usage("collective", "it has not ended");
  operation done = std::move(at->second);
  me.operations.erase(at);
  if (done.error != nullptr) std::rethrow_exception(done.error);
  return values_of(std::move(done));
}

// The values, if the operation ends soon; else None.
nb::object try_values(std::uint64_t id) {
  const rank_state& me = here("collective");
  poll_for(me, id);
  const auto at = me.operations.find(id);
  if (at == me.operations.end() || !at->second.ended()) return nb::none();
  return take_values(id);
}

// A team of the members that give one color, by the operation `split`.
std::uint64_t split(const python_team& on, int color, int key, python_team& made) {
  auto own = std::make_shared<member>();
  made.own = own;
  return begin_on(on, "split", nb::none(), [own, color, key](const team& t) {
    own->of = t.split(color, key);
    return std::vector<block>();
  });
}

}  // namespace

void poll_for(const rank_state& me, std::uint64_t id) {
  const auto at = me.operations.find(id);
  if (at == me.operations.end()) return;
  poll_some([&] { return at->second.ended() || !me.requests.empty(); });
}

std::int64_t ended_soon(std::uint64_t id) {
  rank_state& me = here("collective");
  poll_for(me, id);
  const auto at = me.operations.find(id);
  if (at == me.operations.end()) return 0;
  if (!at->second.ended() || at->second.error != nullptr || !gives_nothing(at->second)) return std::int64_t(id);
  me.operations.erase(at);
  return 0;
}

void bind_values(nb::module_& m) {
  m.def("set_pickling", [](nb::object its_dumps, nb::object its_loads, nb::object of_loads, nb::object its_raise) {
    dumps = its_dumps.release().ptr();
    loads = its_loads.release().ptr();
    loads_alone = of_loads.release().ptr();
    raise_packed = its_raise.release().ptr();
  });
  nb::class_<python_team>(m, "Team")
      .def(nb::init<>())
      .def_prop_ro("rank", [](const python_team& t) { return int(t.rank()); })
      .def_prop_ro("size", [](const python_team& t) { return int(t.size()); })
      .def("world_rank", [](const python_team& t, int r) { return t.own ? int(t.own->of.world_rank(rank_t(r))) : r; })
      .def("barrier", [](const python_team& t) {
        return begin_on(t, "barrier", nb::none(), [](const team& on) {
          on.barrier();
          return std::vector<block>();
        });
      });
  m.def("gathered", &gathered, nb::arg("team"), nb::arg("value").none(), nb::arg("mark"), nb::arg("name"), nb::arg("root"));
  m.def("broadcast_value", &broadcast_value, nb::arg("team"), nb::arg("value").none(), nb::arg("root"));
  m.def("scatter_values", &scatter_values, nb::arg("team"), nb::arg("all").none(), nb::arg("root"));
  m.def("exchange_values", &exchange_values);
  m.def("raised", &raised);
  m.def("reduced", &reduced);
  m.def("moved", &moved);
  m.def("broadcast_array", &broadcast_array);
  m.def("broadcast_now", &broadcast_now);
  m.def("all_gather_now", &all_gather_now);
  m.def("all_reduce_now", &all_reduce_now);
  m.def("reduced_now", &reduced_now);
  m.def("all_to_all_now", &all_to_all_now);
  m.def("split", &split);
  m.def("send_message", &send_message, nb::arg("dest"), nb::arg("tag"), nb::arg("value").none());
  m.def("receive_message", &receive_message);
  m.def("take_values", &take_values);
  m.def("try_values", &try_values);
  // Of lines as other ranks send them, for tests.
  m.def("decoded_values",
        [](const nb::bytes& lines) { return values_of(std::as_bytes(std::span(lines.c_str(), lines.size())), {}); });
  m.def("decoded_parts", [](const nb::bytes& lines) {
    return as_list(room_for(line_at(std::as_bytes(std::span(lines.c_str(), lines.size())), 0).as<sizes_of_parts>()));
  });
}

}  // namespace armilla::python
