import Daybook
import DaybookMacros
import DaybookHubClient

@Entity("folders") struct Folder { var id = ID(); var name = "" }
@Entity("notes") struct Note {
  var id = ID()                                              // a Note.ID, never a Folder.ID
  @Search(weight: 2) var title = ""
  @Search var body = ""
  @Index var pinned = false                                  // rows older than the field count as false, in SQL too
  @Reference(onDelete: .nullify) var folder: Folder.ID?
  var tags: [String] = []                                    // JSON
  @Modified var modified = Date.distantPast                  // kept by the store
}
@Relationship("links", from: Note.self, to: Note.self, unique: \.kind) struct Link {
  enum Kind: String, Codable { case related, cites }
  var kind = Kind.related
  @Weight var strength = 1.0
}

let store = try await Store.open(at: folder, schema: [Folder.self, Note.self, Link.self])
let (milk, list) = (Note(title: "Oat milk", tags: ["shop"]), Note(title: "Shopping"))

let edit = try await store.write(actor: "ann", label: "shopping") { tx in  // one event, durable, all or nothing
  try tx.insert([milk, list])
  try tx.insert(Link(from: milk.id, to: list.id, kind: .cites))
  try tx.update(milk.id) { $0.pinned = true }                // only what changed travels
  return tx.event
}

let pinned = Note.where { $0.pinned && $0.tags.contains("shop") }.order(by: \.modified, .descending).limit(50)
print(pinned.sql)
for try await notes in store.observe(pinned) { show(notes) } // now, and after every write, whoever made it

for hit in try await store.search(Note.self, for: typedText) { print(hit.entity.title, hit.snippet) }
let cited = try await store.fetch(Note.where { $0.id == milk.id }.related(via: Link.self) { $0.kind == .cites })
let way = try await store.graph.path(from: milk.id, to: list.id, via: Link.self, weight: \.strength)

let then = try await store.at(.time(lastWeek)).fetch(milk.id)
for item in try await store.history(of: milk.id) { print(item.actor, item.changes) }
try await store.undo(edit)                                   // a new event; or says which later write stands against it

let sync = store.sync(with: try HubClient(url: "https://hub.example.org", zone: "team") { await keychain.token() })
for await state in sync.states { badge(state.phase, state.unacknowledged) }
for conflict in try await store.conflicts(in: Note.self) { try await store.settle(conflict, taking: .other) }
