public import CoreMetrics
package import DaybookEngine
public import DaybookProjections
public import Logging

extension Store {
  /// The options for making or opening a store.
  public struct Options: Sendable {
    /// Whether nothing is written, neither to the log nor to the read model.
    public var isReadOnly = false
    /// The actor of writes that do not name one, for the history.
    public var actor = ""
    /// Whether to rebuild the read model from the log while opening.
    public var rebuildsReadModel = false
    /// Whether the read model waits while an empty store is filled.
    ///
    /// As long as writes only define collections and insert new entities, they go to the log only.
    /// The read model is then built in one go: by the first read or other write, or on closing. No
    /// other process can write meanwhile. The option has no effect if the store has an entity
    /// already.
    public var defersProjection = false
    /// The milliseconds until the search index follows a change, unless a search comes before.
    var indexingDelay = 1000
    /// The time to wait for the commit lock while another process is writing.
    public var lockTimeout = Duration.seconds(30)
    /// Called with the progress of a rebuild or a catch-up.
    public var progress: (@Sendable (Store.RebuildProgress) -> Void)?
    /// The logger of the store; see docs/watching.md.
    ///
    /// Values and ids of entities are never logged, and nothing that happens per commit is above
    /// the level `debug`.
    public var logger = Logger(label: "daybook")
    /// The factory of the store's metrics; nil for the process's own, `MetricsSystem.factory`.
    public var metrics: (any MetricsFactory)?

    /// Makes options. Those without a parameter are set afterwards.
    /// - Parameters:
    ///   - isReadOnly: whether nothing is written, neither to the log nor to the read model.
    ///   - actor: the actor of writes that do not name one.
    ///   - rebuildsReadModel: whether to rebuild the read model from the log while opening.
    ///   - progress: called with the progress of a rebuild or a catch-up.
    public init(
      isReadOnly: Bool = false, actor: String = "", rebuildsReadModel: Bool = false,
      progress: (@Sendable (Store.RebuildProgress) -> Void)? = nil
    ) {
      self.isReadOnly = isReadOnly
      self.actor = actor
      self.rebuildsReadModel = rebuildsReadModel
      self.progress = progress
    }

    /// What of the options concerns the engine.
    package var engine: EngineOptions {
      var engine = EngineOptions()
      engine.isReadOnly = isReadOnly
      engine.rebuildsReadModel = rebuildsReadModel
      engine.defersProjection = defersProjection
      engine.indexingDelay = indexingDelay
      engine.lockTimeout = lockTimeout
      engine.progress = progress
      engine.logger = logger
      engine.metrics = metrics
      return engine
    }
  }
}
