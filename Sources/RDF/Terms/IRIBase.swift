/// An IRI that references are resolved against (RFC 3986, section 5.2).
struct IRIBase {
  /// The parts of a reference (RFC 3986, section 3). What is absent is not the same as what is
  /// empty.
  private struct Parts {
    var scheme: ArraySlice<UInt8>?
    var authority: ArraySlice<UInt8>?
    var path: ArraySlice<UInt8>
    var query: ArraySlice<UInt8>?
    var fragment: ArraySlice<UInt8>?

    init(_ bytes: [UInt8]) {
      var rest = bytes[...]
      if let hash = rest.firstIndex(of: UInt8(ascii: "#")) {
        fragment = rest[(hash + 1)...]
        rest = rest[..<hash]
      }
      if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
        query = rest[(mark + 1)...]
        rest = rest[..<mark]
      }
      if let colon = IRISyntax.schemeEnd(rest) {
        scheme = rest[..<colon]
        rest = rest[(colon + 1)...]
      }
      if rest.starts(with: [UInt8(ascii: "/"), UInt8(ascii: "/")]) {
        rest = rest.dropFirst(2)
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        authority = rest[..<end]
        rest = rest[end...]
      }
      path = rest
    }

    /// The reference of these parts (section 5.3).
    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      if let scheme { bytes += scheme + [UInt8(ascii: ":")] }
      if let authority { bytes += [UInt8(ascii: "/"), UInt8(ascii: "/")] + authority }
      bytes += path
      if let query { bytes += [UInt8(ascii: "?")] + query }
      if let fragment { bytes += [UInt8(ascii: "#")] + fragment }
      return bytes
    }
  }

  private let parts: Parts

  init(_ iri: IRI) { parts = Parts(Array(iri.string.utf8)) }

  /// Resolves a reference. One with a scheme stays as it is: only relative ones are resolved.
  func resolve(_ reference: [UInt8]) -> [UInt8] {
    var target = Parts(reference)
    if target.scheme != nil { return reference }
    target.scheme = parts.scheme
    if target.authority != nil {
      target.path = Self.withoutDots(target.path)
      return target.bytes
    }
    target.authority = parts.authority
    if target.path.isEmpty {
      target.path = parts.path
      target.query = target.query ?? parts.query
    } else if target.path.first == UInt8(ascii: "/") {
      target.path = Self.withoutDots(target.path)
    } else {
      target.path = Self.withoutDots(merge(target.path))
    }
    return target.bytes
  }

  /// Puts a relative path in the place of the last segment of the base (section 5.2.3).
  private func merge(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    if parts.authority != nil, parts.path.isEmpty { return [UInt8(ascii: "/")] + path }
    guard let slash = parts.path.lastIndex(of: UInt8(ascii: "/")) else { return path }
    return parts.path[...slash] + path
  }

  /// Removes the segments `.` and `..` (section 5.2.4).
  private static func withoutDots(_ path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let (dot, slash) = (UInt8(ascii: "."), UInt8(ascii: "/"))
    guard path.contains(dot) else { return path }
    var output: [UInt8] = []
    var rest = path
    func removeLast() { while let last = output.popLast(), last != slash {} }
    while !rest.isEmpty {
      if rest.starts(with: [dot, dot, slash]) {
        rest = rest.dropFirst(3)
      } else if rest.starts(with: [dot, slash]) {
        rest = rest.dropFirst(2)
      } else if rest.starts(with: [slash, dot, slash]) {
        rest = rest.dropFirst(2)
      } else if rest.elementsEqual([slash, dot]) {
        rest = [slash]
      } else if rest.starts(with: [slash, dot, dot, slash]) {
        removeLast()
        rest = rest.dropFirst(3)
      } else if rest.elementsEqual([slash, dot, dot]) {
        removeLast()
        rest = [slash]
      } else if rest.elementsEqual([dot]) || rest.elementsEqual([dot, dot]) {
        rest = []
      } else {
        let end = rest.dropFirst().firstIndex(of: slash) ?? rest.endIndex
        output += rest[..<end]
        rest = rest[end...]
      }
    }
    return output[...]
  }
}
