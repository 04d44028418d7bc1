import type { ComputedDefinition, ComputedType, Data, Uid } from '../schema/definition.ts'
import { parseDate, parseDatetime, parseTime } from '../schema/values/temporal.ts'
import type { ExtensionHost } from './extension-host.ts'

interface Place {
  readonly extension: string
  readonly uid: Uid
  readonly name: string
}

/** A list shows many entries, so a faulty attribute is reported once a minute. */
const REPORT_EVERY_MS = 60_000

/** Returns an attribute that never throws. A value of a wrong type, or an error, becomes null and is reported. */
export function guardComputed(
  { extension, uid, name }: Place,
  definition: ComputedDefinition,
  host: ExtensionHost,
): ComputedDefinition {
  let reportedAt = -Infinity
  const report = (error: unknown): void => {
    const now = performance.now()
    if (now - reportedAt < REPORT_EVERY_MS) return
    reportedAt = now
    const call = `computed ${name} of ${uid}`
    const cause = error instanceof Error ? error : new Error(String(error))
    host.report({ extension, call, requestId: null, error: cause })
  }
  const { type } = definition
  const value = (from: Readonly<Data>): unknown => {
    try {
      const computed = withoutDate(type, definition.value(from) ?? null)
      if (computed === null || isOfType[type](computed)) return computed
      report(new Error(`The value is not of type ${type}`))
    } catch (error) {
      report(error)
    }
    return null
  }
  return { ...definition, value }
}

function withoutDate(type: ComputedType, value: unknown): unknown {
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return value
  const text = value.toISOString()
  return type === 'date' ? text.slice(0, 10) : text
}

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'

const isOfType: Readonly<Record<ComputedType, Check>> = {
  string: isText,
  text: isText,
  richtext: isText,
  integer: Number.isSafeInteger,
  float: Number.isFinite,
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && typeof parseDate(value) !== 'string',
  time: (value) => typeof value === 'string' && parseTime(value) !== null,
  datetime: (value) =>
    typeof value === 'string' && value.includes('T') && parseDatetime(value) !== null,
  json: isJson,
}

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) {
    return value === null || typeof value === 'string' || typeof value === 'boolean'
  }
  if (typeof (value as { readonly then?: unknown }).then === 'function') return false
  return Object.values(value).every(isJson) // a circular value throws
}
