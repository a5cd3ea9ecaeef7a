public import DaybookEventCore

extension VersionVector: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (ReplicaID, UInt64)...) { self.init(elements) }
}
