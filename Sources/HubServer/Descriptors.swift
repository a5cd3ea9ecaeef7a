import Foundation
import Logging

/// What a hub takes of the files that its process may have open at once: each connection is one, and each
/// open zone has some. A process that is out of them can neither accept nor open anything, so a hub takes no
/// more connections and zones than leave room.
struct Descriptors {
  /// Of an open zone: its log, its locks, and those that a reader of sealed segments has for a while.
  static let ofZone = 8
  /// For everything else: tokens, logs, what listens, the threads that wait for the network.
  static let ofHub = 128

  /// Raises the process's limit as far as the system lets it; that of a child is the same.
  /// - Returns: how many files the process may have open.
  static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(number, &limit) == 0 else { return ofHub }
    // Some systems refuse what is below the hard limit and over one of their own: then less is tried.
    var raised = limit
    raised.rlim_cur = min(limit.rlim_max, rlim_t(most))
    while raised.rlim_cur > limit.rlim_cur {
      if setrlimit(number, &raised) == 0 { return Int(clamping: raised.rlim_cur) }
      raised.rlim_cur /= 2
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Limits that so many descriptors are enough for; the same ones if they are.
  ///
  /// Zones get a fourth at most, and connections what is left. Of those, some stay for exchanges.
  static func fitting(_ limits: HubOptions.Limits, _ descriptors: Int) -> HubOptions.Limits {
    var limits = limits
    let rest = descriptors - min(ofHub, descriptors / 4)
    limits.zonesOpenMax = min(limits.zonesOpenMax, max(1, rest / 4 / ofZone))
    limits.connectionsMax = min(
      limits.connectionsMax, max(1, rest - limits.zonesOpenMax * ofZone))
    limits.liveClientsMax = min(limits.liveClientsMax, limits.connectionsMax * 9 / 10)
    return limits
  }

  /// As ``fitting(_:_:)``, for this process; says so if that is less than what was asked for.
  static func fitting(_ limits: HubOptions.Limits, _ logger: Logger) -> HubOptions.Limits {
    let descriptors = raise()
    let fitting = fitting(limits, descriptors)
    if fitting.connectionsMax < limits.connectionsMax || fitting.zonesOpenMax < limits.zonesOpenMax
    {
      logger.warning(
        "the process may have few files open, so the hub takes fewer connections and zones: raise `ulimit -n`",
        metadata: [
          "files": "\(descriptors)", "connections": "\(fitting.connectionsMax)",
          "zones": "\(fitting.zonesOpenMax)",
        ])
    }
    return fitting
  }

  /// More than any hub needs.
  private static let most = 1 << 20

  #if canImport(Darwin) || canImport(Musl)
    private static let number = RLIMIT_NOFILE
  #else
    private static let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif
}
