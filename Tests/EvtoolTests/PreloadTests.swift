import Foundation
import Testing

/// evtool with a library that the system's loader puts before all others.
@Suite struct PreloadTests {
  private static let compiler: String? = ["/usr/bin/cc", "/usr/bin/clang", "/usr/bin/gcc"]
    .first { access($0 as String, X_OK) == 0 }

  #if os(Linux)
    @Test(
      "arguments are there also if a library has changed the environment before",
      .enabled(if: PreloadTests.compiler != nil))
    func environment() throws {
      let folder = try TemporaryFolder()
      let source = try folder.write(
        """
        #include <stdlib.h>
        __attribute__((constructor)) static void begin(void) { setenv("BY_LIBRARY", "1", 1); }

        """, "library.c")
      let library = folder.path("library.so")
      let compiling = Process()
      compiling.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
      compiling.arguments = ["-shared", "-fPIC", "-o", library, source]
      try compiling.run()
      compiling.waitUntilExit()
      try #require(compiling.terminationStatus == 0)
      let store = try folder.makeStore()
      let result = try Evtool.run(
        ["show", store, "notes", "n1"], environment: ["LD_PRELOAD": library])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("Oat milk"), "\(result.output)")
    }
  #endif
}
