// SPDX-License-Identifier: Apache-2.0
#include "web.hpp"

#include <arpa/inet.h>
#include <httplib.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/host/descriptor.hpp"
#include "armilla/error.hpp"
#include "live_trace.hpp"
#include "page.hpp"

namespace armilla::top {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int most_pages = 32;
constexpr std::size_t most_threads = most_pages + 8, most_queued = 64;
constexpr std::size_t most_request_bytes = 16'384;
constexpr int most_kernel_bytes = 128 << 10;  // that wait for a page in the system
constexpr milliseconds request_within{2000};  // all of its head
constexpr milliseconds taken_within{5000};    // what is written at a time; a page that is slower is closed, and comes back
constexpr milliseconds sign_of_life{1000};    // how soon the end of a page is seen

const httplib::Headers safe_headers = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
     "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"}};

/// What versions of the library ask a stream for, by their names: an older one does not have the newer ones.
struct stream_of_any_version : httplib::Stream {
  virtual bool is_open() const = 0;
  virtual bool is_readable() const { return true; }
  virtual bool wait_readable() const { return true; }
  virtual bool is_writable() const { return is_open(); }
  virtual bool wait_writable() const { return is_open(); }
  virtual bool is_peer_alive() const { return is_open(); }
  virtual time_t duration() const { return 0; }
  virtual void set_read_timeout(time_t, time_t) {}
};

/// A connection of a browser, or of whatever else connects. The whole head of a request has two seconds and 16 KiB.
class connection final : public stream_of_any_version {
 public:
  explicit connection(int socket) noexcept : socket_(socket) {
    setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &most_kernel_bytes, sizeof most_kernel_bytes);
  }
  ~connection() override {  // what was not read would let the system break the connection before the answer is there
    shutdown(socket_.get(), SHUT_WR);
    while (recv(socket_.get(), buffer_, sizeof buffer_, MSG_DONTWAIT) > 0) {}
  }

  ssize_t read(char* to, std::size_t size) override {
    if (first_ == end_ && !fill()) return -1;
    const std::size_t n = std::min(size, end_ - first_);
    std::copy_n(buffer_ + first_, n, to);
    first_ += n;
    return ssize_t(n);
  }
  ssize_t write(const char* from, std::size_t size) override {
    const auto until = clock::now() + taken_within;
    for (std::size_t at = 0; at < size;) {
      const ssize_t n = send(socket_.get(), from + at, size - at, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n > 0)
        at += std::size_t(n);
      else if (n < 0 && errno != EAGAIN && errno != EINTR)
        return -1;
      else if (!wait(POLLOUT, until))
        return -1;
    }
    return ssize_t(size);
  }

  bool is_open() const override {
    pollfd one{socket_.get(), POLLRDHUP, 0};
    return poll(&one, 1, 0) == 0;
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }
  int socket() const override { return socket_.get(); }

 private:
  bool fill() {
    if (received_ >= most_request_bytes || !wait(POLLIN, until_)) return false;
    const ssize_t n = recv(socket_.get(), buffer_, std::min(sizeof buffer_, most_request_bytes - received_), MSG_DONTWAIT);
    if (n <= 0) return false;
    first_ = 0;
    end_ = std::size_t(n);
    received_ += end_;
    return true;
  }
  bool wait(short what, clock::time_point until) const {
    pollfd one{socket_.get(), what, 0};
    const auto left = std::chrono::ceil<milliseconds>(until - clock::now()).count();
    return left > 0 && poll(&one, 1, int(left)) > 0;
  }
  detail::descriptor socket_;
  clock::time_point until_ = clock::now() + request_within;
  std::size_t received_ = 0, first_ = 0, end_ = 0;
  char buffer_[4096];
};

thread_local bool refusing = false;  // the thread that accepts does the task itself, which is to say no

/// A limited number of threads and of connections that wait for one. More are refused at once.
class bounded_pool final : public httplib::TaskQueue {
 public:
  using queued = decltype(std::declval<httplib::TaskQueue&>().enqueue({}));  // void, or bool in later versions

  queued enqueue(std::function<void()> task) override {
    std::unique_lock lock(lock_);
    if (idle_ <= tasks_.size() && threads_.size() < most_threads) {
      threads_.emplace_back([this] { work(); });
      ++idle_;
    }
    if (tasks_.size() < most_queued) {
      tasks_.push_back(std::move(task));
      come_.notify_one();
      return queued(true);
    }
    lock.unlock();
    refusing = true;
    task();
    refusing = false;
    return queued(true);
  }
  void shutdown() override {
    {
      const std::lock_guard lock(lock_);
      over_ = true;
      come_.notify_all();
    }
    for (std::thread& each : threads_) each.join();
  }

 private:
  void work() {
    std::unique_lock lock(lock_);
    for (;;) {
      come_.wait(lock, [this] { return over_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      --idle_;
      lock.unlock();
      try {
        task();
      } catch (const std::exception&) {}  // of one request: its connection is closed
      lock.lock();
      ++idle_;
    }
  }

  std::mutex lock_;
  std::condition_variable come_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool over_ = false;
};

std::string random_token() {
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != ssize_t(sizeof bytes))
    armilla::detail::throw_usage("serve", "the system gives no random numbers");
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// In a time that does not depend on how many letters are right.
bool same(const std::string& a, const std::string& b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool is_number(const std::string& host) {
  char unused[16];
  if (host.size() > 2 && host.front() == '[') return inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), unused) == 1;
  return inet_pton(AF_INET, host.c_str(), unused) == 1;
}

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "localhost";
}

std::string in_address(const std::string& host) { return host.find(':') == host.npos ? host : "[" + host + "]"; }

// A page of another site that a browser was made to load from here, by a name that now leads here (DNS rebinding), has that name
// in its requests. So names are those of this host; numbers are no names.
bool is_own_host(const std::string& header, const std::string& bind) {
  const std::string host = host_in(header);
  if (host == "127.0.0.1" || host == "localhost" || host == "[::1]") return true;
  return !is_loopback(bind) && (is_number(host) || host == bind || host == host_name());
}

void say(httplib::Response& to, int status, const std::string& text) {
  to.status = status;
  to.set_content(text + "\n", "text/plain; charset=utf-8");
}

}  // namespace

bool is_loopback(const std::string& bind) { return bind.starts_with("127.") || bind == "::1" || bind == "localhost"; }

std::string host_in(const std::string& header) {
  const std::size_t end = header.starts_with('[') ? header.find(']') : header.find(':');
  if (end == header.npos) return header;
  return header.substr(0, header[end] == ']' ? end + 1 : end);
}

/// The library's server, whose connections are of the class above.
class web::server final : public httplib::Server {
 private:
  // Versions differ in what they want to know of the two ends.
  template <class Self>
  static void process(Self& self, connection& from, bool& closed) {
    const std::function<void(httplib::Request&)> nothing = [](httplib::Request&) {};
    if constexpr (requires { self.process_request(from, true, closed, nothing); })
      self.process_request(from, true, closed, nothing);
    else
      self.process_request(from, std::string(), 0, std::string(), 0, true, closed, nothing);
  }

  bool process_and_close_socket(int socket) override {
    connection from(socket);
    if (refusing) {
      constexpr std::string_view busy = "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      return send(socket, busy.data(), busy.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
    }
    bool closed = false;
    process(*this, from, closed);
    return true;
  }
};

web::web(feed& from, const std::string& bind, int port)
    : from_(from), bind_(bind), token_(random_token()), server_(std::make_unique<server>()) {
  using httplib::Request, httplib::Response;
  server& s = *server_;
  s.new_task_queue = [] { return new bounded_pool; };
  s.set_default_headers(safe_headers);
  s.set_socket_options([](int socket) {  // the library's own let another process of this user listen at the same port
    const int on = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  });
  s.set_pre_routing_handler([this](const Request& request, Response& response) {
    const auto refuse = [&](int status, const char* why) {
      say(response, status, why);
      return httplib::Server::HandlerResponse::Handled;
    };
    const std::string host = request.get_header_value("Host"), origin = request.get_header_value("Origin");
    if (!is_own_host(host, bind_)) return refuse(403, "This page is not known by that host name.");
    if (!origin.empty() && origin != "http://" + host) return refuse(403, "Another site may not read this page.");
    if (!same(request.path.substr(0, token_.size() + 2), "/" + token_ + "/"))
      return refuse(403, "Take the whole address that armilla-top has printed: its token is missing, or of another time.");
    if (request.method != "GET") return refuse(405, "This page can only be read.");
    return httplib::Server::HandlerResponse::Unhandled;
  });

  const std::string root = "/" + token_ + "/";
  s.Get(root, [](const Request&, Response& to) { to.set_content(page_text, "text/html; charset=utf-8"); });
  s.Get(root + "trace", [this](const Request&, Response& to) {
    const std::string live = live_trace_of(from_.job());
    to.set_header("Content-Disposition", "attachment; filename=\"armilla-trace.json\"");
    to.set_content(live.empty() ? from_.trace() : live, "application/json");
  });
  for (std::size_t i = 0; i < questions; ++i)
    s.Get(root + "ask/" + std::string(question_names[i]), [this, i](const Request&, Response& to) {
      from_.ask(question(i));
      to.status = 204;
    });
  s.Get(root + "events", [this](const Request&, Response& to) {
    if (++pages_ > most_pages) {
      --pages_;
      return say(to, 503, fmt::format("{} pages of this job are open already.", most_pages));
    }
    to.set_chunked_content_provider(
        "text/event-stream",
        [this, seen = std::uint64_t(0)](std::size_t, httplib::DataSink& sink) mutable {
          if (seen == 0) {
            const std::string past = from_.past();
            if (!sink.write(past.data(), past.size())) return false;
          }
          const feed::event next = from_.next(seen, sign_of_life);
          if (from_.stopped()) return false;
          const std::string_view text = next != nullptr ? std::string_view(*next) : std::string_view(": nothing new\n\n");
          return sink.write(text.data(), text.size());
        },
        [this](bool) { --pages_; });
  });

  port_ = port == 0 ? s.bind_to_any_port(bind_) : s.bind_to_port(bind_, port) ? port : -1;
  if (port_ < 0)
    armilla::detail::throw_usage(
        "serve", fmt::format("port {} of {} cannot be had: {}; take another one, or none", port, bind_, std::strerror(errno)));
  thread_ = std::thread([this] {
    server_->listen_after_bind();
    ended_ = true;
  });
  while (!server_->is_running() && !ended_) std::this_thread::sleep_for(milliseconds(1));  // before that it cannot be stopped
  if (!ended_) return;
  thread_.join();
  armilla::detail::throw_usage("serve", fmt::format("cannot accept connections on port {} of {}", port_, bind_));
}

web::~web() {
  from_.stop();
  server_->stop();
  thread_.join();
}

std::string web::address() const {
  const bool any = bind_ == "0.0.0.0" || bind_ == "::";
  return fmt::format("http://{}:{}/{}/", in_address(any ? host_name() : bind_), port_, token_);
}

}  // namespace armilla::top
