/**
 * Expressions for days and months in UTC. Date operators of databases fail for years before -4712 or after 9999, which
 * attributes accept, so these expressions calculate with numbers. Null and missing dates are null.
 */

type Expression = string | number | { readonly [operator: string]: unknown }

const DAY_MS = 86_400_000

/** The number of days since 1970-01-01. */
export function dayOf(date: string): Expression {
  return floor({ $divide: [{ $toLong: date }, DAY_MS] })
}

/** Days between 0000-03-01 and 1970-01-01. Years begin in March, so that the leap day is the last one. */
const DAYS_BEFORE_1970 = 719_468

/** An era has 400 years. */
const DAYS_OF_ERA = 146_097

/**
 * The number of months since January of the year 0.
 * Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", civil_from_days.
 */
export function monthOfDay(dayFrom1970: Expression): Expression {
  return define({ day: add(dayFrom1970, DAYS_BEFORE_1970) }, ({ day }) =>
    define({ era: quotient(day, DAYS_OF_ERA) }, ({ era }) =>
      define({ rest: subtract(day, multiply(era, DAYS_OF_ERA)) }, ({ rest }) =>
        define({ year: yearOfEra(rest) }, ({ year }) => {
          const dayOfYear = subtract(rest, daysBefore(year))
          const monthFromMarch = quotient(add(multiply(dayOfYear, 5), 2), 153)
          return add(multiply(add(multiply(era, 400), year), 12), add(monthFromMarch, 2))
        }),
      ),
    ),
  )
}

function yearOfEra(day: Expression): Expression {
  const withoutLeapDays = subtract(
    add(subtract(day, quotient(day, 1_460)), quotient(day, 36_524)),
    quotient(day, DAYS_OF_ERA - 1),
  )
  return quotient(withoutLeapDays, 365)
}

function daysBefore(year: Expression): Expression {
  return subtract(add(multiply(year, 365), quotient(year, 4)), quotient(year, 100))
}

function define<Name extends string>(
  variables: Readonly<Record<Name, Expression>>,
  use: (names: Readonly<Record<Name, Expression>>) => Expression,
): Expression {
  const names = Object.keys(variables).map((name) => [name, `$$${name}`])
  return {
    $let: { vars: variables, in: use(Object.fromEntries(names) as Record<Name, Expression>) },
  }
}

function floor(value: Expression): Expression {
  return { $floor: value }
}

function quotient(value: Expression, by: number): Expression {
  return floor({ $divide: [value, by] })
}

function add(one: Expression, other: Expression): Expression {
  return { $add: [one, other] }
}

function subtract(one: Expression, other: Expression): Expression {
  return { $subtract: [one, other] }
}

function multiply(one: Expression, other: Expression): Expression {
  return { $multiply: [one, other] }
}
