#if Macros
  import Daybook
  import DaybookMacros
  import Foundation

  // The types of an app for tasks: items in a tree, their tags, the time spent on them, and saved
  // searches, which are synced; and the settings and notes of a device, which are not.

  @Entity("items") @Index(\.parent, \.sortOrder) struct Item: Equatable {
    enum Status: String, Codable, Sendable { case next, waiting, someday, done }

    var id = ID()
    @Search var title = ""
    @Tree @Reference(onDelete: .keep) var parent: Item.ID?
    var sortOrder = 0
    var status = Status.next
    @Index var due: Date?
    var completed: Date?
    @Created var created = Date.distantPast
    @Modified var modified = Date.distantPast
  }

  @Entity("tags") struct Tag: Equatable {
    var id = ID()
    var name = ""
    var color: String?
  }

  @Relationship("item_tags", from: Item.self, to: Tag.self, unique: \.from, \.to)
  struct ItemTag: Equatable {
    @Created var created = Date.distantPast
  }

  @Entity("time_entries") struct TimeEntry: Equatable {
    var id = ID()
    @Reference(onDelete: .cascade) var item: Item.ID?
    var start = Date.distantPast
    var end: Date?
    @Modified var modified = Date.distantPast
  }

  @Entity("saved_searches") struct SavedSearch: Equatable {
    struct Definition: Codable, Equatable, Sendable {
      var words = ""
      var statuses: [Item.Status] = []
    }

    var id = ID()
    var name = ""
    var definition = Definition()
    @Modified var modified = Date.distantPast
  }

  /// A setting of one device.
  @Entity("app_settings") @Local struct AppSetting: Equatable {
    var id = ID()
    @Unique var key: String?
    var value: String?
  }

  /// What a device notes about its syncs.
  @Entity("sync_metadata") @Local struct SyncNote: Equatable {
    var id = ID()
    @Unique var key: String?
    var value = ""
  }

  /// What a newer version of the app knows of items.
  enum Newer {
    @Entity("items") struct Item: Equatable {
      enum Status: String, Codable, Sendable { case next, waiting, someday, done, delegated }

      var id = ID()
      @Search var title = ""
      var status = Status.next
      var effort = 1
      var delegate: String?
    }
  }

  enum Tasks {
    static let schema: [any Entity.Type] = [
      Item.self, Tag.self, ItemTag.self, TimeEntry.self, SavedSearch.self, AppSetting.self,
      SyncNote.self,
    ]

    static func store() async throws -> Store { try await Store.inMemory(schema: schema) }
  }

  /// What such an app adds to a store.
  extension WriteTransaction {
    /// Adds an item to the folder that this device has set; else to “Inbox”; else to the root.
    func capture(_ title: String) throws -> Item {
      let set = try fetchOne(AppSetting.where { $0.key == "quick_capture_folder" })?.value
      let folder = try set.flatMap { try fetch(Item.ID($0)) }
      let inbox = try fetchOne(Item.where { $0.title == "Inbox" && $0.parent == nil })
      let item = Item(title: title, parent: folder?.id ?? inbox?.id)
      try insert(item)
      return item
    }
  }

  /// The one place where the app and its tools change items.
  struct ItemRepository {
    let store: Store
    let tool: String

    func add(_ title: String, tags: [Tag.ID] = []) async throws -> Item {
      try await store.write(actor: tool, label: "add item") { tx in
        let item = Item(title: title)
        try tx.insert(item)
        try tx.insert(tags.map { ItemTag(from: item.id, to: $0) })
        return item
      }
    }

    func complete(_ id: Item.ID) async throws {
      try await store.write(actor: tool, label: "complete") { tx in
        _ = try tx.update(id) { $0.status = .done }
      }
    }
  }
#endif
