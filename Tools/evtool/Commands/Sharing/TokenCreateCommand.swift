import ArgumentParser
import Daybook
import DaybookEventCore
import DaybookHubServer
import DaybookProjections
import DaybookReplication
import Foundation

/// The command `evtool token create`.
struct TokenCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Makes a token, and the zone if it is missing.",
    discussion: """
      The token is printed once, alone on a line of the output. evtool reads it from \
      $DAYBOOK_TOKEN.

      If a hub has lost its disk, make the hub again with the old authority.key, and the zone with \
      its old id. `evtool status` of any store of the zone shows that id. The next syncs fill the \
      zone again.

      Examples:
        evtool token create hub --zone team --write
        evtool token create hub --zone team --read --expires 2027-01-01
        evtool token create hub --metrics
        evtool token create hub --zone team --write --zone-id 5c0f6b2a9d3e4f58a1b2c3d4e5f60718
      """)

  @OptionGroup var hub: HubArgument
  @Option(help: "The zone's name.")
  var zone: String?
  @Flag(help: "Allow a store to pull events and to listen for changes.")
  var read = false
  @Flag(help: "Allow a store to push events, too.")
  var write = false
  @Flag(help: "Allow reading the hub's metrics, and nothing else.")
  var metrics = false
  @Option(help: "When the token expires: 90d, 12h, or a date, 2027-01-01. Without it: never.")
  var expires: String?
  @Option(help: "The id of a zone that is made again, 32 hexadecimal digits.")
  var zoneID: String?
  @OptionGroup var output: JSONOption

  func validate() throws {
    guard [read, write, metrics].count(where: { $0 }) == 1 else {
      throw ValidationError("say one of --read, --write and --metrics")
    }
    guard (zone == nil) == metrics else {
      throw ValidationError(
        metrics ? "--metrics is of no zone" : "say which zone, with --zone NAME")
    }
    guard zoneID.map({ ZoneID($0) != nil && ZoneID($0) != ZoneID.none }) ?? true else {
      throw ValidationError("--zone-id has 32 lower-case hexadecimal digits")
    }
    guard zoneID == nil || zone != nil else { throw ValidationError("--zone-id needs --zone") }
  }

  func run() async throws {
    let now = Date.now.milliseconds
    let end = try expires.map { try Self.moment($0, now: now) }
    let name = try zone.map { try ZoneName(argument: $0) }
    try hub.folder.prepare()
    let made = try name.flatMap { try makeZone($0) }
    let (token, text) = AccessToken.make(
      zone: name, access: metrics ? .metrics : write ? .write : .read, created: now, expires: end)
    try TokenFile(hub.folder).add(token)
    try output.show(
      Report {
        if let name, let made { $0.note("made zone \(name), \(made)") }
        $0.note("token \(token.id): \(TokenListCommand.facts(token)); it is not shown again:")
        $0.add(TokenListCommand.report(token, now: now))
        $0.fact("token", text, text)
        if let made { $0.fact("madeZone", made) }
      })
  }

  /// Creates the zone if it is missing.
  /// - Returns: The identifier of the created zone; nil if the zone existed.
  private func makeZone(_ name: ZoneName) throws -> ZoneID? {
    guard try hub.folder.hasZone(name) else {
      return try hub.folder.createZone(name, id: zoneID.flatMap { ZoneID($0) })
    }
    guard zoneID == nil else {
      throw Failure(
        .usage, "zone \(name) is there already, and keeps its id", hint: "Leave --zone-id out")
    }
    return nil
  }

  /// Returns the time of `90d`, `12h` or a moment, in milliseconds since 1970.
  static func moment(_ text: String, now: Int64) throws -> Int64 {
    for (letter, unit) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000)] {
      guard let count = text.rest(before: letter).flatMap({ Int64($0) }), count > 0,
        count < 1_000_000
      else { continue }
      // Both are clamped: a clock may say anything.
      return min(max(now, 0), Int64.max / 2) + count * Int64(unit)
    }
    guard let moment = Timestamp.milliseconds(text) else {
      throw Failure(
        .usage, "--expires is “\(text)”, which is no time",
        hint: "Say it as 90d, 12h, 2027-01-01 or 2027-01-01T12:00:00Z")
    }
    guard moment > now else { throw Failure(.usage, "--expires is “\(text)”, which is over") }
    return moment
  }
}
