import DaybookEventCore

/// The bytes of a file around the place where it is read.
///
/// It holds a piece of the file, and more only if a name or a literal is longer. What it shows is
/// valid UTF-8, and ends between two scalars.
struct ByteWindow {
  /// The longest piece that can be looked at in one: an event has no room for a longer value.
  static let bytesMax = 16 << 20

  private static let pieceBytes = 1 << 16

  private var bytes: [UInt8] = []
  /// The next byte to read.
  private var start = 0
  /// The end of what may be read.
  private var limit = 0
  /// The place of the first byte of `bytes`.
  private var place = TextPlace()
  /// Whether the byte before the first of `bytes` was a carriage return.
  private var followsReturn = false
  private var isAtEnd = false
  /// Whether the bytes at `limit` are not UTF-8.
  private var isBad = false
  private let read: (Int) throws -> [UInt8]

  /// - Parameter read: returns the next bytes, at most as many as it is asked for; none at the end.
  init(_ read: @escaping (Int) throws -> [UInt8]) { self.read = read }

  /// Makes a window on a whole text, which is valid UTF-8.
  init(_ text: [UInt8]) {
    bytes = text
    limit = text.count
    isAtEnd = true
    read = { _ in [] }
  }

  /// Returns the byte at an offset from where the file is read; 0 at the end of the file.
  @inline(__always)
  mutating func byte(_ offset: Int) throws(RDFError) -> UInt8 {
    if start + offset < limit { return bytes[start + offset] }
    return try fill(offset) ? bytes[start + offset] : 0
  }

  /// Whether the file ends before an offset, of which ``byte(_:)`` has returned 0.
  func hasEnded(at offset: Int) -> Bool { start + offset >= limit }

  /// Returns the scalar at an offset, of which ``byte(_:)`` has returned the first byte.
  func scalar(_ offset: Int) -> UTF8Scalar {
    bytes.withUnsafeBufferPointer { UTF8Scalar($0, at: start + offset) }
  }

  mutating func advance(_ count: Int) { start += count }

  /// Returns the bytes between two offsets that have been looked at.
  func slice(_ from: Int, _ to: Int) -> ArraySlice<UInt8> { bytes[start + from..<start + to] }

  /// Returns the text between two offsets that have been looked at.
  func text(_ from: Int, _ to: Int) -> String {
    bytes.withUnsafeBufferPointer {
      String(decoding: UnsafeBufferPointer(rebasing: $0[start + from..<start + to]), as: UTF8.self)
    }
  }

  /// Calls `body` with the bytes between two offsets that have been looked at.
  func withBytes<T>(_ from: Int, _ to: Int, _ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
    bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[start + from..<start + to]))
    }
  }

  /// Returns the place of the byte at an offset.
  func place(_ offset: Int = 0) -> TextPlace {
    Self.place(after: bytes[..<min(start + offset, bytes.count)], place, followsReturn)
  }

  private static func place(
    after bytes: ArraySlice<UInt8>, _ start: TextPlace, _ followsReturn: Bool
  ) -> TextPlace {
    var (place, followsReturn) = (start, followsReturn)
    for byte in bytes {
      switch byte {
      case 0x0A where followsReturn: break
      case 0x0A, 0x0D: place = TextPlace(line: place.line + 1, column: 1)
      case 0x80..<0xC0: break
      default: place.column += 1
      }
      followsReturn = byte == 0x0D
    }
    return place
  }

  /// Reads on until there is a byte at an offset.
  /// - Returns: false if the file ends before.
  private mutating func fill(_ offset: Int) throws(RDFError) -> Bool {
    while start + offset >= limit {
      if isBad {
        throw RDFError(
          .badUTF8, "the bytes here are not UTF-8", at: place(limit - start),
          hint: "Convert the file first, for example by iconv")
      }
      if isAtEnd { return false }
      dropRead()
      guard bytes.count < Self.bytesMax else {
        throw RDFError(
          .tooLarge, "a name or a literal is longer than 16 MiB", at: place(),
          hint: "Check whether a quote is missing")
      }
      let more: [UInt8]
      do { more = try read(Self.pieceBytes) } catch {
        throw RDFError(.inputOutput, "the file cannot be read on: \(error)", at: place(offset))
      }
      isAtEnd = more.isEmpty
      isBad = isAtEnd && limit < bytes.count
      bytes += more
      if !isAtEnd { validate() }
    }
    return true
  }

  private mutating func dropRead() {
    guard start > 0 else { return }
    place = place()
    followsReturn = bytes[start - 1] == 0x0D
    bytes.removeFirst(start)
    limit -= start
    start = 0
  }

  /// Moves the limit to the end of the bytes, to the scalar that is cut there, or to what is not
  /// UTF-8.
  private mutating func validate() {
    let end = bytes.count - Self.cutBytes(bytes[limit...])
    let isValid = bytes.withUnsafeBytes {
      UTF8Validation.isValid(UnsafeRawBufferPointer(rebasing: $0[limit..<end]))
    }
    if isValid {
      limit = end
      return
    }
    isBad = true
    var rest = bytes[limit...].makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    while case .valid(let scalar) = parser.parseScalar(from: &rest) { limit += scalar.count }
  }

  /// Returns how many bytes at the end begin a scalar and are not all of it.
  private static func cutBytes(_ bytes: ArraySlice<UInt8>) -> Int {
    for (back, byte) in zip(1...3, bytes.reversed()) where byte & 0xC0 != 0x80 {
      let needed =
        switch byte {
        case 0xF0...: 4
        case 0xE0...: 3
        case 0xC0...: 2
        default: 1
        }
      return needed > back ? back : 0
    }
    return 0
  }
}
