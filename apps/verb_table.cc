#include "apps/verb_table.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "espalier/espalier.h"

namespace espalier::apps {

Words Item::names() const {
  Words all;
  for (const std::string& s : shorts) all.push_back("-" + s);
  for (const std::string& l : longs) all.push_back("--" + l);
  return all;
}

bool Item::takes_file() const {
  constexpr std::string_view kFiles[] = {"FILE", "MODEL", "OUT", "DIR", "FST"};
  return is_argument() || std::find(std::begin(kFiles), std::end(kFiles), value) != std::end(kFiles);
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::vector<Item> items_of(const CLI::App& app) {
  std::vector<Item> items;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_group().empty()) continue;
    Item item;
    item.shorts = option->get_snames();
    item.longs = option->get_lnames();
    if (item.is_argument()) item.name = option->get_name(true);
    if (option->get_items_expected_max() > 0) item.value = option->get_type_name();
    item.text = on_one_line(option->get_description());
    item.many = option->get_items_expected_max() > 1;
    item.required = option->get_required();
    items.push_back(std::move(item));
  }
  return items;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::vector<Verb> verbs_below(const CLI::App& app, const Words& path) {
  std::vector<Verb> verbs;
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; })) {
    Verb verb{path, below, first_line(below->get_description())};
    verb.path.push_back(below->get_name());
    verbs.push_back(std::move(verb));
  }
  return verbs;
}

std::vector<Values> known_values() {
  Words learner_names, task_names, methods;
  std::set<std::string> parameters;
  for (const LearnerInfo& learner : learners()) {
    learner_names.push_back(learner.name);
    for (const ParameterInfo& parameter : learner.parameters) parameters.insert(parameter.name + "=");
  }
  for (const TaskInfo& task : all_tasks()) task_names.push_back(task.name);
  for (const MethodInfo& method : ensemble_methods()) methods.push_back(method.name);
  const Words formats{"columns", "crfsuite", "conllu", "letters", "jsonl", "scores"};
  const Words schemes{"iob1", "iob2", "ioe1", "ioe2", "iobes", "bilou", "bmewo"};
  return {{{"--learner"}, learner_names},
          {{"--task"}, task_names},
          {{"-p", "--parameter"}, Words(parameters.begin(), parameters.end())},
          {{"--method"}, methods},
          {{"--format", "--input-format", "--to"}, formats},
          {{"--scheme", "--from-scheme"}, schemes},
          {{"--encoding"}, {"utf-8", "latin1", "bytes"}},
          {{"--decoder"}, {"auto", "viterbi", "posterior", "ilp", "beam", "greedy", "best-first"}},
          {{"--completion"}, {"bash", "zsh", "fish"}}};
}

}  // namespace espalier::apps
