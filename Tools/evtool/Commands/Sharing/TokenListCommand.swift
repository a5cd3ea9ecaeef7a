import ArgumentParser
import Daybook
import DaybookHubServer
import Foundation

/// The command `evtool token list`.
struct TokenListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Lists the tokens of a hub, which it can recognize and not show.",
    discussion: """
      Each line has the token's id, its zone, what it may do, and when it expires.

      Examples:
        evtool token list hub
        evtool token list hub --json
      """)

  @OptionGroup var hub: HubArgument
  @OptionGroup var output: JSONOption

  func run() async throws {
    let tokens = try TokenFile(try hub.existing()).read()
    let now = Date.now.milliseconds
    try output.show(
      tokens.map { Self.report($0, now: now) }, columns: ["id", "zone", "allows", "made", "ends"],
      none: "there are no tokens")
  }

  static func report(_ token: AccessToken, now: Int64) -> Report {
    Report {
      $0.fact("id", token.id, column: "id")
      $0.fact("zone", token.zone?.description, column: "zone")
      $0.fact("access", token.access.rawValue, column: "allows")
      $0.fact("created", token.created, column: "made", Text.moment(token.created))
      $0.fact("expires", token.expires, column: "ends", end(token, now: now))
    }
  }

  private static func end(_ token: AccessToken, now: Int64) -> String {
    guard let expires = token.expires else { return "never" }
    return Text.moment(expires) + (expires <= now ? ", over" : "")
  }

  static func facts(_ token: AccessToken) -> String {
    let what = token.zone.map { "\(token.access.rawValue) for zone \($0)" } ?? "the hub's figures"
    return what + (token.expires.map { ", until \(Text.moment($0))" } ?? "")
  }
}
