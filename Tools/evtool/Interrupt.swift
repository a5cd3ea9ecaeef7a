import Foundation
import Synchronization

/// Whether someone asked to stop (SIGINT, SIGTERM). The first time asks politely: what is under way
/// is finished. The second time is the system's own way.
enum Interrupt {
  private static let requested = Atomic<Bool>(false)

  static var isRequested: Bool { requested.load(ordering: .relaxed) }

  static func listen() {
    requested.store(false, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        Interrupt.requested.store(true, ordering: .relaxed)
        signal(number, SIG_DFL)
      }
    }
  }
}
