// Manual pages and shell completions, made from the command's own tables of verbs, options, learners and
// parameters, so that they cannot say anything else than the program does. `espalier help --man` and
// `--completion` print them, and `cmake --install` installs them. Tested in apps/tests/reference_test.sh.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace espalier::apps {

/// The manual page of the command (`app` is the root) or of one verb, as roff source. Verbs below a verb,
/// such as `ensemble learn`, are sections of its page.
std::string man_page(const CLI::App& app);

/// A script that completes verbs, options, names of tasks, learners and parameters, and files. Empty if the
/// shell is neither bash, zsh nor fish.
std::string shell_completion(const CLI::App& root, const std::string& shell);

}  // namespace espalier::apps
