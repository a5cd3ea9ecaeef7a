#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#elseif canImport(Android)
  package import Android
#endif

/// A value that only one thread at a time can reach.
///
/// It has the interface of the type of the same name in the module `Synchronization`, which the
/// oldest systems that Daybook runs on do not have. ThreadSanitizer knows the system's lock inside.
/// The lock is not recursive: `body` must not take it again.
package struct Mutex<Value: ~Copyable>: ~Copyable {
  #if canImport(Darwin)
    @usableFromInline package typealias Lock = os_unfair_lock
  #else
    @usableFromInline package typealias Lock = pthread_mutex_t
  #endif

  /// A lock must not move in memory, so it is beside the struct. So is the value.
  @usableFromInline let lock: UnsafeMutablePointer<Lock>
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Makes a mutex that guards a value.
  /// - Parameter initialValue: the value, which belongs to the mutex from then on.
  @inlinable package init(_ initialValue: consuming sending Value) {
    lock = .allocate(capacity: 1)
    value = .allocate(capacity: 1)
    value.initialize(to: initialValue)
    #if canImport(Darwin)
      lock.initialize(to: os_unfair_lock())
    #else
      lock.initialize(to: pthread_mutex_t())
      let failed = pthread_mutex_init(lock, nil)
      precondition(failed == 0, "the system could not make a lock: error \(failed)")
    #endif
  }

  @inlinable deinit {
    #if !canImport(Darwin)
      pthread_mutex_destroy(lock)
    #endif
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Calls `body` with the value, while no other thread can reach it.
  ///
  /// - Parameter body: may read the value and change it.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  @inlinable package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    acquire()
    defer { release() }
    return try body(&value.pointee)
  }

  @inlinable func acquire() {
    #if canImport(Darwin)
      os_unfair_lock_lock(lock)
    #else
      let failed = pthread_mutex_lock(lock)
      precondition(failed == 0, "a lock could not be taken: error \(failed)")
    #endif
  }

  @inlinable func release() {
    #if canImport(Darwin)
      os_unfair_lock_unlock(lock)
    #else
      let failed = pthread_mutex_unlock(lock)
      precondition(failed == 0, "a lock could not be released: error \(failed)")
    #endif
  }
}

extension Mutex: @unchecked Sendable where Value: ~Copyable {}
