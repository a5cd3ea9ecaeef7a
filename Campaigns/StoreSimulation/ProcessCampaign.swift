import DaybookSimulation
package import Foundation

/// Real processes that share one store and are killed at random moments.
///
/// At the end, every acknowledged write must be present and the store sound. The observer, which is
/// never killed, must have seen every event once and in order.
package struct ProcessCampaign {
  package private(set) var kills = 0
  package private(set) var acknowledged = 0
  package private(set) var story: [String] = []
  private let program: URL
  private let base: URL
  private let writers: Int
  private var random: SplitMix64
  private var children: [Child] = []

  private static let patience = Duration.seconds(120)

  /// A process with its successors after it is killed.
  private struct Child {
    var name: String
    var arguments: [String]
    var process: Process
    /// The output file, to which each successor appends.
    var output: URL
    var errors: URL
  }

  /// - Parameters:
  ///   - program: The executable of simulate-store.
  ///   - folder: The parent of the store's folder. That folder is made, and removed after success.
  package init(seed: UInt64, writers: Int = 2, program: URL, in folder: URL) {
    self.program = program
    self.writers = writers
    base = folder.appending(path: "processes-\(seed)", directoryHint: .isDirectory)
    random = SplitMix64(seed: seed)
  }

  private var store: URL { base.appending(path: "store") }
  private var stop: URL { base.appending(path: "stop") }
  /// The file that stops the observer, after all other processes have ended.
  private var stopLast: URL { base.appending(path: "stop-last") }

  /// Runs the processes, and checks the store at the end.
  ///
  /// - Parameter rounds: Number of processes to kill.
  /// - Throws: ``Violation`` if a promise is broken; otherwise errors of the store and the file
  ///   system.
  package mutating func run(rounds: Int) async throws {
    try? FileManager.default.removeItem(at: base)
    try FileManager.default.createDirectory(at: base, withIntermediateDirectories: true)
    try await StoreProcess.make(store)
    do {
      try start()
      for _ in 0..<rounds { try await killOne() }
      try await end()
    } catch {
      for child in children where child.process.isRunning { kill(child) }
      throw error
    }
    try FileManager.default.removeItem(at: base)
  }

  private mutating func start() throws {
    try start("observer", .observer, 0)
    for number in 1...writers { try start("writer \(number)", .writer, number) }
    try start("reader", .reader, 0)
    try start("rebuilder", .rebuilder, 0)
  }

  private mutating func start(_ name: String, _ role: StoreProcess.Role, _ number: Int) throws {
    let file = name.replacing(" ", with: "-")
    var child = Child(
      name: name,
      arguments: [
        "process", role.rawValue, "--number", "\(number)", "--store", Self.path(store), "--stop",
        Self.path(role == .observer ? stopLast : stop),
      ], process: Process(), output: base.appending(path: "\(file).output"),
      errors: base.appending(path: "\(file).errors"))
    for url in [child.output, child.errors] { try Data().write(to: url) }
    try launch(&child)
    children.append(child)
  }

  private func launch(_ child: inout Child) throws {
    child.process = Process()
    child.process.executableURL = program
    child.process.arguments = child.arguments
    child.process.standardInput = FileHandle.nullDevice
    let (output, errors) = (
      try FileHandle(forWritingTo: child.output), try FileHandle(forWritingTo: child.errors)
    )
    try output.seekToEnd()
    try errors.seekToEnd()
    child.process.standardOutput = output
    child.process.standardError = errors
    try child.process.run()
  }

  private static func path(_ url: URL) -> String { url.path(percentEncoded: false) }

  private func kill(_ child: Child) {
    Foundation.kill(child.process.processIdentifier, SIGKILL)
    child.process.waitUntilExit()
  }

  // MARK: - Rounds

  /// Waits for further writes, then kills one process other than the observer, and starts it again.
  private mutating func killOne() async throws {
    let goal = progress() + 1 + random.below(25)
    try await wait("for \(goal) writes") { $0.progress() >= goal }
    // The observer has index 0.
    let index = 1 + random.below(children.count - 1)
    story.append("\(children[index].name) is killed at about \(progress()) writes")
    kill(children[index])
    try launch(&children[index])
    kills += 1
  }

  /// Returns the number of acknowledged writes.
  private func progress() -> Int {
    (1...writers).reduce(0) { $0 + last("writer \($1)") }
  }

  /// Returns the last number that a writer reported as acknowledged, in a complete line.
  private func last(_ name: String) -> Int {
    guard let child = children.first(where: { $0.name == name }),
      let text = try? String(contentsOf: child.output, encoding: .utf8)
    else { return 0 }
    // An incomplete line may hold only the first digits of a number.
    return text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
      .split(separator: "\n").compactMap { Int($0) }.max() ?? 0
  }

  private func wait(_ what: String, _ isDone: (Self) throws -> Bool) async throws {
    let end = ContinuousClock.now + Self.patience
    while try !isDone(self) {
      for child in children where !child.process.isRunning {
        guard child.process.terminationStatus == 0, isStopped else { throw failure(child) }
      }
      guard ContinuousClock.now < end else {
        throw Violation(.recoverable, "waited too long \(what)")
      }
      try await Task.sleep(for: .milliseconds(2))
    }
  }

  private var isStopped: Bool { FileManager.default.fileExists(atPath: Self.path(stop)) }

  private func failure(_ child: Child) -> Violation {
    let said = (try? String(contentsOf: child.errors, encoding: .utf8)) ?? ""
    return Violation(
      .recoverable, "\(child.name) has ended with \(child.process.terminationStatus): \(said)")
  }

  // MARK: - The end

  private mutating func end() async throws {
    try Data().write(to: stop)
    try await wait("for the others to end") { campaign in
      campaign.children[1...].allSatisfy { !$0.process.isRunning }
    }
    try Data().write(to: stopLast)
    try await wait("for the observer to end") { !$0.children[0].process.isRunning }
    for child in children where child.process.terminationStatus != 0 { throw failure(child) }
    let tallies = try await StoreProcess.tallies(at: store)
    for number in 1...writers {
      let (said, there) = (last("writer \(number)"), tallies["w\(number)"] ?? 0)
      acknowledged += said
      guard there >= said else {
        throw Violation(.kept, "writer \(number) was told of \(said), and \(there) are there")
      }
    }
    let seen = try String(contentsOf: children[0].output, encoding: .utf8)
    let final = tallies.keys.sorted().map { "\($0.dropFirst()) \(tallies[$0] ?? 0)" }
    guard seen.split(separator: "\n").map(String.init) == final else {
      throw Violation(.projected, "the observer saw \(seen), and there is \(final)")
    }
    try await StoreRun.verify(store)
    if let name = StoreRun.setAside(store).first {
      throw Violation(.noFalseAlarm, "\(name) was set aside")
    }
  }
}
