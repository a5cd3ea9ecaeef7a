import Foundation

/// Makes values of Swift types of the values of a query.
struct GQLDecoder: Decoder {
  let value: GQLValue
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  static func decode<T: Decodable>(
    _ type: T.Type, _ value: GQLValue, at path: [any CodingKey] = []
  ) throws -> T {
    if let special = special(type, value) as? T { return special }
    return try T(from: GQLDecoder(value: value, codingPath: path))
  }

  /// Types that a value of a query is, without going through their parts.
  private static func special(_ type: Any.Type, _ value: GQLValue) -> Any? {
    switch (type, value) {
    case (is Date.Type, .dateTime(let moment)):
      Date(timeIntervalSince1970: Double(moment.seconds) + Double(moment.nanosecond) / 1e9)
    case (is Date.Type, .date(let day)):
      Date(timeIntervalSince1970: Double(day.days) * 86_400)
    case (is UUID.Type, .string(let text)): UUID(uuidString: text)
    case (is URL.Type, .string(let text)): URL(string: text)
    default: nil
    }
  }

  private func mismatch(_ type: Any.Type) -> DecodingError {
    DecodingError.typeMismatch(
      type,
      .init(codingPath: codingPath, debugDescription: "the value is \(value.typeName)"))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let map: GQLMap =
      switch value {
      case .map(let map): map
      case .node(let node): node.properties.withID(node.id)
      case .relationship(let one): one.properties.withID(one.id)
      default: throw mismatch([String: GQLValue].self)
      }
    return KeyedDecodingContainer(Keyed<Key>(map: map, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .list(let elements) = value else { throw mismatch([GQLValue].self) }
    return Unkeyed(elements: elements, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    Single(value: value, codingPath: codingPath)
  }

  // MARK: - Containers

  private struct Index: CodingKey {
    var intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }
    init?(stringValue: String) { nil }
    init(intValue: Int) { self.intValue = intValue }
  }

  private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let map: GQLMap
    let codingPath: [any CodingKey]
    var allKeys: [Key] { map.keys.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { map[key: key.stringValue] != nil }

    private func value(_ key: Key) throws -> GQLValue {
      guard let value = map[key: key.stringValue] else {
        throw DecodingError.keyNotFound(
          key,
          .init(
            codingPath: codingPath,
            debugDescription: "there are: \(map.keys.joined(separator: ", "))"))
      }
      return value
    }

    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
      try GQLDecoder.decode(type, try value(key), at: codingPath + [key])
    }

    func nestedContainer<NestedKey: CodingKey>(
      keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
      try GQLDecoder(value: try value(key), codingPath: codingPath + [key])
        .container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      try GQLDecoder(value: try value(key), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
      GQLDecoder(value: .map(map), codingPath: codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
      GQLDecoder(value: try value(key), codingPath: codingPath + [key])
    }
  }

  private struct Unkeyed: UnkeyedDecodingContainer {
    let elements: [GQLValue]
    let codingPath: [any CodingKey]
    var currentIndex = 0
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws -> (value: GQLValue, path: [any CodingKey]) {
      let path = codingPath + [Index(intValue: currentIndex)]
      guard !isAtEnd else {
        throw DecodingError.valueNotFound(
          GQLValue.self, .init(codingPath: path, debugDescription: "the list has ended"))
      }
      currentIndex += 1
      return (elements[currentIndex - 1], path)
    }

    mutating func decodeNil() throws -> Bool {
      guard !isAtEnd, elements[currentIndex].isNull else { return false }
      currentIndex += 1
      return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
      let (value, path) = try next()
      return try GQLDecoder.decode(type, value, at: path)
    }

    mutating func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) throws
      -> KeyedDecodingContainer<NestedKey>
    {
      let (value, path) = try next()
      return try GQLDecoder(value: value, codingPath: path).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      let (value, path) = try next()
      return try GQLDecoder(value: value, codingPath: path).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
      let (value, path) = try next()
      return GQLDecoder(value: value, codingPath: path)
    }
  }

  private struct Single: SingleValueDecodingContainer {
    let value: GQLValue
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { value.isNull }

    private func mismatch(_ type: Any.Type) -> DecodingError {
      DecodingError.typeMismatch(
        type, .init(codingPath: codingPath, debugDescription: "the value is \(value.typeName)"))
    }

    func decode(_ type: Bool.Type) throws -> Bool {
      guard case .boolean(let value) = value else { throw mismatch(type) }
      return value
    }

    func decode(_ type: String.Type) throws -> String {
      switch value {
      case .string(let text): return text
      case .date, .localTime, .time, .localDateTime, .dateTime, .duration:
        return Conversion.text(value)
      default: throw mismatch(type)
      }
    }

    func decode(_ type: Double.Type) throws -> Double {
      guard let number = value.number else { throw mismatch(type) }
      return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
      guard case .integer(let number) = value, let result = T(exactly: number) else {
        throw mismatch(type)
      }
      return result
    }

    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
      try GQLDecoder.decode(type, value, at: codingPath)
    }
  }
}

extension GQLMap {
  /// The properties, and the id of the entity if no property has that name.
  fileprivate func withID(_ id: GQLElementID) -> GQLMap {
    guard self[key: "id"] == nil else { return self }
    var copy = self
    copy[key: "id"] = .string(id.id)
    return copy
  }
}
