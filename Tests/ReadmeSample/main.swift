// swift-format-ignore-file
// README.md has it, laid out as there; ReadmeTests compares the two. The macros need the trait.
#if Macros
import Daybook
import DaybookMacros
import Foundation

@Entity("folders") struct Folder { var id = ID(); var name = "" }
@Entity("notes") struct Note {
  var id = ID()                                     // a Note.ID, never a Folder.ID
  @Search(weight: 2) var title = ""
  @Search var body = ""
  @Index var pinned = false                         // rows older than the field count as false, in SQL too
  @Reference(onDelete: .nullify) var folder: Folder.ID?
  var tags: [String] = []                           // JSON
  @Modified var modified = Date.distantPast         // kept by the store
}
@Relationship("links", from: Note.self, to: Note.self, unique: \.kind) struct Link {
  enum Kind: String, Codable { case related, cites }
  var kind = Kind.related
  @Weight var strength = 1.0
}

let folder = URL.temporaryDirectory.appending(path: "notes-\(UUID())")
let store = try await Store.open(at: folder, schema: [Folder.self, Note.self, Link.self])
let (milk, list) = (Note(title: "Oat milk", tags: ["shop"]), Note(title: "Shopping"))

let edit = try await store.write(actor: "ann", label: "shopping") { tx in   // one event, durable, all or nothing
  try tx.insert([milk, list])
  try tx.insert(Link(from: milk.id, to: list.id, kind: .cites))
  try tx.update(milk.id) { $0.pinned = true }       // writes only the changed fields
  return tx.event
}

let pinned = Note.where { $0.pinned && $0.tags.contains("shop") }.order(by: \.modified, .descending).limit(50)
for try await notes in store.observe(pinned) {      // now, and after every change by any process
  print(notes.map(\.title))
  break
}
for hit in try await store.search(Note.self, for: "oat") { print(hit.entity.title, hit.snippet) }
let cited = try await store.fetch(Note.where { $0.id == milk.id }.related(via: Link.self) { $0.kind == .cites })
let way = try await store.graph.path(from: milk.id, to: list.id, via: Link.self, weight: \.strength)
let lastWeek = Date.now.addingTimeInterval(-7 * 86_400)
let then = try await store.at(.time(lastWeek)).fetch(milk.id)
print(cited.map(\.title), way?.cost ?? 0, then?.title ?? "not there yet")
for item in try await store.history(of: milk.id) { print(item.actor, item.changes) }
try await store.undo(edit)                          // a new event; `redo` lets it count again
try await store.close()

// The blocks that follow in README.md, each by itself.
func more(of folder: URL) async throws {
  let store = try await Store.create(at: folder)

  do {
    let folder = URL.temporaryDirectory.appending(path: "plain-\(UUID())")
    let store = try await Store.create(at: folder)      // afterwards: Store.open(at:)
    try await store.write(actor: "ann") { tx in
      try tx.define(Definition("notes", [
        .text("title").searchable(),
        .boolean("pinned").indexed(),
      ]))
      try tx.insert("notes", "n1", ["title": "Oat milk"])
    }
    let titles = try await store.read { db in           // GRDB, one snapshot
      try String.fetchAll(db, sql: "SELECT title FROM notes WHERE pinned IS NOT 1")
    }
    let hits = try await store.search("oat*", in: "notes")
    print(titles, hits.map(\.snippet))
    try await store.close()
  }

  do {
    let folders = Definition("folders", [
      .text("path").unique(),
      .text("parent").references("folders").tree(),
      .text("headline").formerly("title"),
    ])
    let books = Definition("books", [
      .text("source"), .text("number"),
      .boolean("lent").default(false),                      // older books show it, too
      .timestamp("modified").kept(.modified),               // kept by the store, from the events
    ]).unique("source", "number").indexed(by: "lent", .descending("modified"))
    let links = Definition("links").relationship()
      .keyed(by: "source", "target")                    // the same link made twice is one entity
    try await store.write { tx in
      try tx.define(folders)
      try tx.define(books)
      try tx.define(links)
    }
    for try await value in store.hidden() { print(value.id, value.reason) }   // what a merge set aside
  }

  do {
    let lastWeek = Date.now.addingTimeInterval(-7 * 86_400)
    for try await folder in store.deleted(in: "folders", by: "ann", after: .time(lastWeek), matching: "recipes") {
      print(folder.date, folder["path"])                // newest deletion first
      try await store.write { try $0.restore("folders", folder.id) }
    }
    let page = try await store.conflicts(in: "folders", by: "ann").page(limit: 20)
    if let next = page.next {
      print(try await store.conflicts(in: "folders", by: "ann").page(limit: 20, after: next).items)
    }
    for try await event in store.events(EventQuery(after: .time(lastWeek), actor: "ann")) {
      print(event.date, event.label)
    }
  }

  do {
    try await store.write { tx in
      try tx.define(Definition("pages", [.text("body").merging()]))
      try tx.insert("pages", "p1", ["body": "Milk, bread"])
      try tx.edit("pages", "p1", "body") { text in         // the event has the change, not the text
        try text.insert("Oat m", at: 0)
        try text.delete(5..<6)
      }
    }
    for part in try await store.blame(of: "pages", "p1", text: "body") { print(part.text, part.actor) }
  }

  do {
    let settings = Definition("settings", [.text("theme")]).local()
    try await store.write { try $0.define(settings) }
  }

  do {
    let other = try await Store.create(at: folder.appendingPathExtension("copy"))
    let sync = store.sync(with: StorePeer(other))       // another store, a hub's zone (HubClient), a folder
    for await state in sync.states {                    // idle, syncing, offline, error with its cure
      print("\(state.phase), \(state.unacknowledged) to send")
      if state.phase == .idle, state.lastSuccess != nil { break }
    }
    await sync.stop()
    for try await conflict in store.conflicts() {       // the same on every replica
      try await store.settle(conflict, taking: .other)
    }
    try await other.close()
    try await store.close()
  }
}

try await more(of: URL.temporaryDirectory.appending(path: "notes-\(UUID())"))
#endif
