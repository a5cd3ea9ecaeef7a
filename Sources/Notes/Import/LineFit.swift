import Daybook
import EventCore
import Foundation

/// What a source's text has changed since a base that is not known for sure, line by line.
///
/// A copy may have come from another state than the one that it is compared with. What that state
/// has and the copy lacks may be newer than the copy, and what both the copy and the note have may
/// have come here by another way. Neither is a change then.
struct LineFit {
  /// The most lines that are told apart: as many as there are scalars above U+10000.
  private static let symbolsMax = 0x10_0000

  private let base: [Substring]
  private let text: [Substring]
  private let script: TextScript

  /// Compares two texts; nil if they have more lines than can be told apart.
  init?(from base: String, to text: String) {
    func lines(_ text: String) -> [Substring] {
      text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { Substring($0) }
    }
    (self.base, self.text) = (lines(base), lines(text))
    var symbols: [Substring: Unicode.Scalar] = [:]
    func symbol(_ line: Substring) -> Unicode.Scalar? {
      if let known = symbols[line] { return known }
      guard symbols.count < Self.symbolsMax else { return nil }
      let new = Unicode.Scalar(UInt32(0x1_0000 + symbols.count))
      symbols[line] = new
      return new
    }
    let (old, new) = (self.base.compactMap(symbol), self.text.compactMap(symbol))
    guard old.count == self.base.count, new.count == self.text.count else { return nil }
    func string(_ scalars: [Unicode.Scalar]) -> String {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      return String(view)
    }
    script = TextScript(from: string(old), to: string(new))
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
    for step in script.steps {
      switch step {
      case .retain(let count): new += count
      case .insert(let symbols):
        let count = symbols.unicodeScalars.count
        inserted += text[new..<new + count]
        new += count
      case .delete: break
      }
    }
    var moved = counts(inserted)
    var fitted: [Substring] = []
    var place: [Substring] = []
    new = 0
    for step in script.steps {
      switch step {
      case .retain(let count):
        fitted += text[new..<new + count]
        (old, new) = (old + count, new + count)
        place = []
      case .insert(let symbols):
        let count = symbols.unicodeScalars.count
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
