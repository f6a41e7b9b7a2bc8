// The policy: what each column is, which privacy is asked for, and how to reach it. One YAML file,
// checked as a whole before any data is read. docs/policy.md is its reference.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/domain.h"
#include "table/encode.h"

namespace throng {

enum class Role { identifier, quasi_identifier, sensitive, insensitive };

struct ColumnPolicy {
  std::string name;
  Role role = Role::insensitive;
  ColumnType type;
  Generalization generalization;
};

// ℓ-diversity of one sensitive column. With n records in a class, of which n_1 ≥ n_2 ≥ … share a
// value:
struct Diversity {
  enum class Variant {
    distinct,   // at least ℓ distinct values
    frequency,  // no value has more than 1/ℓ of the records: n_1 ≤ n/ℓ
    entropy,    // the entropy of the values is at least log ℓ
    recursive   // n_1 < c · (n_ℓ + n_{ℓ+1} + …)
  };
  std::string column;
  double l = 1;
  Variant variant = Variant::distinct;
  double c = 1;  // of `recursive`
};

// ---- What only some algorithms keep (refuse_unkept()); the audit checks all of it.

// (X,Y)-privacy on the join of releases (Wang and Fung 2006, section 3). A column stands for all of
// its copies: every release of the join that has it. x and y have no column in common.
struct XyRequirement {
  enum class Kind {
    anonymity,   // every value on x comes with at least k of what is counted
    linkability  // no value on x comes with a guarded value in more than `max` of its rows
  };
  enum class Counted { rows, pairs, values };
  // A value of a column (a hierarchy's label counts for all below it), or each of its values.
  struct Guarded {
    std::string column;
    std::optional<std::string> value;
    double max = 1;
  };

  Kind kind = Kind::anonymity;
  std::vector<std::string> x;
  // anonymity: `row` (records of the current table), `row-pairs` (rows of the join), or the
  // distinct values on the columns y
  Counted counted = Counted::rows;
  std::vector<std::string> y;
  std::size_t k = 1;
  std::vector<Guarded> guarded;  // linkability
  std::size_t line = 0;          // in the policy, for messages
};

// Values that cannot belong to one person, nor can what lies below them in their hierarchies.
struct InconsistentPair {
  struct Side {
    std::string column, value;
  };
  Side one, other;
};

// Each record has at least l distinct values that are valid for it by the attacker's knowledge.
struct MatchingDiversity {
  std::string column;
  std::size_t l = 1;
};

// How rules X ⇒ not s are mined; docs/knowledge.md tells what each means.
struct MiningRules {
  enum class Membership {
    crisp,  // a record satisfies X or it does not
    fuzzy   // who is near an interval of numbers or dates belongs to it in part
  };
  enum class Correction {
    none,  // every rule that is expected enough (the paper's)
    holm,  // all rules true but for a chance of 1 − min_expectation
    fdr    // of all rules a share of 1 − min_expectation by chance, on average
  };
  double min_expectation = 0.9;  // above 0, below 1
  std::size_t max_items = 1;     // of X; at most the number of quasi-identifiers
  Membership membership = Membership::crisp;
  Correction correction = Correction::none;
};

// What the attacker knows beforehand: a file of rules, rules to be mined, or both together.
struct Knowledge {
  std::optional<std::string> rules;  // the path, from the policy's folder
  std::optional<MiningRules> mine;
};

enum class Algorithm { datafly, greedy_release, mondrian, tds, anatomy, injector };
enum class Cut { median, best };       // of mondrian
enum class Choose { distinct, loss };  // of greedy-release

// What a table is to be good for (tds).
enum class Goal { distortion, discernibility, classification };
// Records of the table that match nothing in a previous release, or the other way round.
enum class Dangling { error, drop, keep };
// How far tds looks for the best table.
struct SearchRule {
  enum class Kind { greedy, beam, optimal };
  Kind kind = Kind::greedy;
  std::size_t width = 16;         // of beam: tables that are followed at once
  std::uint64_t states = 200000;  // of optimal: tables that are looked at, at most
};

// Of anatomy and injector: records in buckets, of which only the multiset of values is published.
struct BucketRules {
  enum class Grouping { near, random };    // of injector
  enum class Layout { tables, permuted };  // two tables, or one with permuted values
  Grouping grouping = Grouping::near;
  bool max_share = true;  // of injector: no value has more than 1/l of a bucket
  Layout layout = Layout::tables;
};

// Of a publication: what may go out at a release, and what waits for company.
struct PublicationRules {
  double max_loss = 1.5;     // information loss per record up to which a block goes out
  std::size_t patience = 3;  // releases after which a record goes out at any loss
};

struct Policy {
  std::string source;  // the file, for messages
  std::vector<ColumnPolicy> columns;
  MissingRule missing;
  std::size_t k = 1;
  std::vector<Diversity> diversities;
  Algorithm algorithm = Algorithm::mondrian;
  Cut cut = Cut::best;
  Choose choose = Choose::distinct;
  Goal goal = Goal::distortion;
  std::string class_column;  // of Goal::classification
  SearchRule search;
  Dangling dangling = Dangling::error;
  BucketRules buckets;
  // datafly, greedy-release: narrow each class to the tightest regions that cover it. The papers do
  // not; whoever chooses by loss wants it.
  bool tighten = false;
  double max_suppression = 1;      // the share of the records that may be left out
  std::optional<std::string> key;  // the column that tells records apart in a publication
  PublicationRules publication;

  std::vector<XyRequirement> xy;
  std::vector<InconsistentPair> inconsistent;
  std::optional<MatchingDiversity> matching;
  std::optional<Knowledge> knowledge;
  struct Special {
    std::string name;   // the key
    std::string place;  // file:line:column
  };
  std::vector<Special> special;  // the keys that not every algorithm keeps, as they stand there

  const ColumnPolicy* find(std::string_view column) const;
};

// Throws InputError, one line: `source:line:column: what is wrong; what was expected`. Paths of
// hierarchies are taken from `folder`.
Policy parse_policy(const std::string& yaml, const std::string& source, const std::string& folder);

Policy read_policy(const std::string& path);

// Whether the policy's algorithm makes buckets, not classes.
bool makes_buckets(const Policy& policy);

// Throws InputError where the policy has a key that its algorithm does not keep, so that nobody
// takes it for guaranteed by what `verb` writes (`release`: in a sequential publication). Such a
// policy may ask for nothing else. Buckets are for `anonymize` alone.
void refuse_unkept(const Policy& policy, std::string_view verb);

// The columns of a table that are released, in the table's order, by the names in its header.
// Throws InputError where the table has a column that the policy does not list, or lacks one that
// it lists (an identifier may be absent: it would not be released anyway).
std::vector<const ColumnPolicy*> released_columns(const Policy& policy,
                                                  const std::vector<std::string>& names,
                                                  const std::string& source);
// How the cells of a column that hold no value are to be taken: insensitive columns keep them.
MissingRule missing_rule(const Policy& policy, const ColumnPolicy& column);

std::string_view name_of(Role role);
std::string_view name_of(Algorithm algorithm);
std::string_view name_of(Diversity::Variant variant);
std::string_view name_of(MiningRules::Membership membership);
std::string_view name_of(MiningRules::Correction correction);

// The word of `known` nearest to `word` by edit distance, if it is near enough to be meant.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace throng
