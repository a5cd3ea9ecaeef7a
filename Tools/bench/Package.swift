// swift-tools-version: 6.2

import PackageDescription

// A package of its own, so that nobody who uses Daybook builds its benchmarks.

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "bench",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "daybook", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // The system's SQLite, which is the one that GRDB uses: a difference in figures must not come
    // from a difference in libraries.
    .target(
      name: "CBaseline",
      cSettings: [
        .define("_GNU_SOURCE", .when(platforms: [.linux])),
        .enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error),
      ],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CBaseline", .product(name: "Daybook", package: "daybook"),
        .product(name: "HubClient", package: "daybook"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
  ]
)
