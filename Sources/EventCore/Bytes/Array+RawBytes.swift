extension Array where Element == UInt8 {
  /// Calls `body` with the array's bytes, as `withUnsafeBytes` does, and rethrows its error type.
  @inlinable
  package func withRawBytes<R, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let result: Result<R, E> = withUnsafeBytes { bytes in
      do throws(E) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
