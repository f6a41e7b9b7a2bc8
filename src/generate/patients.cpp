// The patients: weights made up, but of the shape that hospitals know.
//
//   sex → age, name; age → birth; sex, age, zip (city or country) → job; sex, age, job → diagnosis.
//
// A weight of 0 is a combination that never occurs.
#include <fmt/format.h>

#include <array>
#include <iterator>
#include <string>

#include "generate/draw.h"
#include "generate/generate.h"
#include "generate/names.h"
#include "table/value.h"

namespace throng {
namespace {

constexpr std::size_t kSexes = 2;  // 0: female, 1: male
constexpr std::size_t kLastAge = 104;
constexpr std::size_t kAges = kLastAge + 1;

// --- Zips ----------------------------------------------------------------------------------------

// The zips of a region share their first three digits; some have many more people than others.
struct Region {
  const char* prefix;
  std::size_t zips;
  Weight weight;
  bool rural;
};
constexpr Region kRegions[] = {
    {"010", 30, 80, false}, {"012", 20, 16, true},  {"013", 18, 14, true},   {"016", 18, 60, false},
    {"017", 24, 65, false}, {"019", 24, 60, false}, {"021", 40, 180, false}, {"023", 26, 60, false},
    {"024", 20, 70, false}, {"025", 20, 24, true},  {"030", 26, 45, false},  {"035", 16, 9, true},
    {"050", 14, 6, true},
};

struct Zip {
  std::string label;
  Weight weight;
  bool rural;
};
std::vector<Zip> zips() {
  std::vector<Zip> result;
  for (const Region& region : kRegions) {
    for (std::size_t i = 0; i < region.zips; ++i) {
      result.push_back({fmt::format("{}{:02}", region.prefix, 1 + i * 98 / region.zips),
                        region.weight * 1000 / (i + 3), region.rural});
    }
  }
  return result;
}

// --- Jobs ----------------------------------------------------------------------------------------

struct Job {
  const char* label;
  Weight women, men;
  std::size_t first_age, last_age;
  bool manual;         // hard on the back
  bool rural = false;  // of the countryside alone
};
constexpr Job kJobs[] = {
    {"Accountant", 40, 28, 22, 70, false}, {"Carpenter", 3, 50, 18, 67, true},
    {"Cashier", 75, 30, 16, 68, false},    {"Cleaner", 60, 22, 17, 69, true},
    {"Clerk", 110, 45, 18, 68, false},     {"Cook", 35, 45, 16, 68, false},
    {"Driver", 12, 80, 18, 70, true},      {"Electrician", 2, 42, 19, 67, true},
    {"Engineer", 18, 75, 22, 70, false},   {"Farmer", 60, 160, 17, 84, true, true},
    {"Lawyer", 14, 18, 25, 76, false},     {"Manager", 65, 95, 22, 70, false},
    {"Mechanic", 2, 55, 18, 67, true},     {"Nurse", 105, 14, 21, 68, false},
    {"Physician", 16, 20, 27, 76, false},  {"Police officer", 6, 24, 20, 62, false},
    {"Programmer", 18, 60, 20, 68, false}, {"Salesperson", 75, 80, 17, 72, false},
    {"Teacher", 95, 32, 22, 68, false},    {"Unemployed", 55, 60, 18, 65, false},
    {"Homemaker", 120, 6, 20, 104, false}, {"Child", 0, 0, 0, 5, false},
    {"Student", 0, 0, 6, 64, false},       {"Retired", 0, 0, 50, 104, false},
};
constexpr std::size_t kJobCount = std::size(kJobs);
constexpr std::size_t kChild = kJobCount - 3, kStudent = kJobCount - 2, kRetired = kJobCount - 1;

Weight student_weight(std::size_t age) {
  if (age < 18) return 12000;
  if (age < 22) return 1500;
  if (age < 26) return 400;
  return age < 31 ? 80 : 5;
}

Weight retired_weight(std::size_t age) {
  if (age < 60) return 20;
  if (age < 64) return 200;
  if (age < 67) return 900;
  return age < 72 ? 9000 : 40000;
}

Weight job_weight(std::size_t number, std::size_t sex, std::size_t age, bool rural) {
  const Job& job = kJobs[number];
  if (age < job.first_age || age > job.last_age || (job.rural && !rural)) return 0;
  if (number == kChild) return 1;
  if (number == kStudent) return student_weight(age);
  if (number == kRetired) return retired_weight(age);
  return sex == 0 ? job.women : job.men;
}

// --- Diagnoses -----------------------------------------------------------------------------------

// By age from 0, 5, 15, 25, 40, 50, 65 and 80 on.
constexpr std::size_t kAgeBands = 8;
struct Diagnosis {
  const char* label;
  std::array<Weight, kAgeBands> weight;
  Weight women = 100, men = 100;  // percent of the weight
  Weight manual = 100;            // percent of the weight among those who work with their backs
};
constexpr Diagnosis kDiagnoses[] = {
    {"Alzheimer disease", {0, 0, 0, 0, 0, 4, 40, 150}, 120, 90},
    {"Anxiety disorder", {0, 30, 90, 85, 70, 50, 25, 15}, 140, 75},
    {"Appendicitis", {8, 60, 60, 30, 18, 12, 6, 4}, 90, 110},
    {"Asthma", {70, 120, 70, 50, 45, 40, 35, 25}, 105, 95},
    {"Back pain", {0, 5, 50, 120, 150, 140, 90, 50}, 100, 100, 220},
    {"Breast cancer", {0, 0, 0, 14, 45, 60, 60, 45}, 100, 1},
    {"Chickenpox", {110, 90, 6, 2, 0, 0, 0, 0}},
    {"Colon cancer", {0, 0, 0, 3, 14, 35, 55, 60}, 90, 115},
    {"COPD", {0, 0, 0, 3, 25, 75, 110, 100}, 85, 120, 140},
    {"Coronary heart disease", {0, 0, 0, 5, 45, 130, 190, 200}, 70, 140},
    {"Depression", {0, 15, 90, 105, 95, 75, 45, 40}, 135, 75},
    {"Fracture", {60, 140, 110, 65, 55, 60, 80, 130}, 95, 105, 150},
    {"Gastritis", {20, 35, 50, 60, 65, 60, 50, 40}},
    {"Heart failure", {2, 1, 1, 4, 15, 50, 110, 220}, 95, 105},
    {"HIV", {1, 1, 8, 18, 18, 10, 2, 0}, 45, 160},
    {"Hypertension", {0, 1, 12, 60, 150, 260, 290, 260}, 100, 105},
    {"Influenza", {180, 150, 90, 75, 65, 60, 75, 90}},
    {"Lung cancer", {0, 0, 0, 2, 12, 50, 70, 45}, 80, 125, 130},
    {"Migraine", {0, 25, 70, 80, 70, 45, 15, 5}, 155, 55},
    {"Osteoarthritis", {0, 0, 3, 15, 60, 130, 170, 160}, 125, 80, 130},
    {"Otitis media", {260, 90, 20, 10, 8, 6, 5, 4}},
    {"Ovarian cancer", {0, 0, 2, 6, 14, 20, 20, 14}, 100, 0},
    {"Parkinson disease", {0, 0, 0, 0, 2, 12, 40, 50}, 80, 125},
    {"Pneumonia", {110, 40, 22, 25, 30, 45, 80, 150}},
    {"Pregnancy complication", {0, 0, 80, 150, 10, 0, 0, 0}, 100, 0},
    {"Prostate cancer", {0, 0, 0, 0, 10, 70, 110, 90}, 0, 100},
    {"Stroke", {1, 1, 2, 6, 20, 55, 100, 150}, 95, 110},
    {"Type 1 diabetes", {12, 40, 30, 22, 15, 12, 8, 5}},
    {"Type 2 diabetes", {0, 2, 10, 45, 110, 180, 190, 150}, 90, 112},
};
constexpr std::size_t kDiagnosisCount = std::size(kDiagnoses);

// --- People --------------------------------------------------------------------------------------

std::vector<Weight> age_weights(std::size_t sex) {
  return sex == 0 ? along({{0, 135},
                           {5, 85},
                           {15, 85},
                           {22, 120},
                           {35, 130},
                           {50, 130},
                           {62, 140},
                           {74, 130},
                           {84, 85},
                           {94, 22},
                           {100, 3},
                           {kLastAge, 1}})
                  : along({{0, 145},
                           {5, 95},
                           {15, 80},
                           {22, 90},
                           {35, 100},
                           {50, 130},
                           {62, 145},
                           {74, 115},
                           {84, 55},
                           {94, 9},
                           {100, 2},
                           {kLastAge, 1}});
}

WeightedDraw age_draw() {
  const std::array<std::vector<Weight>, kSexes> weights = {age_weights(0), age_weights(1)};
  return {kSexes, kAges, [&](std::size_t sex, std::size_t age) { return weights[sex][age]; }};
}

// The days on which those were born who are of an age on 2026-01-01, counted from the day before
// the oldest's birthdays begin: from the second of January to the first of the next.
std::size_t birthdays_end(std::size_t age) {
  const Calendar last{2026 - static_cast<int>(age), 1, 1},
      oldest{2025 - static_cast<int>(kLastAge), 1, 2};
  return static_cast<std::size_t>(days_of(last) - days_of(oldest)) + 1;
}

std::string birth_label(std::size_t code) {
  const Calendar oldest{2025 - static_cast<int>(kLastAge), 1, 2};
  const Calendar date = calendar_of(days_of(oldest) + static_cast<double>(code));
  return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
}

constexpr std::size_t kFirstNames = kWomensNames.size();
static_assert(kMensNames.size() == kFirstNames);
constexpr std::size_t kNames = kSexes * kFirstNames * kFamilyNames.size();
static_assert(kNames <= 1U << 16);

std::string name_label(std::size_t code) {
  const std::size_t first = code / kFamilyNames.size() % kFirstNames;
  const bool woman = code < kNames / kSexes;
  const std::string_view family = kFamilyNames[code % kFamilyNames.size()];
  return fmt::format("{} {}", woman ? kWomensNames[first] : kMensNames[first], family);
}

class Hospital {
 public:
  enum Column : std::size_t { kName, kBirth, kSex, kZip, kJob, kDiagnosis };
  static constexpr std::size_t kColumns = 6;

  Hospital() {
    for (std::size_t age = 0; age < kAges; ++age) birthdays_end_[age] = birthdays_end(age);
  }

  std::array<Drawn, kColumns> patient(Random& random) const {
    std::array<Drawn, kColumns> row{};
    const std::size_t sex = row[kSex] = sex_(0, random);
    const std::size_t age = age_(sex, random);
    const std::size_t first = sex * kFirstNames + first_name_(0, random);
    row[kName] = static_cast<Drawn>(first * kFamilyNames.size() + family_name_(0, random));
    const std::size_t begin = age == kLastAge ? 0 : birthdays_end_[age + 1];
    row[kBirth] = static_cast<Drawn>(begin + random.below(birthdays_end_[age] - begin));
    row[kZip] = zip_(0, random);
    const std::size_t rural = zips_[row[kZip]].rural ? 1 : 0;
    row[kJob] = job_((sex * kAges + age) * 2 + rural, random);
    const std::size_t manual = kJobs[row[kJob]].manual ? 1 : 0;
    row[kDiagnosis] = diagnosis_((sex * kAgeBands + age_band_[age]) * 2 + manual, random);
    return row;
  }

  std::array<std::size_t, kColumns> domains() const {
    return {kNames, birthdays_end_[0], kSexes, zips_.size(), kJobCount, kDiagnosisCount};
  }
  std::string zip_label(std::size_t code) const { return zips_[code].label; }

 private:
  // The first name of a list is three times as common as the last, the first family name six times.
  static Weight name_weight(std::size_t place, std::size_t count, Weight times) {
    return count + (times - 1) * (count - 1 - place);
  }

  const std::vector<Zip> zips_ = zips();
  std::array<std::size_t, kAges> birthdays_end_{};
  const std::vector<std::uint8_t> age_band_ = bands({0, 5, 15, 25, 40, 50, 65, 80}, kLastAge);
  const WeightedDraw sex_{
      1, kSexes, [](std::size_t, std::size_t sex) { return Weight{sex == 0 ? 52U : 48U}; }};
  const WeightedDraw age_ = age_draw();
  const WeightedDraw first_name_{1, kFirstNames, [](std::size_t, std::size_t place) {
                                   return name_weight(place, kFirstNames, 3);
                                 }};
  const WeightedDraw family_name_{1, kFamilyNames.size(), [](std::size_t, std::size_t place) {
                                    return name_weight(place, kFamilyNames.size(), 6);
                                  }};
  const WeightedDraw zip_{1, zips_.size(),
                          [this](std::size_t, std::size_t zip) { return zips_[zip].weight; }};
  const WeightedDraw job_{kSexes * kAges * 2, kJobCount, [](std::size_t context, std::size_t job) {
                            const std::size_t person = context / 2;
                            return job_weight(job, person / kAges, person % kAges,
                                              context % 2 == 1);
                          }};
  const WeightedDraw diagnosis_{
      kSexes * kAgeBands * 2, kDiagnosisCount, [](std::size_t context, std::size_t number) {
        const Diagnosis& diagnosis = kDiagnoses[number];
        const std::size_t person = context / 2;
        return diagnosis.weight[person % kAgeBands] *
               (person / kAgeBands == 0 ? diagnosis.women : diagnosis.men) *
               (context % 2 == 1 ? diagnosis.manual : 100);
      }};
};

// The labels of the values that were drawn, and no others: most of a small table's names and days
// of birth never are.
template <typename Label>
GeneratedColumn with_labels(const char* name, Codes drawn, std::size_t domain, const Label& label) {
  constexpr Code kNever = ~Code{0};
  std::vector<Code> place(domain, kNever);
  drawn.visit([&](const auto& codes) {
    for (const auto code : codes) place[code] = 0;
  });
  GeneratedColumn column;
  column.name = name;
  for (std::size_t code = 0; code < domain; ++code) {
    if (place[code] == kNever) continue;
    place[code] = static_cast<Code>(column.labels.size());
    column.labels.push_back(label(code));
  }
  column.codes = Codes(drawn.size(), column.labels.size());
  drawn.visit([&](const auto& from) {
    column.codes.visit([&](auto& to) {
      using Narrow = typename std::decay_t<decltype(to)>::value_type;
      for (std::size_t row = 0; row < from.size(); ++row)
        to[row] = static_cast<Narrow>(place[from[row]]);
    });
  });
  return column;
}

}  // namespace

std::vector<GeneratedColumn> generate_patients(std::size_t rows, std::uint64_t seed) {
  const Hospital hospital;
  const auto domains = hospital.domains();
  auto codes = draw_rows<Hospital::kColumns>(
      rows, seed, domains, [&](Random& random) { return hospital.patient(random); });
  std::vector<GeneratedColumn> columns;
  const auto add = [&](const char* name, const auto& label) {
    const std::size_t column = columns.size();
    columns.push_back(with_labels(name, std::move(codes[column]), domains[column], label));
  };
  add("name", name_label);
  add("birth", birth_label);
  add("sex", [](std::size_t sex) { return std::string(sex == 0 ? "Female" : "Male"); });
  add("zip", [&](std::size_t zip) { return hospital.zip_label(zip); });
  add("job", [](std::size_t job) { return std::string(kJobs[job].label); });
  add("diagnosis", [](std::size_t diagnosis) { return std::string(kDiagnoses[diagnosis].label); });
  return columns;
}

}  // namespace throng
