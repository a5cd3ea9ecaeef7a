import ArgumentParser
import DaybookFuzzTargets

/// Passes a target to libFuzzer, if the build includes it.
struct Run: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Fuzzes; what follows the target is libFuzzer's.")

  @Argument(help: "A target.") var target: String
  @Argument(parsing: .captureForPassthrough, help: "Options of libFuzzer, and a corpus.")
  var arguments: [String] = []

  func run() throws {
    let target = try Fuzz.target(target)
    #if LIBFUZZER
      LibFuzzer.run(target, arguments)
    #else
      throw ValidationError("this build has no libFuzzer; use Tools/fuzz \(target.name)")
    #endif
  }
}

#if LIBFUZZER
  private enum LibFuzzer {
    /// The target under test. It is static because libFuzzer's callback has no context.
    nonisolated(unsafe) static var target: FuzzTarget?

    static func run(_ target: FuzzTarget, _ arguments: [String]) {
      Self.target = target
      var count = Int32(arguments.count + 1)
      var pointers: [UnsafeMutablePointer<CChar>?] =
        (["fuzz"] + arguments).map { text in
          let bytes = text.utf8CString
          let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
          for (i, byte) in bytes.enumerated() { copy[i] = byte }
          return copy
        } + [nil]
      // The strings are never freed: libFuzzer ends the process when it is done.
      pointers.withUnsafeMutableBufferPointer { pointers in
        var start = pointers.baseAddress
        _ = runDriver(&count, &start) { bytes, count in
          // A crash reports a finding to libFuzzer, which keeps the input.
          let input = UnsafeRawBufferPointer(start: bytes, count: count)
          do { try Self.target?.check(input) } catch { fatalError("finding: \(error)") }
          return 0
        }
      }
    }
  }

  /// Runs libFuzzer (llvm.org/docs/LibFuzzer.html, "Using libFuzzer as a library").
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  ) -> Int32
#endif
