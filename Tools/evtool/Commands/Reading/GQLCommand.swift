import ArgumentParser
import Daybook
import DaybookGQL
import DaybookJSON
import Foundation

/// The command `evtool gql`.
struct GQLCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "gql",
    abstract: "Runs statements of GQL (openCypher) on the store as a graph.",
    discussion: """
      Collections are labels, and relationship collections types. Other labels and types need no \
      definition. Each statement that writes is one event. Several statements have semicolons \
      between them: all are read before the first one runs, and one that fails ends the command. \
      Without QUERY, they are read from the input. On a terminal they are run as they are typed, \
      with history and completion; :help lists more.

      Examples:
        evtool gql notes.daybook "CREATE (:Person {name: 'Ann'})-[:KNOWS]->(:Person {name: 'Bob'})"
        evtool gql notes.daybook 'MATCH (p:Person {name: $name})-->(q) RETURN q' --param name=Ann
        evtool gql notes.daybook --json < queries.gql
      """)

  @OptionGroup var store: StoreArgument

  @Argument(help: "Statements, with semicolons between them. Default: those from the input.")
  var query: String?

  @Option(
    help: "A parameter, NAME=VALUE. VALUE is JSON, or else a text as it stands. Repeatable.",
    transform: GQLParameter.init)
  var param: [GQLParameter] = []

  @Option(help: "The most seconds that each statement may run. Default: no limit.")
  var seconds: Int?

  @Flag(help: "Refuse statements that write.")
  var readOnly = false

  @Option(help: "Who does it, for the history. Default: $DAYBOOK_ACTOR, else $USER.")
  var actor: String?

  @OptionGroup var output: JSONOption

  func validate() throws {
    guard seconds ?? 1 > 0 else { throw ValidationError("--seconds is at least 1") }
  }

  func run() async throws {
    if query == nil, Terminal.inputIsTerminal, !output.json { return try await runShell() }
    Interrupt.endAfter {}
    let statements = try statements()
    var writes = false
    for one in statements {
      let isWrite = try await surfacing(one) { try GQLSession.writes(one.text) }
      writes = writes || isWrite
    }
    if writes, readOnly { throw Failure(.usage, "a statement writes, and --read-only is given") }
    if writes {
      try await store.write(actor: actor) { try await run(statements, on: $0) }
    } else {
      try await store.read { try await run(statements, on: $0) }
    }
  }

  private func statements() throws -> [GQLScript.Statement] {
    let text = try query ?? input()
    do {
      let statements = try GQLScript.statements(text)
      guard statements.isEmpty, query != nil else { return statements }
      throw Failure(.usage, "the query has no statement", hint: "Try 'MATCH (n) RETURN n LIMIT 10'")
    } catch let error as GQLError { throw Self.failure(error) }
  }

  private func input() throws -> String {
    let bytes = FileHandle.standardInput.readDataToEndOfFile()
    guard let text = String(bytes: bytes, encoding: .utf8) else {
      throw Failure(.usage, "the statements are no text in UTF-8", hint: "Convert them first")
    }
    return text
  }

  private func runShell() async throws {
    let run: (Store) async throws -> Void = { store in
      var shell = GQLShell(store, sessionOptions, parameters, output)
      try await shell.run()
    }
    if readOnly {
      try await store.read(run)
    } else {
      try await store.write(actor: actor, run)
    }
  }

  private var parameters: [String: GQLValue] {
    Dictionary(param.map { ($0.name, $0.value) }) { $1 }
  }

  private var sessionOptions: GQLSession.Options {
    var options = GQLSession.Options()
    options.isReadOnly = readOnly
    options.budget.time = seconds.map { .seconds($0) }
    return options
  }

  /// Throws what is wrong with a statement with its place in all that was given.
  private func surfacing<T>(_ statement: GQLScript.Statement, _ body: () async throws -> T)
    async throws -> T
  {
    do { return try await body() } catch var error as GQLError {
      error.position = error.position?.moved(to: statement.start)
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: GQLError) -> Failure {
    var bare = error
    bare.hint = nil
    return Failure(.usage, bare.description, hint: error.hint)
  }

  private func run(_ statements: [GQLScript.Statement], on store: Store) async throws {
    let session = GQLSession(store, options: sessionOptions)
    for one in statements {
      let result = try await surfacing(one) { try await session.run(one.text, parameters) }
      try result.show(output, of: one.start)
    }
  }
}

/// An argument `NAME=VALUE`.
struct GQLParameter: Sendable {
  var name: String
  var value: GQLValue

  init(argument: String) throws {
    guard let equals = argument.unicodeScalars.firstIndex(of: "="),
      equals > argument.unicodeScalars.startIndex
    else { throw ValidationError("“\(argument)” is no NAME=VALUE") }
    name = String(argument[..<equals])
    let text = String(argument[argument.unicodeScalars.index(after: equals)...])
    do { value = try Self.value(text) } catch {
      throw ValidationError("the parameter \(name): \(error.message)")
    }
  }

  /// Returns a value that is given as JSON, or else as a text as it stands.
  /// - Throws: ``Failure`` if it is JSON that no value can be made of, such as a number that has no
  ///   room.
  static func value(_ text: String) throws(Failure) -> GQLValue {
    do { return GQLValue(try JSONParser.parse(Array(text.utf8))) } catch {
      switch error.code {
      case .malformedJSON, .invalidText: return .string(text)
      case .nestedTooDeep, .numberOutOfRange, .duplicateKey:
        throw Failure(
          .usage, error.message, hint: "Write it in quotes, as JSON, if it is a text")
      }
    }
  }
}
