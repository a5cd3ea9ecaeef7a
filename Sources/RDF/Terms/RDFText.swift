import DaybookEventCore

/// A text that is equal only to the same scalars.
///
/// Swift's `==` also accepts canonically equivalent text. In RDF, two forms of `é` are two names.
struct RDFText: Hashable, Sendable {
  let string: String

  init(_ string: String) { self.string = string }

  static func == (a: RDFText, b: RDFText) -> Bool { a.string.isSame(as: b.string) }

  func hash(into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    hasher.combine(UInt8(0xFF))
  }
}
