import type { Session } from '../../mongo/connection/database.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { retryCollisions } from '../../mongo/write/write-path.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import { once } from '../../base/once.ts'
import { retryChanged } from '../hooks/seen-versions.ts'
import { assertLineSeen, prepareLine, type PreparedLine } from './prepare-line.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids, retryMadeUids } from '../payload/fill-uids.ts'
import { createVersions, prepareNew } from '../write/create-versions.ts'
import { underRules } from '../write-rules.ts'
import { checkUpdate, updateVersions } from '../write/update-versions.ts'
import type { IdAllocator } from '../../mongo/system/id-allocator.ts'
import { documentPayload, readView } from './batch-view.ts'
import type { BulkLine, BulkWriter, DeleteLine, UpsertLine } from './bulk-line.ts'
import {
  assertMayAsk,
  assertMayUpsert,
  isUnchanged,
  locateDocument,
  refusedInOne,
  targetOf,
} from './decide-line.ts'

export interface Done {
  readonly result: 'created' | 'updated' | 'unchanged' | 'deleted'
  readonly documentId: string | null
}

export function runLine(
  context: DocumentContext,
  line: BulkLine,
  writer: BulkWriter,
  prepared?: PreparedLine,
): Promise<Done> {
  let known = prepared
  return retryChanged(async () => {
    const current = known ?? (await prepareLine(context, line, writer))
    known = undefined
    return runPrepared(context, current, writer)
  })
}

function runPrepared(
  context: DocumentContext,
  prepared: PreparedLine,
  writer: BulkWriter,
): Promise<Done> {
  const { line } = prepared
  const made = line.op === 'upsert' ? missingUids(line.plan, line.data, 'required') : []
  return retryMadeUids(
    made.map(({ attribute }) => attribute.name),
    () =>
      retryCollisions(() =>
        context.database.transact(
          (session) => runInside(context, prepared, writer, session),
          writer.origin,
        ),
      ),
  )
}

/** @throws CmsError, and driver errors for the retry rules of the transaction */
export async function runInside(
  context: DocumentContext,
  prepared: PreparedLine,
  writer: BulkWriter,
  session: Session,
): Promise<Done> {
  const { line, seen } = prepared
  assertMayAsk(writer, line)
  const refusal = refusedInOne(writer, line)
  if (refusal !== null) throw refusal
  const view = await readView(context, [line], writer, { session })
  const located = locateDocument(context, view, line)
  await assertLineSeen(context, prepared, located, session)
  if (line.op === 'delete') {
    return located.versions.length === 0
      ? {
          result: 'unchanged',
          documentId: 'documentId' in line.address ? located.documentId : null,
        }
      : remove(
          context,
          prepared.seen === null ? line : { ...line, isSeen: true },
          located.documentId,
          session,
        )
  }
  assertMayUpsert(writer, line, located)
  const inside = { ...context, targets: view.targets }
  const target = {
    ...targetOf(line, located.documentId, writer),
    ...(seen?.version !== undefined && { seen: seen.version }),
  }
  const data = documentPayload(line, view, writer)
  const isNew = located.versions.length === 0
  const { plan, documentId } = target
  const verb = isNew && plan.kind === 'collectionType' ? 'create' : 'update'
  const write = { plan, documentId, verb, locale: line.ownersLocale, data } as const
  return underRules(context, writer.rules, write, ({ guard }) =>
    runGuarded(context.database, guard, session, () =>
      isNew
        ? create(inside, target, data, session)
        : update(inside, target, { data, versions: located.versions }, session),
    ),
  )
}

async function create(
  context: DocumentContext,
  target: ReturnType<typeof targetOf>,
  data: UpsertLine['data'],
  session: Session,
): Promise<Done> {
  const prepared = await prepareNew(context, target, data, session)
  await createVersions(context, target, prepared, session)
  return { result: 'created', documentId: target.documentId }
}

async function update(
  context: DocumentContext,
  target: ReturnType<typeof targetOf>,
  {
    data,
    versions,
  }: Pick<UpsertLine, 'data'> & Pick<ReturnType<typeof locateDocument>, 'versions'>,
  session: Session,
): Promise<Done> {
  const { documentId } = target
  const checked = await checkUpdate(context, target, data)
  if (isUnchanged(target, checked.prepared, versions)) return { result: 'unchanged', documentId }
  await updateVersions(context, target, checked, session)
  return { result: 'updated', documentId }
}

async function remove(
  { database }: DocumentContext,
  { plan, locales, isSeen = false }: DeleteLine & { readonly isSeen?: boolean },
  documentId: string,
  session: Session,
): Promise<Done> {
  if (plan.localized || isSeen) await lockDocument(database, plan, documentId, session)
  const count = await deleteVersions(database, plan, documentId, locales, session)
  return { result: count > 0 ? 'deleted' : 'unchanged', documentId }
}

/** Caches the hashes of one line only. Sharing hashes between lines would expose equal passwords. */
export function contextOfLine(
  context: DocumentContext,
  { plan }: Pick<BulkLine, 'plan'>,
): DocumentContext {
  const hashes = new Map<string, Promise<string>>()
  const hashPassword = (password: string): Promise<string> => {
    const hash = hashes.get(password) ?? context.hashPassword(password)
    hashes.set(password, hash)
    return hash
  }
  return { ...context, hashPassword, newDocumentId: once(() => context.newDocumentId(plan)) }
}

/** The next part is prepared while the previous one is stored. */
const PART = 500
const CONCURRENCY = 2

interface Part<T> {
  readonly items: readonly T[]
  readonly stored: Promise<boolean>
}

export class PartStore<T> {
  readonly #storeTogether: (items: readonly T[]) => Promise<boolean>
  #waiting: T[] = []
  #isLinked = false
  #parts: Part<T>[] = []

  /** `storeTogether` stores all items and returns true, or none and returns false. */
  constructor(storeTogether: (items: readonly T[]) => Promise<boolean>) {
    this.#storeTogether = storeTogether
  }

  /** Waits if `CONCURRENCY` parts are in flight. */
  async add(item: T, { isLinked }: { readonly isLinked: boolean }): Promise<void> {
    this.#waiting.push(item)
    this.#isLinked ||= isLinked
    if (this.#waiting.length < PART) return
    await this.#parts.at(-CONCURRENCY)?.stored.catch(() => undefined) // reported by `settle`
    this.#begin()
  }

  /** Returns the items that were not stored, in order. @throws errors of `storeTogether` */
  async settle(): Promise<readonly T[]> {
    this.#begin()
    const parts = this.#parts
    this.#parts = []
    const settled = await Promise.allSettled(parts.map(({ stored }) => stored))
    const lost = settled.find((each) => each.status === 'rejected')
    if (lost !== undefined) throw lost.reason
    return parts.flatMap(({ items }, at) => {
      const each = settled[at]
      return each?.status === 'fulfilled' && each.value ? [] : items
    })
  }

  /** A part with references to other parts waits for them, and fails if one of them is rejected. */
  #begin(): void {
    const items = this.#waiting
    if (items.length === 0) return
    const before = this.#isLinked ? this.#parts.map(({ stored }) => stored) : []
    const stored = Promise.all(before).then((each) =>
      each.includes(false) ? false : this.#storeTogether(items),
    )
    stored.catch(() => undefined) // reported by `settle`
    this.#parts.push({ items, stored })
    this.#waiting = []
    this.#isLinked = false
  }
}

export interface BatchIds extends IdAllocator {
  close(): void
}

/** Reserves ids once, instead of a command per block. `expected` is the estimate per sequence. */
export function batchIds(ids: IdAllocator, expected: number): BatchIds {
  const waiting = new Map<string, number[]>()
  return {
    take: async (sequence, count) => {
      const here = waiting.get(sequence) ?? []
      waiting.set(sequence, here)
      if (here.length < count) {
        const wanted = Math.max(expected, count - here.length)
        here.push(...(await ids.take(sequence, wanted)))
      }
      return here.splice(0, count)
    },
    raise: (sequence, id) => ids.raise(sequence, id),
    giveBack: () => undefined,
    close: () => {
      for (const [sequence, left] of waiting) {
        for (const id of left.toReversed()) ids.giveBack(sequence, id)
      }
    },
  }
}
