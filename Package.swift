// swift-tools-version: 6.2

import PackageDescription

/// Every Swift target is held to the same, strict, language settings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")

let package = Package(
  name: "daybook",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Daybook", targets: ["Daybook"]),
    .executable(name: "evtool", targets: ["evtool"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CChecksum"),
    .target(name: "CSystem"),
    .target(
      name: "CPages", dependencies: ["CChecksum"], linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "EventCore",
      dependencies: ["CChecksum", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: strict),
    .target(
      name: "LogEngine", dependencies: ["EventCore", "CLZ4", "CSystem", logging, metrics],
      swiftSettings: strict),
    .target(
      name: "Replication",
      dependencies: [
        "EventCore", "LogEngine", .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: strict),
    .target(
      name: "Projections",
      dependencies: [
        "EventCore", "CPages", grdb, .product(name: "GRDBSQLite", package: "GRDB.swift"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: strict),
    .target(
      name: "Daybook",
      dependencies: [
        "CSystem", "EventCore", "LogEngine", "Replication", "Projections", grdb, logging, metrics,
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: strict),
    .target(
      name: "Simulation", dependencies: ["EventCore", "LogEngine", logging, metrics],
      swiftSettings: strict),
    .target(name: "CDiskCalls"),
    .target(
      name: "StoreSimulation",
      dependencies: ["CDiskCalls", "Daybook", "LogEngine", "Simulation", grdb, logging],
      swiftSettings: strict),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "Simulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/simulator", swiftSettings: strict),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "EventCore", "LogEngine", "Replication", "Projections", "Daybook", "Simulation", grdb,
      ],
      path: "Tools/fuzz/Targets", swiftSettings: strict),
    // Fuzzes only where `Tools/fuzz/run` builds it; else it replays single inputs.
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "FuzzTargets", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/fuzz/Driver", swiftSettings: strict),
    .executableTarget(
      name: "simulate-store",
      dependencies: [
        "StoreSimulation", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/storesimulator", swiftSettings: strict),
    .executableTarget(
      name: "evtool",
      dependencies: [
        "Daybook", "Replication", grdb, logging,
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tools/evtool", swiftSettings: strict),
    .testTarget(
      name: "EventCoreTests", dependencies: ["EventCore", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "LogEngineTests", dependencies: ["LogEngine", "Simulation", logging],
      resources: [.copy("Golden")], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Simulation", "StoreSimulation", "LogEngine", "simulate-store"],
      swiftSettings: strict),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: ["Projections", "LogEngine", "EventCore", "Simulation", grdb],
      swiftSettings: strict),
    .testTarget(
      name: "DaybookTests",
      dependencies: [
        "Daybook", "LogEngine", "Replication", "Simulation", grdb, logging, metrics,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests",
      dependencies: ["Replication", "EventCore", "LogEngine", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "EvtoolTests", dependencies: ["evtool", "Daybook", "LogEngine", "EventCore", grdb],
      swiftSettings: strict),
  ]
)
