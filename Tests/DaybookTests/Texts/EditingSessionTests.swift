import DaybookEventCore
import DaybookLogEngine
import DaybookSimulation
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Editing sessions: what is typed is in the text at once, becomes few events, and merges.
@Suite(.timeLimit(.minutes(10))) struct EditingSessionTests {
  private let place: SyncPlace
  private let clock = ManualClock()

  init() throws { place = try SyncPlace() }

  private static let notes = Definition(
    "notes", [.text("title"), .text("body").merging(), .text("code").unique(), .integer("count")])

  private func store(_ name: String = "a", body: String = "milk") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      try tx.define(Self.notes)
      try tx.insert("notes", "n1", ["body": .text(body), "code": "one"])
    }
    return store
  }

  private func session(_ store: Store, text field: String = "body") async throws -> EditingSession {
    var options = EditingSession.Options(actor: "ann", label: "typing")
    options.clock = clock
    return try await store.editingSession("notes", "n1", text: field, options: options)
  }

  private func body(_ store: Store, _ field: String = "body") async throws -> Value? {
    try await store.fetch("notes", "n1")?[field]
  }

  /// Waits until a session's state meets a condition.
  private func wait(
    _ session: EditingSession, until isMet: (EditingSession.State) -> Bool
  ) async throws -> EditingSession.State {
    for await state in session.states where isMet(state) { return state }
    let state = session.state
    try #require(isMet(state), "\(state)")
    return state
  }

  @Test("keystrokes take effect at once, and become one event after a pause")
  func pause() async throws {
    defer { place.remove() }
    let store = try await store()
    let session = try await session(store)
    for (index, letter) in "oat ".enumerated() { try session.insert("\(letter)", at: index) }
    #expect(session.text == "oat milk")
    #expect(session.state.unsaved == 4 && !session.state.isSaved)
    clock.advance(by: .milliseconds(900))
    try session.delete(0..<1)
    try session.insert("O", atUTF16: 0)
    // The pause begins again with each keystroke.
    clock.advance(by: .milliseconds(900))
    clock.advance(by: .milliseconds(100))
    let state = try await wait(session) { $0.isSaved }
    #expect(state.written == 6 && state.unsaved == 0 && state.problem == nil)
    #expect(try await body(store) == "Oat milk")
    let history = try await store.history(of: "notes", "n1")
    #expect(history.map(\.kind) == [.insert, .edit])
    #expect(history.last?.event == state.lastEvent && history.last?.actor == "ann")
    #expect(history.last?.label == "typing")
    try await session.close()
    #expect(session.state.isClosed)
    try await store.close()
  }

  @Test("those who type without a pause have it written after a while, and when it is much")
  func limits() async throws {
    defer { place.remove() }
    let store = try await store(body: "")
    var options = EditingSession.Options()
    (options.clock, options.editsMax, options.bytesMax) = (clock, 30, 100)
    let session = try await store.editingSession("notes", "n1", text: "body", options: options)
    for number in 0..<10 {
      try session.insert("a", at: number)
      clock.advance(by: .milliseconds(510))
    }
    _ = try await wait(session) { $0.written >= 10 }
    for _ in 0..<30 { try session.insert("b", at: 0) }
    _ = try await wait(session) { $0.written >= 40 }
    try session.insert(String(repeating: "c", count: 100), at: 0)
    _ = try await wait(session) { $0.isSaved }
    #expect(try await store.history(of: "notes", "n1").count == 4)
    try await store.close()
  }

  @Test("flush, close, a released session and a store that is closed write what was typed")
  func ends() async throws {
    defer { place.remove() }
    let store = try await store(body: "")
    let first = try await session(store)
    try first.insert("1", at: 0)
    try await first.flush()
    #expect(try await body(store) == "1" && first.state.isSaved)
    try await first.flush()
    try first.insert("2", at: 1)
    try await first.close()
    #expect(try await body(store) == "12")
    #expect(throws: StoreError.self) { try first.insert("x", at: 0) }
    #expect(first.text == "12")
    try await first.close()
    do {
      let second = try await session(store)
      try second.insert("3", at: 2)
    }
    var texts = store.observe("notes", "n1", text: "body").makeAsyncIterator()
    while let change = try await texts.next(), change.text != "123" {}
    let third = try await session(store)
    try third.insert("4", at: 3)
    try await store.close()
    #expect(third.state.isSaved && third.state.isClosed)
    let again = try await Store.open(at: store.url)
    #expect(try await body(again) == "1234")
    // A store that is closed without waiting says what is not written.
    let fourth = try await session(again)
    try fourth.insert("5", at: 4)
    try await Blocking.run { try again.core.close() }
    #expect(fourth.state.problem?.code == .closed && fourth.state.unsaved == 1)
    #expect(fourth.text == "12345")
    #expect(throws: StoreError.self) { try fourth.insert("6", at: 0) }
    await #expect(throws: StoreError.self) { try await fourth.flush() }
    await #expect(throws: StoreError.self) { try await fourth.close() }
  }

  @Test("what others write comes in the session's own places, and what was typed stays")
  func remote() async throws {
    defer { place.remove() }
    let store = try await store()
    let session = try await session(store)
    var changes = session.changes.makeAsyncIterator()
    try session.insert("oat ", at: 0)
    try await store.write { try $0.edit("notes", "n1", "body") { $0.append("!") } }
    let first = try #require(await changes.next())
    #expect(first.previous == "oat milk" && first.text == "oat milk!")
    #expect(first.edits == TextScript([.retain(8), .insert("!")]))
    #expect(session.text == "oat milk!" && session.state.unsaved == 1)
    // What nobody has taken is not in the session's text, but is in the store's.
    try await store.write { try $0.edit("notes", "n1", "body") { try $0.delete(0..<2) } }
    try session.insert("m", at: 4)
    try await session.flush()
    #expect(session.text == "oat mmilk!")
    #expect(try await body(store) == "oat mlk!")
    let second = try #require(await changes.next())
    #expect(second.text == "oat mlk!" && session.text == "oat mlk!")
    #expect(second.edits == TextScript([.retain(5), .delete(2)]))
    #expect(second.position(of: 5) == 5 && second.position(of: 10) == 8)
    // Own events are no news.
    try session.insert("i", at: 5)
    try await session.flush()
    #expect(session.text == "oat milk!")
    try await session.close()
    #expect(await changes.next() == nil)
    try await store.close()
  }

  @MainActor private final class Editor {
    var text = ""
    var isDone = false
  }

  @Test("an editor on one actor and its session have the same text at every keystroke")
  @MainActor func actor() async throws {
    defer { place.remove() }
    let store = try await store(body: "")
    let session = try await session(store)
    let editor = Editor()
    let loop = Task { @MainActor in
      for await change in session.changes {
        editor.text = change.edits.applied(to: editor.text) ?? "?"
        #expect(editor.text == session.text)
      }
      editor.isDone = true
    }
    let others = Task.detached {
      for _ in 0..<60 {
        try await store.write { try $0.edit("notes", "n1", "body") { $0.append("x") } }
      }
    }
    for number in 0..<300 {
      #expect(editor.text == session.text)
      let place = editor.text.isEmpty ? 0 : number % editor.text.count
      try session.insert("o", at: place)
      editor.text.insert("o", at: editor.text.index(editor.text.startIndex, offsetBy: place))
      if number % 10 == 0 { try await session.flush() } else { await Task.yield() }
    }
    try await others.value
    try await session.flush()
    while session.text.count < 360 { await Task.yield() }
    #expect(editor.text == session.text)
    #expect(try await body(store) == .text(session.text))
    try await session.close()
    await loop.value
    try await store.close()
  }

  @Test("two sessions, transactions and another replica converge, and no typed text is lost")
  func converges() async throws {
    defer { place.remove() }
    for seed in 0..<4 {
      var random = SplitMix64(seed: UInt64(seed))
      let a = try await store("a\(seed)", body: "start")
      let b = try await place.store("b\(seed)")
      try await a.syncOnce(with: StorePeer(b))
      let beside = try await Store.open(at: a.url)
      let sessions = [
        try await session(a), try await session(a), try await session(b),
        try await session(beside),
      ]
      var iterators = sessions.map { $0.changes.makeAsyncIterator() }
      var typed: [String] = []
      for step in 0..<150 {
        let number = Int.random(in: 0..<4, using: &random)
        let session = sessions[number]
        let length = session.text.unicodeScalars.count
        let at = Int.random(in: 0...length, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0...3:
          // One letter that no one deletes, so that each can be counted.
          let letter = String(Unicode.Scalar(0x4E00 + UInt32(step)) ?? "?")
          typed.append(letter)
          try session.insert(letter, at: at)
        case 4:
          let old = session.text.unicodeScalars
          if let first = old.firstIndex(where: { $0.isASCII }) {
            try session.delete(
              old.distance(from: old.startIndex, to: first)..<old.distance(
                from: old.startIndex, to: first) + 1)
          }
        case 5: try await session.flush()
        case 6:
          let letter = String(Unicode.Scalar(0x4E00 + UInt32(step)) ?? "?")
          typed.append(letter)
          let store = [a, b][number % 2]
          try await store.write { try $0.edit("notes", "n1", "body") { $0.append(letter) } }
        default: try await a.syncOnce(with: StorePeer(b))
        }
        if Int.random(in: 0..<3, using: &random) == 0 { clock.advance(by: .milliseconds(700)) }
      }
      for session in sessions { try await session.flush() }
      try await a.syncOnce(with: StorePeer(b))
      let text = try #require(try await body(a)?.text)
      #expect(try await body(b)?.text == text)
      for (number, session) in sessions.enumerated() {
        while session.text != text { _ = try #require(await iterators[number].next()) }
      }
      for letter in typed {
        #expect(text.unicodeScalars.count { String($0) == letter } == 1, "seed \(seed)")
      }
      try await place.close([beside, a, b])
    }
  }

  /// A type with a text that merges.
  private struct Page: Entity {
    static let collection = "pages"
    static let fields: [EntityField<Page>] = [
      .field("body", \.body).formerly("text").merging(), .field("title", \.title),
    ]
    var id = ID()
    var body = ""
    var title = ""
    var headline: String { title }
  }

  @Test("texts of an app's types are edited, observed and anchored by their properties")
  func typed() async throws {
    let store = try await Store.inMemory(schema: [Page.self])
    let page = Page(body: "milk")
    try await store.write { try $0.insert(page) }
    var changes = store.observe(page.id, text: \.body).makeAsyncIterator()
    #expect(try await changes.next()?.text == "milk")
    let session = try await store.editingSession(page.id, text: \.body)
    try session.edit { try $0.insert("oat ", at: $0.text.startIndex) }
    try await session.close()
    #expect(try await changes.next()?.edits == TextScript([.insert("oat ")]))
    let anchor = try await store.anchor(at: 4, in: page.id, text: \.body)
    try await store.write { try $0.update(page.id) { $0.body = "cold oat milk" } }
    #expect(try await store.places(of: [anchor], in: page.id, text: \.body) == [.at(9)])
    for call: @Sendable () async throws -> Void in [
      { _ = try await store.editingSession(page.id, text: \.headline) },
      { _ = try await store.anchor(at: 0, in: page.id, text: \.headline) },
      { _ = try await store.places(of: [], in: page.id, text: \.headline) },
      {
        for try await _ in store.observe(page.id, text: \.headline) {
          Issue.record("a property that is no field has a text")
        }
      },
    ] {
      let error = await #expect(throws: StoreError.self) { try await call() }
      #expect(error?.code == .unknownName)
    }
    try await store.close()
  }

  @Test("an entity that is deleted meanwhile keeps what was typed, for its restoration")
  func deleted() async throws {
    defer { place.remove() }
    let store = try await store()
    let session = try await session(store)
    var changes = session.changes.makeAsyncIterator()
    try await store.write { try $0.delete("notes", "n1") }
    #expect(await changes.next()?.kind == .missing)
    try session.insert("oat ", at: 0)
    let error = await #expect(throws: StoreError.self) { try await session.flush() }
    #expect(error?.code == .noSuchEntity)
    #expect(session.state.problem?.code == .noSuchEntity && session.state.unsaved == 1)
    #expect(session.text == "oat milk")
    try await store.write { tx in
      try tx.restore("notes", "n1")
      try tx.edit("notes", "n1", "body") { $0.append("!") }
    }
    _ = try await wait(session) { $0.isSaved && $0.problem == nil }
    #expect(try await body(store) == "oat milk!")
    #expect(await changes.next()?.text == "oat milk!")
    try await store.close()
  }

  @Test("a text that is assigned anew meanwhile has what was typed, too")
  func replaced() async throws {
    defer { place.remove() }
    let store = try await store()
    let session = try await session(store)
    var changes = session.changes.makeAsyncIterator()
    try session.insert("oat ", at: 0)
    try await store.write { tx in
      try tx.delete("notes", "n1")
      try tx.insert("notes", "n1", ["body": "soy milk"])
    }
    let change = try #require(await changes.next())
    #expect(change.kind == .replaced && change.text == session.text)
    #expect(session.text.contains("oat ") && session.text.contains("soy "))
    try await session.flush()
    #expect(try await body(store) == .text(session.text))
    try await store.close()
  }

  @Test("a text that the store refuses is kept, and written when it no longer clashes")
  func refused() async throws {
    defer { place.remove() }
    let store = try await store()
    try await store.write { try $0.insert("notes", "n2", ["code": "two"]) }
    let session = try await session(store, text: "code")
    try session.replace(0..<3, with: "two")
    let error = await #expect(throws: StoreError.self) { try await session.flush() }
    #expect(error?.code == .valueTaken && session.state.problem?.code == .valueTaken)
    #expect(session.state.unsaved == 1 && session.text == "two")
    try session.insert("!", at: 3)
    // The next attempt comes by itself.
    clock.advance(by: .seconds(2))
    _ = try await wait(session) { $0.isSaved && $0.problem == nil }
    #expect(try await body(store, "code") == "two!")
    try await store.close()
  }

  @Test("what cannot be written now is written later, without a call")
  func locked() async throws {
    defer { place.remove() }
    try await store().close()
    var options = Store.Options()
    options.lockTimeout = .zero
    let store = try await Store.open(at: place.folder.appending(path: "a"), options: options)
    let session = try await session(store)
    let lock = CommitLock(folder: StoreFiles(folder: store.url).path)
    try lock.lock(timeout: .zero)
    try session.insert("oat ", at: 0)
    clock.advance(by: .seconds(1))
    let failed = try await wait(session) { $0.problem != nil }
    #expect(failed.problem?.code == .locked && failed.unsaved == 1)
    lock.unlock()
    clock.advance(by: .seconds(1))
    let saved = try await wait(session) { $0.isSaved }
    #expect(saved.problem == nil)
    #expect(try await body(store) == "oat milk")
    try await store.close()
  }

  @Test("bad places, large texts and fields that are no texts are refused, and change nothing")
  func refusals() async throws {
    defer { place.remove() }
    let store = try await store(body: "a😀\r\nb")
    let session = try await session(store)
    let text = session.text
    for place in [-1, 6, Int.max, Int.min] {
      #expect(throws: StoreError.self) { try session.insert("x", at: place) }
      #expect(throws: StoreError.self) { try session.insert("x", atUTF16: place == 6 ? 7 : place) }
    }
    #expect(throws: StoreError.self) { try session.insert("x", atUTF16: 2) }
    #expect(throws: StoreError.self) { try session.delete(utf16: 0..<2) }
    #expect(throws: StoreError.self) { try session.delete(3..<9) }
    #expect(throws: StoreError.self) { try session.delete(0..<Int.max) }
    #expect(throws: StoreError.self) { try session.apply(TextScript([.retain(9), .insert("x")])) }
    let large = String(repeating: "x", count: 16 << 20)
    let error = #expect(throws: StoreError.self) { try session.insert(large, at: 0) }
    #expect(error?.code == .tooLarge)
    #expect(throws: StoreError.self) { try session.edit { $0.append(large) } }
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try session.edit { text in
        text.append("y")
        throw Refusal()
      }
    }
    #expect(session.text == text && session.state == EditingSession.State())
    // Within one character of Swift's, between two scalars, is a place.
    try session.insert("x", at: 3)
    #expect(session.text.unicodeScalars.elementsEqual("a😀\rx\nb".unicodeScalars))
    // Three large pastes are more than one event can hold.
    let paste = String(repeating: "y", count: 7 << 20)
    for _ in 0..<3 { try session.insert(paste, at: 0) }
    try await session.flush()
    #expect(try await body(store)?.text == session.text)
    for (collection, id, field, code) in [
      ("notes", "n2", "body", StoreError.Code.noSuchEntity), ("notes", "n1", "count", .wrongType),
      ("notes", "n1", "nothing", .unknownName), ("nothing", "n1", "body", .unknownName),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await store.editingSession(collection, id, text: field)
      }
      #expect(error?.code == code)
    }
    try await store.close()
    let closed = await #expect(throws: StoreError.self) {
      try await store.editingSession("notes", "n1", text: "body")
    }
    #expect(closed?.code == .closed)
    let reading = try await Store.open(at: store.url, options: .init(isReadOnly: true))
    let refused = await #expect(throws: StoreError.self) {
      try await reading.editingSession("notes", "n1", text: "body")
    }
    #expect(refused?.code == .readOnly)
    try await reading.close()
  }
}

extension Value {
  fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
