import DaybookEventCore
import DaybookLogEngine
import DaybookReplication
import DaybookSimulation

/// Sessions and the delivery of their messages.
extension ReplicationRun {
  func beginSession() throws {
    let from = random.pick(stores)
    let others = machines.filter { $0.number != from.number }
    guard from.process != nil, sessions.count < 8, !others.isEmpty, !isFolderOnly else { return }
    let to =
      hubNumber.map { random.chance(65) ? machines[$0] : random.pick(others) }
      ?? random.pick(others)
    sessionCount += 1
    statistics.sessions += 1
    let batch = random.pick([1, 300, 2000, SyncProtocol.batchBytes])
    let session = Session(sessionCount, from: from, to: to, batchBytes: batch)
    sessions.append(session)
    tell(from, "begins session \(session.number) with \(to.name)")
    try say(session)
  }

  /// Sends the next request of a session, or gives the session up.
  func advance() throws {
    guard let session = sessions.randomElement(using: &random) else { return }
    if random.chance(15) {
      tell(machines[session.from], "gives session \(session.number) up")
      return sessions.removeAll { $0.number == session.number }
    }
    // A response that it waits for may be late or lost, and is no longer expected.
    if session.waitsFor != nil { session.session.exchangeWasLost() }
    try say(session)
  }

  func say(_ session: Session) throws {
    let machine = machines[session.from]
    guard let process = machine.process else { return }
    do {
      switch try session.session.next(process) {
      case .send(var request):
        request.version = session.choice.version
        handOnInPieces(&request.ranges, machine, to: machines[session.to])
        try checkShared(request.report, request.ranges, machine)
        session.exchanges += 1
        session.waitsFor = session.exchanges
        statistics.exchanges += 1
        tell(
          machine,
          "session \(session.number).\(session.exchanges) asks: "
            + "\(request.ranges.map(Self.short))")
        network.send(
          .init(
            content: .request, from: session.from, to: session.to, session: session.number,
            exchange: session.exchanges, bytes: request.encoded()))
      case .done:
        tell(machine, "session \(session.number) is done: \(Self.text(session.session.refusals))")
        sessions.removeAll { $0.number == session.number }
        try checkDone(session)
      }
    } catch {
      tell(machine, "session \(session.number) ✗ \(error)")
      sessions.removeAll { $0.number == session.number }
      try explain(error, machine)
    }
    try checkAfterStep(machine)
  }

  /// Removes the beginning of a range, as other software might.
  ///
  /// This leaves a gap in a store that knows the origin's key. A hub takes no such range.
  private func handOnInPieces(
    _ ranges: inout [EventRange], _ machine: Machine, to other: Machine
  ) {
    guard !isCalm, random.chance(other.role == .store ? 30 : 5) else { return }
    let indices = ranges.indices.filter { index in
      ranges[index].frames.count > 1
        && (other.role == .hub || other.held[ranges[index].origin]?.contains(1) ?? false)
    }
    guard let index = indices.randomElement(using: &random) else { return }
    var range = ranges[index]
    let left = random.pick(1...range.frames.count - 1)
    range.first += UInt64(range.frames[..<left].reduce(0) { $0 + $1.count })
    guard let chain = truth.chain(after: EventID(range.origin, range.first - 1)) else { return }
    range.chainBefore = chain
    range.frames.removeFirst(left)
    ranges[index] = range
    statistics.pieces += 1
    tell(machine, "hands on \(Self.short(range)) without what is before")
  }

  static func short(_ range: EventRange) -> String {
    "\(range.origin.description.prefix(6)):\(range.first)…\(range.last)"
  }

  static func text(_ refusals: [ReplicaID: RangeRefusal]) -> String {
    refusals.values.sorted { $0.event < $1.event }.map { "\($0.code) \(short($0.event))" }
      .joined(separator: ", ")
  }

  // MARK: - Delivering

  func deliver() throws {
    guard var message = network.take(&random) else { return }
    let (from, to) = (machines[message.from], machines[message.to])
    if network.isCut(from: message.from, to: message.to) || to.process == nil || random.chance(8) {
      statistics.lost += 1
      return tell(nil, "a message from \(from.name) to \(to.name) is lost")
    }
    if message.content == .request, random.chance(8) {
      statistics.repeated += 1
      network.send(message)
    }
    if random.chance(6) { spoil(&message) }
    try hand(message)
  }

  /// Changes, cuts or lengthens a message.
  private func spoil(_ message: inout Network.Message) {
    statistics.spoiled += 1
    message.isSpoiled = true
    for session in sessions where session.number == message.session { session.isSpoiled = true }
    switch random.below(6) {
    case 0...1: forge(&message)
    case 2: message.bytes.removeLast(random.pick(1...message.bytes.count))
    case 3: message.bytes += random.bytes(random.pick(1...9))
    default:
      for _ in 0..<random.pick(1...3) {
        message.bytes[random.below(message.bytes.count)] ^= 1 << UInt8(random.below(8))
      }
    }
    tell(nil, "a message from \(machines[message.from].name) is spoiled")
  }

  /// Changes a message so that it still decodes: only signatures reveal the change.
  private func forge(_ message: inout Network.Message) {
    switch message.content {
    case .request:
      let request = message.bytes.withUnsafeBytes {
        try? SyncRequest(decoding: $0, versions: 0...UInt8.max)
      }
      guard var request else { return }
      if random.chance(50) { request.report = falseReport(machines[message.from]) }
      forge(&request.ranges)
      message.bytes = request.encoded()
    case .response:
      let response = message.bytes.withUnsafeBytes {
        try? SyncResponse(decoding: $0, versions: 0...UInt8.max)
      }
      guard var response else { return }
      if random.chance(50) { lie(in: &response, machines[message.to]) }
      forge(&response.ranges)
      message.bytes = response.encoded()
    case .refusal: message.bytes = [1, 1]
    }
  }

  func forge(_ ranges: inout [EventRange]) {
    guard !ranges.isEmpty else { return }
    let index = random.below(ranges.count)
    let frame = random.below(ranges[index].frames.count)
    switch random.below(7) {
    case 0: ranges[index].signature[random.below(64)] ^= 1 << UInt8(random.below(8))
    case 1: ranges[index].isZoneless.toggle()
    case 2: ranges[index].first += UInt64(random.pick(1...3))
    case 3: ranges[index].chainBefore = Hash256.sha256(of: random.bytes(4))
    case 4:
      if ranges[index].frames.count > 1 { ranges[index].frames.remove(at: frame) }
    case 5: ranges[index].origin = ranges[random.below(ranges.count)].origin
    default:
      var stored = Array(ranges[index].frames[frame].stored)
      stored[random.below(stored.count)] ^= 1 << UInt8(random.below(8))
      ranges[index].frames[frame].stored = stored[...]
    }
  }

  private func hand(_ message: Network.Message) throws {
    switch message.content {
    case .request: try answer(message)
    case .response: try receive(message)
    case .refusal: try chooseAgain(message)
    }
  }

  /// Delivers a request while another one's ranges are judged but not stored, as with several
  /// threads.
  func interleave(_ machine: Machine) {
    guard depth == 0, broken == nil, !isCalm, random.chance(30) else { return }
    guard let message = network.take(&random, to: machine.number, .request),
      !network.isCut(from: message.from, to: message.to)
    else { return }
    depth += 1
    defer { depth -= 1 }
    tell(machine, "meanwhile:")
    do { try hand(message) } catch {
      broken = error as? ReplicationViolation ?? ReplicationViolation(.explained, "\(error)")
    }
  }

  private func answer(_ message: Network.Message) throws {
    let machine = machines[message.to]
    guard let process = machine.process else { return }
    let decoded = message.bytes.withUnsafeBytes { bytes in
      Result { () throws(EventError) in
        try SyncRequest(decoding: bytes, versions: machine.speaks)
      }
    }
    if case .failure(let error) = decoded, error.code == .unknownVersion {
      return refuseVersion(of: message, machine)
    }
    guard let request = try accept(decoded, message) else { return }
    do {
      // A store that receives a request adopts its zone; all zones here have the same id.
      if process.zone == .none { try process.adopt(zone) }
      var response = try process.responder.respond(
        to: request, process,
        answerBytes: isCalm ? SyncProtocol.batchBytes : random.pick([1, 500, 1 << 20]))
      // A concurrent request may have ended this process; then it does not answer.
      guard machine.process === process else { return }
      handOnInPieces(&response.ranges, machine, to: machines[message.from])
      tell(
        machine,
        "answers \(message.session).\(message.exchange): "
          + "\(response.ranges.map(Self.short))\(response.hasMore ? " and more" : "") "
          + "\(response.refusals.map { "\($0.code) \(Self.short($0.event))" })")
      try checkRefusals(response.refusals, message, machine)
      try checkShared(response.report, response.ranges, machine)
      network.send(
        .init(
          content: .response, from: message.to, to: message.from, session: message.session,
          exchange: message.exchange, bytes: response.encoded(), isSpoiled: false))
    } catch {
      tell(machine, "does not answer \(message.session).\(message.exchange) ✗ \(error)")
      try explain(error, machine, message)
    }
    try checkAfterStep(machine)
  }

  private func receive(_ message: Network.Message) throws {
    let machine = machines[message.to]
    // Transports match responses to requests, so one for another exchange is discarded.
    guard let session = sessions.first(where: { $0.number == message.session }),
      session.waitsFor == message.exchange, let process = machine.process
    else { return }
    let decoded = message.bytes.withUnsafeBytes { bytes in
      Result { () throws(EventError) in
        try SyncResponse(decoding: bytes, versions: session.choice.known)
      }
    }
    guard let response = try accept(decoded, message) else { return }
    session.waitsFor = nil
    do {
      try session.session.receive(response, process)
      tell(machine, "takes the answer \(message.session).\(message.exchange)")
      try checkRefusals(Array(session.session.refusals.values), message, machine, session)
    } catch {
      tell(machine, "does not take the answer \(message.session).\(message.exchange) ✗ \(error)")
      sessions.removeAll { $0.number == session.number }
      try explain(error, machine, message)
    }
    try checkAfterStep(machine)
    if sessions.contains(where: { $0.number == session.number }), random.chance(70) {
      try say(session)
    }
  }

  private func refuseVersion(of message: Network.Message, _ machine: Machine) {
    statistics.otherVersions += 1
    tell(machine, "does not speak as \(message.session).\(message.exchange): \(machine.speaks)")
    network.send(
      .init(
        content: .refusal, from: message.to, to: message.from, session: message.session,
        exchange: message.exchange, bytes: [machine.speaks.lowerBound, machine.speaks.upperBound],
        isSpoiled: message.isSpoiled))
  }

  /// Continues a session in another version, after its peer has refused the first one.
  private func chooseAgain(_ message: Network.Message) throws {
    let machine = machines[message.to]
    guard let session = sessions.first(where: { $0.number == message.session }),
      session.waitsFor == message.exchange, machine.process != nil, message.bytes.count == 2,
      message.bytes[0] <= message.bytes[1]
    else { return }
    let known = message.bytes[0]...message.bytes[1]
    session.waitsFor = nil
    do {
      try session.choice.refused(by: known)
      tell(machine, "session \(session.number) speaks version \(session.choice.version)")
      try say(session)
    } catch let error as SyncError {
      tell(machine, "session \(session.number) ✗ \(error)")
      sessions.removeAll { $0.number == session.number }
      guard message.isSpoiled || !known.overlaps(session.choice.known) else {
        throw ReplicationViolation(.explained, "\(machine.name): \(error)")
      }
    }
  }

  /// Unwraps a decoded message.
  ///
  /// - Returns: Nil for a spoiled message that does not decode.
  /// - Throws: ``ReplicationViolation`` if a sound message does not decode.
  private func accept<M>(_ decoded: Result<M, EventError>, _ message: Network.Message) throws -> M?
  {
    switch decoded {
    case .success(let value): return value
    case .failure(let error):
      tell(machines[message.to], "refuses a message: \(error)")
      guard message.isSpoiled else {
        throw ReplicationViolation(.explained, "a message cannot be read: \(error)")
      }
      return nil
    }
  }

  private func explain(_ error: any Error, _ machine: Machine, _ message: Network.Message) throws {
    if error is SyncError, message.isSpoiled { return }
    if machine.process == nil, !(error is ReplicationViolation) { return }
    try explain(error, machine)
  }
}
