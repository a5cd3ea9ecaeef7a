package import Foundation

/// A recording of authors who type one text, in the format of the published editing traces.
///
/// Places and lengths count Unicode scalars of the text that the author saw: that of a
/// transaction's parents and all before them, or of the transaction before it if the recording
/// names no parents.
package struct TextTrace: Decodable, Sendable {
  struct Patch: Decodable {
    var place: Int
    var deleted: Int
    var inserted: String

    init(from decoder: any Decoder) throws {
      var values = try decoder.unkeyedContainer()
      place = try values.decode(Int.self)
      deleted = try values.decode(Int.self)
      inserted = try values.decode(String.self)
    }
  }

  struct Transaction: Decodable {
    var parents: [Int]?
    var agent: Int?
    var patches: [Patch]
  }

  var startContent: String?
  var endContent: String
  var txns: [Transaction]

  /// Whether authors type without knowing of each other. Cost: looks at each transaction.
  package var isConcurrent: Bool { txns.contains { $0.parents != nil } }
  package var count: Int { txns.count }

  /// Reads a recording.
  ///
  /// - Parameter json: The recording, not compressed.
  package init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }

  /// Reads a recording from a file; with `gzip` if its name ends in `.gz`.
  package init(file: URL) throws {
    guard file.pathExtension == "gz" else {
      try self.init(json: Data(contentsOf: file))
      return
    }
    let unpack = Process()
    unpack.executableURL = URL(filePath: "/usr/bin/env")
    unpack.arguments = ["gzip", "-dc", file.path(percentEncoded: false)]
    let pipe = Pipe()
    unpack.standardOutput = pipe
    try unpack.run()
    let json = pipe.fileHandleForReading.readDataToEndOfFile()
    unpack.waitUntilExit()
    try self.init(json: json)
  }
}
