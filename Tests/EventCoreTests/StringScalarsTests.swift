import DaybookEventCore
import DaybookSimulation
import Foundation
import Testing

/// Texts that are split by scalars.
@Suite struct StringScalarsTests {
  private func text(_ scalars: Unicode.Scalar...) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  @Test("a separator is found whichever mark combines with it")
  func separators() {
    for separator in NaughtyTexts.separators {
      for mark in NaughtyTexts.combining {
        let whole = text("x", separator, mark, "y")
        let parts = whole.parts(between: separator)
        #expect(parts.count == 2, "\(whole.debugDescription)")
        #expect(parts[0].isSame(as: "x") && parts[1].isSame(as: text(mark, "y")))
        #expect(whole.begins(with: text("x", separator)))
        #expect(whole.rest(after: text("x", separator))?.isSame(as: text(mark, "y")) == true)
        #expect(text("x", separator).ends(with: text(separator)))
        #expect(whole.replacing(separator, by: "--").isSame(as: "x--" + text(mark, "y")))
        #expect(!text("x", separator, mark).ends(with: text(separator)))
      }
    }
  }

  @Test("the parts of a text, joined by the separator, are the text again")
  func parts() {
    for whole in NaughtyTexts.all {
      for separator in NaughtyTexts.separators {
        let parts = whole.parts(between: separator)
        #expect(parts.joined(separator: text(separator)).isSame(as: whole))
        #expect(whole.begins(with: String(parts[0])))
      }
      #expect(whole.words.allSatisfy { !$0.isEmpty && whole.utf8.count >= $0.utf8.count })
      #expect(whole.cut(to: 3).unicodeScalars.count <= 4)
      #expect(whole.quotedForMessage.unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }
  }

  @Test("texts that are equivalent in Unicode are told apart")
  func sameness() {
    #expect("\u{E9}" == "e\u{301}" && !"\u{E9}".isSame(as: "e\u{301}"))
    #expect(!"\u{E9}x".begins(with: "e\u{301}") && "e\u{301}x".begins(with: "e"))
    #expect("".parts(between: ",") == [""] && ",".parts(between: ",") == ["", ""])
    #expect("abc".rest(after: "abcd") == nil && "abc".rest(before: "xabc") == nil)
    #expect("abc".rest(after: "abc") == "" && "abc".rest(before: "abc") == "")
    #expect("  a b ".withoutIndent == "a b " && " \t".withoutIndent == "")
  }

  /// Swift's own calls split by characters.
  @Test("the code that parses texts of others uses only calls that split by scalars")
  func oneHome() throws {
    let folders = [
      "Tools/evtool", "Sources/Interchange", "Sources/JSON", "Sources/Daybook/Blocking",
      "Sources/Engine/Commit", "Sources/Daybook/Entities", "Sources/Daybook/Graph",
      "Sources/Engine/Health", "Sources/Engine/Telemetry", "Sources/Daybook/History",
      "Sources/Daybook/Lists",
      "Sources/Daybook/Live", "Sources/Daybook/Search", "Sources/Daybook/Store",
      "Sources/Peers/SharedFolder", "Sources/Daybook/Undo", "Sources/Engine/Values",
      "Sources/Engine/Store",
      "Sources/Projections/Basics", "Sources/Projections/Entities", "Sources/Projections/Queries",
      "Sources/HubServer",
      "Sources/HubClient",
    ]
    let banned =
      #/
      \.has(Prefix|Suffix)\( | \.replacing\([^)]*with: | split\(separator:\ " |
      [a-zA-Z$0-9\\]\.isWhitespace | \.isLetter\b | \.isNumber\b[^(] |
      [^s]\.(first|last)Index\(of:\ "
      /#
    let allowed = [
      "properties.isWhitespace", "unicodeScalars.firstIndex", "unicodeScalars.lastIndex",
    ]
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    var found: [String] = []
    for folder in folders {
      let files = try FileManager.default.subpathsOfDirectory(
        atPath: root.appending(path: folder).path
      ).filter { $0.hasSuffix(".swift") }
      #expect(!files.isEmpty, "there is no source in \(folder)")
      for path in files {
        let source = try String(
          contentsOf: root.appending(path: folder).appending(path: path), encoding: .utf8)
        for (number, line) in source.split(separator: "\n", omittingEmptySubsequences: false)
          .enumerated()
        {
          let code = line.trimmingCharacters(in: .whitespaces)
          guard !code.hasPrefix("//"), code.contains(banned),
            !allowed.contains(where: { code.contains($0) })
          else { continue }
          found.append("\(folder)/\(path):\(number + 1): \(code)")
        }
      }
    }
    #expect(found.isEmpty, "go by scalars:\n\(found.joined(separator: "\n"))")
  }
}
