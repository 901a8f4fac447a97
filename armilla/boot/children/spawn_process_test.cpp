// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/children/spawn_process.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "armilla/boot/host/descriptor.hpp"
#include "armilla/boot/wire_up/join_job.hpp"

namespace armilla::detail {
namespace {

/// A shell with that line, to be spawned, and what it writes.
class spawned_shell {
 public:
  explicit spawned_shell(const std::string& line)
      : program_{.path = "/bin/sh", .arguments = {"sh", "-c", line}, .environment = {}},
        record_(static_cast<rank_record*>(
            mmap(nullptr, sizeof(rank_record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    how_.program = &program_;
    how_.rank = 3;
    how_.record = record_;
    how_.memory = memory_.get();
    how_.bind = false;
  }
  ~spawned_shell() { munmap(record_, sizeof *record_); }
  spawned_shell(const spawned_shell&) = delete;

  program_spec& program() { return program_; }
  spawn_plan& how() { return how_; }
  const rank_record& record() const { return *record_; }
  /// All that it writes, without the last end of a line.
  std::string output() {
    int ends[2];
    if (pipe(ends) != 0) return "no pipe";
    how_.output = ends[1];
    const pid_t process = spawn(how_);
    close(ends[1]);
    std::string all;
    char text[256];
    for (ssize_t n; (n = read(ends[0], text, sizeof text)) > 0;) all.append(text, std::size_t(n));
    close(ends[0]);
    waitpid(process, &status_, 0);
    return all.substr(0, all.find_last_not_of('\n') + 1);
  }
  int status() const { return status_; }

 private:
  program_spec program_;
  rank_record* record_;  // shared, where vfork is a fork
  descriptor memory_{memfd_create("a test", MFD_CLOEXEC)};
  spawn_plan how_;
  int status_ = -1;
};

TEST(spawn_process, a_program_is_told_its_rank_and_its_job) {
  spawned_shell shell(std::string("echo $") + rank_variable + " $" + job_variable);
  EXPECT_EQ(shell.output(), "3 " + std::to_string(shell.how().memory));
  EXPECT_EQ(shell.status(), 0);
}

TEST(spawn_process, the_jobs_memory_is_open_in_the_program) {
  spawned_shell shell(std::string("readlink /proc/self/fd/$") + job_variable);
  EXPECT_NE(shell.output().find("a test"), std::string::npos);
}

TEST(spawn_process, a_rank_with_a_line_is_told_that_and_no_job) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  spawned_shell shell(std::string("env | grep -e LINE= -e ") + job_variable + "; echo x >&" + std::to_string(ends[1]));
  shell.how().line = ends[1];
  shell.how().line_text = "a word";
  EXPECT_NE(shell.output().find("=a word"), std::string::npos);
  EXPECT_EQ(shell.output().find(job_variable), std::string::npos);
  char text[2];
  EXPECT_EQ(read(ends[0], text, sizeof text), 2) << "it is open in the program";
  for (const int end : ends) close(end);
}

TEST(spawn_process, its_variables_replace_ours) {
  setenv("ARMILLA_TEST_ONE", "ours", 1);
  setenv("ARMILLA_TEST_TWO", "ours", 1);
  spawned_shell shell("tr '\\0' '\\n' </proc/$$/environ | grep ARMILLA_TEST_ | sort");
  shell.program().environment = {"ARMILLA_TEST_TWO=its"};
  EXPECT_EQ(shell.output(), "ARMILLA_TEST_ONE=ours\nARMILLA_TEST_TWO=its");
  unsetenv("ARMILLA_TEST_ONE");
  unsetenv("ARMILLA_TEST_TWO");
}

TEST(spawn_process, it_starts_in_its_folder) {
  spawned_shell shell("pwd -P");
  shell.program().folder = "/";
  EXPECT_EQ(shell.output(), "/");
}

TEST(spawn_process, its_input_is_empty_unless_it_keeps_ours) {
  const descriptor before(dup(STDIN_FILENO)), other(memfd_create("our input", MFD_CLOEXEC));
  dup2(other.get(), STDIN_FILENO);
  for (const bool kept : {false, true}) {
    spawned_shell shell("readlink /proc/$$/fd/0");
    shell.how().keep_input = kept;
    EXPECT_EQ(shell.output(), kept ? "/memfd:our input (deleted)" : "/dev/null");
  }
  dup2(before.get(), STDIN_FILENO);
}

TEST(spawn_process, what_cannot_be_executed_leaves_its_error) {
  spawned_shell shell("true");
  shell.program().path = "/no/such/program";
  shell.output();
  EXPECT_EQ(shell.record().exec_error, ENOENT);
  EXPECT_EQ(WEXITSTATUS(shell.status()), 127);
}

TEST(spawn_process, a_folder_that_is_not_there_is_an_error_too) {
  spawned_shell shell("true");
  shell.program().folder = "/no/such/folder";
  shell.output();
  EXPECT_EQ(shell.record().exec_error, ENOENT);
}

TEST(spawn_process, it_dies_with_the_thread_that_started_it) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "vfork is fork there, so the thread may end before its child asks to die with it";
#endif
  spawned_shell shell("sleep 5");
  pid_t process = -1;
  std::thread([&] { process = spawn(shell.how()); }).join();
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(spawn_process, this_program_is_this_file_as_it_was_called) {
  char another[] = "another name";
  char* arguments[] = {another, nullptr};
  const program_spec self = this_program(1, arguments);
  // Read, not followed: an emulator shows the program by the link's text and is itself what it leads to.
  EXPECT_TRUE(std::filesystem::equivalent(self.path, std::filesystem::read_symlink("/proc/self/exe")));
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string first;
  std::getline(file, first, '\0');
  ASSERT_FALSE(self.arguments.empty());
  EXPECT_EQ(self.arguments[0], first) << "main may have changed its own";
}

}  // namespace
}  // namespace armilla::detail
