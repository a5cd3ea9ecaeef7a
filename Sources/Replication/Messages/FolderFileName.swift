package import DaybookEventCore

/// The name of a file in a shared folder, which tells what the folder holds without reading any
/// file.
///
/// ```
/// ORIGIN.FIRST-LAST.BEFORE.AFTER.SIZE.HASH.events
/// ```
/// The parts are: the origin in 32 hexadecimal digits; the first and last sequence; 16 digits of
/// the chain value before the first event; 32 digits of the one after the last; the file's size in
/// bytes; 16 digits of its checksum.
package struct FolderFileName: Hashable, Sendable, CustomStringConvertible {
  package var origin: ReplicaID
  package var sequences: ClosedRange<UInt64>
  /// The first eight bytes of the chain value before the first event.
  package var before: UInt64
  /// The tag of the chain value after the last event.
  package var tag: ChainTag
  package var size: Int
  /// The first eight bytes of the checksum.
  package var hash: UInt64

  package static let suffix = ".events"

  init(
    origin: ReplicaID, sequences: ClosedRange<UInt64>, before: ChainTag, tag: ChainTag, size: Int,
    hash: ChainTag
  ) {
    self.origin = origin
    self.sequences = sequences
    self.before = before.prefix
    self.tag = tag
    self.size = size
    self.hash = hash.prefix
  }

  package var description: String {
    "\(origin).\(sequences.lowerBound)-\(sequences.upperBound).\(Self.digits(before)).\(tag)"
      + ".\(size).\(Self.digits(hash))\(Self.suffix)"
  }

  private static func digits(_ number: UInt64) -> String {
    Hex.encode(withUnsafeBytes(of: number.bigEndian, Array.init))
  }

  /// The meaning of a name, which a file syncing program may have changed.
  package enum Reading: Hashable, Sendable {
    case file(FolderFileName)
    /// A copy: text was added after the proper name, such as “ (conflicted copy).events”.
    case copy(FolderFileName)
    /// A stand-in for a file that is elsewhere: “.NAME.icloud”.
    case placeholder(FolderFileName)
    /// A name that ends as files of events do, but has no valid parts.
    case unnamed
    /// A hidden or temporary file.
    case passing
    /// Any other file.
    case foreign
  }

  package static func read(_ name: String) -> Reading {
    if name.hasPrefix(".") {
      guard name.hasSuffix(".icloud"), let parsed = parse(name.utf8.dropFirst()) else {
        return .passing
      }
      return .placeholder(parsed.name)
    }
    if name.hasPrefix("~") || name.hasSuffix(".tmp") { return .passing }
    if let parsed = parse(name.utf8[...]) {
      return parsed.rest == suffix ? .file(parsed.name) : .copy(parsed.name)
    }
    return name.hasSuffix(suffix) ? .unnamed : .foreign
  }

  private static func parse(_ name: Substring.UTF8View) -> (name: FolderFileName, rest: String)? {
    var rest = Array(name)[...]
    func take(_ end: UInt8) -> ArraySlice<UInt8>? {
      guard let place = rest.firstIndex(of: end) else { return nil }
      defer { rest = rest[(place + 1)...] }
      return rest[..<place]
    }
    func hex(_ bytes: ArraySlice<UInt8>?, _ count: Int) -> [UInt8]? {
      guard let bytes, bytes.count == 2 * count else { return nil }
      return Hex.decode(String(decoding: bytes, as: UTF8.self))
    }
    func number(_ bytes: ArraySlice<UInt8>?) -> UInt64? {
      guard let bytes, let first = bytes.first, first != UInt8(ascii: "0"),
        first != UInt8(ascii: "+"), let number = UInt64(String(decoding: bytes, as: UTF8.self)),
        number < UInt64(Int64.max) - 2
      else { return nil }
      return number
    }
    let dot = UInt8(ascii: ".")
    guard let origin = hex(take(dot), 16), let first = number(take(UInt8(ascii: "-"))),
      let last = number(take(dot)), first <= last, let before = hex(take(dot), 8),
      let tag = hex(take(dot), 16), let size = number(take(dot)), rest.count >= 16,
      let hash = hex(rest.prefix(16), 8)
    else { return nil }
    let name = FolderFileName(
      origin: origin.withUnsafeBytes { ReplicaID(bytes: $0) }, sequences: first...last,
      before: ChainTag(bytes: before + before), tag: ChainTag(bytes: tag), size: Int(size),
      hash: ChainTag(bytes: hash + hash))
    return (name, String(decoding: rest.dropFirst(16), as: UTF8.self))
  }
}
