import DaybookReplication
import Testing

@Suite struct VersionChoiceTests {
  @Test("the newest version that both sides know is chosen")
  func newestCommon() throws {
    for (known, peer, common) in [(1...3, 1...2, 2), (2...5, 1...3, 3), (1...9, 4...4, 4)]
      as [(ClosedRange<UInt8>, ClosedRange<UInt8>, UInt8)]
    {
      var choice = VersionChoice(known: known)
      #expect(choice.version == known.upperBound)
      try choice.refused(by: peer)
      #expect(choice.version == common)
    }
  }

  @Test("the error says which side has to update if no version is common")
  func noneInCommon() {
    for (known, peer, hint) in [
      (1...1, 2...3, "Update this software"), (4...5, 2...3, "Update the peer's software"),
    ] as [(ClosedRange<UInt8>, ClosedRange<UInt8>, String)] {
      var choice = VersionChoice(known: known)
      #expect {
        try choice.refused(by: peer)
      } throws: {
        ($0 as? SyncError)?.code == .otherVersion && ($0 as? SyncError)?.hint == hint
      }
      #expect(choice.version == known.upperBound)
    }
  }

  /// Otherwise the same version would be tried again and again.
  @Test("a peer that refuses a version that it knows is in error")
  func contradictoryRefusal() throws {
    var choice = VersionChoice(known: 1...3)
    try choice.refused(by: 1...2)
    for peer in [1...2, 2...9] as [ClosedRange<UInt8>] {
      #expect {
        try choice.refused(by: peer)
      } throws: { ($0 as? SyncError)?.code == .badMessage }
    }
  }
}
