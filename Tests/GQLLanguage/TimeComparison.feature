Feature: Comparison of times

  Scenario Outline: Times of one kind are ordered
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
      | date('2020-01-02') > date('2020-01-01') | true |
      | date('2020-01-01') >= date('20200101') | true |
      | date('-0002-01-01') < date('-0001-01-01') | true |
      | date('-0001-12-31') < date('0000-01-01') | true |
      | date('+10000-01-01') > date('9999-12-31') | true |
      | localtime('09:59:59.999999999') < localtime('10:00') | true |
      | localtime('10:00') = localtime('10:00:00.000') | true |
      | localdatetime('2020-01-01T00:00') < localdatetime('2020-01-01T00:00:00.000000001') | true |
      | date('2020-01-01') < date('2020-01-02') < date('2020-01-03') | true |
      | date('2020-01-01') <> date('2020-01-01') | false |
      | date('2020-W01-1') = date('2019-12-30') | true |

  Scenario Outline: Times with offsets are ordered as moments
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
      | time('10:00+01:00') < time('09:30Z') | true |
      | time('00:30+02:00') < time('23:00Z') | true |
      | time('10:00+01:00') > time('10:00+02:00') | true |
      | datetime('2020-01-01T00:00+01:00') < datetime('2020-01-01T00:00Z') | true |
      | datetime('2020-01-01T01:00+02:00') < datetime('2019-12-31T23:30Z') | true |
      | datetime('2020-07-01T12:00[Europe/Stockholm]') > datetime('2020-07-01T11:59+02:00') | true |
      | datetime('2020-07-01T12:00[America/New_York]') > datetime('2020-07-01T17:00[Europe/Stockholm]') | true |
      | datetime('2021-10-31T02:30+02:00[Europe/Stockholm]') < datetime('2021-10-31T02:00+01:00[Europe/Stockholm]') | true |

  Scenario Outline: Times of different kinds are unequal, and have no order
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                        | result |
      | date('2020-01-01') = localdatetime('2020-01-01T00:00')            | false  |
      | date('2020-01-01') < localdatetime('2020-01-02T00:00')            | null   |
      | localdatetime('2020-01-01T00:00') = datetime('2020-01-01T00:00Z') | false  |
      | localdatetime('2020-01-01T00:00') < datetime('2021-01-01T00:00Z') | null   |
      | localtime('10:00') = time('10:00Z')                               | false  |
      | localtime('10:00') <= time('11:00Z')                              | null   |
      | date('2020-01-01') <> localtime('10:00')                          | true   |
      | date('2020-01-01') > '2019-01-01'                                 | null   |
      | date('2020-01-01') < 20210101                                     | null   |
      | date('2020-01-01') = null                                         | null   |

  Scenario Outline: Durations are equal part by part
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                              | result |
      | duration('P1D') = duration('PT24H')                     | false  |
      | duration('P1M') = duration('P30D')                      | false  |
      | duration('P12M') = duration('P1Y')                      | true   |
      | duration('PT60M') = duration('PT1H')                    | true   |
      | duration('P7D') = duration('P1W')                       | true   |
      | duration('PT1.5S') = duration({milliseconds: 1500})     | true   |
      | duration('P1D') <> duration('P2D')                      | true   |
      | duration('PT-1H30M') = duration('PT-30M')               | true   |
      | duration('P0D') = duration('PT0S')                      | true   |
      | duration('P1D') = null                                  | null   |
      | duration('P1D') IN [duration('PT24H'), duration('P1D')] | true   |

  Scenario Outline: Durations have no order
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                         | result |
      | duration('P1D') < duration('P2D')  | null   |
      | duration('P1D') > duration('PT1H') | null   |
      | duration('P1D') <= duration('P1D') | null   |
      | duration('P1Y') >= duration('P1Y') | null   |

  Scenario Outline: Times are values of lists and maps
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                | result |
      | [date('2020-01-01')] = [date('20200101')]                 | true   |
      | {d: date('2020-01-01')} = {d: date('20200101')}           | true   |
      | [date('2020-01-01')] < [date('2020-01-02')]               | true   |
      | date('2020-01-01') IN [date('2020-01-01'), null]          | true   |
      | date('2020-01-01') IN [localdatetime('2020-01-01T00:00')] | false  |
      | date('2020-01-01') IN [null]                              | null   |
      | CASE date('2020-01-01') WHEN date('20200101') THEN 1 END  | 1      |

  Scenario Outline: Times are sorted by what they say
    Given any graph
    When executing query:
      """
      UNWIND <list> AS t WITH t ORDER BY t RETURN collect(toString(t)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | list | result |
      | [date('2020-01-02'), date('-0001-01-01'), date('+10000-01-01')] | ['-0001-01-01', '2020-01-02', '+10000-01-01'] |
      | [localtime('10:00'), localtime('09:00'), localtime('10:00:00.1')] | ['09:00', '10:00', '10:00:00.1'] |
      | [time('10:00+01:00'), time('09:30Z'), time('08:00-02:00')] | ['10:00+01:00', '09:30Z', '08:00-02:00'] |
      | [datetime('2020-01-01T00:00Z'), datetime('2020-01-01T00:00+01:00')] | ['2020-01-01T00:00+01:00', '2020-01-01T00:00Z'] |
      | [localdatetime('2020-01-01T10:00'), localdatetime('2019-01-01T11:00')] | ['2019-01-01T11:00', '2020-01-01T10:00'] |
      | [duration('P1M'), duration('P29D'), duration('P31D'), duration('PT1H')] | ['PT1H', 'P29D', 'P1M', 'P31D'] |
      | [duration('P1D'), duration('PT25H'), duration('PT23H')] | ['PT23H', 'P1D', 'PT25H'] |
      | [duration('P1Y'), duration('P-1D'), duration('P366D'), duration('P364D')] | ['P-1D', 'P364D', 'P1Y', 'P366D'] |

  Scenario Outline: Times are stored as they are
    Given an empty graph
    And having executed:
      """
      CREATE (:E {d: date('-0001-12-31'), t: time('10:00+01:00'), l: localtime('10:00:00.000000001'),
        m: datetime('2021-10-31T02:30+01:00[Europe/Stockholm]'), n: localdatetime('+10000-01-01T00:00'),
        a: duration('P1M-1DT-0.5S'), many: [date('2020-01-01'), date('2019-01-01')]})
      """
    When executing query:
      """
      MATCH (e:E) RETURN e.<key> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | key          | result                                     |
      | d            | '-0001-12-31'                              |
      | t            | '10:00+01:00'                              |
      | l            | '10:00:00.000000001'                       |
      | m            | '2021-10-31T02:30+01:00[Europe/Stockholm]' |
      | n            | '+10000-01-01T00:00'                       |
      | a            | 'P1M-1DT-0.5S'                             |
      | many         | ['2020-01-01', '2019-01-01']               |
      | d.year       | -1                                         |
      | m.offset     | '+01:00'                                   |
      | many[1].year | 2019                                       |

  Scenario Outline: Stored times are found by comparison
    Given an empty graph
    And having executed:
      """
      UNWIND ['2019-12-31', '2020-01-01', '2020-02-29', '-0001-01-01', '+10000-01-01'] AS d
      CREATE (:E {d: date(d)})
      """
    When executing query:
      """
      MATCH (e:E) WHERE <expression> RETURN count(*) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                      | result |
      | e.d > date('2020-01-01')                        | 2      |
      | e.d >= date('2020-01-01')                       | 3      |
      | e.d < date('0000-01-01')                        | 1      |
      | e.d = date('2020-W01-3')                        | 1      |
      | e.d.month = 2                                   | 1      |
      | e.d.day = 1                                     | 3      |
      | date('2019-12-31') <= e.d < date('2021-01-01')  | 3      |
      | e.d + duration('P1D') = date('2020-03-01')      | 1      |
      | e.d IN [date('2020-02-29'), date('2019-12-31')] | 2      |
      | e.d > '2020-01-01'                              | 0      |
