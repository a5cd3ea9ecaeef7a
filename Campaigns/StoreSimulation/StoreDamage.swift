import DaybookSimulation
import Foundation

/// Damage to a closed file, as by a bad disk or a person.
enum StoreDamage: Sendable, CustomStringConvertible {
  case flip(String, offset: Int, bits: UInt8)
  /// Overwrites a sector.
  case sector(String, offset: Int, [UInt8])
  case cut(String, size: Int)
  case remove(String)

  /// Returns random damage to a non-empty file in `folder`; nil if there is none.
  static func random(in folder: URL, _ random: inout SplitMix64) -> StoreDamage? {
    let path = folder.path(percentEncoded: false)
    let names = ((try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? []).filter {
      (FileManager.default.contents(atPath: "\(path)/\($0)") ?? Data()).count > 0
    }
    guard !names.isEmpty else { return nil }
    let name = names.sorted()[random.below(names.count)]
    let size = FileManager.default.contents(atPath: "\(path)/\(name)")?.count ?? 1
    switch random.below(10) {
    case 0: return .cut(name, size: random.below(size))
    case 1: return .remove(name)
    case 2...3:
      let bytes = (0..<512).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let isZero = random.below(2) == 0
      return .sector(
        name, offset: random.below(size) / 512 * 512,
        isZero ? [UInt8](repeating: 0, count: 512) : bytes)
    default:
      return .flip(name, offset: random.below(size), bits: 1 << UInt8(random.below(8)))
    }
  }

  /// Damages the file.
  ///
  /// - Returns: Whether any byte has changed.
  func apply(to folder: URL) throws -> Bool {
    let file = folder.appending(path: name)
    let before = try Data(contentsOf: file)
    var bytes = [UInt8](before)
    switch self {
    case .remove:
      try FileManager.default.removeItem(at: file)
      return true
    case .flip(_, let offset, let bits): bytes[offset] ^= bits
    case .sector(_, let offset, let new):
      let range = offset..<min(offset + new.count, bytes.count)
      bytes.replaceSubrange(range, with: new.prefix(range.count))
    case .cut(_, let size): bytes.removeLast(bytes.count - size)
    }
    try Data(bytes).write(to: file)
    return Data(bytes) != before
  }

  var name: String {
    switch self {
    case .flip(let name, _, _), .sector(let name, _, _), .cut(let name, _), .remove(let name): name
    }
  }

  var description: String {
    switch self {
    case .flip(let name, let offset, let bits):
      "bits \(bits) of byte \(offset) of \(name) are flipped"
    case .sector(let name, let offset, let bytes):
      "the sector at \(offset) of \(name) is \(bytes.allSatisfy { $0 == 0 } ? "zero" : "noise")"
    case .cut(let name, let size): "\(name) is cut at \(size)"
    case .remove(let name): "\(name) is gone"
    }
  }
}
