public import DaybookEventCore
import DaybookJSON
public import Foundation

/// Values of Foundation's types.
extension Value {
  /// The value of a date, in whole milliseconds, rounded down.
  ///
  /// A date beyond the years 1 to 9999, or one that is no number, is refused when it is written.
  public init(_ date: Date) {
    self = .timestamp(date.timeIntervalSince1970.isFinite ? date.milliseconds : .min)
  }

  /// The value of a UUID: its text in lower case, which events pack into 16 bytes.
  public init(_ uuid: UUID) { self = .text(uuid.uuidString.lowercased()) }

  /// Makes a blob of bytes.
  public init(_ data: Data) { self = .blob(Array(data)) }

  /// Encodes anything as a JSON value in canonical form: compact, with keys and sets sorted.
  ///
  /// Equal values have the same form, also on other devices. Dates are encoded as ISO 8601 texts
  /// with all their digits, and data as base64.
  /// - Throws: ``StoreError`` `wrongType` if it cannot be encoded, for example because of a number
  ///   that is not finite, or a `Decimal` with more digits than a number of JSON keeps.
  public init(encoding value: some Encodable) throws(StoreError) {
    do { self = .json(JSONWriter.canonical(try CanonicalEncoder.encode(value))) } catch {
      throw StoreError(
        .wrongType,
        "a value of type \(type(of: value)) cannot be encoded as JSON: \(Self.reason(error))",
        hint: "JSON has no numbers that are not finite, no integers beyond 64 bits, and of other "
          + "numbers about 16 digits; a text has room for all")
    }
  }

  /// Returns what an error of an encoder says, and where.
  private static func reason(_ error: any Error) -> String {
    guard case EncodingError.invalidValue(let value, let context) = error else {
      return "\(error)"
    }
    let place = context.codingPath.map(\.stringValue).joined(separator: ".")
    // The description of a date that is far beyond any calendar ends the process.
    let shown = (value as? Date).map { "\($0.timeIntervalSince1970) seconds" } ?? "\(value)"
    return (place.isEmpty ? "" : "\(place): ") + "\(context.debugDescription) (\(shown))"
  }

  /// The date; nil if the value is no timestamp.
  public var date: Date? {
    if case .timestamp(let milliseconds) = self { Date(milliseconds: milliseconds) } else { nil }
  }

  /// The UUID; nil if the value is no text that is a UUID.
  public var uuid: UUID? { if case .text(let text) = self { UUID(uuidString: text) } else { nil } }

  /// The bytes; nil if the value is no blob.
  public var data: Data? { if case .blob(let bytes) = self { Data(bytes) } else { nil } }

  /// Decodes what ``init(encoding:)`` has encoded.
  /// - Throws: ``StoreError`` `wrongType` if the value is no JSON, or not of that type.
  public func decoded<T: Decodable>(as type: T.Type = T.self) throws(StoreError) -> T {
    guard case .json(let bytes) = self else {
      throw StoreError(
        .wrongType, "\(shown) is no JSON", hint: "Only values of json fields can be decoded")
    }
    do { return try Self.decoder().decode(type, from: Data(bytes)) } catch {
      throw StoreError(
        .wrongType, "\(shown) is no \(type): \(error)",
        hint: "An app of another version may have written it")
    }
  }

  private static func decoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let container = try decoder.singleValueContainer()
      let text = try container.decode(String.self)
      guard let date = Date(exactText: text) else {
        throw DecodingError.dataCorruptedError(
          in: container, debugDescription: "“\(text)” is no date of ISO 8601")
      }
      return date
    }
    return decoder
  }
}
