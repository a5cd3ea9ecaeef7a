import Foundation
import Testing

/// The examples of README.
@Suite struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Returns the blocks of a language, in order.
  private static func blocks(_ language: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    return text.components(separatedBy: "```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
  }

  @Test("the shell block of the README runs from nothing, and every line succeeds")
  func shell() throws {
    let block = try #require(try Self.blocks("sh").first { $0.contains("evtool init") })
    let folder = try TemporaryFolder()
    let bin = folder.url.appending(path: "bin")
    try FileManager.default.createDirectory(at: bin, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: bin.appending(path: "evtool"), withDestinationURL: Evtool.binary)
    let work = folder.url.appending(path: "work")
    try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)

    // A hub begins to listen after the shell has continued, so the script waits for it, as a person
    // would. The hub gets a free port.
    var script = "set -eu\nexport PATH=\(bin.path):$PATH\n"
    for line in block.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("evtool serve") else {
        script += line.replacingOccurrences(of: "http://127.0.0.1:8080", with: "$address") + "\n"
        continue
      }
      script += """
        evtool serve hub --insecure-local --listen 127.0.0.1:0 > listening &
        trap 'kill $! 2> /dev/null || :' EXIT
        until grep -q listening listening; do kill -0 $!; done
        address=$(sed 's/listening on //' listening)

        """
    }
    let file = try folder.write(script, "script.sh")
    let result = try RunningEvtool(
      [], command: ["/bin/sh", "-c", "cd \"$0\" && . \"$1\"", work.path, file]
    ).wait()
    #expect(result.status == 0, "\(result.output)\n\(result.errors)")
    for words in [
      "[Oat] [milk]", "“Oat milk” → “Oat milk, two”", "nothing is hidden", "healthy",
      "nothing to repair", "no conflicts",
    ] { #expect(result.output.contains(words), "\(words) in \(result.output)") }
    #expect(result.output.contains("sent ") && result.errors.contains("1 row into the collection"))
  }

  @Test("the sample app writes, reads, observes, searches and undoes, and ends without a hub")
  func sample() throws {
    let binary = Evtool.binary.deletingLastPathComponent().appending(path: "typed-notes-sample")
    let result = try RunningEvtool([], command: [binary.path]).wait()
    #expect(result.status == 0, "\(result.errors)")
    for words in ["SELECT ", "Oat milk [\"shop\"]", "Oat milk [Oat] milk", "ann ["] {
      #expect(result.output.contains(words), "\(words) in \(result.output)")
    }
    #expect(result.output.contains("offline ") || result.output.contains("error "))
  }

  @Test("the Swift blocks of the README compile, run, and print the expected output")
  func swift() throws {
    let blocks = try Self.blocks("swift").filter { !$0.hasPrefix(".package") }
    let sample = try String(
      contentsOf: Self.root.appending(path: "Tests/ReadmeSample/main.swift"), encoding: .utf8)
    // The first block is a whole file; the others stand in a function.
    for (number, block) in blocks.enumerated() {
      let indent = number == 0 ? "" : "    "
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map {
        $0.isEmpty ? "" : indent + $0
      }
      #expect(
        sample.contains("\n" + lines.joined(separator: "\n") + "\n"),
        "Tests/ReadmeSample/main.swift has to have this block of README.md:\n\(block)")
    }
    let binary = Evtool.binary.deletingLastPathComponent().appending(path: "readme-sample")
    let result = try RunningEvtool([], command: [binary.path]).wait()
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("Oat milk [Oat] milk"), "\(result.output)")
    #expect(result.output.contains("[\"Shopping\"] 1.0 not there yet"), "\(result.output)")
    #expect(result.output.contains("[\"Oat milk\"] [\"[Oat] milk\"]\n"), "\(result.output)")
    #expect(result.output.contains("ann ["))
    #expect(result.output.contains("idle, 0 to send"), "\(result.output)")
  }
}
