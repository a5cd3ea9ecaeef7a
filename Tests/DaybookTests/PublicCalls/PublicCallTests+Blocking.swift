import DaybookSimulation
import GRDB
import Testing

@testable import Daybook
@testable import DaybookEngine

extension PublicCallTests {
  /// Makes the calls of code that is not asynchronous, each on a thread that may block.
  func sweepBlocking(_ store: BlockingStore, _ arguments: inout Arguments) async {
    await sweep("blocking search", &arguments) { draw in
      let (query, collection) = (draw.text(), draw.optional { $0.text() })
      let (match, limit) = (draw.random.pick(SearchMatch.allCases), draw.integer())
      let markers = (open: draw.text(), close: draw.text())
      _ = try await Blocking.run {
        try store.search(query, in: collection, match: match, limit: limit, markers: markers)
      }
    }
    await sweep("blocking fetch and read", &arguments) { draw in
      let (collection, id) = (draw.text(), draw.text())
      _ = try await Blocking.run { try store.fetch(collection, id) }
      _ = try await Blocking.run { try store.read { _, schema in schema[collection] != nil } }
      _ = try await Blocking.run { try store.read { try Row.fetchAll($0, sql: "SELECT 1") }.count }
    }
    await sweep("blocking write", &arguments) { draw in
      let (actor, label) = (draw.optional { $0.text() }, draw.text())
      let annotations = draw.flag() ? [:] : [draw.text(): draw.text()]
      try await Blocking.run {
        try store.write(actor: actor, label: label, annotations: annotations) { _ in }
      }
    }
    await sweepBlockingGraph(store.graph, &arguments)
    await sweep("blocking lists", &arguments, times: 60) { draw in
      let lists = store.store
      let (collection, id) = (draw.optional { $0.text() }, draw.optional { $0.text() })
      let (after, until) = (draw.optional { $0.position() }, draw.optional { $0.position() })
      let (actor, limit) = (draw.optional { $0.text() }, draw.integer())
      let query = EventQuery(
        after: after, until: until, collection: collection, id: id, actor: actor,
        limit: draw.optional { $0.integer() })
      switch draw.random.pick(0...3) {
      case 0:
        try await Self.read(
          lists.deleted(in: collection, by: actor, after: after, until: until), of: store, limit)
      case 1: try await Self.read(lists.conflicts(in: collection, id: id), of: store, limit)
      case 2: try await Self.read(lists.hidden(in: collection, id: id), of: store, limit)
      default: try await Self.read(lists.events(query), of: store, limit)
      }
    }
  }

  private func sweepBlockingGraph(_ graph: BlockingGraph, _ arguments: inout Arguments) async {
    await sweep("blocking graph", &arguments, times: 120) { draw in
      let name = draw.text()
      let start = draw.flag() ? Graph.Vertex("notes", "n1") : draw.vertex()
      let goal = draw.flag() ? Graph.Vertex("notes", "n2") : draw.vertex()
      let via = draw.optional { $0.flag() ? ["links"] : $0.texts() }
      let fields = draw.flag() ? [:] : draw.values()
      let direction = draw.random.pick(Graph.Direction.allCases)
      let (weight, limit) = (draw.optional { $0.text() }, draw.optional { $0.integer() })
      let (depth, measure) = (draw.integer(), draw.random.pick(Graph.Importance.allCases))
      let calls: [@Sendable () throws -> Void] = [
        { _ = try graph.vertex(name) },
        {
          _ = try graph.neighbors(
            of: start, via: via, where: fields, direction: direction, weight: weight, limit: limit)
        },
        {
          _ = try graph.reachable(
            from: start, depth: depth, via: via, where: fields, direction: direction, limit: limit)
        },
        {
          _ = try graph.shortestPath(
            from: start, to: goal, via: via, where: fields, direction: direction, weight: weight)
        },
        { _ = try graph.subgraph(from: [start, goal], depth: depth, via: via, where: fields) },
        {
          _ = try graph.importance(
            by: measure, via: via, where: fields, weight: weight, limit: limit ?? depth)
        },
      ]
      try await Blocking.run(draw.random.pick(calls))
    }
  }

  /// Reads all of a list, and two pages of it.
  private static func read<Item>(
    _ list: Listing<Item>, of store: BlockingStore, _ limit: Int
  ) async throws {
    try await Blocking.run {
      let all = try store.all(of: list).count
      let first = try store.page(of: list, limit: limit)
      #expect(first.items.count <= all)
      guard let next = first.next else { return }
      let second = try store.page(of: list, limit: limit, after: next)
      // A limit of the query holds for each page.
      #expect(!second.items.isEmpty && second.items.count <= all)
    }
  }
}
