import DaybookCSystemCalls

/// An integer that signal handlers share with threads, because a handler may not take a lock.
///
/// It lives as long as the process.
struct SignalCell: @unchecked Sendable {
  private let place = UnsafeMutablePointer<Int32>.allocate(capacity: 1)

  init(_ value: Int32) { place.initialize(to: value) }

  var value: Int32 {
    get { daybook_shared_load(place) }
    nonmutating set { daybook_shared_store(place, newValue) }
  }

  /// Puts a value in the place of the present one, and returns that.
  func exchange(_ value: Int32) -> Int32 { daybook_shared_exchange(place, value) }
}
