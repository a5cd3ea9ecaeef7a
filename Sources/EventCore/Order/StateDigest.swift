/// A sum of hashes modulo 2²⁵⁶, which two replicas compare to find out if they show the same state.
///
/// A sum does not depend on the order of its summands, and a summand can be removed again, so an
/// edit costs two hashes. The digest detects errors, but it does not prove anything against an
/// attacker who forges events: for that there is the signed chain.
public struct StateDigest: Hashable, Sendable, CustomStringConvertible {
  /// The version of the folding rules; digests of different versions cannot be compared.
  public static let rules = 5

  package private(set) var sum: Hash256

  /// Makes the digest of an empty state.
  public init() { sum = .zero }
  package init(sum: Hash256) { self.sum = sum }

  package mutating func add(_ hash: Hash256) {
    var carry = false
    func next(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (partial, first) = a.addingReportingOverflow(b)
      let (total, second) = partial.addingReportingOverflow(carry ? 1 : 0)
      carry = first || second
      return total
    }
    let (a, b) = (sum.words, hash.words)
    sum.words.0 = next(a.0, b.0)
    sum.words.1 = next(a.1, b.1)
    sum.words.2 = next(a.2, b.2)
    sum.words.3 = next(a.3, b.3)
  }

  package mutating func remove(_ hash: Hash256) {
    var borrow = false
    func next(_ a: UInt64, _ b: UInt64) -> UInt64 {
      let (partial, first) = a.subtractingReportingOverflow(b)
      let (total, second) = partial.subtractingReportingOverflow(borrow ? 1 : 0)
      borrow = first || second
      return total
    }
    let (a, b) = (sum.words, hash.words)
    sum.words.0 = next(a.0, b.0)
    sum.words.1 = next(a.1, b.1)
    sum.words.2 = next(a.2, b.2)
    sum.words.3 = next(a.3, b.3)
  }

  public var description: String { sum.description }
}
