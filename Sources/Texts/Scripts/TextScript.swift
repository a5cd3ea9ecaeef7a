/// A change of a text: what to keep, what to insert and what to delete, from its beginning to its
/// end.
///
/// Counts are Unicode scalars. A script is always in its *canonical form*, so that one change has
/// one encoding: no step is empty, neighbours differ in kind, an insertion stands before a deletion
/// at the same place, and nothing is kept after the last change.
///
/// Two scripts are equal if they insert the same scalars at the same places; `String`'s own `==`
/// would also accept canonically equivalent text.
public struct TextScript: Sendable {
  /// One step of a script.
  public enum Step: Sendable {
    /// Keeps as many scalars of the text.
    case retain(Int)
    /// Inserts scalars.
    case insert(String)
    /// Deletes as many scalars of the text.
    case delete(Int)
  }

  /// The largest count of a step, 2^53 - 1; larger counts are taken for it, and no text is as long.
  static let countLimit = (1 << 53) - 1

  /// The steps, in canonical form.
  public private(set) var steps: [Step] = []

  /// Makes a script that changes nothing.
  public init() {}

  /// Makes a script from steps, and brings them into canonical form.
  ///
  /// - Parameter steps: Steps from the beginning of the text. Counts below 1 and empty insertions
  ///   are left out.
  public init(_ steps: some Sequence<Step>) {
    for step in steps { append(step) }
    finish()
  }

  /// Makes a script that replaces one range.
  ///
  /// - Parameters:
  ///   - range: The range to delete, in scalars; a negative bound counts as 0.
  ///   - replacement: The text that is inserted at the beginning of the range.
  public init(replacing range: Range<Int>, with replacement: String) {
    let start = max(0, range.lowerBound)
    self.init([.retain(start), .insert(replacement), .delete(max(0, range.upperBound) - start)])
  }

  /// Whether the script changes nothing.
  public var isEmpty: Bool { steps.isEmpty }

  /// The number of scalars that a text must have for the script to fit, at most `Int.max`.
  public var lengthNeeded: Int {
    steps.reduce(0) { sum, step in
      switch step {
      case .insert: sum
      case .retain(let count), .delete(let count): sum.addingClamped(count)
      }
    }
  }

  /// Adds a step after the others; ``finish()`` has to follow the last one.
  mutating func append(_ step: Step) {
    switch step {
    case .retain(let count):
      guard count > 0 else { return }
      if case .retain(let before)? = steps.last {
        steps[steps.count - 1] = .retain(clamped(before, count))
      } else {
        steps.append(.retain(clamped(0, count)))
      }
    case .delete(let count):
      guard count > 0 else { return }
      if case .delete(let before)? = steps.last {
        steps[steps.count - 1] = .delete(clamped(before, count))
      } else {
        steps.append(.delete(clamped(0, count)))
      }
    case .insert(let text):
      guard !text.isEmpty else { return }
      if case .delete? = steps.last {
        let deletion = steps.removeLast()
        append(step)
        steps.append(deletion)
      } else if case .insert(var before)? = steps.last {
        steps.removeLast()
        before += text
        steps.append(.insert(before))
      } else {
        steps.append(step)
      }
    }
  }

  private func clamped(_ count: Int, _ more: Int) -> Int {
    min(count.addingClamped(more), TextScript.countLimit)
  }

  /// Drops what is kept after the last change.
  mutating func finish() {
    if case .retain? = steps.last { steps.removeLast() }
  }

  /// Returns the text that the script makes of a text, or nil if the text is too short for it.
  ///
  /// The cost is that of a copy of the text.
  public func applied(to text: String) -> String? {
    var text = text
    return text.withUTF8 { source in
      encoded.withUnsafeBytes { script in
        Self.apply(script, to: UnsafeRawBufferPointer(source))
          .map { String(decoding: $0, as: UTF8.self) }
      }
    }
  }

  /// Returns the text that an encoded script makes of a text, or nil if the text is too short.
  ///
  /// - Parameters:
  ///   - script: A script that ``check(_:)`` has accepted.
  ///   - source: The text in UTF-8.
  package static func apply(
    _ script: UnsafeRawBufferPointer, to source: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    var out: [UInt8] = []
    out.reserveCapacity(source.count + script.count)
    var at = 0
    var steps = RawSteps(script)
    while let step = steps.next() {
      switch step {
      case .retain(let count):
        guard let end = UTF8Scalars.offset(after: count, in: source, from: at) else { return nil }
        out.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[at..<end]))
        at = end
      case .delete(let count):
        guard let end = UTF8Scalars.offset(after: count, in: source, from: at) else { return nil }
        at = end
      case .insert(let piece, _): out.append(contentsOf: piece)
      }
    }
    out.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[at...]))
    return out
  }
}

extension TextScript.Step: Hashable {
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.retain(let a), .retain(let b)), (.delete(let a), .delete(let b)): a == b
    case (.insert(let a), .insert(let b)): a.utf8.elementsEqual(b.utf8)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .retain(let count):
      hasher.combine(0)
      hasher.combine(count)
    case .delete(let count):
      hasher.combine(1)
      hasher.combine(count)
    case .insert(let text):
      hasher.combine(2)
      for byte in text.utf8 { hasher.combine(byte) }
    }
  }
}

extension TextScript: Hashable {}

extension TextScript: CustomStringConvertible {
  /// The steps as `=3 +"oat" -2`.
  public var description: String {
    steps.map { step in
      switch step {
      case .retain(let count): "=\(count)"
      case .delete(let count): "-\(count)"
      case .insert(let text): "+\(text.debugDescription)"
      }
    }.joined(separator: " ")
  }
}

extension Int {
  /// The sum, or `Int.max` if it is larger. Neither number may be negative.
  func addingClamped(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
