import DaybookEventCore

@testable import DaybookReferenceModel

/// A few events written by hand, their authors known by name.
struct TestHistory {
  private(set) var authors: [String: EventAuthor] = [:]

  static func origin(_ name: String) -> ReplicaID { TestIdentities.identity(name).id }

  /// A transaction of one event.
  ///
  /// - Parameters:
  ///   - authored: milliseconds.
  ///   - seen: how many events of others the author had seen.
  @discardableResult
  mutating func write(
    _ author: String, at authored: Int64, seen: [String: UInt64] = [:], _ operations: Operation...
  ) -> EventID {
    write(author, at: authored, seen: seen, operations)
  }

  /// Writes a transaction of several operations.
  @discardableResult
  mutating func write(
    _ author: String, at authored: Int64, seen: [String: UInt64] = [:], _ operations: [Operation]
  ) -> EventID {
    append(author, .transaction, authored, seen, operations)
  }

  /// Stamps events of `origin`, as the certified hub `hub`.
  mutating func stamp(
    _ hub: String = "hub", _ origin: String, _ range: ClosedRange<UInt64>, at time: Int64,
    certified: Bool = true
  ) {
    let stamp = Stamp(
      origin: Self.origin(origin), from: range.lowerBound, through: range.upperBound, chain: .zero,
      time: HybridTime(milliseconds: time))
    append(hub, .stamps, time, [:], [.stamp(stamp)], certified: certified)
  }

  @discardableResult
  mutating func append(
    _ author: String, _ kind: Envelope.Kind, _ authored: Int64, _ seen: [String: UInt64],
    _ operations: [Operation], codec: Envelope.BodyCodec = .plain, certified: Bool = false,
    actor: String = ""
  ) -> EventID {
    let vector = VersionVector(seen.map { (Self.origin($0.key), $0.value) })
    return change(author, certified: certified) {
      $0.append(
        kind, authored: HybridTime(milliseconds: authored), seen: vector, codec: codec,
        Body(actor: actor, operations: operations))
    }
  }

  /// Appends bytes as they are.
  mutating func append(_ author: String, _ event: EncodedEvent) {
    _ = change(author, certified: false) { $0.append(event) }
  }

  private mutating func change(
    _ name: String, certified: Bool, _ change: (inout EventAuthor) -> EventID
  ) -> EventID {
    var author = authors[name] ?? Self.begin(name, certified)
    defer { authors[name] = author }
    return change(&author)
  }

  private static func begin(_ name: String, _ certified: Bool) -> EventAuthor {
    let identity = TestIdentities.identity(name)
    let claim = certified ? TestIdentities.hubClaim(identity) : IdentityClaim(identity)
    var author = EventAuthor(identity.id)
    author.append(.identity, authored: .zero, Body(operations: [.identity(claim)]))
    return author
  }

  var events: [ReplicaID: [EncodedEvent]] {
    Dictionary(uniqueKeysWithValues: authors.values.map { ($0.origin, $0.events) })
  }

  func folded(_ until: ReferenceSelection = .everything) -> ReferenceModel {
    ReferenceModel(events: events, until: until)
  }
}

extension Operation {
  static func insert(_ id: String, _ fields: [String: Value] = [:]) -> Operation {
    .insert(collection: "notes", id: id, fields: fields)
  }
  static func update(_ id: String, _ fields: [String: Value]) -> Operation {
    .update(collection: "notes", id: id, fields: fields)
  }
  static func delete(_ id: String) -> Operation { .delete(collection: "notes", id: id) }
  static func restore(_ id: String) -> Operation { .restore(collection: "notes", id: id) }
  static func erase(_ id: String) -> Operation { .erase(collection: "notes", id: id) }

  /// Defines `notes` with fields of these types.
  static func notes(_ types: KeyValuePairs<String, Value>) -> Operation {
    .define(
      Definition("notes", types.map { .init($0.key, ["type": $0.value]) }))
  }
}
