import Foundation
import Testing

/// Chromium without a window, driven over its own protocol through two pipes.
final class Chromium {
  /// Where Debian's package has it; nil if it is not installed.
  static let path: String? = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  private let process = Process()
  private let folder: TemporaryFolder
  private let input: FileHandle
  private let output: FileHandle
  private var received = Data()
  private var nextID = 1
  private var session: String?
  /// The events that have come so far.
  private(set) var events: [[String: Any]] = []

  init(width: Int = 1440, height: Int = 900, isDark: Bool = false) throws {
    folder = try TemporaryFolder()
    let (commands, answers) = (folder.path("commands"), folder.path("answers"))
    for path in [commands, answers] { try #require(mkfifo(path, 0o600) == 0) }
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c",
      """
      exec "$0" --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
        --disable-extensions --disable-background-networking --disable-component-update \
        --remote-debugging-pipe --user-data-dir="$1/profile" 3< "$1/commands" 4> "$1/answers"
      """, try #require(Self.path, "Chromium is not installed: apt-get install chromium"),
      folder.url.path,
    ]
    process.environment = ["HOME": folder.url.path, "PATH": "/usr/bin:/bin"]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    // In the order in which the shell opens them.
    input = try FileHandle(forWritingTo: URL(fileURLWithPath: commands))
    output = try FileHandle(forReadingFrom: URL(fileURLWithPath: answers))
    let target = try call("Target.createTarget", ["url": "about:blank"])
    let attached = try call(
      "Target.attachToTarget", ["targetId": target["targetId"] ?? "", "flatten": true])
    session = attached["sessionId"] as? String
    for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
      try call("\(domain).enable")
    }
    try resize(width: width, height: height, isDark: isDark)
  }

  deinit {
    try? input.close()
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  // MARK: - The protocol

  @discardableResult
  func call(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
    let id = nextID
    nextID += 1
    var message: [String: Any] = ["id": id, "method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    try input.write(contentsOf: try JSONSerialization.data(withJSONObject: message) + [0])
    while true {
      let answer = try next()
      guard answer["id"] as? Int == id else {
        events.append(answer)
        continue
      }
      if let error = answer["error"] { throw Failure("\(method): \(error)") }
      return answer["result"] as? [String: Any] ?? [:]
    }
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
  }

  private func next() throws -> [String: Any] {
    while true {
      if let end = received.firstIndex(of: 0) {
        let line = received[received.startIndex..<end]
        received = Data(received[(end + 1)...])
        return try #require(
          try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      }
      let more = output.availableData
      guard !more.isEmpty else { throw Failure("Chromium has ended") }
      received.append(more)
    }
  }

  // MARK: - Pages

  func resize(width: Int, height: Int, isDark: Bool) throws {
    try call(
      "Emulation.setDeviceMetricsOverride",
      ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500])
    try call(
      "Emulation.setEmulatedMedia",
      [
        "features": [
          ["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"],
          ["name": "prefers-reduced-motion", "value": "reduce"],
        ]
      ])
  }

  /// Opens an inspector's page, and waits until it is ready.
  func open(_ address: String) throws {
    try call("Page.navigate", ["url": address])
    try until("document.body?.classList.contains('ready')")
  }

  /// Goes to a section of the page.
  func go(_ hash: String) throws { try evaluate("location.hash = \(Self.quoted(hash)); true") }

  /// Returns the value of an expression.
  @discardableResult
  func evaluate(_ script: String) throws -> Any? {
    let answer = try call(
      "Runtime.evaluate",
      ["expression": script, "awaitPromise": true, "returnByValue": true])
    if let failure = answer["exceptionDetails"] { throw Failure("\(script): \(failure)") }
    return (answer["result"] as? [String: Any])?["value"]
  }

  /// Waits until a condition holds, and looks at each frame.
  func until(_ condition: String, seconds: Int = 30) throws {
    let script =
      """
      new Promise((done) => {
        const end = Date.now() + \(seconds * 1000);
        const look = () => {
          let found = false;
          try { found = Boolean(\(condition)); } catch {}
          if (found) done(true);
          else if (Date.now() > end) done(false);
          else setTimeout(look, 15);
        };
        look();
      })
      """
    var isMet: Any?
    // A page that is loaded anew meanwhile is asked once more.
    for _ in 0..<3 where isMet == nil { isMet = try? evaluate(script) }
    guard isMet as? Bool == true else {
      let text = try evaluate("document.body.innerText.slice(0, 1500)") as? String ?? ""
      throw Failure("never: \(condition)\nthe page says: \(text)")
    }
  }

  var text: String {
    get throws { try evaluate("document.body.innerText") as? String ?? "" }
  }

  /// Presses the button with these words.
  func press(button words: String) throws {
    let find =
      "[...document.querySelectorAll('button')].find("
      + "(one) => one.textContent.trim() === \(Self.quoted(words)) && !one.disabled)"
    try until(find)
    try evaluate("\(find).click(); true")
  }

  /// Presses a key, as a person does.
  func press(key: String, shift: Bool = false) throws {
    let codes: [String: Int] = [
      "Tab": 9, "Enter": 13, "ArrowLeft": 37, "ArrowRight": 39, "Home": 36, "End": 35,
    ]
    var parameters: [String: Any] = [
      "type": "keyDown", "key": key, "code": key, "modifiers": shift ? 8 : 0,
      "windowsVirtualKeyCode": codes[key] ?? 0,
    ]
    if key == "Enter" { parameters["text"] = "\r" }
    try call("Input.dispatchKeyEvent", parameters)
    parameters["type"] = "keyUp"
    parameters["text"] = nil
    try call("Input.dispatchKeyEvent", parameters)
  }

  /// Presses the Tab key until the focus is on what an expression accepts as `one`.
  func tab(to condition: String, most: Int = 120) throws {
    for _ in 0..<most {
      try press(key: "Tab")
      let isThere = try evaluate(
        "((one) => Boolean(one && \(condition)))(document.activeElement)")
      if isThere as? Bool == true { return }
    }
    throw Failure("the focus never gets to \(condition)")
  }

  static func quoted(_ text: String) -> String {
    let data = (try? JSONSerialization.data(withJSONObject: [text])) ?? Data()
    return String(String(decoding: data, as: UTF8.self).dropFirst().dropLast())
  }

  // MARK: - What must hold of every page

  /// The addresses that the page has asked for.
  var requested: [String] {
    events.compactMap { event in
      guard event["method"] as? String == "Network.requestWillBeSent",
        let parameters = event["params"] as? [String: Any],
        let request = parameters["request"] as? [String: Any]
      else { return nil }
      return request["url"] as? String
    }
  }

  /// What the page's scripts and its security policy have complained about.
  var complaints: [String] {
    events.compactMap { event in
      let parameters = event["params"] as? [String: Any] ?? [:]
      switch event["method"] as? String {
      case "Runtime.exceptionThrown": return "\(parameters)"
      case "Log.entryAdded":
        let entry = parameters["entry"] as? [String: Any] ?? [:]
        return entry["level"] as? String == "error" ? "\(entry)" : nil
      default: return nil
      }
    }
  }

  /// The controls and pictures that a screen reader would read without a name.
  func nameless() throws -> [String] {
    let tree = try call("Accessibility.getFullAXTree")
    let roles: Set = [
      "button", "link", "textbox", "searchbox", "combobox", "slider", "checkbox", "spinbutton",
      "image", "img", "navigation", "region", "progressbar", "table", "option", "dialog",
    ]
    return (tree["nodes"] as? [[String: Any]] ?? []).compactMap { node in
      guard node["ignored"] as? Bool != true,
        let role = (node["role"] as? [String: Any])?["value"] as? String, roles.contains(role)
      else { return nil }
      let name = (node["name"] as? [String: Any])?["value"] as? String ?? ""
      return name.trimmingCharacters(in: .whitespaces).isEmpty ? role : nil
    }
  }
}
