Feature: Arithmetic of times

  Scenario Outline: Months are added first, and a day that the month does not have is its last
    Given any graph
    When executing query:
      """
      RETURN date(<date>) + duration(<amount>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | date           | amount    | result         |
      | '2019-01-31'   | 'P1M'     | '2019-02-28'   |
      | '2020-01-31'   | 'P13M'    | '2021-02-28'   |
      | '2020-02-29'   | 'P1Y'     | '2021-02-28'   |
      | '2020-02-29'   | 'P4Y'     | '2024-02-29'   |
      | '2020-02-29'   | 'P-1Y'    | '2019-02-28'   |
      | '2021-12-31'   | 'P2M'     | '2022-02-28'   |
      | '2021-08-31'   | 'P1M'     | '2021-09-30'   |
      | '2020-01-31'   | 'P1M1D'   | '2020-03-01'   |
      | '2019-01-31'   | 'P1M-1D'  | '2019-02-27'   |
      | '2020-03-31'   | 'P-1M'    | '2020-02-29'   |
      | '2020-12-31'   | 'P1D'     | '2021-01-01'   |
      | '2020-02-28'   | 'P1D'     | '2020-02-29'   |
      | '1900-02-28'   | 'P1D'     | '1900-03-01'   |
      | '2020-01-01'   | 'P-1D'    | '2019-12-31'   |
      | '2020-01-01'   | 'P366D'   | '2021-01-01'   |
      | '0001-01-01'   | 'P-1D'    | '0000-12-31'   |
      | '0000-01-01'   | 'P-1D'    | '-0001-12-31'  |
      | '9999-12-31'   | 'P1D'     | '+10000-01-01' |
      | '+10000-01-01' | 'P-1M'    | '9999-12-01'   |
      | '2020-01-01'   | 'PT23H'   | '2020-01-01'   |
      | '2020-01-01'   | 'PT24H'   | '2020-01-02'   |
      | '2020-01-01'   | 'PT49H'   | '2020-01-03'   |
      | '2020-01-01'   | 'P1DT12H' | '2020-01-02'   |
      | '2020-01-31'   | 'P0.5M'   | '2020-02-15'   |
      | '2020-06-15'   | 'P12W'    | '2020-09-07'   |

  Scenario Outline: What is subtracted goes the other way
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                           | result                |
      | date('2020-03-31') - duration('P1M1D')               | '2020-02-28'          |
      | date('2020-01-01') - duration('P1D')                 | '2019-12-31'          |
      | date('2020-01-01') - duration('P-1D')                | '2020-01-02'          |
      | date('2024-02-29') - duration('P1Y')                 | '2023-02-28'          |
      | localtime('00:00') - duration('PT1S')                | '23:59:59'            |
      | localtime('00:00') - duration('PT0.000000001S')      | '23:59:59.999999999'  |
      | localdatetime('2020-01-01T00:00') - duration('PT1S') | '2019-12-31T23:59:59' |
      | datetime('2020-03-01T00:00Z') - duration('PT1M')     | '2020-02-29T23:59Z'   |
      | time('00:30+05:00') - duration('PT1H')               | '23:30+05:00'         |

  Scenario Outline: Two steps of a month are not one of two
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                               | result       |
      | date('2020-01-31') + duration('P1M') + duration('P1M')   | '2020-03-29' |
      | date('2020-01-31') + (duration('P1M') + duration('P1M')) | '2020-03-31' |
      | date('2020-01-31') + duration('P1M') - duration('P1M')   | '2020-01-29' |
      | duration('P1M') + date('2020-01-31')                     | '2020-02-29' |
      | date('2020-01-31') + duration('P1M') * 2                 | '2020-03-31' |

  Scenario Outline: A time goes around the clock, and days do not count for it
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                   | result           |
      | localtime('10:00') + duration('P5D')                         | '10:00'          |
      | localtime('10:00') + duration('P5M')                         | '10:00'          |
      | localtime('10:00') + duration('PT25H')                       | '11:00'          |
      | localtime('23:59:59.999999999') + duration('PT0.000000001S') | '00:00'          |
      | localtime('10:00') + duration('PT-11H')                      | '23:00'          |
      | time('23:30-08:00') + duration('PT90M')                      | '01:00-08:00'    |
      | time('10:00+01:00') + duration('P1DT1S')                     | '10:00:01+01:00' |
      | localtime('00:00') + duration('PT0.5H')                      | '00:30'          |

  Scenario Outline: Days and seconds of a local time carry over
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
      | localdatetime('2020-12-31T23:59:59.999999999') + duration('PT0.000000001S') | '2021-01-01T00:00' |
      | localdatetime('2020-02-28T12:00') + duration('PT24H') | '2020-02-29T12:00' |
      | localdatetime('2020-01-31T12:00') + duration('P1MT12H') | '2020-03-01T00:00' |
      | localdatetime('2020-01-31T10:00') + duration('P1M1DT1H') | '2020-03-01T11:00' |
      | localdatetime('2020-01-01T00:00') + duration('P1DT-1S') | '2020-01-01T23:59:59' |
      | localdatetime('1969-12-31T23:59:59') + duration('PT1S') | '1970-01-01T00:00' |
      | datetime('2020-01-01T00:00+05:00') + duration('PT-1H') | '2019-12-31T23:00+05:00' |
      | datetime('9999-12-31T23:00Z') + duration('PT1H') | '+10000-01-01T00:00Z' |

  Scenario Outline: Durations are added part by part
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                              | result     |
      | duration('P1M') + duration('P1D')       | 'P1M1D'    |
      | duration('P1D') - duration('PT24H')     | 'P1DT-24H' |
      | duration('P1M') + duration('P-1M')      | 'PT0S'     |
      | duration('P11M') + duration('P1M')      | 'P1Y'      |
      | duration('PT59M59S') + duration('PT1S') | 'PT1H'     |
      | duration('PT0.6S') + duration('PT0.6S') | 'PT1.2S'   |
      | duration('PT1S') - duration('PT0.25S')  | 'PT0.75S'  |
      | duration('PT0S') - duration('PT0.25S')  | 'PT-0.25S' |
      | duration('P1D') - duration('P2D')       | 'P-1D'     |
      | duration('P25D') + duration('P10D')     | 'P35D'     |
      | duration('PT20H') + duration('PT20H')   | 'PT40H'    |

  Scenario Outline: A duration is multiplied and divided, and what is left goes to smaller parts
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                        | result          |
      | duration('P1D') * 0.5             | 'PT12H'         |
      | duration('P1M') * 0.5             | 'P15DT5H14M33S' |
      | duration('P1DT1H') * -1           | 'P-1DT-1H'      |
      | duration('P1Y') / 2               | 'P6M'           |
      | duration('P1M') / 2               | 'P15DT5H14M33S' |
      | duration('P3D') / 2               | 'P1DT12H'       |
      | duration('PT1S') / 4              | 'PT0.25S'       |
      | duration('PT1H') / 0.5            | 'PT2H'          |
      | duration('P10D') * 1.5            | 'P15D'          |
      | duration('P1M1DT1H') * 3          | 'P3M3DT3H'      |
      | duration('P1M1DT1H') * 0          | 'PT0S'          |
      | duration('PT0.000000001S') * 1000 | 'PT0.000001S'   |
      | 2 * duration('P1D')               | 'P2D'           |
      | duration('P1Y2M') * 2.5           | 'P2Y11M'        |

  Scenario Outline: Durations of maps have negative and fractional parts
    Given any graph
    When executing query:
      """
      RETURN duration(<map>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | map                               | result            |
      | {days: -1}                        | 'P-1D'            |
      | {hours: -1, minutes: 30}          | 'PT-30M'          |
      | {minutes: -1.5}                   | 'PT-1M-30S'       |
      | {seconds: -0.5}                   | 'PT-0.5S'         |
      | {seconds: 1, milliseconds: -1500} | 'PT-0.5S'         |
      | {months: -14}                     | 'P-1Y-2M'         |
      | {years: 1, months: -1}            | 'P11M'            |
      | {quarters: 1}                     | 'P3M'             |
      | {quarters: 5}                     | 'P1Y3M'           |
      | {weeks: -1}                       | 'P-7D'            |
      | {days: 1, hours: -25}             | 'P1DT-25H'        |
      | {microseconds: 1}                 | 'PT0.000001S'     |
      | {nanoseconds: -1}                 | 'PT-0.000000001S' |
      | {nanoseconds: 1500000000}         | 'PT1.5S'          |
      | {weeks: 0.5}                      | 'P3DT12H'         |
      | {days: 0.25}                      | 'PT6H'            |
      | {years: 0.5}                      | 'P6M'             |
      | {months: 1.5}                     | 'P1M15DT5H14M33S' |
      | {days: -0.5}                      | 'PT-12H'          |
      | {hours: 0.5}                      | 'PT30M'           |
      | {milliseconds: 1.5}               | 'PT0.0015S'       |
      | {seconds: 59, milliseconds: 1000} | 'PT1M'            |
      | {seconds: -3, milliseconds: 1}    | 'PT-2.999S'       |
      | {hours: 24, minutes: 60}          | 'PT25H'           |
      | {days: 1, seconds: -86400}        | 'P1DT-24H'        |
      | {years: 1, months: 12}            | 'P2Y'             |
      | {days: 0}                         | 'PT0S'            |

  Scenario Outline: Null makes any arithmetic of times null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                   | result |
      | date('2020-01-01') + null    | null   |
      | null + duration('P1D')       | null   |
      | date('2020-01-01') - null    | null   |
      | duration('P1D') * null       | null   |
      | duration('P1D') / null       | null   |
      | duration('P1D') + null       | null   |
      | date(null) + duration('P1D') | null   |

  Scenario Outline: Results beyond all bounds are errors
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArithmeticError should be raised at runtime: *

    Examples:
      | expression                                                               |
      | date('2020-01-01') + duration({years: 9999999999})                       |
      | date('2020-01-01') + duration({days: 9223372036854775807})               |
      | date('2020-01-01') - duration({months: 9223372036854775807})             |
      | datetime('2020-01-01T00:00Z') + duration({seconds: 9223372036854775807}) |
      | duration({days: 9223372036854775807}) + duration({days: 1})              |
      | duration({seconds: 9223372036854775807}) + duration({seconds: 1})        |
      | duration({months: 9223372036854775807}) * 2                              |
      | duration({hours: 9223372036854775807})                                   |
      | duration({years: 9223372036854775807})                                   |
