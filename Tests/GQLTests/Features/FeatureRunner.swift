import Daybook
import Foundation

@testable import DaybookGQL

/// Runs the steps of a scenario on a store.
final class FeatureRunner {
  /// What a scenario expects and did not get.
  private struct Difference: Error { var words: String }

  private struct Contents {
    var nodes: Set<String> = []
    var relationships: Set<String> = []
    var labels: Set<String> = []
    var properties: Set<String> = []
  }

  /// The folder of feature files; nil if none is named.
  static let folder = ProcessInfo.processInfo.environment["DAYBOOK_FEATURES"]

  let store: Store
  private let graphs: URL
  private var parameters: [String: GQLValue] = [:]
  private var options = GQLSession.Options()
  private var before = Contents()
  private var result: Result<GQLResult, any Error>?

  init(_ store: Store, graphs: URL) {
    self.store = store
    self.graphs = graphs
  }

  /// Returns what a scenario expects and did not get; nil if it passes.
  func failure(of scenario: FeatureFile.Scenario) async -> String? {
    do {
      for step in scenario.steps { try await take(step) }
      return nil
    } catch let difference as Difference {
      return difference.words
    } catch {
      return "\(error)"
    }
  }

  private func take(_ step: FeatureFile.Step) async throws {
    let words = step.words
    switch true {
    case words == "an empty graph" || words == "any graph": break
    case words.hasPrefix("the binary-tree-"):
      let name = words.split(separator: " ")[1]
      let text = try String(contentsOf: graphs.appending(path: "\(name).cypher"), encoding: .utf8)
      try await GQLSession(store).run(text)
    case words == "having executed:": try await GQLSession(store).run(step.text)
    case words == "parameters are:": try await setParameters(step.table)
    case words.hasPrefix("there exists a procedure "): addProcedure(step)
    case words == "executing query:" || words == "executing control query:":
      before = try await contents()
      let session = GQLSession(store, options: options)
      do { result = .success(try await session.run(step.text, parameters)) } catch {
        result = .failure(error)
      }
    case words.hasPrefix("the result should be"): try checkResult(step)
    case words == "no side effects": try await checkEffects([])
    case words == "the side effects should be:": try await checkEffects(step.table)
    case words.contains(" should be raised at "): try checkError(words)
    default: throw Difference(words: "unknown step: \(words)")
    }
  }

  private func setParameters(_ table: [[String]]) async throws {
    for row in table {
      // A parameter is written as a literal of the language.
      parameters[row[0]] = try await GQLSession(store).run("RETURN \(row[1])").rows[0][0]
    }
  }

  private func addProcedure(_ step: FeatureFile.Step) {
    let words = step.words.dropFirst("there exists a procedure ".count)
    let parts = words.components(separatedBy: ") :: (")
    let (name, arguments) = (parts[0].prefix { $0 != "(" }, parts[0].drop { $0 != "(" }.dropFirst())
    func declared(_ text: some StringProtocol) -> [GQLProcedure.Argument] {
      text.split(separator: ",").compactMap { one in
        let words = one.components(separatedBy: "::").map {
          $0.trimmingCharacters(in: .whitespaces)
        }
        guard words.count == 2 else { return nil }
        let type = words[1].lowercased().filter(\.isLetter)
        return .init(words[0], .init(rawValue: type) ?? .any)
      }
    }
    let taken = declared(arguments)
    let fields = declared(parts.last!.prefix { $0 != ")" })
    let rows = step.table.dropFirst()
    options.procedures.append(
      GQLProcedure(String(name), arguments: taken, fields: fields.map(\.name)) { values in
        rows.filter { row in
          zip(row, values).allSatisfy { cell, value in
            let given = FeatureValue.text(value, sorted: false)
            let wanted = FeatureValue.text(cell: cell, sorted: false)
            return given == wanted || Double(given) != nil && Double(given) == Double(wanted)
          }
        }.map { row in row.dropFirst(taken.count).map(Self.value) }
      })
  }

  private static func value(_ cell: String) -> GQLValue {
    if cell == "null" { return .null }
    if let number = Int64(cell) { return .integer(number) }
    if let number = Double(cell) { return .float(number) }
    return .string(String(cell.dropFirst().dropLast()))
  }

  // MARK: - Checks

  private func checkResult(_ step: FeatureFile.Step) throws {
    guard let result = try result?.get() else { throw Difference(words: "no query was run") }
    let sorted = step.words.contains("ignoring element order")
    let have = result.rows.map { row in
      row.map { FeatureValue.text($0, sorted: sorted) }.joined(separator: " | ")
    }
    guard !step.words.hasSuffix("be empty") else {
      guard have.isEmpty else { throw Difference(words: "expected nothing, and got \(have)") }
      return
    }
    let wanted = step.table.dropFirst().map { row in
      row.map { FeatureValue.text(cell: $0, sorted: sorted) }.joined(separator: " | ")
    }
    let names = step.table.first ?? []
    guard result.columns == names else {
      throw Difference(words: "expected the columns \(names), and got \(result.columns)")
    }
    let isOrdered = step.words.contains("in order")
    guard isOrdered ? have == wanted : have.sorted() == wanted.sorted() else {
      throw Difference(words: "expected \(wanted), and got \(have)")
    }
  }

  private func checkError(_ words: String) throws {
    switch result {
    case .failure(let error as GQLError):
      let parts = words.components(separatedBy: ": ")
      guard parts.count == 2, parts[1] == error.detail || parts[1] == "*" else {
        throw Difference(words: "expected “\(words)”, and got \(error.detail): \(error)")
      }
      let isEarly = [.syntax, .unsupported, .missingParameter].contains(error.code)
      guard isEarly || !words.contains("compile time") else {
        throw Difference(words: "expected “\(words)”, and got \(error.code): \(error)")
      }
    case .failure(let error): throw Difference(words: "expected “\(words)”, and got \(error)")
    case .success(let result):
      throw Difference(words: "expected “\(words)”, and got \(result.rows.prefix(3))")
    case nil: throw Difference(words: "no query was run")
    }
  }

  private func contents() async throws -> Contents {
    let session = GQLSession(store)
    var contents = Contents()
    func add(_ id: GQLElementID, _ properties: GQLMap) {
      for (key, value) in properties.entries {
        contents.properties.insert("\(id) \(key) \(FeatureValue.text(value, sorted: false))")
      }
    }
    for row in try await session.run("MATCH (n) RETURN n").rows {
      guard case .node(let node) = row[0] else { continue }
      contents.nodes.insert("\(node.id)")
      contents.labels.formUnion(node.labels)
      add(node.id, node.properties)
    }
    for row in try await session.run("MATCH ()-[r]->() RETURN r").rows {
      guard case .relationship(let one) = row[0] else { continue }
      contents.relationships.insert("\(one.id)")
      add(one.id, one.properties)
    }
    return contents
  }

  private func checkEffects(_ table: [[String]]) async throws {
    let now = try await contents()
    let pairs = [
      ("nodes", before.nodes, now.nodes),
      ("relationships", before.relationships, now.relationships),
      ("labels", before.labels, now.labels), ("properties", before.properties, now.properties),
    ]
    var have: [String: Int] = [:]
    for (name, old, new) in pairs {
      have["+\(name)"] = new.subtracting(old).count
      have["-\(name)"] = old.subtracting(new).count
    }
    let wanted = Dictionary(table.map { ($0[0], Int($0[1]) ?? 0) }) { $1 }
    for (name, count) in have where count != wanted[name] ?? 0 {
      throw Difference(words: "expected \(wanted[name] ?? 0) of \(name), and got \(count)")
    }
  }
}
