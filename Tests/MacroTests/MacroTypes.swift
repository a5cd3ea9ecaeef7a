#if Macros
  public import Daybook
  import DaybookMacros
  public import Foundation

  // The types that the tests use. The first three are those of the documents.

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

  enum Mood: String, Codable { case calm, cross }

  struct Place: Codable, Equatable {
    var latitude = 0.0
    var longitude = 0.0
  }

  /// Every kind of property.
  @Entity("things") struct Thing: Equatable {
    static let limit = 3
    var id = ID()
    var text = "a \"quoted\" text", other: String?
    var boolean = true
    var count = -3
    var small: Int8 = 1
    var ratio = 1.5
    var half: Float = 0.5
    var day = Date(timeIntervalSince1970: 1_700_000_000)
    var token: UUID?
    var link: URL?
    var data = Data([1, 2])
    var mood = Mood.calm
    var lastMood: Mood?
    var place = Place(latitude: 52.5, longitude: 13.4)
    var lastPlace: Place?
    var tags = ["a", "b"]
    var ages: [String: Int] = [:]
    var numbers: Set<Int> = []
    var friend: Thing.ID?
    @Reference(onDelete: .cascade) var owner: EntityID<Thing>?
    @Reference var folder: Daybook.EntityID<Folder>?
    @Tree var parent: ID?
    var `default` = "x"
    var `row` = 1
    @Transient var isSelected = false
    @Created var created = Date.distantPast
    @Modified @Index var modified: Date = .distantPast
    @Version var version = 0
    var shout: String { text.uppercased() }
  }

  @Entity("settings") @Local struct Setting {
    var id = ID()
    @Unique var key: String?
    var theme = "light"
  }

  @Entity("members") @Unique(.folded, \.club, \.nickname) struct Member {
    var id = ID()
    @Unique(.folded) var email: String?
    var club = 0
    var nickname = ""
  }

  @Entity("books") @Unique(\.source, \.number)
  @Index(\.shelf, \.added.descending) @Index(\.added, where: \.lent)
  struct Book {
    var id = ID()
    var source = ""
    var number = ""
    var shelf = 0
    var lent = false
    @Created var added = Date.distantPast
  }

  /// Relationships that are alike if their ends are.
  @Relationship("pairs", from: Note.self, to: Folder.self, unique: \.from, \.to) struct Pair {
    var note = ""
  }

  /// Relationships of which there can be several between two entities.
  @Relationship("visits", from: Folder.self, to: Note.self) struct Visit: Equatable {
    var day = Date.distantPast
    var reason: String?
  }

  /// Keyed, with a `refine` of its own.
  @Relationship("friends", from: Folder.self, to: Folder.self, unique: \.kind) struct Friend {
    var kind = "friend"
    static func refine(_ definition: Definition) -> Definition {
      definition.undirected().keyed(by: "source", "target", "kind")
    }
  }

  /// A type with initializers of its own.
  @Entity("tasks") struct Task2 {
    var id = ID()
    var title = ""
    init(_ title: String) { self.title = title }
  }

  /// Types inside of others.
  enum Outer {
    enum Inner {
      @Entity("leaves") struct Leaf {
        var id = ID()
        @Reference var next: Leaf.ID?
      }
    }
    @Entity("hidden") fileprivate struct Hidden {
      var id = ID()
      private var secret = "x"
    }
  }

  @Entity("privates") private struct Private {
    var id = ID()
    fileprivate var secret = "x"
  }

  /// Types that others can see.
  @Entity("people") public struct Person: Hashable, Codable {
    public enum Role: String, Codable, Sendable { case guest, host }
    public var id = ID()
    public var name = ""
    public var role = Role.guest
    public var born: Date?
    public private(set) var visits = 0
    var note = "inside"
  }

  @Relationship("knows", from: Person.self, to: Person.self, unique: \.since)
  public struct Knows: Hashable {
    public var since = 2000
    @Weight public var trust: Double = 0.5
  }

  extension Outer {
    @Entity("packaged") package struct Packaged {
      package var id = ID()
      package var name = ""
    }
  }

  public enum Shown {}
  extension Shown {
    @Entity("shown") public struct Item {
      public var id = ID()
      public var name = ""
    }
  }
#endif
