public import DaybookEventCore
public import DaybookProjections

/// The IRIs by which a store's collections, fields, entities and events are named in RDF.
///
/// With the base `http://example.org/`:
///
/// | what | IRI |
/// | --- | --- |
/// | the collection `notes`, as a class | `http://example.org/notes` |
/// | its field `title` | `http://example.org/notes-title` |
/// | its entity `n1` | `http://example.org/notes/n1` |
///
/// Names of collections and fields have no `-` and no `/`, so no two things have one IRI.
public struct RDFNaming: Hashable, Sendable {
  /// What all IRIs begin with.
  public let base: IRI

  /// Makes a naming.
  ///
  /// - Parameter base: what all IRIs begin with; it should end in `/`, `#` or `:`. Without one the
  ///   IRIs are names that lead nowhere: `urn:daybook:notes/n1`.
  public init(base: IRI? = nil) { self.base = base ?? IRI(checked: "urn:daybook:") }

  private func iri(_ rest: String) -> IRI { IRI(checked: base.string + rest) }

  /// Returns the IRI of a collection: the class of its entities.
  ///
  /// Of a collection of relationships it is also what leads from the one end to the other.
  public func collection(_ name: String) -> IRI { iri(Self.encoded(name)) }

  /// Returns the IRI of a field of a collection.
  public func field(_ field: String, of collection: String) -> IRI {
    iri("\(Self.encoded(collection))-\(Self.encoded(field))")
  }

  /// Returns the IRI of an entity. Bytes of the id that no segment of a path has are escaped.
  public func entity(_ collection: String, _ id: String) -> IRI {
    iri("\(Self.encoded(collection))/\(Self.encoded(id))")
  }

  /// Returns the IRI of an event.
  public func event(_ event: EventID) -> IRI { iri("-/events/\(event.origin)/\(event.sequence)") }

  /// Returns the IRI of who wrote events.
  public func actor(_ name: String) -> IRI { iri("-/actors/\(Self.encoded(name))") }

  /// Returns the IRI of the replica that made events.
  public func replica(_ origin: ReplicaID) -> IRI { iri("-/replicas/\(origin)") }

  /// Returns the IRI of what an entity was after an event.
  public func version(_ collection: String, _ id: String, _ event: EventID) -> IRI {
    iri("\(Self.encoded(collection))/\(Self.encoded(id))/\(event.origin)/\(event.sequence)")
  }

  /// Returns prefixes that shorten the IRIs of some collections.
  public func prefixes(_ collections: [CollectionSchema]) -> [String: IRI] {
    var prefixes = ["": base, "rdf": IRI.rdfNamespace, "xsd": IRI.xsdNamespace]
    for collection in collections where collection.name.utf8.first != UInt8(ascii: "_") {
      if prefixes[collection.name] == nil {
        prefixes[collection.name] = iri("\(Self.encoded(collection.name))/")
      }
    }
    return prefixes
  }

  /// Returns the prefixes of ``prefixes(_:)`` and those of provenance.
  public func historyPrefixes(_ collections: [CollectionSchema]) -> [String: IRI] {
    var prefixes = prefixes(collections)
    prefixes["prov"] = PROV.namespace
    prefixes["rdfs"] = IRI(checked: "http://www.w3.org/2000/01/rdf-schema#")
    return prefixes
  }

  /// Escapes each byte that is not unreserved (RFC 3986, section 2.3).
  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += escape(byte).utf8
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func escape(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
  }
}
