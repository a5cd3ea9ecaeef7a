import ArgumentParser
import Daybook
import DaybookHubServer
import DaybookJSON
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
    if output.json {
      var writer = JSONWriter()
      writer.array { writer in
        for token in tokens { writer.object { Self.write(token, to: &$0) } }
      }
      return StandardOutput.line(writer.bytes)
    }
    guard !tokens.isEmpty else { return StandardOutput.line("there are no tokens") }
    let now = Date.now.milliseconds
    var table = Table(["id", "zone", "allows", "made", "ends"])
    for token in tokens {
      table.add([
        token.id, token.zone?.description ?? "–", token.access.rawValue,
        Text.moment(token.created), Self.end(token, now: now),
      ])
    }
    table.end()
  }

  private static func end(_ token: AccessToken, now: Int64) -> String {
    guard let expires = token.expires else { return "never" }
    return Text.moment(expires) + (expires <= now ? ", over" : "")
  }

  static func facts(_ token: AccessToken) -> String {
    let what = token.zone.map { "\(token.access.rawValue) for zone \($0)" } ?? "the hub's figures"
    return what + (token.expires.map { ", until \(Text.moment($0))" } ?? "")
  }

  static func write(_ token: AccessToken, to writer: inout JSONWriter) {
    writer.member("id", token.id)
    writer.key("zone")
    if let zone = token.zone { writer.text(zone.description) } else { writer.null() }
    writer.member("access", token.access.rawValue)
    writer.member("created", token.created)
    writer.key("expires")
    if let expires = token.expires { writer.integer(expires) } else { writer.null() }
  }
}
