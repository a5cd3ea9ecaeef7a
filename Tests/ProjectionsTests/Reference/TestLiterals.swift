public import EventCore

/// Short forms for cases written by hand.
extension Value: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .text(value) }
}

extension VersionVector: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (ReplicaID, UInt64)...) { self.init(elements) }
}
