/** How far clocks are put at a change between summer and winter: an hour, half of one on Lord Howe. */
const CHANGES_MS = [3_600_000, 1_800_000] as const

/** What a field for a day and a time means on the clock of this device. */
export interface LocalTime {
  readonly at: Date
  /** `skipped`: clocks are put forward over it; `twice`: they are put back, and this is the first of the two. */
  readonly kind: 'usual' | 'skipped' | 'twice'
}

/** Null for what is no day with a time, such as `2026-01-31T12:00`. */
export function readLocalTime(text: string): LocalTime | null {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) return null
  const minute = text.slice(0, MINUTES)
  if (onClock(at) !== minute) return { at, kind: 'skipped' }
  const isTwice = CHANGES_MS.some((ms) => onClock(new Date(at.getTime() + ms)) === minute)
  return { at, kind: isTwice ? 'twice' : 'usual' }
}

const MINUTES = 'yyyy-mm-ddThh:mm'.length

function onClock(at: Date): string {
  const of = (value: number, digits = 2): string => String(value).padStart(digits, '0')
  const day = `${of(at.getFullYear(), 4)}-${of(at.getMonth() + 1)}-${of(at.getDate())}`
  return `${day}T${of(at.getHours())}:${of(at.getMinutes())}`
}
