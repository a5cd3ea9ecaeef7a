// The forms here are those that are rare.
// swift-format-ignore-file
#if Macros
  public import Daybook
  import DaybookMacros
  public import Foundation

  // Forms of Swift that an app's entity types have. LegalTypeTests stores each of them.

  /// Several properties in one declaration.
  @Entity("several") struct Several: Equatable {
    var id = ID(), title = "", count = 1
    var first, second: Int?
    var third = 3, fourth: String?
  }

  /// Names that Swift, the protocol or the generated code use.
  @Entity("named") struct Named: Equatable {
    var id = ID()
    var read = false
    var fields = 0, collection = "", refine = 1
    var `default` = 0, `class`: String?
    var `init` = 1, `case` = 2, `where` = "", `self` = 3, `Type` = 4
    var row = 5, model = "", Daybook = 6
  }

  @Entity("protocols") struct `Protocol`: Equatable {
    var id = ID()
    @Tree var parent: `Protocol`.ID?
  }

  /// Who sees and sets properties.
  @Entity("seen") public struct Seen: Equatable {
    public var id = ID()
    public private(set) var visits = 0
    public internal(set) var name = ""
    public fileprivate(set) var note: String?
    package var level = 1
    internal var count = 2
    fileprivate var secret = "x"
    mutating func visit() { visits += 1 }
  }

  /// Blocks that are there in some builds only.
  @Entity("conditional") struct Conditional: Equatable {
    var id = ID()
    var count = 0
    #if swift(>=5)
      @Transient var label = "a"
      init(sample: Int) { count = sample }
      func dump() -> String { "\(count)" }
      static let samples = [1, 2]
      struct Inner {}
    #else
      @Transient var label = "b"
    #endif
  }

  @Entity("otherwise") struct Otherwise: Equatable {
    var id = ID()
    var count = 0
    #if swift(<5)
      init(sample: Int) { count = sample }
    #endif
  }

  typealias Stamp = Date
  typealias Words = String
  typealias Revision = Int
  typealias SeveralID = Several.ID
  typealias MaybeSeveral = Several.ID?
  typealias AliasedParent = Aliased.ID

  /// Names for other types.
  @Entity("aliased") struct Aliased: Equatable {
    var id: ID = .init()
    @Merging @Search var body: Words = ""
    @Reference var one: SeveralID?
    @Reference(onDelete: .nullify) var two: MaybeSeveral = nil
    @Reference(onDelete: .nullify) var three = Several.ID?.none
    @Reference var four = Optional<Several.ID>.none
    @Tree var parent: AliasedParent?
    @Modified var modified: Stamp = .distantPast
    @Version var version: Revision = 0
  }

  /// Spellings of types.
  @Entity("spelled") struct Spelled: Equatable {
    var id: Spelled.ID = ID()
    var optional: Optional<Int> = nil, long: Swift.Optional<String> = nil
    var implicit: Int!
    var list: Array<String> = [], table: Dictionary<String, [Int]> = [:]
    var text: Swift.String = "", day: Foundation.Date = .distantPast
    var bracketed: (Int) = 3
    var unsigned: UInt = 3, wide: UInt64 = 5
    var price: Decimal = 3, span: TimeInterval = 60
    var place: Swift.Optional<Place> = .none
    var range = 1...5
  }

  /// Spellings of defaults.
  @Entity("defaults") struct Defaults: Equatable {
    enum Level: Int, Codable, CaseIterable, Comparable {
      case low, high
      static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
    }
    static let limit = 7
    var id: EntityID<Defaults> = EntityID()
    var level: Level = .high, other = Level.low, levels: Set<Level> = [.low]
    var token: UUID = .init(), second = UUID.init()
    var minus = -1, hex = 0xFF, large = 1_000_000, most = Int.max, small = Int8.min
    var real = 1e-3, half: Double = .pi, not = !true
    var none: Int? = nil, alsoNone: Int? = .none, some: Int? = .some(3)
    var tags = [String](), ages = [String: Int](), marks: Set<String> = .init()
    var named = Set<String>(), given = Set(["a"])
    var week = 7 * 86_400, both = "a" + "b", mixed = 1 / 2.0
    var chosen: Int = if Defaults.limit > 3 { 1 } else { 2 }
    var either = Defaults.limit > 3 ? "a" : "b"
    var made = { 3 }(), own = Defaults.limit
    var cast = 5 as Int16, empty = nil as String?
    var link = URL(string: "https://example.org")!
    var lines = """
      one
        "two" \\
      """
    var raw = #"a\b"#
  }

  let usualSize = 4
  enum Usual { static let name = "usual" }

  /// Defaults that a public initializer repeats, or takes from a new value.
  @Entity("published") public struct Published: Equatable {
    static let limit = 3
    private static let hidden = "hidden"
    public enum Level: Int, Codable, Sendable { case low, high }
    public var id: ID = ID()
    public var limit: Int = Self.limit, again: Int = Published.limit
    public var name: String = Usual.name, secret: String = Self.hidden, size: Int = usualSize
    public var level: Level = .high, second = Level.low, third: Level? = .some(.low)
    public var week = 7 * 86_400, both = "a" + "b", not = !true, mixed = 1 / 2.0
    public var chosen: Int = if usualSize > 3 { 1 } else { 2 }
    public var made: Int = { 3 }()
    public var given = Set(["a"]), tags = [String](), marks = Set<String>()
    public var parent = Published.ID?.none, other = Optional<Int>.none
    public var link = URL(string: "https://example.org"), sure = URL(string: "https://a.b")!
    public var day = Date(timeIntervalSince1970: 5), lines: String = """
      one
        two
      """
    @available(*, deprecated) public var old = 1
    public var position = FractionalIndex.first
  }

  /// A wrapper around a property.
  @propertyWrapper struct Lowercased: Equatable, Sendable {
    private var text: String
    var wrappedValue: String {
      get { text }
      set { text = newValue.lowercased() }
    }
    init(wrappedValue: String) { text = wrappedValue.lowercased() }
  }

  /// Attributes, and members that are not stored.
  @Entity("members") struct Members: Equatable {
    var id = Self.ID()
    @Lowercased var code = "A"
    @available(*, deprecated, message: "use code") var old = 0
    nonisolated var count = 1
    var short: Int { get async { count } }
    var failing: Int { get throws { count } }
    var double: Int {
      get { count * 2 }
      set { count = newValue / 2 }
    }
    var direct: Int {
      _read { yield count }
      _modify { yield &count }
    }
    subscript(index: Int) -> Int { index + count }
    static var usual: Self { Self() }
    static subscript(name: String) -> Int { name.count }
    @MainActor func show() -> Int { count }
    @MainActor var title: String { code }
    @available(*, deprecated) func gone() {}
    func load() async throws -> Int { try failing }
    func list<C: Collection>(_ other: C) -> [Int] where C.Element == Int { other + [count] }
    typealias Number = Int
    struct Key: Hashable { var name = "" }
  }

  /// What the store does not keep can be anything.
  @Entity("kept") struct Kept {
    var id = ID()
    var count = 0
    @Transient lazy var words = count + 1
    @Transient let constant = 5
    @Transient var watched = 1 { didSet { changes += 1 } }
    @Transient var pair = (1, 2)
    @Transient var action: (@Sendable () -> Int)?
    @Transient var changes = 0
  }

  /// Initializers of the author's.
  @Entity("started") struct Started: Equatable {
    var id = EntityID<Started>()
    var count = 0
    init(_ count: Int = 3) { self.count = count }
    init?(text: String) {
      guard let count = Int(text) else { return nil }
      self.count = count
    }
    init() async { count = 9 }
    init(from other: Self) throws { self = other }
  }

  @Entity("extended") struct Extended: Equatable {
    var id: Self.ID = Self.ID()
    var count = 0
  }
  extension Extended { init(text: String) { self.init(count: Int(text) ?? 0) } }

  /// Every usual protocol.
  @Entity("conforming") struct Conforming: Codable, Hashable, Identifiable, Sendable, Equatable,
    CustomStringConvertible, Comparable
  {
    enum CodingKeys: String, CodingKey { case id, count = "number" }
    var id = ID()
    var count = 0
    var description: String { "\(count)" }
    static func < (a: Self, b: Self) -> Bool { a.count < b.count }
  }

  @available(macOS 15, iOS 18, *) @Entity("available") struct Available: Equatable {
    var id = ID()
    var count = 0
  }

  @available(*, deprecated) @Entity("outdated") struct Outdated: Equatable {
    var id = ID()
    var count = 0
  }

  // Comments at every place.
  @Entity("commented") /* here */ public struct Commented: Equatable {  // and here
    public var id = ID()  // the id
    /// A number.
    public var first = 1 /* one */, second = 2  // two
    public var table: [String: /* key */ Int] = [  // none
      "a": 1  // one
    ]
    public var third: Int /* type */ = 3
    // The end.
  }

  /// Types of properties that are declared inside.
  @Entity("nested") struct Nested: Equatable {
    struct Place: Codable, Hashable { var x = 0.0 }
    enum Shape: Codable, Equatable { case dot, box(Int) }
    struct Flags: OptionSet, Codable {
      let rawValue: Int
      static let red = Flags(rawValue: 1)
      static let blue = Flags(rawValue: 2)
    }
    enum Kind: String, Codable { case `default`, usual }
    var id = ID()
    var place = Place(), places: [Place] = [Place(x: 1)], maybe: Place?
    var shape: Shape = .box(3), other = Shape.dot
    var flags: Flags = [.red, .blue], flag: Flags = .red
    var kind: Kind = .default, kinds: [Kind] = [.usual], byKind: [String: Kind] = [:]
  }

  enum Space {}
  extension Space {
    @Entity("inExtensions") struct InExtension: Equatable {
      var id = ID()
      var inner: Space.InExtension.ID?
    }
    @Entity("inFiles") fileprivate struct InFile: Equatable {
      var id = ID()
      fileprivate var count = 1
    }
    @Entity("exposed") public struct Exposed: Equatable {
      var id = ID()
      var count = 1
      init() {}
    }
  }
  private extension Space {
    @Entity("inPrivate") struct InPrivate: Equatable {
      var id = ID()
      var count = 1
    }
  }
  extension Space {
    /// Types that other files do not see.
    static var hidden: [any Entity.Type] { [InFile.self, InPrivate.self] }
    static func hiddenEntities() -> [any Entity] { [InFile(count: 4), InPrivate(count: 5)] }
  }

  @Relationship("joined", from: Space.InExtension.self, to: Several.self, unique: \.kind, \.level)
  struct Joined: Equatable {
    enum Kind: String, Codable, Sendable { case near, far }
    var kind: Kind = .near, level = 1 + 1
    var note: String = Usual.name
    static let limit = 3
    #if swift(>=5)
      static func make() -> Int { limit }
    #endif
  }

  /// An order that people make.
  @Entity("placed") @Index(\.list, \.position) struct Placed: Equatable {
    var id = ID()
    var list = ""
    @Field(formerly: "rank") var position = FractionalIndex.first
    @Index var other: FractionalIndex?
    var third: FractionalIndex = .first
  }
#endif
