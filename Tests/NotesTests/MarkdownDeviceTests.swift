import DaybookNotes
import DaybookNotesMarkdown
import DaybookSimulation
import Foundation
import Testing

/// Folders of Markdown on several devices, of which each has files of its own.
@Suite(.timeLimit(.minutes(10))) struct MarkdownDeviceTests {
  /// A device: a notebook, and its own folder.
  private struct Device {
    let notebook: Notebook
    let files: MarkdownFiles

    init(_ name: String) async throws {
      notebook = try await Notebook.inMemory(actor: name)
      files = try MarkdownFiles()
    }

    func close() async throws {
      try await notebook.close()
      files.remove()
    }

    @discardableResult
    func takeIn() async throws -> MarkdownReport {
      try await files.markdown().importNotes(into: notebook)
    }

    @discardableResult
    func putOut() async throws -> MarkdownReport { try await files.markdown().export(notebook) }

    func sync(_ other: Device) async throws {
      try await notebook.store.syncOnce(with: StorePeer(other.notebook.store))
    }

    /// Copies all files to another device, over what is there.
    func copy(to other: Device) throws {
      for (path, data) in try files.all() { try other.files.write(data, path) }
    }
  }

  private func pair() async throws -> (Device, Device) {
    (try await Device("ann"), try await Device("bob"))
  }

  @Test("a file that is older than the notebook takes nothing back")
  func staleFile() async throws {
    let (ann, bob) = try await pair()
    let id = try await ann.notebook.add("Title\nv1\n")
    try await ann.putOut()
    try await ann.sync(bob)
    try await bob.putOut()
    try await ann.notebook.edit(id) { $0.append("v2\n") }
    try await ann.putOut()
    try await ann.sync(bob)
    let digest = try await bob.notebook.store.digest()
    #expect(try await bob.takeIn().notes == NoteImportReport(unchanged: 1))
    #expect(try await bob.notebook.store.digest() == digest)
    #expect(try await bob.putOut().written == 1)
    #expect(try bob.files.read("Title.md") == "Title\nv1\nv2\n")
    try await ann.close()
    try await bob.close()
  }

  @Test("changes of two devices' files, and of the app, are all there once")
  func bothChange() async throws {
    let (ann, bob) = try await pair()
    let id = try await ann.notebook.add("Title\nalpha\nbeta\n")
    try await ann.putOut()
    try await ann.sync(bob)
    try await bob.putOut()
    try ann.files.write("Title\nalpha\nbeta ANN\n", "Title.md")
    try bob.files.write("Title\nalpha BOB\nbeta\n", "Title.md")
    try await bob.notebook.edit(id) { $0.append("APP\n") }
    try await ann.takeIn()
    try await bob.takeIn()
    try await ann.sync(bob)
    let all = "Title\nalpha BOB\nbeta ANN\nAPP\n"
    for device in [ann, bob] {
      #expect(try await device.notebook.body(of: id) == all)
      #expect(try await device.putOut().written == 1)
      #expect(try device.files.read("Title.md") == all)
      #expect(try await device.takeIn().notes.unchanged == 1)
    }
    try await ann.close()
    try await bob.close()
  }

  @Test(
    "a file that is moved and changed later leaves what was typed in the app", arguments: [1, 2])
  func movedThenChanged(steps: Int) async throws {
    let device = try await Device("ann")
    try device.files.write("one\ntwo\n", "a.md")
    try await device.takeIn()
    let id = try #require(try await device.notebook.list().first?.id)
    try await device.notebook.edit(id) { $0.append("APP\n") }
    try FileManager.default.removeItem(at: device.files.url.appending(path: "a.md"))
    if steps == 2 {
      try device.files.write("one\ntwo\n", "sub/a.md")
      try await device.takeIn()
    }
    try device.files.write("one\ntwo changed\n", "sub/a.md")
    #expect(try await device.takeIn().notes == NoteImportReport(changed: 1))
    #expect(try await device.notebook.body(of: id) == "one\ntwo changed\nAPP\n")
    #expect(try await device.notebook.summary(of: id)?.folder != nil)
    try await device.close()
  }

  @Test("an export does not write a file again that was moved, and changed, since the last import")
  func movedBeforeExport() async throws {
    let device = try await Device("ann")
    let id = try await device.notebook.add("one\ntwo\n")
    try await device.putOut()
    try FileManager.default.removeItem(at: device.files.url.appending(path: "one.md"))
    try device.files.write("one\ntwo\nthree\n", "sub/one.md")
    #expect(try await device.putOut().findings.map(\.code) == [.changedOutside])
    #expect(try device.files.all().keys == ["sub/one.md"])
    #expect(try await device.takeIn().notes == NoteImportReport(changed: 1))
    #expect(try await device.notebook.body(of: id) == "one\ntwo\nthree\n")
    #expect(try await device.putOut().unchanged == 1)
    try await device.close()
  }

  @Test("a copy that was changed before it is seen takes out what it lacks, but nothing newer")
  func changedCopy() async throws {
    let (ann, bob) = try await pair()
    let id = try await ann.notebook.add("Title\nw1w\ngone\n")
    try await ann.putOut()
    try await ann.notebook.edit(id) { $0.assign("Title\nw7w\nw1w\ngone\n") }
    try await ann.sync(bob)
    // The copy is older than what was typed in the app.
    try bob.files.write("Title\nw5w\nw1w\n", "Title.md")
    #expect(try await bob.takeIn().notes == NoteImportReport(changed: 1))
    let lines = try #require(try await bob.notebook.body(of: id)).split(separator: "\n").sorted()
    #expect(lines == ["Title", "w1w", "w5w", "w7w"])
    try await ann.close()
    try await bob.close()
  }

  @Test("a copy of another device's files makes no note and no change, and nothing doubles")
  func copiedFolder() async throws {
    let (ann, bob) = try await pair()
    try ann.files.write("---\nkey: 1\ntags: [a]\n---\n\nOne\n", "Home/one.md")
    try await ann.takeIn()
    let id = try await ann.notebook.add("\n\nTwo\n")
    try await ann.putOut()
    try await ann.sync(bob)
    try ann.copy(to: bob)
    let digest = try await bob.notebook.store.digest()
    #expect(try await bob.takeIn().notes == NoteImportReport(unchanged: 2))
    #expect(try await bob.putOut().unchanged == 2)
    #expect(try await bob.notebook.store.digest() == digest)
    // A copy that is old by now, and one that was changed on the way.
    let carol = try await Device("carol")
    try ann.copy(to: carol)
    try await ann.notebook.edit(id) { $0.append("more\n") }
    try await ann.sync(carol)
    try carol.files.write("---\nkey: 1\ntags: [a]\n---\n\nOne\nCAROL\n", "Home/one.md")
    #expect(try await carol.putOut().findings.map(\.code) == [.changedOutside])
    try await carol.takeIn()
    #expect(try await carol.notebook.list().count == 2)
    #expect(try await carol.notebook.body(of: id) == "\n\nTwo\nmore\n")
    try await carol.sync(ann)
    #expect(try await ann.putOut().written == 2)
    #expect(try ann.files.read("Home/one.md") == "---\nkey: 1\ntags: [a]\n---\n\nOne\nCAROL\n")
    try await ann.close()
    try await bob.close()
    try await carol.close()
  }

  @Test("devices that import one new file while they are apart make one note, and no edit hides")
  func twins() async throws {
    let (ann, bob) = try await pair()
    try ann.files.write("---\nkey: 1\n---\nOne\nTwo\n", "one.md")
    try bob.files.write("---\nkey: 1\n---\nOne\nTwo\n", "Moved/one.md")
    for device in [ann, bob] {
      try await device.takeIn()
      let id = try #require(try await device.notebook.list().first?.id)
      try await device.notebook.edit(id) { $0.append("\(device.notebook.actor)\n") }
    }
    try await ann.sync(bob)
    // Both see to it at the same time.
    try await ann.takeIn()
    try await bob.takeIn()
    for _ in 1...3 {
      try await ann.sync(bob)
      for device in [ann, bob] {
        try await device.takeIn()
        try await device.putOut()
      }
    }
    let notes = try await ann.notebook.list()
    #expect(notes.count == 1)
    let body = try #require(try await ann.notebook.body(of: notes[0].id))
    #expect(body.split(separator: "\n").sorted() == ["One", "Two", "ann", "bob"])
    #expect(try await bob.notebook.body(of: notes[0].id) == body)
    #expect(try await ann.notebook.store.digest() == bob.notebook.store.digest())
    try await ann.close()
    try await bob.close()
  }

  @Test("a copy of a file that is imported before its note is known becomes that note")
  func unknownCopy() async throws {
    let (ann, bob) = try await pair()
    let id = try await ann.notebook.add("Note\n")
    try await ann.notebook.edit(id) { $0.append("One two three\n") }
    try await ann.putOut()
    try ann.copy(to: bob)
    #expect(try await bob.takeIn().notes.added == 1)
    try await bob.notebook.edit(try #require(try await bob.notebook.list().first?.id)) {
      $0.append("BOB\n")
    }
    try await ann.notebook.edit(id) { $0.append("ANN\n") }
    try await ann.sync(bob)
    for _ in 1...3 {
      for device in [ann, bob] {
        try await device.takeIn()
        try await device.putOut()
      }
      try await ann.sync(bob)
    }
    for device in [ann, bob] {
      #expect(try await device.notebook.list().map(\.id) == [id])
      let lines = try device.files.read("Note.md").split(separator: "\n").sorted()
      #expect(lines == ["ANN", "BOB", "Note", "One two three"])
      #expect(try device.files.all().count == 1)
    }
    try await ann.close()
    try await bob.close()
  }

  @Test("two files of one name that were never the same are two notes")
  func sameName() async throws {
    let (ann, bob) = try await pair()
    try ann.files.write("Ann's list\n", "todo.md")
    try bob.files.write("Something else of Bob\n", "todo.md")
    try await ann.takeIn()
    try await bob.takeIn()
    try await ann.sync(bob)
    for device in [ann, bob] {
      try await device.takeIn()
      try await device.putOut()
      #expect(try await device.notebook.list().count == 2)
      #expect(try device.files.all().count == 2)
    }
    #expect(try ann.files.read("todo.md") == "Ann's list\n")
    #expect(try bob.files.read("todo.md") == "Something else of Bob\n")
    try await ann.close()
    try await bob.close()
  }

  @Test("a change of a file that two devices import while they are apart is there once")
  func importedTwice() async throws {
    let (ann, bob) = try await pair()
    try ann.files.write("---\nkey: 1\n---\nOne\n", "one.md")
    try await ann.takeIn()
    try await ann.sync(bob)
    try await bob.putOut()
    let id = try #require(try await ann.notebook.list().first?.id)
    for (number, text) in ["One\nTwo\n", "One\nTwo\nThree\n"].enumerated() {
      try ann.files.write("---\nkey: 1\nmore: \(number)\n---\n\(text)", "one.md")
      try await ann.takeIn()
    }
    // Another program has copied the file after its second change.
    try ann.copy(to: bob)
    try await bob.takeIn()
    try await ann.sync(bob)
    try await ann.takeIn()
    try await bob.takeIn()
    try await ann.sync(bob)
    for device in [ann, bob] {
      try await device.takeIn()
      #expect(try await device.notebook.body(of: id) == "One\nTwo\nThree\n")
      try await device.putOut()
      #expect(try device.files.read("one.md") == "---\nkey: 1\nmore: 1\n---\nOne\nTwo\nThree\n")
    }
    // A change that is made again later is made again.
    for text in ["One\n", "One\nTwo\nThree\n", "One\n"] {
      try ann.files.write("---\nkey: 1\nmore: 1\n---\n\(text)", "one.md")
      try await ann.takeIn()
      #expect(try await ann.notebook.body(of: id) == text)
    }
    try await ann.close()
    try await bob.close()
  }

  @Test("a version of a file that two devices import is there once when they meet")
  func importedAlike() async throws {
    let (ann, bob) = try await pair()
    try ann.files.write("---\nkey: 1\n---\nOne\n", "one.md")
    try await ann.takeIn()
    try await ann.sync(bob)
    try await bob.putOut()
    let id = try #require(try await ann.notebook.list().first?.id)
    try ann.files.write("---\nkey: 1\n---\nOne\nTwo\n", "one.md")
    try ann.copy(to: bob)
    try await ann.takeIn()
    try await bob.takeIn()
    try await ann.sync(bob)
    for device in [ann, bob] {
      #expect(try await device.notebook.body(of: id) == "One\nTwo\n")
      try await device.close()
    }
  }

  @Test("an import that was undone is imported again from what the file has changed since")
  func undoneImport() async throws {
    let device = try await Device("ann")
    try device.files.write("one\n", "a.md")
    try await device.takeIn()
    let id = try #require(try await device.notebook.list().first?.id)
    try device.files.write("one\ntwo\n", "a.md")
    try await device.takeIn()
    let query = EventQuery(
      collection: NoteEntity.collection, id: id.rawValue, limit: 1, isNewestFirst: true)
    let event = try #require(try await device.notebook.store.events(query).all().first?.id)
    try await device.notebook.store.undo(event)
    try device.files.write("one\ntwo\nthree\n", "a.md")
    try await device.takeIn()
    #expect(try await device.notebook.body(of: id) == "one\nthree\n")
    try await device.close()
  }

  @Test("a folder that is elsewhere now is known by what it holds")
  func movedFolder() async throws {
    let device = try await Device("ann")
    for number in 0..<5 { try device.files.write("Text \(number)\n", "In/\(number).md") }
    try await device.takeIn()
    let other = try MarkdownFiles()
    defer { other.remove() }
    try await device.notebook.edit(try #require(try await device.notebook.list().first?.id)) {
      $0.append("APP\n")
    }
    for (path, data) in try device.files.all() { try other.write(data, path) }
    #expect(
      try await other.markdown().importNotes(into: device.notebook).notes
        == NoteImportReport(unchanged: 5))
    #expect(try await other.markdown().export(device.notebook).written == 1)
    #expect(try other.all().count == 5)
    try await device.close()
  }

  // MARK: - Any order

  /// Devices with folders of their own. Each word is written once, in one note.
  private final class Lives {
    var random: SplitMix64
    var devices: [Device] = []
    var words: Set<String> = []
    /// Names of files that were copied before their device had imported what they have.
    var early: Set<String> = []
    /// The words that were typed in the app.
    private var typed: Set<String> = []
    private var next = 0

    init(seed: UInt64) async throws {
      random = SplitMix64(seed: seed)
      for name in ["ann", "bob", "carol"] { devices.append(try await Device(name)) }
    }

    func close() async throws {
      for device in devices { try await device.close() }
    }

    private func word() -> String {
      next += 1
      let word = "w\(next)w"
      words.insert(word)
      return word
    }

    private func name(_ path: String) -> String { (path as NSString).lastPathComponent }

    private func found(in text: String) -> Set<String> {
      Set(text.matches(of: /w[0-9]+w/).map { String($0.output) })
    }

    /// The words that a device's notebook has.
    private func known(to device: Device) async throws -> Set<String> {
      var words: Set<String> = []
      for note in try await device.notebook.list() {
        words.formUnion(found(in: try await device.notebook.body(of: note.id) ?? ""))
      }
      return words
    }

    private func file(of device: Device) throws -> String? {
      let paths = try device.files.all().keys.sorted()
      return paths.isEmpty ? nil : paths[random.below(paths.count)]
    }

    private func insert(into text: String) -> String {
      var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      lines.insert(word(), at: random.below(lines.count + 1))
      return lines.joined(separator: "\n")
    }

    func step() async throws {
      let device = devices[random.below(devices.count)]
      switch random.below(14) {
      case 0:
        if try await device.notebook.list().count < 4 {
          let text = "Note \(word())\n"
          typed.formUnion(found(in: text))
          try await device.notebook.add(text)
        }
      case 1:
        if try device.files.all().count < 4 {
          let name = "f\(random.below(1_000_000)).md"
          try device.files.write("File \(word())\nmore\n", name)
        }
      case 2, 3:
        let notes = try await device.notebook.list()
        guard !notes.isEmpty else { return }
        let id = notes[random.below(notes.count)].id
        let body = try await device.notebook.body(of: id) ?? ""
        let changed = insert(into: body)
        typed.formUnion(found(in: changed).subtracting(found(in: body)))
        try await device.notebook.edit(id) { $0.assign(changed) }
      case 4, 5:
        guard let path = try file(of: device), !early.contains(name(path)) else { return }
        try device.files.write(insert(into: try device.files.read(path)), path)
      case 7:
        guard let path = try file(of: device), !early.contains(name(path)) else { return }
        let text = try device.files.read(path)
        try FileManager.default.removeItem(at: device.files.url.appending(path: path))
        try device.files.write(text, random.below(2) == 0 ? "Sub/\(name(path))" : name(path))
      case 6:
        guard let path = try file(of: device) else { return }
        let other = devices[random.below(devices.count)]
        // Another program brings a file to a device that has none of that note, and that knows the
        // words which the file has from the app.
        let text = try device.files.read(path)
        let (own, theirs) = (try await known(to: device), try await known(to: other))
        let all = found(in: text)
        let has = try other.files.all().contains {
          name($0.path) == name(path)
            || !found(in: String(decoding: $0.data, as: UTF8.self)).isDisjoint(with: all)
        }
        guard !has, typed.intersection(all).isSubset(of: theirs) else { return }
        if !all.isSubset(of: own.intersection(theirs)) { early.insert(name(path)) }
        try other.files.write(text, path)
      case 8, 9: try await device.takeIn()
      case 10: try await device.putOut()
      default:
        let other = devices[random.below(devices.count)]
        if other.notebook !== device.notebook { try await device.sync(other) }
      }
    }

    /// Imports, exports and syncs until nothing is left to do.
    func exchangeAll() async throws {
      for _ in 0..<4 {
        for device in devices {
          try await device.takeIn()
          try await device.putOut()
        }
        for device in devices.dropFirst() { try await devices[0].sync(device) }
        for device in devices.dropFirst() { try await devices[0].sync(device) }
      }
    }
  }

  @Test("every word that somebody typed, in an app or a file, is there once", arguments: 1...40)
  func anyOrder(seed: Int) async throws {
    let lives = try await Lives(seed: UInt64(seed))
    for _ in 0..<60 { try await lives.step() }
    try await lives.exchangeAll()
    for device in lives.devices {
      var counts: [String: Int] = [:]
      for note in try await device.notebook.list() {
        let body = try await device.notebook.body(of: note.id) ?? ""
        // What two people have added to a line without an end stands on one line.
        for word in body.matches(of: /w[0-9]+w/) { counts[String(word.output), default: 0] += 1 }
      }
      for word in lives.words.sorted() { #expect(counts[word] == 1, "\(word) in seed \(seed)") }
      let report = try await device.takeIn()
      #expect(report.notes.changed == 0 && report.notes.added == 0 && report.findings.isEmpty)
      #expect(try await device.putOut().written == 0)
    }
    let digests = [
      try await lives.devices[0].notebook.store.digest(),
      try await lives.devices[1].notebook.store.digest(),
      try await lives.devices[2].notebook.store.digest(),
    ]
    #expect(digests[0] == digests[1] && digests[1] == digests[2])
    try await lives.close()
  }
}
