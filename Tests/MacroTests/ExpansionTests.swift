#if Macros
  import Testing

  /// What the macros generate.
  @Suite struct ExpansionTests {
    @Test("an entity's type gets its collection, fields, rules and a quick read")
    func entity() {
      Expansion.expect(
        """
        @Entity("notes") struct Note {
          var id = ID()
          @Search(weight: 2) var title = ""
          @Reference(onDelete: .nullify) var folder: Folder.ID?
          @Field(formerly: "kind") @Index var `default` = Kind.plain
          @Transient var isOpen = false
          @Modified var modified = Date.distantPast
          var short: String { title }
        }
        """,
        becomes: """
          struct Note {
            var id = ID()
            var title = ""
            var folder: Folder.ID?
            var `default` = Kind.plain
            var isOpen = false
            var modified = Date.distantPast
            var short: String { title }

            static var collection: String {
              "notes"
            }

            static let fields: [Daybook.EntityField<Self>] = [
              .field("title", \\.title).searchable(weight: 2),
              .field("folder", \\.folder).references(Folder.self, onDelete: .nullify),
              .field("default", \\.`default`).formerly("kind").indexed(),
              .field("modified", \\.modified).kept(.modified),
            ]

            mutating func read(_ row: Daybook.EntityRow) {
              row.read(0, into: &self.title)
              row.read(1, into: &self.folder)
              row.read(2, into: &self.`default`)
              row.read(3, into: &self.modified)
            }
          }

          nonisolated extension Note: Daybook.Entity {
          }
          """)
    }

    @Test("rules of a whole type become its refine")
    func rules() {
      Expansion.expect(
        """
        @Entity("books") @Local @Unique(\\.source, \\.number) @Unique(.folded, \\.source, \\.shelf)
        @Index(\\.number.descending, where: \\.lent)
        struct Book {
          var id = ID()
          var source = "", number = ""
          var shelf = 0
          var lent = false
        }
        """,
        becomes: """
          struct Book {
            var id = ID()
            var source = "", number = ""
            var shelf = 0
            var lent = false

            static var collection: String {
              "books"
            }

            static let fields: [Daybook.EntityField<Self>] = [
              .field("source", \\.source),
              .field("number", \\.number),
              .field("shelf", \\.shelf),
              .field("lent", \\.lent),
            ]

            mutating func read(_ row: Daybook.EntityRow) {
              row.read(0, into: &self.source)
              row.read(1, into: &self.number)
              row.read(2, into: &self.shelf)
              row.read(3, into: &self.lent)
            }

            static func refine(_ definition: Daybook.Definition) -> Daybook.Definition {
              definition
                .local()
                .unique("source", "number")
                .unique(.folded, "source", "shelf")
                .indexed(by: .descending("number"), where: "lent")
            }
          }

          nonisolated extension Book: Daybook.Entity {
          }
          """)
    }

    /// What the relationship of the next test becomes.
    private static let link = """
      public struct Link {
        public var kind = Kind.related
        public var strength = 1.0
        var note: String?

        public var id: Daybook.EntityID<Link> {
          get {
            Self.derivedID(of: self)
          }
          set {
          }
        }

        public var from: Daybook.EntityID<Note>

        public var to: Daybook.EntityID<Folder>

        public init(
          from: Daybook.EntityID<Note>,
          to: Daybook.EntityID<Folder>,
          kind: Kind = Kind.related,
          strength: Double = 1.0
        ) {
          self.from = from
          self.to = to
          self.kind = kind
          self.strength = strength
        }

        public init() {
          self.from = ""
          self.to = ""
        }

        public static var collection: String {
          "links"
        }

        public static let fields: [Daybook.EntityField<Self>] = [
          .field("source", \\.from).references(Note.self, onDelete: .cascade),
          .field("target", \\.to).references(Folder.self, onDelete: .cascade),
          .field("kind", \\.kind),
          .field("strength", \\.strength).indexed(),
          .field("note", \\.note),
        ]

        public mutating func read(_ row: Daybook.EntityRow) {
          row.read(0, into: &self.from)
          row.read(1, into: &self.to)
          row.read(2, into: &self.kind)
          row.read(3, into: &self.strength)
          row.read(4, into: &self.note)
        }

        public static func refine(_ definition: Daybook.Definition) -> Daybook.Definition {
          definition
            .keyed(by: "source", "target", "kind")
        }
      }

      nonisolated extension Link: Daybook.Entity, Daybook.Relationship {
      }
      """

    @Test("a relationship gets its ends, an initializer, and an id that follows from its key")
    func relationship() {
      Expansion.expect(
        """
        @Relationship("links", from: Note.self, to: Folder.self, unique: \\.kind)
        public struct Link {
          public var kind = Kind.related
          @Weight public var strength = 1.0
          var note: String?
        }
        """,
        becomes: Self.link)
    }

    @Test("a public type gets a public initializer, and none if the author has written one")
    func initializers() {
      let shared = """
            public static var collection: String {
              "tags"
            }

            public static let fields: [Daybook.EntityField<Self>] = [
              .field("name", \\.name),
            ]

            public mutating func read(_ row: Daybook.EntityRow) {
              row.read(0, into: &self.name)
            }
          }

          nonisolated extension Tag: Daybook.Entity {
          }
        """.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.hasPrefix("  ") ? $0.dropFirst(2) : $0 }.joined(separator: "\n")
      Expansion.expect(
        """
        @Entity("tags") public struct Tag {
          public var id = ID()
          public var name: String?
        }
        """,
        becomes: """
          public struct Tag {
            public var id = ID()
            public var name: String?

            public init(
              id: ID = ID(),
              name: String? = nil
            ) {
              self.id = id
              self.name = name
            }

            public init() {
            }


          """ + shared)
      Expansion.expect(
        """
        @Entity("tags") public struct Tag {
          public var id = ID()
          public var name = ""
          public init(_ name: String) { self.name = name }
        }
        """,
        becomes: """
          public struct Tag {
            public var id = ID()
            public var name = ""
            public init(_ name: String) { self.name = name }

            public init() {
            }


          """ + shared)
    }

    @Test("what a condition hides, what is deprecated, and where the type is available")
    func conditions() {
      Expansion.expect(
        """
        @available(macOS 16, *) @Entity("notes") struct Note {
          var id: ID = ID()
          @available(*, deprecated) var old = 0
          #if DEBUG
          init(sample: Int) { old = sample }
          #else
          @Transient var label = ""
          #endif
        }
        """,
        becomes: """
          @available(macOS 16, *) struct Note {
            var id: ID = ID()
            @available(*, deprecated) var old = 0
            #if DEBUG
            init(sample: Int) { old = sample }
            #else
            var label = ""
            #endif

            typealias ID = Daybook.EntityID<Note>

            #if DEBUG
            init() {
            }
            #else
            #endif

            static var collection: String {
              "notes"
            }

            @available(*, deprecated)
            static let fields: [Daybook.EntityField<Self>] = [
              .field("old", \\.old),
            ]

            @available(*, deprecated)
            mutating func read(_ row: Daybook.EntityRow) {
              row.read(0, into: &self.old)
            }
          }

          @available(macOS 16, *)
          nonisolated extension Note: Daybook.Entity {
          }
          """)
    }

    @Test("a public initializer takes the defaults that its callers do not see from a new value")
    func hiddenDefaults() {
      Expansion.expect(
        """
        @Entity("tags") public struct Tag {
          public var id = ID()
          public var name: String = Self.usual
          public var kind = Kind.plain, size = 2 * 3, day: Date = .now
          @available(*, deprecated) public var old = 0
          static let usual = "x"
        }
        """,
        becomes: """
          public struct Tag {
            public var id = ID()
            public var name: String = Self.usual
            public var kind = Kind.plain, size = 2 * 3, day: Date = .now
            @available(*, deprecated) public var old = 0
            static let usual = "x"

            public init(
              id: ID = ID(),
              name: String = Tag().name,
              kind: Kind = Kind.plain,
              size: Int = 2 * 3,
              day: Date = .now
            ) {
              self.id = id
              self.name = name
              self.kind = kind
              self.size = size
              self.day = day
            }

            public init() {
            }

            public static var collection: String {
              "tags"
            }

            @available(*, deprecated)
            public static let fields: [Daybook.EntityField<Self>] = [
              .field("name", \\.name),
              .field("kind", \\.kind),
              .field("size", \\.size),
              .field("day", \\.day).computed(),
              .field("old", \\.old),
            ]

            @available(*, deprecated)
            public mutating func read(_ row: Daybook.EntityRow) {
              row.read(0, into: &self.name)
              row.read(1, into: &self.kind)
              row.read(2, into: &self.size)
              row.read(3, into: &self.day)
              row.read(4, into: &self.old)
            }
          }

          nonisolated extension Tag: Daybook.Entity {
          }
          """)
    }
  }
#endif
