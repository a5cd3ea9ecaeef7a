import Foundation
import Testing

/// The inspector of a hub's zones.
@Suite struct HubInspectTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func token(_ hub: String, _ access: String, zone: String = "team") throws -> String {
    let made = try Evtool.run("token", "create", hub, "--zone", zone, access)
    return try #require(made.lines.first { $0.hasPrefix("daybook_") }.map(String.init))
  }

  private func sync(_ store: String, _ hub: HubProcess, _ token: String) throws -> Evtool.Result {
    try Evtool.run(["sync", store, hub.url()], environment: ["DAYBOOK_TOKEN": token])
  }

  @Test("a hub's page shows a zone to a token of it, and settles for one that may write")
  func zone() throws {
    let hub = folder.path("hub")
    let (write, read) = (try token(hub, "--write"), try token(hub, "--read"))
    let process = try HubProcess(hub, arguments: ["--inspect"])
    let (ann, bob) = (try folder.makeStore("ann.daybook"), folder.path("bob.daybook"))
    try Evtool.run("init", bob)
    for store in [ann, bob] { #expect(try sync(store, process, write).status == 0) }
    try Evtool.run("update", ann, "notes", "n1", "title=Oat milk, two", "--actor", "ann")
    try Evtool.run("update", bob, "notes", "n1", "title=Soy milk", "--actor", "bob")
    for store in [ann, bob] { #expect(try sync(store, process, write).status == 0) }
    let page = RequestSender(port: process.port)
    #expect(try page.request("GET", "/inspect/").status == 200)
    #expect(try page.request("GET", "/inspect").headers["location"] == "/inspect/")
    for path in ["store", "conflicts", "rows?collection=notes"] {
      #expect(try page.request("GET", "/inspect/api/\(path)").status == 401)
      #expect(try page.request("GET", "/inspect/api/\(path)", token: "daybook_x_y").status == 401)
    }
    // The inspector's store fetches the zone as any client does.
    var conflicts: [[String: Any]] = []
    for _ in 0..<500 where conflicts.isEmpty {
      conflicts = try page.request("GET", "/inspect/api/conflicts", token: read)
        .list("conflicts")
    }
    #expect(conflicts.count == 1)
    let body = try JSONSerialization.data(
      withJSONObject: [
        "collection": "notes", "id": "n1", "field": "title", "value": "Settled at the hub",
      ])
    let json = ["Content-Type": "application/json"]
    let settle = "/inspect/api/conflicts/settle"
    #expect(
      try page.request("POST", settle, headers: json, body: body, token: read).status == 403)
    let settled = try page.request("POST", settle, headers: json, body: body, token: write)
    #expect(settled.status == 200, "\(settled.text)")
    // A client gets the settlement from the zone.
    for _ in 0..<200 {
      #expect(try sync(bob, process, write).status == 0)
      if try folder.fields(bob, "n1")["title"] as? String == "Settled at the hub" { break }
    }
    #expect(try folder.fields(bob, "n1")["title"] as? String == "Settled at the hub")
    #expect(
      try page.request(
        "POST", "/inspect/api/backup", headers: json, body: Data("{\"folder\":\"/x\"}".utf8),
        token: write
      ).text.contains("makes no backups"))
    #expect(try process.terminate().status == 0)
  }

  @Test("a hub's page in a browser shows a zone, and no more once its token is revoked")
  func page() throws {
    guard Chromium.path != nil else { return }
    let hub = folder.path("hub")
    let read = try token(hub, "--read")
    let process = try HubProcess(hub, arguments: ["--inspect"])
    #expect(try sync(try folder.makeStore(), process, try token(hub, "--write")).status == 0)
    let browser = try Chromium()
    try browser.open("http://127.0.0.1:\(process.port)/inspect/#token=\(read)")
    try browser.go("#/data/notes")
    try browser.until("document.querySelector('table.rows')?.innerText.includes('Oat milk')")
    #expect(
      try browser.evaluate("location.href.includes(\(Chromium.quoted(read)))") as? Bool == false)
    #expect(try browser.nameless() == [] && browser.complaints == [])
    let id = String(read.split(separator: "_")[1])
    #expect(try Evtool.run("token", "revoke", hub, id).status == 0)
    try browser.go("#/data/links")
    try browser.until("document.querySelector('#main').innerText.includes('no access')")
    #expect(try browser.evaluate("document.body.innerText.includes('Oat milk')") as? Bool == false)
    #expect(try process.terminate().status == 0)
  }

  @Test("a token that is revoked, or of another zone, or of a hub without the page, shows nothing")
  func revoked() throws {
    let hub = folder.path("hub")
    let (team, other) = (try token(hub, "--read"), try token(hub, "--read", zone: "other"))
    let process = try HubProcess(hub, arguments: ["--inspect"])
    #expect(try sync(try folder.makeStore(), process, try token(hub, "--write")).status == 0)
    let page = RequestSender(port: process.port)
    func name(_ token: String) throws -> String? {
      try page.request("GET", "/inspect/api/store", token: token).json["name"] as? String
    }
    #expect(try name(team) == "team" && name(other) == "other")
    let id = String(team.split(separator: "_")[1])
    #expect(try Evtool.run("token", "revoke", hub, id).status == 0)
    #expect(try name(team) == nil && name(other) == "other")
    #expect(try process.terminate().status == 0)
    let plain = try HubProcess(hub)
    let none = RequestSender(port: plain.port)
    #expect(try none.request("GET", "/inspect/").status == 404)
    #expect(try none.request("GET", "/inspect/api/store", token: other).status == 404)
  }
}
