// Reads models of CRFsuite (type FOMC, version 100). Tested in import_model_test.cc.
//
// The file: a header of 48 bytes with offsets to the features (type, source, label, weight: 20 bytes each),
// to two tables of names (labels, attributes), and to indexes over the features, which are not needed to read
// all of them.
#include <algorithm>

#include "espalier/base/text/counted.h"
#include "espalier/model/foreign/byte_cursor.h"
#include "espalier/model/foreign/foreign_model.h"

namespace espalier::model {
namespace {

struct CrfsuiteHeader {
  uint32_t size = 0, version = 0, features = 0, labels = 0, attributes = 0;
  uint32_t features_at = 0, labels_at = 0, attributes_at = 0, label_index_at = 0, attribute_index_at = 0;
};

/// A table of names: a header of six numbers, then hash tables, which are not needed here, and an array that
/// holds for each id where its record is (id, size, text, zero byte), relative to the start of the table.
Result<std::vector<std::string>> read_names(std::string_view bytes, size_t at, size_t count,
                                            const std::string& name, std::string_view what) {
  constexpr uint32_t kByteOrder = 0x62445371;
  ByteCursor head(bytes, at);
  uint32_t size = 0, flags = 0, order = 0, records = 0, records_at = 0;
  if (!head.skip("CQDB") || !head.read(size) || !head.read(flags) || !head.read(order) ||
      !head.read(records) || !head.read(records_at))
    return fail("{}: damaged: there is no table of {} at byte {}", name, what, at);
  if (order != kByteOrder) return fail("{}: the table of {} has another byte order", name, what);
  if (size > bytes.size() - at)
    return fail("{}: damaged: the table of {} goes beyond the end of the file", name, what);
  const std::string_view table = bytes.substr(at, size);
  if (count > records || count > table.size() / sizeof(uint32_t))
    return fail("{}: damaged: {} {}, but the table has room for {}", name, count, what, records);
  std::vector<std::string> names(count);
  ByteCursor places(table, records_at);
  size_t total = 0;
  for (size_t id = 0; id < count; ++id) {
    uint32_t place = 0, found = 0, length = 0;
    if (!places.read(place))
      return fail("{}: damaged: the table of {} ends at number {}", name, what, id + 1);
    ByteCursor record(table, place);
    std::optional<std::string_view> text;
    if (place == 0 || !record.read(found) || !record.read(length) || found != id || length == 0 ||
        !(text = record.text(length)) || text->find('\0') != length - 1)
      return fail("{}: damaged: number {} of the {} has no name", name, id + 1, what);
    total += length;
    if (total > bytes.size()) return fail("{}: damaged: the names of the {} overlap", name, what);
    names[id] = text->substr(0, length - 1);
  }
  return names;
}

struct CrfsuiteFeature {
  uint32_t source, label;
  float weight;
};

/// All features, those of attributes and those of labels, each sorted by source and label.
Status read_features(std::string_view bytes, const CrfsuiteHeader& header, const std::string& name,
                     std::vector<CrfsuiteFeature>& state, std::vector<CrfsuiteFeature>& trans) {
  constexpr size_t kFeatureSize = 20;
  ByteCursor cursor(bytes, header.features_at);
  uint32_t size = 0, count = 0;
  if (!cursor.skip("FEAT") || !cursor.read(size) || !cursor.read(count))
    return fail("{}: damaged: there are no features at byte {}", name, header.features_at);
  // CRFsuite leaves the number in the file's header at 0.
  if ((header.features != 0 && count != header.features) || count > cursor.left() / kFeatureSize)
    return fail("{}: damaged: {} announced, there is room for {}", name, counted(count, "feature"),
                cursor.left() / kFeatureSize);
  for (uint32_t f = 0; f < count; ++f) {
    uint32_t type = 0;
    CrfsuiteFeature feature{};
    double weight = 0;
    ESPALIER_CHECK(cursor.read(type) && cursor.read(feature.source) && cursor.read(feature.label) &&
                   cursor.read(weight));
    if (type > 1)
      return fail("{}: feature {} is of type {}; only types 0 and 1 are known", name, f + 1, type);
    if (feature.source >= (type == 0 ? header.attributes : header.labels) || feature.label >= header.labels)
      return fail("{}: damaged: feature {} names a label or an attribute that does not exist", name, f + 1);
    ESPALIER_ASSIGN(feature.weight, foreign_weight(weight, name));
    (type == 0 ? state : trans).push_back(feature);
  }
  for (std::vector<CrfsuiteFeature>* const list : {&state, &trans}) {
    const auto key = [](const CrfsuiteFeature& f) { return std::pair(f.source, f.label); };
    std::sort(list->begin(), list->end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    if (std::adjacent_find(list->begin(), list->end(),
                           [&](const auto& a, const auto& b) { return key(a) == key(b); }) != list->end())
      return fail("{}: damaged: a feature occurs twice", name);
  }
  return {};
}

}  // namespace

Result<ForeignModel> read_crfsuite(std::string_view bytes, const std::string& name) {
  CrfsuiteHeader header;
  ByteCursor cursor(bytes);
  if (!cursor.skip("lCRF") || !cursor.read(header.size)) return fail("{}: not a model of CRFsuite", name);
  if (!cursor.skip("FOMC"))
    return fail("{}: this kind of CRFsuite model is not supported; only first-order chains (FOMC) are", name);
  for (uint32_t* const field :
       {&header.version, &header.features, &header.labels, &header.attributes, &header.features_at,
        &header.labels_at, &header.attributes_at, &header.label_index_at, &header.attribute_index_at})
    if (!cursor.read(*field)) return fail("{}: damaged: the header is cut off", name);
  if (header.version != 100)
    return fail("{}: version {} of CRFsuite's models is not supported, only 100", name, header.version);
  if (header.size != bytes.size())
    return fail("{}: damaged: the file has {} bytes, its header says {}", name, bytes.size(), header.size);
  if (!ByteCursor(bytes, header.label_index_at).skip("LFRF") ||
      !ByteCursor(bytes, header.attribute_index_at).skip("AFRF"))
    return fail("{}: damaged: an index is not where the header says", name);

  ForeignModel model;
  model.program = "CRFsuite";
  ESPALIER_ASSIGN(model.labels, read_names(bytes, header.labels_at, header.labels, name, "labels"));
  ESPALIER_TRY(check_foreign_labels(model.labels, name));
  ESPALIER_ASSIGN(std::vector<std::string> attributes,
                  read_names(bytes, header.attributes_at, header.attributes, name, "attributes"));
  std::vector<CrfsuiteFeature> state, trans;
  ESPALIER_TRY(read_features(bytes, header, name, state, trans));
  size_t next = 0;
  for (uint32_t a = 0; a < attributes.size(); ++a) {
    for (; next < state.size() && state[next].source == a; ++next)
      model.state.add(state[next].label, state[next].weight);
    model.state.end(attributes[a]);
  }
  if (!trans.empty()) model.trans.assign(model.labels.size() * model.labels.size(), 0);
  for (const CrfsuiteFeature& f : trans) model.trans[f.source * model.labels.size() + f.label] = f.weight;
  return model;
}

}  // namespace espalier::model
