// OpenFst behind a plain header: it compiles as C++17 only, so only openfst_bridge.cc (and, for
// tests, openfst_writing.cc) include its headers.
// Tested in automaton_test.cc.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace espalier::ensemble::openfst {

struct PlainArc {
  int source = 0, target = 0;
  int label = 0;    ///< the input label
  double cost = 0;  ///< −log of the weight, as in the file
};

/// An acceptor as plain data: states 0 … states − 1.
struct PlainFst {
  int states = 0;
  int start = 0;
  std::vector<double> final_cost;  ///< per state; infinite where it is not final
  std::vector<PlainArc> arcs;
  std::vector<std::string> symbols;  ///< by label, where the file has a symbol table; may have holes
};

/// Reads a binary OpenFst file (vector or const; arcs standard, log or log64). False with the reason in
/// `error`. Costs and labels are not changed; transitions are checked to lead to states.
bool read_fst(const std::string& path, PlainFst& out, std::string& error);
/// Whether it has a cycle (OpenFst's own test).
bool is_cyclic(const PlainFst& fst);

/// Algorithms on one acyclic acceptor under changing weights. Not thread-safe.
class Algorithms {
 public:
  explicit Algorithms(const PlainFst& fst);
  ~Algorithms();
  Algorithms(Algorithms&&) noexcept;

  /// Weight pushing in the log semiring (Mohri 1997): arc costs in, probabilities of the arcs given their
  /// source out, so that the arcs (and the end) of every state sum to 1 and paths keep their proportions.
  void push(const std::vector<double>& cost, std::vector<double>& conditional) const;

  /// The arcs of a path of least cost (tropical semiring), first to last.
  void shortest_path(const std::vector<double>& cost, std::vector<int>& arcs) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace espalier::ensemble::openfst
