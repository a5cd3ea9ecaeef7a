Feature: Times from texts

  Scenario Outline: A date is read in each form of ISO 8601
    Given any graph
    When executing query:
      """
      RETURN date(<text>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text            | result          |
      | '2015-07-21'    | '2015-07-21'    |
      | '2015-W30-7'    | '2015-07-26'    |
      | '2015W30'       | '2015-07-20'    |
      | '2015-W30'      | '2015-07-20'    |
      | '2015W302'      | '2015-07-21'    |
      | '2015202'       | '2015-07-21'    |
      | '201507'        | '2015-07-01'    |
      | '2015-Q2-01'    | '2015-04-01'    |
      | '2015-001'      | '2015-01-01'    |
      | '2016-366'      | '2016-12-31'    |
      | '2020-W53-7'    | '2021-01-03'    |
      | '2009-W01-1'    | '2008-12-29'    |
      | '0001-01-01'    | '0001-01-01'    |
      | '0000-02-29'    | '0000-02-29'    |
      | '-0001-12-31'   | '-0001-12-31'   |
      | '+2015-07-21'   | '2015-07-21'    |
      | '+10000-01-01'  | '+10000-01-01'  |
      | '-10000-02-03'  | '-10000-02-03'  |
      | '+999999-12-31' | '+999999-12-31' |

  Scenario Outline: A text that is no date is an error
    Given any graph
    When executing query:
      """
      RETURN date(<expression>) AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression    |
      | ''            |
      | 'abc'         |
      | '2015-13-01'  |
      | '2015-00-10'  |
      | '2015-02-29'  |
      | '2015-02-30'  |
      | '2015-06-31'  |
      | '2015-W54'    |
      | '2014-W53-1'  |
      | '2015-W30-8'  |
      | '2015-W00'    |
      | '2015-366'    |
      | '2015-000'    |
      | '2015-Q5'     |
      | '20150'       |
      | '2015-7-1'    |
      | '10000-01-01' |
      | '2015/07/21'  |
      | '2015-07-21x' |
      | '21-07-2015'  |
      | '2015-07-'    |

  Scenario Outline: A time is read with or without colons
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                      | result               |
      | localtime('21:40:32.142')       | '21:40:32.142'       |
      | localtime('214032.142')         | '21:40:32.142'       |
      | localtime('214032')             | '21:40:32'           |
      | localtime('21:40')              | '21:40'              |
      | localtime('21')                 | '21:00'              |
      | localtime('00:00:00')           | '00:00'              |
      | localtime('23:59:59.999999999') | '23:59:59.999999999' |
      | localtime('10:00:00.000001')    | '10:00:00.000001'    |
      | time('21:40:32.142+0100')       | '21:40:32.142+01:00' |
      | time('21:40-01:30')             | '21:40-01:30'        |
      | time('2140-02')                 | '21:40-02:00'        |
      | time('2140-00:00')              | '21:40Z'             |
      | time('22+18:00')                | '22:00+18:00'        |
      | time('21:40Z')                  | '21:40Z'             |
      | time('21:40')                   | '21:40Z'             |
      | time('214032Z')                 | '21:40:32Z'          |

  Scenario Outline: A text that is no time is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression            |
      | localtime('')         |
      | localtime('24:00')    |
      | localtime('25')       |
      | localtime('21:60')    |
      | localtime('21:40:60') |
      | localtime('2:40')     |
      | localtime('abc')      |
      | localtime('21:4')     |
      | time('21:40+19:00')   |
      | time('21:40+')        |
      | time('21:40+1:00')    |
      | time('24:00Z')        |

  Scenario Outline: A date and time are read with a T between
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
      | localdatetime('2015-07-20T21:40') | '2015-07-20T21:40' |
      | localdatetime('20150720T2140') | '2015-07-20T21:40' |
      | localdatetime('2015-W30-2T214032.142') | '2015-07-21T21:40:32.142' |
      | localdatetime('2015202T21') | '2015-07-21T21:00' |
      | localdatetime('2015-07T10:00') | '2015-07-01T10:00' |
      | localdatetime('2015T214032') | '2015-01-01T21:40:32' |
      | localdatetime('-0001-01-01T00:00') | '-0001-01-01T00:00' |
      | localdatetime('+10000-01-01T10:00') | '+10000-01-01T10:00' |
      | datetime('2015-07-21T21:40:32.142+0100') | '2015-07-21T21:40:32.142+01:00' |
      | datetime('2015-07-21T21:40') | '2015-07-21T21:40Z' |
      | datetime('20150721T21-05:30') | '2015-07-21T21:00-05:30' |
      | datetime('2015-W30-2T214032Z') | '2015-07-21T21:40:32Z' |
      | datetime('2015-07-21T21:40[Europe/London]') | '2015-07-21T21:40+01:00[Europe/London]' |
      | datetime('2015-01-21T21:40[Europe/London]') | '2015-01-21T21:40Z[Europe/London]' |
      | datetime('2015-07-21T21:40-04:00[America/New_York]') | '2015-07-21T21:40-04:00[America/New_York]' |
      | datetime('2015-12-21T21:40[America/New_York]') | '2015-12-21T21:40-05:00[America/New_York]' |
      | datetime('2015-07-21T21:40:32.000000001Z') | '2015-07-21T21:40:32.000000001Z' |

  Scenario Outline: A text that is no date and time is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression                                 |
      | localdatetime('2015-07-20 21:40')          |
      | localdatetime('2015-07-20T')               |
      | localdatetime('T21:40')                    |
      | localdatetime('2015-07-20T24:00')          |
      | localdatetime('2015-02-29T10:00')          |
      | datetime('2015-07-20T21:40+25:00')         |
      | datetime('2015-07-20T21:40[Nowhere/Else]') |
      | datetime('')                               |
      | datetime('now')                            |

  Scenario Outline: A duration is read with its parts in order
    Given any graph
    When executing query:
      """
      RETURN duration(<text>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text                   | result           |
      | 'P14DT16H12M'          | 'P14DT16H12M'    |
      | 'P1Y2M3DT4H5M6S'       | 'P1Y2M3DT4H5M6S' |
      | 'P2W'                  | 'P14D'           |
      | 'PT90M'                | 'PT1H30M'        |
      | 'PT3600S'              | 'PT1H'           |
      | 'P14M'                 | 'P1Y2M'          |
      | 'P40D'                 | 'P40D'           |
      | 'PT25H'                | 'PT25H'          |
      | 'P5M1.5D'              | 'P5M1DT12H'      |
      | 'P1.5Y'                | 'P1Y6M'          |
      | 'P2.5W'                | 'P17DT12H'       |
      | 'PT0.75M'              | 'PT45S'          |
      | 'PT1.5H'               | 'PT1H30M'        |
      | 'P0.5M'                | 'P15DT5H14M33S'  |
      | 'PT0.000000001S'       | 'PT0.000000001S' |
      | 'P-1D'                 | 'P-1D'           |
      | 'PT-1.5S'              | 'PT-1.5S'        |
      | 'PT-0.25S'             | 'PT-0.25S'       |
      | 'P1M-1D'               | 'P1M-1D'         |
      | 'PT1H-90M'             | 'PT-30M'         |
      | 'P-14M'                | 'P-1Y-2M'        |
      | 'P0Y'                  | 'PT0S'           |
      | 'PT0.0S'               | 'PT0S'           |
      | 'P0001-02-03T04:05:06' | 'P1Y2M3DT4H5M6S' |

  Scenario Outline: A text that is no duration is an error
    Given any graph
    When executing query:
      """
      RETURN duration(<expression>) AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression |
      | ''         |
      | 'P'        |
      | 'PT'       |
      | '1D'       |
      | 'P1'       |
      | 'P1H'      |
      | 'PT1D'     |
      | 'P1DT'     |
      | 'P1S'      |
      | '1 day'    |
      | 'PX'       |

  Scenario Outline: A function of time takes a map, a text or a time alone
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a TypeError should be raised at runtime: InvalidArgumentType

    Examples:
      | expression                    |
      | date(1)                       |
      | date(true)                    |
      | date([2020, 1, 1])            |
      | date(2020.5)                  |
      | localtime(10)                 |
      | time([])                      |
      | localdatetime(1)              |
      | datetime(1)                   |
      | duration(1)                   |
      | duration([1])                 |
      | duration(date('2020-01-01'))  |
      | date(localtime('10:00'))      |
      | localtime(date('2020-01-01')) |
      | date(duration('P1D'))         |
