Feature: Parts and beginnings of times

  Scenario Outline: A date knows its year, quarter, month, week and day
    Given any graph
    When executing query:
      """
      WITH date(<date>) AS d RETURN d.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | date           | part         | result |
      | '2021-01-03'   | year         | 2021   |
      | '2021-01-03'   | weekYear     | 2020   |
      | '2021-01-03'   | week         | 53     |
      | '2021-01-03'   | dayOfWeek    | 7      |
      | '2021-01-03'   | weekDay      | 7      |
      | '2021-01-04'   | week         | 1      |
      | '2018-12-31'   | weekYear     | 2019   |
      | '2018-12-31'   | week         | 1      |
      | '2018-12-31'   | ordinalDay   | 365    |
      | '2020-12-31'   | ordinalDay   | 366    |
      | '2020-12-31'   | quarter      | 4      |
      | '2020-12-31'   | dayOfQuarter | 92     |
      | '2020-03-31'   | dayOfQuarter | 91     |
      | '2019-03-31'   | dayOfQuarter | 90     |
      | '2020-02-29'   | month        | 2      |
      | '2020-02-29'   | day          | 29     |
      | '2000-01-01'   | dayOfWeek    | 6      |
      | '1970-01-01'   | dayOfWeek    | 4      |
      | '0000-01-01'   | dayOfWeek    | 6      |
      | '-0001-12-31'  | year         | -1     |
      | '-0001-12-31'  | dayOfWeek    | 5      |
      | '+10000-01-01' | dayOfWeek    | 6      |
      | '+10000-01-01' | week         | 52     |

  Scenario Outline: A time knows its parts, each counted within the larger
    Given any graph
    When executing query:
      """
      WITH localtime('21:40:32.123456789') AS t RETURN t.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | part        | result    |
      | hour        | 21        |
      | minute      | 40        |
      | second      | 32        |
      | millisecond | 123       |
      | microsecond | 123456    |
      | nanosecond  | 123456789 |

  Scenario Outline: A time with an offset knows it
    Given any graph
    When executing query:
      """
      WITH time(<text>) AS t RETURN t.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text          | part          | result   |
      | '10:00+01:00' | timezone      | '+01:00' |
      | '10:00+01:00' | offset        | '+01:00' |
      | '10:00-01:30' | offsetMinutes | -90      |
      | '10:00-01:30' | offsetSeconds | -5400    |
      | '10:00Z'      | offsetMinutes | 0        |
      | '10:00Z'      | offset        | 'Z'      |
      | '10:00-05:00' | hour          | 10       |

  Scenario Outline: A moment knows its parts, its zone, and the time since 1970
    Given any graph
    When executing query:
      """
      WITH datetime(<text>) AS d RETURN d.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | text                                 | part          | result             |
      | '2020-07-01T12:00[Europe/Stockholm]' | timezone      | 'Europe/Stockholm' |
      | '2020-07-01T12:00[Europe/Stockholm]' | offset        | '+02:00'           |
      | '2020-01-01T12:00[Europe/Stockholm]' | offsetMinutes | 60                 |
      | '2020-07-01T12:00[America/New_York]' | offsetSeconds | -14400             |
      | '2020-07-01T12:00[America/New_York]' | hour          | 12                 |
      | '1970-01-01T00:00+01:00'             | epochSeconds  | -3600              |
      | '1969-12-31T23:59:59.5Z'             | epochSeconds  | -1                 |
      | '1969-12-31T23:59:59.5Z'             | epochMillis   | -500               |
      | '1969-12-31T23:59:59.9999Z'          | epochMillis   | -1                 |
      | '2038-01-19T03:14:08Z'               | epochSeconds  | 2147483648         |
      | '+10000-01-01T00:00Z'                | epochSeconds  | 253402300800       |
      | '0000-01-01T00:00Z'                  | epochSeconds  | -62167219200       |
      | '2020-07-01T00:30+02:00'             | day           | 1                  |
      | '2020-07-01T00:30+02:00'             | week          | 27                 |
      | '2020-07-01T00:30:01.25+02:00'       | millisecond   | 250                |

  Scenario Outline: A part of null is null
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result |
      | date(null).year         | null   |
      | datetime(null).timezone | null   |
      | duration(null).days     | null   |

  Scenario Outline: A duration counts in one unit, within its kind
    Given any graph
    When executing query:
      """
      WITH duration('P2Y5M17DT3H4M5.678901234S') AS d RETURN d.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | part         | result         |
      | years        | 2              |
      | quarters     | 9              |
      | months       | 29             |
      | weeks        | 2              |
      | days         | 17             |
      | hours        | 3              |
      | minutes      | 184            |
      | seconds      | 11045          |
      | milliseconds | 11045678       |
      | microseconds | 11045678901    |
      | nanoseconds  | 11045678901234 |

  Scenario Outline: A duration knows what is left of a larger unit
    Given any graph
    When executing query:
      """
      WITH duration('P2Y5M17DT3H4M5.678901234S') AS d RETURN d.<part> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | part                 | result    |
      | quartersOfYear       | 1         |
      | monthsOfQuarter      | 2         |
      | monthsOfYear         | 5         |
      | daysOfWeek           | 3         |
      | minutesOfHour        | 4         |
      | secondsOfMinute      | 5         |
      | millisecondsOfSecond | 678       |
      | microsecondsOfSecond | 678901    |
      | nanosecondsOfSecond  | 678901234 |

  Scenario Outline: A negative duration has negative parts
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                     | result |
      | duration('P-14M').months       | -14    |
      | duration('P-14M').years        | -1     |
      | duration('P-10D').days         | -10    |
      | duration('P-10D').weeks        | -1     |
      | duration('PT-90M').minutes     | -90    |
      | duration('PT-90M').hours       | -1     |
      | duration('PT-2S').seconds      | -2     |
      | duration('PT-2S').milliseconds | -2000  |
      | duration('P1DT-1H').days       | 1      |
      | duration('P1DT-1H').hours      | -1     |

  Scenario Outline: Months, days and seconds are not counted into each other
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression              | result |
      | duration('P1Y').days    | 0      |
      | duration('P1M').days    | 0      |
      | duration('P30D').months | 0      |
      | duration('P1D').hours   | 0      |
      | duration('PT48H').days  | 0      |
      | duration('PT48H').hours | 48     |
      | duration('P400D').years | 0      |

  Scenario Outline: A unit of a date begins on its first day
    Given any graph
    When executing query:
      """
      RETURN date.truncate(<unit>, date(<date>)) AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | unit         | date           | result         |
      | 'millennium' | '2017-10-11'   | '2000-01-01'   |
      | 'century'    | '2017-10-11'   | '2000-01-01'   |
      | 'century'    | '1999-12-31'   | '1900-01-01'   |
      | 'millennium' | '1999-12-31'   | '1000-01-01'   |
      | 'decade'     | '2017-10-11'   | '2010-01-01'   |
      | 'decade'     | '2020-01-01'   | '2020-01-01'   |
      | 'year'       | '2017-10-11'   | '2017-01-01'   |
      | 'weekYear'   | '2017-10-11'   | '2017-01-02'   |
      | 'weekYear'   | '2021-01-02'   | '2019-12-30'   |
      | 'weekYear'   | '2018-12-31'   | '2018-12-31'   |
      | 'quarter'    | '2017-12-31'   | '2017-10-01'   |
      | 'quarter'    | '2020-05-31'   | '2020-04-01'   |
      | 'month'      | '2020-02-29'   | '2020-02-01'   |
      | 'week'       | '2017-10-11'   | '2017-10-09'   |
      | 'week'       | '2021-01-03'   | '2020-12-28'   |
      | 'week'       | '2021-01-04'   | '2021-01-04'   |
      | 'day'        | '2017-10-11'   | '2017-10-11'   |
      | 'year'       | '+12345-06-07' | '+12345-01-01' |
      | 'month'      | '-0044-03-15'  | '-0044-03-01'  |

  Scenario Outline: Other parts come from the map
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
      | date.truncate('year', date('2017-10-11'), {month: 5}) | '2017-05-01' |
      | date.truncate('year', date('2017-10-11'), {month: 5, day: 31}) | '2017-05-31' |
      | date.truncate('decade', date('2017-10-11'), {day: 2}) | '2010-01-02' |
      | date.truncate('quarter', date('2017-10-11'), {day: 3}) | '2017-10-03' |
      | date.truncate('week', date('2017-10-11'), {dayOfWeek: 7}) | '2017-10-15' |
      | date.truncate('weekYear', date('2021-01-02'), {dayOfWeek: 2}) | '2019-12-31' |
      | date.truncate('month', date('2017-10-11'), {}) | '2017-10-01' |
      | localdatetime.truncate('day', localdatetime('2017-10-11T12:31'), {hour: 5}) | '2017-10-11T05:00' |
      | localdatetime.truncate('month', localdatetime('2017-10-11T12:31'), {day: 2, minute: 7}) | '2017-10-02T00:07' |
      | localtime.truncate('hour', localtime('12:31:14'), {minute: 7}) | '12:07' |
      | localtime.truncate('second', localtime('12:31:14.645'), {nanosecond: 2}) | '12:31:14.000000002' |
      | localtime.truncate('millisecond', localtime('12:31:14.645876'), {nanosecond: 2}) | '12:31:14.645000002' |
      | time.truncate('day', time('12:31+02:00'), {timezone: '+05:00'}) | '00:00+05:00' |
      | datetime.truncate('year', datetime('2017-10-11T12:00+01:00'), {timezone: 'Europe/Stockholm'}) | '2017-01-01T00:00+01:00[Europe/Stockholm]' |
      | datetime.truncate('month', datetime('2017-07-11T12:00Z'), {timezone: 'America/New_York'}) | '2017-07-01T00:00-04:00[America/New_York]' |

  Scenario Outline: A unit of a time begins with zeros
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
      | localtime.truncate('day', localtime('12:31:14')) | '00:00' |
      | localtime.truncate('hour', localtime('12:31:14')) | '12:00' |
      | localtime.truncate('minute', localtime('12:31:14.645')) | '12:31' |
      | localtime.truncate('second', localtime('12:31:14.645')) | '12:31:14' |
      | localtime.truncate('millisecond', localtime('12:31:14.645876123')) | '12:31:14.645' |
      | localtime.truncate('microsecond', localtime('12:31:14.645876123')) | '12:31:14.645876' |
      | time.truncate('hour', time('12:31:14+02:00')) | '12:00+02:00' |
      | localdatetime.truncate('week', localdatetime('2021-01-03T12:31')) | '2020-12-28T00:00' |
      | localdatetime.truncate('minute', localdatetime('2021-01-03T12:31:59')) | '2021-01-03T12:31' |
      | datetime.truncate('day', datetime('2021-01-03T01:31+05:00')) | '2021-01-03T00:00+05:00' |
      | datetime.truncate('century', datetime('2021-07-03T12:31Z')) | '2000-01-01T00:00Z' |
      | datetime.truncate('hour', datetime('1969-12-31T23:31:05.5Z')) | '1969-12-31T23:00Z' |
      | datetime.truncate('day', datetime('1950-05-05T05:05Z')) | '1950-05-05T00:00Z' |

  Scenario Outline: A unit of one kind of time makes another kind
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then the result should be, in any order:
      | x        |
      | <result> |

    Examples:
      | expression                                                         | result              |
      | date.truncate('month', datetime('2017-10-11T12:31+02:00'))         | '2017-10-01'        |
      | date.truncate('day', localdatetime('2017-10-11T12:31'))            | '2017-10-11'        |
      | localdatetime.truncate('year', date('2017-10-11'))                 | '2017-01-01T00:00'  |
      | localdatetime.truncate('hour', datetime('2017-10-11T12:31+02:00')) | '2017-10-11T12:00'  |
      | datetime.truncate('month', date('2017-10-11'))                     | '2017-10-01T00:00Z' |
      | datetime.truncate('day', localdatetime('2017-10-11T12:31'))        | '2017-10-11T00:00Z' |
      | localtime.truncate('hour', datetime('2017-10-11T12:31+02:00'))     | '12:00'             |
      | localtime.truncate('minute', time('12:31:14-08:00'))               | '12:31'             |
      | time.truncate('hour', datetime('2017-10-11T12:31+02:00'))          | '12:00+02:00'       |
      | time.truncate('hour', localtime('12:31'))                          | '12:00Z'            |

  Scenario Outline: A unit that is none is an error
    Given any graph
    When executing query:
      """
      RETURN <expression> AS x
      """
    Then a ArgumentError should be raised at runtime: InvalidArgumentValue

    Examples:
      | expression                                                   |
      | date.truncate('fortnight', date('2017-10-11'))               |
      | date.truncate('', date('2017-10-11'))                        |
      | datetime.truncate('nanoyear', datetime('2017-10-11T12:31Z')) |
