// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/join_request.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <future>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "armilla/boot/host/local_socket.hpp"

namespace armilla::detail {
namespace {

std::atomic<bool> was_late = false;

/// The memory of a job whose supervisor is this process, and what takes requests for it.
class asked_supervisor {
 public:
  asked_supervisor() {
    struct stat about{};
    fstat(memory_.get(), &about);
    identity_ = about.st_ino;
    listener_->listen(memory_.get());
  }
  std::future<join_answer> ask(const program_spec& program) const {
    was_late = false;
    return std::async(std::launch::async,
                      [=, this] { return ask_to_join(getpid(), identity_, program, 0, [] { was_late = true; }); });
  }
  int connect() const { return connect_locally("armilla-join-" + std::to_string(getpid()) + "-" + std::to_string(identity_)); }
  /// The next request; null: what came was none.
  std::unique_ptr<join_request> take() {
    for (std::vector<pollfd> list = watched(); poll(list.data(), nfds_t(list.size()), 10'000) > 0; list = watched()) {
      auto found = listener_->take();
      if (!found.empty()) return std::move(found[0]);
      if (watched().size() == 1) break;  // it was sent away; else a caller has said nothing yet
    }
    return nullptr;
  }
  void go() { listener_.reset(); }

 private:
  std::vector<pollfd> watched() const {
    std::vector<pollfd> list;
    listener_->watch(list);
    return list;
  }

  descriptor memory_{memfd_create("a test", MFD_CLOEXEC)};
  std::uint64_t identity_ = 0;
  std::optional<join_listener> listener_{std::in_place};
};

program_spec a_worker() {
  return {.path = "/bin/worker", .arguments = {"worker", "", "-x"}, .environment = {"A=1", "B="}, .ranks = 3, .folder = "/tmp"};
}

TEST(join_request, what_is_asked_for_arrives_whole) {
  asked_supervisor job;
  auto asked = job.ask(a_worker());
  const auto request = job.take();
  ASSERT_NE(request, nullptr);
  EXPECT_EQ(request->program.path, "/bin/worker");
  EXPECT_EQ(request->program.folder, "/tmp");
  EXPECT_EQ(request->program.ranks, 3);
  EXPECT_EQ(request->program.arguments, a_worker().arguments);
  EXPECT_EQ(request->program.environment, a_worker().environment);
  answer(*request, {});
}

TEST(join_request, the_answer_reaches_what_asked) {
  asked_supervisor job;
  for (const bool good : {true, false}) {
    auto asked = job.ask(a_worker());
    const auto request = job.take();
    ASSERT_NE(request, nullptr);
    answer(*request, {good, good ? "rank 3 is in it" : "no place"});
    const join_answer found = asked.get();
    EXPECT_EQ(found.good, good);
    EXPECT_EQ(found.text, good ? "rank 3 is in it" : "no place");
  }
}

TEST(join_request, a_late_answer_is_waited_for) {
  asked_supervisor job;
  auto asked = job.ask(a_worker());
  const auto request = job.take();
  ASSERT_NE(request, nullptr);
  was_late.wait(false);
  answer(*request, {true, "at last"});
  EXPECT_EQ(asked.get().text, "at last");
}

TEST(join_request, a_job_that_ends_gives_no_answer) {
  asked_supervisor job;
  auto asked = job.ask(a_worker());
  auto request = job.take();
  ASSERT_NE(request, nullptr);
  job.go();
  request.reset();
  EXPECT_EQ(asked.get().text, "");
  EXPECT_EQ(job.ask(a_worker()).get().text, "") << "none listens";
}

/// The head of a request as it goes over the connection.
struct forged_head {
  std::uint64_t magic = 0x316e696f6a6d7261;
  std::uint32_t ranks = 1, arguments = 1, variables = 0, unused = 0;
};

bool takes(const forged_head& head, const std::string& strings) {
  asked_supervisor job;
  const descriptor caller(job.connect()), file(memfd_create("a test", MFD_CLOEXEC));
  if (pwrite(file.get(), strings.data(), strings.size(), 0) != ssize_t(strings.size())) return false;
  if (!send_with_descriptor(caller.get(), &head, sizeof head, file.get())) return false;
  return job.take() != nullptr;
}

TEST(join_request, what_is_none_is_sent_away) {
  const std::string sound("/bin/worker\0/tmp\0worker\0", 24);
  EXPECT_TRUE(takes({}, sound));
  EXPECT_FALSE(takes({.magic = 1}, sound));
  EXPECT_FALSE(takes({.ranks = 0}, sound));
  EXPECT_FALSE(takes({.ranks = most_lasting_ranks + 1}, sound));
  EXPECT_FALSE(takes({.arguments = 0}, sound.substr(0, 17)));
  EXPECT_FALSE(takes({.variables = 1}, sound)) << "less than it says";
  EXPECT_FALSE(takes({}, sound + sound)) << "more than it says";
}

TEST(join_request, bytes_without_a_file_are_sent_away) {
  asked_supervisor job;
  const descriptor caller(job.connect());
  const forged_head head;
  ASSERT_EQ(send(caller.get(), &head, sizeof head, 0), ssize_t(sizeof head));
  EXPECT_EQ(job.take(), nullptr);
  EXPECT_TRUE(has_hung_up(caller.get()));
}

}  // namespace
}  // namespace armilla::detail
