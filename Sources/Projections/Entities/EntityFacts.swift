import DaybookEventCore

/// The facts about an entity that a store keeps in fields which authors cannot write.
struct EntityFacts: Hashable {
  /// The authored time of the lowest insert, in milliseconds; nil if there is none.
  var created: Int64?
  /// The highest authored time of all writes, in milliseconds.
  var modified: Int64
  /// The number of writes.
  var version: Int64

  /// The last moment that a timestamp can hold. An author's clock may be anywhere beyond it.
  private static let last = Timestamp.milliseconds("9999-12-31T23:59:59.999Z") ?? 0

  static func time(_ authored: HybridTime) -> Int64 { min(authored.milliseconds, last) }

  func value(_ fact: KeptFact) -> Value? {
    switch fact {
    case .created: created.map { .timestamp($0) }
    case .modified: .timestamp(modified)
    case .version: .integer(version)
    }
  }

  func cell(_ fact: KeptFact) -> Cell {
    value(fact).flatMap { fact.type.cell(for: $0)?.cell } ?? .null
  }
}
