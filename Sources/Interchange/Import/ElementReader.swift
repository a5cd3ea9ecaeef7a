import Daybook
import DaybookJSON
import Foundation

/// A reader of JSON elements that are not one a line: those of an array, or consecutive objects in
/// any layout.
///
/// Memory grows with the longest element, not with the file.
struct ElementReader {
  private enum Expectation {
    /// An array may begin, or the first of several objects.
    case anything
    case object
    case elementOrEnd, element
    case commaOrEnd
    case nothing
  }

  private let source: ImportSource
  private var buffer: [UInt8] = []
  private var chunk = [UInt8](repeating: 0, count: 1 << 18)
  private var offset = 0
  private var isAtEnd = false
  private var expectation = Expectation.anything
  private var currentLine = 1
  /// The number of the latest element, from 1.
  private(set) var number = 0
  /// The line on which the latest element begins.
  private(set) var line = 1
  /// The number of bytes of the file read so far.
  private(set) var bytesRead: UInt64 = 0

  init(_ source: ImportSource) { self.source = source }

  /// Returns whether a file needs this reader: it begins with `[`, or with a line of only `{`.
  static func fits(_ source: ImportSource) -> Bool {
    var beginning = source.beginning(4096)[...]
    if beginning.starts(with: byteOrderMark) {
      beginning = beginning.dropFirst(byteOrderMark.count)
    }
    beginning = beginning.drop(while: isSpace)
    guard beginning.first == UInt8(ascii: "{") else { return beginning.first == UInt8(ascii: "[") }
    let rest = beginning.dropFirst().prefix { $0 != UInt8(ascii: "\n") }
    return rest.endIndex < beginning.endIndex && rest.allSatisfy(isSpace)
  }

  /// Calls `body` with the next element, and returns its result; nil if there is none.
  /// - Throws: `InterchangeError` if the bytes are not JSON. ``number`` is then that of the
  ///   element.
  mutating func next<T>(_ body: (UnsafeRawBufferPointer) throws -> T) throws -> T? {
    // Drop the bytes of earlier elements.
    if offset >= chunk.count {
      buffer.removeFirst(offset)
      offset = 0
    }
    guard try findElement() else { return nil }
    number += 1
    line = currentLine
    let end = try findEnd()
    let first = offset
    offset = end
    expectation = expectation == .object ? .object : .commaOrEnd
    return try buffer.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[first..<end]))
    }
  }

  // MARK: - Between elements

  /// Moves to the beginning of the next element.
  /// - Returns: false if there is none.
  private mutating func findElement() throws -> Bool {
    while try fill(to: offset) {
      let byte = buffer[offset]
      if Self.isSpace(byte) || isByteOrderMark {
        pass(byte)
        continue
      }
      switch (expectation, byte) {
      case (.anything, UInt8(ascii: "[")): expectation = .elementOrEnd
      case (.anything, _), (.object, _):
        expectation = .object
        return true
      case (.elementOrEnd, UInt8(ascii: "]")), (.commaOrEnd, UInt8(ascii: "]")):
        expectation = .nothing
      case (.commaOrEnd, UInt8(ascii: ",")): expectation = .element
      case (.elementOrEnd, _), (.element, _): return true
      case (.commaOrEnd, _): throw malformed("no comma stands between two elements of the array")
      case (.nothing, _): throw malformed("something stands behind the end of the array")
      }
      pass(byte)
    }
    switch expectation {
    case .anything, .object, .nothing: return false
    case .elementOrEnd, .element, .commaOrEnd:
      throw malformed("the array does not end; the file seems to be cut off")
    }
  }

  private var isByteOrderMark: Bool {
    bytesBefore + offset < Self.byteOrderMark.count && buffer[offset] >= 0x80
  }

  private mutating func pass(_ byte: UInt8) {
    if byte == UInt8(ascii: "\n") { currentLine += 1 }
    offset += 1
  }

  // MARK: - Within an element

  /// Returns the index after the element that begins here.
  private mutating func findEnd() throws -> Int {
    var end = offset
    var depth = 0
    var isText = false
    var isEscaped = false
    while try fill(to: end) {
      let byte = buffer[end]
      if byte == UInt8(ascii: "\n") { currentLine += 1 }
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        // A bare word or number ends before the next token. The parser checks it.
        let isBare = depth == 0 && (Self.isSpace(byte) || byte == UInt8(ascii: ","))
        if depth < 0 || isBare {
          if byte == UInt8(ascii: "\n") { currentLine -= 1 }
          return end
        }
        if depth == 0, byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") { return end + 1 }
      }
      end += 1
      guard end - offset <= InterchangeLine.bytesMax else {
        throw InterchangeError(
          .tooLarge, "the element is longer than any operation can be (96 MiB)")
      }
    }
    guard depth == 0, !isText else {
      throw malformed("the element does not end; the file seems to be cut off")
    }
    return end
  }

  // MARK: - Reading

  /// The number of the file's bytes before the buffer.
  private var bytesBefore: Int { Int(bytesRead) - buffer.count }

  /// Reads until the buffer contains an index.
  /// - Returns: false at the end of the file.
  private mutating func fill(to index: Int) throws(ImportError) -> Bool {
    while index >= buffer.count {
      guard !isAtEnd else { return false }
      let count = try ImportSource.read(source.descriptor, &chunk, source.name)
      isAtEnd = count == 0
      bytesRead += UInt64(count)
      buffer.append(contentsOf: chunk[..<count])
    }
    return true
  }

  private func malformed(_ message: String) -> InterchangeError {
    InterchangeError(.malformedJSON, "this is no JSON: \(message)")
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func isSpace(_ byte: UInt8) -> Bool {
    [0x20, 0x09, 0x0A, 0x0D].contains(byte)
  }
}

/// The plan of a JSON file, of which each element is one operation.
struct ElementPlan: ImportPlan {
  let source: ImportSource
  let unit = "element"

  func feed(from first: Int) -> any ImportFeed { ElementFeed(source, from: first) }
}

struct ElementFeed: ImportFeed {
  private var reader: ElementReader
  private let first: Int

  init(_ source: ImportSource, from first: Int) {
    reader = ElementReader(source)
    self.first = first
  }

  mutating func next() throws -> FileStep? {
    while true {
      do {
        let isSkipped = reader.number + 1 < first
        let parsed = try reader.next { isSkipped ? nil : try InterchangeLine(parsing: $0) }
        guard let parsed else { return nil }
        guard let line = parsed else { continue }
        return FileStep(
          content: .line(line), line: reader.number, lastLine: reader.number,
          beginsOn: reader.line, byteCount: line.byteCount, offset: reader.bytesRead)
      } catch let error as InterchangeError {
        throw ImportLineError(
          line: max(reader.number, 1), beginsOn: reader.line, failure: ImportError(error))
      }
    }
  }
}
