import DaybookEventCore
import DaybookSimulation
import DaybookTexts
import Foundation
import Testing

@testable import Daybook
@testable import DaybookEngine

extension PublicCallTests {
  /// Half of the calls are about a text that the store has.
  private static func field(_ draw: inout Arguments) -> (String, String, String) {
    draw.flag() ? ("notes", "n2", "title") : (draw.text(), draw.text(), draw.text())
  }

  /// Half of the calls are about a text that no other call drops or deletes.
  private static func lasting(_ draw: inout Arguments) -> (String, String, String) {
    draw.flag() ? ("texts", "t1", "text") : field(&draw)
  }

  private static func script(_ draw: inout Arguments) -> TextScript {
    TextScript(
      (0..<draw.random.pick(0...3)).map { _ in
        switch draw.random.pick(0...2) {
        case 0: TextScript.Step.retain(draw.integer())
        case 1: .delete(draw.integer())
        default: .insert(draw.text())
        }
      })
  }

  private static func range(_ draw: inout Arguments) -> Range<Int> {
    let (a, b) = (draw.integer(), draw.integer())
    return min(a, b)..<max(a, b)
  }

  private static func bias(_ draw: inout Arguments) -> TextAnchor.Bias {
    draw.random.pick(TextAnchor.Bias.allCases)
  }

  /// Makes one change of a text, which may be refused.
  private static func change(_ text: inout EditableText, _ draw: inout Arguments) throws {
    switch draw.random.pick(0...7) {
    case 0: text.append(draw.text())
    case 1: text.assign(draw.text())
    case 2: try text.apply(script(&draw))
    case 3: try text.insert(draw.text(), at: draw.integer())
    case 4: try text.replace(range(&draw), with: draw.text())
    case 5: try text.insert(draw.text(), atUTF16: draw.integer())
    case 6: try text.replace(utf16: range(&draw), with: draw.text())
    default:
      // An index of another text.
      let other = draw.text()
      try text.replace(other.startIndex..<other.endIndex, with: draw.text())
    }
  }

  /// Makes calls about texts that write nothing.
  func sweepTexts(_ store: Store, _ arguments: inout Arguments) async {
    await sweep("EditableText", &arguments, times: 300) { draw in
      var text = EditableText(draw.text())
      try Self.change(&text, &draw)
      try Self.change(&text, &draw)
      _ = (text.count, text.script, try text.position(utf16: draw.integer()))
    }
    await sweep("TextScript", &arguments, times: 200) { draw in
      let (script, next, text) = (Self.script(&draw), Self.script(&draw), draw.text())
      _ = (script.applied(to: text), script.inverse(of: text), script.lengthNeeded)
      _ = (script.followed(by: next), script.rebased(over: next, isFirst: draw.flag()))
      _ = script.place(of: draw.integer(), staysBefore: draw.flag())
      _ = TextScript(from: text, to: draw.text())
    }
    await sweep("TextChange", &arguments, times: 200) { draw in
      let (text, script) = (draw.text(), Self.script(&draw))
      guard let new = script.applied(to: text) else { return }
      let change = TextChange(.edited, from: text, to: new, by: script)
      _ = (change.replacements, change.position(of: draw.integer(), bias: Self.bias(&draw)))
      _ = change.position(ofUTF16: draw.integer(), bias: Self.bias(&draw))
      _ = change.position(of: draw.text().endIndex, bias: Self.bias(&draw))
      _ = (change.selection(Self.range(&draw)), change.selection(utf16: Self.range(&draw)))
    }
    await sweep("observe a text", &arguments, times: 60) { draw in
      let (collection, id, field) = Self.field(&draw)
      var changes = store.observe(collection, id, text: field).makeAsyncIterator()
      _ = try await changes.next()
      var typed = store.observe(Note.ID(id), text: \.shownTitle).makeAsyncIterator()
      let error = await #expect(throws: StoreError.self) { try await typed.next() }
      #expect(error?.code == .unknownName)
    }
    await sweep("anchors", &arguments, times: 100) { draw in
      let (collection, id, field) = Self.field(&draw)
      let made = try await store.anchor(
        at: draw.integer(), in: collection, id, text: field, bias: Self.bias(&draw))
      let anchors = [made, TextAnchor(draw.text())].compactMap(\.self)
      _ = try await store.places(of: anchors, in: "notes", "n1", text: "title")
    }
    await sweep("blame of a text", &arguments, times: 60) { draw in
      let (collection, id, field) = Self.field(&draw)
      _ = try await store.blame(of: collection, id, text: field)
    }
  }

  /// Makes calls that edit texts.
  func sweepEditing(_ store: Store, _ arguments: inout Arguments) async {
    // No other call drops or deletes this one.
    do {
      try await store.write { tx in
        try tx.define(Definition("texts", [.text("text").merging()]))
        try tx.insert("texts", "t1", ["text": "oat milk"])
      }
    } catch { Issue.record("there is no text: \(error)") }
    await sweep("edit", &arguments, times: 100) { draw in
      // A refused call must not be made again and again.
      _ = draw.integer()
      let start = draw
      draw = try await store.write { tx in
        var draw = start
        let (collection, id, field) = Self.lasting(&draw)
        if draw.flag() {
          try tx.edit(collection, id, field, by: Self.script(&draw))
        } else {
          try tx.edit(collection, id, field) { try Self.change(&$0, &draw) }
        }
        return draw
      }
    }
    await sweep("editing session", &arguments, times: 60) { draw in
      let (collection, id, field) = Self.lasting(&draw)
      var options = EditingSession.Options(actor: draw.optional { $0.text() }, label: draw.text())
      (options.pause, options.intervalMax) = (draw.duration(), draw.duration())
      (options.editsMax, options.bytesMax) = (draw.integer(), draw.integer())
      let session = try await store.editingSession(collection, id, text: field, options: options)
      for _ in 0..<draw.random.pick(0...3) {
        do {
          switch draw.random.pick(0...5) {
          case 0: try session.apply(Self.script(&draw))
          case 1: try session.edit { try Self.change(&$0, &draw) }
          case 2: try session.insert(draw.text(), at: draw.integer())
          case 3: try session.replace(Self.range(&draw), with: draw.text())
          case 4: try session.insert(draw.text(), atUTF16: draw.integer())
          default: try session.replace(utf16: Self.range(&draw), with: draw.text())
          }
        } catch { #expect(Arguments.isTyped(error), "session: \(error)") }
      }
      try await session.flush()
      #expect(session.state.isSaved)
      try await session.close()
    }
  }
}

extension PublicCallTests.Note {
  /// A property that is no field.
  fileprivate var shownTitle: String { title ?? "" }
}
