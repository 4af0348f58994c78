#include "apps/crew.h"

#include <utility>

#include "apps/child_process.h"

namespace espalier::apps {
namespace {

class LocalCrew final : public Crew {
 public:
  explicit LocalCrew(size_t size) : size_(size) {}
  size_t size() const override { return size_; }
  Result<std::string> run(const ChildJob& job, const std::atomic<bool>* stop) override {
    return run_child(job, stop);
  }
  void work() override {}

 private:
  size_t size_;
};

CrewMaker& crew_maker() {
  static CrewMaker maker = [](size_t per_machine) { return std::make_unique<LocalCrew>(per_machine); };
  return maker;
}

}  // namespace

std::unique_ptr<Crew> make_crew(size_t per_machine) { return crew_maker()(per_machine); }

void set_crew_maker(CrewMaker maker) { crew_maker() = std::move(maker); }

}  // namespace espalier::apps
