import Testing

@testable import HubServer

@Suite struct DescriptorsTests {
  @Test("limits that descriptors are enough for stay as they are")
  func enough() {
    let limits = HubOptions.Limits()
    let fitting = Descriptors.fitting(limits, 1 << 20)
    #expect(fitting.connectionsMax == limits.connectionsMax)
    #expect(fitting.zonesOpenMax == limits.zonesOpenMax)
    #expect(fitting.liveClientsMax == limits.liveClientsMax)
  }

  @Test("connections and zones together never need more than there are, and there is one of each")
  func few() {
    for descriptors in [0, 1, 20, 64, 100, 256, 1000, 1024, 4096, 12_000, 65_536] {
      let fitting = Descriptors.fitting(HubOptions.Limits(), descriptors)
      #expect(fitting.connectionsMax >= 1 && fitting.zonesOpenMax >= 1)
      #expect(fitting.liveClientsMax < fitting.connectionsMax)
      guard descriptors >= 64 else { continue }
      let needed = fitting.connectionsMax + fitting.zonesOpenMax * Descriptors.ofZone
      #expect(needed <= descriptors - min(Descriptors.ofHub, descriptors / 4), "\(descriptors)")
    }
  }

  @Test("the process may have as many files open as the system lets it")
  func raised() {
    let descriptors = Descriptors.raise()
    #expect(descriptors >= 256 && Descriptors.raise() == descriptors)
  }
}
