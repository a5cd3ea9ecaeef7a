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

let note = Note(title: words.joined(separator: " "), tags: ["new"])
print(note.id, note.title, note.tags)
