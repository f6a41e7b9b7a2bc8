// The smallest use of the library: columns in, columns out.
#include <throng/throng.h>

#include <iostream>

constexpr auto policy = R"(
columns:
  age:       {role: quasi-identifier, type: integer}
  diagnosis: {role: sensitive}
privacy:
  - k-anonymity: 2
algorithm: mondrian
)";

int main() {
  const auto result = throng::anonymize(
      policy,
      {{"age", {"21", "23", "58", "60"}}, {"diagnosis", {"Flu", "Asthma", "Flu", "Gastritis"}}});
  for (const auto& column : result.columns) {
    std::cout << column.name << ':';
    for (const auto& value : column.values) std::cout << ' ' << value;
    std::cout << '\n';
  }
  std::cout << "smallest class: " << result.figures.k << '\n';
  return result.figures.k >= 2 ? 0 : 1;
}
