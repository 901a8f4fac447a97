// SPDX-License-Identifier: Apache-2.0
// Running jobs, seen from outside: armilla/attach.hpp.
#include "armilla/attach.hpp"

#include <nanobind/stl/string.h>

#include "armilla/stats/counter_table.hpp"
#include "binding.hpp"

namespace armilla::python {
namespace {

nb::dict as_dict(const job_summary& job) {
  nb::dict d;
  d["process"] = job.process;
  d["program"] = job.program;
  d["ranks"] = job.ranks;
  d["threads"] = job.threads;
  return d;
}

nb::dict counters_of(const statistics& counts) {
  nb::dict d;
  for (const detail::counter_row& row : detail::counter_table()) d[row.name] = counts.*row.member;
  return d;
}

nb::dict as_dict(const rank_look& r) {
  nb::dict d;
  d["rank"] = int(r.rank);
  d["process"] = r.process;
  d["program"] = r.program;
  d["here"] = r.here;
  d["known"] = r.known;
  d["host"] = r.host;
  d["doing"] = r.doing;
  d["seconds"] = r.seconds;
  d["waits_for"] = r.waits_for;
  d["algorithm"] = r.algorithm;
  d["cpu"] = r.cpu;
  d["memory"] = r.memory;
  d["segment"] = r.segment;
  d["counters"] = counters_of(r.counts);
  return d;
}

nb::list all_jobs() {
  nb::list all;
  for (const job_summary& job : jobs()) all.append(as_dict(job));
  return all;
}

nb::list stats_of(const client& job) {
  nb::list all;
  for (const rank_look& r : job.look()) all.append(as_dict(r));
  return all;
}

}  // namespace

void bind_attach(nb::module_& m) {
  nb::class_<client>(m, "Client")
      .def_prop_ro("process", &client::process)
      .def_prop_ro("ranks", [](const client& job) { return int(job.ranks()); })
      .def_prop_ro("alive", &client::alive)
      .def("summary", [](const client& job) { return as_dict(job.summary()); })
      .def("look", &stats_of)
      .def("who_waits",
           [](const client& job) {
             const nb::gil_scoped_release others;
             return job.who_waits();
           })
      .def("on", [](const client& job, int rank) { return job.on(rank_t(rank)); });
  m.def("jobs", &all_jobs);
  m.def("attach", [](const std::string& which) { return attach(which); });
}

}  // namespace armilla::python
