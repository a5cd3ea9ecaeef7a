import DaybookEventCore
import DaybookSimulation
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

/// Anchors: places that go with their characters.
@Suite(.timeLimit(.minutes(10))) struct TextAnchorTests {
  private let place: SyncPlace

  init() throws { place = try SyncPlace() }

  private func store(_ name: String = "a", body: String = "milk") async throws -> Store {
    let store = try await place.store(name)
    try await store.write { tx in
      try tx.define(LiveTextTests.notes)
      try tx.define(Definition("comments", [.text("place"), .text("text")]))
      try tx.insert("notes", "n1", ["body": .text(body)])
    }
    return store
  }

  private func edit(
    _ store: Store, _ change: @escaping @Sendable (inout EditableText) throws -> Void
  )
    async throws
  {
    try await store.write { try $0.edit("notes", "n1", "body", change) }
  }

  private func places(_ anchors: [TextAnchor], _ store: Store) async throws -> [TextAnchor.Place] {
    try await store.places(of: anchors, in: "notes", "n1", text: "body")
  }

  private func anchor(_ place: Int, _ bias: TextAnchor.Bias, _ store: Store) async throws
    -> TextAnchor
  {
    try await store.anchor(at: place, in: "notes", "n1", text: "body", bias: bias)
  }

  @Test("an anchor goes with its character, and stays where that was deleted")
  func follows() async throws {
    defer { place.remove() }
    let store = try await store()
    try await edit(store) { try $0.insert("oat ", at: 0) }
    let before = try await anchor(4, .before, store)
    let after = try await anchor(4, .after, store)
    #expect(before != after && before.bias == .before && after.bias == .after)
    try await edit(store) { try $0.insert("cold ", at: 4) }
    #expect(try await places([before, after], store) == [.at(4), .at(9)])
    try await edit(store) { try $0.delete(2..<10) }
    #expect(try await places([before, after], store) == [.deleted(at: 2), .deleted(at: 2)])
    #expect(try await places([after], store)[0].position == 2)
    try await store.close()
  }

  @Test("anchors at the beginning and the end of a text stay there, in an empty text, too")
  func ends() async throws {
    defer { place.remove() }
    let store = try await store(body: "")
    let (start, end) = (try await anchor(0, .before, store), try await anchor(0, .after, store))
    try await edit(store) { $0.append("milk") }
    #expect(try await places([start, end], store) == [.at(0), .at(4)])
    let last = try await anchor(4, .before, store)
    try await edit(store) { $0.append("!") }
    #expect(try await places([last, end], store) == [.at(4), .at(5)])
    try await store.close()
  }

  @Test("an anchor in a field is the same after a sync, a rebuild and another opening")
  func outlives() async throws {
    defer { place.remove() }
    let a = try await store()
    let b = try await place.store("b")
    try await edit(a) { $0.append(" bread") }
    let anchor = try await anchor(5, .after, a)
    try await a.write { try $0.insert("comments", "c1", ["place": anchor.storedValue]) }
    try await a.syncOnce(with: StorePeer(b))
    try await edit(b) { try $0.insert("oat ", at: 0) }
    try await a.syncOnce(with: StorePeer(b))
    for store in [a, b] {
      try await store.rebuild()
      guard case .text(let text)? = try await store.fetch("comments", "c1")?["place"] else {
        Issue.record("the comment has no place")
        continue
      }
      let read = try #require(TextAnchor(text))
      #expect(read == anchor && text.utf8.count < 80)
      #expect(try await places([read], store) == [.at(9)])
    }
    let encoded = try JSONEncoder().encode([anchor])
    #expect(try JSONDecoder().decode([TextAnchor].self, from: encoded) == [anchor])
    try await place.close([a, b])
    let again = try await Store.open(at: a.url)
    #expect(try await places([anchor], again) == [.at(9)])
    try await again.close()
  }

  @Test("an anchor of a text that was assigned anew, or has not come yet, says so")
  func outcomes() async throws {
    defer { place.remove() }
    let a = try await store()
    let b = try await place.store("b")
    try await a.syncOnce(with: StorePeer(b))
    try await edit(a) { $0.append("!") }
    let fresh = try await anchor(5, .before, a)
    let old = try await anchor(2, .before, a)
    #expect(try await places([fresh, old], b) == [.unknown, .at(2)])
    try await a.write { tx in
      try tx.delete("notes", "n1")
      try tx.insert("notes", "n1", ["body": "new"])
    }
    #expect(try await places([fresh, old], a) == [.replaced, .replaced])
    let newest = try await anchor(1, .before, a)
    #expect(try await places([newest], b) == [.unknown])
    #expect(TextAnchor.Place.unknown.position == nil && TextAnchor.Place.replaced.position == nil)
    try await place.close([a, b])
  }

  @Test("what is no place, no text or no anchor is refused")
  func refusals() async throws {
    defer { place.remove() }
    let store = try await store(body: "a😀b")
    for position in [-1, 4, Int.max, Int.min] {
      for bias in TextAnchor.Bias.allCases {
        let error = await #expect(throws: StoreError.self) {
          try await anchor(position, bias, store)
        }
        #expect(error?.code == .invalidEdit)
      }
    }
    for (collection, id, field, code) in [
      ("notes", "n2", "body", StoreError.Code.noSuchEntity), ("notes", "n1", "count", .wrongType),
      ("notes", "n1", "nothing", .unknownName), ("nothing", "n1", "body", .unknownName),
    ] {
      let making = await #expect(throws: StoreError.self) {
        try await store.anchor(at: 0, in: collection, id, text: field)
      }
      #expect(making?.code == code)
      let finding = await #expect(throws: StoreError.self) {
        try await store.places(of: [], in: collection, id, text: field)
      }
      #expect(finding?.code == code)
    }
    let text = try await anchor(1, .after, store).description
    let other = try await anchor(3, .before, store).description
    #expect(TextAnchor(text)?.description == text)
    for wrong in [
      "", "x", "=", text + "A", String(text.dropLast(4)), "\(text)\n", "é", text + text,
      String(repeating: "A", count: 1000), text.replacing("E", with: "F"),
    ] where wrong != text {
      if let anchor = TextAnchor(wrong) { #expect(anchor.description == wrong && wrong == other) }
    }
    // Bytes that are nearly an anchor never trap.
    var random = SplitMix64(seed: 1)
    let bytes = try #require(Data(base64Encoded: text))
    for _ in 0..<2_000 {
      var bytes = bytes
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
        in: 0...255, using: &random)
      if let anchor = TextAnchor(bytes.base64EncodedString()) {
        _ = try await places([anchor], store)
      }
    }
    try await store.close()
    let closed = await #expect(throws: StoreError.self) { try await anchor(0, .after, store) }
    #expect(closed?.code == .closed)
  }

  @Test(
    "anchors and undos agree with the reference model, however stores have met", arguments: 0..<8)
  func model(seed: Int) async throws {
    defer { place.remove() }
    var random = SplitMix64(seed: UInt64(seed) &+ 77)
    var stores = [try await store(body: "0123")]
    for name in ["b", "c"] {
      let store = try await place.store(name)
      try await stores[0].syncOnce(with: StorePeer(store))
      stores.append(store)
    }
    var anchors: [(anchor: TextAnchor, position: Int, model: KnownText)] = []
    var undos = 0
    for _ in 0..<90 {
      let store = stores[Int.random(in: 0..<3, using: &random)]
      let model = try await KnownText(store)
      #expect(try await store.fetch("notes", "n1")?["body"] == .text(model.text))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let (at, length) = (
          Int.random(in: 0...100, using: &random), Int.random(in: 0...2, using: &random)
        )
        let new = ["", "a", "bc"][Int.random(in: 0..<3, using: &random)]
        try await edit(store) { text in
          let start = at % (text.count + 1)
          try text.replace(start..<min(text.count, start + length), with: new)
        }
      case 5, 6:
        guard let event = model.events.randomElement(using: &random) else { break }
        let wanted = model.text(undoing: event)
        if try await store.undo(event) != nil {
          undos += 1
          #expect(try await KnownText(store).text == wanted, "seed \(seed): \(event)")
        }
      case 7:
        let position = Int.random(in: 0...model.text.count, using: &random)
        let bias = TextAnchor.Bias.allCases[Int.random(in: 0..<2, using: &random)]
        let made = try await anchor(position, bias, store)
        anchors.append((made, position, model))
      default:
        let other = stores[Int.random(in: 0..<3, using: &random)]
        if other !== store { try await store.syncOnce(with: StorePeer(other)) }
      }
    }
    for (a, b) in [(0, 1), (1, 2), (2, 0), (0, 1)] {
      try await stores[a].syncOnce(with: StorePeer(stores[b]))
    }
    let last = try await KnownText(stores[0])
    for store in stores {
      #expect(try await store.fetch("notes", "n1")?["body"] == .text(last.text))
      let places = try await places(anchors.map(\.anchor), store)
      for (one, place) in zip(anchors, places) {
        #expect(place == last.place(of: one.position, one.anchor.bias, in: one.model))
      }
    }
    #expect(undos > 2)
    try await place.close(stores)
  }
}
