package import CoreMetrics
package import DaybookProjections
package import Logging

/// How an engine opens a store: the options of an app, without what concerns the app's calls only.
package struct EngineOptions: Sendable {
  /// Whether nothing is written, neither to the log nor to the read model.
  package var isReadOnly = false
  /// Whether to rebuild the read model from the log while opening.
  package var rebuildsReadModel = false
  /// Whether the read model waits while an empty store is filled.
  package var defersProjection = false
  /// The milliseconds until the search index follows a change, unless a search comes before.
  package var indexingDelay = 1000
  /// The time to wait for the commit lock while another process is writing.
  package var lockTimeout = Duration.seconds(30)
  /// Called with the progress of a rebuild or a catch-up.
  package var progress: (@Sendable (RebuildProgress) -> Void)?
  /// The logger of the store.
  package var logger = Logger(label: "daybook")
  /// The factory of the store's metrics; nil for the process's own.
  package var metrics: (any MetricsFactory)?

  package init() {}
}
