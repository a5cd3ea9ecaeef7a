import DaybookNotes
import DaybookNotesMarkdown
import Foundation

// Two devices that share a folder, and a folder of Markdown.
let place = URL.temporaryDirectory.appending(path: "notebook-\(UUID())")
let shared = place.appending(path: "shared")
try FileManager.default.createDirectory(at: shared, withIntermediateDirectories: true)

let laptop = try await Notebook.open(at: place.appending(path: "laptop"), actor: "ann")
let sync = try laptop.share(in: shared)
let home = try await laptop.addFolder("Home")
let id = try await laptop.add("Shopping\nOat milk", in: home, tags: ["shop"])
for await state in sync.states where state.isComplete { break }

let phone = try await Notebook.open(at: place.appending(path: "phone"), actor: "bob")
try phone.share(in: shared)
for try await notes in phone.notes(in: .folder(home)) where !notes.isEmpty { break }

// Both write in one line at once, and both have both afterwards.
try await laptop.edit(id) { text in
  try text.insert("Rolled oats, o", at: 9)
  try text.delete(23..<24)
}
try await phone.edit(id) { text in text.append(", bread") }
let both = "Shopping\nRolled oats, oat milk, bread"
for notebook in [laptop, phone] {
  for try await body in notebook.bodies(of: id) where body == both { break }
}
print(try await phone.list().map { "\($0.title): \($0.preview) \($0.tags)" })
for try await activity in phone.activity(of: id) {
  print(activity.actor, activity.changes.map(\.kind.rawValue))
}

// Out as a file, changed there, and in again.
let files = place.appending(path: "files")
try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
var options = MarkdownFolder.Options()
options.fileAgeMin = .zero
let markdown = MarkdownFolder(at: files, options: options)
try await markdown.export(phone)
let file = files.appending(path: "Home/Shopping.md")
let text = try String(contentsOf: file, encoding: .utf8)
try text.replacing("bread", with: "rye bread").write(to: file, atomically: true, encoding: .utf8)
try await markdown.importNotes(into: phone)
for try await body in laptop.bodies(of: id) where body?.hasSuffix("rye bread") ?? false { break }

try await laptop.close()
try await phone.close()
try FileManager.default.removeItem(at: place)
print("done")
