// The census: weights fitted by hand to the frequencies of UCI Adult (B. Becker, R. Kohavi, 1996),
// in the order in which people come by their values:
//
//   sex → age, race; race → country; sex, age → marital status; age, country → education;
//   sex, age, education → workclass; sex, education, workclass, age → occupation;
//   all but race and country → salary.
//
// Each table gives weights (of a value in a context, about a thousand in all) or factors in percent
// (by which a second context raises or lowers the weights of the first). A 0 is a combination that
// never occurs.
#include <array>
#include <iterator>
#include <string>

#include "generate/draw.h"
#include "generate/generate.h"

namespace throng {
namespace {

using Labels = std::vector<std::string>;

// --- Values --------------------------------------------------------------------------------------

constexpr std::size_t kFirstAge = 17;
constexpr std::size_t kSexes = 2, kAges = 72, kRaces = 5, kMaritals = 7, kEducations = 16,
                      kCountries = 41, kWorkclasses = 7, kOccupations = 14, kSalaries = 2;

// 17 to 90 without 87 and 89, which nobody in Adult has.
constexpr std::size_t age_of(std::size_t code) {
  return code < 70 ? kFirstAge + code : 88 + 2 * (code - 70);
}

Labels sex_labels() { return {"Female", "Male"}; }

Labels age_labels() {
  Labels labels;
  for (std::size_t code = 0; code < kAges; ++code) labels.push_back(std::to_string(age_of(code)));
  return labels;
}

Labels race_labels() {
  return {"White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"};
}

Labels marital_labels() {
  return {"Married-civ-spouse",    "Never-married",    "Divorced", "Separated", "Widowed",
          "Married-spouse-absent", "Married-AF-spouse"};
}

Labels education_labels() {
  return {"Preschool", "1st-4th", "5th-6th",     "7th-8th",      "9th",       "10th",
          "11th",      "12th",    "HS-grad",     "Some-college", "Assoc-voc", "Assoc-acdm",
          "Bachelors", "Masters", "Prof-school", "Doctorate"};
}

Labels workclass_labels() {
  return {"Private",   "Self-emp-not-inc", "Self-emp-inc", "Federal-gov",
          "Local-gov", "State-gov",        "Without-pay"};
}

Labels occupation_labels() {
  return {"Adm-clerical",    "Armed-Forces",      "Craft-repair",      "Exec-managerial",
          "Farming-fishing", "Handlers-cleaners", "Machine-op-inspct", "Other-service",
          "Priv-house-serv", "Prof-specialty",    "Protective-serv",   "Sales",
          "Tech-support",    "Transport-moving"};
}

Labels salary_labels() { return {"<=50K", ">50K"}; }

// How long the people from a country went to school, among those in Adult.
enum Origin : std::uint8_t { kStates, kLongSchooling, kShortSchooling, kElsewhere };
constexpr std::size_t kOrigins = 4;

struct Country {
  const char* label;
  Origin origin;
  std::array<Weight, kRaces> weight;  // by race: White, Black, Asian, American Indian, other
};
constexpr Country kCountryTable[] = {
    {"United-States", kStates, {24200, 2630, 273, 271, 113}},
    {"Cambodia", kElsewhere, {0, 0, 18, 0, 0}},
    {"Canada", kElsewhere, {105, 0, 1, 0, 1}},
    {"China", kLongSchooling, {2, 0, 66, 0, 0}},
    {"Columbia", kElsewhere, {49, 0, 0, 1, 6}},
    {"Cuba", kElsewhere, {87, 3, 0, 0, 2}},
    {"Dominican-Republic", kShortSchooling, {36, 12, 1, 0, 18}},
    {"Ecuador", kElsewhere, {18, 0, 0, 0, 9}},
    {"El-Salvador", kShortSchooling, {95, 1, 0, 0, 4}},
    {"England", kElsewhere, {78, 7, 1, 0, 0}},
    {"France", kElsewhere, {26, 1, 0, 0, 0}},
    {"Germany", kElsewhere, {118, 6, 2, 1, 1}},
    {"Greece", kElsewhere, {28, 0, 1, 0, 0}},
    {"Guatemala", kShortSchooling, {59, 0, 0, 0, 4}},
    {"Haiti", kShortSchooling, {0, 41, 1, 0, 0}},
    {"Holand-Netherlands", kElsewhere, {8, 0, 0, 0, 0}},
    {"Honduras", kShortSchooling, {11, 1, 0, 0, 0}},
    {"Hong", kLongSchooling, {2, 0, 16, 1, 0}},
    {"Hungary", kElsewhere, {13, 0, 0, 0, 0}},
    {"India", kLongSchooling, {8, 2, 85, 0, 5}},
    {"Iran", kLongSchooling, {34, 0, 6, 0, 2}},
    {"Ireland", kElsewhere, {23, 0, 1, 0, 0}},
    {"Italy", kElsewhere, {68, 0, 0, 0, 0}},
    {"Jamaica", kElsewhere, {5, 74, 0, 0, 1}},
    {"Japan", kLongSchooling, {18, 3, 37, 0, 1}},
    {"Laos", kElsewhere, {0, 0, 17, 0, 0}},
    {"Mexico", kShortSchooling, {559, 4, 1, 8, 38}},
    {"Nicaragua", kShortSchooling, {27, 2, 0, 0, 4}},
    {"Outlying-US(Guam-USVI-etc)", kElsewhere, {8, 6, 0, 0, 0}},
    {"Peru", kElsewhere, {29, 0, 0, 0, 1}},
    {"Philippines", kLongSchooling, {8, 1, 178, 1, 0}},
    {"Poland", kElsewhere, {55, 0, 1, 0, 0}},
    {"Portugal", kShortSchooling, {33, 0, 1, 0, 0}},
    {"Puerto-Rico", kShortSchooling, {78, 9, 1, 1, 20}},
    {"Scotland", kElsewhere, {11, 0, 0, 0, 0}},
    {"South", kLongSchooling, {1, 0, 68, 2, 0}},
    {"Taiwan", kLongSchooling, {2, 0, 40, 0, 0}},
    {"Thailand", kElsewhere, {2, 0, 15, 0, 0}},
    {"Trinadad&Tobago", kElsewhere, {0, 15, 2, 0, 1}},
    {"Vietnam", kElsewhere, {2, 0, 62, 0, 0}},
    {"Yugoslavia", kElsewhere, {16, 0, 0, 0, 0}},
};
static_assert(std::size(kCountryTable) == kCountries);

Labels country_labels() {
  Labels labels;
  for (const Country& country : kCountryTable) labels.emplace_back(country.label);
  return labels;
}

// --- Weights -------------------------------------------------------------------------------------

constexpr Weight kSexWeight[kSexes] = {324, 676};

constexpr Weight kRaceWeight[kSexes][kRaces] = {{807, 143, 30, 11, 9}, {885, 70, 29, 9, 7}};

// Marital status by sex and age from 17, 20, 23, 26, 30, 35, 40, 45, 55, 65 and 75 on.
constexpr std::size_t kMaritalBands = 11;
constexpr Weight kMaritalWeight[kSexes][kMaritalBands][kMaritals] = {
    {{12, 964, 9, 8, 0, 5, 2},
     {30, 923, 17, 17, 2, 10, 1},
     {103, 783, 65, 33, 2, 13, 1},
     {161, 633, 132, 45, 5, 23, 1},
     {190, 437, 255, 82, 12, 21, 3},
     {212, 294, 364, 76, 29, 22, 3},
     {218, 218, 416, 89, 34, 24, 1},
     {186, 150, 451, 85, 102, 26, 0},
     {165, 95, 376, 50, 296, 18, 0},
     {65, 100, 235, 27, 565, 8, 0},
     {81, 145, 97, 16, 629, 32, 0}},
    {{17, 980, 1, 0, 0, 2, 0},
     {116, 860, 9, 7, 0, 8, 0},
     {254, 701, 21, 16, 0, 8, 0},
     {466, 457, 49, 18, 1, 7, 2},
     {622, 260, 84, 22, 1, 10, 1},
     {699, 161, 104, 27, 2, 7, 0},
     {730, 99, 130, 26, 3, 12, 0},
     {796, 59, 112, 13, 7, 13, 0},
     {823, 47, 89, 14, 19, 8, 0},
     {828, 39, 49, 12, 64, 8, 0},
     {667, 125, 20, 4, 163, 21, 0}},
};

// Education by age from 17, 18, 19, 20, 22, 23, 25, 30, 40, 50, 60 and 70 on, of the born in the
// States.
constexpr std::size_t kEducationBands = 12;
constexpr Weight kEducationWeight[kEducationBands][kEducations] = {
    {0, 0, 1, 9, 66, 327, 473, 96, 22, 6, 0, 0, 0, 0, 0, 0},
    {0, 1, 3, 10, 15, 67, 322, 113, 284, 185, 0, 0, 0, 0, 0, 0},
    {0, 1, 1, 10, 6, 20, 65, 40, 411, 440, 4, 2, 0, 0, 0, 0},
    {1, 1, 1, 5, 12, 19, 26, 14, 344, 519, 30, 23, 5, 0, 0, 0},
    {1, 1, 2, 4, 10, 27, 29, 14, 328, 384, 40, 37, 123, 0, 0, 0},
    {1, 1, 1, 9, 8, 14, 27, 13, 307, 293, 41, 39, 235, 11, 0, 0},
    {1, 1, 1, 7, 9, 23, 25, 9, 344, 215, 51, 40, 223, 35, 12, 4},
    {1, 1, 1, 9, 11, 19, 25, 8, 351, 207, 56, 43, 191, 50, 18, 10},
    {1, 1, 2, 13, 10, 16, 19, 6, 311, 214, 50, 39, 188, 86, 28, 16},
    {1, 2, 5, 26, 17, 37, 26, 10, 358, 185, 34, 26, 148, 81, 22, 22},
    {2, 4, 10, 64, 26, 43, 30, 10, 352, 175, 36, 18, 128, 56, 24, 22},
    {3, 8, 13, 78, 31, 42, 32, 8, 322, 177, 25, 8, 124, 60, 40, 29},
};
constexpr Weight kEducationFactor[kOrigins][kEducations] = {
    {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100},
    {700, 50, 400, 80, 85, 45, 90, 10, 50, 65, 50, 70, 175, 240, 310, 465},
    {2200, 9000, 8000, 730, 660, 170, 160, 230, 60, 45, 27, 25, 28, 24, 23, 21},
    {200, 900, 850, 160, 145, 70, 85, 180, 86, 91, 98, 120, 105, 91, 92, 235},
};

// What an education is worth at work: none finished, high school, some college, associate,
// bachelor, master, professional school, doctor.
constexpr std::size_t kDegrees = 8;
constexpr std::uint8_t kDegreeOf[kEducations] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 7};

// Workclass by sex and age from 17, 25, 35, 45, 55 and 65 on, of high-school graduates.
constexpr std::size_t kWorkBands = 6;
constexpr Weight kWorkclassWeight[kSexes][kWorkBands][kWorkclasses] = {
    {{915, 16, 3, 10, 28, 28, 0},
     {866, 29, 9, 19, 51, 26, 0},
     {796, 49, 9, 35, 69, 41, 1},
     {759, 56, 16, 39, 92, 35, 2},
     {705, 95, 21, 42, 97, 38, 2},
     {721, 86, 28, 33, 96, 22, 10}},
    {{897, 28, 10, 11, 23, 27, 2},
     {819, 78, 19, 18, 41, 24, 0},
     {751, 115, 37, 27, 47, 23, 0},
     {695, 129, 53, 41, 56, 26, 0},
     {645, 180, 61, 39, 48, 26, 1},
     {521, 286, 97, 17, 46, 22, 8}},
};
constexpr Weight kWorkclassFactor[kDegrees][kWorkclasses] = {
    {107, 89, 56, 27, 85, 58, 20},    {100, 100, 100, 100, 100, 100, 100},
    {94, 95, 141, 155, 121, 174, 50}, {94, 94, 122, 152, 144, 137, 70},
    {88, 86, 181, 156, 187, 198, 0},  {71, 72, 140, 129, 369, 372, 0},
    {60, 213, 393, 159, 101, 216, 0}, {63, 103, 218, 125, 125, 828, 0},
};

// Occupation by sex and degree, of private employees from 25 to 44.
constexpr Weight kOccupationWeight[kSexes][kDegrees][kOccupations] = {
    {{95, 0, 41, 28, 11, 40, 235, 327, 46, 18, 3, 134, 11, 12},
     {293, 0, 40, 85, 5, 34, 115, 217, 13, 28, 3, 127, 22, 18},
     {341, 0, 27, 136, 6, 11, 41, 151, 6, 64, 4, 146, 58, 11},
     {295, 0, 25, 129, 2, 8, 26, 126, 6, 180, 4, 85, 107, 8},
     {170, 0, 12, 235, 2, 3, 12, 49, 3, 334, 3, 120, 57, 2},
     {65, 0, 6, 240, 0, 0, 8, 31, 0, 561, 0, 67, 21, 0},
     {24, 0, 0, 95, 0, 0, 0, 14, 0, 780, 0, 58, 28, 0},
     {13, 0, 15, 164, 0, 0, 20, 0, 0, 748, 0, 30, 10, 0}},
    {{22, 1, 287, 26, 50, 137, 162, 113, 1, 11, 5, 40, 5, 141},
     {53, 1, 297, 67, 29, 89, 145, 74, 0, 16, 12, 79, 17, 122},
     {81, 1, 234, 129, 21, 64, 79, 75, 0, 53, 17, 129, 44, 73},
     {65, 1, 270, 112, 26, 38, 73, 56, 1, 83, 20, 117, 93, 46},
     {68, 1, 73, 270, 14, 18, 19, 31, 1, 235, 10, 190, 53, 18},
     {37, 1, 24, 342, 7, 8, 10, 7, 0, 394, 4, 125, 33, 10},
     {19, 0, 19, 63, 3, 0, 0, 9, 0, 833, 2, 24, 19, 9},
     {13, 0, 5, 122, 2, 0, 0, 0, 0, 817, 0, 26, 10, 5}},
};
constexpr Weight kOccupationByWorkclass[kWorkclasses][kOccupations] = {
    {100, 0, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100},
    {20, 0, 128, 114, 813, 12, 17, 78, 0, 110, 25, 128, 34, 69},
    {32, 0, 54, 249, 216, 4, 12, 32, 0, 88, 45, 218, 9, 35},
    {298, 2000, 41, 121, 44, 52, 18, 40, 0, 138, 276, 11, 184, 41},
    {108, 0, 52, 65, 79, 51, 7, 90, 0, 232, 1806, 3, 52, 105},
    {154, 0, 33, 96, 66, 15, 14, 93, 0, 201, 1063, 6, 123, 64},
    {109, 0, 72, 0, 2018, 120, 86, 41, 0, 0, 0, 0, 0, 155},
};
// By age from 17, 20, 25, 45 and 65 on.
constexpr std::size_t kOccupationBands = 5;
constexpr Weight kOccupationByAge[kOccupationBands][kOccupations] = {
    {108, 0, 26, 19, 94, 141, 26, 204, 112, 87, 54, 235, 33, 23},
    {114, 300, 61, 47, 135, 183, 89, 162, 178, 82, 81, 138, 79, 64},
    {100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100},
    {100, 27, 92, 128, 91, 56, 92, 92, 160, 98, 84, 114, 87, 107},
    {128, 0, 35, 140, 113, 63, 49, 116, 644, 100, 157, 139, 47, 77},
};

// The odds of a salary above 50K are the product of these; 1 is a married man of 40 to 44 with a
// high-school degree in a private craft, whose odds are kSalaryOdds.
constexpr double kSalaryOdds = 0.573;
constexpr double kOddsBySex[kSexes] = {0.74, 1};
constexpr double kOddsByMarital[kMaritals] = {1, 0.11, 0.12, 0.12, 0.12, 0.12, 1};
constexpr double kOddsByEducation[kEducations] = {0.1, 0.27, 0.27, 0.27, 0.27, 0.53, 0.53, 0.53,
                                                  1,   1.4,  1.6,  1.6,  3.2,  4.6,  10,   10};
constexpr double kOddsByWorkclass[kWorkclasses] = {1, 0.68, 1.5, 1.4, 0.75, 0.61, 0};
constexpr double kOddsByOccupation[kOccupations] = {1,   0.45, 1,   2.5, 0.5, 0.48, 0.69,
                                                    0.4, 0.13, 1.8, 2,   1.5, 1.8,  0.95};
// By age from 17, 20, 23, 25, 28, 30, 33, 36, 40, 45, 60, 65 and 70 on.
constexpr double kOddsByAge[] = {0.019, 0.074, 0.12, 0.26, 0.43, 0.57, 0.67,
                                 0.98,  1,     1.2,  0.81, 0.58, 0.44};

// --- People --------------------------------------------------------------------------------------

std::vector<Weight> age_weights(std::size_t sex) {
  return sex == 0
             ? along({{17, 153}, {19, 298}, {23, 330}, {26, 280}, {31, 262}, {36, 245}, {41, 232},
                      {47, 213}, {50, 160}, {54, 112}, {59, 88},  {62, 72},  {66, 40},  {70, 20},
                      {75, 10},  {80, 5},   {84, 4},   {88, 3},   {89, 3},   {90, 10}})
             : along({{17, 87},  {19, 145}, {22, 185}, {25, 243}, {31, 285}, {36, 293}, {42, 258},
                      {47, 233}, {50, 200}, {54, 146}, {59, 120}, {62, 68},  {66, 36},  {70, 21},
                      {75, 11},  {80, 5},   {84, 3},   {88, 3},   {89, 3},   {90, 12}});
}

WeightedDraw age_draw() {
  const std::array<std::vector<Weight>, kSexes> weights = {age_weights(0), age_weights(1)};
  return {kSexes, kAges, [&](std::size_t sex, std::size_t code) {
            return weights[sex][age_of(code) - kFirstAge];
          }};
}

// A context of several parts is numbered like the digits of a number, the last part fastest.
class Census {
 public:
  enum Column : std::size_t {
    kSex,
    kAge,
    kRace,
    kMarital,
    kEducation,
    kCountry,
    kWorkclass,
    kOccupation,
    kSalary
  };
  static constexpr std::size_t kColumns = 9;

  std::array<Drawn, kColumns> person(Random& random) const {
    std::array<Drawn, kColumns> row{};
    const std::size_t sex = row[kSex] = sex_(0, random);
    row[kAge] = age_(sex, random);
    const std::size_t age = age_of(row[kAge]);
    row[kRace] = race_(sex, random);
    row[kCountry] = country_(row[kRace], random);
    row[kMarital] = marital_(sex * kMaritalBands + marital_band_[age], random);
    const std::size_t origin = kCountryTable[row[kCountry]].origin;
    row[kEducation] = education_(education_band_[age] * kOrigins + origin, random);
    const std::size_t degree = kDegreeOf[row[kEducation]];
    row[kWorkclass] = workclass_((sex * kWorkBands + work_band_[age]) * kDegrees + degree, random);
    const std::size_t hired = (sex * kDegrees + degree) * kWorkclasses + row[kWorkclass];
    row[kOccupation] = occupation_(hired * kOccupationBands + occupation_band_[age], random);
    const double odds = kSalaryOdds * kOddsBySex[sex] * kOddsByMarital[row[kMarital]] *
                        kOddsByEducation[row[kEducation]] * kOddsByWorkclass[row[kWorkclass]] *
                        kOddsByOccupation[row[kOccupation]] * kOddsByAge[salary_band_[age]];
    const double unit = random.unit();
    row[kSalary] = unit < odds * (1 - unit) ? 1 : 0;  // with the chance odds / (1 + odds)
    return row;
  }

 private:
  static constexpr std::size_t kLastAge = 90;

  const WeightedDraw sex_{1, kSexes, [](std::size_t, std::size_t sex) { return kSexWeight[sex]; }};
  const WeightedDraw age_ = age_draw();
  const WeightedDraw race_{
      kSexes, kRaces, [](std::size_t sex, std::size_t race) { return kRaceWeight[sex][race]; }};
  const WeightedDraw country_{kRaces, kCountries, [](std::size_t race, std::size_t country) {
                                return kCountryTable[country].weight[race];
                              }};
  const WeightedDraw marital_{
      kSexes * kMaritalBands, kMaritals, [](std::size_t context, std::size_t marital) {
        return kMaritalWeight[context / kMaritalBands][context % kMaritalBands][marital];
      }};
  const WeightedDraw education_{kEducationBands * kOrigins, kEducations,
                                [](std::size_t context, std::size_t education) {
                                  return kEducationWeight[context / kOrigins][education] *
                                         kEducationFactor[context % kOrigins][education];
                                }};
  const WeightedDraw workclass_{
      kSexes * kWorkBands * kDegrees, kWorkclasses, [](std::size_t context, std::size_t workclass) {
        const std::size_t person = context / kDegrees;
        return kWorkclassWeight[person / kWorkBands][person % kWorkBands][workclass] *
               kWorkclassFactor[context % kDegrees][workclass];
      }};
  const WeightedDraw occupation_{
      kSexes * kDegrees * kWorkclasses * kOccupationBands, kOccupations,
      [](std::size_t context, std::size_t occupation) {
        const std::size_t hired = context / kOccupationBands, person = hired / kWorkclasses;
        return kOccupationWeight[person / kDegrees][person % kDegrees][occupation] *
               kOccupationByWorkclass[hired % kWorkclasses][occupation] *
               kOccupationByAge[context % kOccupationBands][occupation];
      }};
  const std::vector<std::uint8_t> marital_band_ =
      bands({17, 20, 23, 26, 30, 35, 40, 45, 55, 65, 75}, kLastAge);
  const std::vector<std::uint8_t> education_band_ =
      bands({17, 18, 19, 20, 22, 23, 25, 30, 40, 50, 60, 70}, kLastAge);
  const std::vector<std::uint8_t> work_band_ = bands({17, 25, 35, 45, 55, 65}, kLastAge);
  const std::vector<std::uint8_t> occupation_band_ = bands({17, 20, 25, 45, 65}, kLastAge);
  const std::vector<std::uint8_t> salary_band_ =
      bands({17, 20, 23, 25, 28, 30, 33, 36, 40, 45, 60, 65, 70}, kLastAge);
};

}  // namespace

std::vector<GeneratedColumn> generate_census(std::size_t rows, std::uint64_t seed) {
  const Census census;
  auto codes = draw_rows<Census::kColumns>(rows, seed,
                                           {kSexes, kAges, kRaces, kMaritals, kEducations,
                                            kCountries, kWorkclasses, kOccupations, kSalaries},
                                           [&](Random& random) { return census.person(random); });
  std::vector<GeneratedColumn> columns;
  const auto add = [&](const char* name, Labels labels) {
    columns.push_back({name, std::move(labels), std::move(codes[columns.size()])});
  };
  add("sex", sex_labels());
  add("age", age_labels());
  add("race", race_labels());
  add("marital-status", marital_labels());
  add("education", education_labels());
  add("native-country", country_labels());
  add("workclass", workclass_labels());
  add("occupation", occupation_labels());
  add("salary-class", salary_labels());
  return columns;
}

}  // namespace throng
