// swift-tools-version: 6.2

import CompilerPluginSupport
import PackageDescription

/// Every Swift target is held to the same, strict, language settings.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// The settings of modules in which tests spend their time: `Tools/test` has them optimized, which
/// takes a few minutes more to build and makes the tests three times as fast.
let tested =
  strict
  + (Context.environment["DAYBOOK_OPTIMIZED_TESTS"] == nil ? [] : [.unsafeFlags(["-O"])])

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
/// SQLite's C interface, from the library that GRDB uses.
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")

// SwiftPM fetches a package only if a trait that needs it is on. So an app has what it uses, and
// nothing of the hub, the command or their tests. See decision 0081.

/// A product of which the client of a hub is made on Linux.
func client(_ name: String, _ package: String) -> Target.Dependency {
  .product(
    name: name, package: package, condition: .when(platforms: [.linux], traits: ["NIOClient"]))
}

/// A product of which a hub is made.
func hub(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Hub"]))
}

/// A product of swift-syntax, for macros.
func syntax(_ name: String) -> Target.Dependency {
  .product(name: name, package: "swift-syntax", condition: .when(traits: ["Macros"]))
}

/// What reads the arguments of programs.
let arguments: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"]))

let nio = [hub("NIOCore", "swift-nio"), hub("NIOPosix", "swift-nio")]
let nioHTTP = hub("NIOHTTP1", "swift-nio")
let nioSSL = hub("NIOSSL", "swift-nio-ssl")

let package = Package(
  name: "daybook",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "Daybook", targets: ["Daybook"]),
    .library(name: "DaybookMacros", targets: ["DaybookMacros"]),
    .library(name: "DaybookUI", targets: ["DaybookUI"]),
    .library(name: "HubClient", targets: ["HubClient"]),
    .library(name: "HubServer", targets: ["HubServer"]),
    .library(name: "Notes", targets: ["Notes"]),
    .library(name: "NotesMarkdown", targets: ["NotesMarkdown"]),
    .executable(name: "evtool", targets: ["evtool"]),
  ],
  traits: [
    .trait(name: "Macros", description: "Macros for entity types, in the product DaybookMacros"),
    .trait(
      name: "NIOClient",
      description: "A hub's client on Linux, where URLSession cannot carry it"),
    .trait(name: "Markdown", description: "The product NotesMarkdown, which parses YAML"),
    .trait(name: "Hub", description: "The product HubServer, on SwiftNIO and Hummingbird"),
    .trait(
      name: "Command", description: "The command evtool and the programs of this package",
      enabledTraits: ["Hub", "Markdown", "NIOClient"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
  ],
  targets: [
    .systemLibrary(
      name: "CLZ4", pkgConfig: "liblz4", providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "CChecksum"),
    .target(name: "CSystemCalls"),
    .target(
      name: "CPages", dependencies: ["CChecksum"], linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CRows", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(name: "CTokens", linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("m")]),
    .target(
      name: "EventCore",
      dependencies: ["CChecksum", crypto],
      swiftSettings: tested),
    // Calls of the system about files, and files that appear whole or not at all.
    .target(name: "Disk", swiftSettings: tested),
    // Blocks of events as they are stored and sent; pure.
    .target(name: "Frames", dependencies: ["EventCore", "CLZ4"], swiftSettings: tested),
    .target(
      name: "LogEngine",
      dependencies: ["CSystemCalls", "Disk", "EventCore", "Frames", logging, metrics],
      swiftSettings: tested),
    .target(
      name: "Replication",
      dependencies: [
        "EventCore", "Frames",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: tested),
    .target(
      name: "Projections",
      dependencies: [
        "Disk", "EventCore", "Texts", "CPages", "CRows", "CTokens", grdb, sqlite,
        .product(name: "HeapModule", package: "swift-collections"),
      ],
      swiftSettings: tested),
    // Changes of texts; pure.
    .target(name: "Texts", dependencies: ["EventCore"], swiftSettings: tested),
    // A strict JSON parser and its writer; pure.
    .target(name: "JSON", dependencies: ["EventCore"], swiftSettings: tested),
    .target(
      name: "Daybook",
      dependencies: [
        "CSystemCalls", "Disk", "EventCore", "Frames", "JSON", "LogEngine", "Replication",
        "Projections", "Texts", grdb, sqlite, logging, metrics,
        crypto, .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: tested),
    // Live values in SwiftUI; empty on systems without it. Tests compile it with a stand-in.
    .target(name: "DaybookUI", dependencies: ["Daybook"], swiftSettings: strict),
    // Notes over a shared folder: the first product that is built on Daybook.
    .target(
      name: "Notes",
      dependencies: ["Daybook", "EventCore", "Projections", "Replication", grdb, crypto],
      swiftSettings: strict),
    // Notes as folders of Markdown. An app builds a parser of YAML only if it uses this product. Of
    // Yams it imports CYaml, whose events have places; Yams itself makes trees without them.
    .target(
      name: "NotesMarkdown",
      dependencies: [
        "Daybook", "Disk", "EventCore", "Notes", "Projections", grdb,
        .product(name: "Yams", package: "Yams", condition: .when(traits: ["Markdown"])),
      ],
      swiftSettings: strict),
    // Macros for entity types. These targets are empty without the trait `Macros`. What the plugin
    // does is a library: with a test that depends on a plugin, all tests would be built as tools.
    .target(
      name: "DaybookMacros", dependencies: ["Daybook", "DaybookMacroPlugin"], swiftSettings: strict),
    .macro(
      name: "DaybookMacroPlugin",
      dependencies: ["EntityMacros", syntax("SwiftCompilerPlugin"), syntax("SwiftSyntaxMacros")],
      swiftSettings: strict),
    .target(
      name: "EntityMacros",
      dependencies: [
        syntax("SwiftDiagnostics"), syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"),
        syntax("SwiftSyntaxMacros"),
      ],
      swiftSettings: strict),
    // Import and export: NDJSON, CSV, SQLite databases.
    .target(
      name: "Interchange",
      dependencies: ["EventCore", "JSON", "Projections", "Texts", sqlite],
      swiftSettings: tested),
    // A zone as its hub keeps it.
    .target(
      name: "HubZone",
      dependencies: ["Daybook", "EventCore", "LogEngine", "Replication", logging, metrics],
      swiftSettings: tested),
    .target(
      name: "HubServer",
      dependencies: [
        "CSystemCalls", "Daybook", "EventCore", "HubZone", "JSON", "LogEngine", "Projections",
        "Replication",
        logging, metrics, crypto,
        nioHTTP, nioSSL,
        hub("Hummingbird", "hummingbird"),
        hub("HummingbirdCore", "hummingbird"),
        hub("HTTPTypes", "swift-http-types"),
        hub("ServiceLifecycle", "swift-service-lifecycle"),
        hub("UnixSignals", "swift-service-lifecycle"),
      ] + nio,
      swiftSettings: strict),
    .target(
      name: "HubClient",
      dependencies: [
        "Daybook", "EventCore", "JSON", "Replication",
        client("AsyncHTTPClient", "async-http-client"), client("NIOCore", "swift-nio"),
        client("NIOHTTP1", "swift-nio"), client("NIOPosix", "swift-nio"),
        client("NIOSSL", "swift-nio-ssl"),
      ],
      swiftSettings: strict),
    // What only tests and campaigns use: no product contains any of it.
    .target(
      name: "Simulation", dependencies: ["EventCore", "LogEngine", logging, metrics],
      path: "Campaigns/Simulation", swiftSettings: tested),
    .target(
      name: "ReferenceModel", dependencies: ["EventCore", "Projections", "Simulation", grdb],
      path: "Campaigns/ReferenceModel", swiftSettings: tested),
    .target(
      name: "ZoneSimulation",
      dependencies: [
        "Daybook", "Disk", "EventCore", "HubZone", "LogEngine", "Projections", "ReferenceModel",
        "Replication", "Simulation", grdb, logging,
      ],
      path: "Campaigns/ZoneSimulation", swiftSettings: tested),
    .target(name: "CDiskCalls", path: "Campaigns/CDiskCalls"),
    .target(
      name: "StoreSimulation",
      dependencies: [
        "CDiskCalls", "Daybook", "EventCore", "HubZone", "LogEngine", "Projections",
        "ReferenceModel", "Replication", "Simulation", grdb, logging,
      ],
      path: "Campaigns/StoreSimulation", swiftSettings: tested),
    .executableTarget(
      name: "simulate-log",
      dependencies: [
        "Simulation", arguments,
      ],
      path: "Campaigns/Simulate/log", swiftSettings: strict),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "Daybook", "EventCore", "Interchange", "JSON", "LogEngine", "NotesMarkdown", "Projections",
        "ReferenceModel", "Replication", "Simulation", "Texts", grdb,
      ],
      path: "Campaigns/Fuzz/Targets", swiftSettings: strict),
    // Fuzzes only where `Tools/fuzz` builds it; else it replays single inputs.
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "FuzzTargets", arguments,
      ],
      path: "Campaigns/Fuzz/Driver", swiftSettings: strict),
    .executableTarget(
      name: "simulate-store",
      dependencies: [
        "StoreSimulation", arguments,
      ],
      path: "Campaigns/Simulate/store", swiftSettings: strict),
    .executableTarget(
      name: "simulate-zone",
      dependencies: [
        "ZoneSimulation", arguments,
      ],
      path: "Campaigns/Simulate/zone", swiftSettings: strict),
    .executableTarget(
      name: "evtool",
      dependencies: [
        "CSystemCalls", "Daybook", "Disk", "EventCore", "HubClient", "HubServer", "Interchange",
        "JSON", "LogEngine", "Projections", "Replication", "Texts", grdb, logging, crypto,
        arguments,
      ],
      path: "Tools/evtool", swiftSettings: strict),
    // The system's SQLite, which is the one that GRDB uses: a difference in figures must not come
    // from a difference in libraries.
    .target(
      name: "CBaseline", path: "Tools/bench/Sources/CBaseline",
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "CBaseline", "Daybook", "EventCore", "HubClient", "HubZone", "Notes", "Texts", grdb,
      ],
      path: "Tools/bench/Sources/bench", swiftSettings: strict),
    // README's Swift, as a newcomer's package has it: without the settings of this one.
    .executableTarget(
      name: "readme-sample", dependencies: ["Daybook", "DaybookMacros"],
      path: "Tests/ReadmeSample"),
    // The last step of the tutorial in the documentation.
    .executableTarget(
      name: "tutorial-sample", dependencies: ["Daybook", "DaybookMacros", "HubClient"],
      path: "Tests/TutorialSample"),
    // The sample package, whose first loop has an end here.
    .executableTarget(
      name: "typed-notes-sample", dependencies: ["Daybook", "DaybookMacros", "HubClient"],
      path: "Tests/TypedNotesSample", swiftSettings: [.define("SAMPLE_RUNS")]),
    // The sample in the documentation of the notes library.
    .executableTarget(
      name: "notebook-sample", dependencies: ["Notes", "NotesMarkdown"],
      path: "Tests/NotebookSample"),
    .testTarget(
      name: "TextsTests", dependencies: ["EventCore", "ReferenceModel", "Texts"],
      swiftSettings: strict),
    .testTarget(name: "SourceTests", swiftSettings: strict),
    .testTarget(
      name: "EventCoreTests", dependencies: ["EventCore", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "FramesTests", dependencies: ["EventCore", "Frames", "Simulation"],
      swiftSettings: strict),
    .testTarget(
      name: "LogEngineTests", dependencies: ["EventCore", "LogEngine", "Simulation", logging],
      resources: [.copy("Golden")], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "Simulation", "StoreSimulation", "ZoneSimulation", "LogEngine", "EventCore", "Daybook",
        "simulate-log", "simulate-store",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: [
        "Projections", "EventCore", "ReferenceModel", "Simulation", grdb, sqlite,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "DaybookTests",
      dependencies: [
        "Daybook", "EventCore", "HubZone", "Interchange", "JSON", "LogEngine", "Projections",
        "ReferenceModel", "Replication", "Simulation", "Texts", grdb, logging, metrics,
      ],
      resources: [.copy("Golden")], swiftSettings: strict),
    .testTarget(
      name: "MacroTests",
      dependencies: [
        "Daybook", "DaybookMacros", "EntityMacros", "EventCore", "Projections", grdb,
        syntax("SwiftDiagnostics"), syntax("SwiftParser"), syntax("SwiftSyntax"),
        syntax("SwiftSyntaxBuilder"), syntax("SwiftSyntaxMacroExpansion"),
        syntax("SwiftSyntaxMacros"),
        syntax("SwiftSyntaxMacrosGenericTestSupport"),
      ],
      swiftSettings: strict),
    // What kinds of apps need, each with its own types; see docs/requirements.md.
    .testTarget(
      name: "RequirementTests",
      dependencies: ["Daybook", "DaybookMacros", "EventCore", "HubZone", grdb],
      swiftSettings: strict),
    // What an app for notes needs, row by row; see docs/requirements.md.
    .testTarget(
      name: "NotesTests",
      dependencies: ["Daybook", "Notes", "NotesMarkdown", "Simulation"],
      swiftSettings: strict),
    .testTarget(
      name: "JSONTests", dependencies: ["EventCore", "JSON", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "InterchangeTests",
      dependencies: ["Daybook", "EventCore", "Interchange", "JSON", "Projections", "Simulation"],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests",
      dependencies: ["Replication", "EventCore", "Frames", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["FuzzTargets", "Simulation"], swiftSettings: strict),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "HubServer", "HubClient", "HubZone", "JSON", "Daybook", "Replication", "EventCore",
        "LogEngine", grdb,
        logging, metrics, nioHTTP, nioSSL,
      ] + nio,
      resources: [.copy("TLS")], swiftSettings: strict),
    .testTarget(
      name: "EvtoolTests",
      dependencies: [
        "evtool", "Daybook", "LogEngine", "EventCore", "HubServer", "JSON", "Projections",
        "Replication",
        "Simulation", grdb,
        arguments,
      ] + nio,
      swiftSettings: strict),
  ]
)

// With `DAYBOOK_TESTS` set, for example to "TextsTests ProjectionsTests", only these suites and
// programs are built: the loop at the desk for a change that few suites are about.
if let wanted = Context.environment["DAYBOOK_TESTS"]?.split(separator: " ").map(String.init) {
  package.targets.removeAll {
    ($0.type == .test || $0.type == .executable) && !wanted.contains($0.name)
  }
  package.products.removeAll { $0.name == "evtool" && !wanted.contains("evtool") }
}
