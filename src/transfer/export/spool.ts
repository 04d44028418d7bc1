import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { DocumentContext } from '../../content/context.ts'
import {
  dumpVersions,
  fromText,
  readRecentCommits,
  toText,
} from '../../mongo/read/dump-versions.ts'
import { isLinkIndex } from '../../mongo/versions/link-index.ts'
import { STATE_FIELD } from '../../mongo/versions/version-fields.ts'
import { named, type StoredVersion } from '../../mongo/versions/stored-version.ts'
import { getDocuments } from '../../mongo/write/find-by-unique.ts'
import type { Data, Uid } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'

/** A snapshot of all versions in a folder, because it may not fit into memory. */
export interface Spool {
  readonly isConsistent: boolean
  readonly count: number
  versions(plan: ContentTypePlan): Iterable<StoredVersion>
  document(uid: Uid, documentId: string): readonly StoredVersion[]
  close(): Promise<void>
}

/** Allowance for long transactions and clock differences: earlier commits are read again. */
const BEFORE_MS = 300_000
const MAX_ROUNDS = 50

/** Repeats the versions that the commit log reports as changed. The result is a snapshot. */
export async function openSpool(
  documents: DocumentContext,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
  { folder, onRead }: { readonly folder: string; readonly onRead: (count: number) => void },
): Promise<Spool> {
  await mkdir(folder, { recursive: true })
  const path = await mkdtemp(join(folder, 'export-'))
  const store = storeIn(path)
  const close = async (): Promise<void> => {
    await store.close()
    await rm(path, { recursive: true, force: true })
  }
  try {
    const since = new Date(documents.now().getTime() - BEFORE_MS)
    let count = 0
    for (const plan of contentTypes.values()) {
      if (plan.adopted !== undefined) continue
      for await (const page of dumpVersions(documents.database, plan)) {
        await store.replace(plan.uid, [], page)
        count += page.length
        onRead(count)
      }
    }
    const readAnew: CatchUp['readAnew'] = async (plan, ids) => {
      const { uid } = plan
      const found = await getDocuments(documents.database, plan, ids)
      await store.replace(
        uid,
        ids.flatMap((id) => [...store.under([uid, id])]),
        found,
      )
    }
    return {
      isConsistent: await catchUp(documents, { since, contentTypes, readAnew }),
      count: store.count(),
      versions: (plan) => store.under([plan.uid]),
      document: (uid, documentId) => [...store.under([uid, documentId])],
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

function storeIn(path: string) {
  const store = open<string, string[]>({ path, noSync: true })
  const keyOf = (uid: Uid, { documentId, locale, status }: StoredVersion): string[] => [
    uid,
    documentId,
    locale,
    status,
  ]
  return {
    under: (prefix: readonly string[]): Iterable<StoredVersion> =>
      store
        .getRange({ start: [...prefix], end: [...prefix, '\uFFFF'] })
        .map(({ value }) => named(fromText(value))),
    replace: async (
      uid: Uid,
      before: readonly StoredVersion[],
      after: readonly StoredVersion[],
    ): Promise<void> => {
      await store.batch(() => {
        for (const version of before) void store.remove(keyOf(uid, version))
        for (const version of after) {
          void store.put(keyOf(uid, version), toText(withoutDerived(version)))
        }
      })
    },
    count: () => store.getKeysCount(),
    close: () => store.close(),
  }
}

/** Omits the members that each write computes. */
function withoutDerived(version: StoredVersion): Data {
  return Object.fromEntries(
    Object.entries(version).filter(([name]) => name !== STATE_FIELD && !isLinkIndex(name)),
  )
}

interface CatchUp extends Pick<Schema, 'contentTypes'> {
  readonly since: Date
  readonly readAnew: (plan: ContentTypePlan, documentIds: readonly string[]) => Promise<void>
}

async function catchUp(
  { database }: DocumentContext,
  { since, contentTypes, readAnew }: CatchUp,
): Promise<boolean> {
  let known: ReadonlySet<string> = new Set()
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const { ids, items, isOpen } = await readRecentCommits(database, since, known)
    const changed = new Map<ContentTypePlan, Set<string>>()
    for (const { type, documentId } of items) {
      const plan = contentTypes.get(type)
      if (plan !== undefined) changed.set(plan, (changed.get(plan) ?? new Set()).add(documentId))
    }
    for (const [plan, documentIds] of changed) {
      await inParts([...documentIds], (part) => readAnew(plan, part))
    }
    const after = await readRecentCommits(database, since, ids)
    const isStill = !isOpen && !after.isOpen && after.items.length === 0
    if (!isOpen) known = ids
    if (isStill) return true
  }
  return false
}

async function inParts(
  ids: readonly string[],
  read: (part: readonly string[]) => Promise<void>,
): Promise<void> {
  for (let from = 0; from < ids.length; from += 500) await read(ids.slice(from, from + 500))
}
