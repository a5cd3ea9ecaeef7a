import DaybookEventCore
import DaybookJSON
import Foundation

/// Encodes anything as a JSON value that depends on the encoded value alone.
///
/// It does what Foundation's encoder does, apart from this: sets, and dictionaries that become
/// arrays, have an order; dates keep all their digits; and a decimal number that JSON would round
/// is an error.
enum CanonicalEncoder {
  /// - Throws: `EncodingError`; what the value's own code throws.
  static func encode(_ value: some Encodable) throws -> JSONValue {
    let node = Node()
    try NodeEncoder(node, []).encode(value)
    guard let json = node.json else {
      throw invalid(value, [], "it encodes nothing")
    }
    return json
  }

  fileprivate static func invalid(
    _ value: Any, _ path: [any CodingKey], _ description: String
  ) -> EncodingError {
    .invalidValue(value, EncodingError.Context(codingPath: path, debugDescription: description))
  }
}

/// A part of the JSON value that is being made.
///
/// A container may be filled after another one has begun, so that the parts are kept by reference.
private final class Node {
  enum Content {
    case nothing
    case scalar(JSONValue)
    case array([Node])
    case object([String: Node])
  }

  var content = Content.nothing

  /// Nil if nothing was encoded.
  var json: JSONValue? {
    switch content {
    case .nothing: nil
    case .scalar(let value): value
    case .array(let nodes): .array(nodes.map { $0.json ?? .object([]) })
    case .object(let members): .object(members.map { ($0, $1.json ?? .object([])) })
    }
  }

  func member(_ key: String) -> Node {
    let node = Node()
    var members: [String: Node] = [:]
    if case .object(let known) = content { members = known }
    content = .nothing
    members[key] = node
    content = .object(members)
    return node
  }

  func element() -> Node {
    let node = Node()
    var elements: [Node] = []
    if case .array(let known) = content { elements = known }
    content = .nothing
    elements.append(node)
    content = .array(elements)
    return node
  }

  var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

  var isContainer: Bool {
    switch content {
    case .array, .object: true
    case .nothing, .scalar: false
    }
  }
}

/// What encodes its elements in an order that is not its own.
private protocol Unordered {
  /// The number of elements of an array that belong together.
  static var stride: Int { get }
}
extension Set: Unordered { fileprivate static var stride: Int { 1 } }
/// A dictionary becomes an object, or an array of keys and values.
extension Dictionary: Unordered { fileprivate static var stride: Int { 2 } }

private struct NodeEncoder: Encoder {
  let node: Node
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { [:] }

  init(_ node: Node, _ path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .object = node.content {} else { node.content = .object([:]) }
    return KeyedEncodingContainer(MemberContainer<Key>(node, codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .array = node.content {} else { node.content = .array([]) }
    return ElementContainer(node, codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { ScalarContainer(encoder: self) }

  // MARK: - Values

  func encode(_ value: some Encodable) throws {
    guard codingPath.count <= JSONParser.depthMax else { throw tooDeep(value) }
    switch value {
    case let date as Date:
      guard let text = date.exactText else { throw invalid(value, "it is no date of a calendar") }
      set(.text(text))
    case let data as Data: set(.text(data.base64EncodedString()))
    case let url as URL: set(.text(url.absoluteString))
    case let number as Decimal: set(try json(number))
    default:
      try value.encode(to: self)
      guard codingPath.count < JSONParser.depthMax || !node.isContainer else {
        throw tooDeep(value)
      }
      if let type = type(of: value) as? any Unordered.Type { sort(by: type.stride) }
    }
  }

  /// Puts what an array holds in the order of its bytes.
  private func sort(by stride: Int) {
    guard case .array(let nodes) = node.content else { return }
    let parts = Swift.stride(from: 0, to: nodes.count, by: stride).map { start in
      let part = nodes[start..<min(start + stride, nodes.count)]
      return (part, part.first?.json.map(JSONWriter.canonical) ?? [])
    }
    node.content = .array(
      parts.sorted { $0.1.lexicographicallyPrecedes($1.1) }.flatMap { $0.0 })
  }

  func set(_ value: JSONValue) { node.content = .scalar(value) }

  func set(_ number: some BinaryFloatingPoint & CustomStringConvertible) throws {
    guard number.isFinite else { throw invalid(number, "JSON has no number for it") }
    // A whole number is an integer, as far as all its digits are printed.
    let text = number.description
    set(try json(text.rest(before: ".0").map { String($0) } ?? text, number))
  }

  func set(_ number: some BinaryInteger & CustomStringConvertible) throws {
    guard let integer = Int64(exactly: number) else {
      throw invalid(number, "an integer of JSON has at most 64 bits; write it as a text")
    }
    set(.integer(integer))
  }

  private func json(_ text: String, _ value: Any) throws -> JSONValue {
    do { return try JSONParser.parse(Array(text.utf8)) } catch {
      throw invalid(value, error.message)
    }
  }

  private func json(_ number: Decimal) throws -> JSONValue {
    let text = number.description
    if let integer = Int64(text) { return .integer(integer) }
    if let real = Double(text), real.isFinite, Decimal(string: "\(real)") == number {
      return .real(real)
    }
    throw invalid(number, "a number of JSON does not keep all its digits; write it as a text")
  }

  private func tooDeep(_ value: Any) -> EncodingError {
    invalid(value, "it is nested more than \(JSONParser.depthMax) levels deep")
  }

  func invalid(_ value: Any, _ description: String) -> EncodingError {
    CanonicalEncoder.invalid(value, codingPath, description)
  }
}

private struct ScalarContainer: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.set(.null) }
  func encode(_ value: Bool) { encoder.set(.boolean(value)) }
  func encode(_ value: String) { encoder.set(.text(value)) }
  func encode(_ value: Double) throws { try encoder.set(value) }
  func encode(_ value: Float) throws { try encoder.set(value) }
  func encode(_ value: Int) throws { try encoder.set(value) }
  func encode(_ value: Int8) throws { try encoder.set(value) }
  func encode(_ value: Int16) throws { try encoder.set(value) }
  func encode(_ value: Int32) throws { try encoder.set(value) }
  func encode(_ value: Int64) throws { try encoder.set(value) }
  func encode(_ value: UInt) throws { try encoder.set(value) }
  func encode(_ value: UInt8) throws { try encoder.set(value) }
  func encode(_ value: UInt16) throws { try encoder.set(value) }
  func encode(_ value: UInt32) throws { try encoder.set(value) }
  func encode(_ value: UInt64) throws { try encoder.set(value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func encode(_ value: Int128) throws { try encoder.set(value) }
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  func encode(_ value: UInt128) throws { try encoder.set(value) }
  func encode(_ value: some Encodable) throws { try encoder.encode(value) }
}

private struct ElementContainer: UnkeyedEncodingContainer {
  private let node: Node
  let codingPath: [any CodingKey]

  var count: Int { node.count }

  init(_ node: Node, _ path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  /// Returns the encoder of the next element.
  private func next() -> NodeEncoder {
    NodeEncoder(node.element(), codingPath + [ElementKey(intValue: count)])
  }

  private func scalar() -> ScalarContainer { ScalarContainer(encoder: next()) }

  func encodeNil() { scalar().encodeNil() }
  func encode(_ value: some Encodable) throws { try next().encode(value) }

  func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    next().container(keyedBy: type)
  }
  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
  func superEncoder() -> any Encoder { next() }
}

private struct MemberContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  private let node: Node
  let codingPath: [any CodingKey]

  init(_ node: Node, _ path: [any CodingKey]) {
    self.node = node
    codingPath = path
  }

  /// Returns the encoder of a member.
  private func member(_ key: any CodingKey) -> NodeEncoder {
    NodeEncoder(node.member(key.stringValue), codingPath + [key])
  }

  func encodeNil(forKey key: Key) { member(key).set(.null) }
  func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { member(key).container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }
  func superEncoder() -> any Encoder { member(SuperKey()) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}

private struct ElementKey: CodingKey {
  let number: Int

  var stringValue: String { "\(number)" }
  var intValue: Int? { number }

  init(intValue: Int) { number = intValue }
  init?(stringValue: String) { return nil }
}

/// The key under which a class encodes what it has inherited.
private struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }

  init() {}
  init?(intValue: Int) { return nil }
  init?(stringValue: String) { return nil }
}
