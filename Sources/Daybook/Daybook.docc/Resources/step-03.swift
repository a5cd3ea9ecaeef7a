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

let store = try await Store.open(at: folder, schema: [Note.self])
print(store.replica, try await store.schema().collections.keys)
try await store.close()
