// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "notes",
  platforms: [.macOS(.v14)],
  dependencies: [.package(path: "../daybook", traits: ["Macros", "NIOClient"])],
  targets: [
    .executableTarget(
      name: "notes",
      dependencies: [
        .product(name: "Daybook", package: "daybook"),
        .product(name: "DaybookMacros", package: "daybook"),
        .product(name: "DaybookHubClient", package: "daybook"),
      ])
  ]
)
