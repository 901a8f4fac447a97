// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/trace_merge.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "armilla/base/host/unfinished_file.hpp"
#include "armilla/error.hpp"
#include "armilla/stats/trace_part.hpp"
#include "armilla/stats/trace_record.hpp"

namespace armilla::detail {
namespace {

constexpr std::int64_t point_ns = 10;  // what has no length is drawn so long: arrows need something to hold to
constexpr std::uint64_t shown_buffering_ns = 10'000;
constexpr std::int64_t counter_steps = 500;  // values of a counter, at most about

std::string quoted(const std::string& raw) {
  std::string out;
  for (const char c : raw)
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ')
      out += ' ';
    else
      out += c;
  return out;
}

/// The file while it is written: an event a line. It has its name only when all is in it.
class json_file {
 public:
  explicit json_file(const std::string& name) : name_(name), file_(name) { require_good(); }

  template <class... A>
  void line(fmt::format_string<A...> text, A&&... values) {
    buffer_ += first_ ? "\n" : ",\n";
    first_ = false;
    buffer_ += fmt::format(text, std::forward<A>(values)...);
    if (buffer_.size() > 1 << 16) flush();
  }
  void raw(const std::string& text) { buffer_ += text; }
  void close() {
    flush();
    file_.finish();
    require_good();
  }

 private:
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
    require_good();
  }
  void require_good() const {
    if (!file_.wrong().empty())
      throw_usage("ARMILLA_TRACE", "the trace could not be written to '" + name_ + "': " + file_.wrong());
  }
  std::string name_, buffer_;
  unfinished_file file_;
  bool first_ = true;
};

/// The process that has it merges the parts; any other need not. Ends with the process, however that ends. Where the system or
/// the file system has no such locks each process merges: the last one that is done leaves its file.
class merge_lock {
 public:
  explicit merge_lock(const std::string& file) : name_(file + ".lock") {
    file_ = open(name_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    locked_ = file_ >= 0 && (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
  }
  ~merge_lock() {
    if (locked_) unlink(name_.c_str());
    if (file_ >= 0) close(file_);
  }
  merge_lock(const merge_lock&) = delete;
  bool locked() const { return locked_; }

 private:
  std::string name_;
  int file_ = -1;
  bool locked_ = false;
};

/// Writes the tracks of one rank, whose process number is the rank.
class rank_writer {
 public:
  rank_writer(json_file& out, const trace_record& p, const std::unordered_set<std::uint64_t>& arrows)
      : out_(out), p_(p), arrows_(arrows), rank_(p.head.rank), pid_(int(rank_) + 1) {}

  void write() {
    out_.line(R"({{"ph":"M","name":"process_name","pid":{},"args":{{"name":"rank {}"}}}})", pid_, rank_);
    out_.line(R"({{"ph":"M","name":"process_sort_index","pid":{},"args":{{"sort_index":{}}}}})", pid_, rank_);
    name_track(main_track, "main", 1);
    tracks_[p_.head.main_fiber].number = main_track;
    if (p_.events.empty()) return;
    start_with(p_.events);
    every_ns_ = (p_.at.back() - p_.at.front()) / counter_steps;
    counted_ = p_.at.front() - every_ns_;
    for (std::size_t i = 0; i < p_.events.size(); ++i)
      take(p_.events[i], p_.at[i], i + 1 < p_.events.size() ? p_.at[i + 1] : p_.at[i] + point_ns);
    close_all(p_.at.back());
  }

 private:
  json_file& out_;
  const trace_record& p_;
  const std::unordered_set<std::uint64_t>& arrows_;
  rank_t rank_;
  int pid_;
  // Neither process nor thread is 0, which stands for the idle one in viewers; threads are numbered through.
  static constexpr int threads_a_rank = 1'000'000;
  int phase_track = pid_ * threads_a_rank, main_track = phase_track + 1, who_track = phase_track + 2;
  int first_fiber_track = phase_track + 3;
  struct track {
    int number = 0;
    std::uint64_t open = 0;
  };

  // In microseconds, as the format has it.
  static std::string us(std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }
  const std::string& name(std::uint32_t n) const { return p_.names[n < p_.names.size() ? n : 0]; }

  void name_track(int number, const std::string& text, int place) {
    out_.line(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"{}"}}}})", pid_, number, text);
    out_.line(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})", pid_, number, place);
  }

  // The first change says which fiber ran before it.
  void start_with(const std::vector<trace_event>& events) {
    const auto first = std::ranges::find(events, trace_kind::change, &trace_event::kind);
    running_ = first == events.end() ? p_.head.main_fiber : std::uint64_t(first->number) << 32 | first->name;
    since_ = p_.at.front();
    changes_ = first != events.end();
    if (changes_) name_track(who_track, "who runs", 2);
  }

  track& here() {
    track& t = tracks_[running_];
    if (t.number == 0) {
      t.number = first_fiber_track + int(tracks_.size()) - 2;
      name_track(t.number, fmt::format("fiber {}", t.number - first_fiber_track + 1), t.number);
    }
    return t;
  }

  void take(const trace_event& e, std::int64_t at, std::int64_t next) {
    switch (e.kind) {
      case trace_kind::run: return begin(e, at, "body", true);
      case trace_kind::wait: return begin(e, at, "wait", false);
      case trace_kind::collective: return begin(e, at, "collective", false);
      case trace_kind::fiber: return begin(e, at, "fiber", false);
      case trace_kind::end: return end(here(), at);
      case trace_kind::reply: return point(e, at, next, "reply");
      case trace_kind::sent: return point(e, at, next, "send");
      case trace_kind::change: return change(e, at);
      case trace_kind::begin_phase:
        if (open_phases_.empty() && !std::exchange(phases_named_, true)) name_track(phase_track, "phases", 0);
        open_phases_.push_back(e.name);
        return out_.line(R"({{"ph":"B","name":"{}","cat":"phase","pid":{},"tid":{},"ts":{}}})", quoted(name(e.name)), pid_,
                         phase_track, us(at));
      case trace_kind::end_phase:
        if (open_phases_.empty()) return;  // its begin was dropped
        open_phases_.pop_back();
        return out_.line(R"({{"ph":"E","pid":{},"tid":{},"ts":{}{}}})", pid_, phase_track, us(at),
                         about_ == 0 ? "" : fmt::format(R"(,"args":{{"of":"{}"}})", quoted(name(std::exchange(about_, 0)))));
      case trace_kind::about: about_ = e.name; return;
      case trace_kind::buffered: return buffer(e, at);
      case trace_kind::none: return;
    }
  }

  void begin(const trace_event& e, std::int64_t at, const char* category, bool message) {
    track& t = here();
    ++t.open;
    const std::string arguments = message ? fmt::format(R"(,"args":{{"from":{},"bytes":{}}})", e.peer, e.value) : "";
    out_.line(R"({{"ph":"B","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{}{}}})", quoted(name(e.name)), category, pid_,
              t.number, us(at), arguments);
    if (message) arrive(e, at, t.number);
  }

  void end(track& t, std::int64_t at) {
    if (t.open == 0) return;  // its begin was dropped
    --t.open;
    out_.line(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", pid_, t.number, us(at));
  }

  void point(const trace_event& e, std::int64_t at, std::int64_t next, const char* category) {
    const int number = here().number;
    const bool out = e.kind == trace_kind::sent;
    const std::int64_t length = std::min(next - at, point_ns);
    const std::uint64_t waited = std::exchange(buffered_, 0);
    const std::string arguments = out && waited != 0 ? fmt::format(R"(,"buffered_us":{})", us(std::int64_t(waited))) : "";
    out_.line(R"({{"ph":"X","name":"{}","cat":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{{"{}":{},"bytes":{}{}}}}})",
              quoted(name(e.name)), category, pid_, number, us(at), us(length), out ? "to" : "from", e.peer, e.value, arguments);
    if (!out) return arrive(e, at, number);
    if (const std::uint64_t key = arrow_key(rank_, e.peer, e.number); arrows_.contains(key))
      out_.line(R"({{"ph":"s","name":"message","cat":"message","id":"{:x}","pid":{},"tid":{},"ts":{}}})", key, pid_, number,
                us(at));
    ++sent_, bytes_sent_ += e.value;
    count(at);
  }

  // A frame that stayed long has a bar on a track of its destination.
  void buffer(const trace_event& e, std::int64_t at) {
    buffered_ = std::min<std::uint64_t>(e.value, std::uint64_t(std::max<std::int64_t>(at, 0)));
    if (buffered_ < shown_buffering_ns) return;
    const std::string id = fmt::format("buffer-{}-{}", rank_, e.peer);
    out_.line(R"({{"ph":"b","name":"buffered for rank {}","cat":"buffered","id":"{}","pid":{},"tid":{},"ts":{}}})", e.peer, id,
              pid_, main_track, us(at - std::int64_t(buffered_)));
    out_.line(R"({{"ph":"e","name":"buffered for rank {}","cat":"buffered","id":"{}","pid":{},"tid":{},"ts":{}}})", e.peer, id,
              pid_, main_track, us(at));
  }

  void arrive(const trace_event& e, std::int64_t at, int number) {
    if (const std::uint64_t key = arrow_key(e.peer, rank_, e.number); e.number != 0 && arrows_.contains(key))
      out_.line(R"({{"ph":"f","bp":"e","name":"message","cat":"message","id":"{:x}","pid":{},"tid":{},"ts":{}}})", key, pid_,
                number, us(at));
    ++bundles_, bytes_received_ += e.value;
    count(at);
  }

  void count(std::int64_t at) {
    if (at < counted_ + every_ns_) return;
    counted_ = at;
    out_.line(R"({{"ph":"C","name":"messages","pid":{},"ts":{},"args":{{"frames sent":{},"bundles received":{}}}}})", pid_,
              us(at), sent_, bundles_);
    out_.line(R"({{"ph":"C","name":"bytes","pid":{},"ts":{},"args":{{"sent":{},"received":{}}}}})", pid_, us(at), bytes_sent_,
              bytes_received_);
  }

  void change(const trace_event& e, std::int64_t at) {
    show_who(at);
    running_ = e.value;
    loop_ = e.peer == 1;
    since_ = at;
  }
  void show_who(std::int64_t until) {
    const std::string who = running_ == p_.head.main_fiber ? "main"
                            : loop_                        ? "takes in messages"
                                                           : fmt::format("fiber {}", here().number - first_fiber_track + 1);
    out_.line(R"({{"ph":"X","name":"{}","cat":"who","pid":{},"tid":{},"ts":{},"dur":{}}})", who, pid_, who_track, us(since_),
              us(until - since_));
  }

  // What was going on at the end.
  void close_all(std::int64_t at) {
    if (changes_) show_who(at);
    for (auto& [fiber, t] : tracks_)
      while (t.open != 0) end(t, at);
    for (; !open_phases_.empty(); open_phases_.pop_back())
      out_.line(R"({{"ph":"E","pid":{},"tid":{},"ts":{}}})", pid_, phase_track, us(at));
  }

  std::unordered_map<std::uint64_t, track> tracks_;
  std::vector<std::uint32_t> open_phases_;
  bool phases_named_ = false, loop_ = false, changes_ = false;
  std::uint64_t running_ = 0;
  std::int64_t since_ = 0, counted_ = 0, every_ns_ = 0;
  std::uint32_t about_ = 0;     // the name of what the next phase that ends was about; 0: none
  std::uint64_t buffered_ = 0;  // ns, of the frame that is reported next
  std::uint64_t sent_ = 0, bytes_sent_ = 0, bundles_ = 0, bytes_received_ = 0;
};

// Arrows of which both ends are there: the others would hang in the air.
std::unordered_set<std::uint64_t> whole_arrows(const std::vector<trace_record>& parts) {
  std::unordered_set<std::uint64_t> left, whole;
  for (const trace_record& p : parts)
    for (const trace_event& e : p.events)
      if (e.kind == trace_kind::sent) left.insert(arrow_key(p.head.rank, e.peer, e.number));
  for (const trace_record& p : parts)
    for (const trace_event& e : p.events)
      if ((e.kind == trace_kind::run || e.kind == trace_kind::reply) && e.number != 0)
        if (const std::uint64_t key = arrow_key(e.peer, p.head.rank, e.number); left.contains(key)) whole.insert(key);
  return whole;
}

std::vector<std::byte> read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
  return {first, first + bytes.size()};
}

}  // namespace

trace_summary merge_traces(const std::string& file, const std::vector<std::vector<std::byte>>& raw, rank_t ranks) {
  std::vector<trace_record> parts;
  for (const std::vector<std::byte>& bytes : raw)
    if (trace_record p; read_trace_part(bytes, p)) parts.push_back(std::move(p));
  std::ranges::sort(parts, {}, [](const trace_record& p) { return p.head.rank; });
  trace_summary sum{rank_t(parts.size()), ranks - rank_t(parts.size())};
  std::string dropped;
  for (const trace_record& p : parts) {
    const std::uint64_t lost = p.head.written - p.events.size();
    sum.events += p.events.size();
    sum.dropped += lost;
    dropped += fmt::format("{}\"{}\":{}", dropped.empty() ? "" : ",", p.head.rank, lost);
  }
  set_trace_times(parts);
  const std::unordered_set<std::uint64_t> arrows = whole_arrows(parts);
  json_file out(file);
  out.raw(fmt::format(
      R"({{"displayTimeUnit":"ns","otherData":{{"armilla_trace":1,"ranks":{},"missing":{},"events":{},"dropped":{{{}}}}},"traceEvents":[)",
      ranks, sum.missing, sum.events, dropped));
  for (const trace_record& p : parts) rank_writer(out, p, arrows).write();
  out.raw("\n]}\n");
  out.close();
  return sum;
}

void say_traced(const std::string& file, const trace_summary& what) {
  std::string text = fmt::format("armilla trace: {} events of {} ranks in {}", what.events, what.ranks, file);
  if (what.dropped != 0)
    text += fmt::format("; {} older ones were dropped, ARMILLA_TRACE_EVENTS sets how many are kept", what.dropped);
  if (what.missing != 0) text += fmt::format("; {} ranks left none here", what.missing);
  std::fflush(stdout);
  std::fputs((text + "\n").c_str(), stderr);
}

void remove_trace_parts(const std::string& file, rank_t ranks) noexcept try {
  for (rank_t r = 0; r < ranks; ++r) unlink(trace_part_name(file, r).c_str());
} catch (const std::exception&) {}

bool merge_trace_files(const std::string& file, rank_t ranks) noexcept try {
  const auto there = [&](rank_t r) { return access(trace_part_name(file, r).c_str(), F_OK) == 0; };
  bool any = false;
  for (rank_t r = 0; !any && r < ranks; ++r) any = there(r);
  if (!any) return true;
  const merge_lock mine(file);
  if (!mine.locked()) return true;
  std::vector<std::vector<std::byte>> parts;
  for (rank_t r = 0; r < ranks; ++r) parts.push_back(read_file(trace_part_name(file, r)));
  if (std::ranges::all_of(parts, &std::vector<std::byte>::empty)) return true;  // none to make, or another was quicker
  say_traced(file, merge_traces(file, parts, ranks));
  remove_trace_parts(file, ranks);
  return true;
} catch (const std::exception& why) {
  std::fprintf(stderr, "armilla trace: %s; the ranks' parts stay beside it\n", why.what());
  return false;
}

}  // namespace armilla::detail
