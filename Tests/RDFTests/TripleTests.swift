import Daybook
import DaybookRDF
import Foundation
import Testing

/// Statements in a store's open graph: loaded, matched, synced.
@Suite struct TripleTests {
  private static let text = """
    @prefix : <http://x/> .
    :a a :C ; :p "v" , "v"@en , 1 , "a\\n\\"\\u0000/é"^^:d ; :q :b .
    :b :q [ :p "v" ] , _:n , () . _:n :p :a .
    GRAPH :g { :a :q :b } GRAPH _:h { :a :q :b }
    """

  private static func load(
    _ store: Store, _ text: String = text, scope: String = "1", batch: Int = 3
  )
    async throws -> (new: Int, all: Int)
  {
    try await store.load(RDFReader(text, .trig), scope: scope, actor: "ann", batch: batch)
  }

  private static func all(_ matches: RDFMatches) async throws -> [RDFStatement] {
    var statements: [RDFStatement] = []
    for try await statement in matches { statements.append(statement) }
    return statements
  }

  /// The number of events in a store's log.
  private static func events(_ store: Store) async throws -> Int {
    var count = 0
    for try await _ in store.events(EventQuery()) { count += 1 }
    return count
  }

  /// Statements without the labels of their blank nodes, in order.
  private static func lines(_ statements: [RDFStatement]) -> [String] {
    statements.map { $0.description.replacing(/_:\w+/, with: "_:") }.sorted()
  }

  @Test("G23: what was loaded is matched, and the same file again changes nothing")
  func loads() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      #expect(try await Self.all(store.match()).isEmpty)
      let expected = try Reading.statements(Self.text, .trig)
      #expect(try await Self.load(store) == (expected.count, expected.count))
      #expect(try await Self.lines(Self.all(store.match())) == Self.lines(expected))
      let events = try await Self.events(store)
      let digest = try await store.digest()
      #expect(try await Self.load(store) == (0, expected.count))
      #expect(try await Self.load(store, batch: 100) == (0, expected.count))
      #expect(try await Self.events(store) == events)
      #expect(try await store.digest() == digest)
    }
  }

  @Test("G24: each part of a statement can be asked for, alone and with others")
  func matches() async throws {
    try await TestStores.with { stores in
      let store = stores[0]
      _ = try await Self.load(store)
      let all = try await Self.all(store.match())
      for one in all {
        for mask in 0..<16 {
          let matches = store.match(
            subject: mask & 1 > 0 ? one.subject : nil,
            predicate: mask & 2 > 0 ? one.predicate : nil,
            object: mask & 4 > 0 ? one.object : nil, graph: mask & 8 > 0 ? one.graph : nil)
          let wanted = all.filter {
            (mask & 1 == 0 || $0.subject == one.subject)
              && (mask & 2 == 0 || $0.predicate == one.predicate)
              && (mask & 4 == 0 || $0.object == one.object)
              && (mask & 8 == 0 || one.graph == nil || $0.graph == one.graph)
          }
          #expect(try await Set(Self.all(matches)) == Set(wanted))
        }
      }
      #expect(try await Self.all(store.match(predicate: IRI("http://x/none"))).isEmpty)
    }
  }

  @Test("blank nodes of two files are two things, and those of one file loaded twice are one")
  func scopes() async throws {
    try await TestStores.with { stores in
      let text = "_:n <http://x/p> 1 ."
      var new: [Int] = []
      for scope in ["1", "2", "1"] {
        new.append(try await Self.load(stores[0], text, scope: scope).new)
      }
      #expect(new == [1, 1, 0])
      let subjects = try await Self.all(stores[0].match()).map(\.subject)
      #expect(Set(subjects).count == 2)
    }
  }

  @Test("a file that two replicas load apart is there once, and undo takes it back")
  func replicas() async throws {
    try await TestStores.with(2) { stores in
      for store in stores { _ = try await Self.load(store, batch: 100) }
      try await stores[0].syncOnce(with: StorePeer(stores[1]))
      let count = try Reading.statements(Self.text, .trig).count
      for store in stores {
        let found = try await Self.all(store.match())
        #expect(found.count == count)
      }
      #expect(try await stores[0].digest() == stores[1].digest())
    }
  }

  @Test("a file with an error leaves the batches before it, and says the line")
  func broken() async throws {
    try await TestStores.with { stores in
      let text = "<a:1> <a:p> 1 .\n<a:2> <a:p> 2 .\n<a:3> <a:p> 3 .\n<a:4> <a:p> x:y ."
      await #expect {
        _ = try await Self.load(stores[0], text, batch: 2)
      } throws: { error in
        let error = error as? RDFError
        return error?.code == .undeclaredPrefix && error?.line == 4 && error?.column == 13
      }
      let left = try await Self.all(stores[0].match())
      #expect(left.count == 2)
    }
  }

  @Test("more statements than a page holds are all matched, once each")
  func pages() async throws {
    try await TestStores.with { stores in
      let lines = (0..<2_500).map { "<a:\($0)> <a:p> \"\($0)\" .\n" }.joined()
      let found = try await stores[0].load(RDFReader(lines, .ntriples), scope: "")
      #expect(found == (2_500, 2_500))
      let all = try await Self.all(stores[0].match(predicate: IRI("a:p")))
      #expect(all.count == 2_500 && Set(all).count == 2_500)
    }
  }
}
