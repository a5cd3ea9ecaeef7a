extension RandomClauses {
  var text: String {
    let names = columns.indices.map { "c\($0)" }
    var text = clauses.map(\.text).joined(separator: " ")
    let shown = zip(columns, names).map { "\($0.text) AS \($1)" }.joined(separator: ", ")
    text += " RETURN \(isDistinct ? "DISTINCT " : "")\(shown)"
    guard let page else { return text }
    let keys = zip(names, page.isDescending).map { "\($0)\($1 ? " DESC" : "")" }
    return text
      + " ORDER BY \(keys.joined(separator: ", ")) SKIP \(page.skip) LIMIT \(page.limit)"
  }
}

extension RandomClauses.Clause {
  fileprivate var text: String {
    switch self {
    case .match(let patterns, let condition, let isOptional):
      return "\(isOptional ? "OPTIONAL " : "")MATCH "
        + patterns.map(\.text).joined(separator: ", ")
        + (condition.map { " WHERE \($0.text)" } ?? "")
    case .unwind(let numbers, let variable): return "UNWIND \(numbers) AS v\(variable)"
    case .with(let variables, let isDistinct, let count, let condition):
      var items = variables.map { "v\($0)" }
      if let count {
        items.append("count(\(count.of.map { "v\($0)" } ?? "*")) AS v\(count.into)")
      }
      return "WITH \(isDistinct ? "DISTINCT " : "")\(items.joined(separator: ", "))"
        + (condition.map { " WHERE \($0.text)" } ?? "")
    }
  }
}

extension RandomClauses.Column {
  fileprivate var text: String {
    switch self {
    case .number(let variable): "v\(variable)"
    case .property(let variable, let name): "v\(variable).\(name)"
    case .countRows: "count(*)"
    case .countDistinct(let variable, let name): "count(DISTINCT v\(variable).\(name))"
    case .sum(let variable, let name): "sum(v\(variable).\(name))"
    case .least(let variable, let name): "min(v\(variable).\(name))"
    case .most(let variable, let name): "max(v\(variable).\(name))"
    }
  }
}
