#if Macros
  import SwiftSyntaxMacrosGenericTestSupport
  import Testing

  /// What the macros say to who uses them wrongly.
  @Suite struct MisuseTests {
    /// A mistake, and the message about it.
    struct Misuse: CustomTestStringConvertible, Sendable {
      let source: String
      let message: String
      var testDescription: String { source }

      init(_ source: String, _ message: String) {
        self.source = source
        self.message = message
      }

      /// A mistake in an entity with an id.
      static func entity(_ member: String, _ message: String) -> Misuse {
        Misuse("@Entity(\"notes\") struct Note {\n  var id = ID()\n  \(member)\n}", message)
      }

      /// A mistake in a relationship.
      static func link(_ member: String, unique: String = "", _ message: String) -> Misuse {
        let key = unique.isEmpty ? "" : ", unique: \(unique)"
        return Misuse(
          "@Relationship(\"links\", from: Note.self, to: Note.self\(key)) "
            + "struct Link {\n  \(member)\n}", message)
      }
    }

    @Test("one message says what is wrong and what to write instead", arguments: all)
    func message(_ misuse: Misuse) {
      #expect(Expansion.messages(misuse.source) == [misuse.message])
    }

    static let all =
      declarations + names + ids + properties + attributes + sets + relationships
      + places

    static let declarations = [
      Misuse(
        "@Entity(\"notes\") final class Note { var id = ID() }",
        "@Entity needs a structure, whose values are copies: "
          + "write “struct Note” instead of “class Note”"),
      Misuse(
        "@Entity(\"notes\") enum Note { case a }",
        "@Entity needs a structure, whose values are copies: "
          + "write “struct Note” instead of “enum Note”"),
      Misuse(
        "@Relationship(\"links\", from: A.self, to: A.self) actor Link {}",
        "@Relationship needs a structure, whose values are copies: "
          + "write “struct Link” instead of “actor Link”"),
      Misuse(
        "@Entity(\"notes\") struct Note<T> { var id = ID() }",
        "“Note” cannot be generic: a collection holds entities of one type. "
          + "Declare a structure for each type"),
      Misuse(
        "struct Outer<T> { @Entity(\"notes\") struct Note { var id = ID() } }",
        "“Note” cannot be declared in a generic type or function: "
          + "move it out, to the top of the file"),
      Misuse(
        "func work() { @Entity(\"notes\") struct Note { var id = ID() } }",
        "“Note” cannot be declared in a function: Swift adds no conformance to such a type. "
          + "Move it out of the function"),
      Misuse(
        "struct Outer { @Entity(\"notes\") private struct Note { var id = ID() } }",
        "“Note” cannot be private in another type, because Swift adds its conformance outside: "
          + "write “fileprivate”"),
      Misuse(
        "@Entity(\"notes\") @Relationship(\"notes\", from: A.self, to: A.self) struct Note {}",
        "“Note” has both @Entity and @Relationship: "
          + "a relationship is an entity already, so leave @Entity out"),
      .entity(
        "#if os(iOS)\n  var size = 1\n  #endif",
        "a stored property cannot be in “#if”, because all devices share the fields: "
          + "move it out, write @Transient, or put a computed property there"),
      Misuse(
        "@MainActor @Entity(\"notes\") struct Note { var id = ID() }",
        "“Note” cannot be @MainActor, because stores read entities on other threads: "
          + "remove it here. Functions and computed properties can have it"),
      .entity(
        "@MainActor var size = 1",
        "“size” cannot be @MainActor, because stores read entities on other threads: "
          + "remove it here. Functions and computed properties can have it"),
      .entity(
        "init?() { return nil }",
        "“init?()” is in the place of “init()”, which stores call: "
          + "remove “?”, or give it a parameter"),
      .entity(
        "init() throws {}",
        "“init()” cannot throw, because stores call it: remove “throws”, or give it a parameter"),
      .entity(
        "private init() {}",
        "“init()” must be as visible as “Note”, because stores call it: "
          + "write “init()”, or give it a parameter"),
      .entity(
        "#if DEBUG\n  init() {}\n  #endif",
        "“init()” cannot be in “#if”, because stores call it in each build: move it out, "
          + "or give it a parameter"),
      Misuse(
        "@Entity(\"notes\") public struct Note { public var id = ID()\ninit() {} }",
        "“init()” must be as visible as “Note”, because stores call it: "
          + "write “public init()”, or give it a parameter"),
      .entity(
        "static let collection = \"notes\"",
        "@Entity makes “static collection” itself: remove this one"),
    ]

    static let names = [
      Misuse(
        "@Entity struct Note { var id = ID() }",
        "@Entity needs the name of a collection: write “@Entity(\"notes\")”"),
      Misuse(
        "@Entity(\"\") struct Note { var id = ID() }",
        "“” cannot name a collection: a name is \(rule)"),
      Misuse(
        "@Entity(\"my notes\") struct Note { var id = ID() }",
        "“my notes” cannot name a collection: a name is \(rule)"),
      Misuse(
        "@Entity(\"sqlite_notes\") struct Note { var id = ID() }",
        "“sqlite_notes” cannot name a collection: a name is \(rule)"),
      Misuse(
        "@Entity(name) struct Note { var id = ID() }",
        "the name of the collection must be a plain text in quotes, because stores keep it: "
          + "write “\"notes\"”"),
      Misuse(
        "@Entity(\"notes\\(1)\") struct Note { var id = ID() }",
        "the name of the collection must be a plain text in quotes, because stores keep it: "
          + "write “\"notes\"”"),
      .entity(
        "var größe = 0",
        "“größe” cannot name a field: a name is \(rule). "
          + "Rename the property, or write @Transient if it need not be stored"),
      .entity(
        "var \(String(repeating: "a", count: 64)) = 0",
        "“\(String(repeating: "a", count: 64))” cannot name a field: a name is \(rule). "
          + "Rename the property, or write @Transient if it need not be stored"),
      .entity(
        "var ID = 0",
        "SQLite takes “ID” for “id”, because it ignores case: give the property another name"),
      .entity(
        "var url = \"\"\n  var URL = \"\"",
        "SQLite takes “URL” for “url”, because it ignores case: "
          + "give one of the properties another name"),
    ]
    static let rule = "a letter, then up to 62 letters, digits and underscores of ASCII"

    static let ids = [
      Misuse(
        "@Entity(\"notes\") struct Note { var title = \"\" }",
        "“Note” has no id: add “var id = ID()”"),
      Misuse(
        "@Entity(\"notes\") struct Note { let id = ID() }",
        "the id must be a variable, which the store sets: write “var id = ID()”"),
      Misuse(
        "@Entity(\"notes\") struct Note { var id = UUID() }",
        "the id of “Note” must be a Note.ID: write “var id = ID()”. "
          + "An id of another type can be a field with @Unique"),
      Misuse(
        "@Entity(\"notes\") struct Note { var id: Folder.ID = \"a\" }",
        "the id of “Note” must be a Note.ID: write “var id = ID()”. "
          + "An id of another type can be a field with @Unique"),
      Misuse(
        "@Entity(\"notes\") struct Note { var id: ID }",
        "the id needs a default, which makes a new id: write “var id = ID()”"),
      Misuse(
        "@Entity(\"notes\") public struct Note { var id = ID() }",
        "the id must be as visible as “Note”: write “public var id = ID()”"),
      Misuse(
        "@Entity(\"notes\") public struct Note { public internal(set) var id = ID() }",
        "the id must be a variable, which the store sets: remove “internal(set)”"),
      Misuse(
        "@Entity(\"notes\") struct Note { private(set) var id = ID() }",
        "the id must be a variable, which the store sets: remove “private(set)”"),
      Misuse(
        "@Entity(\"notes\") struct Note { var id = makeID() }",
        "the type of the id cannot be seen here: write “var id = ID()”"),
      Misuse(
        "@Entity(\"notes\") struct Note { @Search var id = ID() }",
        "the id is no field, so it cannot be @Search: remove the attribute. "
          + "Ids are unique, and have an index"),
    ]

    static let properties: [Misuse] = [
      .entity(
        "let size = 1",
        "“let size” cannot be read from a store: write “var size”, or “static let” "
          + "if it is the same for all, or @Transient"),
      .entity(
        "var title: String",
        "“title” needs a default, which entities show that are older than the field: "
          + "write “var title: String = \"\"”, or “var title: String?”"),
      .entity(
        "var count: Optional<Int>",
        "“count” has no default, because only a type that is written with “?” begins with nil: "
          + "write “var count: Int?”"),
      .entity(
        "@Transient var count: Swift.Optional<Int>",
        "“count” has no default, because only a type that is written with “?” begins with nil: "
          + "write “var count: Int?”"),
      .entity(
        "var tags: Array<String>",
        "“tags” needs a default, which entities show that are older than the field: "
          + "write “var tags: Array<String> = []”, or “var tags: Array<String>?”"),
      .entity(
        "var position: FractionalIndex",
        "“position” needs a default, which entities show that are older than the field: write "
          + "“var position: FractionalIndex = FractionalIndex.first”, or "
          + "“var position: FractionalIndex?”"),
      .entity(
        "var place: Place",
        "“place” needs a default, which entities show that are older than the field: "
          + "write “var place: Place = …”, or “var place: Place?”"),
      .entity(
        "@Reference var folder: Folder.ID",
        "“folder” needs a default, which entities show that are older than the field: "
          + "write “var folder: Folder.ID?”"),
      .entity(
        "lazy var words = count()",
        "“lazy var words” has no value until it is used, so it cannot be stored: "
          + "remove “lazy”, or write @Transient"),
      .entity(
        "var title = \"\" { didSet { print(1) } }",
        "“title” has an observer, which would also run when an entity is read: "
          + "remove the observer, or write @Transient"),
      .entity(
        "var pair = (1, 2)",
        "“pair” is a tuple, which cannot be stored: "
          + "declare a structure that is Codable, or write @Transient"),
      .entity(
        "var pair: (Int, Int)?",
        "“pair” is a tuple, which cannot be stored: "
          + "declare a structure that is Codable, or write @Transient"),
      .entity(
        "var action: (() -> Void)?",
        "“action” is a closure, which cannot be stored: write @Transient, or make it a function"),
      .entity(
        "var action: @Sendable () -> Void = {}",
        "“action” is a closure, which cannot be stored: write @Transient, or make it a function"),
      .entity(
        "var (a, b) = (1, 2)",
        "“(a, b)” declares several properties at once: declare each property for itself"),
      Misuse(
        "@Entity(\"notes\") public struct Note { public var id = ID()\npublic var size = count() }",
        "the type of “size” cannot be seen here, and the initializer needs it: "
          + "write “var size: … = count()”, or an initializer of your own"),
    ]

    static let attributes: [Misuse] = [
      .entity(
        "@Search var size = 1",
        "“size” is a number, which has no words to search: remove @Search. "
          + "@Index makes it quick to find"),
      .entity(
        "@Search var isOpen: Bool? = nil",
        "“isOpen” is true or false, which has no words to search: remove @Search. "
          + "@Index makes it quick to find"),
      .entity(
        "@Search var day = Date.now",
        "“day” is a date, which has no words to search: remove @Search. "
          + "@Index makes it quick to find"),
      .entity(
        "@Search var position = FractionalIndex.first",
        "“position” is a place in an order, which has no words to search: remove @Search. "
          + "@Index makes it quick to find"),
      .entity(
        "@Unique var position: FractionalIndex?",
        "“position” is a place in an order, and two devices may give the same: remove @Unique. "
          + "Entities in one place are in the order of their ids"),
      .entity(
        "@Merging var position = FractionalIndex.first",
        "@Merging is for texts, so “position” must be a String: remove @Merging. "
          + "Of other values the last write counts"),
      .entity(
        "@Search(weight: 0) var title = \"\"",
        "the weight of “title” must be more than 0: 1 is usual, and 2 counts twice"),
      .entity(
        "@Index @Index var title = \"\"", "“title” has @Index twice: remove one"),
      .entity(
        "@Modified var modified = 0",
        "@Modified keeps a moment, so “modified” must be a Date: "
          + "write “var modified = Date.distantPast”"),
      .entity(
        "@Created var created: String?",
        "@Created keeps a moment, so “created” must be a Date: "
          + "write “var created = Date.distantPast”"),
      .entity(
        "@Version var version = \"1\"",
        "@Version keeps the number of writes, so “version” must be an Int: "
          + "write “var version = 0”"),
      .entity(
        "@Merging var count = 0",
        "@Merging is for texts, so “count” must be a String: remove @Merging. "
          + "Of other values the last write counts"),
      .entity(
        "@Modified @Unique var modified = Date.distantPast",
        "“modified” cannot be @Unique, because the store keeps it with @Modified: "
          + "remove one of the attributes"),
      .entity(
        "@Created @Modified var modified = Date.distantPast",
        "“modified” cannot be both @Created and @Modified: declare a property for each"),
      .entity(
        "@Reference var folder = \"\"",
        "@Reference needs the id of an entity, such as “var folder: Folder.ID?”"),
      .entity(
        "@Reference var folder: UUID?",
        "@Reference needs the id of an entity, such as “var folder: Folder.ID?”"),
      .entity(
        "@Reference(onDelete: .nullify) var folder = Folder.ID(\"home\")",
        "with .nullify, “folder” becomes nil: write “var folder: Folder.ID?”"),
      .entity(
        "@Tree var parent: Folder.ID?",
        "@Tree needs a reference to the same type: write “var parent: Note.ID?”"),
      .entity(
        "@Weight var size = 1.0",
        "@Weight belongs in a @Relationship, where the graph adds it up: remove it here. "
          + "@Search(weight: 2) weighs a text in a search"),
      .entity(
        "@Field(formerly: name) var title = \"\"",
        "the earlier name of “title” must be a plain text in quotes, because stores keep it"),
      .entity(
        "@Field(formerly: \"the name\") var title = \"\"",
        "“the name” was never the name of a field: a name is \(rule)"),
      .entity(
        "@Field(formerly: \"title\") var title = \"\"",
        "“title” has this name now: write the name that it had before, or remove @Field"),
      .entity(
        "@Field(formerly: \"name\", \"name\") var title = \"\"",
        "“name” is there twice: write each earlier name once"),
      .entity(
        "@Field(formerly: \"name\", \"title\") var title = \"\"",
        "“title” has this name now: write the name that it had before, or remove @Field"),
      .entity(
        "@Unique var slug = \"\"",
        "“slug” is @Unique, and all entities that are older than the field would have \"\": "
          + "write “var slug: String?”"),
      .entity(
        "@Unique var number: Int = 1 + 2",
        "“number” is @Unique, and all entities that are older than the field would have 1 + 2: "
          + "write “var number: Int?”"),
      .entity(
        "@Unique(.folded) var slug = \"\"",
        "“slug” is @Unique, and all entities that are older than the field would have \"\": "
          + "write “var slug: String?”"),
      .entity(
        "@Unique(.folded) var number: Int?",
        "“number” is a number, which has no case: write @Unique"),
      .entity(
        "@Unique(Uniqueness.folded) var tags: [String]?",
        "“tags” is no text, which has no case: write @Unique"),
      .entity(
        "@Unique(.folded) var other: ID?", "“other” is an id, which has no case: write @Unique"),
      .entity(
        "@Transient @Index var title = \"\"",
        "“title” is @Transient, so the store does not have it: remove @Index or @Transient"),
      .entity(
        "@Transient var title: String",
        "“title” needs a default, which an entity has that comes from the store"),
    ]

    static func typed(_ attribute: String, _ message: String, refine: Bool = false) -> Misuse {
      let own = "\n  static func refine(_ definition: Definition) -> Definition { definition }"
      return Misuse(
        "@Entity(\"notes\") \(attribute) struct Note {\n  var id = ID()\n  var a = 0, b = 0"
          + "\n  @Transient var c = 0\(refine ? own : "")\n}", message)
    }

    static let sets = [
      typed(
        "@Local",
        "“Note” has a “refine” of its own: remove @Local here, "
          + "and add “.local()” to the definition there", refine: true),
      typed(
        "@Unique(\\.a, \\.x)",
        "@Unique names “x”, which is no property of “Note”: there are “a” and “b”"),
      typed(
        "@Index(\\.a, \\.c)", "@Index names “c”, which is @Transient, so no field has it"),
      typed("@Unique(\\.a, \\.a)", "@Unique names “a” twice: remove one"),
      typed(
        "@Unique(\\.a)",
        "@Unique names one property: write it at the property, as “@Unique var a”"),
      typed(
        "@Unique(.folded, \\.a, \\.b)",
        "none of the properties is a text, and only texts have a case: leave out “.folded”"),
      typed(
        "@Unique(.folded, \\.a)",
        "@Unique names one property: write it at the property, as “@Unique(.folded) var a”"),
      Misuse(
        "@Entity(\"notes\") @Unique(\\.a, \\.place) struct Note {\n  var id = ID()\n"
          + "  var a = 0\n  var place = FractionalIndex.first\n}",
        "“place” is a place in an order, and two devices may give the same: "
          + "leave it out of @Unique, or write @Index"),
      typed(
        "@Unique(\\.a, \\.b.descending)",
        "only an index has an order: write “\\.b” without “descending”"),
    ]

    static let relationships: [Misuse] = [
      .link(
        "var kind = \"\"", unique: "\\.sort",
        "“unique:” names “sort”, which is no property of “Link”: there is “kind”"),
      .link(
        "var kind: String?", unique: "\\.kind",
        "“unique:” names “kind”, which can be nil: ids follow from it, "
          + "so give it a type without “?”, and a default"),
      .link(
        "@Transient var kind = \"\"", unique: "\\.kind",
        "“unique:” names “kind”, which no relationship is written with: "
          + "name a property without @Transient"),
      .link(
        "var kind = \"\"", unique: "\\.kind, \\.kind", "“unique:” names “kind” twice: remove one"),
      .link("var id = ID()", "@Relationship makes “id” itself: remove this property"),
      .link("var from = \"\"", "@Relationship makes “from” itself: remove this property"),
      .link(
        "var target = \"\"",
        "“target” is the field of “to” in each relationship: give this property another name"),
      .link("@Weight var strength = \"1\"", "@Weight needs a number: write “var strength = 1.0”"),
      .link(
        "@Weight var a = 1\n  @Weight var b = 1",
        "a relationship has one weight: leave @Weight at “a” only, or here only"),
      .link(
        "var size = count()",
        "the type of “size” cannot be seen here, and the initializer needs it: "
          + "write “var size: … = count()”, or an initializer of your own"),
      .link(
        "static func refine(_ definition: Definition) -> Definition { definition }",
        unique: "\\.from",
        "“refine” is written here, so the key must be, too: "
          + "add “.keyed(by: \"source\", \"target\")” to the definition"),
      Misuse(
        "@Relationship(\"links\", from: note, to: Note.self) struct Link {}",
        "“from:” must name an entity type: write “from: Note.self”"),
    ]

    static let places: [Misuse] = [
      .entity(
        "@Search var short: String { title }",
        "“short” is computed, so it is not stored: remove @Search, or give it a default instead "
          + "of a getter"),
      .entity(
        "@Index static var limit = 1",
        "“limit” is static, so no entity holds it: remove @Index, or remove “static”"),
      Misuse(
        "struct Note { @Search var title = \"\" }",
        "@Search has a meaning only in a structure with @Entity or @Relationship: remove it here"),
      Misuse(
        "@Local struct Setting {}",
        "@Local belongs at a structure with @Entity or @Relationship"),
      .entity(
        "@Unique(\\.a, \\.b) var title = \"\"",
        "@Unique at a property names no others: write “@Unique” here, "
          + "or “@Unique(\\.a, \\.b)” at the structure"),
      typed(
        "@Unique",
        "@Unique belongs at a property: name the properties, as “@Unique(\\.a, \\.b)”"),
      .entity(
        "@Modified func touch() {}", "@Modified belongs at a property: write it before “var”"),
    ]

    @Test("a fix turns a class into a structure")
    func structureFix() {
      Expansion.expect(
        "@Entity(\"notes\") class Note { var id = ID() }",
        becomes: "class Note { var id = ID() \n}",
        diagnostics: [
          DiagnosticSpec(
            message: "@Entity needs a structure, whose values are copies: "
              + "write “struct Note” instead of “class Note”", line: 1, column: 18,
            fixIts: [FixItSpec(message: "Write “struct”")])
        ],
        fixed: "@Entity(\"notes\") struct Note { var id = ID() }")
    }

    @Test("a fix adds the id")
    func idFix() {
      Expansion.expect(
        """
        @Entity("notes") struct Note {
          var title = ""
        }
        """,
        becomes: """
          struct Note {
            var title = ""
          }
          """,
        diagnostics: [
          DiagnosticSpec(
            message: "“Note” has no id: add “var id = ID()”", line: 1, column: 25,
            fixIts: [FixItSpec(message: "Add “var id = ID()”")])
        ],
        fixed: """
          @Entity("notes") struct Note {
            var id = ID()
            var title = ""
          }
          """)
    }
  }
#endif
