import Daybook
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

let arguments = Array(CommandLine.arguments.dropFirst())
let command = arguments.first ?? "list"
let words = Array(arguments.dropFirst())
let environment = ProcessInfo.processInfo.environment
let folder = URL(filePath: environment["NOTES"] ?? "my-notes")
let user = environment["USER"] ?? "somebody"

let store = try await Store.open(
  at: folder, schema: [Note.self], options: Store.Options(actor: user))
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
default:
  print("There is no command \(command)")
}
try await store.close()
