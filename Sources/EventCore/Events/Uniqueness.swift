/// How values are compared that no two live entities may share.
public enum Uniqueness: Hashable, Sendable, CaseIterable {
  /// Values are compared as they are stored.
  case exact
  /// Texts are compared without case, and in whatever form of Unicode: “É”, “é” and “e” with an
  /// accent behind it are one, and so are “ß” and “SS”. Accents count.
  ///
  /// Entities keep their own spelling. Other values are compared as they are.
  ///
  /// All replicas compare by table 1, which is made from Unicode 15.0 and never changes. A letter
  /// that Unicode has got later has no case for this rule.
  case folded
}

extension Uniqueness {
  /// The rule that the value of an attribute `unique` or `unique:…` declares; nil if it declares
  /// none that this version knows.
  package init?(_ value: Value?) {
    guard let rule = Self.allCases.first(where: { $0.attribute == value }) else { return nil }
    self = rule
  }

  /// The value of the attribute that declares the rule.
  ///
  /// A version of Daybook that does not know the value has no rule, and shows more entities.
  package var attribute: Value {
    switch self {
    case .exact: .boolean(true)
    case .folded: .text("folded-1")
    }
  }

  /// Whether a value declares a rule of a later version of Daybook, which is not in force here.
  package static func isUnknown(_ value: Value?) -> Bool {
    if case .text? = value { Uniqueness(value) == nil } else { false }
  }
}
