// A table on its way from `*` to its values: the cut of every column, and how every requirement
// stands. Copies are cheap enough to look at several ways on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/attribute_tree.h"
#include "algorithms/previous_join.h"
#include "algorithms/view.h"
#include "policy/policy.h"
#include "release/frequency_list.h"

namespace throng {

// What never changes while a table is specialized.
struct SpecializationPlan {
  std::vector<AttributeTree> trees;  // of the columns that are specialized
  std::vector<std::size_t> quasi;    // by tree: the quasi-identifier
  std::vector<std::shared_ptr<const ViewTable>> views;
  // Of discernibility: the records of all classes. Of classification: with their classes.
  std::shared_ptr<const ViewTable> whole;
  std::unique_ptr<PreviousJoin> join;
  std::vector<std::vector<LinkGuard>> guards;  // by (X,Y)-requirement
  std::vector<XyRequirement> asked;
  Goal goal = Goal::distortion;
  bool monotone = true;
  std::vector<std::string> join_columns;
  std::uint64_t dangling = 0;
  std::vector<std::uint64_t> dangling_previous;
  std::uint64_t records = 0;
};

// The list loses what dangles, where the policy drops that.
SpecializationPlan plan_specialization(FrequencyList& list, std::span<const Release> previous,
                                       const Policy& policy);

class Specialization {
 public:
  struct Candidate {
    std::size_t attribute = 0;
    AttributeTree::Node node = 0;
    bool operator==(const Candidate&) const = default;
  };
  struct Prospect {
    bool holds = true;      // all requirements, with the candidate specialized
    bool hopeless = false;  // a requirement breaks that never heals
    double loss = 0;        // PrivLoss
    double shortfall = 0;   // how far from holding, 0 where it holds
  };

  explicit Specialization(SpecializationPlan& plan);  // every column at `*`

  bool holds() const;
  double shortfall() const;  // how far from holding, 0 where it does
  // Whether a requirement is broken that no specialization heals.
  bool hopeless() const;
  const std::vector<Candidate>& candidates() const { return candidates_; }
  Prospect prospect(const Candidate& candidate);
  double gain(const Candidate& candidate);
  void specialize(const Candidate& candidate);
  // Nobody will ask for it again.
  void close(const Candidate& candidate);

  // What a search makes large: distortion taken away; records whose class is the most frequent one
  // of all that look like them; or minus the records that look alike (Σ |class|²).
  double objective() const { return objective_; }
  // No table that can be reached from here has more.
  double bound() const;
  const AttributeTree::Node& node_of(std::size_t attribute, Code position) const {
    return cuts_[attribute].node[position];
  }
  std::vector<AttributeTree::Node> cut(std::size_t attribute) const;
  // Says which cuts these are, for comparing.
  std::string key() const;

 private:
  void weigh();
  static double shortfall_of(const Measure& measure, const Standing& standing);

  SpecializationPlan* plan_;
  std::vector<CutMap> cuts_;
  std::vector<View> views_;
  std::vector<View> whole_;  // one, of the goals that look at all columns together
  Closed closed_;
  std::vector<Candidate> candidates_;
  double benefit_ = 0, objective_ = 0;
};

}  // namespace throng
