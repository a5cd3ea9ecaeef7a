import DaybookEventCore

/// A thing without a name of its own. Its label means something only within its file or graph.
public struct BlankNode: Hashable, Sendable, CustomStringConvertible {
  private let text: RDFText

  /// Makes a blank node of the label that N-Triples writes after `_:`.
  ///
  /// - Throws: ``RDFError`` `.syntax` if the formats cannot write the label.
  public init(_ label: String) throws(RDFError) {
    guard NameCharacters.isLabel(label) else {
      throw RDFError(
        .syntax, "\(label.quotedForMessage) cannot be the label of a blank node",
        hint: "Use letters, digits, - and _")
    }
    text = RDFText(label)
  }

  /// Makes a blank node of a label that is known to be one.
  init(checked label: String) { text = RDFText(label) }

  /// The label, without `_:`.
  public var label: String { text.string }

  /// The label as the formats write it.
  public var description: String { "_:\(label)" }
}

/// What a statement can be about, and what names a graph: an IRI or a blank node.
public enum RDFSubject: Hashable, Sendable, CustomStringConvertible {
  /// A thing with a name.
  case iri(IRI)
  /// A thing without one.
  case blank(BlankNode)

  /// Makes the subject that a term is; nil for a literal.
  public init?(_ term: RDFTerm) {
    switch term {
    case .iri(let iri): self = .iri(iri)
    case .blank(let node): self = .blank(node)
    case .literal: return nil
    }
  }

  /// The term as N-Triples writes it.
  public var description: String { RDFTerm(self).description }
}

/// What a statement can say of its subject: an IRI, a blank node, or a literal.
public enum RDFTerm: Hashable, Sendable, CustomStringConvertible {
  /// A thing with a name.
  case iri(IRI)
  /// A thing without one.
  case blank(BlankNode)
  /// A value.
  case literal(RDFLiteral)

  /// Makes the term that a subject is.
  public init(_ subject: RDFSubject) {
    switch subject {
    case .iri(let iri): self = .iri(iri)
    case .blank(let node): self = .blank(node)
    }
  }

  /// The term as N-Triples writes it.
  public var description: String {
    var bytes: [UInt8] = []
    LineSyntax.write(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A value: a text with a datatype, or with a language.
///
/// Two literals are equal if their texts, datatypes and languages are: `1` and `01` are two
/// literals of one number.
public struct RDFLiteral: Hashable, Sendable, CustomStringConvertible {
  private enum Kind: Hashable {
    case plain
    case typed(IRI)
    case language(String)
  }

  private let exact: RDFText
  private let kind: Kind

  /// Makes a text of the datatype `xsd:string`.
  public init(_ text: String) { (exact, kind) = (RDFText(text), .plain) }

  /// Makes a literal of a datatype, whose lexical form the text is.
  ///
  /// - Throws: ``RDFError`` `.badLiteral` for `rdf:langString`, which needs a language.
  public init(_ text: String, datatype: IRI) throws(RDFError) {
    if datatype == .rdfLangString {
      throw RDFError(
        .badLiteral, "a literal of the datatype rdf:langString has no language",
        hint: "Give it a language tag, or another datatype")
    }
    self.init(text, checked: datatype)
  }

  /// Makes a text in a language, by its tag (RFC 5646), such as `en` or `de-CH`.
  ///
  /// The tag is kept in lower case.
  /// - Throws: ``RDFError`` `.badLanguageTag` if the tag is not well-formed.
  public init(_ text: String, language: String) throws(RDFError) {
    guard let tag = LanguageTag.canonical(language.utf8) else {
      throw RDFError(
        .badLanguageTag, "\(language.quotedForMessage) is no language tag",
        hint: "A tag is like en, de-CH or zh-Hant-TW (RFC 5646)")
    }
    self.init(text, checkedLanguage: tag)
  }

  /// Makes a literal of a datatype other than `rdf:langString`.
  init(_ text: String, checked datatype: IRI) {
    exact = RDFText(text)
    kind = datatype == .xsdString ? .plain : .typed(datatype)
  }

  /// Makes a text with a tag that is known to be canonical.
  init(_ text: String, checkedLanguage tag: String) {
    (exact, kind) = (RDFText(text), .language(tag))
  }

  /// The text: for a text itself, for others the lexical form.
  public var text: String { exact.string }

  /// The datatype; `rdf:langString` if there is a language.
  public var datatype: IRI {
    switch kind {
    case .plain: .xsdString
    case .typed(let datatype): datatype
    case .language: .rdfLangString
    }
  }

  /// The language's tag, in lower case; nil if there is none.
  public var language: String? {
    if case .language(let tag) = kind { tag } else { nil }
  }

  /// The literal as N-Triples writes it.
  public var description: String { RDFTerm.literal(self).description }
}

/// A statement: a triple, and the graph that it is in.
public struct RDFStatement: Hashable, Sendable, CustomStringConvertible {
  /// What it is about.
  public var subject: RDFSubject
  /// What is said.
  public var predicate: IRI
  /// The value, or the other thing.
  public var object: RDFTerm
  /// The name of its graph; nil for the default graph.
  public var graph: RDFSubject?

  /// Makes a statement.
  public init(
    _ subject: RDFSubject, _ predicate: IRI, _ object: RDFTerm, in graph: RDFSubject? = nil
  ) {
    (self.subject, self.predicate, self.object, self.graph) = (subject, predicate, object, graph)
  }

  /// The statement as a line of N-Quads.
  public var description: String {
    var bytes: [UInt8] = []
    LineSyntax.write(self, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
