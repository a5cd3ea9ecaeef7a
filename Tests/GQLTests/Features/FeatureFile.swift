import Foundation

/// A file of scenarios in Gherkin, as openCypher's own tests are written.
struct FeatureFile {
  struct Step: Sendable {
    var words: String
    /// The text between the triple quotes below the step.
    var text = ""
    /// The rows of the table below the step.
    var table: [[String]] = []
  }

  struct Scenario: Sendable {
    var name: String
    var steps: [Step]
  }

  /// The scenarios; an outline is one for each row of its examples.
  private(set) var scenarios: [Scenario] = []

  private var background: [Step] = []
  private var name = ""
  private var steps: [Step] = []
  private var isBackground = false
  private var examples: [[String]]?
  private var hadExamples = false

  init(_ text: String) {
    var quoted: [String]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let words = line.trimmingCharacters(in: .whitespaces)
      if words == "\"\"\"" {
        if let lines = quoted {
          steps[steps.count - 1].text = Self.withoutIndent(lines)
          quoted = nil
        } else {
          quoted = []
        }
      } else if quoted != nil {
        quoted?.append(String(line))
      } else if !words.isEmpty, !words.hasPrefix("#"), !words.hasPrefix("@") {
        add(words)
      }
    }
    finish()
  }

  private mutating func add(_ words: String) {
    if words.hasPrefix("|") {
      let cells = Self.cells(words)
      if examples != nil {
        examples?.append(cells)
      } else {
        steps[steps.count - 1].table.append(cells)
      }
      return
    }
    for keyword in ["Given ", "When ", "Then ", "And ", "But "] where words.hasPrefix(keyword) {
      return steps.append(Step(words: String(words.dropFirst(keyword.count))))
    }
    if words.hasPrefix("Examples:") || words.hasPrefix("Scenarios:") {
      addExamples()
      examples = []
      return
    }
    finish()
    isBackground = words.hasPrefix("Background:")
    name = words
  }

  private static func withoutIndent(_ lines: [String]) -> String {
    let indents = lines.filter { !$0.allSatisfy { $0 == " " } }.map {
      $0.prefix { $0 == " " }.count
    }
    let indent = indents.min() ?? 0
    return lines.map { String($0.dropFirst(indent)) }.joined(separator: "\n")
  }

  private static func cells(_ line: String) -> [String] {
    var cells: [String] = []
    var cell = ""
    var isEscaped = false
    for character in line.dropFirst().unicodeScalars {
      if isEscaped {
        cell += character == "n" ? "\n" : character == "|" || character == "\\" ? "" : "\\"
        if character != "n" { cell.unicodeScalars.append(character) }
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "|" {
        cells.append(cell.trimmingCharacters(in: .whitespaces))
        cell = ""
      } else {
        cell.unicodeScalars.append(character)
      }
    }
    return cells
  }

  /// Adds a scenario for each of the examples so far.
  private mutating func addExamples() {
    guard let examples, let names = examples.first else { return }
    hadExamples = true
    for row in examples.dropFirst() {
      func filled(_ text: String) -> String {
        zip(names, row).reduce(text) { $0.replacingOccurrences(of: "<\($1.0)>", with: $1.1) }
      }
      let all = (background + steps).map { step in
        Step(
          words: filled(step.words), text: filled(step.text),
          table: step.table.map { $0.map(filled) })
      }
      scenarios.append(
        Scenario(name: "\(name) (\(row.joined(separator: ", ")))", steps: all))
    }
    self.examples = nil
  }

  private mutating func finish() {
    addExamples()
    if isBackground {
      background = steps
    } else if !hadExamples, !steps.isEmpty {
      scenarios.append(Scenario(name: name, steps: background + steps))
    }
    steps = []
    isBackground = false
    hadExamples = false
  }
}
