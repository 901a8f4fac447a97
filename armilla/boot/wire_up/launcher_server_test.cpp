// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/wire_up/launcher_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

/// A port of this host at which something listens until `end`.
struct port {
  port() : socket(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = inet_addr("127.0.0.1");
    socklen_t size = sizeof here;
    bind(socket, reinterpret_cast<sockaddr*>(&here), size);
    listen(socket, 1);
    getsockname(socket, reinterpret_cast<sockaddr*>(&here), &size);
    number = ntohs(here.sin_port);
  }
  ~port() { end(); }
  port(const port&) = delete;
  void end() {
    if (socket >= 0) close(socket);
    socket = -1;
  }
  int socket, number = 0;
};

class launcher_server : public testing::Test {
 protected:
  launcher_server() {
    clear();
    setenv("PMIX_RANK", "0", 1);
    setenv("PMIX_NAMESPACE", "job", 1);
  }
  ~launcher_server() override { clear(); }
  static void clear() {
    for (const char* name :
         {"PMIX_RANK", "PMIX_NAMESPACE", "PMIX_SERVER_URI41", "PMIX_SERVER_URI21", "PMIX_SERVER_URI9", "PMI_FD"})
      unsetenv(name);
  }
  static std::string found(launcher_kind kind) { return why_gone({kind, 0, "x"}); }
};

TEST_F(launcher_server, that_listens_is_there) {
  const port server;
  setenv("PMIX_SERVER_URI41", ("job@0.0;tcp4://127.0.0.1:" + std::to_string(server.number)).c_str(), 1);
  EXPECT_EQ(found(launcher_kind::pmix), "");
  EXPECT_EQ(found(launcher_kind::open_mpi), "");
}

TEST_F(launcher_server, of_a_later_protocol_is_found) {
  const port server;
  setenv("PMIX_SERVER_URI9", ("job@0.0;tcp4://127.0.0.1:" + std::to_string(server.number)).c_str(), 1);
  EXPECT_EQ(found(launcher_kind::pmix), "");
}

TEST_F(launcher_server, that_has_ended_is_gone) {
  port server;
  server.end();
  setenv("PMIX_SERVER_URI21", ("job.0;tcp4://127.0.0.1:" + std::to_string(server.number)).c_str(), 1);
  const std::string text = "no server listens at 127.0.0.1 port " + std::to_string(server.number) + " (PMIX_SERVER_URI21)";
  EXPECT_EQ(found(launcher_kind::pmix), text);
  EXPECT_EQ(found(launcher_kind::open_mpi), text);
}

TEST_F(launcher_server, that_no_variable_names_is_gone) {
  EXPECT_EQ(found(launcher_kind::pmix), "no PMIX_SERVER_URI names a server");
  EXPECT_EQ(found(launcher_kind::slurm), "");
}

TEST_F(launcher_server, whose_place_cannot_be_read_is_not_called_gone) {
  for (const char* uri : {"job.0", "job;tcp4://host:1", "job;tcp4://127.0.0.1:x", "job;usock:/tmp/x"}) {
    setenv("PMIX_SERVER_URI41", uri, 1);
    EXPECT_EQ(found(launcher_kind::pmix), "") << uri;
  }
}

TEST_F(launcher_server, of_mpich_gives_an_open_socket) {
  setenv("PMI_FD", "999", 1);
  EXPECT_EQ(found(launcher_kind::mpich), "PMI_FD=999 is no open file");
  setenv("PMI_FD", "1", 1);
  EXPECT_EQ(found(launcher_kind::mpich), "");
}

}  // namespace
}  // namespace armilla::detail
