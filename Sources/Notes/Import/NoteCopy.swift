import Crypto
package import Daybook
package import Foundation

/// What this device knows of a note's copy in another place: in a file, or in another app.
///
/// It is local, because the place is. Another device has files of its own, which may be older or
/// newer, and what it knows of them says nothing about these.
package struct NoteCopy: Entity, Hashable {
  package static let collection = "note_copies"
  package static let fields: [EntityField<NoteCopy>] = [
    .field("place", \.place).indexed(),
    .field("note", \.note),
    .field("path", \.path),
    .field("digest", \.digest),
    .field("title", \.title),
    .field("front", \.front),
    .field("marks", \.marks),
    .field("difference", \.difference),
    .field("seen", \.seen),
  ]

  package static func refine(_ definition: Definition) -> Definition { definition.local() }

  /// The id: the place, a slash, and the id of the note.
  package var id = ID("")
  /// The place; see ``place(of:in:)``.
  package var place = ""
  package var note = NoteEntity.ID("")
  /// The path of the file; empty in another app.
  package var path = ""
  /// The digest of all that the place has of the note.
  package var digest = ""
  /// The title of its own that it has there.
  package var title: String?
  /// What its file has beside title and text.
  package var front = ""
  package var marks = ""
  /// The script that makes the text there of the note's text, as that was at ``seen``; nil if both
  /// were the same.
  package var difference: Data?
  /// The event that has recorded this. All that its author had seen is the state that the copy is
  /// compared with.
  package var seen = ""

  package init() {}

  package init(_ note: NoteEntity.ID, in place: String) {
    id = ID("\(place)/\(note)")
    (self.place, self.note) = (place, note)
  }

  /// Returns the name of a place.
  /// - Parameters:
  ///   - source: the name of the source.
  ///   - root: where it is on this device; empty for another app.
  package static func place(of source: String, in root: String) -> String {
    Digest.text(["place", source, root])
  }
}

/// What this device knows of a folder's copy in a folder of files; local, as ``NoteCopy`` is.
package struct FolderCopy: Entity, Hashable {
  package static let collection = "folder_copies"
  package static let fields: [EntityField<FolderCopy>] = [
    .field("place", \.place).indexed(),
    .field("folder", \.folder),
    .field("path", \.path),
    .field("name", \.name),
    .field("parent", \.parent),
  ]

  package static func refine(_ definition: Definition) -> Definition { definition.local() }

  /// The id: the place, a slash, and the id of the folder.
  package var id = ID("")
  package var place = ""
  package var folder = NoteFolder.ID("")
  package var path = ""
  /// The name of the folder when it got the path, and the folder that it was in. If either is
  /// another one now, it gets another path.
  package var name = ""
  package var parent: NoteFolder.ID?

  package init() {}

  package init(
    _ folder: NoteFolder.ID, in place: String, path: String, name: String, parent: NoteFolder.ID?
  ) {
    id = ID("\(place)/\(folder)")
    (self.place, self.folder, self.path) = (place, folder, path)
    (self.name, self.parent) = (name, parent)
  }
}

/// A change of a text that an import has made, so that two devices which import the same change
/// make it once.
package struct ImportStep: Entity, Hashable {
  package static let collection = "note_imports"
  package static let fields: [EntityField<ImportStep>] = [
    .field("note", \.note).indexed(),
    .field("field", \.field),
    .field("base", \.base),
    .field("result", \.result),
    .field("script", \.script),
  ]

  package var id = ID()
  package var note = ""
  /// The text that was changed.
  package var field = ""
  /// The digests of the text before and after, as the source had it.
  package var base = ""
  package var result = ""
  /// The change, if the text after it cannot be found otherwise.
  package var script: Data?

  package init() {}

  package init(
    _ note: NoteEntity.ID, _ field: String, from base: String, to result: String
  ) {
    (self.note, self.field) = (note.rawValue, field)
    (self.base, self.result) = (Digest.text([base]), Digest.text([result]))
  }
}

/// Digests of texts, for comparing them.
package enum Digest {
  /// Returns the first half of SHA-256 over some texts and their lengths, in hexadecimal.
  package static func text(_ parts: [String]) -> String {
    var hash = SHA256()
    for part in parts {
      hash.update(data: Data("\(part.utf8.count) ".utf8))
      hash.update(data: Data(part.utf8))
    }
    return hash.finalize().prefix(16).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}

/// A text that is equal to another one only if both have the same bytes: names of files in two
/// forms of Unicode are two names on most systems.
package struct ExactText: Hashable, Comparable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: ExactText, b: ExactText) -> Bool {
    a.text.utf8.elementsEqual(b.text.utf8)
  }

  package static func < (a: ExactText, b: ExactText) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
