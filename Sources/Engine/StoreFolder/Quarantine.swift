import Foundation

/// The folder `quarantine` of a store, with what Daybook has set aside instead of removing it.
struct Quarantine {
  let files: StoreFiles

  /// Makes the folder, if there is none, and returns a name in it that nothing has:
  /// `quarantine/NAME-1`, or the same with a higher number.
  /// - Returns: the path, relative to the store's folder.
  func freeName(_ name: String) throws(StoreError) -> String {
    try DiskPath.makeFolder(files.quarantine)
    var number = 1
    while try DiskPath.exists("\(files.quarantine)/\(name)-\(number)") { number += 1 }
    return "quarantine/\(name)-\(number)"
  }

  /// Moves a file of the store to quarantine, durably.
  /// - Returns: the new path, relative to the store's folder.
  func setAside(_ path: String, as name: String) throws(StoreError) -> String {
    let target = try freeName(name)
    try DiskPath.move(path, to: "\(files.path)/\(target)")
    try sync()
    return target
  }

  private func sync() throws(StoreError) {
    try DiskPath.sync(folder: files.quarantine)
    try DiskPath.sync(folder: files.path)
  }

  // MARK: - Read models

  /// The number of read models that stay.
  ///
  /// Each is as large as the store's own, and can be rebuilt from the log.
  private static let readModelsMax = 3

  /// Moves a read model that is not the log's to quarantine, durably.
  ///
  /// If there are more than three then, the oldest are removed. The caller has the store alone.
  /// - Returns: the new path of the read model.
  func setReadModelAside() throws(StoreError) -> String {
    try DiskPath.makeFolder(files.quarantine)
    let names = try DiskPath.list(files.quarantine) ?? []
    let numbers = names.compactMap(Self.readModelNumber).sorted()
    let target = readModel((numbers.last ?? 0) + 1)
    for (from, to) in zip(
      StoreFiles.readModelFiles(files.readModel), StoreFiles.readModelFiles(target))
    where try DiskPath.exists(from) { try DiskPath.move(from, to: to) }
    try sync()
    for number in numbers.dropLast(Self.readModelsMax - 1) {
      for path in StoreFiles.readModelFiles(readModel(number)) { try DiskPath.remove(path) }
    }
    return target
  }

  private func readModel(_ number: Int) -> String {
    "\(files.quarantine)/read-model-\(number).sqlite"
  }

  private static func readModelNumber(_ name: String) -> Int? {
    guard name.hasPrefix("read-model-"), name.hasSuffix(".sqlite") else { return nil }
    guard let number = Int(name.dropFirst(11).dropLast(7)), (1..<Int.max).contains(number) else {
      return nil
    }
    return number
  }
}
