Feature: Time zones

  Scenario Outline: A local time that a change leaves out is as much later
    Given any graph
    When executing query:
      """
      RETURN datetime(<text>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text                                    | result                                        |
      | '2021-03-28T02:00[Europe/Stockholm]'    | '2021-03-28T03:00+02:00[Europe/Stockholm]'    |
      | '2021-03-28T02:59:59[Europe/Stockholm]' | '2021-03-28T03:59:59+02:00[Europe/Stockholm]' |
      | '2021-03-28T01:59:59[Europe/Stockholm]' | '2021-03-28T01:59:59+01:00[Europe/Stockholm]' |
      | '2021-03-28T03:00[Europe/Stockholm]'    | '2021-03-28T03:00+02:00[Europe/Stockholm]'    |
      | '2021-03-14T02:30[America/New_York]'    | '2021-03-14T03:30-04:00[America/New_York]'    |
      | '2021-03-14T01:59[America/New_York]'    | '2021-03-14T01:59-05:00[America/New_York]'    |
      | '2021-03-14T03:00[America/New_York]'    | '2021-03-14T03:00-04:00[America/New_York]'    |
      | '2011-12-30T12:00[Pacific/Apia]'        | '2011-12-31T12:00+14:00[Pacific/Apia]'        |
      | '2021-10-03T02:15[Australia/Lord_Howe]' | '2021-10-03T02:45+11:00[Australia/Lord_Howe]' |

  Scenario Outline: Of a local time that is there twice the first counts, unless the text says more
    Given any graph
    When executing query:
      """
      RETURN datetime(<text>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text                                       | result                                        |
      | '2021-10-31T02:00[Europe/Stockholm]'       | '2021-10-31T02:00+02:00[Europe/Stockholm]'    |
      | '2021-10-31T02:59:59[Europe/Stockholm]'    | '2021-10-31T02:59:59+02:00[Europe/Stockholm]' |
      | '2021-10-31T03:00[Europe/Stockholm]'       | '2021-10-31T03:00+01:00[Europe/Stockholm]'    |
      | '2021-11-07T01:30[America/New_York]'       | '2021-11-07T01:30-04:00[America/New_York]'    |
      | '2021-11-07T02:00[America/New_York]'       | '2021-11-07T02:00-05:00[America/New_York]'    |
      | '2021-10-31T02:30+01:00[Europe/Stockholm]' | '2021-10-31T02:30+01:00[Europe/Stockholm]'    |
      | '2021-10-31T02:30+02:00[Europe/Stockholm]' | '2021-10-31T02:30+02:00[Europe/Stockholm]'    |
      | '2021-11-07T01:30-05:00[America/New_York]' | '2021-11-07T01:30-05:00[America/New_York]'    |

  Scenario Outline: Hours are of time that passes, and days are of the calendar
    Given any graph
    When executing query:
      """
      RETURN datetime(<text>) + duration(<amount>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text | amount | result |
      | '2021-03-28T01:59:59[Europe/Stockholm]' | 'PT1S' | '2021-03-28T03:00+02:00[Europe/Stockholm]' |
      | '2021-10-31T02:30+02:00[Europe/Stockholm]' | 'PT1H' | '2021-10-31T02:30+01:00[Europe/Stockholm]' |
      | '2021-10-31T02:30+01:00[Europe/Stockholm]' | 'PT-1H' | '2021-10-31T02:30+02:00[Europe/Stockholm]' |
      | '2021-11-07T01:30[America/New_York]' | 'PT1H' | '2021-11-07T01:30-05:00[America/New_York]' |
      | '2021-11-06T12:00[America/New_York]' | 'P1D' | '2021-11-07T12:00-05:00[America/New_York]' |
      | '2021-11-06T12:00[America/New_York]' | 'PT24H' | '2021-11-07T11:00-05:00[America/New_York]' |
      | '2021-03-13T12:00[America/New_York]' | 'P1D' | '2021-03-14T12:00-04:00[America/New_York]' |
      | '2021-03-13T12:00[America/New_York]' | 'PT24H' | '2021-03-14T13:00-04:00[America/New_York]' |
      | '2021-02-28T02:30[Europe/Stockholm]' | 'P1M' | '2021-03-28T03:30+02:00[Europe/Stockholm]' |
      | '2021-10-30T02:30[Europe/Stockholm]' | 'P1D' | '2021-10-31T02:30+02:00[Europe/Stockholm]' |
      | '2021-03-27T12:00[Europe/Stockholm]' | 'P1DT24H' | '2021-03-29T12:00+02:00[Europe/Stockholm]' |
      | '2021-01-15T12:00[Europe/Stockholm]' | 'P6M' | '2021-07-15T12:00+02:00[Europe/Stockholm]' |
      | '2021-07-15T12:00[America/New_York]' | 'P-6M' | '2021-01-15T12:00-05:00[America/New_York]' |
      | '2021-03-28T12:00[Europe/Stockholm]' | 'PT-24H' | '2021-03-27T11:00+01:00[Europe/Stockholm]' |

  Scenario Outline: The days of a change have 23 or 25 hours
    Given any graph
    When executing query:
      """
      RETURN duration.inSeconds(datetime(<from>), datetime(<to>)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | from                                 | to                                   | result  |
      | '2021-03-28T00:00[Europe/Stockholm]' | '2021-03-29T00:00[Europe/Stockholm]' | 'PT23H' |
      | '2021-10-31T00:00[Europe/Stockholm]' | '2021-11-01T00:00[Europe/Stockholm]' | 'PT25H' |
      | '2021-03-14T00:00[America/New_York]' | '2021-03-15T00:00[America/New_York]' | 'PT23H' |
      | '2021-11-07T00:00[America/New_York]' | '2021-11-08T00:00[America/New_York]' | 'PT25H' |
      | '2021-07-01T12:00[America/New_York]' | '2021-07-01T12:00[Europe/Stockholm]' | 'PT-6H' |
      | '2021-03-20T12:00[America/New_York]' | '2021-03-20T12:00[Europe/Stockholm]' | 'PT-5H' |

  Scenario Outline: A day of a change is a day all the same
    Given any graph
    When executing query:
      """
      RETURN duration.between(datetime(<from>), datetime(<to>)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | from                                 | to                                   | result   |
      | '2021-03-28T00:00[Europe/Stockholm]' | '2021-03-29T00:00[Europe/Stockholm]' | 'P1D'    |
      | '2021-10-31T00:00[Europe/Stockholm]' | '2021-11-01T00:00[Europe/Stockholm]' | 'P1D'    |
      | '2021-03-27T12:00[Europe/Stockholm]' | '2021-03-28T13:00[Europe/Stockholm]' | 'P1DT1H' |
      | '2021-11-06T12:00[America/New_York]' | '2021-11-07T12:00[America/New_York]' | 'P1D'    |
      | '2021-03-28T00:00[Europe/Stockholm]' | '2021-03-28T04:00[Europe/Stockholm]' | 'PT3H'   |
      | '2021-01-01T00:00[Europe/Stockholm]' | '2021-07-01T00:00[Europe/Stockholm]' | 'P6M'    |

  Scenario Outline: A local time takes the zone of the other
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
      | duration.between(datetime('2021-10-31T00:00[Europe/Stockholm]'), localdatetime('2021-10-31T04:00')) | 'PT5H' |
      | duration.inSeconds(localdatetime('2021-03-28T00:00'), datetime('2021-03-28T04:00[Europe/Stockholm]')) | 'PT3H' |
      | duration.inSeconds(date('2021-11-07'), datetime('2021-11-07T12:00[America/New_York]')) | 'PT13H' |

  Scenario Outline: Each year has the rules of its time
    Given any graph
    When executing query:
      """
      RETURN datetime(<text>).offset AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text                                    | result   |
      | '2100-07-01T12:00[Europe/Stockholm]'    | '+02:00' |
      | '2100-01-01T12:00[Europe/Stockholm]'    | '+01:00' |
      | '2040-07-01T12:00[America/New_York]'    | '-04:00' |
      | '2040-12-01T12:00[America/New_York]'    | '-05:00' |
      | '1970-01-01T00:00[Europe/London]'       | '+01:00' |
      | '1975-07-01T12:00[Europe/Stockholm]'    | '+01:00' |
      | '1980-07-01T12:00[Europe/Stockholm]'    | '+02:00' |
      | '2006-04-01T12:00[America/New_York]'    | '-05:00' |
      | '2007-04-01T12:00[America/New_York]'    | '-04:00' |
      | '2020-01-01T00:00[Asia/Kathmandu]'      | '+05:45' |
      | '2020-01-01T00:00[Asia/Kolkata]'        | '+05:30' |
      | '2020-01-01T00:00[Australia/Lord_Howe]' | '+11:00' |
      | '2020-07-01T00:00[Australia/Lord_Howe]' | '+10:30' |
      | '2020-01-01T00:00[Pacific/Kiritimati]'  | '+14:00' |
      | '2020-01-01T00:00[America/St_Johns]'    | '-03:30' |
      | '2020-01-01T00:00[UTC]'                 | 'Z'      |

  Scenario Outline: A unit begins with the offset of its beginning
    Given any graph
    When executing query:
      """
      RETURN datetime.truncate(<unit>, datetime(<text>)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | unit | text | result |
      | 'day' | '2021-03-28T12:00[Europe/Stockholm]' | '2021-03-28T00:00+01:00[Europe/Stockholm]' |
      | 'day' | '2021-10-31T12:00[Europe/Stockholm]' | '2021-10-31T00:00+02:00[Europe/Stockholm]' |
      | 'month' | '2021-11-20T12:00[America/New_York]' | '2021-11-01T00:00-04:00[America/New_York]' |
      | 'year' | '2021-07-20T12:00[America/New_York]' | '2021-01-01T00:00-05:00[America/New_York]' |
      | 'hour' | '2021-10-31T02:30+02:00[Europe/Stockholm]' | '2021-10-31T02:00+02:00[Europe/Stockholm]' |

  Scenario: The same moment has another face in each zone
    Given any graph
    When executing query:
      """
      WITH datetime('2021-07-01T12:00Z') AS d
      RETURN [z IN ['Europe/Stockholm', 'America/New_York', '-03:30']
        | toString(datetime({datetime: d, timezone: z}))] AS x
      """
    Then the result should be, in any order:
      | x |
      | ['2021-07-01T14:00+02:00[Europe/Stockholm]', '2021-07-01T08:00-04:00[America/New_York]', '2021-07-01T08:30-03:30'] |

  Scenario Outline: A moment in a zone is that of its seconds
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
      | datetime('2021-07-01T12:00[Europe/Stockholm]').epochSeconds = datetime('2021-07-01T10:00Z').epochSeconds | true |
      | datetime('2021-07-01T06:00[America/New_York]').epochMillis | 1625133600000 |
      | datetime('2021-10-31T02:30+01:00[Europe/Stockholm]').epochSeconds - datetime('2021-10-31T02:30+02:00[Europe/Stockholm]').epochSeconds | 3600 |
      | datetime('2021-03-28T02:30[Europe/Stockholm]') = datetime('2021-03-28T03:30[Europe/Stockholm]') | true |

  Scenario Outline: a moment of an hour that clocks show twice keeps its offset
    Given any graph
    When executing query:
      """
      WITH datetime('2021-10-31T02:30+02:00[Europe/Stockholm]') AS first,
        datetime('2021-10-31T02:30+01:00[Europe/Stockholm]') AS second
      RETURN toString(<value>) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |
    And no side effects

    Examples:
      | value                                                   | result                                       |
      | datetime.truncate('hour', first)                        | '2021-10-31T02:00+02:00[Europe/Stockholm]'   |
      | datetime.truncate('hour', second)                       | '2021-10-31T02:00+01:00[Europe/Stockholm]'   |
      | time.truncate('hour', second)                           | '02:00+01:00'                                |
      | datetime({datetime: second})                            | '2021-10-31T02:30+01:00[Europe/Stockholm]'   |
      | datetime({datetime: second, minute: 45})                | '2021-10-31T02:45+01:00[Europe/Stockholm]'   |
      | datetime({datetime: second, timezone: 'America/New_York'}) | '2021-10-30T21:30-04:00[America/New_York]' |
      | duration.inSeconds(first, second)                       | 'PT1H'                                       |
      | duration.between(first, second)                         | 'PT1H'                                       |
      | duration.between(datetime('2021-10-30T02:30[Europe/Stockholm]'), second) | 'P1DT1H'    |
      | duration.inSeconds(datetime('2021-10-31T00:30Z'), second) | 'PT1H'                                     |

  Scenario Outline: a text that is no moment, or a unit and a part that there is not, is an error
    Given any graph
    When executing query:
      """
      RETURN <value> AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | value                                         |
      | datetime('2015-07-20T21:40[Europe/Stockholm') |
      | datetime('2015-07-20T21:40[')                 |
      | date.truncate('hour', date('2017-10-11'))     |
      | localtime.truncate('month', localtime('12:31')) |
      | duration('P1M1Y')                             |
      | duration('PT1S1H')                            |
      | duration({day: 1})                            |
      | date({year: 2020, dya: 1})                    |
