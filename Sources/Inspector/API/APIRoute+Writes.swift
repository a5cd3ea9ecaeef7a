import Daybook
import DaybookAnswers
import DaybookEngine
import DaybookEventCore
import DaybookJSON
import DaybookLocks
import DaybookProjections

/// Writing as one event: what the page and other programs change.
extension APIRoute {
  static let ofWrites: [APIRoute] = [write]

  /// The most operations of one call.
  private static let operationsMax = 10_000

  private static let write = APIRoute(
    .post, "write", "Writes operations as one event, all or nothing", .writes,
    [
      CallParameter(
        "operations", .any, required: true,
        "An array of {op, collection, id, fields, version}; op is insert, update, put, delete or "
          + "restore. With the version of `entity`, an update is refused if the entity has changed."
      ),
      CallParameter("label", .text, "What for, in words."),
    ],
    results: [
      .init("event", SchemaType.optional(SchemaType.text), "The event; null if none."),
      .init("ids", SchemaType.array, "The ids, in the order of the operations."),
    ]
  ) { inspection, arguments in
    guard case .array(let elements)? = arguments["operations"], !elements.isEmpty,
      elements.count <= operationsMax
    else {
      throw CallFailure("operations is no array of 1 to \(operationsMax) objects")
    }
    let schema = try await inspection.store.schema()
    let operations = try elements.map { try WrittenOperation($0, schema) }
    let ids = Mutex<[String]>([])
    let event = try await inspection.write(
      arguments.text("label") ?? operations[0].words
    ) { tx in
      for operation in operations {
        let id = try operation.write(tx)
        ids.withLock { $0.append(id) }
      }
    }
    return [
      ("event", event.map { .text("\($0)") } ?? .null),
      ("ids", .array(ids.withLock { $0 }.map { .text($0) })),
    ]
  }
}

/// One operation of a caller.
private struct WrittenOperation: Sendable {
  private enum Kind: String { case insert, update, put, delete, restore }

  private let kind: Kind
  private let collection: StoreSchema.Collection
  private let id: String?
  private let fields: [String: Value]
  private let version: String?

  init(_ json: JSONValue, _ schema: StoreSchema) throws(CallFailure) {
    guard case .object(let members) = json else {
      throw CallFailure("an operation is \(json.summary)", cure: "Give an object")
    }
    for (key, _) in members
    where !["op", "collection", "id", "fields", "version"].contains(where: { key.isSame(as: $0) }) {
      throw CallFailure("an operation has no “\(key.prefix(40))”")
    }
    func text(_ key: String) -> String? {
      if case .text(let text)? = json[key] { text } else { nil }
    }
    guard let kind = text("op").flatMap(Kind.init) else {
      throw CallFailure(
        "an operation is none that is known", cure: "Say insert, update, put, delete or restore")
    }
    guard let name = text("collection") else { throw CallFailure("an operation has no collection") }
    self.kind = kind
    collection = try schema.collection(named: name)
    let given = text("id")
    guard given != nil || kind == .insert else { throw CallFailure("an operation has no id") }
    id = given ?? collection.newID
    version = text("version")
    if case .object(let members)? = json["fields"] {
      fields = try collection.values(members)
    } else {
      fields = [:]
    }
  }

  var words: String { "\(kind.rawValue) \(collection.name)" + (id.map { "/\($0)" } ?? "") }

  /// Writes the operation, and returns the id of its entity.
  func write(_ tx: WriteTransaction) throws -> String {
    let name = collection.name
    guard let id else { return try tx.insert(name, fields) }
    if let version, let entity = try tx.fetch(name, id), entity.version.description != version {
      throw APIFailure(
        409, "versionMismatch",
        "the entity has changed since: its version is \(entity.version)",
        cure: "Read it again, and decide anew")
    }
    switch kind {
    case .insert: try tx.insert(name, id, fields)
    case .update: try tx.update(name, id, fields)
    case .put: try tx.put(name, id, fields)
    case .delete: try tx.delete(name, id)
    case .restore: try tx.restore(name, id)
    }
    return id
  }
}
