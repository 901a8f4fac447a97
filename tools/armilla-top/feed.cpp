// SPDX-License-Identifier: Apache-2.0
#include "feed.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "named_containers.hpp"
#include "show.hpp"
#include "traffic.hpp"

namespace armilla::top {
namespace {

using json = nlohmann::ordered_json;
using detail::method_rates;
using std::chrono::milliseconds;

constexpr std::chrono::seconds asked_for{10};
constexpr milliseconds containers_every{2000}, answers_every{1000}, step{100};

json json_of(const std::vector<detail::method_rate>& rates) {
  json all = json::array();
  for (const detail::method_rate& m : rates)
    all.push_back({{"name", m.name}, {"messages_a_second", m.messages}, {"bytes_a_second", m.bytes}});
  return all;
}

json json_of(const named_containers& asked) {
  snapshot s;
  asked.add_to(s.containers);
  return top::json_of(s, false)["containers"];
}

}  // namespace

feed::feed(client job, milliseconds interval) : interval_(interval), look_(std::move(job)) {
  threads_.emplace_back([this] { sample(); });
  threads_.emplace_back([this] { ask_ranks(); });
}

feed::~feed() {
  stop();
  for (std::thread& each : threads_) each.join();
}

void feed::stop() {
  const std::lock_guard lock(lock_);
  stopped_ = true;
  changed_.notify_all();
}

bool feed::stopped() const {
  const std::lock_guard lock(lock_);
  return stopped_;
}

bool feed::over() const {
  const std::lock_guard lock(lock_);
  return over_;
}

// False: the feed has been stopped.
bool feed::wait(milliseconds time) {
  std::unique_lock lock(lock_);
  return !changed_.wait_for(lock, time, [this] { return stopped_; });
}

feed::event feed::next(std::uint64_t& seen, milliseconds patience) {
  std::unique_lock lock(lock_);
  changed_.wait_for(lock, patience, [&] { return stopped_ || number_ > seen; });
  if (stopped_ || number_ <= seen) return nullptr;
  seen = number_;
  return newest_;
}

void feed::ask(question what) {
  const std::lock_guard lock(lock_);
  asked_[std::size_t(what)] = clock::now() + asked_for;
  changed_.notify_all();
}

bool feed::is_asked(question what) const {
  const std::lock_guard lock(lock_);
  return !over_ && clock::now() < asked_[std::size_t(what)];
}

std::string feed::past() const {
  json all;
  {
    const std::lock_guard lock(lock_);
    all = past_.samples();
  }
  return "event: past\ndata: " + text_of(all) + "\n\n";
}

std::string feed::trace() const {
  history copy;
  {
    const std::lock_guard lock(lock_);
    copy = past_;
  }
  return text_of(copy.trace());
}

void feed::publish(const snapshot& s) {
  json all = top::json_of(s, false);
  {
    const std::lock_guard lock(lock_);
    for (std::size_t i = 0; i < questions; ++i)
      if (answers_[i] != nullptr) all[std::string(question_names[i])] = *answers_[i];
  }
  auto made = std::make_shared<const std::string>("event: snapshot\ndata: " + text_of(all) + "\n\n");
  const std::lock_guard lock(lock_);
  past_.add(s);
  newest_ = std::move(made);
  ++number_;
  over_ = !s.alive;
  changed_.notify_all();
}

void feed::sample() {
  for (auto due = clock::now(); !over();) {
    try {
      snapshot s = look_.next();
      {
        const std::lock_guard lock(lock_);
        s.containers = containers_;
      }
      publish(s);
    } catch (const std::exception&) {}  // no memory: the next one may have it
    due = std::max(due + interval_, clock::now());
    if (!wait(std::chrono::duration_cast<milliseconds>(due - clock::now()))) return;
  }
}

// What needs the help of ranks, or of agents, may take long: snapshots go on meanwhile.
void feed::ask_ranks() {
  std::optional<method_rates> methods;
  std::optional<traffic> bytes;
  std::optional<named_containers> objects;
  clock::time_point containers_due, answers_due;
  while (!over() && wait(step)) try {
      const auto now = clock::now();
      if (now >= containers_due) {
        auto found = containers_of(job());
        containers_due = clock::now() + containers_every;
        const std::lock_guard lock(lock_);
        containers_ = std::move(found);
      }
      if (!is_asked(question::methods))
        methods.reset();
      else if (!methods)
        methods.emplace(job());
      else
        methods->ask();
      if (!is_asked(question::traffic))
        bytes.reset();
      else if (!bytes)
        bytes.emplace(job());
      if (!is_asked(question::objects)) objects.reset();
      if (now < answers_due) continue;
      if (objects)
        objects->ask();
      else if (is_asked(question::objects))
        objects.emplace(job());
      answers_due = now + answers_every;
      std::shared_ptr<const json> fresh[questions];
      if (is_asked(question::waits)) fresh[0] = std::make_shared<const json>(job().who_waits());
      if (methods) fresh[1] = std::make_shared<const json>(json_of(methods->rates()));
      if (bytes) fresh[2] = std::make_shared<const json>(bytes->next());
      if (objects) fresh[3] = std::make_shared<const json>(json_of(*objects));
      const std::lock_guard lock(lock_);
      std::ranges::move(fresh, answers_);
    } catch (const std::exception&) {  // a host does not answer, or ranks have other clients: the page keeps what it has
    }
}

}  // namespace armilla::top
