#if Macros
  import Daybook
  import DaybookMacros
  import Foundation

  // The types of an app for personal knowledge: nodes, edges between them, and facets by which they
  // are sorted.

  /// A node has 30 columns. An app on SQLite alone has columns for deletions and syncs as well,
  /// which the store makes unnecessary.
  @Entity("nodes") @Unique(\.source, \.sourceID)
  @Index(\.priority.descending) @Index(\.folder, \.modified.descending)
  @Index(\.due, where: \.due)
  struct Node: Codable, Equatable {
    enum Status: String, Codable, Sendable { case open, active, done }

    var id = ID()
    var nodeType = "note"
    @Search(weight: 1) var name = ""
    @Search(weight: 0.75) var content: String?
    var summary: String?
    // Location
    var latitude: Double?
    var longitude: Double?
    var locationName: String?
    var locationAddress: String?
    // Time
    @Created var created = Date.distantPast
    @Modified var modified = Date.distantPast
    var due: Date?
    var completed: Date?
    var eventStart: Date?
    var eventEnd: Date?
    // Category
    @Search(weight: 0.25) var folder: String?
    @Search(weight: 0.5) var tags: [String] = []
    var status: Status?
    var isArchived = false
    var color: String?
    // Hierarchy
    var priority = 0
    var importance = 0
    var sortOrder = 0
    // Metadata
    var source: String?
    var sourceID: String?
    var sourceURL: URL?
    var author: String?
    var language: String?
    var metadata: [String: String] = [:]
    @Version var version = 0
  }

  // Relationships of these tests say that they are one. Else `Edge.all` does not compile in a file
  // that has not named the conformance before, because the macro adds it too late.

  @Relationship("edges", from: Node.self, to: Node.self, unique: \.kind)
  struct Edge: Codable, Equatable {
    enum EdgeType: String, Codable, Sendable { case link, nest, sequence, affinity }

    var kind = EdgeType.link
    var label: String?
    @Weight var weight = 1.0
    var isDirected = true
    var sequenceOrder: Int?
    var channel: String?
    var timestamp: Date?
    var subject: String?
    @Created var created = Date.distantPast

    static func refine(_ definition: Definition) -> Definition {
      definition.keyed(by: "source", "target", "kind").directed(by: "isDirected")
        .indexed(by: "source", "kind").indexed(by: "target", "kind")
    }
  }

  @Entity("facets") struct Facet: Equatable {
    enum Kind: String, Codable, Sendable { case plane, axis, facet, value }
    struct Scale: Codable, Equatable, Sendable {
      var unit = ""
      var steps: [Int] = []
    }

    var id = ID()
    var name = ""
    var kind = Kind.facet
    @Tree @Reference(onDelete: .nullify) var parent: Facet.ID?
    var sortOrder = 0
    var metadata: Scale?
  }

  /// A setting, whose id follows from its key.
  @Entity("preferences") struct Preference: Equatable {
    var id: ID {
      get { Self.derivedID(of: self) }
      set {}
    }
    var key = ""
    var value = ""
    @Modified var modified = Date.distantPast

    static func refine(_ definition: Definition) -> Definition { definition.keyed(by: "key") }
  }

  enum Knowledge {
    static let schema: [any Entity.Type] = [
      Node.self, Edge.self, Facet.self, Preference.self,
    ]

    static func store() async throws -> Store { try await Store.inMemory(schema: schema) }
  }

  /// What such an app adds to a store.
  extension Store {
    /// Returns the nodes within so many edges of a node, with the node itself at depth 0, by depth
    /// and name.
    func connectedNodes(from id: Node.ID, depth: Int) async throws -> [(node: Node, depth: Int)] {
      let reached = try await graph.reachable(from: id, via: Edge.self, depth: depth)
      let start = try await fetch(id).map { [(node: $0, depth: 0)] } ?? []
      return (start + reached.map { (node: $0.entity, depth: $0.depth) })
        .sorted { ($0.depth, $0.node.name) < ($1.depth, $1.node.name) }
    }

    /// Returns the neighbours of a node, each with the edge that leads there, heaviest first.
    func neighbors(of id: Node.ID) async throws -> [(node: Node, edge: Edge)] {
      try await graph.neighbors(from: id, via: Edge.self, weight: \.weight)
        .map { (node: $0.entity, edge: $0.relationship) }
    }

    /// What to do with the conflicts of a node.
    enum Resolution: Sendable {
      case keepLocal, keepRemote
      case merge(Node)
    }

    /// Settles all conflicts of a node.
    func resolve(_ id: Node.ID, _ resolution: Resolution) async throws {
      let own = replica
      try await write(label: "resolve") { tx in
        for conflict in try tx.conflicts(Node.collection, id.rawValue) {
          let local = conflict.writes.first { $0.event.origin == own }
          let remote = conflict.writes.first { $0.event.origin != own }
          switch resolution {
          case .keepLocal: if let local { try tx.settle(conflict, taking: local) }
          case .keepRemote: if let remote { try tx.settle(conflict, taking: remote) }
          case .merge: if let local { try tx.settle(conflict, taking: local) }
          }
        }
        if case .merge(let node) = resolution { try tx.overwrite(node) }
      }
    }
  }
#endif
