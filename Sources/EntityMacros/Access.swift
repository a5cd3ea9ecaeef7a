#if Macros
  import SwiftSyntax

  /// Who can see a declaration.
  enum Access: Int, Comparable {
    case hidden, module, package, everyone

    static func < (a: Access, b: Access) -> Bool { a.rawValue < b.rawValue }

    init(_ modifiers: DeclModifierListSyntax) {
      // `private(set)` is about the setter only.
      let words = modifiers.filter { $0.detail == nil }.map(\.name.text)
      self =
        if words.contains("public") || words.contains("open") {
          .everyone
        } else if words.contains("package") {
          .package
        } else if words.contains("private") || words.contains("fileprivate") {
          .hidden
        } else {
          .module
        }
    }

    /// The modifier of what is generated, with a space.
    var modifier: String {
      switch self {
      case .hidden, .module: ""
      case .package: "package "
      case .everyone: "public "
      }
    }
  }
#endif
