#include "apps/mpi_crew.h"

#include <mpi.h>

#include <chrono>
#include <list>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/child_process.h"
#include "apps/terminal.h"

namespace espalier::apps {
namespace {

// What letters are about. Answers have the number of their job as tag, from kFirstAnswer.
constexpr int kJob = 2, kStop = 3, kEnd = 4, kFirstAnswer = 100;
constexpr auto kPause = std::chrono::milliseconds(5);  // between looks at what has come

/// A letter on its way, whose text must stay where it is.
struct Sending {
  std::string text;
  MPI_Request request = MPI_REQUEST_NULL;
};

void send(std::list<Sending>& sending, int rank, int tag, std::string text) {
  Sending& one = sending.emplace_back(Sending{std::move(text)});
  MPI_Isend(one.text.data(), static_cast<int>(one.text.size()), MPI_BYTE, rank, tag, MPI_COMM_WORLD,
            &one.request);
}

void forget_sent(std::list<Sending>& sending) {
  sending.remove_if([](Sending& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
}

/// The next letter, if one has come.
std::optional<std::pair<MPI_Status, std::string>> receive() {
  int there = 0, bytes = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  std::string text(static_cast<size_t>(bytes), '\0');
  MPI_Recv(text.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
  return std::pair{status, std::move(text)};
}

std::string job_text(const ChildJob& job, int number) {
  return json_text({{"number", number},
                    {"program", job.program},
                    {"words", job.words},
                    {"input", job.input},
                    {"seconds", job.seconds}});
}

std::string answer_text(const Result<std::string>& answer) {
  return json_text({{answer.ok() ? "printed" : "error", answer.ok() ? *answer : answer.error().message}});
}

Result<std::string> answer_of(const std::string& text) {
  const Json json = parse_json(text);
  if (json.contains("error")) return Error{json["error"].get<std::string>()};
  return json["printed"].get<std::string>();
}

/// A job that another rank runs for rank 0.
struct Running {
  int number = 0;
  std::atomic<bool> stop{false}, done{false};
  std::string answer;
  std::thread thread;
};

}  // namespace

MpiCrew::MpiCrew(const Ranks& ranks, size_t per_rank)
    : ranks_(ranks.size()), rank_(ranks.rank()), per_rank_(per_rank) {
  for (size_t place = 0; place < per_rank; ++place)
    for (int r = ranks_ - 1; r >= 0; --r) free_.push_back(r);
  if (rank_ == 0) carrier_.emplace([this] { carry_letters(); });
}

MpiCrew::~MpiCrew() {
  if (!carrier_) return;
  {
    const std::lock_guard lock(mutex_);
    for (int r = 1; r < ranks_; ++r) to_send_.push_back({r, kEnd, ""});
    over_ = true;
  }
  carrier_->join();
}

size_t MpiCrew::size() const { return per_rank_ * static_cast<size_t>(ranks_); }

/// Rank 0's thread: sends what there is to send and puts answers where run_on() waits for them.
void MpiCrew::carry_letters() {
  std::list<Sending> sending;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      for (; !to_send_.empty(); to_send_.pop_front())
        send(sending, to_send_.front().rank, to_send_.front().tag, std::move(to_send_.front().text));
      if (over_ && sending.empty()) return;
    }
    forget_sent(sending);
    if (auto letter = receive()) {
      const std::lock_guard lock(mutex_);
      answers_.emplace(letter->first.MPI_TAG - kFirstAnswer, std::move(letter->second));
      changed_.notify_all();
    } else {
      std::this_thread::sleep_for(kPause);
    }
  }
}

Result<std::string> MpiCrew::run(const ChildJob& job, const std::atomic<bool>* stop) {
  int rank = 0;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !free_.empty(); });
    rank = free_.back();
    free_.pop_back();
  }
  auto answer = rank == 0 ? run_child(job, stop) : run_on(rank, job, stop);
  const std::lock_guard lock(mutex_);
  free_.push_back(rank);
  changed_.notify_all();
  return answer;
}

Result<std::string> MpiCrew::run_on(int rank, const ChildJob& job, const std::atomic<bool>* stop) {
  std::unique_lock lock(mutex_);
  const int number = ++last_job_;
  to_send_.push_back({rank, kJob, job_text(job, number)});
  bool stopped = false;
  while (!answers_.contains(number)) {
    changed_.wait_for(lock, std::chrono::milliseconds(100));
    if (!stopped && stop != nullptr && *stop) {
      stopped = true;
      to_send_.push_back({rank, kStop, std::to_string(number)});
    }
  }
  return answer_of(answers_.extract(number).mapped());
}

void MpiCrew::work() {
  std::list<Sending> sending;
  std::list<Running> running;
  for (bool over = false; !over || !running.empty() || !sending.empty();) {
    forget_sent(sending);
    for (auto one = running.begin(); one != running.end();) {
      if (!one->done) {
        ++one;
        continue;
      }
      one->thread.join();
      send(sending, 0, kFirstAnswer + one->number, std::move(one->answer));
      one = running.erase(one);
    }
    const auto letter = over ? std::nullopt : receive();
    if (!letter) {
      std::this_thread::sleep_for(kPause);
    } else if (letter->first.MPI_TAG == kEnd) {
      over = true;
    } else if (letter->first.MPI_TAG == kStop) {
      for (Running& one : running)
        if (std::to_string(one.number) == letter->second) one.stop = true;
    } else {
      const Json json = parse_json(letter->second);
      ChildJob job{json["program"], json["words"], json["input"], json["seconds"]};
      Running& one = running.emplace_back();
      one.number = json["number"];
      one.thread = std::thread([&one, asked = std::move(job)] {
        one.answer = answer_text(run_child(asked, &one.stop));
        one.done = true;
      });
    }
  }
}

}  // namespace espalier::apps
