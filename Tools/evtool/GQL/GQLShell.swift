import Daybook
import DaybookEngine
import DaybookGQL
import Foundation

/// The loop of `evtool gql` on a terminal.
struct GQLShell {
  private let store: Store
  private let session: GQLSession
  private let editor = LineEditor(history: "gql_history")
  private var input = GQLShellInput()
  private var parameters: [String: GQLValue]
  private let output: JSONOption
  /// The position that statements read, and how the person has named it; nil for the present.
  private var past: (position: Position, name: String)?

  init(
    _ store: Store, _ options: GQLSession.Options, _ parameters: [String: GQLValue],
    _ output: JSONOption
  ) {
    self.store = store
    self.parameters = parameters
    self.output = output
    session = GQLSession(store, options: options)
  }

  /// Runs what is typed up to the end of the input.
  mutating func run() async throws {
    StandardOutput.line(Terminal.dim("Statements end with a semicolon; :help lists commands"))
    await learnWords()
    while true {
      StandardOutput.flush()
      try StandardOutput.check()
      let prompt = input.isWithinStatement ? "...> " : "\(past?.name ?? "gql")> "
      let line = try await Blocking.run { [editor] in editor.read(prompt) }
      guard let line else { break }
      do {
        for entry in try input.take(line) where try await !perform(entry) { return }
      } catch { report(error, "") }
    }
    StandardOutput.line()
  }

  private func report(_ error: any Error, _ statement: String) {
    StandardOutput.flush()
    guard let error = error as? GQLError else {
      _ = Failure(error).report()
      return
    }
    StandardError.line("evtool: \(error.explanation(in: statement))")
  }

  /// Performs an entry.
  /// - Returns: false if it ends the shell.
  private mutating func perform(_ entry: GQLShellInput.Entry) async throws -> Bool {
    switch entry {
    case .statement(let text):
      await run(text)
      return !session.isClosed
    case .explain(let text): await run("EXPLAIN " + text)
    case .parameters:
      for (name, value) in parameters.sorted(by: { $0.key < $1.key }) {
        StandardOutput.line("$\(name) = \(value)")
      }
    case .parameter(let name, let value): parameters[name] = value
    case .noParameter(let name): parameters[name] = nil
    case .moment(let name): past = try await name.asyncMap { (try await store.position($0), $0) }
    case .help: StandardOutput.line(Self.help)
    case .quit: return false
    }
    return true
  }

  private mutating func run(_ text: String) async {
    editor.remember(text + ";")
    let begin = ContinuousClock.now
    do {
      let result = try await session.run(text, parameters, at: past?.position)
      let took = (ContinuousClock.now - begin) / .seconds(1)
      try result.show(output)
      if !result.columns.isEmpty {
        let count = result.rows.count
        StandardOutput.line(
          Terminal.dim("\(count) \(count == 1 ? "row" : "rows") in \(Text.seconds(took))"))
      }
      if result.event != nil { await learnWords() }
    } catch { report(error, text) }
  }

  /// Gives the editor the words of the language and the names of the graph.
  private func learnWords() async {
    func names(_ procedure: String) async -> [String] {
      let rows = try? await session.run("CALL \(procedure)()").rows
      return (rows ?? []).compactMap { if case .string(let name) = $0[0] { name } else { nil } }
    }
    let labels = await names("db.labels")
    let completion = GQLCompletion(
      language: GQLSession.words, names: await names("db.relationshipTypes") + labels,
      properties: await names("db.propertyKeys"))
    editor.setWords { completion.words(for: $0, behind: $1) }
  }

  private static let help = """
    STATEMENT;                  runs it; it may go over several lines
    :explain STATEMENT          its plan
    :params                     all parameters
    :params NAME VALUE          gives one a value, JSON or a text
    :params NAME                takes one away
    :at POSITION                reads the past: a time, an event, a version vector
    :at now                     reads the present again
    :quit
    The Tab key completes labels, types, properties, functions and words of the language.
    """
}

extension Optional where Wrapped == String {
  fileprivate func asyncMap<T>(_ body: (String) async throws -> T) async rethrows -> T? {
    guard let self else { return nil }
    return try await body(self)
  }
}
