import EventCore
import ReferenceModel

@testable import Daybook

/// The text of note `n1` as the reference model has it, from the events that a store knows.
struct KnownText {
  private struct Edit {
    var event: EventID
    var vector: VersionVector
    var steps: [ReferenceText.Step]
    var undoes: Set<EventID>
  }

  private var authors: [ReplicaID] = []
  private var edits: [[Edit]] = []
  private let reference: ReferenceText

  init(_ store: Store) async throws {
    try store.log.refreshForReading()
    var base: [Unicode.Scalar] = []
    var byAuthor: [ReplicaID: [Edit]] = [:]
    for (origin, last) in store.log.wholeVector.entries where last > 0 {
      try store.feed.forEachEvent(of: origin, in: 1...last) { sequence, view in
        let id = EventID(origin, sequence)
        let body = try Event(id: id, decoding: view.encoded).body
        for operation in body?.operations ?? [] {
          switch operation {
          case .insert("notes", "n1", let fields):
            if case .text(let text)? = fields["body"] { base = Array(text.unicodeScalars) }
          case .edit(let edit):
            let undoes = body?.annotations[UndoPlan.annotation] ?? ""
            byAuthor[origin, default: []].append(
              Edit(
                event: id, vector: VersionVector(),
                steps: ReferenceText.steps(of: edit.script) ?? [],
                undoes: Set(undoes.split(separator: ",").compactMap { EventID(String($0)) })))
          default: break
          }
        }
      }
    }
    for (origin, edits) in byAuthor {
      for index in edits.indices {
        let event = edits[index].event
        byAuthor[origin]?[index].vector = try await store.view { view, _ in
          try view.vector(at: event)
        }
      }
    }
    authors = byAuthor.keys.sorted()
    edits = authors.map { byAuthor[$0] ?? [] }
    let edits = edits
    reference = ReferenceText(
      base: base,
      edits: edits.enumerated().map { author, own in
        own.map { edit in
          ReferenceText.Edit(
            author: author,
            seen: edits.map { others in others.count { edit.vector.contains($0.event) } },
            steps: edit.steps)
        }
      })
  }

  var text: String { String(String.UnicodeScalarView(reference.text)) }

  /// The events that edit the text.
  var events: [EventID] { edits.flatMap { $0.map(\.event) } }

  /// Returns the text that undoing an event makes.
  ///
  /// What has undone the event, and what has undone that, is taken out with it.
  func text(undoing event: EventID) -> String {
    var out: Set<EventID> = [event]
    var count = 0
    while count != out.count {
      count = out.count
      for edit in edits.joined() where !edit.undoes.isDisjoint(with: out) { out.insert(edit.event) }
    }
    var writers: Set<ReferenceText.Writer> = []
    for author in edits.indices {
      for (index, edit) in edits[author].enumerated() where out.contains(edit.event) {
        writers.insert(.init(author: author, index: index))
      }
    }
    return String(String.UnicodeScalarView(reference.text(without: writers)))
  }

  /// Returns where a place of an earlier text is in this one.
  func place(of position: Int, _ bias: TextBias, in earlier: KnownText) -> TextPlace {
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
