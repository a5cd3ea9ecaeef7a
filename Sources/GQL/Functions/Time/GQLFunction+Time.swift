/// Functions of dates, times and durations.
extension GQLFunction {
  static let time: [GQLFunction] =
    TimeMaking.Kind.allCases.flatMap { kind in
      [
        GQLFunction(
          kind.rawValue, .time, 0...1, .temporal,
          "the value of a map, a text or another value; without an argument, of now"
        ) { arguments, run in
          arguments.isEmpty
            ? try TimeMaking.now(kind, run) : try TimeMaking.value(kind, arguments[0])
        },
        GQLFunction(
          "\(kind.rawValue).truncate", .time, 1...3, .temporal,
          "the beginning of a unit such as `month`, with other parts from a map"
        ) { arguments, run in try TimeMaking.truncated(kind, arguments, run) },
      ]
        + ["transaction", "statement", "realtime"].map { clock in
          GQLFunction(
            "\(kind.rawValue).\(clock)", .time, 0...1, .temporal,
            "the value of now, as it was when the statement began"
          ) { arguments, run in
            guard let zone = arguments.first else { return try TimeMaking.now(kind, run) }
            let name = try zone.text(of: "\(kind.rawValue).\(clock)")
            guard let place = TimeText.place(name) else {
              throw noResult(kind.rawValue, "there is no time zone “\(name)”")
            }
            return try TimeMaking.now(kind, run, place)
          }
        }
    } + [
      GQLFunction(
        "datetime.fromepoch", .time, 2...2, .temporal,
        "the moment of seconds and nanoseconds since 1970"
      ) { arguments, _ in
        try TimeMaking.moment(
          try arguments[0].integer(of: "datetime.fromepoch"),
          try arguments[1].integer(of: "datetime.fromepoch"), "datetime.fromepoch")
      },
      GQLFunction(
        "datetime.fromepochmillis", .time, 1...1, .temporal,
        "the moment of milliseconds since 1970"
      ) { arguments, _ in
        let milliseconds = try arguments[0].integer(of: "datetime.fromepochmillis")
        let seconds = GQLDate.floor(milliseconds, 1_000)
        return try TimeMaking.moment(
          seconds, (milliseconds - seconds * 1_000) * 1_000_000, "datetime.fromepochmillis")
      },
      GQLFunction(
        "duration", .time, 1...1, .temporal, "the amount of time that a map or a text gives"
      ) { arguments, _ in try TimeBetween.duration(arguments[0]) },
    ]
    + TimeBetween.Unit.allCases.map { unit in
      GQLFunction(
        "duration.\(unit.rawValue)", .time, 2...2, .temporal,
        "the time from one value to another"
      ) { arguments, _ in try TimeBetween.value(unit, arguments[0], arguments[1]) }
    }
}
