// Draws panels of lines that a benchmark describes in JSON (bench/run.js writes it), through
// espalier/eval/plot.h as everything else that is drawn.
//
//   bench_plot FILE.json FILE.svg
//
//   {"title": "...", "panels": [{"title": "...", "x_label": "...", "y_label": "...", "log_x": true, "log_y":
//   true,
//                                "series": [{"name": "...", "x": [1, 2], "y": [3, 4]}]}]}
#include <cstdio>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>

#include "espalier/eval/plot.h"

int main(int argc, char** argv) try {
  using espalier::eval::Plot;
  if (argc != 3) {
    std::fputs("usage: bench_plot FILE.json FILE.svg\n", stderr);
    return 2;
  }
  std::ifstream in(argv[1]);
  const auto described = nlohmann::json::parse(in);
  espalier::eval::PlotPanels figure;
  figure.title = described.at("title");
  for (const auto& panel : described.at("panels")) {
    Plot plot;
    plot.title = panel.at("title");
    plot.x_label = panel.at("x_label");
    plot.y_label = panel.at("y_label");
    plot.log_x = panel.value("log_x", false);
    plot.log_y = panel.value("log_y", false);
    for (const auto& line : panel.at("series")) {
      espalier::eval::PlotSeries series;
      series.name = line.at("name");
      series.x = line.at("x").get<std::vector<double>>();
      series.y = line.at("y").get<std::vector<double>>();
      plot.series.push_back(std::move(series));
    }
    figure.panels.push_back(std::move(plot));
  }
  const espalier::Status saved = espalier::eval::save_plot(figure, argv[2]);
  if (saved.ok()) return 0;
  std::fprintf(stderr, "bench_plot: %s\n", saved.error().message.c_str());
  return 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_plot: %s: %s\n", argv[1], error.what());
  return 1;
}
