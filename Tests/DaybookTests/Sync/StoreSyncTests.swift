import DaybookEventCore
import DaybookReplication
import Foundation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

@Suite struct StoreSyncTests {
  private let place = SyncPlace()

  @Test("two stores hold the same after a sync")
  func twoStores() async throws {
    defer { place.remove() }
    let (a, b) = (try await place.store("a"), try await place.store("b"))
    try await a.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n1", ["title": .text("Oat milk")])
    }
    try await b.write { tx in
      try tx.define(SyncPlace.notes)
      try tx.insert("notes", "n2", ["title": .text("Bread")])
    }
    let report = try await a.syncOnce(with: StorePeer(b))
    #expect(try await place.titles(a) == ["Oat milk", "Bread"])
    #expect(try await place.titles(b) == ["Oat milk", "Bread"])
    #expect(try await a.digest() == b.digest())
    #expect(report.eventsSent == 2 && report.eventsReceived == 2)
    #expect(report.refusals.isEmpty && report.zone != ZoneID.none)
    // A further sync finds in one exchange that there is nothing to do.
    let again = try await a.syncOnce(with: StorePeer(b))
    #expect(again.eventsSent == 0 && again.eventsReceived == 0 && again.exchanges == 1)
    try await a.close()
    try await b.close()
  }
}
