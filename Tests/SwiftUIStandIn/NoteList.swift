// What an app writes with the target DaybookUI.

import Daybook
import DaybookUI
import SwiftUI

struct Note: Entity {
  static let collection = "notes"
  static let fields: [EntityField<Note>] = [
    .field("title", \.title).searchable(), .field("pinned", \.pinned),
  ]
  var id = ID()
  var title = ""
  var pinned = false
}

struct NoteList: View {
  @Live(Note.where { $0.pinned }.order(by: \.title)) private var notes
  @Live(Note.all.count(), initially: 0) private var count
  @Live("titles", initially: [], of: { store in store.observe("notes") { _ in ["a title"] } })
  private var titles

  var body: some View {
    Text(notes.map(\.title).joined() + " of \(count)" + titles.joined())
  }

  func state() -> String {
    if $notes.isLoading { return "loading" }
    $notes.refresh()
    return $notes.error?.localizedDescription ?? "loaded"
  }
}

struct NoteView: View {
  @Live<Note?> private var note: Note?
  @Live<[EntityHit<Note>]> private var hits: [EntityHit<Note>]

  init(_ id: Note.ID, typed: String) {
    _note = Live(id)
    _hits = Live(search: Note.self, for: typed)
  }

  var body: some View { Text((note?.title ?? "") + hits.map(\.snippet).joined()) }
}

struct NoteApp: View {
  let store: Store
  var body: some View { NoteList().store(store) }
}
