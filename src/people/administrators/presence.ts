import type { Database } from '../../mongo/connection/database.ts'
import type { Table } from '../../mongo/connection/table.ts'
import { ensureIndexes, ensureRow } from '../../mongo/system/system-collections.ts'
import { ServiceUnavailableError } from '../../base/errors.ts'
import type { WorkedOn } from './recent-work.ts'
import { openWatchedPresence, type WatchedPresence } from './watched-presence.ts'

export interface Present {
  readonly id: string
  readonly name: string
  readonly since: Date
  /** The path of a field, such as `sections.0.title`. Null outside of all fields. */
  readonly field: string | null
}

/** A window of the Studio. `tab` is the id of its stream, and empty without a stream. */
export interface PresentTab extends Pick<Present, 'id' | 'name'> {
  readonly tab: string
}

export interface Presence {
  /** At the start of a stream and regularly after it. @throws ServiceUnavailableError */
  enter(who: PresentTab, entry: WorkedOn): Promise<void>
  /**
   * Returns the other administrators with the same entry open. Ignores the field of a tab that has
   * left. @throws ServiceUnavailableError
   */
  note(who: PresentTab, entry: WorkedOn, field: string | null): Promise<readonly Present[]>
  leave(who: PresentTab, entry: WorkedOn): Promise<void>
  /** Reports the tabs with the entry open after each change. Returns a function that ends this. */
  watch(entry: WorkedOn, onChange: (rows: readonly PresenceRow[]) => void): () => void
}

export interface PresenceRow extends Omit<Present, 'field'> {
  readonly _id: string
  readonly entry: string
  readonly seenAt: Date
  /** Absent in rows of earlier releases. */
  readonly field?: string | null
  readonly fieldAt?: Date
}

/** More than twice the interval of a browser, so that one missed note does not hide an editor. */
const GONE_MS = 45_000
const MAX_LISTED = 50
const MAX_TABS = 100
const MAX_ROWS = 500

export const presenceOf = (db: Database) => db.table<PresenceRow>('quire_admin_presence')

interface Context {
  readonly rows: Table<PresenceRow>
  readonly watched: WatchedPresence<PresenceRow>
  readonly now: () => Date
  readonly sweep: (at: Date) => Promise<void>
}

export async function openPresence(db: Database, now: () => Date): Promise<Presence> {
  const rows = presenceOf(db)
  await ensureIndexes(rows, [
    { key: { entry: 1 }, name: 'entry' },
    { key: { id: 1 }, name: 'id' },
    { key: { seenAt: 1 }, name: 'seenAt' },
  ])
  const watched = openWatchedPresence((entries) => findRows({ rows, now }, entries))
  const context = { rows, watched, now, sweep: openSweep(rows) }
  return {
    enter: async (who, entry) => {
      await context.sweep(now())
      if (!(await update(context, who, keyOf(entry), {}))) await insert(context, who, keyOf(entry))
      await watched.refresh(keyOf(entry))
    },
    note: async (who, entry, field) => {
      await context.sweep(now())
      const noted = { field, fieldAt: now() }
      const isKnown = await update(context, who, keyOf(entry), noted)
      if (!isKnown && who.tab === '') await insert(context, who, keyOf(entry), field)
      return othersIn(await watched.refresh(keyOf(entry)), who.id)
    },
    leave: async (who, entry) => {
      await rows.deleteOne({ _id: rowId(who, keyOf(entry)) })
      if (watched.has(keyOf(entry))) await watched.refresh(keyOf(entry))
    },
    watch: (entry, onChange) => watched.watch(keyOf(entry), onChange),
  }
}

/** Each person once, with the field of the tab that reported one last. */
export function othersIn(rows: readonly PresenceRow[], id: string): readonly Present[] {
  const people = new Map<string, PresenceRow>()
  for (const row of rows) {
    if (row.id === id) continue
    const known = people.get(row.id)
    const last = known === undefined || fieldTime(row) > fieldTime(known) ? row : known
    people.set(row.id, { ...last, since: known?.since ?? row.since })
  }
  return [...people.values()]
    .slice(0, MAX_LISTED)
    .map(({ id: other, name, since, field = null }) => ({ id: other, name, since, field }))
}

function fieldTime({ fieldAt }: PresenceRow): number {
  return fieldAt?.getTime() ?? 0
}

function keyOf({ uid, documentId, locale }: WorkedOn): string {
  return [uid, documentId, locale].join(':')
}

function rowId({ id, tab }: PresentTab, entry: string): string {
  return tab === '' ? `${entry}:${id}` : `${entry}:${id}:${tab}`
}

async function update(
  { rows, now }: Context,
  who: PresentTab,
  entry: string,
  changes: Partial<Pick<PresenceRow, 'field' | 'fieldAt'>>,
): Promise<boolean> {
  const seen = { name: who.name, seenAt: now(), ...changes }
  return (await rows.updateOne({ _id: rowId(who, entry) }, { $set: seen })).matchedCount > 0
}

async function insert(
  { rows, now }: Context,
  who: PresentTab,
  entry: string,
  field: string | null = null,
): Promise<void> {
  const { id, name } = who
  const at = now()
  const open = await rows.countDocuments({ id, ...seenSince(at) }, { limit: MAX_TABS })
  if (open >= MAX_TABS) {
    const message = 'Too many entries are open at a time'
    throw new ServiceUnavailableError(message, {}, { code: 'overloaded' })
  }
  const _id = rowId(who, entry)
  await ensureRow(rows, { _id, entry, id, name, since: at, seenAt: at, field, fieldAt: at })
}

function findRows(
  { rows, now }: Pick<Context, 'rows' | 'now'>,
  entries: readonly string[],
): Promise<readonly PresenceRow[]> {
  return rows
    .find({ entry: { $in: [...entries] }, ...seenSince(now()) })
    .sort({ since: 1, _id: 1 })
    .limit(MAX_ROWS * entries.length)
    .toArray()
}

function seenSince(at: Date) {
  return { seenAt: { $gt: new Date(at.getTime() - GONE_MS) } }
}

/** Runs at most once in the time after which rows expire. */
function openSweep(rows: Table<PresenceRow>): (at: Date) => Promise<void> {
  let sweptAt = 0
  return async (at) => {
    if (Math.abs(at.getTime() - sweptAt) < GONE_MS) return
    sweptAt = at.getTime()
    await rows.deleteMany({ seenAt: { $lte: new Date(at.getTime() - GONE_MS) } })
  }
}
