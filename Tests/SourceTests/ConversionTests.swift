import Foundation
import Testing

/// Numbers from clocks, files, options and peers can have any value, and a conversion that has no
/// room for one ends the process. So each conversion that could lack room says what happens then:
/// `exactly`, `clamping`, `truncatingIfNeeded`, or `saturating` for numbers with a fraction.
@Suite struct ConversionTests {
  /// A conversion to an integer that does not say what happens if there is no room.
  private struct Conversion {
    var place: String
    var type: String
    var argument: String
  }

  private static let labels = [
    "clamping:", "exactly:", "truncatingIfNeeded:", "saturating:", "bitPattern:", "littleEndian:",
    "bigEndian:", "ascii:",
  ]

  private static let files = ["Sources", "Tools/evtool"].flatMap {
    SourceTree.files(below: $0, ending: ".swift")
  }

  private static func conversions() throws -> [Conversion] {
    var found: [Conversion] = []
    for file in files {
      let lines = try SourceTree.text(file).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() {
        let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
        for match in code.matches(of: /(?:^|[^\w.])(U?Int(?:8|16|32|64)?)\(/) {
          // An argument may go on in the lines that follow.
          let following = lines[(number + 1)...].prefix(4).joined(separator: " ")
          let argument = Self.argument("\(code[match.range.upperBound...]) \(following)")
          guard !labels.contains(where: argument.hasPrefix) else { continue }
          found.append(
            Conversion(place: "\(file):\(number + 1)", type: String(match.1), argument: argument))
        }
      }
    }
    return found
  }

  /// The text up to the parenthesis that closes the call, with single spaces.
  private static func argument(_ text: String) -> String {
    var depth = 1
    let inside = text.prefix { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth > 0
    }
    return inside.split(separator: " ").joined(separator: " ")
  }

  @Test("no time, and no number with a fraction, is converted without a word about its bounds")
  func fractions() throws {
    let all = try Self.conversions()
    #expect(all.count > 300)
    let signs = try Regex(
      #"\.rounded\(|[tT]imeInterval|\bDouble\b|\bDate\b|/ \.\w|\* 1_?000\b"#
        + #"|\b[lL]eft\b|elapsed|\b(?:milli|nano)?[sS]econds\b|fraction\b"#)
    for conversion in all where conversion.argument.contains(signs) {
      Issue.record("\(conversion.place): \(conversion.type)(\(conversion.argument))")
    }
  }

  @Test("an integer is made narrower only by name, or if it counts or indexes what is in memory")
  func narrower() throws {
    let names =
      "index|columns?|field|parameter|position|number|bit|mode|row|count|bytes|size|capacity|kind"
      + "|operation|collection|record|what|rawLength|storedLength"
    let bounded = try Regex(
      #"^(?:(?:\w+\??\.)*(?:\#(names))|\$0)(?: [+-] \d+)?$"#
        // A constant of C, a literal, a digit of a text, and what is small by the operator.
        + #"|^(?:SQLITE|DAYBOOK|LZ4|F|TIOC)_\w+$|^-?\d\w*$|^OperationKind\.\w+$"#
        + #"|^byte - 0x\w+(?: \+ \d+)?$|^min\(\w+, \d+\)$|^\w+ % \d+$|^try reader\.index\(\)$"#)
    let narrow = try Self.conversions().filter { $0.type.contains(/Int(?:8|16|32)$/) }
    #expect(narrow.count > 50)
    for conversion in narrow where conversion.argument.wholeMatch(of: bounded) == nil {
      Issue.record("\(conversion.place): \(conversion.type)(\(conversion.argument))")
    }
  }

  @Test("no call waits until a date: Foundation counts its nanoseconds, and traps after 2262")
  func dates() throws {
    let calls = [
      "wait(until:", "lock(before:", "Thread.sleep(until:", "Date(timeIntervalSinceNow:",
      "Date.distantFuture", "DispatchWallTime", "wallDeadline:",
    ]
    for file in Self.files {
      let text = try SourceTree.text(file)
      for call in calls {
        #expect(!text.contains(call), "\(file) calls \(call) Wait for a duration instead")
      }
    }
  }
}
