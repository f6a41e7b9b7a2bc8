#include "audit/shifts.h"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <numeric>

#include "audit/components.h"

namespace throng {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Cells that shift together are one variable, of which they are copies, some with the other sign.
class Reduction {
 public:
  Reduction(const Shifts& shifts, std::size_t most_steps)
      : steps_left_(most_steps),
        can_rise_(shifts.can_rise),
        can_fall_(shifts.can_fall),
        copy_of_(shifts.cells()),
        sign_(shifts.cells(), 1),
        stays_(shifts.cells(), 0),
        sums_(shifts.sums()),
        sums_of_(shifts.cells()),
        is_waiting_(shifts.sums(), 0),
        same_(shifts.sums(), 0),
        opposite_(shifts.sums(), 0) {
    std::iota(copy_of_.begin(), copy_of_.end(), 0U);
    for (std::uint32_t sum = 0; sum < sums_.size(); ++sum) {
      for (std::uint32_t i = shifts.sum_begin[sum]; i < shifts.sum_begin[sum + 1]; ++i) {
        sums_[sum].push_back({shifts.members[i], 1});
        sums_of_[shifts.members[i]].push_back(sum);
      }
    }
    for (std::uint32_t cell = 0; cell < shifts.cells(); ++cell) {
      if (can_rise_[cell] == 0 && can_fall_[cell] == 0) stays_[cell] = 1;
    }
  }

  void run() {
    std::vector<std::uint32_t> order(sums_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return sums_[a].size() != sums_[b].size() ? sums_[a].size() < sums_[b].size() : a < b;
    });
    for (const std::uint32_t sum : order) wait(sum);
    while (!waiting_.empty()) {
      const std::uint32_t sum = waiting_.front();
      waiting_.pop_front();
      is_waiting_[sum] = 0;
      reduce(sum);
    }
  }

  // Of the pieces that are networks, the strongly connected components settle all cells.
  std::vector<Rise> settle(const Shifts& shifts) {
    make_network();
    const std::vector<std::uint32_t> component = strong_components(arcs_);
    std::vector<Rise> rises(shifts.cells(), Rise::open);
    for (std::uint32_t cell = 0; cell < shifts.cells(); ++cell) {
      if (shifts.can_fall[cell] != 0) continue;
      const Copy copy = find(cell);
      const std::uint32_t variable = copy.variable;
      const bool is_free = copy.sign > 0 ? can_rise_[variable] != 0 : can_fall_[variable] != 0;
      if (stays_[variable] != 0 || !is_free) {
        rises[cell] = Rise::never;
      } else if (ends_[variable].from != kNone) {
        rises[cell] = component[ends_[variable].from] == component[ends_[variable].to]
                          ? Rise::can
                          : Rise::never;
      }
    }
    return rises;
  }

 private:
  struct Copy {
    std::uint32_t variable;
    int sign;
  };
  struct Term {
    std::uint32_t variable;
    int factor;
  };
  struct Ends {
    std::uint32_t from = kNone, to = kNone;  // nodes; when the variable rises
  };

  Copy find(std::uint32_t variable) {
    int sign = 1;
    std::uint32_t root = variable;
    while (copy_of_[root] != root) {
      sign *= sign_[root];
      root = copy_of_[root];
    }
    for (int below = sign; copy_of_[variable] != variable;) {  // shortens the way
      const std::uint32_t next = copy_of_[variable];
      const int own = sign_[variable];
      copy_of_[variable] = root;
      sign_[variable] = below;
      below *= own;
      variable = next;
    }
    return {root, sign};
  }

  void wait(std::uint32_t sum) {
    if (is_waiting_[sum] != 0 || sums_[sum].empty()) return;
    is_waiting_[sum] = 1;
    waiting_.push_back(sum);
  }
  void wait_all_of(std::uint32_t variable) {
    for (const std::uint32_t sum : sums_of_[variable]) wait(sum);
  }

  void let_stay(std::uint32_t variable) {
    if (stays_[variable] != 0) return;
    stays_[variable] = 1;
    wait_all_of(variable);
  }

  // `other` becomes a copy of `variable`.
  void merge(std::uint32_t variable, std::uint32_t other, int sign) {
    if (sums_of_[variable].size() < sums_of_[other].size()) std::swap(variable, other);
    wait_all_of(other);
    copy_of_[other] = variable;
    sign_[other] = sign;
    const char rise = sign > 0 ? can_rise_[other] : can_fall_[other];
    const char fall = sign > 0 ? can_fall_[other] : can_rise_[other];
    const bool narrower =
        (can_rise_[variable] != 0 && rise == 0) || (can_fall_[variable] != 0 && fall == 0);
    if (rise == 0) can_rise_[variable] = 0;
    if (fall == 0) can_fall_[variable] = 0;
    if (narrower) wait_all_of(variable);  // sums in which nothing can fall any more
    sums_of_[variable].insert(sums_of_[variable].end(), sums_of_[other].begin(),
                              sums_of_[other].end());
    sums_of_[other] = {};
    if (can_rise_[variable] == 0 && can_fall_[variable] == 0) let_stay(variable);
  }

  // In terms of variables that move, each once.
  void tidy(std::vector<Term>& terms) {
    for (Term& term : terms) {
      const Copy copy = find(term.variable);
      term = {copy.variable, term.factor * copy.sign};
    }
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return a.variable < b.variable; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < terms.size();) {
      Term sum = terms[i];
      for (++i; i < terms.size() && terms[i].variable == sum.variable; ++i)
        sum.factor += terms[i].factor;
      if (sum.factor != 0 && stays_[sum.variable] == 0) terms[kept++] = sum;
    }
    terms.resize(kept);
  }

  void reduce(std::uint32_t sum) {
    std::vector<Term>& terms = sums_[sum];
    do {
      tidy(terms);
      if (terms.empty()) return;
      if (terms.size() == 1 || all_stay(terms)) {
        const std::vector<Term> last = std::move(terms);
        terms.clear();
        for (const Term& term : last) let_stay(term.variable);
        return;
      }
      if (terms.size() == 2 && std::abs(terms[0].factor) == std::abs(terms[1].factor)) {
        const Term first = terms[0], second = terms[1];
        terms.clear();
        merge(first.variable, second.variable, first.factor == second.factor ? -1 : 1);
        return;
      }
    } while (take_sums_inside(sum));
  }

  // Whether no term can fall, or none rise: then none does.
  bool all_stay(const std::vector<Term>& terms) const {
    bool rises = false, falls = false;
    for (const Term& term : terms) {
      const bool positive = term.factor > 0;
      rises = rises || (positive ? can_rise_ : can_fall_)[term.variable] != 0;
      falls = falls || (positive ? can_fall_ : can_rise_)[term.variable] != 0;
    }
    return !rises || !falls;
  }

  static bool is_plain(const std::vector<Term>& terms) {
    return std::all_of(terms.begin(), terms.end(),
                       [](const Term& term) { return std::abs(term.factor) == 1; });
  }

  // Takes from the sum one that lies inside it. False: there is none. Sums around it wait.
  bool take_sums_inside(std::uint32_t sum) {
    if (steps_left_ == 0 || !is_plain(sums_[sum])) return false;
    met_.clear();
    for (const Term& term : sums_[sum]) {
      std::vector<std::uint32_t>& around = sums_of_[term.variable];
      std::sort(around.begin(), around.end());
      around.erase(std::unique(around.begin(), around.end()), around.end());
      std::size_t kept = 0;
      for (const std::uint32_t other : around) {
        if (is_waiting_[other] != 0 || other == sum) {  // will see this one when it is its turn
          around[kept++] = other;
          continue;
        }
        const int factor = factor_in(other, term.variable);
        if (factor == 0) continue;
        around[kept++] = other;
        if (same_[other] == 0 && opposite_[other] == 0) met_.push_back(other);
        if (factor == term.factor) ++same_[other];
        if (factor == -term.factor) ++opposite_[other];
      }
      steps_left_ -= std::min(steps_left_, around.size());
      around.resize(kept);
    }
    std::uint32_t inside = kNone;
    int sign = 0;
    for (const std::uint32_t other : met_) {
      const std::size_t most = std::max(same_[other], opposite_[other]);
      const bool fits = is_plain(sums_[other]);
      if (fits && most == sums_[other].size() &&
          (inside == kNone || sums_[other].size() > sums_[inside].size())) {
        inside = other;
        sign = same_[other] == most ? 1 : -1;
      } else if (fits && most == sums_[sum].size()) {
        wait(other);
      }
      same_[other] = opposite_[other] = 0;
    }
    if (inside == kNone) return false;
    for (const Term& term : sums_[inside])
      sums_[sum].push_back({term.variable, -sign * term.factor});
    return true;
  }

  int factor_in(std::uint32_t sum, std::uint32_t variable) const {
    const auto found = std::lower_bound(
        sums_[sum].begin(), sums_[sum].end(), variable,
        [](const Term& term, std::uint32_t wanted) { return term.variable < wanted; });
    return found != sums_[sum].end() && found->variable == variable ? found->factor : 0;
  }

  // Gives every variable of a network its ends: sums, or the node of all that is outside.
  void make_network() {
    struct Place {
      std::uint32_t sum = kNone;
      int factor = 0;
    };
    std::vector<std::vector<Place>> places(sums_of_.size());
    for (std::uint32_t sum = 0; sum < sums_.size(); ++sum)
      for (const Term& term : sums_[sum]) places[term.variable].push_back({sum, term.factor});

    const auto outside = static_cast<std::uint32_t>(sums_.size());
    ends_.resize(places.size());
    arcs_.assign(sums_.size() + 1, {});
    std::vector<int> side(sums_.size(), 0);  // by sum: its sign in the network
    std::vector<std::uint32_t> piece;
    for (std::uint32_t first = 0; first < sums_.size(); ++first) {
      if (sums_[first].empty() || side[first] != 0) continue;
      bool is_network = true;
      piece = {first};
      side[first] = 1;
      for (std::size_t i = 0; i < piece.size(); ++i) {
        for (const Term& term : sums_[piece[i]]) {
          const auto& at = places[term.variable];
          is_network = is_network && at.size() <= 2 && std::abs(term.factor) == 1;
          for (const Place& place : at) {
            if (place.sum == piece[i]) continue;
            const int wanted = place.factor == term.factor ? -side[piece[i]] : side[piece[i]];
            if (side[place.sum] == 0) {
              side[place.sum] = wanted;
              piece.push_back(place.sum);
            } else if (side[place.sum] != wanted) {
              is_network = false;
            }
          }
        }
      }
      if (!is_network) continue;
      for (const std::uint32_t sum : piece) {
        for (const Term& term : sums_[sum]) {
          Ends& ends = ends_[term.variable];
          (term.factor * side[sum] > 0 ? ends.to : ends.from) = sum;
        }
      }
    }
    for (std::uint32_t variable = 0; variable < places.size(); ++variable) {
      if (copy_of_[variable] != variable || stays_[variable] != 0) continue;
      Ends& ends = ends_[variable];
      if (!places[variable].empty() && ends.from == kNone && ends.to == kNone) continue;
      if (ends.from == kNone) ends.from = outside;
      if (ends.to == kNone) ends.to = outside;
      if (can_rise_[variable] != 0) arcs_[ends.from].push_back(ends.to);
      if (can_fall_[variable] != 0) arcs_[ends.to].push_back(ends.from);
    }
  }

  std::size_t steps_left_;
  std::vector<char> can_rise_, can_fall_;            // by variable
  std::vector<std::uint32_t> copy_of_;               // by cell
  std::vector<int> sign_;                            // by cell
  std::vector<char> stays_;                          // by variable
  std::vector<std::vector<Term>> sums_;              // empty: it says nothing any more
  std::vector<std::vector<std::uint32_t>> sums_of_;  // by variable; perhaps some that it left
  std::deque<std::uint32_t> waiting_;
  std::vector<char> is_waiting_;              // by sum
  std::vector<std::size_t> same_, opposite_;  // by sum: terms that it shares with the one in hand
  std::vector<std::uint32_t> met_;
  std::vector<Ends> ends_;                        // by variable
  std::vector<std::vector<std::uint32_t>> arcs_;  // by node
};

}  // namespace

std::vector<Rise> settle_shifts(const Shifts& shifts, std::size_t most_steps) {
  Reduction reduction(shifts, most_steps);
  reduction.run();
  return reduction.settle(shifts);
}

}  // namespace throng
