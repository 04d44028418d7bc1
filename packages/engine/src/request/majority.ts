import { Timestamp } from 'bson'
import { isDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { CommandError, noSnapshot, steppedDown } from '../errors.ts'
import { recoverData } from '../storage/database.ts'
import type { Data } from '../storage/database.ts'
import type { Snapshot } from '../storage/store.ts'
import type { View } from '../storage/view.ts'
import type { Table } from '../storage/writer.ts'
import type { Strictness } from './strictness.ts'

/** May lag behind the primary. For tests (`Strictness`). */
export interface Majority {
  /** Null for the newest data. @throws CommandError if the snapshot is unsupported or expired */
  momentFor(body: Document): MajoritySnapshot | null
  hold(): void
  release(): void
  /** Undoes the writes that the majority lacks. Their writers get an error. */
  rollBack(): void
  /** Resolves when the majority has the write, if the client waits for that. */
  acknowledge(body: Document): Promise<void>
}

export interface MajoritySnapshot extends View {
  readonly snapshot: Snapshot
  readonly time: Timestamp
}

/** Each kept snapshot pins pages of the file. */
const MAX_MOMENTS = 100

export function openMajority(data: Data, { replicaSet = false }: Strictness): Majority {
  return replicaSet ? new LaggingMajority(data) : SINGLE_SERVER
}

/** A single server is its own majority. */
const SINGLE_SERVER: Majority = {
  momentFor: (body) => {
    const { level, at } = snapshotOf(body)
    if (level !== 'snapshot' && at === undefined) return null
    throw new CommandError(
      'InvalidOptions',
      'snapshot reads outside of transactions are not supported by the embedded engine',
    )
  },
  hold: refuse,
  release: refuse,
  rollBack: refuse,
  acknowledge: () => Promise.resolve(),
}

function refuse(): never {
  throw new CommandError('CommandNotFound', "no such command: 'holdMajority'")
}

function snapshotOf({ readConcern, autocommit }: Document) {
  if (autocommit === false || !isDocument(readConcern)) return { level: undefined, at: undefined }
  return { level: readConcern['level'], at: readConcern['atClusterTime'] }
}

class LaggingMajority implements Majority {
  readonly #data: Data
  readonly #moments = new Map<number, MajoritySnapshot>()
  #lastTime = 0
  #held: MajoritySnapshot | null = null
  #caughtUp: Promise<void> = Promise.resolve()
  #catchUp: () => void = () => undefined
  #fail: (error: CommandError) => void = () => undefined

  constructor(data: Data) {
    this.#data = data
  }

  momentFor(body: Document): MajoritySnapshot | null {
    const { level, at } = snapshotOf(body)
    if (at !== undefined) return this.#continue(at)
    if (level === 'majority') return this.#held
    return level === 'snapshot' ? (this.#held ?? this.#take()) : null
  }

  hold(): void {
    if (this.#held !== null) return
    this.#held = this.#take()
    this.#data.history.hold()
    this.#caughtUp = new Promise((resolve, reject) => {
      this.#catchUp = resolve
      this.#fail = reject
    })
    this.#caughtUp.catch(() => undefined) // without a waiter it would be an unhandled rejection
  }

  release(): void {
    this.#held = null
    this.#data.history.release()
    this.#catchUp()
  }

  rollBack(): void {
    if (this.#held === null) return
    const data = this.#data
    const { records, entries, catalog, sessions } = data.store
    const { snapshot } = this.#held
    data.store.write(() => {
      for (const table of [records, entries, catalog, sessions]) restore(data, table, snapshot)
    })
    data.commits += 1
    for (const collection of data.collections.values()) collection.changedAt = data.commits + 1
    recoverData(data)
    data.history.rollBack()
    this.#fail(steppedDown())
    this.#caughtUp = Promise.resolve()
    this.release()
  }

  acknowledge({ writeConcern, autocommit, commitTransaction }: Document): Promise<void> {
    if (autocommit === false && commitTransaction === undefined) return Promise.resolve()
    const w = isDocument(writeConcern) ? writeConcern['w'] : undefined
    return w === undefined || w === 'majority' ? this.#caughtUp : Promise.resolve()
  }

  #take(): MajoritySnapshot {
    const { store, commits } = this.#data
    this.#lastTime += 1
    const time = new Timestamp({ t: this.#lastTime, i: 1 })
    const moment = { snapshot: store.snapshot(), at: commits, changes: new Map(), time }
    this.#moments.set(this.#lastTime, moment)
    if (this.#moments.size > MAX_MOMENTS) this.#forgetOldest()
    return moment
  }

  #forgetOldest(): void {
    for (const [time, moment] of this.#moments) {
      if (moment === this.#held) continue
      this.#moments.delete(time)
      moment.snapshot.done()
      return
    }
  }

  #continue(at: Value): MajoritySnapshot {
    const moment = at instanceof Timestamp ? this.#moments.get(at.t) : undefined
    if (moment === undefined) throw noSnapshot('the snapshot is not kept any more')
    return moment
  }
}

function restore(data: Data, table: Table, snapshot: Snapshot): void {
  const before = new Map(
    [...table.getRange({ transaction: snapshot })].map(({ key, value }) => [
      key.toString('latin1'),
      { key: Buffer.from(key), value: Buffer.from(value) },
    ]),
  )
  const added = [...table.getKeys({})].filter((key) => !before.has(key.toString('latin1')))
  data.store.removeAll(table, added)
  for (const { key, value } of before.values()) data.store.put(table, key, value)
}

export function stampSnapshot(body: Document, { time }: MajoritySnapshot, reply: Document): void {
  const { level, at } = snapshotOf(body)
  if (level !== 'snapshot' || at !== undefined) return
  const { cursor } = reply
  if (isDocument(cursor)) cursor['atClusterTime'] = time
  else reply['atClusterTime'] = time
}
