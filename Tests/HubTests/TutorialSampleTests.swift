import Foundation
import Testing

@testable import DaybookHubServer

#if Macros
  /// The last step of the tutorial in the documentation, run as a program against a hub.
  @Suite struct TutorialSampleTests {
    /// A device on which the program runs, with a store of its own.
    private struct Device {
      let user: String
      let folder: URL
      let hub: String
      let token: String

      /// Runs the program, and returns the lines that it has printed.
      func notes(_ arguments: String...) async throws -> [String] {
        let process = Process()
        process.executableURL = try Self.binary()
        process.arguments = arguments
        process.environment = ["USER": user, "NOTES": folder.path, "NOTES_TOKEN": token]
        // Files, because a pipe that nobody reads meanwhile fills up.
        let output = try Self.emptyFile(folder.appendingPathExtension("output"))
        let errors = try Self.emptyFile(folder.appendingPathExtension("errors"))
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        // The hub is in this process, so no thread of the pool may wait.
        let status = try await withCheckedThrowingContinuation { continuation in
          process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
          do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let problem = try String(contentsOf: errors, encoding: .utf8)
        #expect(status == 0, "\(user): notes \(arguments.joined(separator: " "))\n\(problem)")
        let text = try String(contentsOf: output, encoding: .utf8)
        return text.split(separator: "\n").map(String.init)
      }

      func sync() async throws {
        let states = try await notes("sync", hub)
        #expect(states.last == "idle 0 ", "\(states)")
      }

      private static func emptyFile(_ file: URL) throws -> URL {
        try Data().write(to: file)
        return file
      }

      /// The program beside the bundle of the tests.
      private static func binary() throws -> URL {
        let bundles = Bundle.allBundles.map(\.bundleURL) + [Bundle.main.bundleURL]
        let starts = bundles + CommandLine.arguments.map { URL(fileURLWithPath: $0) }
        let candidates = starts.flatMap { start in
          sequence(first: start) { $0.deletingLastPathComponent() }.prefix(5)
            .map { $0.appending(path: "tutorial-sample") }
        }
        return try #require(
          candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) },
          "tutorial-sample has not been built beside the tests")
      }
    }

    @Test("the tutorial's app finds notes, takes an edit back, syncs, and settles a conflict")
    func tutorial() async throws {
      let place = try HubPlace()
      defer { place.remove() }
      let token = try place.token("notes")
      try await place.withHub { hub in
        let devices = ["ann", "bob"].map {
          Device(
            user: $0, folder: place.folder.appending(path: $0), hub: hub.address, token: token)
        }
        let (ann, bob) = (devices[0], devices[1])

        let milk = try Self.id(try await ann.notes("add", "Oat", "milk"))
        let list = try Self.id(try await ann.notes("add", "Shopping"))
        #expect(try await ann.notes("link", list, milk).isEmpty)
        #expect(try await ann.notes("related", list) == ["\(milk) - Oat milk"])
        #expect(try await ann.notes("path", list, milk) == ["[\"\(list)\", \"\(milk)\"] 1.0"])
        #expect(try await ann.notes("search", "oa") == ["\(milk) [Oat] milk"])

        let edit = try #require(try await ann.notes("rename", milk, "Cow", "milk").first)
        _ = try await ann.notes("undo", edit)
        _ = try await ann.notes("pin", milk)
        #expect(try await ann.notes("list") == ["\(milk) * Oat milk", "\(list) - Shopping"])
        let history = try await ann.notes("history", milk)
        #expect(history.filter { $0.contains(" ann ") }.count == 4, "\(history)")
        #expect(history.last == "not there yesterday")

        try await ann.sync()
        try await bob.sync()
        #expect(try await bob.notes("list") == ["\(milk) * Oat milk", "\(list) - Shopping"])

        _ = try await ann.notes("rename", milk, "Oat milk, two")
        _ = try await bob.notes("rename", milk, "Soy milk")
        for device in [ann, bob, ann] { try await device.sync() }
        let conflicts = try await bob.notes("conflicts")
        #expect(conflicts.first == "\(milk) title" && conflicts.count == 3, "\(conflicts)")
        #expect(try await ann.notes("conflicts") == conflicts)

        let before = try await bob.notes("list")
        _ = try await bob.notes("settle", milk)
        for device in [bob, ann] { try await device.sync() }
        for device in [ann, bob] { #expect(try await device.notes("conflicts").isEmpty) }
        let after = try await bob.notes("list")
        #expect(after != before && after.first?.hasPrefix("\(milk) * ") == true, "\(after)")
        #expect(try await ann.notes("list") == after)
      }
    }

    /// Returns the first word of what `add` has printed.
    private static func id(_ lines: [String]) throws -> String {
      String(try #require(lines.first?.split(separator: " ").first))
    }
  }
#endif
