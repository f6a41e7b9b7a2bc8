#include "cli/common.h"
namespace throng::cli {
void add_draft(CLI::App&, Common&, Chosen&) {}
void add_generate(CLI::App&, Common&, Chosen&) {}
}  // namespace throng::cli
