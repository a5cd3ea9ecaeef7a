Feature: Times from maps

  Scenario Outline: A date is made of its parts
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                       | result       |
      | date({year: 2019})                               | '2019-01-01' |
      | date({year: 2019, month: 6})                     | '2019-06-01' |
      | date({year: 2020, month: 12, day: 31})           | '2020-12-31' |
      | date({year: 2020, week: 53})                     | '2020-12-28' |
      | date({year: 2020, week: 53, dayOfWeek: 7})       | '2021-01-03' |
      | date({year: 2021, week: 1, dayOfWeek: 1})        | '2021-01-04' |
      | date({year: 2015, week: 1})                      | '2014-12-29' |
      | date({year: 2020, ordinalDay: 366})              | '2020-12-31' |
      | date({year: 2019, ordinalDay: 60})               | '2019-03-01' |
      | date({year: 2020, ordinalDay: 60})               | '2020-02-29' |
      | date({year: 2020, quarter: 1, dayOfQuarter: 91}) | '2020-03-31' |
      | date({year: 2019, quarter: 2})                   | '2019-04-01' |
      | date({year: 2019, quarter: 4, dayOfQuarter: 92}) | '2019-12-31' |
      | date({year: 2000, month: 2, day: 29})            | '2000-02-29' |

  Scenario Outline: Years before 0 and after 9999 have a sign
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                               | result               |
      | date({year: 0})                          | '0000-01-01'         |
      | date({year: -1})                         | '-0001-01-01'        |
      | date({year: 9999, month: 12, day: 31})   | '9999-12-31'         |
      | date({year: 10000})                      | '+10000-01-01'       |
      | date({year: -10000, month: 3})           | '-10000-03-01'       |
      | date({year: 0, month: 2, day: 29})       | '0000-02-29'         |
      | date({year: -4, month: 2, day: 29})      | '-0004-02-29'        |
      | date({year: 999999, ordinalDay: 365})    | '+999999-12-31'      |
      | date({year: 10000, week: 1})             | '+10000-01-03'       |
      | localdatetime({year: 12345, hour: 6})    | '+12345-01-01T06:00' |
      | datetime({year: -44, month: 3, day: 15}) | '-0044-03-15T00:00Z' |

  Scenario Outline: A date that is none is an error
    Given any graph
    When executing query:
      """
      RETURN date(<expression>) AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression                                 |
      | {year: 2019, month: 13}                    |
      | {year: 2019, month: 0}                     |
      | {year: 2019, month: 4, day: 31}            |
      | {year: 2019, month: 1, day: 0}             |
      | {year: 2019, month: 1, day: -1}            |
      | {year: 1900, month: 2, day: 29}            |
      | {year: 2100, month: 2, day: 29}            |
      | {year: -1, month: 2, day: 29}              |
      | {year: 2021, week: 53}                     |
      | {year: 2020, week: 54}                     |
      | {year: 2020, week: 0}                      |
      | {year: 2020, week: 1, dayOfWeek: 8}        |
      | {year: 2020, week: 1, dayOfWeek: 0}        |
      | {year: 2019, ordinalDay: 366}              |
      | {year: 2020, ordinalDay: 0}                |
      | {year: 2020, quarter: 5}                   |
      | {year: 2020, quarter: 0}                   |
      | {year: 2019, quarter: 1, dayOfQuarter: 91} |
      | {year: 2019, quarter: 3, dayOfQuarter: 93} |
      | {month: 1, day: 1}                         |
      | {}                                         |
      | {date: date('2020-02-29'), year: 2021}     |

  Scenario Outline: Parts of another value are kept unless the map has its own
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result |
      | date({date: date('2020-05-31')}) | '2020-05-31' |
      | date({date: date('2020-05-31'), year: 2021}) | '2021-05-31' |
      | date({date: date('2020-05-31'), month: 7}) | '2020-07-31' |
      | date({date: date('2020-02-29'), year: 2024}) | '2024-02-29' |
      | date({date: localdatetime('2020-05-06T07:08'), day: 9}) | '2020-05-09' |
      | date({date: datetime('2020-05-06T23:30-05:00')}) | '2020-05-06' |
      | date({date: date('2021-01-03'), week: 1}) | '2020-01-05' |
      | date({date: date('2020-05-31'), ordinalDay: 1}) | '2020-01-01' |
      | date({date: date('2020-05-31'), quarter: 1, dayOfQuarter: 1}) | '2020-01-01' |
      | localtime({time: localtime('10:20:30.123'), second: 45}) | '10:20:45.123' |
      | localtime({time: datetime('2020-01-01T10:20+02:00'), minute: 5}) | '10:05' |
      | time({time: time('10:20+02:00'), hour: 3}) | '03:20+02:00' |
      | localdatetime({datetime: localdatetime('2020-02-03T04:05:06'), day: 7, hour: 8}) | '2020-02-07T08:05:06' |
      | localdatetime({date: date('2020-02-03'), time: localtime('04:05')}) | '2020-02-03T04:05' |
      | localdatetime({date: date('2020-02-03'), time: time('04:05+09:00')}) | '2020-02-03T04:05' |
      | localdatetime({date: date('2020-02-03'), hour: 9}) | '2020-02-03T09:00' |
      | localdatetime({year: 2020, week: 10, dayOfWeek: 2, time: localtime('04:05')}) | '2020-03-03T04:05' |
      | datetime({date: date('2020-01-31'), time: localtime('10:20')}) | '2020-01-31T10:20Z' |
      | datetime({date: date('2020-01-31'), time: time('10:20+01:00')}) | '2020-01-31T10:20+01:00' |
      | datetime({datetime: datetime('2020-01-31T10:20+01:00'), year: 2021}) | '2021-01-31T10:20+01:00' |

  Scenario Outline: A time is made of its parts
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result |
      | localtime({hour: 0}) | '00:00' |
      | localtime({hour: 12, minute: 5}) | '12:05' |
      | localtime({hour: 12, minute: 5, second: 9}) | '12:05:09' |
      | localtime({hour: 23, minute: 59, second: 59, nanosecond: 999999999}) | '23:59:59.999999999' |
      | localtime({hour: 1, minute: 0, second: 0, millisecond: 7}) | '01:00:00.007' |
      | localtime({hour: 1, minute: 0, second: 0, microsecond: 7}) | '01:00:00.000007' |
      | localtime({hour: 1, minute: 0, second: 0, nanosecond: 7}) | '01:00:00.000000007' |
      | localtime({hour: 1, minute: 0, second: 0, microsecond: 123456}) | '01:00:00.123456' |
      | localtime({hour: 1, minute: 2, second: 3, millisecond: 4, microsecond: 5, nanosecond: 6}) | '01:02:03.004005006' |
      | time({hour: 1, minute: 2}) | '01:02Z' |
      | time({hour: 1, timezone: '+00:00'}) | '01:00Z' |
      | time({hour: 1, timezone: 'Z'}) | '01:00Z' |
      | time({hour: 1, timezone: '+05:30'}) | '01:00+05:30' |
      | time({hour: 1, timezone: '-0830'}) | '01:00-08:30' |
      | time({hour: 1, timezone: '+18:00'}) | '01:00+18:00' |
      | localdatetime({year: 2020}) | '2020-01-01T00:00' |
      | localdatetime({year: 2020, ordinalDay: 60, hour: 3}) | '2020-02-29T03:00' |
      | datetime({year: 2020, week: 1, dayOfWeek: 3, hour: 5, timezone: '+01:00'}) | '2020-01-01T05:00+01:00' |
      | datetime({year: 2020, quarter: 2, dayOfQuarter: 2, hour: 5}) | '2020-04-02T05:00Z' |

  Scenario Outline: A time that is none is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression                                                                    |
      | localtime({hour: 24})                                                         |
      | localtime({hour: -1})                                                         |
      | localtime({hour: 1, minute: 60})                                              |
      | localtime({hour: 1, minute: 1, second: 60})                                   |
      | localtime({hour: 1, minute: 1, second: 1, millisecond: 1000})                 |
      | localtime({hour: 1, minute: 1, second: 1, nanosecond: 1000000000})            |
      | localtime({hour: 1, minute: 1, second: 1, nanosecond: -1})                    |
      | localtime({hour: 1, minute: 1, second: 1, millisecond: 1, microsecond: 1000}) |
      | localtime({minute: 1})                                                        |
      | localtime({hour: 1, second: 1})                                               |
      | time({hour: 1, timezone: '+19:00'})                                           |
      | time({hour: 1, timezone: 'nowhere'})                                          |
      | datetime({year: 2020, timezone: 'Europe/Nowhere'})                            |
      | localdatetime({hour: 1})                                                      |
      | localdatetime({year: 2020, day: 1, hour: 1})                                  |
      | datetime({year: 2019, month: 2, day: 29, hour: 1})                            |

  Scenario Outline: A part that is no whole number is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                        |
      | date({year: '2019'})              |
      | date({year: 2019.5})              |
      | date({year: 2019, month: true})   |
      | localtime({hour: '1'})            |
      | localtime({hour: 1, minute: 1.5}) |
      | duration({days: 'one'})           |
      | duration({hours: true})           |

  Scenario Outline: A zone in the map moves a moment, and is given to a local time
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result |
      | time({time: time('10:00+01:00'), timezone: '+05:00'}) | '14:00+05:00' |
      | time({time: time('01:00+01:00'), timezone: '-05:00'}) | '19:00-05:00' |
      | time({time: localtime('10:00'), timezone: '+05:00'}) | '10:00+05:00' |
      | datetime({datetime: datetime('2020-06-01T12:00Z'), timezone: 'Europe/Stockholm'}) | '2020-06-01T14:00+02:00[Europe/Stockholm]' |
      | datetime({datetime: datetime('2020-12-01T12:00Z'), timezone: 'Europe/Stockholm'}) | '2020-12-01T13:00+01:00[Europe/Stockholm]' |
      | datetime({datetime: datetime('2020-01-01T00:30+02:00'), timezone: 'Z'}) | '2019-12-31T22:30Z' |
      | datetime({datetime: localdatetime('2020-06-01T12:00'), timezone: 'America/New_York'}) | '2020-06-01T12:00-04:00[America/New_York]' |
      | datetime({date: date('2020-01-01'), time: time('23:00-02:00'), timezone: '+03:00'}) | '2020-01-02T04:00+03:00' |
      | datetime({date: date('2020-07-01'), time: localtime('10:00'), timezone: 'America/New_York'}) | '2020-07-01T10:00-04:00[America/New_York]' |

  Scenario Outline: A moment is made of seconds or milliseconds since 1970
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression | result |
      | datetime({epochSeconds: 0}) | '1970-01-01T00:00Z' |
      | datetime({epochSeconds: 1, nanosecond: 5}) | '1970-01-01T00:00:01.000000005Z' |
      | datetime({epochSeconds: -1}) | '1969-12-31T23:59:59Z' |
      | datetime({epochMillis: 1001}) | '1970-01-01T00:00:01.001Z' |
      | datetime({epochMillis: -1}) | '1969-12-31T23:59:59.999Z' |
      | datetime({epochSeconds: 0, timezone: 'Europe/Stockholm'}) | '1970-01-01T01:00+01:00[Europe/Stockholm]' |
      | datetime({epochSeconds: 0, timezone: 'America/New_York'}) | '1969-12-31T19:00-05:00[America/New_York]' |
      | datetime.fromepoch(1600000000, 0) | '2020-09-13T12:26:40Z' |
      | datetime.fromepoch(-86400, 1) | '1969-12-31T00:00:00.000000001Z' |
      | datetime.fromepochmillis(1600000000123) | '2020-09-13T12:26:40.123Z' |
      | datetime.fromepoch(253402300800, 0) | '+10000-01-01T00:00Z' |

  Scenario Outline: One kind of time is made of another
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                           | result                   |
      | date(datetime('2020-01-01T00:30+02:00'))             | '2020-01-01'             |
      | date(localdatetime('2020-01-01T23:59'))              | '2020-01-01'             |
      | date(date('2020-01-01'))                             | '2020-01-01'             |
      | localtime(datetime('2020-01-01T10:20+02:00'))        | '10:20'                  |
      | localtime(time('10:20+02:00'))                       | '10:20'                  |
      | localtime(localdatetime('2020-01-01T10:20'))         | '10:20'                  |
      | time(datetime('2020-07-01T10:20[Europe/Stockholm]')) | '10:20+02:00'            |
      | time(localtime('10:20'))                             | '10:20Z'                 |
      | localdatetime(datetime('2020-01-01T10:20+02:00'))    | '2020-01-01T10:20'       |
      | datetime(datetime('2020-01-01T10:20+02:00'))         | '2020-01-01T10:20+02:00' |

  Scenario Outline: Null makes null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression          | result |
      | date(null)          | null   |
      | localtime(null)     | null   |
      | time(null)          | null   |
      | localdatetime(null) | null   |
      | datetime(null)      | null   |
      | duration(null)      | null   |

  Scenario: The clock stands still within a statement
    Given any graph
    When executing query:
      """
      UNWIND range(1, 100) AS i WITH datetime() AS d, localtime() AS t, timestamp() AS s
      RETURN count(DISTINCT d) AS d, count(DISTINCT t) AS t, count(DISTINCT s) AS s
      """
    Then the result should be, in any order:
      | d | t | s |
      | 1 | 1 | 1 |

  Scenario Outline: All clocks tell the same moment
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                 | result |
      | date() = date.statement()                  | true   |
      | datetime() = datetime.transaction()        | true   |
      | date() = date(datetime())                  | true   |
      | datetime().epochMillis = timestamp()       | true   |
      | duration.between(datetime(), datetime())   | 'PT0S' |
      | datetime('2020-01-01T00:00Z') < datetime() | true   |
