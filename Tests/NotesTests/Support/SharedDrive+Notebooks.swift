import DaybookNotes
import Testing

/// Notebooks that share the folder of a drive.
extension SharedDrive {
  /// Two devices, of which the second has what the first had when it began.
  func pair() async throws -> (ann: Notebook, bob: Notebook) {
    let ann = try await Notebook.open("ann", on: self)
    try ann.share(in: try folder("ann"))
    try await ann.wait { $0.isComplete }
    let bob = try await Notebook.open("bob", on: self)
    let folder = try self.folder("bob")
    try carryAll()
    try bob.share(in: folder)
    try await bob.wait { $0.isComplete }
    return (ann, bob)
  }

  /// Carries files well until two notebooks have the same, and each has written and read them.
  func meet(_ notebooks: Notebook...) async throws {
    for _ in 0..<3 {
      try carryAll()
      for notebook in notebooks {
        let folder = try #require(notebook.sync?.folder)
        try await notebook.store.syncOnce(with: FolderPeer(folder))
      }
    }
    var digests: Set<StateDigest> = []
    for notebook in notebooks { digests.insert(try await notebook.store.digest().digest) }
    #expect(digests.count == 1)
  }
}
