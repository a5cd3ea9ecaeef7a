import DaybookEventCore
import DaybookProjections
import DaybookSimulation
import DaybookTexts
import Testing

@testable import Daybook
@testable import DaybookEngine

/// The arithmetic of an editing session, without a store.
@Suite struct EditingBufferTests {
  /// A text that others edit, as a store would show it.
  private struct Shown {
    var now: ShownText

    private static let origin = [UInt8](repeating: 1, count: 16).withUnsafeBytes {
      ReplicaID(bytes: $0)
    }

    init(_ text: String) {
      now = ShownText(
        base: EventID(Self.origin, 1), operation: 0,
        text: text, merged: 0, vector: VersionVector())
    }

    mutating func edit(_ script: TextScript) { now.text = script.applied(to: now.text) ?? now.text }
  }

  private static func script(
    _ length: Int, _ letter: String, _ random: inout SplitMix64
  ) -> TextScript {
    let start = Int.random(in: 0...length, using: &random)
    let end = min(length, start + (Int.random(in: 0..<3, using: &random) == 0 ? 2 : 0))
    let text = String(repeating: letter, count: Int.random(in: 0...3, using: &random))
    return TextScript(replacing: start..<end, with: text)
  }

  @Test("the session's text and the store's are one when all is written and taken")
  func converges() throws {
    for seed in 0..<2_000 {
      var random = SplitMix64(seed: UInt64(seed))
      var store = Shown("0123456789")
      var buffer = EditingBuffer(
        store.now, edits: Int.random(in: 1...5, using: &random), bytes: 100)
      /// What was taken in of the store, and what is being written.
      var (read, writing): (String, TextScript?) = (store.now.text, nil)
      var editor = store.now.text
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
          let script = Self.script(editor.unicodeScalars.count, "o", &random)
          try buffer.edit(inserting: script.insertedBytes) { text throws(StoreError) in
            try text.apply(script)
          }
          editor = try #require(script.applied(to: editor))
        case 2:
          if writing == nil {
            store.edit(Self.script(store.now.text.unicodeScalars.count, "x", &random))
          }
        case 3:
          guard writing == nil else { break }
          let edits = TextScript(from: read, to: store.now.text)
          buffer.note(TextNews(text: store.now, edits: edits))
          read = store.now.text
        case 4:
          if let change = buffer.take() {
            #expect(change.previous == editor)
            editor = try #require(change.edits.applied(to: editor))
            #expect(change.text == editor)
          }
        default:
          if let script = writing {
            store.edit(script)
            buffer.endWriting(store.now)
            (read, writing) = (store.now.text, nil)
          } else if read == store.now.text {
            writing = buffer.beginWriting()
            if writing == nil || Int.random(in: 0..<4, using: &random) == 0 {
              buffer.failWriting()
              writing = nil
            }
          }
        }
        #expect(buffer.text == editor)
      }
      if let script = writing {
        store.edit(script)
        buffer.endWriting(store.now)
        read = store.now.text
      }
      let edits = TextScript(from: read, to: store.now.text)
      buffer.note(TextNews(text: store.now, edits: edits))
      while let script = buffer.beginWriting() {
        store.edit(script)
        buffer.endWriting(store.now)
      }
      _ = buffer.take()
      #expect(buffer.text == store.now.text, "seed \(seed)")
      #expect(buffer.unsaved == 0)
    }
  }
}
