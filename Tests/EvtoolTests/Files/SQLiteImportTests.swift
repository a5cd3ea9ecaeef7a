import Foundation
import GRDB
import Testing

/// Imports of databases of other programs by the real command.
@Suite struct SQLiteImportTests {
  let folder: TemporaryFolder
  let store: String

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path("store")
    try Evtool.run("init", store)
  }

  /// Makes a database in rollback mode.
  @discardableResult
  private func database(_ name: String, _ sql: String) throws -> String {
    let queue = try DatabaseQueue(path: folder.path(name))
    try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA foreign_keys = OFF;" + sql) }
    try queue.close()
    return folder.path(name)
  }

  private func exported(_ collection: String) throws -> String {
    try Evtool.run("export", store, "--collection", collection).output
  }

  private func files() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  private static let library = """
    CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, born DATE);
    CREATE TABLE books (isbn TEXT PRIMARY KEY, title TEXT, author INTEGER REFERENCES authors,
      price REAL, lent BOOLEAN, info JSON, cover BLOB, "weird col!" TEXT) WITHOUT ROWID;
    CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE book_tags (book TEXT REFERENCES books, tag INTEGER REFERENCES tags (id),
      weight REAL, PRIMARY KEY (book, tag));
    CREATE TABLE knows (a INTEGER REFERENCES authors, b INTEGER REFERENCES authors);
    CREATE TABLE orders (id INTEGER PRIMARY KEY, a INTEGER REFERENCES authors,
      b TEXT REFERENCES books, total REAL);
    CREATE VIEW titles AS SELECT title FROM books;
    CREATE VIRTUAL TABLE words USING fts5 (word);
    INSERT INTO authors VALUES (1, 'Ann', '1970-01-02'), (2, 'Bob', NULL);
    INSERT INTO books VALUES
      ('x/1', 'One', 1, 4.5, 1, '{"b":1, "a":2}', x'00ff', 'w'), \
    ('y~', 'Two', 2, 3, 0, '[]', NULL, '');
    INSERT INTO tags VALUES (1, 'red');
    INSERT INTO book_tags VALUES ('x/1', 1, 0.5), ('y~', 1, NULL);
    INSERT INTO knows VALUES (1, 2);
    INSERT INTO orders VALUES (7, 1, 'y~', 9.5);
    INSERT INTO words VALUES ('oat');
    """

  @Test("tables become collections, foreign keys become references or relationships")
  func library() throws {
    let file = try database("library.db", Self.library)
    let before = try Data(contentsOf: URL(fileURLWithPath: file))
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try exported("books") == """
        {"op":"define","collection":"books","fields":[{"name":"title","type":"text","search":true},\
        {"name":"author","type":"text","references":"authors"},{"name":"price","type":"real"},\
        {"name":"lent","type":"boolean"},{"name":"info","type":"json"},\
        {"name":"cover","type":"blob"},{"name":"weird_col","type":"text"}]}
        {"op":"insert","collection":"books","id":"x/1","fields":{"title":"One","author":"1",\
        "price":4.5,"lent":true,"info":{"a":2,"b":1},"cover":"AP8=","weird_col":"w"}}
        {"op":"insert","collection":"books","id":"y~","fields":{"title":"Two","author":"2",\
        "price":3.0,"lent":false,"info":[],"weird_col":""}}

        """)
    #expect(try exported("authors").contains(#""born":"1970-01-02T00:00:00.000Z""#))
    let tags = try exported("book_tags")
    #expect(tags.contains(#""relationship":true"#))
    #expect(tags.contains(#""id":"x~11/1","source":"x/1","target":"1","fields":{"weight":0.5}"#))
    #expect(tags.contains(#""id":"y~0/1","source":"y~","target":"1""#))
    #expect(try exported("knows").contains(#""id":"1","source":"1","target":"2""#))
    #expect(try exported("orders").contains(#""a":"1","b":"y~","total":9.5"#))
    let ends = ["book_tags": ("books", "tags"), "knows": ("authors", "authors")]
    for (collection, (source, target)) in ends {
      let define = try exported(collection)
      #expect(define.contains(#"{"name":"source","type":"text","references":"\#(source)"}"#))
      #expect(define.contains(#"{"name":"target","type":"text","references":"\#(target)"}"#))
    }
    // The author and the tag have the same number.
    #expect(try Evtool.run("graph", "path", store, "x/1", "1").isRefusal(2, "authors/1 or tags/1"))
    #expect(try Evtool.run("graph", "path", store, "x/1", "tags/1").status == 0)
    #expect(try Evtool.run("graph", "path", store, "x/1", "authors/1").status == 1)
    let tagged = try Evtool.run("graph", "neighbors", store, "tags/1", "--json")
    #expect(tagged.output.contains(#""source":{"collection":"books","id":"x/1"}"#))
    #expect(result.errors.contains("left out: titles, a view"))
    #expect(result.errors.contains("left out: words, a virtual table with 1 row"))
    let status = try #require(try Evtool.run("status", store, "--json").json() as? [String: Any])
    #expect((status["collections"] as? [Any])?.count == 6)
    #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == before)
    #expect(try files() == ["library.db", "store"])
  }

  @Test("references lead where SQLite says: to keys that compare as equal, however spelled")
  func spellings() throws {
    let file = try database(
      "spellings.db",
      """
      CREATE TABLE people (name TEXT COLLATE NOCASE PRIMARY KEY, born);
      CREATE TABLE rooms (id INTEGER PRIMARY KEY, label TEXT);
      CREATE TABLE desks (id INTEGER PRIMARY KEY, owner TEXT REFERENCES People (NAME),
        room REFERENCES rooms);
      CREATE TABLE likes (a TEXT REFERENCES people, b TEXT REFERENCES people, PRIMARY KEY (a, b));
      INSERT INTO people VALUES ('Ann', 1), ('bob', 2);
      INSERT INTO rooms VALUES (1, 'x');
      INSERT INTO desks VALUES
        (1, 'ANN', 1.0), (2, 'Bob', '1'), (3, 'nobody', 2.0), (4, NULL, NULL);
      INSERT INTO likes VALUES ('ANN', 'BOB'), ('ann', 'bob');
      """)
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
    let desks = try exported("desks")
    for line in [
      #""id":"1","fields":{"owner":"Ann","room":"1"}"#,
      #""id":"2","fields":{"owner":"bob","room":"1"}"#,
      #""id":"3","fields":{"owner":"nobody","room":"2.0"}"#, #""id":"4","fields":{}"#,
    ] { #expect(desks.contains(line), "\(desks)") }
    let likes = try exported("likes")
    #expect(likes.contains(#""id":"ANN/BOB","source":"Ann","target":"bob""#), "\(likes)")
    #expect(likes.contains(#""id":"ann/bob","source":"Ann","target":"bob""#), "\(likes)")
    #expect(try Evtool.run("graph", "path", store, "people/Ann", "people/bob").status == 0)
  }

  @Test("a key of which SQLite does not know how it compares is imported as it is")
  func unknownCollation() throws {
    let path = folder.path("unknown.db")
    var configuration = Configuration()
    configuration.prepareDatabase { db in
      db.add(collation: DatabaseCollation("own") { a, b in a.compare(b) })
    }
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    try queue.writeWithoutTransaction { db in
      try db.execute(
        sql: """
          CREATE TABLE p (id TEXT COLLATE own PRIMARY KEY, n INTEGER);
          CREATE TABLE c (id INTEGER PRIMARY KEY, p TEXT REFERENCES p);
          INSERT INTO p VALUES ('a', 1);
          INSERT INTO c VALUES (1, 'a');
          """)
    }
    try queue.close()
    let result = try Evtool.run("import", store, path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try exported("c").contains(#""fields":{"p":"a"}"#))
  }

  /// Pragmas read as tables are hidden by tables of the same names.
  @Test("tables named like SQLite's own descriptions of a database are imported like others")
  func shadowingNames() throws {
    let names = ["table_list", "table_xinfo", "index_list", "index_info", "foreign_key_list"]
    let shadows = names.map {
      """
      CREATE TABLE pragma_\($0) (id TEXT PRIMARY KEY, name TEXT);
      INSERT INTO pragma_\($0) VALUES ('x', 'mine');
      """
    }
    let file = try database("shadows.db", Self.library + shadows.joined(separator: "\n"))
    let plain = try database("plain.db", Self.library)
    let result = try Evtool.run("import", store, file)
    #expect(result.status == 0, "\(result.errors)")
    for name in names {
      #expect(try exported("pragma_\(name)").contains(#""id":"x","fields":{"name":"mine"}"#))
    }
    let other = folder.path("other")
    try Evtool.run("init", other)
    try Evtool.run("import", other, plain)
    for collection in ["authors", "books", "tags", "book_tags", "knows", "orders"] {
      let expected = try Evtool.run("export", other, "--collection", collection).output
      #expect(try exported(collection) == expected)
    }
  }

  @Test("the values of a column decide its type, and a difference to its declaration is reported")
  func types() throws {
    let file = try database(
      "types.db",
      """
      CREATE TABLE t (id INTEGER PRIMARY KEY, mixed INTEGER, wide INTEGER, n REAL, i, bytes TEXT,
        at DATETIME, late DATETIME, flag BOOLEAN, inf REAL, none NUMERIC, j JSON);
      INSERT INTO t VALUES (1, 5, 1, 1, 9007199254740993, 'a', '2026-01-31 08:30:00', 'soon', 1,
        9e999, NULL, '{'), (2, 'n/a', x'00', 2.5, 0.5, x'ff', NULL, NULL, 2, 1.5, NULL, '1');
      """)
    let result = try Evtool.run("import", store, file, "--json")
    #expect(result.status == 0, "\(result.errors)")
    let report = try #require(try result.json() as? [String: Any])
    let table = try #require((report["collections"] as? [[String: Any]])?.first)
    let columns = try #require(table["columns"] as? [[String: Any]])
    let types = columns.map { "\($0["field"] ?? "") \($0["type"] ?? "")" }
    #expect(
      types == [
        "mixed text", "wide json", "n real", "i json", "bytes blob", "at timestamp", "late text",
        "flag integer", "inf text", "none real", "j text",
      ])
    #expect(columns[0]["remark"] as? String == "holds integers, texts")
    #expect(result.errors.contains("mixed  text, searchable, because it holds integers, texts"))
    let row = try exported("t")
    for value in [#""mixed":"n/a""#, #""wide":"AA==""#, #""bytes":"/w==""#, #""inf":"inf""#] {
      #expect(row.contains(value), "\(row)")
    }
  }

  @Test("the contents of a WAL are imported, and no file beside the database changes")
  func wal() throws {
    let live = folder.path("live.db")
    let queue = try DatabaseQueue(path: live)
    try queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
          CREATE TABLE t (id TEXT PRIMARY KEY); INSERT INTO t VALUES ('in the wal');
          """)
    }
    for name in ["copy.db", "copy.db-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.path(name.replacing("copy", with: "live")), toPath: folder.path(name))
    }
    try queue.close()
    let link = folder.path("link.db")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "copy.db")
    let before = try files()
    #expect(before.contains("copy.db-wal"))
    let wal = try folder.read("copy.db-wal")
    let result = try Evtool.run("import", store, folder.path("copy.db"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try exported("t").contains("in the wal"))
    #expect(try folder.read("copy.db-wal") == wal)
    let linked = try Evtool.run("import", store, link, "--again", "--put", "--json")
    #expect(linked.output.contains(#""rows":1"#), "\(linked.output)")
    // The database is in WAL mode and was closed properly.
    #expect(try Evtool.run("import", store, live, "--put").status == 0)
    #expect(try files() == before)
  }

  @Test("a file that is no database, or is locked or damaged, is refused in one sentence")
  func unusable() throws {
    let junk = try folder.write("SQLite format 3, but not quite", "junk.db")
    #expect(try Evtool.run("import", store, junk).isRefusal(2, "is no SQLite database"))
    let encrypted = try folder.write(
      Data((0..<4096).map { _ in UInt8.random(in: 0...255) }), "encrypted.sqlite")
    #expect(try Evtool.run("import", store, encrypted).isRefusal(2, "or it is encrypted"))
    let file = try database("damaged.db", Self.library)
    var data = try Data(contentsOf: URL(fileURLWithPath: file))
    for offset in 5000..<data.count { data[offset] = 0xA5 }
    try data.write(to: URL(fileURLWithPath: file))
    #expect(try Evtool.run("import", store, file).isRefusal(2, "damaged.db: ", "is damaged"))
    let locked = try database("locked.db", Self.library)
    let queue = try DatabaseQueue(path: locked)
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "BEGIN EXCLUSIVE; INSERT INTO tags VALUES (2, 'x')")
      #expect(try Evtool.run("import", store, locked).isRefusal(2, "has the database locked"))
      try db.execute(sql: "ROLLBACK")
    }
    #expect(try Evtool.run("import", store, locked, "--id", "x").isRefusal(2, "--id is for csv"))
    let null = try database(
      "null.db", "CREATE TABLE t (k TEXT PRIMARY KEY); INSERT INTO t VALUES (NULL)")
    let refused = try Evtool.run("import", store, null)
    #expect(refused.status == 2)
    #expect(refused.errors.contains("evtool: \(null): table t, row 1: a column of the primary key"))
    #expect(refused.errors.contains("no row is in the store"), "\(refused.errors)")
    let inserts = try Evtool.run("export", store).lines.filter { $0.contains("insert") }
    #expect(inserts.isEmpty)
  }

  @Test("--resume continues behind the last row of the last event, across tables")
  func resume() throws {
    var sql = ""
    for table in ["a", "b", "c"] {
      sql += """
        CREATE TABLE \(table) (id INTEGER PRIMARY KEY, n INTEGER);
        WITH RECURSIVE i (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i LIMIT 1400)
          INSERT INTO \(table) SELECT n, n FROM i;
        """
    }
    let file = try database("rows.db", sql)
    #expect(try Evtool.run("import", store, file).status == 0)
    let expected = try Evtool.run("export", store).output
    #expect(expected.split(separator: "\n").count == 4203)
    for (signal, marks) in [(SIGKILL, 3), (SIGKILL, 20), (SIGINT, 5)] {
      let other = folder.path("stopped-\(signal)-\(marks)")
      try Evtool.run("init", other)
      let running = try RunningEvtool(["import", other, file, "--batch", "5"])
      running.waitForMarks(marks, in: other)
      kill(running.process.processIdentifier, signal)
      let stopped = try running.wait()
      #expect(stopped.status != 0)
      let resumed = try Evtool.run("import", other, file, "--resume", "--batch", "5")
      #expect(resumed.status == 0, "\(resumed.errors)")
      #expect(try Evtool.run("export", other).output == expected)
    }
  }
}
