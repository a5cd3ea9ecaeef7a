import Testing

@testable import DaybookHubServer

@Suite struct DescriptorsTests {
  @Test("limits stay as they are if the descriptors suffice")
  func enough() {
    let limits = HubOptions.Limits()
    let fitting = Descriptors.fitting(limits, 1 << 20)
    #expect(fitting.connectionsMax == limits.connectionsMax)
    #expect(fitting.zonesOpenMax == limits.zonesOpenMax)
    #expect(fitting.liveClientsMax == limits.liveClientsMax)
  }

  @Test("the limits fit the descriptors, with at least one connection and one zone")
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

  @Test("the limit of open files is raised once, to at least 256")
  func raised() {
    let descriptors = Descriptors.raise()
    #expect(descriptors >= 256 && Descriptors.raise() == descriptors)
  }
}
