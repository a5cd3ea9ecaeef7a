import Foundation

/// URIs with which SQLite opens files.
package enum DatabaseURI {
  /// Returns the URI of a file.
  /// - Parameters:
  ///   - path: an absolute path, or one relative to the working directory.
  ///   - parameters: the parameters, such as `mode=ro`.
  package static func text(_ path: String, _ parameters: [String]) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%;")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    // An empty host name: SQLite would take what follows two slashes for one.
    let scheme = escaped.hasPrefix("/") ? "file://" : "file:"
    return "\(scheme)\(escaped)?\(parameters.joined(separator: "&"))"
  }
}
