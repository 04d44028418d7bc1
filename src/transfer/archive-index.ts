import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { ApplicationError } from '../base/errors.ts'
import type { Data, Uid } from '../schema/definition.ts'

export interface ArchiveRow {
  readonly documentId: string
  readonly locale: string | null
  readonly published: boolean
}

export interface LinkedRow {
  readonly type: Uid
  readonly ref: number
}

/** On disk, because an archive may contain millions of links. */
export interface ArchiveIndex {
  addRow(type: Uid, id: number, row: ArchiveRow): void
  row(type: Uid, id: number): ArchiveRow | null
  highest(type: Uid): number
  count(type: Uid): number
  types(): readonly Uid[]
  hasVersion(type: Uid, row: ArchiveRow): boolean
  addLink(link: Data): void
  linked(type: Uid, ref: number, field: string): readonly LinkedRow[]
  settled(): Promise<void>
  close(): Promise<void>
}

interface End {
  readonly type: Uid
  readonly ref: number
  readonly field?: string
  readonly pos?: number
}

type Store = RootDatabase<unknown, (string | number)[]>

export async function openArchiveIndex(folder: string): Promise<ArchiveIndex> {
  await mkdir(folder, { recursive: true })
  const path = await mkdtemp(join(folder, 'archive-'))
  const store: Store = open({ path, noSync: true })
  let last: Promise<unknown> = Promise.resolve()
  const put = (key: (string | number)[], value: unknown): void => {
    last = store.put(key, value)
  }
  return {
    ...rowsIn(store, put),
    ...linksIn(store, put),
    settled: async () => {
      await last
    },
    close: async () => {
      await store.close()
      await rm(path, { recursive: true, force: true })
    },
  }
}

type Put = (key: (string | number)[], value: unknown) => void

function rowsIn(
  store: Store,
  put: Put,
): Pick<ArchiveIndex, 'addRow' | 'row' | 'highest' | 'count' | 'types' | 'hasVersion'> {
  const highest = new Map<Uid, number>()
  const counts = new Map<Uid, number>()
  const versionKey = (type: Uid, { documentId, locale, published }: ArchiveRow) => [
    'version',
    type,
    documentId,
    locale ?? '',
    published ? 1 : 0,
  ]
  return {
    addRow: (type, id, row) => {
      highest.set(type, Math.max(highest.get(type) ?? 0, id))
      counts.set(type, (counts.get(type) ?? 0) + 1)
      put(['row', type, id], row)
      put(versionKey(type, row), id)
    },
    row: (type, id) => (store.get(['row', type, id]) as ArchiveRow | undefined) ?? null,
    highest: (type) => highest.get(type) ?? 0,
    count: (type) => counts.get(type) ?? 0,
    types: () => [...counts.keys()],
    hasVersion: (type, row) => store.get(versionKey(type, row)) !== undefined,
  }
}

function linksIn(store: Store, put: Put): Pick<ArchiveIndex, 'addLink' | 'linked'> {
  let links = 0
  const addEnd = (from: End, { type, ref }: End): void => {
    links += 1
    put(['link', from.type, from.ref, from.field ?? '', from.pos ?? 0, links], { type, ref })
  }
  return {
    addLink: (link) => {
      const ends = endsOf(link)
      if (ends === null) return
      addEnd(ends.left, ends.right)
      if (ends.right.field !== undefined) addEnd(ends.right, ends.left)
    },
    linked: (type, ref, field) => {
      const start = ['link', type, ref, field]
      const found = store.getRange({ start, end: [...start, Infinity] })
      return [...found].map(({ value }) => value as LinkedRow)
    },
  }
}

/** `left` is the owner, or the file of a media link. Null for links between locales: the documentId implies them. */
function endsOf({ kind, left, right }: Data): { readonly left: End; readonly right: End } | null {
  const [one, other] = [partOf(left), partOf(right)]
  if (typeof other['ref'] !== 'number' || one['field'] === 'localizations') return null
  if (!isEnd(one) || !isEnd(other)) throw noLink()
  if (kind !== 'relation.morph') return { left: one, right: other }
  const { type, ref } = one
  return { left: other, right: { type, ref } }
}

/** A name must fit into a key of the index. */
const MAX_NAME = 255

function isEnd(part: Data): part is Data & End {
  const { type, ref, field, pos } = part
  const isName = (value: unknown): boolean => typeof value === 'string' && value.length <= MAX_NAME
  return (
    isName(type) && isName(field ?? '') && typeof ref === 'number' && typeof (pos ?? 0) === 'number'
  )
}

function partOf(value: unknown): Data {
  if (typeof value === 'object' && value !== null) return value as Data
  throw noLink()
}

function noLink(): ApplicationError {
  return new ApplicationError('links: a line does not name a row at each of its ends')
}
