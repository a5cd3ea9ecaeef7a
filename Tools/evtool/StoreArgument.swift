import ArgumentParser
import Daybook
import DaybookProjections
import Foundation

/// The store that a command works with.
struct StoreArgument: ParsableArguments {
  @Argument(help: "The store's folder.", completion: .directory)
  var store: String
  @OptionGroup var verbosity: VerboseOption

  /// The past of the store. A command within `evtool replay` uses it instead of opening the store.
  @TaskLocal static var past: Store?

  /// Opens the store, runs `body`, and always closes the store.
  func write<T>(
    actor: String? = nil, rebuilds: Bool = false, fills: Bool = false,
    progress: RebuildProgressLine = RebuildProgressLine("rebuilding the read model"),
    _ body: (Store) async throws -> T
  ) async throws -> T {
    guard Self.past == nil else { throw Failure(.usage, "the past cannot be written") }
    var options = try verbosity.options
    options.actor = actor ?? Self.defaultActor
    options.rebuildsReadModel = rebuilds
    options.defersProjection = fills
    options.lockTimeout = try Self.lockTimeout
    options.progress = { progress.update($0) }
    let store = try await Store.open(at: url, options: options)
    progress.clear()
    defer { progress.clear() }
    return try await use(store, body)
  }

  /// Opens the store for reading. If a crash left its read model behind the log, the store is
  /// opened for writing, which brings it up to date.
  func read<T>(_ body: (Store) async throws -> T) async throws -> T {
    if let past = Self.past { return try await body(past) }
    let store: Store
    do {
      var options = try verbosity.options
      options.isReadOnly = true
      store = try await Store.open(at: url, options: options)
    } catch let error as StoreError where error.code == .readOnly {
      return try await write(body)
    }
    return try await use(store, body)
  }

  private func use<T>(_ store: Store, _ body: (Store) async throws -> T) async throws -> T {
    for finding in store.damage.prefix(3) {
      StandardError.line("evtool: warning: the log is damaged: \(finding)")
    }
    let result: T
    do {
      result = try await body(store)
    } catch {
      try? await store.close()
      throw error
    }
    try await store.close()
    return result
  }

  var url: URL { URL(fileURLWithPath: store, isDirectory: true) }

  /// The lock timeout from `$DAYBOOK_LOCK_TIMEOUT`, in seconds, or else the store's default.
  static var lockTimeout: Duration {
    get throws {
      guard let text = Environment["DAYBOOK_LOCK_TIMEOUT"] else {
        return Store.Options().lockTimeout
      }
      guard let seconds = Double(text), seconds >= 0, seconds <= 86_400 else {
        throw Failure(.usage, "DAYBOOK_LOCK_TIMEOUT is “\(text)”, which is no number of seconds")
      }
      return .seconds(seconds)
    }
  }

  private static var defaultActor: String {
    Environment["DAYBOOK_ACTOR"] ?? Environment["USER"] ?? ""
  }
}

/// The progress line of a rebuild.
struct RebuildProgressLine: Sendable {
  private let lines: [Store.RebuildProgress.Phase: ProgressLine]

  init(_ label: String) {
    lines = [
      .reading: ProgressLine("\(label), reading", unit: "events"),
      .writing: ProgressLine("\(label), writing", unit: "steps"),
      .indexing: ProgressLine("\(label), indexing", unit: "steps"),
    ]
  }

  func update(_ progress: Store.RebuildProgress) {
    for (phase, line) in lines where phase != progress.phase { line.clear() }
    let fraction = progress.total > 0 ? Double(progress.done) / Double(progress.total) : nil
    lines[progress.phase]?.update(progress.done, fraction: fraction)
  }

  func clear() { for line in lines.values { line.clear() } }
}

/// The option to report what the library does.
struct VerboseOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say on the error stream what is done; see DAYBOOK_LOG.")
  var verbose = false

  /// The options of a store that logs to the error stream as requested.
  var options: Store.Options {
    get throws {
      var options = Store.Options()
      options.logger = try LogLines.logger(isVerbose: verbose)
      return options
    }
  }
}

/// The option that bounds a list.
struct LimitOption: ParsableArguments {
  @Option(help: "The most to show, at least 1.")
  var limit: Int?

  /// The most to show; without the option, all.
  var count: Int { limit ?? .max }

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
  }
}
