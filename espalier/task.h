// Espalier for your own search tasks: transition parsing, matching, ordering, any output that is built one
// decision at a time. Describe the search, give examples, and the library learns which decision to take.
//
//   std::vector<Matching> train = ...;                        // one object per example
//   es::Policy policy = es::learn_to_search(train, es::Learner("searn", {{"beam", "5"}})).value();
//   es::SearchResult best = policy.decode(matching).value();  // best.actions(), best.score(), best.goal()
//   policy.save("matching.policy").value();
//
// The learners and decoders are compiled into the library and call the task through virtual functions.
// docs/tasks.md has a worked example, the contract of every function, the learners' settings, and the
// measured cost of the calls.
#pragma once

#include "espalier/public/policy.h"       // learning, decoding, saving
#include "espalier/public/search_task.h"  // what a task is
