#include "algorithms/specialization.h"

#include <algorithm>

namespace throng {

Specialization::Specialization(SpecializationPlan& plan) : plan_(&plan) {
  closed_.resize(plan.trees.size());
  for (std::size_t i = 0; i < plan.trees.size(); ++i) {
    AttributeTree& tree = plan.trees[i];
    CutMap& cut = cuts_.emplace_back();
    cut.node.assign(tree.domain().size(), AttributeTree::kRoot);
    cut.child.assign(tree.domain().size(), 0);
    const auto children = tree.children(AttributeTree::kRoot);
    for (std::uint32_t child = 0; child < children.size(); ++child) {
      for (Code at = tree.low(children[child]); at <= tree.high(children[child]); ++at)
        cut.child[at] = child;
    }
    if (!children.empty()) candidates_.push_back({i, AttributeTree::kRoot});
  }
  for (const auto& table : plan.views) views_.emplace_back(table, plan.trees, cuts_);
  if (plan.whole) whole_.emplace_back(plan.whole, plan.trees, cuts_);
  weigh();
}

void Specialization::weigh() {
  objective_ = plan_->goal == Goal::distortion       ? benefit_
               : plan_->goal == Goal::discernibility ? -whole_[0].squares()
                                                     : whole_[0].told_right();
}

bool Specialization::holds() const {
  return std::all_of(views_.begin(), views_.end(),
                     [](const View& view) { return view.standing().holds; });
}

bool Specialization::hopeless() const {
  return std::any_of(views_.begin(), views_.end(), [](const View& view) {
    return view.measure().monotone && !view.standing().holds;
  });
}

double Specialization::shortfall_of(const Measure& measure, const Standing& standing) {
  if (standing.holds) return 0;
  if (measure.kind == Measure::Kind::linkability) return 1 - standing.level;
  const double asked = measure.kind == Measure::Kind::diversity ? measure.diversity.l : measure.k;
  return 2 - standing.level / asked;
}

double Specialization::shortfall() const {
  double sum = 0;
  for (const View& view : views_) sum += shortfall_of(view.measure(), view.standing());
  return sum;
}

Specialization::Prospect Specialization::prospect(const Candidate& candidate) {
  Prospect prospect;
  for (View& view : views_) {
    const Standing after = view.after(candidate.attribute, candidate.node, plan_->trees, cuts_);
    prospect.holds = prospect.holds && after.holds;
    prospect.hopeless = prospect.hopeless || (!after.holds && view.measure().monotone);
    prospect.shortfall += shortfall_of(view.measure(), after);
    const double loss = view.standing().level - after.level;
    if (loss > 0 && loss < std::numeric_limits<double>::infinity()) prospect.loss += loss;
  }
  return prospect;
}

double Specialization::gain(const Candidate& candidate) {
  if (plan_->goal == Goal::discernibility) {
    return whole_[0].squares_saved(candidate.attribute, candidate.node, plan_->trees, cuts_);
  }
  return plan_->trees[candidate.attribute].gain(candidate.node);
}

void Specialization::close(const Candidate& candidate) {
  auto& closed = closed_[candidate.attribute];
  if (closed.size() <= candidate.node) closed.resize(candidate.node + 1, 0);
  closed[candidate.node] = 1;
  candidates_.erase(std::find(candidates_.begin(), candidates_.end(), candidate));
}

void Specialization::specialize(const Candidate& candidate) {
  AttributeTree& tree = plan_->trees[candidate.attribute];
  CutMap& cut = cuts_[candidate.attribute];
  benefit_ += tree.benefit(candidate.node);
  const std::vector<AttributeTree::Node> children(tree.children(candidate.node).begin(),
                                                  tree.children(candidate.node).end());
  candidates_.erase(std::find(candidates_.begin(), candidates_.end(), candidate));
  for (const AttributeTree::Node child : children) {
    std::fill(cut.node.begin() + tree.low(child), cut.node.begin() + tree.high(child) + 1, child);
    const std::vector<AttributeTree::Node> below(tree.children(child).begin(),
                                                 tree.children(child).end());
    for (std::uint32_t i = 0; i < below.size(); ++i) {
      std::fill(cut.child.begin() + tree.low(below[i]), cut.child.begin() + tree.high(below[i]) + 1,
                i);
    }
    if (!below.empty()) candidates_.push_back({candidate.attribute, child});
  }
  for (View& view : views_)
    view.specialize(candidate.attribute, candidate.node, plan_->trees, cuts_, closed_);
  for (View& view : whole_)
    view.specialize(candidate.attribute, candidate.node, plan_->trees, cuts_, closed_);
  weigh();
}

double Specialization::bound() const {
  if (plan_->goal == Goal::discernibility) return -static_cast<double>(plan_->records);
  if (plan_->goal == Goal::classification) {
    Closed open(plan_->trees.size());
    for (const Candidate& candidate : candidates_) {
      open[candidate.attribute].resize(plan_->trees[candidate.attribute].nodes(), 0);
      open[candidate.attribute][candidate.node] = 1;
    }
    return whole_[0].most_told_right(cuts_, open);
  }
  double bound = benefit_;
  for (const Candidate& candidate : candidates_)
    bound += plan_->trees[candidate.attribute].benefit_below(candidate.node);
  return bound;
}

std::vector<AttributeTree::Node> Specialization::cut(std::size_t attribute) const {
  const AttributeTree& tree = plan_->trees[attribute];
  std::vector<AttributeTree::Node> nodes;
  const auto visit = [&](const auto& self, AttributeTree::Node node) -> void {
    if (cuts_[attribute].node[tree.low(node)] == node) {
      nodes.push_back(node);
    } else {
      for (const AttributeTree::Node child : tree.known_children(node)) self(self, child);
    }
  };
  visit(visit, AttributeTree::kRoot);
  return nodes;
}

std::string Specialization::key() const {
  std::string key;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    for (const AttributeTree::Node node : cut(i))
      key.append(reinterpret_cast<const char*>(&node), sizeof node);
    key += '|';
  }
  return key;
}

}  // namespace throng
