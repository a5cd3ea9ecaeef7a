import Daybook
import DaybookCBaseline
import DaybookEventCore
import DaybookTexts
import Foundation

/// A note with a body that merges and is searched, as an app's type.
private struct Page: Entity {
  static let collection = "pages"
  static let fields: [EntityField<Page>] = [
    .field("title", \.title).searchable(weight: 2), .field("body", \.body).searchable().merging(),
    .field("pinned", \.pinned).indexed(),
  ]
  var id = ID()
  var title = ""
  var body = ""
  var pinned = false
}

/// `daybook texts FOLDER`: measures texts that merge; with `--only PART` one of keystrokes, merges,
/// openings, searches and undos.
func daybookTexts(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"), isDirectory: true)
  let count = try words.number("count", default: 500)
  let only = words.text("only")
  try words.finish()
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  if only == nil || only == "keystrokes" {
    for bytes in [10_000, 100_000, 1_000_000] { try await measureKeystrokes(folder, bytes, count) }
  }
  if only == nil || only == "merges" { try await measureMerges(folder, edits: 1000) }
  if only == nil || only == "openings" { try await measureOpenings(folder, count) }
  if only == nil || only == "undos" { try await measureUndos(folder, edits: 10_000) }
  if only == nil || only == "searches" { try await measureSearches(folder, notes: 5000) }
}

/// Measures one keystroke in a text, until it is durable, projected and delivered to an observer of
/// its entity, in turns with an append and `fdatasync`.
private func measureKeystrokes(_ folder: URL, _ bytes: Int, _ count: Int) async throws {
  let store = try await Store.open(
    at: folder.appending(path: "keystrokes-\(bytes)"), schema: [Page.self])
  let page = Page(title: "A page", body: prose(bytes))
  try await store.write { try $0.insert(page) }
  let payload = [UInt8](repeating: 7, count: 250)
  guard
    let file = baseline_file_open(
      folder.path() + "/keystrokes", UInt64(payload.count * (count + 1)), baseline_file_reserved)
  else { throw BenchError.baseline() }
  defer { baseline_file_close(file) }
  var (raw, written, observed) = (Latencies(), Latencies(), Latencies())
  var values = store.observe(page.id).makeAsyncIterator()
  var length = try await values.next()??.body.utf8.count ?? 0
  var random = Scatter(seed: bytes)
  var place = length / 2
  for number in 0..<count {
    // The writer goes to another place now and then.
    if number % 50 == 0 { place = Int(random.next() % UInt64(length)) }
    let elapsed = baseline_file_commit(file, payload, payload.count)
    guard elapsed >= 0 else { throw BenchError.baseline() }
    raw.append(elapsed)
    let at = place
    let start = ContinuousClock.now
    try await store.write { try $0.edit(page.id, \.body) { try $0.insert("e", at: at) } }
    written.append(nanoseconds(ContinuousClock.now - start))
    while let body = try await values.next()??.body.utf8.count, body <= length {}
    observed.append(nanoseconds(ContinuousClock.now - start))
    length += 1
    place += 1
  }
  var line = JSONLine()
  line.add("baseline", "commit_write_fdatasync")
  line.add(raw)
  line.write()
  report("keystroke_written", bytes, written)
  report("keystroke_observed", bytes, observed)
  try await store.close()
}

/// Measures what a store takes to merge edits that another store has made meanwhile.
private func measureMerges(_ folder: URL, edits: Int) async throws {
  let bytes = 100_000
  let (here, there) = (
    try await Store.open(at: folder.appending(path: "merges-here"), schema: [Page.self]),
    try await Store.open(at: folder.appending(path: "merges-there"), schema: [Page.self])
  )
  let page = Page(title: "A page", body: prose(bytes))
  try await here.write { try $0.insert(page) }
  _ = try await here.syncOnce(with: StorePeer(there))
  var (merged, first) = (Latencies(), Latencies())
  for round in 0..<5 {
    for (author, store) in [here, there].enumerated() {
      var random = Scatter(seed: round * 2 + author)
      var place = 0
      for number in 0..<edits {
        if number % 20 == 0 { place = Int(random.next() % UInt64(bytes)) }
        let at = place
        try await store.write { try $0.edit(page.id, \.body) { try $0.insert("x", at: at) } }
        place += 1
      }
    }
    var start = ContinuousClock.now
    _ = try await here.syncOnce(with: StorePeer(there))
    merged.append(nanoseconds(ContinuousClock.now - start))
    let (a, b) = (try await here.fetch(page.id)?.body, try await there.fetch(page.id)?.body)
    guard a == b, a != nil else { throw BenchError("two stores have different texts") }
    // The same number of edits, which only one of them has made.
    for _ in 0..<edits {
      try await here.write { try $0.edit(page.id, \.body) { try $0.insert("y", at: 5) } }
    }
    start = ContinuousClock.now
    _ = try await here.syncOnce(with: StorePeer(there))
    first.append(nanoseconds(ContinuousClock.now - start))
  }
  report("merge_\(edits)_edits_against_\(edits)", bytes, try pureMerges(bytes, edits))
  report("sync_\(edits)_edits_against_\(edits)", bytes, merged)
  report("sync_\(edits)_edits_of_one", bytes, first)
  try await here.close()
  try await there.close()
}

/// Measures the undo of many edits at once, their redo, and the undo of one of them; and one more
/// edit beside them, which the undos must not make slower.
private func measureUndos(_ folder: URL, edits: Int) async throws {
  let bytes = 100_000
  let store = try await Store.open(at: folder.appending(path: "undos"), schema: [Page.self])
  let page = Page(title: "A page", body: prose(bytes))
  let start = try await store.write { tx in
    try tx.insert(page)
    return tx.event
  }
  var random = Scatter(seed: edits)
  var last = start
  for _ in 0..<edits {
    let at = Int(random.next() % UInt64(bytes / 2))
    last = try await store.write(actor: "ann") { tx in
      try tx.edit(page.id, \.body) { try $0.insert("x", at: at) }
      return tx.event
    }
  }
  var (undone, redone, one, after) = (Latencies(), Latencies(), Latencies(), Latencies())
  for _ in 0..<5 {
    var begin = ContinuousClock.now
    let undo = try await store.undo(by: "ann", since: .event(start))
    undone.append(nanoseconds(ContinuousClock.now - begin))
    guard let undo, try await store.fetch(page.id)?.body == page.body else {
      throw BenchError("the undo has left edits in the text")
    }
    begin = ContinuousClock.now
    try await store.undo(undo)
    redone.append(nanoseconds(ContinuousClock.now - begin))
    begin = ContinuousClock.now
    try await store.undo(last)
    one.append(nanoseconds(ContinuousClock.now - begin))
    try await store.redo(last)
    begin = ContinuousClock.now
    try await store.write { try $0.edit(page.id, \.body) { try $0.insert("y", at: 0) } }
    after.append(nanoseconds(ContinuousClock.now - begin))
    let edit = try await store.events(EventQuery(limit: 1, isNewestFirst: true)).all()
    for event in edit { try await store.undo(event.id) }
  }
  report("undo_of_\(edits)_edits", bytes, undone)
  report("redo_of_\(edits)_edits", bytes, redone)
  report("undo_of_one_of_\(edits)_edits", bytes, one)
  report("edit_after_undos", bytes, after)
  try await store.close()
}

/// Measures the merge alone: into a text that has the edits of one author come those of another.
private func pureMerges(_ bytes: Int, _ edits: Int) throws -> Latencies {
  let text = Array(prose(bytes).utf8)
  var latencies = Latencies()
  for round in 0..<20 {
    var (alone, both) = (TextMerge(authorCount: 1), TextMerge(authorCount: 2))
    add(edits, of: 0, seed: round * 2, text.count, to: &alone)
    add(edits, of: 0, seed: round * 2, text.count, to: &both)
    add(edits, of: 1, seed: round * 2 + 1, text.count, to: &both)
    let own = text.withUnsafeBytes {
      alone.merged(length: text.count) { _, _ in [] }.text(base: $0)
    }
    let start = ContinuousClock.now
    let merged = both.merged(known: [edits, 0], length: own.count) { _, _ in [] }
    let after = own.withUnsafeBytes { merged?.text(base: $0) }
    latencies.append(nanoseconds(ContinuousClock.now - start))
    guard after?.count == text.count + 2 * edits else {
      throw BenchError("a merge has lost a character")
    }
  }
  return latencies
}

/// Adds edits of one character each, in runs of twenty, to a text of `length` characters.
private func add(
  _ count: Int, of author: Int, seed: Int, _ length: Int, to merge: inout TextMerge
) {
  var random = Scatter(seed: seed)
  var place = 0
  for number in 0..<count {
    if number % 20 == 0 { place = Int(random.next() % UInt64(length)) }
    TextScript([.retain(place), .insert("x")]).encoded.withUnsafeBytes {
      merge.add(author: author, sequence: UInt64(number + 1), script: $0)
    }
    place += 1
  }
}

/// Measures reading an entity with a long text that has many edits.
private func measureOpenings(_ folder: URL, _ count: Int) async throws {
  let bytes = 100_000
  let store = try await Store.open(at: folder.appending(path: "openings"), schema: [Page.self])
  let page = Page(title: "A page", body: prose(bytes))
  try await store.write { try $0.insert(page) }
  for number in 0..<10 {
    try await store.write { tx in
      for _ in 0..<100 { try tx.edit(page.id, \.body) { try $0.insert("z", at: number) } }
    }
  }
  var opened = Latencies()
  for _ in 0..<count {
    let start = ContinuousClock.now
    let note = try await store.fetch(page.id)
    opened.append(nanoseconds(ContinuousClock.now - start))
    guard note != nil else { throw BenchError("the page is missing") }
  }
  report("open_text", bytes, opened)
  try await store.close()
}

/// Measures searches as one types, among notes of which one is long: each beginning of words that
/// the long one has hundreds of thousands of times, or once, near its end.
private func measureSearches(_ folder: URL, notes: Int) async throws {
  let bytes = 32 << 20
  let store = try await Store.open(at: folder.appending(path: "searches"), schema: [Page.self])
  let pages = (0..<notes).map { Page(title: "Note \($0)", body: Note(number: $0).body) }
  try await store.write { try $0.insert(pages) }
  let long = Page(title: "A long note")
  try await store.write { try $0.insert(long) }
  // An event has at most 16 MiB.
  for text in [String](repeating: prose(bytes / 4), count: 4) + ["a needle in prose"] {
    try await store.write { tx in try tx.edit(long.id, \.body) { $0.append(text) } }
  }
  let first = ContinuousClock.now
  guard try await store.search("needle").first?.snippet.contains("[needle]") == true else {
    throw BenchError("the long note is not found")
  }
  let indexed = nanoseconds(ContinuousClock.now - first)
  for word in ["sentence", "number", "words", "needle"] {
    var latencies = Latencies()
    for length in 1...word.count {
      for _ in 0..<5 {
        let start = ContinuousClock.now
        _ = try await store.search("\(word.prefix(length))*")
        latencies.append(nanoseconds(ContinuousClock.now - start))
      }
    }
    report("search_typed_\(word)", bytes, latencies)
  }
  var line = JSONLine()
  line.add("daybook", "search_after_insert")
  line.add("text_bytes", bytes)
  line.add("ns", indexed)
  line.write()
  try await store.close()
}

private func report(_ name: String, _ bytes: Int, _ latencies: Latencies) {
  var line = JSONLine()
  line.add("daybook", name)
  line.add("text_bytes", bytes)
  line.add(latencies)
  line.write()
}

/// A text of about so many bytes, the same in each run.
private func prose(_ bytes: Int) -> String {
  var text = ""
  var number = 0
  while text.utf8.count < bytes {
    text += Note(number: number).body + (number % 5 == 4 ? ".\n\n" : ". ")
    number += 1
  }
  return text
}
