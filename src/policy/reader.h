// Reading YAML with the place at hand: every complaint names file, line and column, and an unknown
// word gets the nearest known one. Internal to the policy room.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>
#include <string_view>
#include <vector>

#include "throng/error.h"

namespace throng {

// A word of the policy and its meaning.
template <typename Meaning>
struct Word {
  const char* word;
  Meaning meaning;
};

class PolicyReader {
 public:
  explicit PolicyReader(std::string source) : source_(std::move(source)) {}

  // An InputError at the place of `node`.
  InputError error(const YAML::Node& node, const std::string& message) const;

  // Refuses whatever is no mapping, a key that comes twice, and a key that is not in `known`.
  void check_map(const YAML::Node& node, std::string_view what,
                 const std::vector<std::string>& known) const;

  std::string text(const YAML::Node& node, std::string_view what) const;
  double number(const YAML::Node& node, std::string_view what) const;
  // A whole number of at least `least`.
  std::size_t count(const YAML::Node& node, std::string_view what, std::size_t least) const;
  bool truth(const YAML::Node& node, std::string_view what) const;
  // A list, or one value in place of a list of one.
  std::vector<YAML::Node> list(const YAML::Node& node) const;

  // The meaning of one of `words`.
  template <typename Meaning, std::size_t count>
  Meaning word(const YAML::Node& node, std::string_view what,
               const Word<Meaning> (&words)[count]) const {
    const std::string given = text(node, what);
    std::vector<std::string> known;
    for (const auto& word : words) {
      if (given == word.word) return word.meaning;
      known.emplace_back(word.word);
    }
    throw error(node, unknown(what, given, known));
  }

  // "unknown role 'quasi'; did you mean 'quasi-identifier'?"
  static std::string unknown(std::string_view what, const std::string& given,
                             const std::vector<std::string>& known);

 private:
  std::string source_;
};

}  // namespace throng
