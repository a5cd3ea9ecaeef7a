import Daybook
import DaybookInterchange
import Foundation
import Testing

/// Files that an app imports and exports, through the public calls of the library.
@Suite struct FileImportTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "interchange-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func store() async throws -> Store {
    try await Store.inMemory()
  }

  private func write(_ text: String, _ name: String) throws -> URL {
    let url = folder.appending(path: name)
    try Data(text.utf8).write(to: url)
    return url
  }

  @Test("a table becomes a collection, and the report says what was done")
  func table() async throws {
    let books = try write(
      "isbn,title,pages\n1,Emma,474\n2,Persuasion,249\n", "books.csv")
    let store = try await store()
    var options = ImportOptions()
    options.tables.id = "isbn"
    let report = try await store.importFile(at: books, options: options)
    #expect(report.operations == 3 && report.events == 1 && report.lastLine == 3)
    #expect(try await store.fetch("books", "2")?["pages"] == .integer(249))
    // The same content again is an error, unless it is asked for.
    let again = await #expect(throws: ImportError.self) {
      try await store.importFile(at: books, options: options)
    }
    #expect(again?.code == .importedBefore && again?.lastLine == 3)
    options.start = .resuming
    #expect(try await store.importFile(at: books, options: options).operations == 0)
    try await store.close()
  }

  @Test("a wrong line ends the import, says its place, and leaves what came before")
  func wrongLine() async throws {
    let lines = try write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}
      {"op":"insert","collection":"notes","id":"a","fields":{"title":"A"}}
      {"op":"insert","collection":"notes","id":"b","fields":{"title":7}}
      """, "notes.ndjson")
    let store = try await store()
    var options = ImportOptions()
    options.operationsPerEvent = 1
    let error = try #require(
      await #expect(throws: ImportError.self) {
        try await store.importFile(at: lines, options: options)
      })
    #expect(error.place?.hasSuffix("notes.ndjson:3") == true && error.lastLine == 2, "\(error)")
    #expect(error.description.contains("title"), "\(error)")
    #expect(try await store.fetch("notes", "a") != nil)
    // The corrected file is another content; the import begins behind what is there.
    let corrected = try write(
      """
      {"op":"define","collection":"notes","fields":[{"name":"title","type":"text"}]}
      {"op":"insert","collection":"notes","id":"a","fields":{"title":"A"}}
      {"op":"insert","collection":"notes","id":"b","fields":{"title":"B"}}
      """, "corrected.ndjson")
    options.start = .line(3)
    #expect(try await store.importFile(at: corrected, options: options).operations == 1)
    #expect(try await store.fetch("notes", "b") != nil)
    try await store.close()
  }

  @Test("a missing file, a folder and a text in UTF-16 are errors that name them")
  func unreadable() async throws {
    let store = try await store()
    let wide = folder.appending(path: "wide.csv")
    try #require("a,b\n".data(using: .utf16)).write(to: wide)
    for (url, code) in [
      (folder.appending(path: "missing"), ImportError.Code.unreadable), (folder, .unusable),
      (wide, .unusable),
    ] {
      let error = await #expect(throws: ImportError.self) { try await store.importFile(at: url) }
      #expect(error?.code == code && error?.message.contains(url.lastPathComponent) == true)
    }
    try await store.close()
  }

  @Test("a cancelled import stores whole events, and can be resumed")
  func cancelled() async throws {
    let count = 20_000
    var text = #"{"op":"define","collection":"notes","fields":[{"name":"n","type":"integer"}]}"#
    for number in 1..<count {
      text +=
        "\n"
        + #"{"op":"insert","collection":"notes","id":"n\#(number)","fields":{"n":\#(number)}}"#
    }
    let file = try write(text, "many.ndjson")
    let store = try await store()
    var options = ImportOptions()
    options.operationsPerEvent = 10
    let (begun, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task { [options] in
      try await store.importFile(at: file, options: options) { _ in continuation.yield() }
    }
    for await _ in begun { break }
    task.cancel()
    let error = await #expect(throws: ImportError.self) { try await task.value }
    #expect(error?.code == .stopped && error?.lastLine ?? count < count)
    options.start = .resuming
    let report = try await store.importFile(at: file, options: options)
    #expect(report.lastLine == count)
    for number in [1, count / 2, count - 1] {
      #expect(try await store.fetch("notes", "n\(number)")?["n"] == .integer(Int64(number)))
    }
    try await store.close()
  }

  @Test("an exported state, imported into an empty store, exports the same bytes")
  func state() async throws {
    let store = try await store()
    try await store.write { tx in
      try tx.define(
        Definition("notes", [.text("title").searchable(), .timestamp("due")]))
      try tx.insert(
        "notes", "ä\u{0}b", ["title": .text("e\u{301}"), "due": .timestamp(253_402_300_799_999)])
      try tx.insert("notes", "plain", ["title": .text("")])
    }
    let first = folder.appending(path: "first.ndjson")
    #expect(try await store.exportState(to: first).count == 2)
    let copy = try await self.store()
    try await copy.importFile(at: first)
    let second = folder.appending(path: "second.ndjson")
    try await copy.exportState(to: second)
    #expect(try Data(contentsOf: first) == Data(contentsOf: second))
    // Events keep their number, and the state is the same.
    let events = folder.appending(path: "events.ndjson")
    let count = try await store.exportEvents(to: events).count
    let replayed = try await self.store()
    var options = ImportOptions()
    options.format = .events
    #expect(try await replayed.importFile(at: events, options: options).operations > 0)
    #expect(count >= 1)
    try await replayed.exportState(to: second)
    #expect(try Data(contentsOf: first) == Data(contentsOf: second))
    for store in [store, copy, replayed] { try await store.close() }
  }

  @Test("an export that fails leaves the file that was there, and nothing beside it")
  func failedExport() async throws {
    let store = try await store()
    let file = try write("old", "old.ndjson")
    let before = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    await #expect(throws: StoreError.self) {
      try await store.exportState(to: file, collections: ["nots"])
    }
    #expect(try Data(contentsOf: file) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == before)
    let nowhere = folder.appending(path: "no/such/folder/file")
    let error = await #expect(throws: StoreError.self) { try await store.exportState(to: nowhere) }
    #expect(error?.code == .ioFailed)
    try await store.close()
  }
}
