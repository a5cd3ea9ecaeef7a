// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TypedNotes",
  platforms: [.macOS(.v14)],
  dependencies: [.package(name: "daybook", path: "../..", traits: ["Macros", "NIOClient"])],
  targets: [
    .executableTarget(
      name: "TypedNotes",
      dependencies: [
        .product(name: "Daybook", package: "daybook"),
        .product(name: "DaybookMacros", package: "daybook"),
        .product(name: "DaybookHubClient", package: "daybook"),
      ])
  ]
)
