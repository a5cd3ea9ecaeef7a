import Foundation
import Testing

/// The built command, run as a process of its own, as a user's shell runs it.
struct Evtool {
  struct Result {
    var status: Int32
    var output: String
    var errors: String

    var lines: [Substring] { output.split(separator: "\n") }

    /// The output as JSON.
    func json() throws -> Any {
      try JSONSerialization.jsonObject(with: Data(output.utf8), options: [.fragmentsAllowed])
    }
  }

  /// Next to the bundle of the tests.
  static let binary: URL = {
    let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
    let arguments = CommandLine.arguments.map { URL(fileURLWithPath: $0) }
    for start in bundles + arguments {
      var folder = start
      for _ in 0..<4 {
        let candidate = folder.appending(path: "evtool")
        if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
        folder.deleteLastPathComponent()
      }
    }
    fatalError("evtool has not been built beside the tests; run swift build first")
  }()

  @discardableResult
  static func run(_ arguments: String..., input: String? = nil) throws -> Result {
    try run(arguments, input: input)
  }

  @discardableResult
  static func run(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:]
  ) throws -> Result {
    try RunningEvtool(arguments, input: input, environment: environment).wait()
  }
}

extension Evtool.Result {
  /// Whether the command ended with an exit code and one sentence (and at most a hint) that says
  /// so, as people and not as programmers speak.
  func isRefusal(_ status: Int32, _ words: String...) -> Bool {
    let lines = errors.split(separator: "\n")
    let jargon = ["Fatal error", "Error(", "Swift.", "StoreError", "LogError", "SQLITE_", "nil"]
    return self.status == status && (1...2).contains(lines.count)
      && errors.hasPrefix("evtool: ") && words.allSatisfy { errors.contains($0) }
      && !jargon.contains { errors.contains($0) }
  }
}

/// A run of evtool that is still going on. Its output goes to files, so that no pipe fills up.
final class RunningEvtool {
  let process = Process()
  private let folder: TemporaryFolder

  /// - Parameters:
  ///   - environment: beside `USER` and a `TMPDIR` of its own, or instead of them.
  ///   - command: the program and its first arguments; evtool itself where nil.
  init(
    _ arguments: [String], input: String? = nil, environment: [String: String] = [:],
    command: [String]? = nil
  ) throws {
    folder = try TemporaryFolder()
    let command = command ?? [Evtool.binary.path]
    process.executableURL = URL(fileURLWithPath: command[0])
    process.arguments = command.dropFirst() + arguments
    process.environment = ["USER": "ada", "TMPDIR": folder.url.path].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    if let input {
      let file = try folder.write(input, "input")
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
    }
    for name in ["output", "errors"] { try folder.write("", name) }
    process.standardOutput = try FileHandle(forWritingTo: folder.url.appending(path: "output"))
    process.standardError = try FileHandle(forWritingTo: folder.url.appending(path: "errors"))
    try process.run()
  }

  func wait() throws -> Evtool.Result {
    process.waitUntilExit()
    return Evtool.Result(
      status: process.terminationStatus, output: try folder.read("output"),
      errors: try folder.read("errors"))
  }

  /// The output, while it runs.
  func outputSoFar() throws -> String { try folder.read("output") }

  /// The errors and messages, while it runs.
  func errorsSoFar() throws -> String { try folder.read("errors") }

  /// Waits until a store's durable mark has changed that often, or the process has ended: so far an
  /// import has come.
  func waitForMarks(_ count: Int, in store: String) {
    var seen = 0
    var last: Data?
    while process.isRunning, seen < count {
      let mark = try? Data(contentsOf: URL(fileURLWithPath: store + "/log/mark"))
      if let mark, mark != last {
        last = mark
        seen += 1
      }
      sched_yield()
    }
  }
}

/// A folder that goes away with its owner.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "evtool-tests-\(UUID())")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    chmod(url.path, 0o755)
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String { url.appending(path: name).path }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }

  @discardableResult
  func write(_ text: String, _ name: String) throws -> String { try write(Data(text.utf8), name) }

  @discardableResult
  func write(_ data: Data, _ name: String) throws -> String {
    try data.write(to: url.appending(path: name))
    return path(name)
  }
}

extension TemporaryFolder {
  static let notes = """
    {"op":"define","collection":"notes","fields":[{"name":"title","type":"text","search":true},\
    {"name":"body","type":"text","search":true},{"name":"pinned","type":"boolean","index":true},\
    {"name":"rating","type":"real"},{"name":"count","type":"integer"},\
    {"name":"due","type":"timestamp"},{"name":"data","type":"blob"},{"name":"tags","type":"json"}]}
    {"op":"define","collection":"links","relationship":true,"fields":[{"name":"kind",\
    "type":"text"},{"name":"weight","type":"real"}]}
    {"op":"insert","collection":"notes","id":"n1","fields":{"title":"Oat milk","pinned":true,\
    "tags":["a"]}}
    {"op":"insert","collection":"notes","id":"n2","fields":{"title":"Coffee \\"dark\\" 😀",\
    "rating":4.5}}
    {"op":"insert","collection":"notes","id":"n3","fields":{"title":"Sugar",\
    "due":"2026-01-31T08:30:00Z","data":"AAE="}}
    {"op":"insert","collection":"links","id":"l1","source":"n1","target":"n2",\
    "fields":{"kind":"goes_with","weight":1}}
    {"op":"insert","collection":"links","id":"l2","source":"n2","target":"n3",\
    "fields":{"kind":"sweetened_by","weight":2.5}}

    """

  /// A store with three notes and two links.
  func makeStore(_ name: String = "store") throws -> String {
    let store = path(name)
    try Evtool.run("init", store)
    let file = try write(Self.notes, "\(name).ndjson")
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
    return store
  }

  /// A file of a define and that many inserts.
  func writeInserts(_ count: Int, prefix: String, name: String) throws -> String {
    var text =
      #"{"op":"define","collection":"things","fields":["#
      + #"{"name":"title","type":"text","search":true}]}"#
      + "\n"
    for number in 1..<count {
      text += #"{"op":"insert","collection":"things","id":"\#(prefix)\#(number)","#
      text += #""fields":{"title":"thing number \#(number) of \#(prefix)"}}"# + "\n"
    }
    return try write(text, name)
  }
}
