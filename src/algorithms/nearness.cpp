#include "algorithms/nearness.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "table/random.h"

namespace throng {
namespace {

constexpr std::size_t kMostAxes = 16;
constexpr std::size_t kMostValues = 64;
constexpr std::size_t kSample = 8192;
constexpr int kRounds = 40;
// Values of one quasi-identifier that are told apart, neighbours together: in profiles, and as
// such.
constexpr std::size_t kMostProfiles = 1024;
constexpr std::size_t kMostKinds = 32;
// A profile of few records is drawn towards that of all: as if so many of them had been added.
constexpr double kPrior = 20;
// What an unequal value counts against the profiles, which are differences of probabilities.
constexpr double kUnequal = 0.3;

using Matrix = std::vector<std::vector<double>>;

// The values by frequency; all beyond kMostValues are one.
struct Profiles {
  std::size_t size = 0;
  std::vector<std::uint32_t> slot;  // by value
  std::vector<double> share;        // by slot
};

Profiles make_profiles(const FrequencyList& list, std::size_t column) {
  const std::size_t values = list.sensitive_sizes[column];
  std::vector<std::uint64_t> counts(values, 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry)
    counts[list.values[column][entry]] += list.weights[entry];
  std::vector<std::uint32_t> order(values);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return counts[a] > counts[b]; });
  Profiles profiles;
  profiles.size = std::min(values, kMostValues);
  profiles.slot.resize(values);
  profiles.share.assign(profiles.size, 0);
  for (std::uint32_t rank = 0; rank < values; ++rank) {
    const auto slot = std::min(rank, static_cast<std::uint32_t>(profiles.size - 1));
    profiles.slot[order[rank]] = slot;
    profiles.share[slot] +=
        static_cast<double>(counts[order[rank]]) / static_cast<double>(list.records);
  }
  return profiles;
}

// What one quasi-identifier adds to a record's vector, by bundle of its positions.
struct Part {
  std::size_t bundles = 0, kinds = 0;
  std::size_t first_kind = 0;  // where its own dimensions begin
  std::size_t domain = 1;
  Matrix profile;  // by bundle, by slot

  std::size_t bundle(Code position) const { return std::size_t{position} * bundles / domain; }
  std::size_t kind(std::size_t of_bundle) const { return of_bundle * kinds / bundles; }
};

Part make_part(const FrequencyList& list, std::size_t quasi, std::size_t column,
               const Profiles& profiles) {
  Part part;
  part.domain = std::max<std::size_t>(1, list.domains[quasi].size());
  part.bundles = std::min(part.domain, kMostProfiles);
  part.kinds =
      std::min({part.bundles, kMostKinds,
                std::max<std::size_t>(2, 256 / std::max<std::size_t>(1, list.domains.size()))});
  part.profile.assign(part.bundles, std::vector<double>(profiles.size, 0));
  std::vector<double> records(part.bundles, 0);
  for (std::size_t entry = 0; entry < list.size(); ++entry) {
    const std::size_t bundle = part.bundle(list.positions[quasi][entry]);
    part.profile[bundle][profiles.slot[list.values[column][entry]]] += list.weights[entry];
    records[bundle] += list.weights[entry];
  }
  for (std::size_t bundle = 0; bundle < part.bundles; ++bundle) {
    for (std::size_t slot = 0; slot < profiles.size; ++slot) {
      double& share = part.profile[bundle][slot];
      share = (share + kPrior * profiles.share[slot]) / (records[bundle] + kPrior) -
              profiles.share[slot];
    }
  }
  return part;
}

// The main axes of a covariance, by repeated multiplication, one after the other.
Matrix main_axes(std::vector<double>& covariance, std::size_t size) {
  Matrix axes;
  Random random(1);
  std::vector<double> axis(size), image(size);
  double first = 0;
  while (axes.size() < std::min(kMostAxes, size)) {
    for (double& x : axis) x = random.unit() - 0.5;
    double length = 0;
    for (int round = 0; round < kRounds; ++round) {
      length = 0;
      for (std::size_t i = 0; i < size; ++i) {
        image[i] =
            std::inner_product(axis.begin(), axis.end(),
                               covariance.begin() + static_cast<std::ptrdiff_t>(i * size), 0.0);
        length += image[i] * image[i];
      }
      length = std::sqrt(length);
      if (length <= 1e-9 * first || length == 0) return axes;
      for (std::size_t i = 0; i < size; ++i) axis[i] = image[i] / length;
    }
    first = std::max(first, length);
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) covariance[i * size + j] -= length * axis[i] * axis[j];
    }
    axes.push_back(axis);
  }
  return axes;
}

}  // namespace

Places make_places(const FrequencyList& list, std::size_t column) {
  const Profiles profiles = make_profiles(list, column);
  std::vector<Part> parts;
  std::size_t size = profiles.size;
  for (std::size_t quasi = 0; quasi < list.domains.size(); ++quasi) {
    Part part = make_part(list, quasi, column, profiles);
    part.first_kind = size;
    size += part.kinds;
    parts.push_back(std::move(part));
  }

  // The covariance of the vectors: their profiles, and a few dimensions that are not 0.
  std::vector<double> covariance(size * size, 0), mean(size, 0);
  const std::size_t step = (list.size() + kSample - 1) / kSample;
  std::vector<double> values;
  std::vector<std::size_t> dimensions;
  double total = 0;
  for (std::size_t entry = 0; entry < list.size(); entry += step) {
    values.assign(profiles.size, 0);
    dimensions.resize(profiles.size);
    std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
    for (std::size_t quasi = 0; quasi < parts.size(); ++quasi) {
      const Part& part = parts[quasi];
      const std::size_t bundle = part.bundle(list.positions[quasi][entry]);
      for (std::size_t slot = 0; slot < profiles.size; ++slot)
        values[slot] += part.profile[bundle][slot];
      dimensions.push_back(part.first_kind + part.kind(bundle));
      values.push_back(kUnequal);
    }
    const double weight = list.weights[entry];
    total += weight;
    for (std::size_t i = 0; i < values.size(); ++i) {
      mean[dimensions[i]] += weight * values[i];
      double* row = covariance.data() + dimensions[i] * size;
      for (std::size_t j = 0; j < values.size(); ++j)
        row[dimensions[j]] += weight * values[i] * values[j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      covariance[i * size + j] =
          covariance[i * size + j] / total - mean[i] / total * (mean[j] / total);
    }
  }
  const Matrix axes = main_axes(covariance, size);

  // Along an axis, a record stands at the sum of what its quasi-identifiers add.
  Places places;
  places.axes = axes.size();
  places.at.assign(list.size() * places.axes, 0);
  for (std::size_t quasi = 0; quasi < parts.size(); ++quasi) {
    const Part& part = parts[quasi];
    std::vector<float> adds(part.bundles * places.axes);
    for (std::size_t bundle = 0; bundle < part.bundles; ++bundle) {
      for (std::size_t axis = 0; axis < places.axes; ++axis) {
        adds[bundle * places.axes + axis] = static_cast<float>(std::inner_product(
            part.profile[bundle].begin(), part.profile[bundle].end(), axes[axis].begin(),
            kUnequal * axes[axis][part.first_kind + part.kind(bundle)]));
      }
    }
    for (std::size_t entry = 0; entry < list.size(); ++entry) {
      const float* add = adds.data() + part.bundle(list.positions[quasi][entry]) * places.axes;
      float* at = places.at.data() + entry * places.axes;
      for (std::size_t axis = 0; axis < places.axes; ++axis) at[axis] += add[axis];
    }
  }
  return places;
}

}  // namespace throng
