// What main.swift takes from an app around it.
import Daybook
import Foundation

/// main.swift imports no module but those of Daybook.
typealias Date = Foundation.Date

let folder = URL.temporaryDirectory.appending(path: "notes-\(UUID())")
let typedText = "oat"
let lastWeek = Date.now.addingTimeInterval(-7 * 86_400)

func show(_ notes: [Note]) {
  for note in notes { print(note.title, note.tags) }
}

/// Where an app keeps the token that `evtool token create` has printed.
actor Keychain {
  func token() -> String? { ProcessInfo.processInfo.environment["DAYBOOK_TOKEN"] }
}
let keychain = Keychain()

/// Shows the state of the sync, and ends the sync if there is no hub.
@MainActor func badge(_ phase: PeerState.Phase, _ unacknowledged: UInt64) {
  print(phase, unacknowledged)
  if phase == .offline || phase == .error { Task { await sync.stop() } }
}

#if SAMPLE_RUNS
  extension Store {
    /// The first list only: the loop of an app goes on for as long as its view is there, and a
    /// sample that runs wants to go on behind it.
    func observe(_ query: EntityQuery<Note>) -> AsyncPrefixSequence<LiveValues<[Note]>> {
      let values: LiveValues<[Note]> = observe(query)
      return values.prefix(1)
    }
  }
#endif
