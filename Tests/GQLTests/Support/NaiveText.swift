/// The patterns and conditions of the naive evaluator as text.
extension NaiveEvaluator.Pattern {
  var text: String {
    var text = nodes[0].text
    for (step, node) in zip(steps, nodes.dropFirst()) { text += step.text + node.text }
    return text
  }
}

extension NaiveEvaluator.Node {
  fileprivate var text: String {
    let label = label.map { ":`\($0)`" } ?? ""
    let map = property.map { " {\($0.name): \($0.value.text)}" } ?? ""
    return "(v\(variable)\(label)\(map))"
  }
}

extension NaiveEvaluator.Number {
  fileprivate var text: String {
    switch self {
    case .literal(let value): "\(value)"
    case .variable(let number): "v\(number)"
    }
  }
}

extension NaiveEvaluator.Step {
  fileprivate var text: String {
    let name = variable.map { "v\($0)" } ?? ""
    let type = type.map { ":\($0)" } ?? ""
    let length = length.map { "*\($0.least)..\($0.most)" } ?? ""
    let map = property.map { " {\($0.name): \($0.value)}" } ?? ""
    return "\(direction < 0 ? "<" : "")-[\(name)\(type)\(length)\(map)]-\(direction > 0 ? ">" : "")"
  }
}

extension NaiveEvaluator.Condition {
  var text: String {
    switch self {
    case .less(let variable, let property, let limit): "v\(variable).\(property) < \(limit)"
    case .equal(let a, let first, let b, let second): "v\(a).\(first) = v\(b).\(second)"
    case .isNull(let variable, let property): "v\(variable).\(property) IS NULL"
    case .isMissing(let variable): "v\(variable) IS NULL"
    case .hasLabel(let variable, let label): "v\(variable):`\(label)`"
    case .connected(let a, let b, let type): "(v\(a))-[:\(type)]->(v\(b))"
    case .lessNumber(let variable, let limit): "v\(variable) < \(limit)"
    case .exists(let pattern, let inner):
      "EXISTS { MATCH \(pattern.text)\(inner.map { " WHERE \($0.text)" } ?? "") }"
    case .not(let inner): "NOT (\(inner.text))"
    case .and(let a, let b): "(\(a.text) AND \(b.text))"
    case .or(let a, let b): "(\(a.text) OR \(b.text))"
    }
  }
}
