#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import Testing

  /// The sample's types, once declared with macros and once by hand.
  @Suite struct HandwrittenTests {
    enum WithMacros {
      @Entity("folders") struct Folder {
        var id = ID()
        var name = ""
      }
      @Entity("notes") struct Note {
        var id = ID()
        @Search(weight: 2) var title = ""
        @Search var body = ""
        @Index var pinned = false
        @Reference(onDelete: .nullify) var folder: Folder.ID?
        var tags: [String] = []
        @Modified var modified = Date.distantPast
      }
      @Relationship("links", from: Note.self, to: Note.self, unique: \.kind) struct Link {
        enum Kind: String, Codable { case related, cites }
        var kind = Kind.related
        @Weight var strength = 1.0
      }
    }

    struct Folder: Entity {
      static let collection = "folders"
      static let fields: [EntityField<Folder>] = [.field("name", \.name)]
      var id = ID()
      var name = ""
    }

    struct Note: Entity {
      static let collection = "notes"
      static let fields: [EntityField<Note>] = [
        .field("title", \.title).searchable(weight: 2),
        .field("body", \.body).searchable(),
        .field("pinned", \.pinned).indexed(),
        .field("folder", \.folder).references(Folder.self, onDelete: .nullify),
        .field("tags", \.tags),
        .field("modified", \.modified).kept(.modified),
      ]
      var id = ID()
      var title = ""
      var body = ""
      var pinned = false
      var folder: Folder.ID?
      var tags: [String] = []
      var modified = Date.distantPast
    }

    struct Link: Relationship {
      enum Kind: String, Codable { case related, cites }
      static let collection = "links"
      static let fields: [EntityField<Link>] = [
        .field("source", \.from).references(Note.self, onDelete: .cascade),
        .field("target", \.to).references(Note.self, onDelete: .cascade),
        .field("kind", \.kind),
        .field("strength", \.strength).indexed(),
      ]
      static func refine(_ definition: Definition) -> Definition {
        definition.keyed(by: "source", "target", "kind")
      }
      var id: ID {
        get { Self.derivedID(of: self) }
        set {}
      }
      var from = Note.ID("")
      var to = Note.ID("")
      var kind = Kind.related
      var strength = 1.0
    }

    @Test("types that are written by hand are the same as those that the macros make")
    func same() async throws {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "daybook-handwritten-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let made = try await Store.open(
        at: folder,
        schema: [WithMacros.Folder.self, WithMacros.Note.self, WithMacros.Link.self])
      let (one, two) = (
        WithMacros.Note(title: "one", tags: ["shop"]), WithMacros.Note(title: "two")
      )
      let link = WithMacros.Link(from: one.id, to: two.id, kind: .cites)
      try await made.write { tx in
        try tx.insert([one, two])
        try tx.insert(link)
      }
      let count = try await made.events().all().count
      try await made.close()

      let store = try await Store.open(
        at: folder, schema: [Folder.self, Note.self, Link.self])
      // Nothing had to be defined.
      #expect(try await store.events().all().count == count)
      let (from, to) = (Note.ID(one.id.rawValue), Note.ID(two.id.rawValue))
      #expect(try await store.fetch(from)?.tags == ["shop"])
      #expect(Link(from: from, to: to, kind: .cites).id.rawValue == link.id.rawValue)
      let edit = try await store.write(actor: "ann", label: "shopping") { tx in
        try tx.update(from) { $0.pinned = true }
        return tx.event
      }
      let pinned = Note.where { $0.pinned && $0.tags.contains("shop") }
        .order(by: \.modified, .descending).limit(50)
      #expect(try await store.fetch(pinned).map(\.title) == ["one"])
      #expect(try await store.search(Note.self, for: "one").first?.entity.id == from)
      let cited = Note.where { $0.id == from }.related(via: Link.self) { $0.kind == .cites }
      #expect(try await store.fetch(cited).map(\.title) == ["two"])
      let way = try await store.graph.path(
        from: from, to: to, via: Link.self, weight: \.strength)
      #expect(way?.cost == 1)
      try await store.undo(edit)
      #expect(try await store.fetch(from)?.pinned == false)
      try await store.close()
    }
  }
#endif
