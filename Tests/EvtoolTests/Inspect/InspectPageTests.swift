import Foundation
import Testing

/// The inspector's page in Chromium, as a person uses it.
@Suite(.serialized, .enabled(if: Chromium.path != nil, "Chromium is not installed"))
struct InspectPageTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Checks what must hold of a page, whatever it shows.
  private func check(_ browser: Chromium, _ inspect: InspectProcess, _ place: String) throws {
    #expect(try browser.nameless() == [], "\(place)")
    #expect(browser.complaints == [], "\(place)")
    let own = "http://127.0.0.1:\(inspect.port)/"
    #expect(browser.requested.allSatisfy { $0.hasPrefix(own) || $0 == "about:blank" }, "\(place)")
    let overflow = try browser.evaluate(
      "document.documentElement.scrollWidth > document.documentElement.clientWidth")
    #expect(overflow as? Bool == false, "\(place) is wider than its window")
    #expect(try browser.evaluate("location.href") as? String != inspect.address)
    #expect(try browser.evaluate("location.href.includes('token')") as? Bool == false)
  }

  // MARK: - What waits

  @Test("a conflict that is settled in the page is settled on a second store")
  func settling() throws {
    let (ann, bob) = try folder.makeConflict()
    let inspect = try InspectProcess(ann, "--sync", bob)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.until("document.querySelectorAll('.conflict .side').length === 2")
    let text = try browser.text
    for word in ["Oat milk, two", "Soy milk", "ann", "bob", "more milk"] {
      #expect(text.contains(word), "\(word)")
    }
    try browser.until("document.querySelector('.peer')?.innerText.includes('in sync')")
    try browser.press(button: "Take the other")
    try browser.until("document.querySelector('#main').innerText.includes('No conflicts')")
    let shown = try browser.evaluate("document.querySelector('#notice').innerText") as? String
    #expect(shown?.contains("Settled") == true)
    try check(browser, inspect, "waits")
    // The peer gets the settlement at once; when it has, nothing is left to send.
    let other = try InspectProcess(bob, "--read-only")
    for _ in 0..<200 {
      if try other.get("conflicts").list("conflicts").isEmpty { break }
      _ = try inspect.get("peers")
    }
    #expect(try other.get("conflicts").list("conflicts").isEmpty)
    let titles = try [ann, bob].map { try folder.fields($0, "n1")["title"] as? String }
    #expect(titles[0] == titles[1])
  }

  @Test("a value by hand, and the merge of two texts, settle a conflict")
  func merging() throws {
    let (ann, bob) = (try folder.makeStore("ann.daybook"), folder.path("bob.daybook"))
    let base = "Buy milk.\nCall Eve.\nWater the plants."
    try Evtool.run("update", ann, "notes", "n1", "body=\(base)")
    try Evtool.run("init", bob)
    try Evtool.run("sync", bob, ann)
    try Evtool.run(
      "update", ann, "notes", "n1", "body=Buy oat milk.\nCall Eve.\nWater the plants.",
      "count=1")
    try Evtool.run(
      "update", bob, "notes", "n1", "body=Buy milk.\nCall Eve.\nWater all the plants.", "count=2")
    try Evtool.run("sync", ann, bob)
    let inspect = try InspectProcess(ann)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.press(button: "Merge the two texts")
    try browser.until("document.querySelector('.editor textarea')")
    let merged = try browser.evaluate("document.querySelector('.editor textarea').value")
    #expect(merged as? String == "Buy oat milk.\nCall Eve.\nWater all the plants.")
    try browser.press(button: "Let this count")
    try browser.until("document.querySelectorAll('.conflict').length === 1")
    try browser.press(button: "Write a value by hand")
    try browser.evaluate("document.querySelector('.editor textarea').value = 'no number'; true")
    try browser.press(button: "Let this count")
    try browser.until("document.querySelector('#notice').innerText.includes('That is no value')")
    try browser.evaluate("document.querySelector('.editor textarea').value = '12'; true")
    try browser.press(button: "Let this count")
    try browser.until("document.querySelectorAll('.conflict').length === 0")
    let fields = try folder.fields(ann, "n1")
    #expect(fields["count"] as? Int == 12)
    #expect(fields["body"] as? String == "Buy oat milk.\nCall Eve.\nWater all the plants.")
  }

  // MARK: - Time

  @Test("the timeline is scrubbed by keys and mouse, and rows are those of the moment")
  func scrubbing() throws {
    let store = try folder.makeStore()
    for number in 1...9 {
      try Evtool.run("update", store, "notes", "n1", "title=step \(number)", "--actor", "ann")
    }
    let inspect = try InspectProcess(store)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.go("#/time")
    try browser.until("document.querySelector('.state').innerText.includes('step 9')")
    try browser.evaluate("document.querySelector('[role=slider]').focus(); true")
    for expected in ["step 8", "step 7", "step 6"] {
      try browser.press(key: "ArrowLeft")
      try browser.until("document.querySelector('.state').innerText.includes('\(expected)')")
    }
    let value =
      try browser.evaluate(
        "document.querySelector('[role=slider]').getAttribute('aria-valuetext')") as? String
    #expect(value?.contains("ann") == true && value?.hasPrefix("event ") == true)
    try browser.press(key: "ArrowRight")
    try browser.until("document.querySelector('.state').innerText.includes('step 7')")
    // Other sections show the same moment.
    try browser.go("#/entity/notes/n1")
    try browser.until("document.querySelector('dl.fields')?.innerText.includes('step 7')")
    try browser.go("#/data/notes")
    try browser.until("document.querySelector('table.rows')?.innerText.includes('step 7')")
    try check(browser, inspect, "data at a moment")
    try browser.press(button: "Back to now")
    try browser.until("document.querySelector('table.rows')?.innerText.includes('step 9')")
    try browser.go("#/time")
    try browser.until("document.querySelector('.state').innerText.includes('step 9')")
    try browser.evaluate("document.querySelector('[role=slider]').focus(); true")
    try browser.press(key: "Home")
    try browser.until(
      "document.querySelector('#h-moment').parentElement.innerText.includes('Before')")
    // The mouse at the right end is the last event.
    let box = try #require(
      try browser.evaluate(
        "(({x, y, width, height}) => [x + width - 1, y + height / 2])"
          + "(document.querySelector('[role=slider]').getBoundingClientRect())") as? [Double])
    for type in ["mousePressed", "mouseReleased"] {
      try browser.call(
        "Input.dispatchMouseEvent",
        ["type": type, "x": box[0], "y": box[1], "button": "left", "clickCount": 1])
    }
    try browser.until("document.querySelector('.state').innerText.includes('step 9')")
    try check(browser, inspect, "time")
  }

  @Test("an event says why it counts, and is undone and redone from its page")
  func undoing() throws {
    let (ann, _) = try folder.makeConflict()
    let inspect = try InspectProcess(ann)
    let writes = try inspect.get("history", ["collection": "notes", "id": "n1"]).list("writes")
    let event = try #require(
      writes.first { $0["actor"] as? String == "ann" }?["event"] as? String)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.go("#/event/\(event)")
    try browser.until("document.querySelector('.event').innerText.includes('more milk')")
    #expect(try browser.text.contains("whose author had not seen"))
    try browser.press(button: "Undo it")
    try browser.until("document.querySelector('.event').innerText.includes('undone')")
    #expect(try folder.fields(ann, "n1")["title"] as? String == "Soy milk")
    try browser.press(button: "Let it count again")
    try browser.until(
      "[...document.querySelectorAll('button')].some((one) => one.textContent === 'Undo it')")
    try check(browser, inspect, "event")
  }

  // MARK: - Every section

  @Test(
    "every section works at two widths, dark and light, and names everything",
    arguments: [(360, true), (360, false), (1440, true), (1440, false)])
  func sections(width: Int, isDark: Bool) throws {
    let (ann, bob) = try folder.makeConflict()
    let inspect = try InspectProcess(ann, "--sync", bob)
    let browser = try Chromium(width: width, isDark: isDark)
    try browser.open(inspect.address)
    for (hash, condition) in [
      ("#/waits", "document.querySelector('.conflict') && document.querySelector('.peer')"),
      ("#/time", "document.querySelector('.state table')"),
      ("#/data/notes", "document.querySelector('table.rows tbody tr td')"),
      ("#/entity/notes/n1", "document.querySelector('.history li')"),
      ("#/query/search/milk", "document.querySelector('.hits li')"),
      ("#/pictures/graph/notes%2Fn1", "document.querySelector('.legend .key')"),
      ("#/pictures/days", "document.querySelector('rect')"),
      ("#/pictures/sizes", "document.querySelector('table.bars')"),
      ("#/pictures/latency", "document.querySelector('#h-picture')"),
      ("#/health", "document.querySelector('dl')"),
    ] {
      try browser.go(hash)
      try browser.until(condition)
      try check(browser, inspect, "\(hash) at \(width)")
    }
    let back = try browser.evaluate("getComputedStyle(document.body).backgroundColor") as? String
    #expect((back == "rgb(20, 23, 28)") == isDark)
  }

  @Test("search, SQL, GQL and filters find, and health verifies and makes a backup")
  func working() throws {
    let store = try folder.makeStore()
    let inspect = try InspectProcess(store)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.go("#/query")
    try browser.until("document.querySelector('textarea.code')")
    try browser.evaluate(
      "document.querySelector('textarea.code').value = 'SELECT id FROM notes WHERE id = ''n2'''"
        .replacingOccurrences(of: "''", with: "\\'") + "; true")
    try browser.press(button: "Run SQL")
    try browser.until("document.querySelector('table.rows td')?.innerText === 'n2'")
    try browser.until("document.querySelector('.plan')?.innerText.includes('notes')")
    try browser.evaluate(
      "document.querySelector('[aria-label=GQL]').value = "
        + "'MATCH (a:notes)-[:links]->(b) RETURN b.id'; true")
    try browser.press(button: "Run GQL")
    try browser.until(
      "document.querySelector('[aria-label=\"Rows of GQL\"] td')?.innerText === 'n2'")
    try browser.until("[...document.querySelectorAll('.plan')].at(-1).innerText.includes('links')")
    try browser.evaluate(
      "document.querySelector('[aria-label=GQL]').value = 'MATCH (n:note) RETURN n'; true")
    try browser.press(button: "Run GQL")
    try browser.until("document.body.innerText.includes('Did you mean “notes”?')")
    try browser.go("#/data/notes")
    try browser.press(button: "Filter")
    try browser.evaluate(
      """
      const input = document.querySelector('.filter input');
      input.value = 'coffee';
      input.dispatchEvent(new Event('input'));
      true
      """)
    try browser.press(button: "Apply")
    try browser.until(
      "document.querySelector('.table [role=status]').innerText.includes('1 to 1 of 1')")
    try browser.go("#/health")
    try browser.press(button: "Verify now")
    try browser.until("document.querySelector('#main').innerText.includes('Sound:')")
    let backup = folder.path("backup")
    try browser.evaluate(
      "document.querySelector('#backupfolder').value = \(Chromium.quoted(backup)); true")
    try browser.press(button: "Back up")
    try browser.until("document.querySelector('#main').innerText.includes('The backup holds')")
    #expect(FileManager.default.fileExists(atPath: backup))
    try check(browser, inspect, "health")
  }

  // MARK: - Keyboard, and what data can do

  @Test("a conflict is settled and the time is scrubbed by the keyboard alone")
  func keyboard() throws {
    let (ann, _) = try folder.makeConflict()
    let inspect = try InspectProcess(ann)
    let browser = try Chromium()
    try browser.open(inspect.address)
    try browser.until("document.querySelector('.conflict')")
    try browser.tab(to: "one.textContent.trim() === 'Take the other'")
    try browser.press(key: "Enter")
    try browser.until("document.querySelector('#main').innerText.includes('No conflicts')")
    try browser.tab(to: "one.textContent.trim() === 'Time'")
    try browser.press(key: "Enter")
    try browser.until("document.querySelector('[role=slider]')")
    try browser.tab(to: "one.getAttribute('role') === 'slider'")
    try browser.until("document.activeElement.getAttribute('aria-valuetext')")
    let number = try browser.evaluate("document.activeElement.getAttribute('aria-valuenow')")
    try browser.press(key: "ArrowLeft")
    try browser.until(
      "document.activeElement.getAttribute('aria-valuenow') !== '\(number as? String ?? "")'")
    try browser.press(key: "End")
    try browser.until(
      "document.activeElement.getAttribute('aria-valuenow') === '\(number as? String ?? "")'")
    try browser.tab(to: "one.textContent.trim() === 'Earlier'")
    try check(browser, inspect, "keyboard")
  }

  @Test("HTML, scripts and 16 MiB in data stay text")
  func hostileData() throws {
    let store = try folder.makeStore()
    let attack =
      "<img src=x onerror=\"document.title='pwned'\"><script>document.title='pwned'</script>"
    try Evtool.run(
      "update", store, "notes", "n1", "title=\(attack)", "body=\(attack)", "--actor", attack,
      "--label", attack)
    try Evtool.run("put", store, "notes", attack, "title=x")
    let long = String(repeating: "<b>milk</b> ", count: 1_300_000)
    let line: [String: Any] = [
      "op": "update", "collection": "notes", "id": "n2", "fields": ["body": long],
    ]
    let file = try folder.write(
      try JSONSerialization.data(withJSONObject: line) + [0x0A], "long.ndjson")
    #expect(try Evtool.run("import", store, file).status == 0)
    let inspect = try InspectProcess(store)
    let browser = try Chromium()
    try browser.open(inspect.address)
    for hash in [
      "#/time", "#/data/notes", "#/entity/notes/n1", "#/entity/notes/n2", "#/query/search/img",
    ] {
      try browser.go(hash)
      try browser.until("document.querySelector('#main').innerText.length > 60")
      try browser.until("document.querySelector('#main').innerText.includes('<')")
      #expect(
        try browser.evaluate(
          "document.querySelectorAll('#main img, #main script, #main b b').length") as? Int == 0)
      #expect(try browser.evaluate("document.title.includes('pwned')") as? Bool == false)
      #expect(try browser.evaluate("document.body.innerHTML.length < 400000") as? Bool == true)
      try check(browser, inspect, hash)
    }
    let value = try inspect.get("value", ["collection": "notes", "id": "n2", "field": "body"])
    #expect(value.body.count == long.utf8.count)
    #expect(value.headers["content-type"] == "text/plain; charset=utf-8")
    #expect(value.headers["content-disposition"]?.hasPrefix("attachment") == true)
  }

  @Test("a page whose inspector has ended says so, and a wrong token shows nothing")
  func ended() throws {
    let inspect = try InspectProcess(try folder.makeStore())
    let browser = try Chromium()
    try browser.call(
      "Page.navigate",
      ["url": "http://127.0.0.1:\(inspect.port)/#token=\(String(repeating: "0", count: 64))"])
    try browser.until("document.querySelector('#main').innerText.includes('no access')")
    try browser.open(inspect.address)
    try browser.until("document.querySelector('#main').innerText.includes('No conflicts')")
    #expect(try inspect.terminate().status == 0)
    try browser.until(
      "/does not answer|was closed/.test(document.querySelector('#notice').innerText)")
  }
}
