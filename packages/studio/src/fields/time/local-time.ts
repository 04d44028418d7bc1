import type { TimeType } from '@quire/schema/attributes'

export const INPUT_OF: Readonly<Record<TimeType, 'date' | 'time' | 'datetime-local'>> = {
  date: 'date',
  time: 'time',
  datetime: 'datetime-local',
  timestamp: 'datetime-local',
}

/** Converts an API value to the value of a browser input, in local time; empty for null. */
export function toInput(type: TimeType, value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  if (type === 'date' || type === 'time') return String(value)
  const moment = new Date(type === 'timestamp' ? Number(value) : value)
  if (Number.isNaN(moment.getTime())) return ''
  const local = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString()
  const exact = local.slice(0, 23)
  return exact.endsWith(':00.000')
    ? exact.slice(0, 16)
    : exact.endsWith('.000')
      ? exact.slice(0, 19)
      : exact
}

export function fromInput(type: TimeType, text: string): string | null {
  if (text === '') return null
  if (type === 'date') return text
  if (type === 'time') return text.length === 5 ? `${text}:00` : text
  const moment = new Date(text)
  if (Number.isNaN(moment.getTime())) return null
  return type === 'timestamp' ? String(moment.getTime()) : moment.toISOString()
}
