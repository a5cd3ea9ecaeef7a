import Foundation
import Logging

/// A hub's share of the file descriptors of its process.
///
/// Each connection takes one, and each open zone takes several. A process without free descriptors
/// can neither accept connections nor open files, so a hub limits its connections and zones to
/// leave room.
struct Descriptors {
  /// The descriptors of an open zone: its log, its locks, and temporarily those of a reader of
  /// sealed segments.
  static let ofZone = 8
  /// The descriptors for everything else: tokens, logs, listening sockets, the network threads.
  static let ofHub = 128

  /// Raises the process's limit as far as the system allows. Child processes inherit it.
  /// - Returns: The number of files that the process may have open.
  static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(number, &limit) == 0 else { return ofHub }
    // Some systems refuse a value below the hard limit, because of a limit of their own. Try less
    // then.
    var raised = limit
    raised.rlim_cur = min(limit.rlim_max, rlim_t(most))
    while raised.rlim_cur > limit.rlim_cur {
      if setrlimit(number, &raised) == 0 { return Int(clamping: raised.rlim_cur) }
      raised.rlim_cur /= 2
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Returns limits for which a number of descriptors is enough: `limits` itself, if possible.
  ///
  /// Zones get at most a fourth of the descriptors, and connections the rest. Some connections stay
  /// reserved for exchanges.
  static func fitting(_ limits: HubOptions.Limits, _ descriptors: Int) -> HubOptions.Limits {
    var limits = limits
    let rest = descriptors - min(ofHub, descriptors / 4)
    limits.zonesOpenMax = min(limits.zonesOpenMax, max(1, rest / 4 / ofZone))
    limits.connectionsMax = min(
      limits.connectionsMax, max(1, rest - limits.zonesOpenMax * ofZone))
    limits.liveClientsMax = min(limits.liveClientsMax, limits.connectionsMax * 9 / 10)
    return limits
  }

  /// Returns limits that fit the descriptors of this process, whose limit is raised first. Logs a
  /// warning if they are below those requested.
  static func fitting(_ limits: HubOptions.Limits, _ logger: Logger) -> HubOptions.Limits {
    let descriptors = raise()
    let fitting = fitting(limits, descriptors)
    if fitting.connectionsMax < limits.connectionsMax || fitting.zonesOpenMax < limits.zonesOpenMax
    {
      logger.warning(
        """
        the process may have few files open, so the hub takes fewer connections and zones: \
        raise `ulimit -n`
        """,
        metadata: [
          "files": "\(descriptors)", "connections": "\(fitting.connectionsMax)",
          "zones": "\(fitting.zonesOpenMax)",
        ])
    }
    return fitting
  }

  /// A number of descriptors that no hub exceeds.
  private static let most = 1 << 20

  #if canImport(Darwin) || canImport(Musl)
    private static let number = RLIMIT_NOFILE
  #else
    private static let number = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif
}
