import Daybook
import DaybookEventCore

/// The attack of one token on one zone.
struct Attack: Sendable {
  var name: String
  /// Makes the signed messages of a write token.
  ///
  /// They are sent one after the other until there is none left, or the zone is full.
  var fills: @Sendable () throws -> AttackFill = { { nil } }
  /// Messages that change nothing, repeated on several connections.
  var repeats: [[UInt8]] = []
  /// Whether the repeated messages need a write token.
  var repeatsWrite = false
  /// Number of connections that send all of a body but its last byte; ``heldBytes`` is the body's
  /// length.
  var heldBodies = 0
  var heldBytes = 0
}

/// Returns the next message; nil after the last.
typealias AttackFill = () throws -> [UInt8]?

extension Attack {
  /// All attacks, each with messages within the limits of the protocol or just above them.
  static let kinds: KeyValuePairs<String, @Sendable (ZoneID) throws -> Attack> = [
    "reports": reports, "frames": frames, "ranges": ranges, "bombs": bombs, "empty": empty,
    "contexts": contexts, "advances": advances, "origins": { origins($0, count: 50_000) },
    "writers": { writers($0, count: 6000) }, "typists": { try typists($0, count: 3000) },
    "stamps": stamps, "operations": operations, "claims": claims, "tables": tables, "texts": texts,
    "lookups": lookups, "pulls": pulls, "bodies": { _ in bodies },
  ]

  // MARK: - Repeated messages

  private static func reports(_ zone: ZoneID) -> Attack {
    let reports: [AttackMessage.Report] = [
      .runs(origins: 256, of: 1024), .runs(origins: 1, of: 1025), .runs(origins: 257, of: 1024),
    ]
    return Attack(
      name: "reports",
      repeats: reports.map { AttackMessage.request(zone, report: $0, answerBytes: 4 << 20) })
  }

  private static func frames(_ zone: ZoneID) -> Attack {
    let frame = AttackFrame([1, 1, 2, 1], events: 1, compressed: false)
    return Attack(
      name: "frames",
      repeats: [131_072, 5_000_000].map { count in
        let range = AttackMessage.range(
          AttackMessage.origin(1, of: 2), first: 1, Array(repeating: frame, count: count))
        return AttackMessage.request(zone, ranges: [range])
      }, repeatsWrite: true)
  }

  private static func ranges(_ zone: ZoneID) throws -> Attack {
    var author = try AttackAuthor(1, in: zone)
    author.write([author.identityEvent], compressed: false)
    let known = try author.range()
    let messages = [65_536, 300_000].map { count in
      let frame = AttackFrame([1, 1, 2, 1], events: 1, compressed: false)
      return AttackMessage.request(
        zone,
        ranges: (0..<count).map {
          AttackMessage.range(AttackMessage.origin($0, of: count), first: 1, [frame])
        })
    }
    let same = AttackMessage.request(zone, ranges: Array(repeating: known, count: 65_536))
    return Attack(name: "ranges", repeats: messages + [same], repeatsWrite: true)
  }

  /// Frames that unpack to 256 MiB, and some that would unpack to more.
  private static func bombs(_ zone: ZoneID) throws -> Attack {
    var author = try AttackAuthor(2, in: zone)
    let body = Array(repeating: UInt8(0), count: (16 << 20) - 16)
    let event = EncodedEvent(envelope: [0], body: .present(body))
    author.write([event])
    let range = try author.range(isSigned: false)
    // The range's frame, as many times as is allowed.
    var raw = ByteWriter()
    event.encode(to: &raw)
    let frame = AttackFrame(raw.bytes, events: 1)
    let more = [15, 16].map { count in
      AttackMessage.range(author.origin, first: 1, Array(repeating: frame, count: count))
    }
    return Attack(
      name: "bombs",
      repeats: ([range] + more).map { AttackMessage.request(zone, ranges: [$0]) },
      repeatsWrite: true)
  }

  private static var bodies: Attack {
    Attack(name: "bodies", heldBodies: 6, heldBytes: 38 << 20)
  }

  // MARK: - Messages that fill a zone

  /// Makes messages of one range each, by different authors.
  ///
  /// `write` adds an author's events after its first. Every other message reports that its sender
  /// holds nothing, so that the hub does not wait for events that its events name.
  private static func filling(
    _ name: String, _ zone: ZoneID, upTo count: Int = 100_000,
    _ write: @escaping @Sendable (inout AttackAuthor) throws -> Void
  ) -> Attack {
    Attack(
      name: name,
      fills: {
        var number = 0
        return {
          guard number < count else { return nil }
          number += 1
          var author = try AttackAuthor(1000 + number, in: zone)
          author.write([author.identityEvent], compressed: false)
          try write(&author)
          return AttackMessage.request(
            zone, report: number.isMultiple(of: 2) ? .nothing : .unknown,
            ranges: [try author.range()])
        }
      })
  }

  /// Empty events, of two bytes each.
  ///
  /// A few signed ranges fill the zone. A message of a million such events without a signature,
  /// compressed to 8 KiB, is hashed again and again.
  private static func empty(_ zone: ZoneID) throws -> Attack {
    var attack = filling("empty", zone) { author in
      author.write(EncodedEvent(envelope: [], body: .present([])), times: 1 << 14)
    }
    var author = try AttackAuthor(3, in: zone)
    author.write(EncodedEvent(envelope: [], body: .present([])), times: 1 << 20)
    attack.repeats = [AttackMessage.request(zone, ranges: [try author.range(isSigned: false)])]
    attack.repeatsWrite = true
    return attack
  }

  /// Events that name 65,536 origins each.
  private static func contexts(_ zone: ZoneID) -> Attack {
    let most = 65_536
    let new = ContextDelta(
      (0..<most).map { .init(origin: .new(AttackMessage.origin($0, of: most)), by: 1) })
    let known = ContextDelta((0..<most).map { .init(origin: .known($0), by: 1) })
    let (first, next) = (
      AttackAuthor.transaction(context: new), AttackAuthor.transaction(context: known)
    )
    return filling("contexts", zone) { author in
      author.write([first])
      author.write([next])
    }
  }

  /// Events whose author has seen one more event of each of 127 origins.
  ///
  /// Each origin takes two bytes before compression.
  private static func advances(_ zone: ZoneID) -> Attack {
    let new = ContextDelta(
      (0..<127).map { .init(origin: .new(AttackMessage.origin($0, of: 127)), by: 1) })
    let known = ContextDelta((0..<127).map { .init(origin: .known($0), by: 1) })
    let (first, next) = (
      AttackAuthor.transaction(context: new), AttackAuthor.transaction(context: known)
    )
    return filling("advances", zone) { author in
      author.write([first])
      author.write(next, times: 1000)
    }
  }

  /// Origins of one event each.
  static func origins(_ zone: ZoneID, count: Int) -> Attack {
    crowd("origins", zone, count: count) { _ in nil }
  }

  /// Authors who do not know each other, and who all write one field.
  private static func writers(_ zone: ZoneID, count: Int) -> Attack {
    crowd("writers", zone, count: count) { number in
      AttackAuthor.transaction(
        [.insert(collection: "c", id: "a", fields: ["f": .integer(Int64(number))])])
    }
  }

  /// Authors who do not know each other, and who all edit one text, which the first one wrote.
  private static func typists(_ zone: ZoneID, count: Int) throws -> Attack {
    let first = try AttackAuthor(1000, in: zone).origin
    let script = TextScript([.insert("one word ")]).encoded
    let edit = DaybookEventCore.Operation.edit(
      TextEdit(
        collection: "t", id: "a", field: "f", base: EventID(first, 2), baseOperation: 1,
        script: script))
    let context = ContextDelta([.init(origin: .new(first), by: 2)])
    return crowd("typists", zone, count: count) { number in
      number == 0
        ? AttackAuthor.transaction([
          .define(Definition("t", [.text("f").merging()])),
          .insert(collection: "t", id: "a", fields: ["f": .text("")]),
        ]) : AttackAuthor.transaction([edit], context: context)
    }
  }

  /// Many origins, each with the event that says who it is and at most one more.
  private static func crowd(
    _ name: String, _ zone: ZoneID, count: Int,
    _ event: @escaping @Sendable (Int) throws -> EncodedEvent?
  ) -> Attack {
    Attack(
      name: name,
      fills: {
        var number = 0
        return {
          guard number < count else { return nil }
          let some = number..<min(number + 4000, count)
          number = some.upperBound
          return AttackMessage.request(
            zone,
            ranges: try some.map {
              var author = try AttackAuthor(1000 + $0, in: zone)
              author.write([author.identityEvent], compressed: false)
              if let more = try event($0) {
                author.write([more], compressed: false)
              }
              return try author.range()
            })
        }
      })
  }

  /// Two authors that write in turns, so that each event gets a stamp of its own.
  private static func stamps(_ zone: ZoneID) -> Attack {
    Attack(
      name: "stamps",
      fills: {
        var number = 0
        return {
          number += 2
          let ranges = try (0..<2).map { turn in
            var author = try AttackAuthor(1000 + number + turn, in: zone)
            author.write([author.identityEvent], compressed: false)
            author.write((0..<3000).map { AttackAuthor.transaction(at: Int64(2 * $0 + turn)) })
            return try author.range()
          }
          return AttackMessage.request(zone, ranges: ranges)
        }
      })
  }

  /// Events with 65,536 updates of one field of one entity.
  private static func operations(_ zone: ZoneID) -> Attack {
    let update = DaybookEventCore.Operation.update(
      collection: "c", id: "a", fields: ["f": .integer(1)])
    let event = AttackAuthor.transaction(Array(repeating: update, count: 1 << 16))
    return filling("operations", zone) { $0.write([event]) }
  }

  /// First events with an identity claim and 100,000 updates, which every reader decodes as a
  /// whole.
  private static func claims(_ zone: ZoneID) -> Attack {
    let update = DaybookEventCore.Operation.update(
      collection: "c", id: "a", fields: ["f": .integer(1)])
    let updates = Array(repeating: update, count: 100_000)
    return Attack(
      name: "claims",
      fills: {
        var number = 0
        return {
          number += 1
          var author = try AttackAuthor(1000 + number, in: zone)
          let claim = DaybookEventCore.Operation.identity(IdentityClaim(author.identity))
          author.write([
            EncodedEvent(
              Envelope(kind: .identity, authored: HybridTime(milliseconds: AttackAuthor.began)),
              Body(operations: [claim] + updates))
          ])
          return AttackMessage.request(zone, ranges: [try author.range()])
        }
      })
  }

  /// Events that define ten collections of twenty indexed fields each.
  private static func tables(_ zone: ZoneID) -> Attack {
    let fields = (0..<20).map {
      Definition.Field.text("f\($0)").indexed()
    }
    return filling("tables", zone, upTo: 1000) { author in
      let name = author.origin.description.prefix(8)
      author.write([
        AttackAuthor.transaction(
          (0..<10).map { .define(Definition("c\(name)\($0)", fields)) })
      ])
    }
  }

  /// Long searched texts that repeat a few words.
  private static func texts(_ zone: ZoneID) -> Attack {
    let words = String(repeating: "one small word after another ", count: 25_000)
    let define = DaybookEventCore.Operation.define(
      Definition("t", [.text("f").searchable()]))
    return filling("texts", zone) { author in
      let insert = DaybookEventCore.Operation.insert(
        collection: "t", id: author.origin.description, fields: ["f": .text(words)])
      author.write([AttackAuthor.transaction([define, insert])])
    }
  }

  /// Frames of a small event and one of 16 MiB; a reader asks for a chain value between the two.
  private static func lookups(_ zone: ZoneID) throws -> Attack {
    let body = Array(repeating: UInt8(0), count: (16 << 20) - 64)
    @Sendable func author(_ number: Int) throws -> AttackAuthor {
      var author = try AttackAuthor(1000 + number, in: zone)
      author.write(
        [author.identityEvent, EncodedEvent(envelope: [], body: .present(body))])
      return author
    }
    return Attack(
      name: "lookups",
      fills: {
        var number = 0
        return {
          guard number < 64 else { return nil }
          number += 1
          var author = try author(number)
          return AttackMessage.request(zone, ranges: [try author.range()])
        }
      },
      repeats: [
        AttackMessage.request(
          zone,
          report: .firstEvents(
            of: try (1...64).map { try AttackAuthor(1000 + $0, in: zone).origin }))
      ])
  }

  /// Incompressible events, which a reader fetches repeatedly.
  private static func pulls(_ zone: ZoneID) -> Attack {
    var attack = filling("pulls", zone) { author in
      var state = author.origin.high
      for _ in 0..<8 {
        let blob = (0..<16_384).flatMap { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return withUnsafeBytes(of: state) { Array($0[4...]) }
        }
        author.write([
          AttackAuthor.transaction([
            .insert(collection: "b", id: "\(state)", fields: ["f": .blob(blob)])
          ])
        ])
      }
    }
    attack.repeats = [AttackMessage.request(zone, report: .nothing, answerBytes: 40 << 20)]
    return attack
  }
}
