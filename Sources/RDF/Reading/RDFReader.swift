import DaybookDisk
import DaybookEventCore
public import Foundation

/// A reader of RDF, statement by statement, whose memory does not grow with the file.
///
/// It accepts what the grammars of RDF 1.1 accept, and nothing else:
///
///     let reader = try RDFReader(contentsOf: url)
///     while let statement = try reader.next() { print(statement) }
///
/// Labels of blank nodes are the file's; `[]` and lists get labels that the file does not use.
public final class RDFReader {
  /// The format that is read.
  public let format: RDFFormat
  private var parser: RDFParser
  private var failure: RDFError?
  private let file: OpenFile?

  /// Makes a reader of bytes that a function returns.
  ///
  /// - Parameters:
  ///   - base: what relative IRIs are resolved against, until the file declares a base.
  ///   - read: returns the next bytes, at most as many as it is asked for; none at the end.
  public init(
    _ format: RDFFormat, base: IRI? = nil, read: @escaping (_ count: Int) throws -> [UInt8]
  ) {
    self.format = format
    file = nil
    parser = RDFParser(format, base: base, read: read)
  }

  /// Makes a reader of a text.
  public convenience init(_ text: String, _ format: RDFFormat, base: IRI? = nil) {
    var rest = Array(text.utf8)[...]
    self.init(format, base: base) { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
  }

  /// Makes a reader of a file.
  ///
  /// - Parameters:
  ///   - format: the format; by the ending of the file's name if there is none.
  ///   - base: what relative IRIs are resolved against; the file's own IRI if there is none.
  /// - Throws: ``RDFError`` `.inputOutput` if the file cannot be opened or is of no known format.
  public init(contentsOf url: URL, _ format: RDFFormat? = nil, base: IRI? = nil) throws(RDFError) {
    guard let format = format ?? RDFFormat(fileEnding: url.pathExtension) else {
      throw RDFError(
        .inputOutput, "\(url.lastPathComponent) does not show its format",
        hint: "Give it one of the endings .ttl, .trig, .nt and .nq, or say the format")
    }
    let path = url.path(percentEncoded: false)
    let file: OpenFile
    do { file = try OpenFile(path) } catch {
      throw RDFError(.inputOutput, "\(path) cannot be read: \(error)")
    }
    let start: IRI
    if let base { start = base } else { start = try IRI(url.absoluteString) }
    self.format = format
    self.file = file
    parser = RDFParser(format, base: start) { try file.read($0) }
  }

  /// The prefixes that the file has declared so far, with their namespaces.
  public var prefixes: [String: IRI] {
    Dictionary(
      parser.namespaces.map { ($0.key.string, IRI(checked: $0.value)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Reads the next statement; nil at the end.
  ///
  /// - Throws: ``RDFError``, with the line and the column. After an error the reader reads no
  ///   further, and each call throws it again.
  public func next() throws(RDFError) -> RDFStatement? {
    if let failure { throw failure }
    do { return try parser.next() } catch {
      failure = error
      throw error
    }
  }
}

/// A file that is open for reading, until nothing holds it.
private final class OpenFile {
  private let descriptor: Int32

  init(_ path: String) throws(SystemError) {
    descriptor = try SystemCalls.open(path, .read)
  }

  deinit { SystemCalls.close(descriptor) }

  func read(_ count: Int) throws(SystemError) -> [UInt8] {
    try SystemCalls.read(descriptor, atMost: count)
  }
}
