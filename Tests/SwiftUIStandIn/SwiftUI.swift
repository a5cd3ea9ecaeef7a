// A module that is named SwiftUI and declares what the target DaybookUI uses of it, so that the
// target can be compiled on systems without SwiftUI. Nothing here is run.

@_exported import Foundation
@_exported import Observation

public protocol DynamicProperty { mutating func update() }

extension DynamicProperty { public mutating func update() {} }

@propertyWrapper public struct State<Value>: DynamicProperty {
  public init(wrappedValue value: Value) { wrappedValue = value }
  public var wrappedValue: Value {
    get { fatalError("a stand-in") }
    nonmutating set { fatalError("a stand-in") }
  }
}

extension State: Sendable where Value: Sendable {}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

public struct EnvironmentValues: Sendable {
  public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
    get { K.defaultValue }
    set {}
  }
}

@propertyWrapper public struct Environment<Value>: DynamicProperty {
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError("a stand-in") }
}

extension Environment: Sendable where Value: Sendable {}

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @MainActor @preconcurrency var body: Body { get }
}

extension Never: View { public var body: Never { fatalError("a stand-in") } }

public struct EmptyView: View {
  public init() {}
  public var body: Never { fatalError("a stand-in") }
}

public struct Text: View {
  public init(_ text: String) {}
  public var body: Never { fatalError("a stand-in") }
}

extension View {
  public func environment<V>(
    _ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V
  ) -> some View { EmptyView() }
}
