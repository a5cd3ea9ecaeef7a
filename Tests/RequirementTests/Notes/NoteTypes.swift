#if Macros
  import Daybook
  import DaybookMacros
  import Foundation
  import Observation

  // The types of an app for notes, which shares folders with other devices.

  @Entity("folders") struct Folder: Equatable {
    var id = ID()
    var name = ""
    @Tree @Reference(onDelete: .cascade) var parent: Folder.ID?
    @Index var order = 0
  }

  @Entity("notes") @Index(\.folder, \.modified.descending) struct Note: Equatable {
    var id = ID()
    @Search(weight: 2) var title = ""
    @Merging @Search var content = ""
    /// The beginning of the content, so that a list reads no contents.
    var preview = ""
    @Reference(onDelete: .nullify) var folder: Folder.ID?
    @Index var pinned = false
    @Created var created = Date.distantPast
    @Modified var modified = Date.distantPast

    /// Sets the content, and what a list shows of it.
    mutating func write(_ text: String) {
      content = text
      let lines = text.split(separator: "\n", maxSplits: 1)
      title = lines.first.map { String($0) } ?? ""
      preview = lines.count > 1 ? String(lines[1].prefix(80)) : ""
    }
  }

  /// The manager of one shared folder: its store, and what views observe.
  @MainActor @Observable final class NoteManager {
    @ObservationIgnored let store: Store
    @ObservationIgnored let notes: StoreRepository<Note>
    @ObservationIgnored let folders: StoreRepository<Folder>
    let list: LiveQuery<[Note]>
    let tree: LiveQuery<[Folder]>

    static let schema: [any Entity.Type] = [Folder.self, Note.self]

    init(_ store: Store) {
      self.store = store
      (notes, folders) = (StoreRepository(store), StoreRepository(store))
      // Pinned notes come first.
      list = LiveQuery(
        store.observe(
          Note.all.order(by: \.pinned, .descending).order(by: \.title)), initially: [])
      tree = LiveQuery(store.observe(Folder.all.order(by: \.order)), initially: [])
    }

    /// The folders below another one, or below the root, in their order.
    func folders(in parent: Folder.ID?) -> [Folder] { tree.value.filter { $0.parent == parent } }
  }
#endif
