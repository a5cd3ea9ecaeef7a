Feature: The time between two times

  Scenario Outline: Months come first, then days, then the rest
    Given any graph
    When executing query:
      """
      RETURN duration.between(<from>, <to>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | from | to | result |
      | date('2020-01-31') | date('2020-03-31') | 'P2M' |
      | date('2020-01-31') | date('2020-03-01') | 'P1M1D' |
      | date('2020-01-30') | date('2020-03-29') | 'P1M29D' |
      | date('2020-02-29') | date('2024-02-29') | 'P4Y' |
      | date('2020-03-01') | date('2019-12-31') | 'P-2M-1D' |
      | date('2020-01-01') | date('2020-01-01') | 'PT0S' |
      | date('2019-12-31') | date('2020-01-01') | 'P1D' |
      | date('-0001-12-31') | date('0001-01-01') | 'P1Y1D' |
      | date('9999-12-31') | date('+10000-12-31') | 'P1Y' |
      | localdatetime('2020-01-01T12:00') | localdatetime('2020-01-03T06:00') | 'P1DT18H' |
      | localdatetime('2020-01-02T00:00') | localdatetime('2020-01-01T12:00') | 'PT-12H' |
      | localdatetime('2020-01-31T12:00') | localdatetime('2020-02-29T11:00') | 'P28DT23H' |
      | localdatetime('2020-01-15T12:00') | localdatetime('2020-02-15T11:59') | 'P30DT23H59M' |
      | localdatetime('2020-01-15T12:00') | localdatetime('2020-02-15T12:00:00.5') | 'P1MT0.5S' |
      | localdatetime('2020-01-01T00:00:00.9') | localdatetime('2020-01-01T00:00:01.1') | 'PT0.2S' |
      | localdatetime('2020-01-01T00:00:01.1') | localdatetime('2020-01-01T00:00:00.9') | 'PT-0.2S' |
      | localtime('10:00') | localtime('12:30') | 'PT2H30M' |
      | localtime('12:30') | localtime('10:00') | 'PT-2H-30M' |
      | localtime('23:59:59.999999999') | localtime('00:00') | 'PT-23H-59M-59.999999999S' |

  Scenario Outline: Times with offsets are compared as moments
    Given any graph
    When executing query:
      """
      RETURN duration.between(<from>, <to>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | from                               | to                                 | result  |
      | time('10:00+01:00')                | time('10:00Z')                     | 'PT1H'  |
      | time('10:00Z')                     | time('10:00+01:00')                | 'PT-1H' |
      | datetime('2020-01-01T00:00Z')      | datetime('2020-01-01T00:00+05:00') | 'PT-5H' |
      | datetime('2020-01-01T00:00+05:00') | datetime('2020-01-01T00:00Z')      | 'PT5H'  |
      | datetime('2020-01-01T12:00Z')      | datetime('2020-01-02T12:00+12:00') | 'PT12H' |
      | datetime('2020-02-01T00:00Z')      | datetime('2020-03-01T01:00+01:00') | 'P1M'   |

  Scenario Outline: Of two kinds only what both have is looked at
    Given any graph
    When executing query:
      """
      RETURN duration.between(<from>, <to>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | from                              | to                                | result       |
      | date('2020-01-01')                | localdatetime('2020-01-02T03:00') | 'P1DT3H'     |
      | localdatetime('2020-01-02T03:00') | date('2020-01-01')                | 'P-1DT-3H'   |
      | localtime('10:15')                | date('2020-01-01')                | 'PT-10H-15M' |
      | localtime('10:00')                | localdatetime('2020-01-01T11:00') | 'PT1H'       |
      | localdatetime('2020-01-01T11:00') | localtime('10:00')                | 'PT-1H'      |
      | date('2020-01-01')                | datetime('2020-01-03T00:00Z')     | 'P2D'        |
      | time('10:00+01:00')               | localtime('11:00')                | 'PT1H'       |

  Scenario Outline: The time in months, days or seconds alone
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
      | duration.inMonths(date('2020-01-15'), date('2021-03-14')) | 'P1Y1M' |
      | duration.inMonths(date('2020-01-15'), date('2021-03-15')) | 'P1Y2M' |
      | duration.inMonths(date('2020-03-15'), date('2020-01-16')) | 'P-1M' |
      | duration.inMonths(localdatetime('2020-01-15T12:00'), localdatetime('2020-02-15T11:00')) | 'PT0S' |
      | duration.inMonths(localtime('10:00'), localtime('12:00')) | 'PT0S' |
      | duration.inDays(date('2019-03-01'), date('2020-03-01')) | 'P366D' |
      | duration.inDays(date('2020-03-01'), date('2019-03-01')) | 'P-366D' |
      | duration.inDays(localdatetime('2020-01-01T00:00'), localdatetime('2020-01-02T23:00')) | 'P1D' |
      | duration.inDays(localdatetime('2020-01-02T00:00'), localdatetime('2020-01-01T01:00')) | 'PT0S' |
      | duration.inDays(localtime('10:00'), localtime('12:00')) | 'PT0S' |
      | duration.inDays(date('0000-01-01'), date('2000-01-01')) | 'P730485D' |
      | duration.inSeconds(date('2020-01-01'), date('2020-01-02')) | 'PT24H' |
      | duration.inSeconds(date('2020-02-01'), date('2020-03-01')) | 'PT696H' |
      | duration.inSeconds(localdatetime('2020-01-01T00:00:00.5'), localdatetime('2020-01-01T00:01')) | 'PT59.5S' |
      | duration.inSeconds(datetime('1969-12-31T23:59:59Z'), datetime('1970-01-01T00:00:01Z')) | 'PT2S' |
      | duration.inSeconds(localtime('12:00'), localtime('10:30')) | 'PT-1H-30M' |

  Scenario: The time from a date added to it gives the other
    Given any graph
    When executing query:
      """
      UNWIND [['2020-01-31', '2020-02-29'], ['2020-01-31', '2021-03-01'], ['1999-12-31', '2000-02-29'],
        ['2020-02-29', '2021-02-28'], ['2019-11-30', '2020-02-29'], ['0000-02-29', '0001-02-28']] AS p
      WITH date(p[0]) AS a, date(p[1]) AS b
      RETURN all(ok IN collect(a + duration.between(a, b) = b) WHERE ok) AS x
      """
    Then the result should be, in any order:
      | x    |
      | true |

  Scenario Outline: The time from or to null is null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                   | result |
      | duration.between(null, date('2020-01-01'))   | null   |
      | duration.between(date('2020-01-01'), null)   | null   |
      | duration.inMonths(null, null)                | null   |
      | duration.inDays(null, date('2020-01-01'))    | null   |
      | duration.inSeconds(date('2020-01-01'), null) | null   |

  Scenario Outline: The time between what are no times is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                                              |
      | duration.between(1, 2)                                  |
      | duration.between('2020-01-01', '2020-01-02')            |
      | duration.between(date('2020-01-01'), 1)                 |
      | duration.inDays(true, date('2020-01-01'))               |
      | duration.inSeconds(duration('P1D'), date('2020-01-01')) |
