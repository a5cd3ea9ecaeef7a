/// The keys of a mapping in YAML, with their places in the text.
///
/// It is made of the parser's events. Only scalars, and lists of them, are kept as values: all that
/// front matter of notes needs.
struct YAMLOutline: Sendable {
  struct Scalar: Hashable, Sendable {
    var text: String
    /// Whether it stands there without quotes, so that it may be more than a text.
    var isPlain: Bool
    var tag: String?

    /// Whether it is no value at all.
    var isNull: Bool {
      if let tag { return tag == "tag:yaml.org,2002:null" }
      return isPlain && ["", "~", "null", "Null", "NULL"].contains(text)
    }
  }

  enum Value: Hashable, Sendable {
    case scalar(Scalar)
    /// A list, without those of its items that are no scalars.
    case list([Scalar])
    case other
  }

  /// A key and its value.
  struct Entry: Sendable {
    /// The key; nil if it is no scalar.
    var key: String?
    /// The places of key and value, in bytes of the text.
    var keyRange: Range<Int>
    var valueRange: Range<Int>
    var value: Value
    /// What the parser says of key and value.
    var events: [YAMLEvent.Kind]
    /// The names that the value gives, and those that key and value refer to.
    var anchors: Set<String>
    var aliases: Set<String>
  }

  /// The entries, in their order.
  private(set) var entries: [Entry] = []
  /// Whether the mapping stands in braces.
  private(set) var isFlow = false
  /// Why the text is not understood; nil if it is.
  private(set) var problem: String?

  /// The most collections within each other.
  static let depthMax = 256

  init(_ text: [UInt8]) {
    do throws(YAMLProblem) { try read(text) } catch {
      entries = []
      problem = error.message
    }
  }

  private mutating func read(_ text: [UInt8]) throws(YAMLProblem) {
    let parser = try YAMLParser(text)
    let places = ScalarPlaces(text)
    var documents = 0
    /// The number of collections that are open; the mapping of the keys is the first.
    var depth = 0
    var key: Part?
    var part: Part?
    var values: [String: Value] = [:]
    while true {
      let event = try parser.next()
      switch event.kind {
      case .endOfStream: return try requireUnique()
      case .other: continue
      case .document:
        documents += 1
        if documents > 1 { throw YAMLProblem(message: "it has more than one document") }
        continue
      default: break
      }
      if depth == 0 {
        guard case .mapping(let isFlow, _) = event.kind else {
          throw YAMLProblem(message: "it has no keys")
        }
        (self.isFlow, depth) = (isFlow, 1)
        continue
      }
      if depth == 1, event.kind == .endOfMapping {
        depth = 0
        continue
      }
      var current = part ?? Part(event)
      depth += current.take(event, &values)
      guard depth <= Self.depthMax else { throw YAMLProblem(message: "it is nested too deeply") }
      part = depth > 1 ? current : nil
      guard depth == 1 else { continue }
      if let first = key {
        entries.append(Entry(first, current, places))
        key = nil
      } else {
        key = current
      }
    }
  }

  private func requireUnique() throws(YAMLProblem) {
    var keys: Set<[UInt8]> = []
    for key in entries.lazy.compactMap(\.key) where !keys.insert(Array(key.utf8)).inserted {
      throw YAMLProblem(message: "it has the key “\(key.prefix(80))” twice")
    }
  }

  /// A key or a value while its events come.
  fileprivate struct Part {
    var start: Int
    var end: Int
    var value = Value.other
    var events: [YAMLEvent.Kind] = []
    var anchors: Set<String> = []
    var aliases: Set<String> = []
    /// By collection that is open, whether it stands in brackets.
    private var open: [Bool] = []
    private var items: [Scalar] = []
    private var listAnchor: String?

    init(_ first: YAMLEvent) { (start, end) = (first.range.lowerBound, first.range.lowerBound) }

    /// Takes the next event.
    /// - Parameter values: what anchors stand for.
    /// - Returns: by how many more collections are open.
    mutating func take(_ event: YAMLEvent, _ values: inout [String: Value]) -> Int {
      events.append(event.kind)
      var change = 0
      switch event.kind {
      case .alias(let name):
        let isNew = aliases.insert(name).inserted
        let known = values[name] ?? .other
        if open.isEmpty { value = known }
        // An item that is there already says nothing new.
        if case .scalar(let scalar) = known, open.count == 1, isNew { items.append(scalar) }
      case .scalar(let text, let isPlain, let properties):
        let scalar = Scalar(text: text, isPlain: isPlain, tag: properties.tag)
        name(properties.anchor, .scalar(scalar), &values)
        if open.isEmpty { value = .scalar(scalar) }
        if open.count == 1 { items.append(scalar) }
      case .sequence(let isFlow, let properties), .mapping(let isFlow, let properties):
        name(properties.anchor, .other, &values)
        if open.isEmpty, case .sequence = event.kind {
          value = .list([])
          listAnchor = properties.anchor
        }
        open.append(isFlow)
        change = 1
      case .endOfSequence, .endOfMapping:
        change = -1
        // The end of a block is only seen at what follows it, which may be far behind.
        if open.popLast() ?? false { end = max(end, event.range.upperBound) }
        if open.isEmpty, case .list = value {
          value = .list(items)
          if let listAnchor { values[listAnchor] = value }
        }
        return change
      default: break
      }
      end = max(end, event.range.upperBound)
      return change
    }

    private mutating func name(
      _ anchor: String?, _ value: Value, _ values: inout [String: Value]
    ) {
      guard let anchor else { return }
      anchors.insert(anchor)
      values[anchor] = value
    }
  }
}

extension YAMLOutline.Entry {
  fileprivate init(_ key: YAMLOutline.Part, _ value: YAMLOutline.Part, _ places: ScalarPlaces) {
    if case .scalar(let scalar) = key.value { self.key = scalar.text }
    keyRange = places.bytes(key.start..<key.end)
    valueRange = places.bytes(value.start..<value.end)
    self.value = value.value
    events = key.events + value.events
    anchors = key.anchors.union(value.anchors)
    aliases = key.aliases.union(value.aliases)
  }
}

/// The places of a text's Unicode scalars in its bytes.
private struct ScalarPlaces {
  private var starts: [Int]

  init(_ text: [UInt8]) {
    starts = text.indices.filter { text[$0] & 0xC0 != 0x80 }
    starts.append(text.count)
  }

  func bytes(_ scalars: Range<Int>) -> Range<Int> {
    let last = starts.count - 1
    return starts[min(scalars.lowerBound, last)]..<starts[min(scalars.upperBound, last)]
  }
}
