import DaybookEventCore
import DaybookLogEngine
import DaybookReferenceModel

@testable import Daybook
@testable import DaybookEngine

/// The text of note `n1` as the reference model has it, from the events that a store knows.
struct KnownText {
  private struct Edit {
    var event: EventID
    var vector: VersionVector
    var steps: [ReferenceText.Step]
    var isComparison = false
    /// What an undo or a redo names; nil for an edit.
    var undo: Undo?
  }

  private var authors: [ReplicaID] = []
  private var edits: [[Edit]] = []
  private let reference: ReferenceText

  init(_ store: Store) async throws {
    try store.core.log.refreshForReading()
    var base: [Unicode.Scalar] = []
    var byAuthor: [ReplicaID: [Edit]] = [:]
    for (origin, last) in store.core.log.wholeVector.entries where last > 0 {
      try store.core.feed.forEachEvent(of: origin, in: 1...last) { sequence, view in
        let id = EventID(origin, sequence)
        let body = try Event(id: id, decoding: view.encoded).body
        for operation in body?.operations ?? [] {
          switch operation {
          case .insert("notes", "n1", let fields):
            if case .text(let text)? = fields["body"] { base = Array(text.unicodeScalars) }
          case .edit(let edit):
            byAuthor[origin, default: []].append(
              Edit(
                event: id, vector: VersionVector(),
                steps: ReferenceText.steps(of: edit.script) ?? [],
                isComparison: edit.isComparison))
          case .undo(let undo):
            byAuthor[origin, default: []].append(
              Edit(event: id, vector: VersionVector(), steps: [], undo: undo))
          default: break
          }
        }
      }
    }
    for (origin, edits) in byAuthor {
      for index in edits.indices {
        let event = edits[index].event
        byAuthor[origin]?[index].vector = try await store.core.reads.asynchronously {
          try $0.view.vector(at: event)
        }
      }
    }
    authors = byAuthor.keys.sorted()
    edits = authors.map { byAuthor[$0] ?? [] }
    let edits = edits
    let undos = edits.joined().filter { $0.undo != nil }
      .sorted { ($0.undo?.turn ?? 0, $0.event) < ($1.undo?.turn ?? 0, $1.event) }
    func toggle(_ edit: Edit) -> ReferenceText.Toggle? {
      guard let undo = edit.undo else { return nil }
      var named: Set<ReferenceText.Writer> = []
      for (author, own) in edits.enumerated() {
        for (index, other) in own.enumerated()
        where undo.events.contains(where: { $0.contains(other.event) }) {
          named.insert(.init(author: author, index: index))
        }
      }
      return ReferenceText.Toggle(
        isUndone: undo.isUndone, rank: undos.firstIndex { $0.event == edit.event } ?? 0,
        edits: named)
    }
    reference = ReferenceText(
      base: base,
      edits: edits.enumerated().map { author, own in
        own.map { edit in
          ReferenceText.Edit(
            author: author,
            seen: edits.map { others in others.count { edit.vector.contains($0.event) } },
            steps: edit.steps, isComparison: edit.isComparison, toggle: toggle(edit))
        }
      })
  }

  var text: String { String(String.UnicodeScalarView(reference.text)) }

  /// The events that edit the text.
  var events: [EventID] { edits.flatMap { $0.filter { $0.undo == nil }.map(\.event) } }

  /// Returns the text that undoing an event makes.
  func text(undoing event: EventID) -> String {
    var writers: Set<ReferenceText.Writer> = []
    for author in edits.indices {
      for (index, edit) in edits[author].enumerated() where edit.event == event {
        writers.insert(.init(author: author, index: index))
      }
    }
    return String(String.UnicodeScalarView(reference.text(without: writers)))
  }

  /// Returns where a place of an earlier text is in this one.
  func place(of position: Int, _ bias: TextAnchor.Bias, in earlier: KnownText) -> TextAnchor.Place {
    let origins = earlier.reference.origins
    let index = bias == .before ? position - 1 : position
    guard origins.indices.contains(index) else {
      return .at(bias == .before ? 0 : reference.text.count)
    }
    let event = origins[index].writer.map { earlier.edits[$0.author][$0.index].event }
    let writer = event.flatMap { event in
      authors.firstIndex(of: event.origin).flatMap { author in
        edits[author].firstIndex { $0.event == event }.map {
          ReferenceText.Writer(author: author, index: $0)
        }
      }
    }
    let (before, isShown) = reference.place(of: writer, origins[index].offset)
    return isShown ? .at(bias == .before ? before + 1 : before) : .deleted(at: before)
  }
}
