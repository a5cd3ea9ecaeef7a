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

/// A product of which the command and the programs of this package are made.
func program(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Command"]))
}

let arguments: Target.Dependency = program("ArgumentParser", "swift-argument-parser")
let nio: [Target.Dependency] = [hub("NIOCore", "swift-nio"), hub("NIOPosix", "swift-nio")]
let nioHTTP: Target.Dependency = hub("NIOHTTP1", "swift-nio")
let nioSSL: Target.Dependency = hub("NIOSSL", "swift-nio-ssl")

let package = Package(
  name: "daybook",
  platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
  products: [
    .library(name: "Daybook", targets: ["Daybook"]),
    .library(name: "DaybookMacros", targets: ["DaybookMacros"]),
    .library(name: "DaybookUI", targets: ["DaybookUI"]),
    .library(name: "DaybookGQL", targets: ["DaybookGQL"]),
    .library(name: "DaybookHubClient", targets: ["DaybookHubClient"]),
    .library(name: "DaybookHubServer", targets: ["DaybookHubServer"]),
    .library(name: "DaybookInterchange", targets: ["DaybookInterchange"]),
    .library(name: "DaybookNotes", targets: ["DaybookNotes"]),
    .library(name: "DaybookNotesMarkdown", targets: ["DaybookNotesMarkdown"]),
    .library(name: "DaybookRDF", targets: ["DaybookRDF"]),
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
      name: "DaybookCLZ4", path: "Sources/CLZ4", pkgConfig: "liblz4",
      providers: [.apt(["liblz4-dev"]), .brew(["lz4"])]),
    .target(name: "DaybookCChecksum", path: "Sources/CChecksum"),
    .target(name: "DaybookCSystemCalls", path: "Sources/CSystemCalls"),
    // A lock for all systems that the package runs on.
    .target(name: "DaybookLocks", path: "Sources/Locks", swiftSettings: tested),
    .target(
      name: "DaybookCPages", dependencies: ["DaybookCChecksum"], path: "Sources/CPages",
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "DaybookCRows", path: "Sources/CRows", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "DaybookCTokens", path: "Sources/CTokens",
      linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("m")]),
    .target(
      name: "DaybookEventCore",
      dependencies: ["DaybookCChecksum", crypto], path: "Sources/EventCore",
      swiftSettings: tested),
    // Calls of the system about files, and files that appear whole or not at all.
    .target(name: "DaybookDisk", path: "Sources/Disk", swiftSettings: tested),
    // Blocks of events as they are stored and sent; pure.
    .target(
      name: "DaybookFrames", dependencies: ["DaybookEventCore", "DaybookCLZ4"],
      path: "Sources/Frames", swiftSettings: tested),
    .target(
      name: "DaybookLogEngine",
      dependencies: [
        "DaybookCSystemCalls", "DaybookDisk", "DaybookEventCore", "DaybookFrames", logging,
        metrics, "DaybookLocks",
      ], path: "Sources/LogEngine",
      swiftSettings: tested),
    .target(
      name: "DaybookReplication",
      dependencies: [
        "DaybookEventCore", "DaybookFrames", "DaybookLocks",
        .product(name: "DequeModule", package: "swift-collections"),
        .product(name: "HeapModule", package: "swift-collections"),
      ], path: "Sources/Replication",
      swiftSettings: tested),
    .target(
      name: "DaybookProjections",
      dependencies: [
        "DaybookDisk", "DaybookEventCore", "DaybookTexts", "DaybookCPages", "DaybookCRows",
        "DaybookCTokens", grdb, sqlite,
        .product(name: "HeapModule", package: "swift-collections"),
      ], path: "Sources/Projections",
      swiftSettings: tested),
    // Changes of texts; pure.
    .target(
      name: "DaybookTexts", dependencies: ["DaybookEventCore"], path: "Sources/Texts",
      swiftSettings: tested),
    // A strict JSON parser and its writer; pure.
    .target(
      name: "DaybookJSON", dependencies: ["DaybookEventCore"], path: "Sources/JSON",
      swiftSettings: tested),
    // An open store without the calls of an app: log, read model, transactions, health, backup.
    .target(
      name: "DaybookEngine",
      dependencies: [
        "DaybookCSystemCalls", "DaybookDisk", "DaybookEventCore", "DaybookFrames", "DaybookJSON",
        "DaybookLocks", "DaybookLogEngine", "DaybookReplication", "DaybookProjections",
        "DaybookTexts", grdb, sqlite, logging, metrics, crypto,
        .product(name: "DequeModule", package: "swift-collections"),
      ], path: "Sources/Engine",
      swiftSettings: tested),
    // The sync of an open store with its peers, and shared folders.
    .target(
      name: "DaybookPeers",
      dependencies: [
        "DaybookDisk", "DaybookEngine", "DaybookEventCore", "DaybookFrames", "DaybookJSON",
        "DaybookLocks", "DaybookLogEngine", "DaybookReplication", "DaybookProjections", grdb,
        crypto,
      ], path: "Sources/Peers",
      swiftSettings: tested),
    // What an app sees.
    .target(
      name: "Daybook",
      dependencies: [
        "DaybookDisk", "DaybookEngine", "DaybookEventCore", "DaybookFrames", "DaybookJSON",
        "DaybookLocks", "DaybookLogEngine", "DaybookPeers", "DaybookProjections",
        "DaybookReplication", "DaybookTexts", grdb, sqlite, logging, metrics, crypto,
        .product(name: "DequeModule", package: "swift-collections"),
      ],
      swiftSettings: tested),
    // Live values in SwiftUI; empty on systems without it. Tests compile it with a stand-in.
    .target(name: "DaybookUI", dependencies: ["Daybook"], swiftSettings: strict),
    // The names and collections of a store's open graphs.
    .target(
      name: "DaybookOpenGraph",
      dependencies: ["DaybookEngine", "DaybookEventCore", "DaybookProjections", grdb],
      path: "Sources/OpenGraph", swiftSettings: tested),
    // The graph of a store in the languages of graphs. An app builds it only if it uses this product.
    .target(
      name: "DaybookGQL",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookEventCore", "DaybookJSON", "DaybookLocks",
        "DaybookOpenGraph", "DaybookProjections", grdb,
      ], path: "Sources/GQL",
      swiftSettings: tested),
    // Notes over a shared folder: the first product that is built on Daybook.
    .target(
      name: "DaybookNotes",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore", "DaybookProjections",
        "DaybookReplication", grdb, crypto, "DaybookLocks",
      ], path: "Sources/Notes",
      swiftSettings: strict),
    // Notes as folders of Markdown. An app builds a parser of YAML only if it uses this product. Of
    // Yams it imports CYaml, whose events have places; Yams itself makes trees without them.
    .target(
      name: "DaybookNotesMarkdown",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookPeers", "DaybookDisk", "DaybookEventCore",
        "DaybookNotes", "DaybookProjections", grdb,
        .product(name: "Yams", package: "Yams", condition: .when(traits: ["Markdown"])),
      ], path: "Sources/NotesMarkdown",
      swiftSettings: strict),
    // Macros for entity types. These targets are empty without the trait `Macros`. What the plugin
    // does is a library: with a test that depends on a plugin, all tests would be built as tools.
    .target(
      name: "DaybookMacros", dependencies: ["Daybook", "DaybookMacroPlugin"], swiftSettings: strict),
    .macro(
      name: "DaybookMacroPlugin",
      dependencies: [
        "DaybookEntityMacros", syntax("SwiftCompilerPlugin"), syntax("SwiftSyntaxMacros"),
      ],
      swiftSettings: strict),
    .target(
      name: "DaybookEntityMacros",
      dependencies: [
        syntax("SwiftDiagnostics"), syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"),
        syntax("SwiftSyntaxMacros"),
      ], path: "Sources/EntityMacros",
      swiftSettings: strict),
    // Import and export: NDJSON, CSV, SQLite databases, events.
    .target(
      name: "DaybookInterchange",
      dependencies: [
        "Daybook", "DaybookDisk", "DaybookEngine", "DaybookEventCore", "DaybookJSON",
        "DaybookLocks", "DaybookLogEngine", "DaybookProjections", "DaybookTexts", crypto, grdb,
        sqlite,
      ], path: "Sources/Interchange",
      swiftSettings: tested),
    // Calls on a store by programs: parameters, answers in JSON, pages, and SQL that only reads.
    .target(
      name: "DaybookAnswers",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookEventCore", "DaybookGQL", "DaybookInterchange",
        "DaybookJSON", "DaybookLocks", "DaybookProjections", grdb, sqlite,
      ], path: "Sources/Answers",
      swiftSettings: strict),
    // RDF in and out: Turtle, TriG, N-Triples, N-Quads; a store's tables and history as statements.
    .target(
      name: "DaybookRDF",
      dependencies: [
        "Daybook", "DaybookDisk", "DaybookEngine", "DaybookEventCore", "DaybookJSON",
        "DaybookOpenGraph", "DaybookProjections", grdb,
      ], path: "Sources/RDF",
      swiftSettings: tested),
    // A server of the Model Context Protocol on a store, for agents; without input and output.
    .target(
      name: "DaybookAgents",
      dependencies: [
        "Daybook", "DaybookAnswers", "DaybookEngine", "DaybookEventCore", "DaybookJSON",
        "DaybookLocks", "DaybookProjections", grdb,
      ], path: "Sources/Agents",
      swiftSettings: strict),
    // The files of the inspector's page, as they stand in its folder.
    .target(
      name: "DaybookCInspectorPage", path: "Sources/CInspectorPage", exclude: ["page"]),
    // A page about a store, for people, and the API that it uses.
    .target(
      name: "DaybookInspector",
      dependencies: [
        "Daybook", "DaybookAnswers", "DaybookCInspectorPage", "DaybookEngine", "DaybookEventCore",
        "DaybookInterchange", "DaybookJSON", "DaybookLocks", "DaybookLogEngine", "DaybookPeers",
        "DaybookProjections", grdb, logging,
        hub("Hummingbird", "hummingbird"), hub("HummingbirdCore", "hummingbird"),
        hub("HTTPTypes", "swift-http-types"), hub("ServiceLifecycle", "swift-service-lifecycle"),
      ] + nio, path: "Sources/Inspector",
      swiftSettings: strict),
    // A zone as its hub keeps it.
    .target(
      name: "DaybookHubZone",
      dependencies: [
        "DaybookFrames", "DaybookEngine", "DaybookPeers", "DaybookEventCore", "DaybookLogEngine",
        "DaybookReplication", logging, metrics, "DaybookLocks",
      ], path: "Sources/HubZone",
      swiftSettings: tested),
    .target(
      name: "DaybookHubServer",
      dependencies: [
        "DaybookFrames", "DaybookCSystemCalls", "Daybook", "DaybookEngine", "DaybookPeers",
        "DaybookEventCore", "DaybookHubZone", "DaybookInspector", "DaybookJSON", "DaybookLocks",
        "DaybookLogEngine", "DaybookProjections", "DaybookReplication", logging, metrics, crypto,
        nioHTTP, nioSSL,
        hub("Hummingbird", "hummingbird"), hub("HummingbirdCore", "hummingbird"),
        hub("HTTPTypes", "swift-http-types"), hub("ServiceLifecycle", "swift-service-lifecycle"),
        hub("UnixSignals", "swift-service-lifecycle"),
      ] + nio, path: "Sources/HubServer",
      swiftSettings: strict),
    .target(
      name: "DaybookHubClient",
      dependencies: [
        "DaybookEngine", "DaybookPeers", "DaybookEventCore", "DaybookJSON", "DaybookReplication",
        "DaybookLocks", client("AsyncHTTPClient", "async-http-client"),
        client("NIOCore", "swift-nio"), client("NIOHTTP1", "swift-nio"),
        client("NIOPosix", "swift-nio"), client("NIOSSL", "swift-nio-ssl"),
      ], path: "Sources/HubClient",
      swiftSettings: strict),
    // What only tests and campaigns use: no product contains any of it.
    .target(
      name: "DaybookSimulation",
      dependencies: [
        "DaybookFrames", "DaybookLocks", "DaybookEventCore", "DaybookLogEngine", logging, metrics,
      ],
      path: "Campaigns/Simulation", swiftSettings: tested),
    .target(
      name: "DaybookReferenceModel",
      dependencies: ["DaybookEventCore", "DaybookProjections", "DaybookSimulation", grdb],
      path: "Campaigns/ReferenceModel", swiftSettings: tested),
    .target(
      name: "DaybookZoneSimulation",
      dependencies: [
        "DaybookFrames", "DaybookEngine", "DaybookPeers", "DaybookDisk", "DaybookEventCore",
        "DaybookHubZone", "DaybookLogEngine", "DaybookLocks", "DaybookProjections",
        "DaybookReferenceModel", "DaybookReplication", "DaybookSimulation", grdb, logging,
      ],
      path: "Campaigns/ZoneSimulation", swiftSettings: tested),
    .target(name: "DaybookCDiskCalls", path: "Campaigns/CDiskCalls"),
    .target(
      name: "DaybookStoreSimulation",
      dependencies: [
        "DaybookCDiskCalls", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore",
        "DaybookHubZone", "DaybookLogEngine", "DaybookLocks", "DaybookProjections",
        "DaybookReferenceModel", "DaybookReplication", "DaybookSimulation", grdb, logging,
      ],
      path: "Campaigns/StoreSimulation", swiftSettings: tested),
    .executableTarget(
      name: "simulate-log",
      dependencies: [
        "DaybookSimulation", arguments,
      ],
      path: "Campaigns/Simulate/log", swiftSettings: strict),
    .target(
      name: "DaybookFuzzTargets",
      dependencies: [
        "DaybookFrames", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore",
        "DaybookGQL", "DaybookInterchange", "DaybookJSON", "DaybookLogEngine", "DaybookLocks",
        "DaybookNotesMarkdown", "DaybookProjections", "DaybookRDF", "DaybookReferenceModel",
        "DaybookReplication", "DaybookSimulation", "DaybookTexts", grdb,
      ],
      path: "Campaigns/Fuzz/Targets", swiftSettings: strict),
    // Fuzzes only where `Tools/fuzz` builds it; else it replays single inputs.
    .executableTarget(
      name: "fuzz",
      dependencies: [
        "DaybookFuzzTargets", arguments,
      ],
      path: "Campaigns/Fuzz/Driver", swiftSettings: strict),
    .executableTarget(
      name: "simulate-store",
      dependencies: [
        "DaybookStoreSimulation", arguments,
      ],
      path: "Campaigns/Simulate/store", swiftSettings: strict),
    .executableTarget(
      name: "simulate-zone",
      dependencies: [
        "DaybookZoneSimulation", arguments,
      ],
      path: "Campaigns/Simulate/zone", swiftSettings: strict),
    .executableTarget(
      name: "evtool",
      dependencies: [
        "DaybookFrames", "DaybookCSystemCalls", "DaybookAgents", "Daybook", "DaybookEngine",
        "DaybookPeers", "DaybookDisk", "DaybookEventCore", "DaybookGQL", "DaybookHubClient",
        "DaybookLocks", "DaybookHubServer", "DaybookInspector", "DaybookInterchange",
        "DaybookJSON", "DaybookLogEngine", "DaybookProjections", "DaybookRDF",
        "DaybookReplication", "DaybookTexts", grdb, logging, crypto, arguments,
      ],
      path: "Tools/evtool", swiftSettings: strict),
    // The system's SQLite, which is the one that GRDB uses: a difference in figures must not come
    // from a difference in libraries.
    .target(
      name: "DaybookCBaseline", path: "Tools/bench/Sources/CBaseline",
      cSettings: [.define("_GNU_SOURCE", .when(platforms: [.linux]))],
      linkerSettings: [.linkedLibrary("sqlite3")]),
    .executableTarget(
      name: "bench",
      dependencies: [
        "DaybookCBaseline", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore",
        "DaybookGQL", "DaybookHubClient", "DaybookHubZone", "DaybookJSON", "DaybookLocks",
        "DaybookNotes", "DaybookTexts", grdb,
      ],
      path: "Tools/bench/Sources/bench", swiftSettings: strict),
    // README's Swift, as a newcomer's package has it: without the settings of this one.
    .executableTarget(
      name: "readme-sample", dependencies: ["Daybook", "DaybookMacros"],
      path: "Tests/ReadmeSample"),
    // The last step of the tutorial in the documentation.
    .executableTarget(
      name: "tutorial-sample",
      dependencies: ["Daybook", "DaybookMacros", "DaybookHubClient"],
      path: "Tests/TutorialSample"),
    // The sample package, whose first loop has an end here.
    .executableTarget(
      name: "typed-notes-sample",
      dependencies: ["Daybook", "DaybookMacros", "DaybookHubClient"],
      path: "Tests/TypedNotesSample", swiftSettings: [.define("SAMPLE_RUNS")]),
    // The sample in the documentation of the notes library.
    .executableTarget(
      name: "notebook-sample", dependencies: ["DaybookNotes", "DaybookNotesMarkdown"],
      path: "Tests/NotebookSample"),
    .testTarget(
      name: "TextsTests",
      dependencies: ["DaybookEventCore", "DaybookReferenceModel", "DaybookTexts"],
      swiftSettings: strict),
    .testTarget(name: "SourceTests", swiftSettings: strict),
    .testTarget(
      name: "EventCoreTests", dependencies: ["DaybookEventCore", "DaybookSimulation"],
      swiftSettings: strict),
    .testTarget(
      name: "FramesTests",
      dependencies: ["DaybookEventCore", "DaybookFrames", "DaybookSimulation"],
      swiftSettings: strict),
    .testTarget(
      name: "LogEngineTests",
      dependencies: [
        "DaybookFrames", "DaybookLocks", "DaybookEventCore", "DaybookLogEngine",
        "DaybookSimulation", logging,
      ],
      resources: [.copy("Golden")], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests",
      dependencies: [
        "DaybookFrames", "DaybookSimulation", "DaybookStoreSimulation", "DaybookZoneSimulation",
        "DaybookLogEngine", "DaybookLocks", "DaybookEventCore", "Daybook", "DaybookEngine",
        "DaybookPeers", "simulate-log", "simulate-store",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: [
        "DaybookProjections", "DaybookEventCore", "DaybookReferenceModel", "DaybookSimulation",
        grdb, sqlite,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "DaybookTests",
      dependencies: [
        "DaybookFrames", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore",
        "DaybookHubZone", "DaybookInterchange", "DaybookJSON", "DaybookLocks", "DaybookLogEngine",
        "DaybookProjections", "DaybookReferenceModel", "DaybookReplication", "DaybookSimulation",
        "DaybookTexts", grdb, logging, metrics,
      ],
      resources: [.copy("Golden")], swiftSettings: strict),
    .testTarget(
      name: "MacroTests",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookPeers", "DaybookMacros", "DaybookEntityMacros",
        "DaybookEventCore", "DaybookProjections", grdb, syntax("SwiftDiagnostics"),
        syntax("SwiftParser"), syntax("SwiftSyntax"), syntax("SwiftSyntaxBuilder"),
        syntax("SwiftSyntaxMacroExpansion"), syntax("SwiftSyntaxMacros"),
        syntax("SwiftSyntaxMacrosGenericTestSupport"),
      ],
      swiftSettings: strict),
    // What kinds of apps need, each with its own types; see docs/requirements.md.
    .testTarget(
      name: "RequirementTests",
      dependencies: [
        "DaybookLocks", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookMacros",
        "DaybookEventCore", "DaybookHubZone", grdb,
      ],
      swiftSettings: strict),
    // What an app for notes needs, row by row; see docs/requirements.md.
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "DaybookLocks", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookNotes",
        "DaybookNotesMarkdown", "DaybookSimulation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "GQLTests",
      dependencies: [
        "DaybookGQL", "Daybook", "DaybookEngine", "DaybookEventCore", "DaybookJSON",
        "DaybookOpenGraph", "DaybookProjections", "DaybookSimulation", grdb,
      ],
      swiftSettings: strict),
    .testTarget(
      name: "JSONTests", dependencies: ["DaybookEventCore", "DaybookJSON", "DaybookSimulation"],
      swiftSettings: strict),
    .testTarget(
      name: "InterchangeTests",
      dependencies: [
        "Daybook", "DaybookEngine", "DaybookPeers", "DaybookEventCore", "DaybookInterchange",
        "DaybookJSON", "DaybookProjections", "DaybookSimulation",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "RDFTests",
      dependencies: [
        "Daybook", "DaybookEventCore", "DaybookGQL", "DaybookProjections", "DaybookRDF",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ReplicationTests",
      dependencies: [
        "DaybookReplication", "DaybookEventCore", "DaybookFrames", "DaybookSimulation",
      ], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["DaybookFuzzTargets", "DaybookSimulation"],
      swiftSettings: strict),
    .testTarget(
      name: "HubTests",
      dependencies: [
        "DaybookHubServer", "DaybookHubClient", "DaybookHubZone", "DaybookJSON", "Daybook",
        "DaybookEngine", "DaybookPeers", "DaybookLocks", "DaybookReplication", "DaybookEventCore",
        "DaybookLogEngine", grdb, logging, metrics, nioHTTP, nioSSL,
      ] + nio,
      resources: [.copy("TLS")], swiftSettings: strict),
    .testTarget(
      name: "EvtoolTests",
      dependencies: [
        "DaybookFrames", "evtool", "Daybook", "DaybookEngine", "DaybookPeers", "DaybookLogEngine",
        "DaybookEventCore", "DaybookHubServer", "DaybookLocks", "DaybookJSON",
        "DaybookProjections", "DaybookReplication", "DaybookSimulation", grdb, arguments,
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
