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

switch command {
case "add":
  let note = Note(title: words.joined(separator: " "))
  let event = try await store.write(label: "add") { tx in
    try tx.insert(note)
    return tx.event
  }
  print(note.id, event)
default:
  print("There is no command \(command)")
}
try await store.close()
