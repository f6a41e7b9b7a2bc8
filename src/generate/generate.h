// Tables of people who never lived, for demonstrations, tests and benchmarks.
//
// The same rows and seed give the same table on every machine and with any number of threads. Rows
// are independent of each other; the columns of a row are not: ages, sexes and the rest go together
// as they do among people, and some combinations never occur.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "table/codes.h"

namespace throng {

struct GeneratedColumn {
  std::string name;
  std::vector<std::string> labels;
  Codes codes;  // places in `labels`
};

// Patients of a hospital on 2026-01-01: name, birth, sex, zip, job, diagnosis. Nobody below 16
// works, no man is pregnant, no child has Alzheimer disease, only the countryside has farmers.
std::vector<GeneratedColumn> generate_patients(std::size_t rows, std::uint64_t seed);

// Answers to a census in the shape of UCI Adult: its nine columns with its values, about its
// frequencies, and its main dependencies. Of 100,000 rows on, every value occurs.
std::vector<GeneratedColumn> generate_census(std::size_t rows, std::uint64_t seed);

}  // namespace throng
