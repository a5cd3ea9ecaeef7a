#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import Testing

  /// References, kept fields, types and migrations of several versions of an app.
  extension AppVersionTests {
    // MARK: - References and kept fields

    @Entity("folders") struct Folder {
      var id = ID()
    }

    enum Cascading {
      @Entity("files") struct File {
        var id = ID()
        @Reference(onDelete: .cascade) var folder: Folder.ID?
        @Reference(onDelete: .cascade) var other: Folder.ID?
        @Modified var changed = Date.distantPast
      }
    }

    enum Keeping {
      @Entity("files") struct File {
        var id = ID()
        var folder: Folder.ID?
        @Reference var other: Folder.ID?
        var changed = Date.distantPast
      }
    }

    @Test("the version that deletes decides what goes with it")
    func deletion() async throws {
      defer { remove() }
      let old = try await open("a", [Folder.self, Cascading.File.self])
      try await old.write { tx in
        try tx.insert(["f", "g", "h"].map { Folder(id: .init(rawValue: $0)) })
        try tx.insert(Cascading.File(id: "x", folder: "f"))
        try tx.insert(Cascading.File(id: "y", other: "g"))
        try tx.insert(Cascading.File(id: "z", folder: "h"))
      }
      let count = try await events(old)
      try await old.close()
      let new = try await open("a", [Folder.self, Keeping.File.self])
      #expect(try await events(new) == count)
      try await new.write { try $0.delete([Folder.ID("f"), "g"]) }
      #expect(try await new.fetch(Keeping.File.all.count()) == 3)
      try await new.close()
      let again = try await open("a", [Folder.self, Cascading.File.self])
      try await again.write { try $0.delete(Folder.ID("h")) }
      #expect(try await again.fetch(Cascading.File.ID("z")) == nil)
      try await again.close()
      // Without types, the rules of the store count.
      let bare = try await Store.open(at: folder.appending(path: "a"))
      try await bare.write { tx in
        try tx.insert("folders", "i")
        try tx.insert("files", "w", ["folder": "i"])
        try tx.delete("folders", "i")
        #expect(try tx.fetch("files", "w") == nil)
      }
      try await bare.close()
    }

    @Test("a field that the store keeps for one version is not written by another")
    func kept() async throws {
      defer { remove() }
      try await open("a", [Folder.self, Cascading.File.self]).close()
      let store = try await open("a", [Folder.self, Keeping.File.self])
      let epoch = Date(timeIntervalSince1970: 0)
      try await store.write { tx in
        try tx.insert(Keeping.File(id: "x", changed: epoch))
        try tx.update(Keeping.File.ID("x")) { ($0.changed, $0.folder) = (epoch, "f") }
      }
      let changed = try #require(try await store.fetch(Keeping.File.ID("x"))).changed
      #expect(abs(changed.timeIntervalSinceNow) < 3600)
      try await store.close()
      let freed = Migration(1, "dates of our own") { try $0.define(Keeping.File.self) }
      let later = try await open("a", [Folder.self, Keeping.File.self], [freed])
      try await later.write { _ = try $0.update(Keeping.File.ID("x")) { $0.changed = epoch } }
      #expect(try await later.fetch(Keeping.File.ID("x"))?.changed == epoch)
      try await later.close()
      let older = try await open("a", [Folder.self, Cascading.File.self])
      try await older.write { try $0.insert(Cascading.File(id: "y")) }
      #expect(try await older.fetch(Cascading.File.ID("x"))?.changed == epoch)
      try await older.close()
    }

    // MARK: - Types

    enum TextNumber {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var name = ""
        var number = "none"
      }
    }

    @Test("the first type of a field counts for ever, and a fresh install does not lock others out")
    func firstType() async throws {
      defer { remove() }
      let old = try await open("a", [Five.Item.self])
      let other = try await open("c", [Five.Item.self])
      try await old.write { try $0.insert(Five.Item(id: "a", number: 3)) }
      try await old.syncOnce(with: StorePeer(other))
      let fresh = try await open("b", [TextNumber.Item.self])
      try await fresh.write { try $0.insert(TextNumber.Item(id: "b", number: "three")) }
      for store in [other, old] { try await fresh.syncOnce(with: StorePeer(store)) }
      #expect(try await old.digest() == fresh.digest())
      #expect(try await old.fetch(Five.Item.all.order(by: \.id)).map(\.number) == [3, 5])
      try await old.write { _ = try $0.update(Five.Item.ID("a")) { $0.number = 4 } }
      try await old.close()
      let again = try await open("a", [Five.Item.self])
      #expect(try await again.fetch(Five.Item.ID("a"))?.number == 4)
      #expect(try await again.hidden().all().map(\.id) == ["b"])
      try await [again, other, fresh].closeAll()
      await #expect {
        try await open("b", [TextNumber.Item.self])
      } throws: {
        ($0 as? StoreError)?.message.contains("items.number as integer") == true
      }
    }

    @Test("a field that was dropped keeps its type, and its values")
    func droppedField() async throws {
      defer { remove() }
      let store = try await open("a", [Five.Item.self])
      try await store.write { tx in
        try tx.insert(Five.Item(id: "a", number: 3))
        try tx.drop(field: "number", of: "items")
      }
      try await store.close()
      await #expect {
        try await open("a", [TextNumber.Item.self])
      } throws: {
        ($0 as? StoreError)?.code == .contradiction
      }
      let again = try await open("a", [Five.Item.self])
      #expect(try await again.fetch(Five.Item.ID("a"))?.number == 3)
      try await again.close()
    }

    @Test("an older version that runs reads and writes on, whatever another one drops")
    func droppedBelow() async throws {
      defer { remove() }
      let old = try await open("a", [Five.Item.self, Folder.self])
      let new = try await open("b", [Nameless.Item.self])
      try await old.write { tx in
        try tx.insert(Five.Item(id: "a", number: 3))
        try tx.insert(Folder(id: "f"))
      }
      try await old.syncOnce(with: StorePeer(new))
      try await new.write { tx in
        try tx.drop(field: "number", of: "items")
        try tx.drop(collection: "folders")
      }
      try await old.syncOnce(with: StorePeer(new))
      #expect(try await old.fetch(Five.Item.all).map(\.number) == [5])
      #expect(try await old.fetch(Five.Item.ID("a"))?.number == 5)
      #expect(try await old.fetch(Folder.all).isEmpty)
      try await old.write { tx in
        try tx.insert(Five.Item(id: "b", number: 6))
        try tx.insert(Folder(id: "g"))
      }
      #expect(try await old.fetch(Five.Item.all.order(by: \.id)).map(\.number) == [3, 6])
      #expect(try await old.fetch(Folder.all.count()) == 2)
      try await [old, new].closeAll()
    }

    enum Numbered {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var number = 5
        var odd = 1
      }
    }

    enum Worded {
      @Entity("items") struct Item: Equatable {
        var id = ID()
        var number: Int?
        var odd = ""
      }
    }

    @Test("a property to which another version gave another type hinders no write of the others")
    func retypedBeside() async throws {
      defer { remove() }
      let first = try await open("a", [Numbered.Item.self])
      let second = try await open("b", [Worded.Item.self])
      try await first.write { try $0.insert(Numbered.Item(id: "a", number: 3)) }
      // Neither knew the other's definition when it was opened. The first one counts.
      try await second.syncOnce(with: StorePeer(first))
      try await second.write { try $0.update(Worded.Item.ID("a")) { $0.number = nil } }
      #expect(try await second.fetch(Worded.Item.ID("a"))?.number == nil)
      await #expect {
        try await second.write { try $0.update(Worded.Item.ID("a")) { $0.odd = "x" } }
      } throws: {
        ($0 as? StoreError)?.code == .wrongType
          && ($0 as? StoreError)?.message.contains("items.odd") == true
      }
      // What another one drops comes back all the same.
      try await first.write { try $0.drop(field: "number", of: "items") }
      try await second.syncOnce(with: StorePeer(first))
      try await second.write { try $0.update(Worded.Item.ID("a")) { $0.number = 9 } }
      #expect(try await second.fetch(Worded.Item.ID("a"))?.number == 9)
      try await [first, second].closeAll()
    }

    // MARK: - Migrations

    enum Named {
      @Entity("people") struct Person: Equatable {
        var id = ID()
        var name = ""
      }
    }

    enum Split {
      @Entity("people") struct Person: Equatable {
        var id = ID()
        var name = ""
        var first = ""
      }
    }

    static let split = Migration(1, "first names") { tx in
      try tx.update(where: Split.Person.all) { person in
        person.first = person.name.split(separator: " ").first.map(String.init) ?? ""
      }
    }

    @Test("what an older version writes after a migration has come is migrated when it is upgraded")
    func writtenSince() async throws {
      defer { remove() }
      let first = try await open("a", [Named.Person.self])
      let old = try await open("c", [Named.Person.self])
      try await first.write { tx in
        for (id, name) in [("p", "Ann Smith"), ("q", "Bob Jones"), ("r", "Cy Ray")] {
          try tx.insert(Named.Person(id: .init(rawValue: id), name: name))
        }
      }
      try await first.syncOnce(with: StorePeer(old))
      try await first.close()
      let new = try await open("a", [Split.Person.self], [Self.split])
      try await new.syncOnce(with: StorePeer(old))
      try await old.write { tx in
        for (id, name) in [("p", "Zoe Smith"), ("q", "Bo Jones")] {
          try tx.update(Named.Person.ID(rawValue: id)) { $0.name = name }
        }
      }
      // A person corrects this one in the new version, without having seen what the other wrote.
      try await new.write { _ = try $0.update(Split.Person.ID("q")) { $0.first = "Bobby" } }
      try await new.syncOnce(with: StorePeer(old))
      try await old.close()
      let upgraded = try await open("c", [Split.Person.self], [Self.split])
      for _ in 0..<2 { try await new.syncOnce(with: StorePeer(upgraded)) }
      for store in [new, upgraded] {
        let people = try await store.fetch(Split.Person.all.order(by: \.id))
        #expect(people.map(\.first) == ["Zoe", "Bobby", "Cy"])
      }
      try await [new, upgraded].closeAll()
    }
  }
#endif
