import DaybookEngine

extension AppTypes {
  init(_ types: [any Entity.Type]) {
    self.init(
      types.map { type in
        (type.layoutDefinition, { type.compareLayout(with: $0) })
      })
  }
}
