import DaybookJSON

/// How large values are, for the budget of a statement.
///
/// A list may stand in another one several times and be in memory once. What goes over a value goes
/// over each, so each counts.
extension GQLValue {
  /// The deepest nesting of lists and maps that an expression makes. One level less than JSON has:
  /// a property that is a list of dates is one level deeper as JSON.
  static let depthMax = JSONParser.depthMax - 1

  /// About how many bytes the value takes.
  var bytes: Int {
    var count = 0
    _ = add(to: &count, atMost: .max, depth: .min)
    return count
  }

  /// Adds about how many bytes the value takes, and ends when there are too many.
  /// - Parameters:
  ///   - count: the bytes so far.
  ///   - limit: the bytes at which to end.
  ///   - depth: the lists and maps around the value.
  /// - Returns: false if lists and maps are nested more than ``depthMax`` deep.
  func add(to count: inout Int, atMost limit: Int, depth: Int = 0) -> Bool {
    switch self {
    case .string(let text): count += 24 + text.utf8.count
    case .list(let elements):
      count += 40
      guard depth < Self.depthMax else { return false }
      for element in elements where count <= limit {
        guard element.add(to: &count, atMost: limit, depth: depth + 1) else { return false }
      }
    case .map(let map):
      guard depth < Self.depthMax else { return false }
      return map.add(to: &count, atMost: limit, depth: depth)
    case .node(let node):
      count += 120
      return node.properties.add(to: &count, atMost: limit, depth: .min)
    case .relationship(let one):
      count += 200
      return one.properties.add(to: &count, atMost: limit, depth: .min)
    case .path(let path): count += 120 * (path.nodes.count + path.relationships.count)
    default: count += 24
    }
    return true
  }

  /// Whether the value holds others.
  var isNested: Bool {
    switch self {
    case .list, .map: true
    default: false
    }
  }
}

extension GQLMap {
  fileprivate func add(to count: inout Int, atMost limit: Int, depth: Int) -> Bool {
    count += 40
    for (key, value) in entries where count <= limit {
      count += key.utf8.count
      guard value.add(to: &count, atMost: limit, depth: depth + 1) else { return false }
    }
    return true
  }
}
