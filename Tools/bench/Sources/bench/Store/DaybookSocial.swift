import Daybook
import DaybookGQL
import Foundation
import GRDB

/// `daybook social FOLDER`: reads a social network in GQL, and by an expert's SQL on its tables.
///
/// The network is made if the folder is not there: people who know each other, their messages, and
/// the tags of these. Friends are not even: few people have many.
func daybookSocial(_ words: inout BenchArguments) async throws {
  let folder = URL(fileURLWithPath: try words.next("FOLDER"))
  let people = try words.number("people", default: 10_000)
  let count = try words.number("count", default: 300)
  let only = words.text("only")
  try words.finish()
  let isThere = FileManager.default.fileExists(atPath: folder.path)
  let store = isThere ? try await Store.open(at: folder) : try await Store.create(at: folder)
  if !isThere {
    var network = SocialNetwork(people: people)
    try await network.write(to: store)
  }
  for question in SocialQuestion.all where only == nil || question.name == only {
    try await question.measure(store, people: people, count: count)
  }
  try await store.close()
}

/// A made-up network, the same each time.
private struct SocialNetwork {
  var people: Int
  private var random = Scatter(seed: 20_261_128)

  init(people: Int) { self.people = people }

  private static let definitions = [
    Definition("people", [.text("name"), .text("city")]),
    Definition("messages", [.text("content"), .integer("sent")]),
    Definition("tags", [.text("name")]),
    Definition("knows", [.integer("since")]).connecting("people", to: "people"),
    Definition("wrote").connecting("people", to: "messages"),
    Definition("tagged").connecting("messages", to: "tags"),
  ]

  mutating func write(to store: Store) async throws {
    try await store.write { transaction in
      for one in Self.definitions { try transaction.define(one) }
    }
    let tags = 200
    try await insert(store, (0..<tags).map { ("tags", "t\($0)", ["name": .text("tag \($0)")]) })
    try await insert(
      store,
      (0..<people).map {
        ("people", "p\($0)", ["name": .text("Person \($0)"), "city": .text("City \($0 % 97)")])
      })
    var rows: [(String, String, [String: Value])] = []
    for number in 0..<people {
      // The square of a uniform number: few have many friends.
      let part = Double(random.next() % 1_000) / 1_000
      for friend in 0..<(5 + Int(part * part * part * 80)) {
        let other = Int(random.next() % UInt64(people))
        guard other != number else { continue }
        rows.append(
          (
            "knows", "k\(number)-\(friend)",
            ends("p\(number)", "p\(other)", ["since": .integer(Int64(2000 + friend % 26))])
          ))
      }
      for message in 0..<10 {
        let id = "m\(number)-\(message)"
        let sent = Int64(random.next() % 100_000_000)
        rows.append(
          (
            "messages", id,
            ["content": .text("What \(number) says about \(message)"), "sent": .integer(sent)]
          ))
        rows.append(("wrote", "w\(id)", ends("p\(number)", id)))
        let tag = Int(random.next() % UInt64(tags)) * Int(random.next() % 2)
        rows.append(("tagged", "g\(id)", ends(id, "t\(tag)")))
      }
    }
    try await insert(store, rows)
  }

  private func ends(_ source: String, _ target: String, _ more: [String: Value] = [:])
    -> [String: Value]
  {
    more.merging(["source": .text(source), "target": .text(target)]) { $1 }
  }

  private func insert(_ store: Store, _ rows: [(String, String, [String: Value])]) async throws {
    for start in stride(from: 0, to: rows.count, by: 5_000) {
      let part = Array(rows[start..<min(start + 5_000, rows.count)])
      try await store.write { transaction in
        for (collection, id, fields) in part { try transaction.insert(collection, id, fields) }
      }
    }
  }
}

/// A question about the network, in both languages.
private struct SocialQuestion {
  var name: String
  var gql: String
  var sql: String
  /// Whether a second person is asked about.
  var isPair = false

  static let all = [
    SocialQuestion(
      name: "friends_of_friends",
      gql: """
        MATCH (p:people {id: $id})-[:knows]->(f)-[:knows]->(o:people)
        WHERE o <> p AND NOT (p)-[:knows]->(o)
        RETURN o.id AS id, count(*) AS common ORDER BY common DESC, id LIMIT 20
        """,
      sql: """
        SELECT b.target, count(*) FROM knows a JOIN knows b ON b.source = a.target
        JOIN people f ON f.id = a.target JOIN people o ON o.id = b.target
        WHERE a.source = ?1 AND b.target <> ?1 AND a.id <> b.id
          AND NOT EXISTS (SELECT 1 FROM knows c WHERE c.source = ?1 AND c.target = b.target)
        GROUP BY b.target ORDER BY 2 DESC, 1 LIMIT 20
        """),
    SocialQuestion(
      name: "newest_messages_of_friends",
      gql: """
        MATCH (:people {id: $id})-[:knows]->(f)-[:wrote]->(m:messages)
        RETURN f.name AS name, m.content AS content, m.sent AS sent
        ORDER BY sent DESC, m.id LIMIT 20
        """,
      sql: """
        SELECT f.name, m.content, m.sent FROM knows k JOIN people f ON f.id = k.target
        JOIN wrote w ON w.source = f.id JOIN messages m ON m.id = w.target
        WHERE k.source = ?1 ORDER BY m.sent DESC, m.id LIMIT 20
        """),
    SocialQuestion(
      name: "tag_counts",
      gql: """
        MATCH (:people {id: $id})-[:knows]->()-[:wrote]->(m)-[:tagged]->(t:tags)
        RETURN t.name AS tag, count(DISTINCT m) AS count ORDER BY count DESC, tag LIMIT 10
        """,
      sql: """
        SELECT t.name, count(DISTINCT g.source) FROM knows k JOIN people f ON f.id = k.target
        JOIN wrote w ON w.source = k.target JOIN messages m ON m.id = w.target
        JOIN tagged g ON g.source = w.target JOIN tags t ON t.id = g.target
        WHERE k.source = ?1 GROUP BY t.name ORDER BY 2 DESC, 1 LIMIT 10
        """),
    SocialQuestion(
      name: "shortest_path",
      gql: """
        MATCH p = shortestPath((a:people {id: $id})-[:knows*..6]->(b:people {id: $other}))
        RETURN length(p) AS length
        """,
      sql: """
        WITH RECURSIVE reached(id, depth) AS (
          VALUES (?1, 0) UNION
          SELECT k.target, depth + 1 FROM reached JOIN knows k ON k.source = reached.id
          WHERE depth < 6)
        SELECT depth FROM reached WHERE id = ?2 LIMIT 1
        """, isPair: true),
  ]

  func measure(_ store: Store, people: Int, count: Int) async throws {
    let session = GQLSession(store)
    var (graph, plain) = (Latencies(reserving: count), Latencies(reserving: count))
    for number in 0...count {
      let id = "p\(number &* 7919 % people)"
      let other = "p\((number &* 104_729 &+ 17) % people)"
      let began = ContinuousClock.now
      let rows = try await session.run(gql, ["id": .string(id), "other": .string(other)]).rows
      let middle = ContinuousClock.now
      let expected = try await store.read { [sql, isPair] db in
        try Row.fetchAll(
          db.cachedStatement(sql: sql), arguments: isPair ? [id, other] : [id]
        ).count
      }
      let ended = ContinuousClock.now
      guard rows.count == expected else {
        throw BenchError("\(name) of \(id): \(rows.count) rows, and SQL has \(expected)")
      }
      guard number > 0 else { continue }
      graph.append(nanoseconds(middle - began))
      plain.append(nanoseconds(ended - middle))
    }
    for (kind, latencies) in [("gql", graph), ("sql", plain)] {
      var line = JSONLine()
      line.add("daybook", "social_\(name)_\(kind)")
      line.add(latencies)
      line.write()
    }
  }
}
