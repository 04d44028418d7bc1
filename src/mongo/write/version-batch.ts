import { BSON, type Document } from 'mongodb'
import type { Database, Session } from '../connection/database.ts'
import { LOCK, REVISION } from '../versions/version-fields.ts'
import type { StoredVersion, VersionDocument } from '../versions/stored-version.ts'
import { isHeld } from './hold-documents.ts'

export interface VersionUpdate {
  readonly $set: Document
  readonly $max: Document
}

/** One command is limited to 16 MB, and the log stores the content a second time. */
const MAX_BYTES = 4 * 1024 * 1024

interface Change {
  readonly statement: { readonly q: Document; readonly u: VersionUpdate }
  readonly after: VersionDocument
}

const open = new WeakMap<Session, VersionBatch>()

/** Null if the session sends each write on its own. */
export function batchOf(session: Session): VersionBatch | null {
  return open.get(session) ?? null
}

/** Collects the writes of a group. `write-versions.ts` adds to the batch instead of sending commands. */
export class VersionBatch {
  readonly #stored: Map<string, VersionDocument>
  readonly #rows: VersionDocument[] = []
  readonly #changes: Change[] = []

  constructor(stored: readonly VersionDocument[], session: Session) {
    this.#stored = new Map(stored.map((version) => [version._id, version]))
    open.set(session, this)
  }

  /** Whether all of the versions are stored, and no release is about to lock their document. */
  has(ids: readonly string[]): boolean {
    return ids.every((id) => {
      const stored = this.#stored.get(id)
      return stored !== undefined && !isHeld(stored[LOCK])
    })
  }

  /** The version as the earlier writes of the group leave it. */
  stored(id: string): VersionDocument | null {
    return this.#stored.get(id) ?? null
  }

  insert(rows: readonly VersionDocument[]): void {
    this.#rows.push(...rows)
  }

  /** Returns the updated version. Null if it was not read or its revision is not `expected`. */
  update(
    id: string,
    u: VersionUpdate,
    expected: Pick<StoredVersion, typeof REVISION> | null = null,
  ): VersionDocument | null {
    const before = this.#stored.get(id)
    if (before === undefined) return null
    if (expected !== null && before[REVISION] !== expected[REVISION]) return null
    const after = applied(before, u)
    const q = { _id: id, [REVISION]: (before[REVISION] as unknown) ?? null }
    this.#stored.set(id, after)
    this.#changes.push({ statement: { q, u }, after })
    return after
  }

  /** Runs one write of the group, and takes back its changes if it fails. */
  async attempt<T>(write: () => Promise<T>): Promise<T> {
    const { length: rows } = this.#rows
    const { length: changes } = this.#changes
    try {
      return await write()
    } catch (error) {
      this.#rows.length = rows
      this.#changes.length = changes
      throw error
    }
  }

  /** Sends the writes and the log rows. @throws Error if they are too large or a version has changed since it was read */
  async send(database: Database, collection: string, session: Session): Promise<void> {
    open.delete(session)
    const documents = this.#rows
    assertSmall([...documents, ...this.#changes.map(({ after }) => after)])
    const updates = this.#changes.map(({ statement }) => statement)
    const writes = [
      ...(documents.length > 0 ? [{ insert: collection, documents }] : []),
      ...(updates.length > 0 ? [{ update: collection, updates }] : []),
    ]
    const count = await database.writeCommit(session, writes)
    if (count !== updates.length) throw new Error('a version has changed since it was read')
  }
}

function assertSmall(documents: readonly Document[]): void {
  const bytes = documents.reduce((sum, each) => sum + BSON.calculateObjectSize(each), 0)
  if (bytes > MAX_BYTES) throw new Error(`${bytes} bytes are too large to be stored together`)
}

/** Computes the version that the database stores after an update. Values are as the driver returns them. */
function applied(before: VersionDocument, { $set, $max }: VersionUpdate): VersionDocument {
  const set = BSON.deserialize(BSON.serialize($set, { ignoreUndefined: false }), {
    useBigInt64: true,
  })
  const higher = Object.entries($max).filter(([name, value]) => {
    const held: unknown = before[name] ?? null
    return held === null || (held as string | number) < (value as string | number)
  })
  return { ...before, ...set, ...Object.fromEntries(higher) }
}
