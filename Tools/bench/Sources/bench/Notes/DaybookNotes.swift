import Daybook
import DaybookNotes
import Foundation

/// `daybook notes FOLDER`: measures the first launch of an app for notes on a shared folder that is
/// full: how long until the first 100 notes are listed, and until all are.
///
/// The folder is made first, by several devices that have synced: most edits of each device
/// are of notes that others have made.
func daybookNotes(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"))
  let notes = try words.number("notes", default: 5000)
  let devices = max(try words.number("devices", default: 5), 1)
  let events = try words.number("events", default: 50_000)
  let rounds = try words.number("rounds", default: 3)
  try words.finish()
  let shared = folder.appending(path: "shared")
  if !FileManager.default.fileExists(atPath: shared.path) {
    try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)
    try await fill(shared, in: folder, notes: notes, devices: devices, events: events)
  }
  for round in 0..<max(rounds, 1) {
    try await launch(on: shared, at: folder.appending(path: "launch-\(round)"), notes: notes)
  }
}

/// Makes notes and edits them, on several devices, until the folder has all events.
private func fill(
  _ shared: URL, in folder: URL, notes: Int, devices: Int, events: Int
) async throws {
  var notebooks: [Notebook] = []
  for device in 0..<devices {
    let url = folder.appending(path: "device-\(device)")
    notebooks.append(try await Notebook.open(at: url, actor: "device \(device)"))
  }
  func meet() async throws {
    for _ in 0..<2 {
      for notebook in notebooks { try await notebook.store.syncOnce(with: FolderPeer(shared)) }
    }
  }
  try await meet()
  var folders: [NoteFolder.ID] = []
  for number in 0..<20 { folders.append(try await notebooks[0].addFolder("Folder \(number)")) }
  try await meet()
  let places = folders
  for (device, notebook) in notebooks.enumerated() {
    let mine = (0..<notes).filter { $0 % devices == device }
    try await together(mine) { number in
      let body = "Note \(number)\n" + String(repeating: "Oat milk and bread. ", count: 15)
      try await notebook.add(body, in: places[number % places.count])
    }
  }
  try await meet()
  let ids = try await notebooks[0].list().map(\.id).sorted()
  let edits = max(events - notes, 0)
  // Some edits before each meeting, so that devices edit what others have edited.
  let parts = 5
  for part in 0..<parts {
    for (device, notebook) in notebooks.enumerated() {
      let mine = (edits * part / parts..<edits * (part + 1) / parts).filter {
        $0 % devices == device
      }
      try await together(mine) { number in
        let id = ids[number * 7919 % ids.count]
        if number % 20 == 0 {
          try await notebook.setTitle(id, "Title \(number)")
        } else {
          try await notebook.edit(id) { text in
            try text.insert("edit \(number) ", at: number % (text.count + 1))
          }
        }
      }
    }
    try await meet()
  }
  for notebook in notebooks { try await notebook.close() }
}

/// Runs writes for many numbers, 64 at once, so that they share their fsyncs.
private func together(
  _ numbers: [Int], _ body: @escaping @Sendable (Int) async throws -> Void
) async throws {
  try await withThrowingTaskGroup(of: Void.self) { group in
    var rest = numbers.makeIterator()
    for _ in 0..<64 {
      guard let number = rest.next() else { break }
      group.addTask { try await body(number) }
    }
    while try await group.next() != nil {
      if let number = rest.next() { group.addTask { try await body(number) } }
    }
  }
}

private func launch(on shared: URL, at url: URL, notes: Int) async throws {
  try? FileManager.default.removeItem(at: url)
  let start = ContinuousClock.now
  func elapsed() -> UInt64 { UInt64(nanoseconds(ContinuousClock.now - start)) }
  let notebook = try await Notebook.open(at: url)
  let opened = elapsed()
  let list = notebook.notes()
  let sync = try notebook.share(in: shared)
  var first: UInt64 = 0
  var updates = 0
  for try await shown in list {
    updates += 1
    if shown.count >= 100, first == 0 { first = elapsed() }
    if shown.count >= notes { break }
  }
  let listed = elapsed()
  for await state in sync.states where state.isComplete { break }
  let complete = elapsed()
  var latencies = Latencies(reserving: 20)
  for _ in 0..<20 {
    let start = ContinuousClock.now
    guard try await notebook.list(limit: 100).count == min(notes, 100) else {
      throw BenchError("a list lacks notes")
    }
    latencies.append(nanoseconds(ContinuousClock.now - start))
  }
  let events = try await notebook.store.status().events
  try await notebook.close()
  var line = JSONLine()
  line.add("daybook", "notes")
  line.add("opened_s", seconds: opened)
  line.add("first_100_s", seconds: first)
  line.add("all_listed_s", seconds: listed)
  line.add("complete_s", seconds: complete)
  line.add("lists_shown", updates)
  line.add("events", events)
  line.add("peak_memory_kib", peakMemory())
  line.add(latencies)
  line.write()
}
