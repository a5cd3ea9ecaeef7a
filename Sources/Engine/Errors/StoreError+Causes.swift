import DaybookEventCore
package import DaybookFrames
package import DaybookLogEngine
import DaybookProjections
import DaybookReplication

extension StoreError {
  /// Returns the error of any layer as the one that a caller of the store sees.
  ///
  /// An error of a module below becomes a `StoreError` with that error as its cause. Any other
  /// error, such as one of the caller's closure, is returned unchanged.
  package static func surfacing(_ error: any Error) -> any Error {
    switch error {
    case let error as LogError: StoreError(error)
    case let error as FrameError: StoreError(LogError(error))
    case let error as ProjectionError: StoreError(error)
    case let error as EventError: StoreError(error)
    default: error
    }
  }

  /// Runs `body`, and throws its error as the one that a caller of the store sees.
  package static func surfacing<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw surfacing(error) }
  }

  /// Returns the error of a sync as the one that a caller of the store sees.
  private static func syncSurfacing(_ error: any Error) -> any Error {
    guard let failure = error as? SyncError else { return surfacing(error) }
    return StoreError(.syncFailed, failure)
  }

  /// Runs `body`, which syncs, and throws its error as the one that a caller of the store sees.
  package static func surfacingSync<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async throws -> T {
    do { return try await body() } catch { throw syncSurfacing(error) }
  }

  private init(_ code: Code, _ cause: some ExplainedError) {
    self.init(code, cause.explanation, hint: cause.hint)
    self.cause = cause
  }

  package init(_ cause: LogError) {
    let code: Code =
      switch cause.code {
      case .ioFailed, .notFound: .ioFailed
      case .noSpace: .noSpace
      case .locked: .locked
      case .replaced: .replaced
      case .readOnly: .readOnly
      case .damaged, .malformed: .damaged
      case .poisoned: .poisoned
      case .closed: .closed
      case .newerFormat, .unknownCodec: .newerFormat
      case .tooLarge: .tooLarge
      case .notLocked, .notContiguous, .privateOrigin: .other
      }
    self.init(code, cause)
  }

  private init(_ cause: ProjectionError) {
    let code: Code =
      switch cause.code {
      case .sqlite: .other
      case .noSpace: .noSpace
      case .damagedReadModel: .damagedReadModel
      case .missingEvent: .damaged
      case .newerFormat: .newerFormat
      case .unknownName: .unknownName
      case .ambiguousID: .ambiguousID
      case .invalidQuery: .invalidQuery
      case .unknownPosition: .invalidPosition
      }
    self.init(code, cause)
    let isDeclared = code == .unknownName && cause.collection.map(DeclaredTypes.contains) ?? false
    if isDeclared { hint = DeclaredTypes.hint }
    choices = cause.choices
  }

  private init(_ cause: EventError) {
    self.init(
      .damaged, "an event cannot be read: \(cause)",
      hint: "Check the store with `evtool verify`")
    self.cause = cause
  }
}
