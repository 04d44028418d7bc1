import {
  ApplicationError,
  because,
  ForbiddenError,
  NotFoundError,
  ValidationError,
} from '../../base/errors.ts'
import { once } from '../../base/once.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Table } from '../../mongo/connection/table.ts'
import { insertOnce } from '../../mongo/system/insert-once.ts'
import { ensureIndexes } from '../../mongo/system/system-collections.ts'
import { newDocumentId } from '../../mongo/versions/document-id.ts'

/** A saved list of the Studio: search, filters, order and columns, in the form of its address. */
export interface ListView {
  readonly id: string
  readonly name: string
  /** Visible to all readers of the content-type. */
  readonly shared: boolean
  /** The caller is its creator. */
  readonly own: boolean
  /** The id of its creator. */
  readonly by: string
  readonly search: unknown
}

export interface ListViewInput {
  readonly name: string
  readonly shared: boolean
  readonly search: unknown
}

export interface ViewOwner {
  readonly id: string
  /** The administrator may change shared views of others. */
  readonly manages: boolean
}

export interface ListViews {
  /** The own and the shared views of a content-type, by name. */
  list(uid: string, owner: ViewOwner): Promise<readonly ListView[]>
  /** @throws ValidationError, ApplicationError above a limit */
  add(uid: string, owner: ViewOwner, input: ListViewInput): Promise<ListView>
  /** Absent members stay. @throws NotFoundError, ForbiddenError, ValidationError, ApplicationError */
  change(
    uid: string,
    id: string,
    owner: ViewOwner,
    input: Partial<ListViewInput>,
  ): Promise<ListView>
  /** @throws NotFoundError, ForbiddenError */
  remove(uid: string, id: string, owner: ViewOwner): Promise<void>
  /** Removes the unshared views. */
  removeAll(administrator: string): Promise<void>
}

interface ViewRow {
  readonly _id: string
  readonly uid: string
  readonly administrator: string
  readonly name: string
  readonly shared: boolean
  /** JSON text, so that keys need not be valid field names. */
  readonly json: string
}

const MAX_BYTES = 8_192
const MAX_OWN = 50
const MAX_SHARED = 100

type Rows = Table<ViewRow>

export const LIST_VIEWS = 'quire_admin_views'

export async function openListViews(db: Database): Promise<ListViews> {
  const rows = db.table<ViewRow>(LIST_VIEWS)
  await ensureIndexes(rows, [
    { key: { uid: 1, shared: 1 }, name: 'shared' },
    { key: { administrator: 1, uid: 1 }, name: 'administrator' },
  ])
  return {
    list: async (uid, owner) => {
      const seen = { uid, $or: [{ shared: true }, { administrator: owner.id }] }
      const found = await rows.find(seen, { batchSize: MAX_SHARED + MAX_OWN + 1 }).toArray()
      return found.map((row) => toView(row, owner)).toSorted(byName)
    },
    add: async (uid, owner, { name, shared, search }) => {
      const administrator = owner.id
      const json = toText(search)
      await assertRoom(rows, { uid, administrator, shared })
      const row: ViewRow = { _id: newDocumentId(), uid, administrator, name, shared, json }
      await insertOnce(rows, row, '_id') // a random id
      return toView(row, owner)
    },
    change: async (uid, id, owner, input) => {
      const row = await findChangeable(rows, { uid, id, owner })
      return toView(await changeRow(rows, row, input), owner)
    },
    remove: async (uid, id, owner) => {
      const { administrator, shared } = await findChangeable(rows, { uid, id, owner })
      await rows.deleteOne({ _id: id, uid, administrator, shared })
    },
    removeAll: async (administrator) => {
      await rows.deleteMany({ administrator, shared: false })
    },
  }
}

async function assertRoom(
  rows: Rows,
  { uid, administrator, shared }: Pick<ViewRow, 'uid' | 'administrator' | 'shared'>,
): Promise<void> {
  const limit = shared ? MAX_SHARED : MAX_OWN
  const counted = shared ? { uid, shared } : { uid, administrator, shared }
  if ((await rows.countDocuments(counted, { limit })) < limit) return
  const message = `There are ${limit} views of this kind already; remove one`
  throw new ApplicationError(message, {}, because(message, 'any.tooMany', { limit }))
}

interface AddressedView {
  readonly uid: string
  readonly id: string
  readonly owner: ViewOwner
}

/** An unshared view of another administrator does not exist for the caller. @throws NotFoundError, ForbiddenError */
async function findChangeable(rows: Rows, { uid, id, owner }: AddressedView): Promise<ViewRow> {
  const row = await rows.findOne({ _id: id, uid })
  if (row === null || !isSeen(row, owner)) throw noView()
  if (row.administrator === owner.id || owner.manages) return row
  throw new ForbiddenError('Only its creator may change this view')
}

async function changeRow(
  rows: Rows,
  row: ViewRow,
  { name, shared, search }: Partial<ListViewInput>,
): Promise<ViewRow> {
  const values = {
    ...(name !== undefined && { name }),
    ...(shared !== undefined && { shared }),
    ...(search !== undefined && { json: toText(search) }),
  }
  if (shared !== undefined && shared !== row.shared) await assertRoom(rows, { ...row, shared })
  // The driver refuses an empty `$set`.
  if (Object.keys(values).length === 0) return row
  const { _id, uid, administrator } = row
  const changed = await rows.findOneAndUpdate(
    { _id, uid, administrator, shared: row.shared },
    { $set: values },
    { returnDocument: 'after' },
  )
  if (changed === null) throw noView()
  return changed
}

function isSeen({ administrator, shared }: ViewRow, { id }: ViewOwner): boolean {
  return shared || administrator === id
}

function toView({ _id: id, name, shared, administrator, json }: ViewRow, owner: ViewOwner) {
  const search: unknown = JSON.parse(json)
  return { id, name, shared, own: administrator === owner.id, by: administrator, search }
}

const names = once(() => new Intl.Collator('und', { numeric: true }))

function byName(one: ListView, other: ListView): number {
  return names().compare(one.name, other.name) || (one.id < other.id ? -1 : 1)
}

function toText(search: unknown): string {
  const json = JSON.stringify(search)
  if (Buffer.byteLength(json, 'utf8') <= MAX_BYTES) return json
  throw new ValidationError(`search must be at most ${MAX_BYTES} bytes of JSON`)
}

function noView(): NotFoundError {
  return new NotFoundError('There is no such view')
}
