// The names of the methods and what they do, as help texts show them. Constants alone, so that the command
// can list the methods without linking them. Header only; tested in model_test.cc.
#pragma once

#include <array>
#include <string_view>

namespace espalier::ensemble {

enum class Method { kMvote, kRand, kCv, kFpl, kFplCv, kEspboost, kSle, kMajority, kBest };

struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view summary;
  bool uses_beta;
};

/// In the order of Method.
inline constexpr std::array<MethodInfo, 9> kMethods = {{
    {Method::kMvote, "mvote", "majority vote of the weights WMWP went through (a suffix of them)", true},
    {Method::kRand, "rand", "a path drawn from one of these distributions for every sequence", true},
    {Method::kCv, "cv", "majority vote of the one distribution that did best on what came after it", true},
    {Method::kFpl, "fpl", "plurality vote of the paths that follow the perturbed leader", false},
    {Method::kFplCv, "fpl-cv", "the one of these paths that did best on what came after it", false},
    {Method::kEspboost, "espboost", "boosting over path experts", false},
    {Method::kSle, "sle", "forward selection of experts, one vote each time one is selected", false},
    {Method::kMajority, "majority", "one vote per expert", false},
    {Method::kBest, "best", "the single best expert", false},
}};

}  // namespace espalier::ensemble
