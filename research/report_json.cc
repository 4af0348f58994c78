#include "research/report_json.h"

#include <chrono>
#include <filesystem>

#include "espalier/base/files/atomic_file.h"
#include "espalier/base/files/input.h"

#include <fmt/chrono.h>

namespace espalier::research {

ReportJson report_json(std::string_view name, const Report& report, double seconds) {
  const auto optional = [](const std::optional<double>& value) {
    return value ? ReportJson(*value) : ReportJson(nullptr);
  };
  ReportJson settings = ReportJson::object(), rows = ReportJson::array(), claims = ReportJson::array(),
             checks = ReportJson::array();
  for (const auto& [key, value] : report.settings) settings[key] = value;
  for (const Row& row : report.rows)
    rows.push_back({{"row", row.row},
                    {"column", row.column},
                    {"kind", row.kind == Kind::kPrinted ? "printed" : "ours"},
                    {"seed", optional(row.paper)},
                    {"measured", row.measured},
                    {"deviation", optional(row.deviation)},
                    {"elsewhere", optional(row.elsewhere)},
                    {"source", row.source}});
  for (const Claim& claim : report.claims)
    claims.push_back(
        {{"name", claim.name}, {"holds", claim.holds}, {"figure", claim.figure}, {"cause", claim.cause}});
  for (const Check& check : report.checks)
    checks.push_back({{"name", check.name}, {"holds", check.holds}, {"detail", check.detail}});
  return {{"name", name},
          {"settings", std::move(settings)},
          {"rows", std::move(rows)},
          {"claims", std::move(claims)},
          {"checks", std::move(checks)},
          {"departures", report.departures},
          {"plots", report.plots},
          {"notes", report.notes},
          {"seconds", seconds}};
}

Status keep_result(const std::string& folder, ReportJson result, const ResultKey& key) {
  // Where the folder was is nobody's business: its plots are in it.
  for (ReportJson& plot : result["plots"])
    plot = std::filesystem::path(plot.get<std::string>()).filename().string();
  result["quick"] = key.quick;
  result["seed"] = key.seed;
  result["version"] = key.version;
  result["code"] = key.code;
  result["finished"] =
      fmt::format("{:%Y-%m-%d %H:%M} UTC",
                  fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  const std::string path = fmt::format("{}/{}.json", folder, result["name"].get<std::string>());
  ESPALIER_ASSIGN(AtomicFile file, AtomicFile::open(path));
  ESPALIER_TRY(file.write(result.dump(1, ' ', false, ReportJson::error_handler_t::replace) + "\n"));
  return file.commit();
}

std::optional<ReportJson> kept_result(const std::string& folder, std::string_view name,
                                      const ResultKey& key) {
  const auto text = read_text_file(fmt::format("{}/{}.json", folder, name));
  if (!text.ok()) return std::nullopt;
  ReportJson result = ReportJson::parse(*text, nullptr, false);
  if (!result.is_object()) return std::nullopt;
  for (const char* array : {"rows", "claims", "checks", "departures", "plots", "notes"})
    if (!result.contains(array) || !result[array].is_array()) return std::nullopt;
  const bool same = result.value("name", "") == name && result.value("quick", !key.quick) == key.quick &&
                    result.value("seed", key.seed + 1) == key.seed && result.value("code", "") == key.code;
  return same ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace espalier::research
