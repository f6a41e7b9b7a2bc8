#include "cli/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "io/writer.h"
#include "pages/page.h"
#include "throng/error.h"

namespace throng::cli {

namespace fs = std::filesystem;

void add_page_option(Verb& verb, std::string& path) {
  verb.optional("--html", path, "write a page with charts to a file, too");
}

void check_page(const std::string& path, const std::vector<std::string>& inputs,
                const std::string& publication) {
  if (path.empty()) return;
  if (!pages::are_built_in()) {
    throw InputError(
        "--html: this throng was built without its pages (THRONG_PAGES=OFF); leave --html out, or "
        "build it with them");
  }
  io::check_output(path, {".html", ".htm"}, inputs);
  if (publication.empty()) return;
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(publication), error);
  const fs::path place = fs::weakly_canonical(fs::absolute(path), error);
  if (std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first ==
      folder.end()) {
    throw InputError(fmt::format(
        "{}: lies in the publication's own folder, which is private; expected another place",
        path));
  }
}

void write_page(const std::string& path, std::string_view name, nlohmann::ordered_json report) {
  if (path.empty()) return;
  report.erase("seconds");
  report.erase("peak_memory_bytes");
  io::write_text(pages::write_page(name, report), path);
}

}  // namespace throng::cli
