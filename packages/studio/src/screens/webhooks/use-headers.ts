import { useState } from 'react'
import type { WebhookInput } from '../../api/webhooks.ts'

type SentHeaders = WebhookInput['headers']

export interface HeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
  /** The server has a value, which an empty input keeps. */
  readonly isStored: boolean
}

export interface EditedHeaders {
  readonly rows: readonly HeaderRow[]
  /** Whether an earlier row has the same name. Case does not matter. */
  readonly isRepeated: (row: HeaderRow) => boolean
  readonly add: () => void
  readonly edit: (row: HeaderRow) => void
  readonly remove: (key: number) => void
  /** Null while a name is repeated. */
  readonly send: () => SentHeaders | null
}

export function useHeaders(given: SentHeaders = {}): EditedHeaders {
  const [rows, setRows] = useState<readonly HeaderRow[]>(() =>
    Object.keys(given).map((name, key) => ({ key, name, value: '', isStored: true })),
  )
  const isRepeated = (row: HeaderRow): boolean =>
    row.name !== '' && rows.find((one) => isSameName(one, row)) !== row
  return {
    rows,
    isRepeated,
    add: () => {
      const key = Math.max(-1, ...rows.map((row) => row.key)) + 1
      setRows([...rows, { key, name: '', value: '', isStored: false }])
    },
    edit: (row) => setRows(rows.map((one) => (one.key === row.key ? row : one))),
    remove: (key) => setRows(rows.filter((row) => row.key !== key)),
    send: () => (rows.some(isRepeated) ? null : toSent(rows)),
  }
}

function isSameName(one: HeaderRow, other: HeaderRow): boolean {
  return one.name.toLowerCase() === other.name.toLowerCase()
}

/** A row without any text is ignored. */
function toSent(rows: readonly HeaderRow[]): SentHeaders {
  const given = rows.filter(({ name, value }) => name !== '' || value !== '')
  return Object.fromEntries(
    given.map(({ name, value, isStored }) => [name, isStored && value === '' ? null : value]),
  )
}
