import Daybook
package import Foundation

/// A process that types numbers in a text, in an editing session, until it is killed.
///
/// It prints each number that is durable.
package struct TypistProcess: Sendable {
  private let folder: URL

  package init(store: URL) { folder = store }

  /// Makes the store with an empty text.
  package static func make(_ folder: URL) async throws {
    let store = try await Store.create(at: folder)
    try await store.write { tx in
      try tx.define(Definition("notes", [.text("body").merging()]))
      try tx.insert("notes", "n1")
    }
    try await store.close()
  }

  /// Returns the numbers in the text of a store.
  package static func numbers(at folder: URL) async throws -> [Int?] {
    let store = try await Store.open(at: folder)
    let body = try await store.fetch("notes", "n1")?["body"]
    try await store.close()
    guard case .text(let text)? = body else { return [] }
    return text.split(separator: " ").map { Int($0) }
  }

  /// Leaves only the first numbers in the text of a store.
  package static func cut(to count: Int, at folder: URL) async throws {
    let text = (1..<count + 1).map { "\($0) " }.joined()
    let store = try await Store.open(at: folder)
    try await store.write { tx in try tx.edit("notes", "n1", "body") { $0.assign(text) } }
    try await store.close()
  }

  /// Types until the process is killed, or its parent has died.
  /// - Throws: errors of the store.
  package func run() async throws {
    let store = try await Store.open(at: folder)
    var options = EditingSession.Options(actor: "typist")
    (options.pause, options.intervalMax) = (.milliseconds(3), .milliseconds(9))
    let session = try await store.editingSession("notes", "n1", text: "body", options: options)
    let first = session.text.split(separator: " ").count + 1
    let states = session.states
    let saying = Task {
      var said = 0
      for await state in states {
        // A number is one edit for each digit and one for the space.
        while said < state.written, state.written >= Self.edits(first, said + 1) {
          said += 1
          FileHandle.standardOutput.write(Data("\(first + said - 1)\n".utf8))
        }
      }
    }
    var number = first
    while getppid() != 1 {
      for letter in "\(number) " {
        try session.insert(String(letter), at: session.text.unicodeScalars.count)
      }
      number += 1
      // Pauses of all lengths, so that what is typed is written in all ways.
      try await Task.sleep(for: .microseconds(Int.random(in: 0...400)))
      if number % 97 == 0 { try await session.flush() }
    }
    saying.cancel()
  }

  /// The edits that some numbers take, from the first on.
  private static func edits(_ first: Int, _ count: Int) -> Int {
    (first..<first + count).reduce(0) { $0 + "\($1) ".count }
  }
}
