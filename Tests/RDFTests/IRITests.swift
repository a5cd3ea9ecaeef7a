import DaybookRDF
import Testing

/// IRIs: what is one, and how references are resolved.
@Suite struct IRITests {
  @Test(
    "a reference is resolved as the examples of RFC 3986, section 5.4, are",
    arguments: [
      ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
      ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("g;x?y#s", "http://a/b/c/g;x?y#s"), ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"),
      ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"),
      ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
      ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
      (".g", "http://a/b/c/.g"), ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"),
      ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
      ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
      ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
      ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ])
  func resolution(_ reference: String, _ expected: String) throws {
    let base = try IRI("http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).string == expected)
  }

  @Test(
    "a base without a path, with dots or with an empty authority is a base, too",
    arguments: [
      ("http://a", "g", "http://a/g"), ("http://a?q", "g", "http://a/g"),
      ("file:///a/b", "../../c", "file:///c"), ("http://a/b/../c", "d", "http://a/d"),
      ("http://a//b/c", "d", "http://a//b/d"), ("urn:x:y", "#z", "urn:x:y#z"),
      ("http://a/b", "//x/../y", "http://x/y"),
    ])
  func bases(_ base: String, _ reference: String, _ expected: String) throws {
    #expect(try IRI(base).resolving(reference).string == expected)
  }

  @Test(
    "what RFC 3987 allows is an IRI",
    arguments: [
      "http://example.org/", "urn:isbn:0-395-36341-1", "a+b-1.c:", "http://user:pw@h:80/p?q#f",
      "http://[2001:db8::7]:8080/", "http://example.org/caf\u{E9}", "http://x/%C3%A9", "mailto:a@b",
      "http://x/?\u{E000}", "http://\u{4F8B}/", "http://x/a?b?c/d#e?f", "http://x/\u{10000}",
    ])
  func valid(_ text: String) throws {
    #expect(try IRI(text).string == text)
  }

  @Test(
    "what RFC 3987 does not allow is an error",
    arguments: [
      "", "x", "/a/b", "//a", "1a:b", ":a", "http://x/a b", "http://x/<", "http://x/\\",
      "http://x/%", "http://x/%4", "http://x/%zz", "http://x/[a]", "http://x/#a#b", "http://x:8a/",
      "http://[::1/", "http://[::1]x/", "http://x/\u{E000}", "http://x/\u{FFFE}", "http://x/{a}",
      "http://x/\u{7F}", "http://x/a\nb", "http://x/\"",
    ])
  func invalid(_ text: String) {
    #expect { try IRI(text) } throws: { ($0 as? RDFError)?.code == .badIRI }
  }

  @Test(
    "a reference whose first segment has a colon is none, with a scheme or not",
    arguments: [":a", "1:a", "a_b:c", "://x/y"])
  func badReferences(_ reference: String) throws {
    let base = try IRI("http://a/b")
    #expect { try base.resolving(reference) } throws: { ($0 as? RDFError)?.code == .badIRI }
    #expect(Reading.error("@base <http://a/b> . <\(reference)> <p> 1 .")?.code == .badIRI)
    #expect(try base.resolving("./" + reference).string.hasSuffix(reference))
  }

  @Test("IRIs are equal if their characters are, not if they look the same")
  func equality() throws {
    let (composed, decomposed) = ("http://x/\u{E9}", "http://x/e\u{301}")
    #expect(composed == decomposed)
    #expect(try IRI(composed) != IRI(decomposed))
    #expect(try Set([IRI(composed), IRI(decomposed)]).count == 2)
    #expect(try IRI("http://x/A") != IRI("http://x/a"))
  }
}
