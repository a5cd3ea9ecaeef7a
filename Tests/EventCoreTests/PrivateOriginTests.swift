import DaybookEventCore
import Testing

@Suite struct PrivateOriginTests {
  private let replica = ReplicaID("00112233445566778899aabbccddeeff")!

  private func counts(_ entries: [(ReplicaID, UInt64)]) -> VersionVector { VersionVector(entries) }

  @Test("a private origin is derived from its replica, and is recognised")
  func derivation() {
    let origin = replica.privateOrigin
    #expect(origin.isPrivate && !replica.isPrivate)
    #expect(origin.description == "5c2ab8402766e02d2e70726976617465")
    #expect(origin.bytes.suffix(8) == Array(".private".utf8))
    #expect(ReplicaID(high: 1, low: 1).privateOrigin != origin)
  }

  @Test("the shared part of a vector has no private origin, and the local part no other")
  func vectors() {
    let vector = counts([(replica, 3), (replica.privateOrigin, 5)])
    #expect(vector.shared == counts([(replica, 3)]))
    #expect(vector.local == counts([(replica.privateOrigin, 5)]))
    #expect(vector.hasPrivate && !vector.shared.hasPrivate)
    #expect(counts([(replica, 3)]).shared == counts([(replica, 3)]))
  }

  @Test("the context of a shared event cannot name private origins, and a private one can")
  func contexts() {
    let seen = counts([(replica, 3), (replica.privateOrigin, 5)])
    let other = ReplicaID(high: 1, low: 1)
    #expect(
      CausalContext(author: other).delta(to: seen).advances
        == [.init(origin: .new(replica), by: 3)])
    #expect(CausalContext(author: replica).delta(to: seen).advances.isEmpty)
    #expect(CausalContext(author: other.privateOrigin).delta(to: seen).advances.count == 2)
    #expect(
      CausalContext(author: replica.privateOrigin).delta(to: seen).advances
        == [.init(origin: .new(replica), by: 3)])
  }
}
