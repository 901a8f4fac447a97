// SPDX-License-Identifier: Apache-2.0
#include "armilla/session/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <new>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/ledger.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/host/unfinished_file.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/mutex.hpp"
#include "armilla/program.hpp"
#include "armilla/session/session_state.hpp"
#include "armilla/stats/counter_table.hpp"
#include "armilla/stats/rank_stats.hpp"
#include "armilla/stats/trace_merge.hpp"

namespace armilla::detail {
namespace {

/// Statistics in a form that travels: a counter more changes nothing here.
struct statistics_image {
  std::vector<std::uint64_t> counts;
  double seconds;
  component_times time;
  std::uint64_t borders;
  std::vector<method_statistics> methods;
};
struct phase_image {
  std::string name;
  std::uint64_t times;
  statistics_image what;
};
struct rank_image {
  std::string program;
  double seconds_per_border;
  statistics_image whole;
  std::vector<phase_image> phases;
  std::vector<std::uint64_t> sent, buffered;
  std::vector<object_row> containers;
};

statistics_image image_of(const statistics& s) {
  statistics_image image{{}, s.seconds, s.time, s.borders, s.methods};
  for (const counter_row& row : counter_table()) image.counts.push_back(s.*row.member);
  return image;
}

statistics from_image(statistics_image&& image) {
  statistics s;
  for (std::size_t i = 0; i < std::min(image.counts.size(), counter_table().size()); ++i)
    s.*counter_table()[i].member = image.counts[i];
  s.seconds = image.seconds;
  s.time = image.time;
  s.borders = image.borders;
  s.methods = std::move(image.methods);
  return s;
}

rank_image image_of_this_rank(context& self) {
  rank_image image{
      std::string(program_name(armilla::this_program())), 0, image_of(snapshot(self)), {}, {}, {}, objects_ever_here()};
  for (rank_t r = 0; r < self.places; ++r) image.sent.push_back(bytes_sent_to(outbox_of(self), r));
  image.buffered = stats_of(self).buffered->longest();
  for (const phase_statistics& p : phases()) image.phases.push_back({p.name, p.times, image_of(p.what)});
  if (stats_of(self).watch) image.seconds_per_border = seconds_per_border();
  return image;
}

rank_report from_image(rank_image&& image) {
  rank_report report{std::move(image.program), image.seconds_per_border,  from_image(std::move(image.whole)), {},
                     std::move(image.sent),    std::move(image.buffered), std::move(image.containers)};
  for (phase_image& p : image.phases) report.phases.push_back({std::move(p.name), p.times, from_image(std::move(p.what))});
  return report;
}

void write_file(const std::string& name, const std::string& text) {
  if (const std::string wrong = write_whole_file(name, text); !wrong.empty())
    throw_usage("ARMILLA_STATS", "statistics could not be written to '" + name + "': " + wrong);
}

// Nothing, where there is no memory for it: it counts as missing then.
std::vector<std::byte> copy_of(trace_part& part) try { return part.copy(); } catch (const std::bad_alloc&) {
  return {};
}

}  // namespace

std::string fabric_of(const launch& self) {
  if (self.threads) return "threads";
  if (self.beyond == nullptr) return "shm";
  return self.all_far ? self.beyond->name() : std::string("shm+") + self.beyond->name();
}

namespace {

void add_up_containers(job_report& job) {
  for (const rank_report& r : job.ranks)
    for (const object_row& c : r.containers) {
      const auto at = std::ranges::find_if(job.containers, [&](const container_report& each) {
        return each.name == c.name && each.type == c.type && each.place == c.place;
      });
      container_report& sum =
          at != job.containers.end() ? *at : job.containers.emplace_back(container_report{{c.name, c.type, c.place}});
      sum.made = std::max(sum.made, c.made);
      sum.operations = std::max(sum.operations, c.operations);
      sum.share.elements += c.share.elements;
      sum.share.bytes += c.share.bytes;
      ++sum.ranks;
      sum.most_elements = std::max(sum.most_elements, c.share.elements);
    }
  std::ranges::stable_sort(job.containers, std::greater<>{},
                           [](const container_report& c) { return std::pair(c.share.bytes, c.share.elements); });
}

}  // namespace

void add_up(job_report& job) {
  for (const rank_report& r : job.ranks) {
    job.total += r.whole;
    for (const phase_statistics& p : r.phases) {
      const auto at = std::ranges::find(job.phases, p.name, &phase_statistics::name);
      phase_report& sum = at != job.phases.end() ? *at : job.phases.emplace_back(phase_report{{p.name, 0, {}}});
      sum.times += p.times;
      sum.what += p.what;
      ++sum.ranks;
      sum.most_elements = std::max(sum.most_elements, p.what.elements);
      sum.most_cpu = std::max(sum.most_cpu, p.what.time.cpu);
    }
  }
  add_up_containers(job);
}

void measure_locks(context& self) {
  constexpr int batches = 8, locks = 512;
  rank_stats& s = stats_of(self);
  if (!s.watch) return;
  mutex free;
  std::uint64_t least = ~std::uint64_t{0};
  for (int b = 0; b < batches; ++b) {
    const std::uint64_t begin = ticks();
    for (int i = 0; i < locks; ++i) {
      free.lock();
      free.unlock();
    }
    least = std::min(least, ticks() - begin);
  }
  s.seconds_per_lock = double(least) / locks * ns_per_tick() * 1e-9;
}

namespace {

// By rank, on the first of those that are left; a lost one has done nothing that is known. Empty on the others, and where one
// more is lost meanwhile.
std::vector<rank_report> gather_reports(context& self) try {
  if (self.session->self.new_rank) return {};  // it is in no team of those that are left
  const team all = self.session->self.job->goes_on != 0 ? world().survivors() : world();
  std::vector<rank_image> images = all.gather(image_of_this_rank(self), 0);
  if (all.rank() != 0) return {};
  rank_report unknown;
  unknown.program = "lost";
  unknown.sent.resize(std::size_t(self.places));
  unknown.buffered.resize(std::size_t(self.places));
  std::vector<rank_report> reports(std::size_t(self.world_size), unknown);
  for (std::size_t i = 0; i < images.size(); ++i)
    reports[std::size_t(all.world_rank(rank_t(i)))] = from_image(std::move(images[i]));
  return reports;
} catch (const rank_lost&) {
  if (self.session->self.job->goes_on == 0) throw;
  return {};
}

}  // namespace

void report_stats(context& self) {
  rank_stats& s = stats_of(self);
  if (!s.asked.any()) return;
  job_report job{fabric_of(self.session->self), s.asked.timing, gather_reports(self), {}, {}};
  if (job.ranks.empty()) return;
  add_up(job);
  if (!s.asked.file.empty()) write_file(s.asked.file, json_of(job));
  if (!s.asked.print) return;
  const std::string text = text_of(job);
  std::fflush(stdout);
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void report_trace(context& self) {
  trace* const mine = stats_of(self).events.get();
  if (mine == nullptr) return;
  mine->finish();
  if (self.session->self.job->supervisor > 0) return;
  const std::string& file = self.settings->trace;
  const std::vector<std::vector<std::byte>> parts = world().gather(copy_of(mine->part()), 0);
  unlink(trace_part_name(file, self.rank).c_str());
  if (self.rank == 0) say_traced(file, merge_traces(file, parts, self.places));
}

void rescue_trace(context& self) noexcept {
  if (self.count == nullptr || stats_of(self).events == nullptr || self.session->self.job->supervisor > 0) return;
  merge_trace_files(self.settings->trace, self.places);
}

}  // namespace armilla::detail
