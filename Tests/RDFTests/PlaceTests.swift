import DaybookRDF
import Foundation
import Testing

/// Where errors are, and what the reader does with files that are cut, broken or hostile.
@Suite struct PlaceTests {
  @Test(
    "an error has its line and its column, counted in characters",
    arguments: [
      ("@prefix : <http://x/> .\n:a :p y:b .", RDFError.Code.undeclaredPrefix, 2, 7),
      ("<http://x/a> <http://x/p>\r\n  <http://x/b c> .", .badIRI, 2, 14),
      ("<http://é/a> <http://x/p> <b> .\r<c d>", .badIRI, 2, 3),
      ("<http://x/a> <http://x/p> \"😀\" x", .syntax, 1, 31),
      ("<http://x/a> <http://x/p> \"cut", .unexpectedEnd, 1, 31),
      ("<http://x/a> <http://x/p> <http://x/b> ;\n\n", .unexpectedEnd, 3, 1),
      ("# c\n<http://x/%q> <http://x/p> 1 .", .badIRI, 2, 11),
      ("\n<http://x/a> <http://x/p> \"a\\qb\" .", .badEscape, 2, 29),
      ("<http://x/a> <http://x/p> \"x\"@english-language1 .", .badLanguageTag, 1, 31),
    ])
  func places(_ text: String, _ code: RDFError.Code, _ line: Int, _ column: Int) {
    let error = Reading.error(text)
    #expect(error?.code == code)
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.description.contains("(line \(line), column \(column))") == true)
  }

  @Test("a relative IRI without a base is an error, and without a file there is none")
  func noBase() throws {
    #expect { try Reading.statements("<a> <b> <c> .") } throws: {
      ($0 as? RDFError)?.code == .badIRI
    }
    let file = try Reading.withFile("my file.ttl", "<#a> <p> <> .") { url in
      let reader = try RDFReader(contentsOf: url)
      let statement = try reader.next()
      #expect(statement?.subject == .iri(try IRI(url.absoluteString + "#a")))
      return url
    }
    #expect { try RDFReader(contentsOf: file) } throws: {
      ($0 as? RDFError)?.code == .inputOutput
    }
    #expect { try RDFReader(contentsOf: file.deletingPathExtension()) } throws: {
      ($0 as? RDFError)?.code == .inputOutput
    }
  }

  private static let sample = """
    @prefix : <http://x/> . @base <http://y/> .
    :é :p 'a\\u00E9' , \"\"\"b\n"c" \"\"\"@en-us ; :q ( 1.5 [ :r <../z> ] ) . # 😀
    _:l.1 a :C ; :p true , -1e3 .
    """

  @Test("a file in Turtle that is cut anywhere is an error, or the statements before")
  func cuts() throws {
    let bytes = Array(Self.sample.utf8)
    let (all, none) = Reading.pieces(bytes, .turtle, of: 4096)
    #expect(none == nil)
    for count in 0..<bytes.count {
      let (some, error) = Reading.pieces(Array(bytes[..<count]), .turtle, of: 4096)
      // The end of a name or of a number may be missing from the last statement.
      #expect(some.dropLast() == all.prefix(max(some.count - 1, 0)))
      if let error { #expect(error.line != nil && error.column != nil) }
    }
  }

  @Test("a file reads the same in pieces of any size, and errors have the same places")
  func pieces() {
    let texts = [Self.sample, Self.sample + "\n :x", Self.sample + "\r\n\u{FFFD}", ":\r\n\r:é^"]
    for text in texts {
      let bytes = Array(text.utf8)
      let whole = Reading.pieces(bytes, .turtle, of: bytes.count)
      for size in 1...9 {
        let parts = Reading.pieces(bytes, .turtle, of: size)
        #expect(parts.0 == whole.0)
        #expect(parts.1 == whole.1)
      }
    }
  }

  @Test(
    "bytes that are not UTF-8 are an error, also in comments",
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    ] as [[UInt8]])
  func utf8(_ bad: [UInt8]) {
    for start in ["# ", "<http://x/", "<http://x/a> <http://x/p> \"é"] {
      for rest in ["", "a"] {
        let (_, error) = Reading.pieces(Array(start.utf8) + bad + Array(rest.utf8), .turtle, of: 3)
        #expect(error?.code == .badUTF8)
        #expect(error?.column == start.unicodeScalars.count + 1)
      }
    }
  }

  @Test("what is nested 200,000 deep is an error, and 90,000 deep is read")
  func depth() throws {
    for (text, close) in [("(", ")"), ("[ <http://x/p> ", "]")] {
      let ends = (
        open: String(repeating: text, count: 90_000), close: String(repeating: close, count: 90_000)
      )
      let deep = ends.open + "1" + ends.close
      let statements = try Reading.statements("<http://x/a> <http://x/p> \(deep) .")
      #expect(statements.count >= 90_000)
      let deeper = "<http://x/a> <http://x/p> " + String(repeating: text, count: 200_000)
      #expect(Reading.error(deeper)?.code == .tooLarge)
    }
  }

  @Test("a text of more than 16 MiB is an error, not memory")
  func long() {
    var count = 0
    let reader = RDFReader(.ntriples) { wanted in
      defer { count += 1 }
      return count == 0 ? Array("<a:b> <a:c> \"".utf8) : [UInt8](repeating: 0x61, count: wanted)
    }
    #expect { try reader.next() } throws: { ($0 as? RDFError)?.code == .tooLarge }
  }

  @Test("after an error a reader throws it again, and the error of a source is told")
  func failed() {
    struct Lost: Error {}
    let reader = RDFReader(.ntriples) { _ in throw Lost() }
    for _ in 0..<2 {
      #expect { try reader.next() } throws: { ($0 as? RDFError)?.code == .inputOutput }
    }
    let broken = RDFReader("<a:b> <a:c> x\n<a:b> <a:c> <a:d> .", .ntriples)
    for _ in 0..<2 {
      #expect { try broken.next() } throws: { ($0 as? RDFError)?.code == .syntax }
    }
  }
}
