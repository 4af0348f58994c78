#include "espalier/ensemble/automaton/openfst_bridge.h"

#include <fst/fstlib.h>

#include <cmath>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

namespace espalier::ensemble::openfst {
namespace {

constexpr int64_t kMostSymbols = 1000000;
/// Sums over paths stop where a path adds less than this, relative. OpenFst's default of 1/1024 is for speed
/// on cyclic automata; here every path counts.
constexpr float kExact = 1e-14f;

using Log64Fst = fst::VectorFst<fst::Log64Arc>;
using DoubleTropical = fst::TropicalWeightTpl<double>;
using DoubleArc = fst::ArcTpl<DoubleTropical>;
using DoubleFst = fst::VectorFst<DoubleArc>;

/// OpenFst writes its complaints to std::cerr; while one of these lives they are caught instead.
class CaughtComplaints {
 public:
  CaughtComplaints() : old_(std::cerr.rdbuf(text_.rdbuf())) { FLAGS_fst_error_fatal = false; }
  ~CaughtComplaints() { std::cerr.rdbuf(old_); }
  CaughtComplaints(const CaughtComplaints&) = delete;
  CaughtComplaints& operator=(const CaughtComplaints&) = delete;
  /// The first complaint, in one line.
  std::string first() const {
    std::string line;
    std::istringstream lines(text_.str());
    std::getline(lines, line);
    return line;
  }

 private:
  std::ostringstream text_;
  std::streambuf* old_;
};

template <typename Arc>
bool copy_fst(const fst::Fst<Arc>& from, PlainFst& out, std::string& error) {
  out = {};
  out.start = from.Start();
  if (out.start == fst::kNoStateId) {
    error = "the automaton is empty: it has no start state";
    return false;
  }
  for (fst::StateIterator<fst::Fst<Arc>> s(from); !s.Done(); s.Next()) ++out.states;
  if (out.start < 0 || out.start >= out.states) {
    error = "the start state does not exist";
    return false;
  }
  for (int s = 0; s < out.states; ++s) {
    out.final_cost.push_back(static_cast<double>(from.Final(s).Value()));
    for (fst::ArcIterator<fst::Fst<Arc>> a(from, s); !a.Done(); a.Next()) {
      const Arc& arc = a.Value();
      if (arc.nextstate < 0 || arc.nextstate >= out.states) {
        error = "a transition of state " + std::to_string(s) + " leads to no state";
        return false;
      }
      if (arc.ilabel != arc.olabel) {
        error = "a transition of state " + std::to_string(s) +
                " has different input and output labels: expected an acceptor, not a transducer";
        return false;
      }
      out.arcs.push_back({s, arc.nextstate, arc.ilabel, static_cast<double>(arc.weight.Value())});
    }
  }
  if (const fst::SymbolTable* const table = from.InputSymbols()) {
    for (const auto& item : *table) {
      if (item.Label() < 0 || item.Label() > kMostSymbols) continue;
      const auto label = static_cast<size_t>(item.Label());
      if (label >= out.symbols.size()) out.symbols.resize(label + 1);
      out.symbols[label] = item.Symbol();
    }
  }
  return true;
}

/// Walks through a file without allocating what it claims. `ok` is false once it claims more than it holds.
struct FileWalk {
  std::istream& in;
  int64_t left;
  bool ok = true;

  template <typename Number>
  Number number() {
    Number value{};
    if (!ok || left < static_cast<int64_t>(sizeof value)) {
      ok = false;
      return value;
    }
    in.read(reinterpret_cast<char*>(&value), sizeof value);
    left -= static_cast<int64_t>(sizeof value);
    return value;
  }
  void skip(int64_t bytes) {
    ok = ok && bytes >= 0 && bytes <= left;
    if (!ok) return;
    in.seekg(bytes, std::ios::cur);
    left -= bytes;
  }
  /// `count` things of this many bytes.
  void skip(int64_t count, int64_t bytes) {
    ok = ok && count >= 0 && count <= left / bytes;
    if (ok) skip(count * bytes);
  }
  void skip_text() { skip(number<int32_t>()); }
  /// A name; longer ones than there are count as a false claim.
  std::string name() {
    constexpr int32_t kLongest = 100;
    const auto length = number<int32_t>();
    ok = ok && length >= 0 && length <= kLongest && length <= left;
    if (!ok) return {};
    std::string text(static_cast<size_t>(length), ' ');
    in.read(text.data(), length);
    left -= length;
    return text;
  }
};

/// OpenFst allocates what a file claims before it reads it, and reads on behind its end. So this looks first
/// whether the file holds all that its header, symbols, states and transitions say. The format is that of
/// OpenFst's vector and const automata.
bool holds_what_it_claims(std::istream& in, int64_t size) {
  FileWalk walk{in, size};
  walk.number<int32_t>();  // what kind of file it is; OpenFst looks at it
  const std::string type = walk.name(), arc_type = walk.name();
  walk.number<int32_t>();  // version
  const auto flags = walk.number<int32_t>();
  walk.skip(2 * static_cast<int64_t>(sizeof(int64_t)));  // properties and start state
  const auto states = walk.number<int64_t>(), arcs = walk.number<int64_t>();
  for (const int flag : {fst::FstHeader::HAS_ISYMBOLS, fst::FstHeader::HAS_OSYMBOLS}) {
    if ((flags & flag) == 0) continue;
    walk.number<int32_t>();
    walk.skip_text();
    walk.number<int64_t>();
    const auto symbols = walk.number<int64_t>();
    for (int64_t i = 0; i < symbols && walk.ok; ++i) {
      walk.skip_text();
      walk.number<int64_t>();
    }
  }
  const int64_t weight = arc_type == "log64" ? sizeof(double) : sizeof(float),
                arc_bytes = weight + 3 * static_cast<int64_t>(sizeof(int32_t));
  if (!walk.ok || states > walk.left) return false;
  if (type == "const") return states >= 0 && arcs >= 0 && arcs <= walk.left / arc_bytes;
  for (int64_t s = 0; walk.ok && (states < 0 ? walk.left > 0 : s < states); ++s) {
    walk.skip(weight);
    walk.skip(walk.number<int64_t>(), arc_bytes);
  }
  return walk.ok;
}

/// The types of automata that can be read. OpenFst registers them itself, but in a table that this code does
/// not see where the library hides its symbols.
template <typename Arc>
struct ReadableTypes {
  fst::FstRegisterer<fst::VectorFst<Arc>> vector;
  fst::FstRegisterer<fst::ConstFst<Arc>> constant;
};

template <typename Arc>
bool read_arcs(std::istream& in, const std::string& path, PlainFst& out, std::string& error) {
  static const ReadableTypes<Arc> registered;
  const CaughtComplaints complaints;
  const std::unique_ptr<fst::Fst<Arc>> from(fst::Fst<Arc>::Read(in, fst::FstReadOptions(path)));
  if (from == nullptr) {
    error = "not an OpenFst file that can be read: " + complaints.first();
    return false;
  }
  return copy_fst(*from, out, error);
}

}  // namespace

bool read_fst(const std::string& path, PlainFst& out, std::string& error) try {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    error = "cannot be opened";
    return false;
  }
  in.seekg(0, std::ios::end);
  const int64_t size = in.tellg();
  in.seekg(0);
  const bool whole = holds_what_it_claims(in, size);
  in.clear();
  in.seekg(0);
  fst::FstHeader header;
  bool is_fst = false;
  if (whole) {
    const CaughtComplaints complaints;
    is_fst = header.Read(in, path);
  } else {
    int32_t kind = 0;
    in.read(reinterpret_cast<char*>(&kind), sizeof kind);
    constexpr int32_t kFstMagicNumber = 2125659606;
    if (in && kind == kFstMagicNumber) {
      error =
          "a damaged OpenFst file, or one of another type than vector and const (fstconvert makes one): it "
          "claims more than it holds";
      return false;
    }
  }
  if (!is_fst) {
    error = "not an OpenFst file, neither binary nor text";
    return false;
  }
  in.clear();
  in.seekg(0);
  if (header.FstType() != "vector" && header.FstType() != "const") {
    error = "an automaton of type " + header.FstType() +
            "; vector and const are understood (fstconvert makes one)";
    return false;
  }
  if (header.ArcType() == "standard") return read_arcs<fst::StdArc>(in, path, out, error);
  if (header.ArcType() == "log") return read_arcs<fst::LogArc>(in, path, out, error);
  if (header.ArcType() == "log64") return read_arcs<fst::Log64Arc>(in, path, out, error);
  error = "arcs of type " + header.ArcType() + "; standard, log and log64 are understood";
  return false;
} catch (const std::exception& failure) {
  error = std::string("a damaged OpenFst file: ") + failure.what();
  return false;
}

bool is_cyclic(const PlainFst& from) {
  fst::StdVectorFst copy;
  for (int s = 0; s < from.states; ++s) copy.AddState();
  copy.SetStart(from.start);
  for (const PlainArc& arc : from.arcs)
    copy.AddArc(arc.source, fst::StdArc(arc.label, arc.label, 0, arc.target));
  return copy.Properties(fst::kCyclic, true) != 0;
}

struct Algorithms::State {
  PlainFst plain;
  Log64Fst log;
  DoubleFst tropical;
  std::vector<std::vector<size_t>> arcs_of;  ///< per state: numbers of its arcs, in the order of the FSTs
};

Algorithms::Algorithms(const PlainFst& plain) : state_(std::make_unique<State>()) {
  state_->plain = plain;
  state_->arcs_of.resize(static_cast<size_t>(plain.states));
  for (int s = 0; s < plain.states; ++s) {
    const double cost = plain.final_cost[static_cast<size_t>(s)];
    state_->log.AddState();
    state_->tropical.AddState();
    if (std::isfinite(cost)) {
      state_->log.SetFinal(s, fst::Log64Weight(cost));
      state_->tropical.SetFinal(s, DoubleTropical(0));
    }
  }
  state_->log.SetStart(plain.start);
  state_->tropical.SetStart(plain.start);
  for (size_t a = 0; a < plain.arcs.size(); ++a) {
    const PlainArc& arc = plain.arcs[a];
    const int number = static_cast<int>(a) + 1;  // 0 would be epsilon
    state_->arcs_of[static_cast<size_t>(arc.source)].push_back(a);
    state_->log.AddArc(arc.source, fst::Log64Arc(number, number, fst::Log64Weight(arc.cost), arc.target));
    state_->tropical.AddArc(arc.source, DoubleArc(number, number, DoubleTropical(arc.cost), arc.target));
  }
}
Algorithms::~Algorithms() = default;
Algorithms::Algorithms(Algorithms&&) noexcept = default;

void Algorithms::push(const std::vector<double>& cost, std::vector<double>& conditional) const {
  Log64Fst pushed(state_->log);
  for (int s = 0; s < state_->plain.states; ++s) {
    fst::MutableArcIterator<Log64Fst> it(&pushed, s);
    for (const size_t a : state_->arcs_of[static_cast<size_t>(s)]) {
      fst::Log64Arc arc = it.Value();
      arc.weight = fst::Log64Weight(cost[a]);
      it.SetValue(arc);
      it.Next();
    }
  }
  fst::Push(&pushed, fst::REWEIGHT_TO_INITIAL, kExact, /*remove_total_weight=*/true);
  conditional.resize(cost.size());
  for (int s = 0; s < state_->plain.states; ++s) {
    fst::ArcIterator<Log64Fst> it(pushed, s);
    for (const size_t a : state_->arcs_of[static_cast<size_t>(s)]) {
      conditional[a] = std::exp(-it.Value().weight.Value());
      it.Next();
    }
  }
}

void Algorithms::shortest_path(const std::vector<double>& cost, std::vector<int>& arcs) const {
  DoubleFst weighted(state_->tropical);
  for (int s = 0; s < state_->plain.states; ++s) {
    fst::MutableArcIterator<DoubleFst> it(&weighted, s);
    for (const size_t a : state_->arcs_of[static_cast<size_t>(s)]) {
      DoubleArc arc = it.Value();
      arc.weight = DoubleTropical(cost[a]);
      it.SetValue(arc);
      it.Next();
    }
  }
  DoubleFst path;
  fst::ShortestPath(weighted, &path);
  arcs.clear();
  for (int s = path.Start(); s != fst::kNoStateId;) {
    fst::ArcIterator<DoubleFst> it(path, s);
    if (it.Done()) break;
    arcs.push_back(it.Value().ilabel - 1);
    s = it.Value().nextstate;
  }
}

}  // namespace espalier::ensemble::openfst
