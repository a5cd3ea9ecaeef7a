/// The words of a command line: `--name value` pairs anywhere, the others in order.
struct BenchArguments {
  private(set) var positional: [String] = []
  private var options: [String: String] = [:]

  init(_ words: some Sequence<String>) throws(BenchError) {
    var words = words.makeIterator()
    while let word = words.next() {
      guard word.hasPrefix("--") else {
        positional.append(word)
        continue
      }
      guard let value = words.next() else { throw BenchError("\(word) needs a value") }
      options[String(word.dropFirst(2))] = value
    }
  }

  /// Removes and returns the next word in order.
  ///
  /// - Throws: ``BenchError`` if there is none.
  mutating func next(_ name: String) throws(BenchError) -> String {
    guard !positional.isEmpty else { throw BenchError("\(name) is missing") }
    return positional.removeFirst()
  }

  /// Removes and returns an option that is a whole number, or `value` if it was not given.
  mutating func number(_ name: String, default value: Int) throws(BenchError) -> Int {
    guard let text = options.removeValue(forKey: name) else { return value }
    guard let number = Int(text), number >= 0, number <= Int(Int32.max) else {
      throw BenchError("--\(name) takes a whole number, not \(text)")
    }
    return number
  }

  /// Removes and returns an option that is any text; nil if it was not given.
  mutating func text(_ name: String) -> String? { options.removeValue(forKey: name) }

  /// Removes and returns an option that is one of a few words, or `value` if it was not given.
  mutating func choice<Value>(
    _ name: String, of values: KeyValuePairs<String, Value>, default value: Value
  ) throws(BenchError) -> Value {
    guard let text = options.removeValue(forKey: name) else { return value }
    guard let found = values.first(where: { $0.key == text }) else {
      throw BenchError("--\(name) is one of \(values.map(\.key).joined(separator: ", "))")
    }
    return found.value
  }

  /// Checks that every word was taken, so that a misspelled option never measures something else.
  ///
  /// - Throws: ``BenchError`` if a word is left.
  func finish() throws(BenchError) {
    if let name = options.keys.sorted().first { throw BenchError("unknown option --\(name)") }
    if let word = positional.first { throw BenchError("unexpected argument \(word)") }
  }
}
