// SPDX-License-Identifier: Apache-2.0
// The same with MPI: a plain message of 16 bytes.
#include <cstdint>

#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/micro/message.hpp"

namespace papers {
namespace {

class by_send {
 public:
  void send(long n) {
    for (; n > 0; --n, ++next_) {
      const std::uint64_t words[2] = {next_, 2 * next_};
      MPI_Send(words, 2, MPI_UINT64_T, 1 - me_, 0, MPI_COMM_WORLD);
    }
  }
  void take(long n) {
    for (; n > 0; --n, ++taken_) {
      std::uint64_t words[2];
      MPI_Recv(words, 2, MPI_UINT64_T, 1 - me_, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum_ += words[1] - words[0];
    }
  }
  bool right(long, long taken) const {
    return std::uint64_t(taken) == taken_ && (taken_ == 0 || sum_ == taken_ * (taken_ - 1) / 2);
  }

 private:
  int me_ = mpi_job{}.rank();
  std::uint64_t next_ = 0, taken_ = 0, sum_ = 0;
};

int run_all(const command_line& line, const message_options& how) {
  runner<mpi_job> run(line);
  if (run.job().ranks() < 2) return line.refuse_ranks(run.job().ranks(), 2);
  by_send channel;
  message_test(run, how, "send", channel).measure();
  return 0;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("micro", "Sixteen bytes to another rank by MPI: send and receive parts apart, and one way.",
                            {"send"});
  papers::message_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return papers::run_mpi("paper_micro_mpi", [&] { return papers::run_all(line, how); });
}
