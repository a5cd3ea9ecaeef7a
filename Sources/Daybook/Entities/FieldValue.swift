import DaybookEngine
public import DaybookEventCore
public import DaybookProjections
public import Foundation

/// A type that a field of an entity can have.
///
/// Texts, numbers, booleans, dates, UUIDs, URLs, data, and ids of entities are values; so are
/// optionals of these. Enumerations with raw values, and anything `Codable`, can be fields without
/// conforming to this protocol.
public protocol FieldValue: Sendable {
  /// The type of the field's column.
  static var fieldType: FieldType { get }

  /// Reads a value; nil if the cell holds NULL or something that is no value of this type.
  init?(cell: FieldCell)

  /// The value as an event holds it.
  var storedValue: Value { get }
}

extension String: FieldValue {
  public static var fieldType: FieldType { .text }
  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self = text
  }
  public var storedValue: Value { .text(self) }
}

extension Bool: FieldValue {
  public static var fieldType: FieldType { .boolean }
  public init?(cell: FieldCell) {
    guard let boolean = cell.boolean else { return nil }
    self = boolean
  }
  public var storedValue: Value { .boolean(self) }
}

extension FieldValue where Self: BinaryInteger & FixedWidthInteger {
  public static var fieldType: FieldType { .integer }
  public init?(cell: FieldCell) {
    guard let integer = cell.integer else { return nil }
    self.init(exactly: integer)
  }
  public var storedValue: Value { .integer(Int64(self)) }
}

extension Int: FieldValue {}
extension Int8: FieldValue {}
extension Int16: FieldValue {}
extension Int32: FieldValue {}
extension Int64: FieldValue {}
extension UInt8: FieldValue {}
extension UInt16: FieldValue {}
extension UInt32: FieldValue {}

extension Double: FieldValue {
  public static var fieldType: FieldType { .real }
  public init?(cell: FieldCell) {
    guard let real = cell.real else { return nil }
    self = real
  }
  public var storedValue: Value { .real(self) }
}

extension Float: FieldValue {
  public static var fieldType: FieldType { .real }
  public init?(cell: FieldCell) {
    guard let real = cell.real else { return nil }
    self = Float(real)
  }
  public var storedValue: Value { .real(Double(self)) }
}

/// Dates are kept to the millisecond. `Date.distantPast` is kept as the first moment that a
/// timestamp can be, because it is a little before the year 1.
extension Date: FieldValue {
  /// 0001-01-01T00:00:00Z.
  private static let firstMilliseconds: Int64 = -62_135_596_800_000

  public static var fieldType: FieldType { .timestamp }
  public init?(cell: FieldCell) {
    guard let milliseconds = cell.milliseconds else { return nil }
    self =
      milliseconds == Self.firstMilliseconds ? .distantPast : Date(milliseconds: milliseconds)
  }
  public var storedValue: Value {
    self == .distantPast ? .timestamp(Self.firstMilliseconds) : Value(self)
  }
}

extension UUID: FieldValue {
  public static var fieldType: FieldType { .text }
  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self.init(uuidString: text)
  }
  public var storedValue: Value { Value(self) }
}

extension URL: FieldValue {
  public static var fieldType: FieldType { .text }
  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self.init(string: text)
  }
  public var storedValue: Value { .text(absoluteString) }
}

extension Data: FieldValue {
  public static var fieldType: FieldType { .blob }
  public init?(cell: FieldCell) {
    guard let data = cell.data else { return nil }
    self = data
  }
  public var storedValue: Value { Value(self) }
}

extension EntityID: FieldValue {
  public static var fieldType: FieldType { .text }
  public init?(cell: FieldCell) {
    guard let text = cell.text else { return nil }
    self.init(rawValue: text)
  }
  public var storedValue: Value { .text(rawValue) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
  public static var fieldType: FieldType { Wrapped.fieldType }
  public init?(cell: FieldCell) {
    guard !cell.isNull else {
      self = .none
      return
    }
    guard let value = Wrapped(cell: cell) else { return nil }
    self = .some(value)
  }
  public var storedValue: Value { self?.storedValue ?? .null }
}
