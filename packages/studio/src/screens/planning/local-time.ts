/** The possible shifts of daylight saving time: one hour, or half an hour on Lord Howe Island. */
const CLOCK_SHIFTS_MS = [3_600_000, 1_800_000] as const

export interface LocalTime {
  readonly at: Date
  /**
   * `skipped`: clocks go forward over it. `twice`: clocks go back, and this is the first of the two
   * moments.
   */
  readonly kind: 'usual' | 'skipped' | 'twice'
}

/** Null for an invalid text. The format is `2026-01-31T12:00`. */
export function readLocalTime(text: string): LocalTime | null {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return null
  const minute = text.slice(0, MINUTES)
  if (localTimeOf(at) !== minute) return { at, kind: 'skipped' }
  const isTwice = CLOCK_SHIFTS_MS.some((ms) => localTimeOf(new Date(at.getTime() + ms)) === minute)
  return { at, kind: isTwice ? 'twice' : 'usual' }
}

const MINUTES = 'yyyy-mm-ddThh:mm'.length

/** In the format of `readLocalTime`. */
export function localTimeOf(at: Date): string {
  const of = (value: number, digits = 2): string => String(value).padStart(digits, '0')
  const day = `${of(at.getFullYear(), 4)}-${of(at.getMonth() + 1)}-${of(at.getDate())}`
  return `${day}T${of(at.getHours())}:${of(at.getMinutes())}`
}
