import DaybookEventCore
import DaybookProjections
import Foundation

/// Converts arbitrary names to legal names. The same input always yields the same names.
///
/// Letters lose their accents. Every run of characters other than ASCII letters and digits becomes
/// one underscore, and underscores at either end are removed. A name that is then empty becomes
/// `column_` and its position, or `table_` and its position. A name that begins with a digit gets
/// `column_` or `table_` as a prefix. A name that is taken or reserved gets the suffix `_2`, `_3`
/// and so on. For example, `Größe (cm)` becomes `Gro_e_cm`, and an empty third heading becomes
/// `column_3`.
package enum NameMapping {
  private static let bytesMax = 63

  /// Returns the names of fields for column headings. They differ even if case is ignored.
  /// - Parameters:
  ///   - headings: the headings of the columns.
  ///   - id: the index of a column that becomes no field; its name is empty.
  package static func fields(_ headings: [String], id: Int? = nil) -> [String] {
    unique(headings, fallback: "column", skipping: id) { Names.isValidField($0) }
  }

  /// Returns the names of collections for table names. They differ even if case is ignored.
  package static func collections(_ names: [String]) -> [String] {
    unique(names, fallback: "table") { Names.isValid($0) }
  }

  /// Returns unique legal names. Legal names stay unchanged, and the others get what is still free.
  private static func unique(
    _ names: [String], fallback: String, skipping skipped: Int? = nil, isLegal: (String) -> Bool
  ) -> [String] {
    var taken: Set<String> = []
    let kept = names.indices.map { index in
      index != skipped && isLegal(names[index]) && taken.insert(Names.folded(names[index])).inserted
    }
    return names.indices.map { index in
      if index == skipped { return "" }
      if kept[index] { return names[index] }
      let base = base(names[index], "\(fallback)_", number: index + 1)
      var candidate = base
      var number = 2
      while !isLegal(candidate) || taken.contains(Names.folded(candidate)) {
        let suffix = "_\(number)"
        candidate = String(base.prefix(bytesMax - suffix.utf8.count)) + suffix
        number += 1
      }
      taken.insert(Names.folded(candidate))
      return candidate
    }
  }

  private static func base(_ name: String, _ prefix: String, number: Int) -> String {
    var out: [UInt8] = []
    for scalar in name.decomposedStringWithCanonicalMapping.unicodeScalars {
      guard scalar.properties.generalCategory != .nonspacingMark else { continue }
      let byte = scalar.isASCII ? UInt8(truncatingIfNeeded: scalar.value) : 0x5F
      let isKept =
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
      if isKept {
        out.append(byte)
      } else if out.last != 0x5F, !out.isEmpty {
        out.append(0x5F)
      }
      if out.count > bytesMax { break }
    }
    while out.last == 0x5F { out.removeLast() }
    let text = String(decoding: out.prefix(bytesMax), as: UTF8.self)
    if text.isEmpty { return "\(prefix)\(number)" }
    // `sqlite` is legal, but `sqlite_2` is not.
    let needsPrefix =
      (0x30...0x39).contains(text.utf8.first ?? 0)
      || "\(Names.folded(text))_".begins(with: "sqlite_")
    return needsPrefix ? String("\(prefix)\(text)".prefix(bytesMax)) : text
  }
}
