import DaybookEventCore
import DaybookJSON
import DaybookOpenGraph
import DaybookProjections
import GRDB

/// How statements are kept in an open graph, so that queries of graphs see them (decision 0088
/// names the collections and fields).
///
/// A resource is a node with the label `Resource` and the property `iri` or `blank`, a literal one
/// with the label `Literal` and the properties `value`, `datatype` and `language`. A statement is a
/// relationship `TRIPLE` with the properties `predicate` and `graph`: names of types and properties
/// have no room for IRIs. All ids follow from the terms, so a statement is there once in a graph,
/// on every replica.
struct TripleGraph: Sendable {
  let nodes: String
  let triples: String

  init(_ graph: GraphCollections) {
    nodes = graph.nodes
    triples = graph.collection(ofType: "TRIPLE", from: graph.nodes, to: graph.nodes)
  }

  var definitions: [Definition] {
    [
      Definition(
        nodes,
        [
          .boolean("l__resource"), .boolean("l__literal"), .json("p_iri"), .json("p_blank"),
          .json("p_value"), .json("p_datatype"), .json("p_language"),
        ]),
      Definition(
        triples,
        [
          .text("source").references(nodes), .text("target").references(nodes),
          .json("p_predicate").indexed(), .json("p_graph"),
        ]
      ).relationship(),
    ]
  }

  /// Whether a schema has the collections with all fields, so that there can be statements.
  func isDefined(in schema: StoreSchema) -> Bool {
    definitions.allSatisfy { definition in
      guard let collection = schema[definition.collection] else { return false }
      return definition.fields.allSatisfy { collection[field: $0.name] != nil }
    }
  }

  // MARK: - Ids

  func id(_ term: RDFTerm) -> String {
    let key: [Value] =
      switch term {
      case .iri(let iri): [.text("iri"), .text(iri.string)]
      case .blank(let node): [.text("blank"), .text(node.label)]
      case .literal(let literal):
        [
          .text("literal"), .text(literal.text), .text(literal.datatype.string),
          literal.language.map { .text($0) } ?? .null,
        ]
      }
    return DerivedID.id(collection: nodes, key: key)
  }

  func id(_ statement: RDFStatement, _ subject: String, _ object: String) -> String {
    id(
      from: subject, .text(statement.predicate.string), to: object,
      in: statement.graph.map { .text(Self.name($0)) } ?? .null)
  }

  private func id(from subject: String, _ predicate: Value, to object: String, in graph: Value)
    -> String
  {
    DerivedID.id(
      collection: triples, key: [.text(subject), predicate, .text(object), graph])
  }

  /// Returns a statement whose blank nodes are those of a file: what two files call alike are two
  /// things.
  func scoped(_ statement: RDFStatement, _ scope: String) -> RDFStatement {
    func node(_ node: BlankNode) -> BlankNode {
      let id = DerivedID.id(collection: nodes, key: [.text(scope), .text(node.label)])
      return BlankNode(checked: "b" + id.replacing("-", by: ""))
    }
    func subject(_ subject: RDFSubject) -> RDFSubject {
      if case .blank(let own) = subject { .blank(node(own)) } else { subject }
    }
    var scoped = statement
    scoped.subject = subject(statement.subject)
    if case .blank(let own) = statement.object { scoped.object = .blank(node(own)) }
    scoped.graph = statement.graph.map(subject)
    return scoped
  }

  // MARK: - Values

  /// The text by which a graph is named: an IRI, or a blank node as `_:label`.
  static func name(_ graph: RDFSubject) -> String {
    switch graph {
    case .iri(let iri): iri.string
    case .blank(let node): node.description
    }
  }

  static func json(_ text: String) -> Value { .json(JSONWriter.canonical(.text(text))) }

  static func fields(_ term: RDFTerm) -> [String: Value] {
    switch term {
    case .iri(let iri): return ["l__resource": true, "p_iri": json(iri.string)]
    case .blank(let node): return ["l__resource": true, "p_blank": json(node.label)]
    case .literal(let literal):
      var fields = ["l__literal": true, "p_value": json(literal.text)]
      if let language = literal.language {
        fields["p_language"] = json(language)
      } else {
        fields["p_datatype"] = json(literal.datatype.string)
      }
      return fields
    }
  }

  // MARK: - Reading

  /// What reads statements `t`, with the columns in ``statement(_:)``'s order.
  var selection: String {
    """
    SELECT t.id, s.p_iri, s.p_blank, t.p_predicate, t.p_graph, o.p_iri, o.p_blank, o.p_value,
      o.p_datatype, o.p_language
    FROM \(triples) t JOIN \(nodes) s ON s.id = t.source JOIN \(nodes) o ON o.id = t.target
    """
  }

  /// Returns the statement of a row; nil if people have made of it what is none.
  static func statement(_ row: Columns) -> RDFStatement? {
    guard let subject = subject(row, 1), let predicate = iri(row, 3) else { return nil }
    var object: RDFTerm?
    if let text = text(row, 7) {
      if let language = self.text(row, 9) {
        object = (try? RDFLiteral(text, language: language)).map { .literal($0) }
      } else {
        let datatype = iri(row, 8) ?? .xsdString
        object = (try? RDFLiteral(text, datatype: datatype)).map { .literal($0) }
      }
    } else {
      object = self.subject(row, 5).map { RDFTerm($0) }
    }
    guard let object else { return nil }
    guard !row.isNull(4) else { return RDFStatement(subject, predicate, object) }
    return text(row, 4).flatMap(graph).map { RDFStatement(subject, predicate, object, in: $0) }
  }

  /// Returns the term that a node is, by what it has of a term's fields; nil if it is none.
  func term(_ id: String, _ fields: [String: Value]) -> RDFTerm? {
    func text(_ field: String) -> String? { fields[field].flatMap(Self.text) }
    var term: RDFTerm?
    if let value = text("p_value") {
      if let language = text("p_language") {
        term = (try? RDFLiteral(value, language: language)).map { .literal($0) }
      } else if let datatype = text("p_datatype").flatMap({ try? IRI($0) }) {
        term = (try? RDFLiteral(value, datatype: datatype)).map { .literal($0) }
      }
    } else if let iri = text("p_iri") {
      term = (try? IRI(iri)).map { .iri($0) }
    } else if let label = text("p_blank") {
      term = (try? BlankNode(label)).map { .blank($0) }
    }
    guard let term, self.id(term).isSame(as: id),
      Self.fields(term) == fields.filter({ Self.termFields.contains($0.key) })
    else { return nil }
    return term
  }

  /// Returns the term that a node is; nil if it is none.
  func term(_ id: String, _ db: Database) throws -> RDFTerm? {
    let names = Self.termFields.sorted()
    let sql = "SELECT \(names.joined(separator: ", ")) FROM \(nodes) WHERE id = ?"
    var fields: [String: Value] = [:]
    try db.forEachRow(sql, arguments: [id]) { row in
      for (index, name) in names.enumerated() {
        let type = name.hasPrefix("l_") ? FieldType.boolean : .json
        let cell = row.cell(Int32(clamping: index))
        if cell != .null { fields[name] = type.value(of: cell) }
      }
    }
    return term(id, fields)
  }

  /// How many fields the node of a literal has: its label, its text, and its language or datatype.
  static let literalFieldsCount = 3

  /// The fields that the nodes of terms have.
  static let termFields: Set = [
    "l__resource", "l__literal", "p_iri", "p_blank", "p_value", "p_datatype", "p_language",
  ]

  /// Whether a relationship is a statement and nothing more.
  func isStatement(_ id: String, _ fields: [String: Value], _ db: Database) throws -> Bool {
    guard fields.keys.allSatisfy(Self.statementFields.contains),
      case .text(let source)? = fields["source"], case .text(let target)? = fields["target"],
      let predicate = fields["p_predicate"].flatMap(Self.text)
    else { return false }
    var graph = Value.null
    if let given = fields["p_graph"] {
      guard let name = Self.text(given) else { return false }
      graph = .text(name)
    }
    guard self.id(from: source, .text(predicate), to: target, in: graph).isSame(as: id) else {
      return false
    }
    // Its ends may have become something else.
    var isOne = false
    try db.forEachRow("\(selection) WHERE t.id = ?", arguments: [id]) { row in
      isOne = Self.statement(row) != nil
    }
    return isOne
  }

  private static let statementFields: Set = ["source", "target", "p_predicate", "p_graph"]

  private static func graph(_ name: String) -> RDFSubject? {
    if let label = name.rest(after: "_:") {
      return (try? BlankNode(String(label))).map { .blank($0) }
    }
    return (try? IRI(name)).map { .iri($0) }
  }

  private static func subject(_ row: Columns, _ column: Int32) -> RDFSubject? {
    if let iri = iri(row, column) { return .iri(iri) }
    return text(row, column + 1).flatMap { try? BlankNode($0) }.map { .blank($0) }
  }

  private static func iri(_ row: Columns, _ column: Int32) -> IRI? {
    text(row, column).flatMap { try? IRI($0) }
  }

  private static func text(_ row: Columns, _ column: Int32) -> String? {
    row.textIfAny(column).flatMap { text(ofJSON: Array($0.utf8)) }
  }

  private static func text(_ value: Value) -> String? {
    if case .json(let bytes) = value { text(ofJSON: bytes) } else { nil }
  }

  private static func text(ofJSON bytes: [UInt8]) -> String? {
    guard case .text(let text)? = try? JSONParser.parse(bytes) else { return nil }
    return text
  }
}
