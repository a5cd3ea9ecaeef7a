import DaybookEventCore

/// An IRI: what RDF names a thing by, such as `http://example.org/notes/n1`.
///
/// It is absolute, and valid by RFC 3987. Two IRIs are equal if their characters are: nothing is
/// normalized, as RDF demands.
public struct IRI: Hashable, Sendable, CustomStringConvertible {
  private let text: RDFText

  /// Makes an IRI of its text.
  ///
  /// - Throws: ``RDFError`` `.badIRI` if the text is relative or no IRI.
  public init(_ string: String) throws(RDFError) {
    var string = string
    if let problem = string.withUTF8({ IRISyntax.problem(in: $0) }) {
      throw RDFError(.badIRI, "\(string.quotedForMessage) is no IRI: \(problem.message)")
    }
    text = RDFText(string)
  }

  /// Makes an IRI of a text that is known to be one.
  init(checked string: String) { text = RDFText(string) }

  /// The characters of the IRI.
  public var string: String { text.string }

  /// The characters of the IRI.
  public var description: String { string }

  /// Resolves a reference, such as `../n2#top`, against this IRI (RFC 3986, section 5.2).
  ///
  /// A reference with a scheme stays as it is.
  /// - Throws: ``RDFError`` `.badIRI` if the result is no IRI.
  public func resolving(_ reference: String) throws(RDFError) -> IRI {
    guard IRISyntax.schemeEnd(reference.utf8) != nil || IRISyntax.isReference(reference.utf8) else {
      throw RDFError(
        .badIRI, "\(reference.quotedForMessage) is no reference: what is before : is no scheme")
    }
    let bytes = IRIBase(self).resolve(Array(reference.utf8))
    return try IRI(String(decoding: bytes, as: UTF8.self))
  }
}

extension IRI: Comparable {
  /// Compares by the bytes of UTF-8, which is the order of the scalars.
  public static func < (a: IRI, b: IRI) -> Bool {
    a.string.utf8.lexicographicallyPrecedes(b.string.utf8)
  }
}

extension IRI {
  private static func rdf(_ name: String) -> IRI {
    IRI(checked: "http://www.w3.org/1999/02/22-rdf-syntax-ns#" + name)
  }
  private static func xsd(_ name: String) -> IRI {
    IRI(checked: "http://www.w3.org/2001/XMLSchema#" + name)
  }

  /// `rdf:type`, which Turtle spells `a`.
  public static let rdfType = rdf("type")
  /// `rdf:first`: a list's cell to its item.
  public static let rdfFirst = rdf("first")
  /// `rdf:rest`: a list's cell to the next one.
  public static let rdfRest = rdf("rest")
  /// `rdf:nil`: the empty list.
  public static let rdfNil = rdf("nil")
  /// `rdf:langString`: the datatype of a text with a language.
  public static let rdfLangString = rdf("langString")
  /// `rdf:JSON`: the datatype of JSON.
  public static let rdfJSON = rdf("JSON")
  /// `xsd:string`: the datatype of a text.
  public static let xsdString = xsd("string")
  /// `xsd:boolean`: `true` or `false`.
  public static let xsdBoolean = xsd("boolean")
  /// `xsd:integer`: a whole number.
  public static let xsdInteger = xsd("integer")
  /// `xsd:decimal`: a number with decimal places.
  public static let xsdDecimal = xsd("decimal")
  /// `xsd:double`: a floating-point number.
  public static let xsdDouble = xsd("double")
  /// `xsd:dateTime`: a moment.
  public static let xsdDateTime = xsd("dateTime")
  /// `xsd:base64Binary`: bytes.
  public static let xsdBase64Binary = xsd("base64Binary")
}
