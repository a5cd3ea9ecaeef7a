import Daybook
import DaybookLocks
import Foundation

/// Power failures in the life of an app. What a killed process leaves is one of the cases.
extension AppLife {
  /// The numbers of the phases that have ended, read while an image is taken.
  private final class Phases: Sendable {
    private let ended = Mutex<Set<Int>>([])
    var all: Set<Int> { ended.withLock { $0 } }
    func end(_ number: Int) { ended.withLock { _ = $0.insert(number) } }
  }

  /// Launches a version, which then writes, and lets the power go meanwhile.
  ///
  /// The device goes on with what the disk held at that moment. The launch is made again, and must
  /// come to the same. Of the writes, those that were acknowledged are there, and the one that was
  /// under way is there in whole or not at all.
  func losePower(_ index: Int) async throws {
    guard DiskWatch.isPossible else { return }
    let device = devices[index]
    try await device.store.close()
    let place = device.url.deletingLastPathComponent()
    let phases = Phases()
    let watch = DiskWatch(place, seed: UInt64(pick(1 << 30))) { phases.all }
    watch.start()
    for _ in 0..<3 { watch.plan(at: 1 + pick(250)) }

    let wanted = pick(2) == 0 ? device.version : pick(versions.count)
    var opened = try await launch(device.url, wanted)
    if opened == nil { opened = try await launch(device.url, device.version) }
    guard let (store, version) = opened else {
      _ = watch.stop()
      devices.remove(at: index)
      return
    }
    (devices[index].store, devices[index].version) = (store, version)
    var states = [try await Raw(store).entities]
    phases.end(0)
    for number in 1...1 + pick(4) {
      try await write(index)
      states.append(try await Raw(store).entities)
      phases.end(number)
    }
    try await store.close()
    let images = watch.takeImages()
    if let name = watch.stop() { return fail("the watch has not seen all writes to \(name)") }

    let image = images.isEmpty ? nil : images[pick(images.count)]
    if let image {
      tell("the power goes at \(image.moment), \(image.acknowledged.count) phases after the launch")
      try StoreRun.put(image, in: place)
      powerFailures += 1
    }
    guard let (again, _) = try await launch(device.url, version) else {
      devices.remove(at: index)
      return fail("version \(version) was refused after the power had gone")
    }
    devices[index].store = again
    let last = image.map { $0.acknowledged.max() ?? -1 } ?? states.count - 1
    let possible = states[max(last, 0)...min(max(last, -1) + 1, states.count - 1)]
    let found = try await Raw(again).entities
    if !possible.contains(found) {
      fail("after the power had gone, the store holds \(found), none of \(possible)")
    }
  }
}
