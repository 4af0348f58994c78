#include "espalier/data/formats/row_layout.h"

#include "espalier/base/text/counted.h"
#include "espalier/data/formats/label_column.h"

namespace espalier::data {

Result<RowLayout> row_layout(const ReadOptions& options, size_t cells) {
  RowLayout layout;
  size_t full = options.columns;
  if (full == 0) {
    if (options.labels_required && cells == 1)
      return fail("found 1 column, expected a label column next to the word");
    full = cells;
    layout.label_present = cells > 1;
  } else if (options.more_columns && cells + 1 >= full + options.labels_required) {
    layout.width = cells;
    layout.label = cells - 1;
    layout.label_present = options.labels_required;
    return layout;
  } else if (cells == full) {
    layout.label_present = true;
  } else if (!options.labels_required && cells + 1 == full) {
    layout.label_present = false;
  } else if (!options.labels_required && options.least_columns > 0 && cells < full &&
             cells >= options.least_columns) {
    layout.width = cells;
    return layout;
  } else if (options.labels_required) {
    return fail("expected {}, found {}", counted(full, "column"), cells);
  } else {
    return fail("expected {}, or {} without the label, found {}", counted(full, "column"), full - 1, cells);
  }
  ESPALIER_ASSIGN(layout.label, resolve_label_column(options, full));
  if (!layout.label_present && full > cells && layout.label < cells) layout.placeholder = layout.label;
  layout.width = layout.placeholder ? cells + 1 : cells;
  return layout;
}

}  // namespace espalier::data
