import Testing

@testable import DaybookHubClient

/// Runs each test of a suite over each transport that this build has.
struct EachTransport: SuiteTrait, TestTrait, TestScoping {
  /// The transport of the running test.
  @TaskLocal static var current = TransportKind.usual ?? .urlSession

  /// Whether the transport can trust certificates besides the system's.
  static var trustsCertificates: Bool {
    #if os(Linux)
      current != .urlSession
    #else
      true
    #endif
  }

  var isRecursive: Bool { true }

  @concurrent
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    // A suite has no case.
    guard testCase != nil else { return try await function() }
    for transport in TransportKind.allCases {
      try await Self.$current.withValue(transport) { try await function() }
    }
  }
}

extension Trait where Self == EachTransport {
  static var eachTransport: Self { EachTransport() }
}
