import Daybook
import DaybookEventCore
import Foundation

/// What a source's text has changed since a base that is not known for sure, line by line.
///
/// A copy may have come from another state than the one that it is compared with. What that state
/// has and the copy lacks may be newer than the copy, and what both the copy and the note have may
/// have come here by another way. Neither is a change then.
struct LineFit {
  /// The most lines that are told apart: as many as there are scalars above U+10000.
  private static let symbolsMax = 0x10_0000
  /// The most lines between the first and the last change that are compared for the fewest changes.
  private static let comparedMax = 3_000

  private let base: [Substring]
  private let text: [Substring]
  private let steps: [Step]

  /// Compares two texts; nil if they have more lines than can be told apart.
  init?(from base: String, to text: String) {
    func lines(_ text: String) -> [Substring] {
      text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    }
    (self.base, self.text) = (lines(base), lines(text))
    guard let steps = Self.steps(from: self.base, to: self.text) else { return nil }
    self.steps = steps
  }

  /// What becomes of some lines; those that are inserted stand before those that are deleted.
  private enum Step {
    case retain(Int)
    case insert(Int)
    case delete(Int)
  }

  /// Returns the steps that make one list of lines of another one; nil if there are too many.
  ///
  /// Every line that both have in the same order is kept, as long as not too many are compared.
  private static func steps(from base: [Substring], to text: [Substring]) -> [Step]? {
    var symbols: [ExactText: Unicode.Scalar] = [:]
    func scalars(_ lines: [Substring]) -> [Unicode.Scalar]? {
      var scalars: [Unicode.Scalar] = []
      for line in lines {
        let line = ExactText(String(line))
        if symbols[line] == nil {
          guard symbols.count < symbolsMax else { return nil }
          symbols[line] = Unicode.Scalar(UInt32(clamping: 0x1_0000 + symbols.count))
        }
        if let symbol = symbols[line] { scalars.append(symbol) }
      }
      return scalars
    }
    guard let old = scalars(base), let new = scalars(text) else { return nil }
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old[start...].reversed(), new[start...].reversed()).prefix { $0 == $1 }.count
    let (mine, others) = (old[start..<old.count - end], new[start..<new.count - end])
    guard mine.count + others.count <= comparedMax else {
      func string(_ scalars: [Unicode.Scalar]) -> String {
        String(String.UnicodeScalarView(scalars))
      }
      return TextScript(from: string(old), to: string(new)).steps.map { step in
        switch step {
        case .retain(let count): .retain(count)
        case .insert(let symbols): .insert(symbols.unicodeScalars.count)
        case .delete(let count): .delete(count)
        }
      }
    }
    let difference = Array(others).difference(from: Array(mine))
    func places(_ changes: [CollectionDifference<Unicode.Scalar>.Change]) -> Set<Int> {
      Set(
        changes.map { change in
          switch change {
          case .insert(let offset, _, _), .remove(let offset, _, _): offset
          }
        })
    }
    let (gone, come) = (places(difference.removals), places(difference.insertions))
    var steps: [Step] = start > 0 ? [.retain(start)] : []
    var (i, j) = (0, 0)
    while i < mine.count || j < others.count {
      let (from, to) = (i, j)
      while j < others.count, come.contains(j) { j += 1 }
      while i < mine.count, gone.contains(i) { i += 1 }
      if j > to { steps.append(.insert(j - to)) }
      if i > from { steps.append(.delete(i - from)) }
      let kept = i
      while i < mine.count, j < others.count, !gone.contains(i), !come.contains(j) {
        (i, j) = (i + 1, j + 1)
      }
      if i > kept { steps.append(.retain(i - kept)) }
    }
    return steps
  }

  /// Returns a script between two texts that inserts whole lines where whole lines are new.
  ///
  /// Compared by characters, a new line before one that begins alike is an insertion within that
  /// one, and would tear it apart if it has moved.
  static func aligned(from base: String, to text: String) -> TextScript {
    func lines(_ text: String) -> [Substring] {
      var lines: [Substring] = []
      var rest = text[...]
      while let end = rest.utf8.firstIndex(of: 0x0A) {
        let next = rest.utf8.index(after: end)
        lines.append(rest[..<next])
        rest = rest[next...]
      }
      return rest.isEmpty ? lines : lines + [rest]
    }
    let (old, new) = (lines(base), lines(text))
    guard let found = Self.steps(from: old, to: new) else {
      return TextScript(from: base, to: text)
    }
    func size(_ lines: ArraySlice<Substring>) -> Int {
      lines.reduce(0) { $0 + $1.unicodeScalars.count }
    }
    var steps: [TextScript.Step] = []
    var (from, to) = (0, 0)
    var added = ""
    for step in found {
      switch step {
      case .retain(let count):
        if !added.isEmpty { steps.append(.insert(added)) }
        added = ""
        steps.append(.retain(size(old[from..<from + count])))
        (from, to) = (from + count, to + count)
      case .insert(let count):
        added += new[to..<to + count].joined()
        to += count
      case .delete(let count):
        let gone = old[from..<from + count]
        let inner = TextScript(from: gone.joined(), to: added)
        steps += inner.steps
        steps.append(.retain(max(0, size(gone) - inner.lengthNeeded)))
        from += count
        added = ""
      }
    }
    if !added.isEmpty { steps.append(.insert(added)) }
    return TextScript(steps)
  }

  /// Returns the base that has, beside what did not change, the lines that the note has got by
  /// another way, and of the lines that the text lacks those that it has taken out.
  /// - Parameters:
  ///   - body: the text that the note has.
  ///   - isTakenOut: whether a line that the text lacks was taken out of it. The lines that stand
  ///     in its place are given.
  func fitted(to body: String, isTakenOut: (Substring, [Substring]) -> Bool) -> String {
    func counts(_ lines: [Substring]) -> [Substring: Int] {
      lines.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }
    func takes(_ line: Substring, _ counts: inout [Substring: Int]) -> Bool {
      guard let count = counts[line], count > 0 else { return false }
      counts[line] = count - 1
      return true
    }
    let note = body.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    var others = counts(note.map { Substring($0) })
    for line in base { _ = takes(line, &others) }
    var (old, new) = (0, 0)
    var inserted: [Substring] = []
    for step in steps {
      switch step {
      case .retain(let count): new += count
      case .insert(let count):
        inserted += text[new..<new + count]
        new += count
      case .delete: break
      }
    }
    var moved = counts(inserted)
    var fitted: [Substring] = []
    var place: [Substring] = []
    new = 0
    for step in steps {
      switch step {
      case .retain(let count):
        fitted += text[new..<new + count]
        (old, new) = (old + count, new + count)
        place = []
      case .insert(let count):
        for line in text[new..<new + count] {
          if takes(line, &others) { fitted.append(line) } else { place.append(line) }
        }
        new += count
      case .delete(let count):
        for line in base[old..<old + count]
        where takes(line, &moved) || line.allSatisfy(\.isWhitespace) || isTakenOut(line, place) {
          fitted.append(line)
        }
        old += count
        place = []
      }
    }
    fitted += text[new...]
    return fitted.joined(separator: "\n")
  }
}
