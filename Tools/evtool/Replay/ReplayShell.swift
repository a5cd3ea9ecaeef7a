import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookProjections
import Foundation

/// The loop of `evtool replay`. It reads lines, moves through the history, and runs evtool's own
/// commands on the past instead of the store.
struct ReplayShell {
  static let now = "now"

  private let store: Store
  private let path: String
  private let output: JSONOption
  private let folder: CommandFolder
  private let input = fdopen(STDIN_FILENO, "r")
  /// The store at the current position; nil at the present, as commands then use the
  /// store itself.
  private var past: Store?
  private var vector = VersionVector()
  /// The position as it was requested.
  private var place = ""
  private var number = 0
  private var status: ExitStatus?

  /// Creates a shell on a store.
  /// - Parameters:
  ///   - store: An open store, which the caller closes.
  ///   - path: The store's folder, passed to commands, which do not open it.
  ///   - output: How it is shown, also by the commands.
  init(_ store: Store, path: String, _ output: JSONOption) throws {
    self.store = store
    self.path = path
    self.output = output
    folder = try CommandFolder()
  }

  /// Runs the lines up to the end of the input.
  /// - Returns: The status of the first failed command; nil if none failed, or the input is a
  ///   terminal.
  mutating func run(from position: String) async throws -> ExitStatus? {
    defer { folder.remove() }
    try await move(to: position)
    while true {
      do {
        guard let line = try nextLine(), try await perform(try ReplayLine(line)) else { break }
      } catch {
        report(error)
      }
      StandardOutput.flush()
      try StandardOutput.check()
    }
    try await past?.close()
    return Terminal.inputIsTerminal ? nil : status
  }

  /// Reads the next line; nil at the end of the input.
  private mutating func nextLine() throws -> String? {
    if Terminal.inputIsTerminal {
      StandardOutput.write(Array("\(Terminal.bold(place))> ".utf8))
      StandardOutput.flush()
    }
    number += 1
    var bytes: UnsafeMutablePointer<CChar>?
    var capacity = 0
    defer { free(bytes) }
    guard let input, case let count = getline(&bytes, &capacity, input), count > 0 else {
      if Terminal.inputIsTerminal { StandardOutput.line() }
      return nil
    }
    let line = UnsafeRawBufferPointer(start: bytes, count: count)
    guard let text = String(utf8: line) else {
      throw Failure(.usage, "the line is not UTF-8", hint: "Save the commands as UTF-8")
    }
    return text.rest(before: "\n").map(String.init) ?? text
  }

  private mutating func report(_ error: any Error) {
    StandardOutput.flush()
    var failure = Failure(error)
    if !Terminal.inputIsTerminal, !failure.message.isEmpty {
      failure.message = "line \(number): \(failure.message)"
    }
    _ = failure.report()
    status = status ?? failure.status
  }

  /// Performs a line.
  /// - Returns: false if the line ends the shell.
  private mutating func perform(_ line: ReplayLine) async throws -> Bool {
    switch line {
    case .nothing: break
    case .quit: return false
    case .help: StandardOutput.line(Self.help)
    case .place: try await showPlace()
    case .move(let position): try await move(to: position)
    case .step(let count): try await step(count)
    case .command(let words, let index): try await run(words, storeAt: index)
    }
    return true
  }

  // MARK: - Commands

  private func run(_ words: [String], storeAt index: Int) async throws {
    var arguments = words
    arguments.insert(path, at: min(index, arguments.count))
    // Words after “--” are not options.
    let options = words.prefix { $0 != "--" }
    if output.json, words[0] != "export", !options.contains("--json"), !options.contains("--csv") {
      arguments.insert("--json", at: min(index + 1, arguments.count))
    }
    do {
      try await StoreArgument.$past.withValue(past ?? store) {
        try await EvtoolCommand.run(try Arguments.command(arguments))
      }
    } catch  where EvtoolCommand.exitCode(for: error) == .success {
      StandardOutput.line(EvtoolCommand.fullMessage(for: error))
    } catch  where EvtoolCommand.exitCode(for: error) == .validationFailure {
      throw Failure(
        .usage, EvtoolCommand.message(for: error), hint: "“\(words[0]) --help” explains it")
    }
  }

  private static let help = """
    show COLLECTION ID          an entity as it was
    history COLLECTION ID       what had happened to it
    search WORDS                full-text search
    query SQL, or just SQL      the tables as they were
    graph neighbors|reach|path|subgraph|importance …
    log [--newest] [--limit N]  the events up to here
    diff POS [POS]              what differs between two positions up to here
    digest, export              as of the same names in evtool
    at POS                      moves: a time, ORIGIN:SEQUENCE, a version vector, or now
    next [N], back [N], step N  moves by events, in the order in which they were authored
    where                       says where this is
    quit                        so does the end of the input
    """

  // MARK: - Moving

  private mutating func move(to name: String) async throws {
    if name == Self.now {
      try await past?.close()
      (past, place) = (nil, name)
    } else {
      let position = try await store.position(name)
      let target = try await store.vector(at: position)
      try await open(try await store.at(position), target, called: name)
    }
    try await showPlace()
  }

  /// Takes in events that other processes have written, if the position is now.
  private mutating func refresh() async throws {
    guard past == nil else { return }
    vector = try await store.vector(at: .vector(try await store.digest().vector))
  }

  private mutating func step(_ count: Int) async throws {
    try await refresh()
    let (next, events) = try await store.step(from: vector, by: count)
    guard !events.isEmpty else {
      throw Failure(
        .problem, count < 0 ? "nothing comes before this" : "nothing comes after this")
    }
    let last = count > 0 ? events.last : try await store.step(from: next, by: -1).events.first
    try await open(
      try await store.at(exactly: next), next, called: last.map(Text.event) ?? "nothing")
    var report = report
    report.lines = []
    for event in events.prefix(Self.passedMax) {
      guard let logged = try await store.event(event) else { continue }
      report.line("\(count > 0 ? "+" : "-") \(LogCommand.line(logged))")
    }
    let more = events.count - Self.passedMax
    if more > 0 { report.line("… and \(Text.count(more, "more event"))") }
    try output.show(report)
  }

  /// The most events of a step that are shown.
  private static let passedMax = 10

  private mutating func open(_ moment: PastStore, _ target: VersionVector, called name: String)
    async throws
  {
    let line = RebuildProgressLine("making the state at \(name)")
    defer { line.clear() }
    let next = try await moment.open(in: folder.url) { line.update($0) }
    try await past?.close()
    (past, vector, place) = (next, target, name)
  }

  private mutating func showPlace() async throws {
    try await refresh()
    try output.show(report)
  }

  /// Where the shell is.
  private var report: Report {
    Report { [place, vector] in
      let events = vector.entries.reduce(0) { $0 + $1.sequence }
      $0.fact("at", place)
      $0.fact("events", events)
      $0.fact("vector", vector)
      $0.line(
        Terminal.dim(
          "at \(place): \(Text.count(events, "event")) of \(Text.count(vector.count, "origin"))"))
    }
  }
}
