// A search task of one's own: a parser that finds the head of every word, decision by decision.
//
//   own_task [FILE]    learns with three learners, shows how many heads are right, explains a sentence;
//                      saves the last policy to FILE, opens it again and checks that it parses the same
//
// The task is the type Parse: the search for the tree of one sentence. Words wait in a buffer; a stack holds
// those whose heads are not known yet. Three actions (the arc-hybrid system of Kuhlmann, Gómez-Rodríguez and
// Satta 2011):
//
//   SHIFT  the next word goes on the stack
//   LEFT   the next word is the head of the top of the stack, which is done
//   RIGHT  the word below is the head of the top of the stack, which is done
#include <espalier/task.h>

#include <cstdio>
#include <random>

namespace es = espalier;

struct Parse {
  enum Move : uint32_t { kShift, kLeft, kRight };
  struct State {
    std::vector<uint32_t> stack;
    uint32_t next = 0;
    std::vector<uint32_t> heads;  // of words that are done
  };
  std::vector<std::string> words;
  std::vector<uint32_t> gold;  // the head of each word; words.size() stands for the root

  uint32_t root() const { return static_cast<uint32_t>(words.size()); }
  std::string word(size_t i) const { return i < words.size() ? words[i] : "-"; }

  // ---- The search
  size_t labels() const { return 3; }
  State initial() const { return {{}, 0, std::vector<uint32_t>(words.size(), root())}; }
  bool is_goal(const State& s) const { return s.next == root() && s.stack.empty(); }
  void actions(const State& s, std::vector<es::Action>& out) const {
    if (s.next < root()) out.push_back({0, kShift});
    if (!s.stack.empty()) out.push_back({0, kLeft});
    if (s.stack.size() > 1) out.push_back({0, kRight});
  }
  State apply(const State& s, es::Action a) const {
    State after = s;
    if (a.label == kShift) {
      after.stack.push_back(after.next++);
    } else {
      const uint32_t done = after.stack.back();
      after.stack.pop_back();
      after.heads[done] = a.label == kLeft ? after.next : after.stack.back();
    }
    return after;
  }
  void features(const State& s, uint32_t, es::FeatureSink& out) const {
    const std::string top = s.stack.empty() ? "-" : word(s.stack.back());
    const std::string below = s.stack.size() < 2 ? "-" : word(s.stack[s.stack.size() - 2]);
    const std::string next = word(s.next);
    out.add("top=" + top);
    out.add("next=" + next);
    out.add("top,next=" + top + "," + next);
    out.add("below,top=" + below + "," + top);
    out.add("below,top,next=" + below + "," + top + "," + next);
  }

  // ---- For learning
  double loss(const State& s) const {  // wrong heads
    double wrong = 0;
    for (size_t i = 0; i < gold.size(); ++i) wrong += s.heads[i] != gold[i];
    return wrong;
  }
  /// The actions after which no true arc is out of reach that was within reach before (Goldberg and Nivre
  /// 2013).
  void optimal_actions(const State& s, std::vector<es::Action>& out) const {
    std::vector<es::Action> legal;
    actions(s, legal);
    for (const es::Action& a : legal)
      if (arcs_lost(s, a.label) == 0) out.push_back(a);
  }

  // ---- For people
  std::string action_name(const State& s, es::Action a) const {
    if (a.label == kShift) return "shift " + word(s.next);
    const std::string top = word(s.stack.back());
    return a.label == kLeft ? top + " <- " + (s.next == root() ? "root" : word(s.next))
                            : word(s.stack[s.stack.size() - 2]) + " -> " + top;
  }

 private:
  int arcs_lost(const State& s, uint32_t move) const {
    int lost = 0;
    if (move == kShift) {
      for (size_t i = 0; i < s.stack.size(); ++i) {
        lost += gold[s.stack[i]] == s.next;
        lost += i + 1 < s.stack.size() && gold[s.next] == s.stack[i];
      }
      return lost;
    }
    const uint32_t top = s.stack.back();
    for (uint32_t i = s.next; i < root(); ++i) lost += gold[i] == top;  // its own dependents
    const bool right_below = s.stack.size() > 1 && gold[top] == s.stack[s.stack.size() - 2];
    if (move == kLeft) return lost + (right_below || (gold[top] > s.next));
    return lost + (gold[top] >= s.next);
  }
};

/// Sentences of a small language: "the dog saw a cat with the old man". What "with" belongs to depends on the
/// verb.
std::vector<Parse> draw(uint32_t seed, size_t sentences) {
  std::mt19937 random(seed);
  const auto one_of = [&](const std::vector<std::string>& list) { return list[random() % list.size()]; };
  std::vector<Parse> all(sentences);
  for (Parse& p : all) {
    const auto add = [&](const std::string& word, uint32_t head) {
      p.words.push_back(word);
      p.gold.push_back(head);
      return static_cast<uint32_t>(p.words.size() - 1);
    };
    const auto noun_phrase = [&] {
      const auto first = static_cast<uint32_t>(p.words.size());
      const uint32_t adjectives = random() % 3, noun = first + 1 + adjectives;
      add(one_of({"the", "a", "every"}), noun);
      for (uint32_t i = 0; i < adjectives; ++i) add(one_of({"old", "big", "green"}), noun);
      return add(one_of({"dog", "cat", "man", "girl", "park"}), 0);
    };
    const uint32_t subject = noun_phrase();
    const uint32_t verb = add(one_of({"saw", "liked", "met"}), 0);
    const uint32_t object = noun_phrase();
    if (random() % 2 == 0) {
      const bool to_verb = p.words[verb] == "saw";
      const uint32_t preposition = add(one_of({"with", "near"}), to_verb ? verb : object);
      const uint32_t noun = noun_phrase();
      p.gold[noun] = preposition;
    }
    p.gold[subject] = p.gold[object] = verb;
    p.gold[verb] = p.root();
  }
  return all;
}

int main(int argc, char** argv) try {
  const std::vector<Parse> train = draw(1, 300), test = draw(2, 200);
  size_t words = 0;
  for (const Parse& p : test) words += p.words.size();
  const auto learn = [&](const es::Learner& learner) {
    es::Policy policy = es::learn_to_search(train, learner).value();
    const double wrong = policy.mean_loss(test).value() * static_cast<double>(test.size());
    std::printf("%-12s %.1f %% of heads right\n", learner.name.c_str(),
                100 - 100 * wrong / static_cast<double>(words));
    return policy;
  };
  learn({"searn", {{"iterations", "3"}}});
  learn({"laso-br", {{"beam", "2"}}});
  const es::Policy policy = learn({"incremental", {{"beam", "4"}}});

  std::printf("\nhow one sentence is parsed, and what spoke for it:\n");
  for (const es::Decision& d : policy.explain(test[0], {}, 1).value())
    std::printf("  %-18s %s\n", d.action_name.c_str(),
                d.alone ? "(no choice)" : d.reasons[0].feature.c_str());

  if (argc > 1) {
    policy.save(argv[1]).value();
    const es::Policy opened = es::Policy::open(argv[1]).value();
    for (const Parse& p : test)
      if (opened.decode(p).value().actions() != policy.decode(p).value().actions()) {
        std::printf("the saved policy parses differently\n");
        return 1;
      }
    std::printf("\nsaved to %s; opened again, it parses the same\n", argv[1]);
  }
} catch (const std::exception& problem) {
  std::fprintf(stderr, "own_task: %s\n", problem.what());
  return 1;
}
