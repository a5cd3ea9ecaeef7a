import DaybookEventCore
import Foundation

/// How values are compared that no two entities may share.
enum ReferenceUniqueness: Sendable {
  case exact, folded

  init?(_ value: Value) {
    switch value {
    case .boolean(true): self = .exact
    case .text("folded-1"): self = .folded
    default: return nil
    }
  }

  /// Returns what stands for a cell when it is compared.
  func key(_ cell: ReferenceCell, _ column: ReferenceSchema.Column) -> ReferenceCell {
    guard self == .folded, column.type == "text", case .text(let text) = cell else { return cell }
    return .text(ReferenceName(Self.folded(text.text)))
  }

  /// Returns a text without case, by Swift's own tables: each scalar's small letters, the capitals
  /// of those, and their small letters.
  ///
  /// That is what folding by Unicode does to the texts of generated events. Of all scalars that
  /// they have, only a dotless i is another letter when it comes back from its capital.
  private static func folded(_ text: String) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      guard scalar != "\u{131}" else {
        folded.append(scalar)
        continue
      }
      for small in scalar.properties.lowercaseMapping.unicodeScalars {
        for capital in small.properties.uppercaseMapping.unicodeScalars {
          folded.append(contentsOf: capital.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
    return String(folded).decomposedStringWithCanonicalMapping
  }
}
