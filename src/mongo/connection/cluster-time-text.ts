import { Timestamp } from 'mongodb'

const DIGITS = 10
const FORM = /^(\d{10})\.(\d{10})$/
const MAX_PART = 2 ** 32 - 1

/** Returns `seconds.increment` with leading zeros, so that later times are greater texts. */
export function showClusterTime({ t, i }: Timestamp): string {
  return [t, i].map((part) => String(part).padStart(DIGITS, '0')).join('.')
}

/** Null if the text is not the form of a time. */
export function parseClusterTime(text: string): Timestamp | null {
  const [, seconds, increment] = FORM.exec(text) ?? []
  const [t, i] = [Number(seconds), Number(increment)]
  return t > 0 && t <= MAX_PART && i <= MAX_PART ? new Timestamp({ t, i }) : null
}
