// SPDX-License-Identifier: Apache-2.0
#include <ostream>

#include "bench/harness/report.hpp"
#include "bench/papers/common/record.hpp"

namespace bench {
namespace {

/// What does a row, and what carries it in the words of the programs of the papers.
struct words {
  std::string by, fabric;
};
words words_for(worker_kind kind, const std::string& fabric) {
  switch (kind) {
    case worker_kind::hand: return {"hand", fabric};
    case worker_kind::compiler: return {"compiler", fabric};
    case worker_kind::mpi: return {"mpi", "mpi"};
    case worker_kind::ucx:
    case worker_kind::ucx_tcp: return {"ucx", kind == worker_kind::ucx ? "ucx" : "ucx-tcp"};
    case worker_kind::over_mpi:
    case worker_kind::hosts_mpi: return {"armilla", "mpi"};
    case worker_kind::hosts_ucx: return {"armilla", "ucx"};
    case worker_kind::hosts_mixed_mpi:
    case worker_kind::hosts_mixed_ucx: return {"armilla", kind == worker_kind::hosts_mixed_mpi ? "mixed-mpi" : "mixed-ucx"};
    case worker_kind::over_ucx:
    case worker_kind::over_ucx_tcp: return {"armilla", kind == worker_kind::over_ucx ? "ucx" : "ucx-tcp"};
    case worker_kind::over_mpi_thread: return {"armilla", "mpi-thread"};
    case worker_kind::over_ucx_tcp_thread: return {"armilla", "ucx-tcp-thread"};
    case worker_kind::example_mpi: return {"mpi", "mpi"};
    case worker_kind::example:
    case worker_kind::armilla: return {"armilla", fabric};
    default:  // the others reach memory by messages
      return {"armilla", fabric + "-by-message"};
  }
}

/// A row that stands beside another one, where its name alone would not say how it was done.
std::string name_of(const baseline& b) {
  const bool timed = b.worker == worker_kind::timed || b.worker == worker_kind::programs_timed;
  return b.row + (timed ? "/timed" : "");
}

papers::record describe(const result& r, worker_kind kind, const std::string& version) {
  const words w = words_for(kind, r.fabric);
  return {.program = r.what->suite,
          .version = version,
          .by = w.by,
          .ranks = r.ranks,
          .fabric = w.fabric,
          .unit = r.what->unit,
          .verified = true};  // a row whose result is wrong has no samples
}

void add_parts(papers::record& to, const anatomy& p) {
  if (p.total <= 0) return;
  constexpr double ns = 1e-9;
  to.components = {{"total", p.total * ns},
                   {"net", p.messages * ns},
                   {"threads", p.threads * ns},
                   {"runtime", p.runtime * ns},
                   {"cpu", p.body * ns}};
  to.counts = {{"yields", p.yields}, {"creates", p.creates}, {"syncs", p.syncs}};
}

}  // namespace

void write_records(std::ostream& out, const std::vector<result>& all) {
  for (const result& r : all) {
    if (r.usable().empty()) continue;
    papers::record own = describe(r, r.what->worker, r.what->name);
    for (const round& one : r.usable()) own.samples.push_back(one.own.value);
    add_parts(own, r.parts());
    if (r.what->size > 0) own.size["size"] = r.what->size;
    out << json_line(own) << '\n';
    for (std::size_t b = 0; b < r.what->baselines.size(); ++b) {
      const baseline& with = r.what->baselines[b];
      papers::record other = describe(r, with.worker, name_of(with));
      other.size["beside"] = r.what->name;
      for (const round& one : r.usable()) other.samples.push_back(one.others[b].value);
      out << json_line(other) << '\n';
    }
  }
}

}  // namespace bench
