import Daybook
import DaybookHubClient
import DaybookMacros
import Foundation

@Entity("notes") struct Note {
  var id = ID()
  @Search(weight: 2) var title = ""
  @Search var body = ""
  @Index var pinned = false
  var tags: [String] = []
  @Modified var modified = Date.distantPast
}

@Relationship("links", from: Note.self, to: Note.self, unique: \.from, \.to) struct Link {
  @Weight var distance = 1.0
}

let arguments = Array(CommandLine.arguments.dropFirst())
let command = arguments.first ?? "list"
let words = Array(arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment
let folder = URL(filePath: environment["NOTES"] ?? "my-notes")
let user = environment["USER"] ?? "somebody"

let store = try await Store.open(
  at: folder, schema: [Note.self, Link.self], options: Store.Options(actor: user))
let newest = Note.all.order(by: \.pinned, .descending).order(by: \.modified, .descending).limit(20)

func show(_ notes: [Note]) {
  for note in notes { print(note.id, note.pinned ? "*" : "-", note.title) }
}

switch command {
case "add":
  let note = Note(title: words.joined(separator: " "))
  let event = try await store.write(label: "add") { tx in
    try tx.insert(note)
    return tx.event
  }
  print(note.id, event)
case "pin":
  let id = Note.ID(words.first ?? "")
  try await store.write(label: "pin") { tx in
    try tx.update(id) { $0.pinned = true }
  }
case "list":
  show(try await store.fetch(newest))
case "count":
  let pinned = Note.where { $0.pinned && $0.title.contains(words.first ?? "") }
  print(try await store.fetch(pinned.count()), pinned.sql)
case "watch":
  for try await notes in store.observe(newest) {
    print(Date.now)
    show(notes)
  }
case "search":
  let text = words.joined(separator: " ")
  for hit in try await store.search(Note.self, for: text, matching: .beginnings) {
    print(hit.entity.id, hit.snippet)
  }
case "link":
  guard words.count == 2 else { break }
  let link = Link(from: Note.ID(words[0]), to: Note.ID(words[1]))
  try await store.write(label: "link") { try $0.insertOrOverwrite(link) }
case "related":
  let id = Note.ID(words.first ?? "")
  show(try await store.fetch(Note.where { $0.id == id }.related(via: Link.self)))
case "path":
  guard words.count == 2 else { break }
  let path = try await store.graph.path(
    from: Note.ID(words[0]), to: Note.ID(words[1]), via: Link.self, weight: \.distance)
  print(path?.vertices.map(\.id) ?? [], path?.cost ?? 0)
case "rename":
  let (id, title) = (Note.ID(words.first ?? ""), words.dropFirst().joined(separator: " "))
  let event = try await store.write(label: "rename") { tx in
    try tx.update(id) { $0.title = title }
    return tx.event
  }
  print(event)
case "history":
  let id = Note.ID(words.first ?? "")
  for item in try await store.history(of: id) {
    print(item.event, item.actor, item.label)
    for change in item.changes { print("  \(change.field): \(change.from) → \(change.to)") }
  }
  let yesterday = Date.now.addingTimeInterval(-86_400)
  print(try await store.at(.time(yesterday)).fetch(id)?.title ?? "not there yesterday")
case "undo":
  guard let event = EventID(words.first ?? "") else { break }
  do { print(try await store.undo(event)?.description ?? "nothing to undo") } catch {
    print(error)
  }
case "sync":
  let hub = try HubClient(url: words.first ?? "http://127.0.0.1:8080", zone: "notes") {
    environment["NOTES_TOKEN"]
  }
  let sync = store.sync(with: hub)
  for await state in sync.states {
    print(state.phase, state.unacknowledged, state.problem ?? "")
    let isDone = state.phase == .idle && state.lastSuccess != nil
    if isDone || state.phase == .offline || state.phase == .error { break }
  }
  await sync.stop()
case "conflicts":
  for try await conflict in store.conflicts(in: Note.self) {
    print(conflict.id ?? "", conflict.field)
    for write in conflict.writes {
      print("  \(write.author.actor): \(write.value)\(write.wins ? ", which is shown" : "")")
    }
  }
case "settle":
  for try await conflict in store.conflicts(in: "notes", id: words.first) {
    try await store.settle(conflict, taking: .other)
  }
default:
  print("There is no command \(command)")
}
try await store.close()
