/// The names of the W3C's ontology for provenance, PROV-O.
enum PROV {
  static let namespace = IRI(checked: "http://www.w3.org/ns/prov#")

  private static func name(_ rest: String) -> IRI { IRI(checked: namespace.string + rest) }

  static let activity = name("Activity")
  static let agent = name("Agent")
  static let softwareAgent = name("SoftwareAgent")
  static let entity = name("Entity")
  static let endedAtTime = name("endedAtTime")
  static let wasAssociatedWith = name("wasAssociatedWith")
  static let wasGeneratedBy = name("wasGeneratedBy")
  static let generatedAtTime = name("generatedAtTime")
  static let wasDerivedFrom = name("wasDerivedFrom")
  static let specializationOf = name("specializationOf")
  static let wasInvalidatedBy = name("wasInvalidatedBy")
  static let invalidatedAtTime = name("invalidatedAtTime")
}

extension IRI {
  static let rdfsLabel = IRI(checked: "http://www.w3.org/2000/01/rdf-schema#label")
  static let rdfNamespace = IRI(checked: "http://www.w3.org/1999/02/22-rdf-syntax-ns#")
  static let xsdNamespace = IRI(checked: "http://www.w3.org/2001/XMLSchema#")
}
