const DAY_MS = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** The first moment of a calendar day in a time zone. Where clocks skip midnight, the day begins later. */
export function startOfDay(utcMidnight: Date, timeZone: string): Date {
  const at = utcMidnight.getTime()
  const offsets = [-DAY_MS, DAY_MS].map((distance) => offsetOf(at + distance, timeZone))
  const candidates = offsets.map((offset) => at - offset)
  const midnights = candidates.filter((moment) => moment + offsetOf(moment, timeZone) === at)
  return new Date(midnights.length > 0 ? Math.min(...midnights) : Math.max(...candidates))
}

function offsetOf(at: number, timeZone: string): number {
  const seconds = Math.floor(at / 1000) * 1000
  return localTime(seconds, timeZone) - seconds
}

/** The local time as if it were in UTC. */
function localTime(at: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const numberOf = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type))
  const year = parts.get('era') === 'BC' ? 1 - numberOf('year') : numberOf('year')
  const date = new Date(0)
  date.setUTCFullYear(year, numberOf('month') - 1, numberOf('day'))
  date.setUTCHours(numberOf('hour'), numberOf('minute'), numberOf('second'))
  return date.getTime()
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, made)
  return made
}
