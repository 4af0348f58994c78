// For the shell tests: `json_value POINTER...` reads exactly one JSON value from standard input and prints
// the value at each pointer (/seconds, /log/0/round, …), strings without quotes. Fails if a pointer names
// nothing. Tested in testing_test.sh.
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

int main(int argc, char** argv) try {
  const std::string text{std::istreambuf_iterator<char>(std::cin), {}};
  const nlohmann::json value = nlohmann::json::parse(text);
  for (int i = 1; i < argc; ++i) {
    const nlohmann::json& found = value.at(nlohmann::json::json_pointer(argv[i]));
    std::cout << (found.is_string() ? found.get<std::string>() : found.dump()) << "\n";
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << "json_value: " << error.what() << "\n";
  return 1;
}
