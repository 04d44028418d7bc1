import { CmsError } from '../../errors.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import { insertVersions } from '../../mongo/write/write-versions.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { beginTimeSlice } from '../../time-slice.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import type { PreparedValues } from '../payload/write-values.ts'
import { isInsertedOnly, newVersions, prepareNew } from '../write/create-versions.ts'
import { checkUpdate } from '../write/update-versions.ts'
import { batchIds } from './batch-ids.ts'
import { type BatchView, payloadOf, readView } from './batch-view.ts'
import type { BulkLine, UpsertLine } from './bulk-line.ts'
import type { BulkWriter } from './bulk-writer.ts'
import { hashingOnce } from './hash-once.ts'
import { assertMayAsk, assertMayUpsert, locate, targetOf } from './locate.ts'
import { type Done, runLine } from './run-line.ts'
import { PartStore } from './store-parts.ts'
import type { Trial } from './trial.ts'
import { tryLine } from './try-line.ts'
import { isUnchanged } from './unchanged.ts'

/** What became of a line, or why nothing did. */
export type Outcome = Done | { readonly error: CmsError }

/** A new document that no other one hears of: it is stored together with others. */
interface Fresh {
  readonly index: number
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly versions: readonly StoredVersion[]
  /** Of its line, should it have to be prepared anew. */
  readonly context: DocumentContext
}

type Step =
  | { readonly fresh: Omit<Fresh, 'index' | 'context'>; readonly isLinked: boolean }
  | { readonly done: Done }
  | 'alone'

export interface BatchOptions {
  /** Of a dry run, which writes nothing. */
  readonly trial?: Trial | undefined
  /** Asked before each line but the first: true ends the batch there. */
  readonly isOver: () => boolean
}

/**
 * Carries out lines as if one after the other, and answers the outcomes of the first of them: of all, unless `isOver` says
 * so before. New documents are stored many at a time, what changes nothing is not written, and all else is done a line
 * at a time, each in a transaction of its own.
 */
export async function runBatch(
  context: DocumentContext,
  lines: readonly BulkLine[],
  writer: BulkWriter,
  options: BatchOptions,
): Promise<readonly Outcome[]> {
  const ids = batchIds(context.ids, lines.length)
  try {
    const batch = new Batch({ ...context, ids }, lines, writer, options)
    return await batch.run()
  } finally {
    ids.close()
  }
}

class Batch {
  readonly #context: DocumentContext
  readonly #lines: readonly BulkLine[]
  readonly #writer: BulkWriter
  readonly #options: BatchOptions
  readonly #outcomes: Outcome[] = []
  readonly #parts = new PartStore<Fresh>((fresh) => this.#storeTogether(fresh))
  /** Documents that wait to be stored, or were stored. */
  readonly #isFresh = new Set<string>()
  /** Documents that a line has changed, since they were looked up; `all` where that reaches others. */
  #changed: Set<string> | 'all' = new Set()
  /** What makes all that follow fail as well. */
  #broken: CmsError | null = null

  constructor(
    context: DocumentContext,
    lines: readonly BulkLine[],
    writer: BulkWriter,
    options: BatchOptions,
  ) {
    this.#options = options
    this.#context = context
    this.#lines = lines
    this.#writer = writer
  }

  async run(): Promise<readonly Outcome[]> {
    const { trial, isOver } = this.#options
    const permitted = this.#lines.filter((line) => this.#refusal(line) === null)
    const view = await readView(this.#context, permitted, this.#writer, { trial })
    const slice = beginTimeSlice()
    for (const [index, line] of this.#lines.entries()) {
      if (index > 0 && isOver()) break
      const refusal = this.#refusal(line)
      if (refusal === null) await this.#take(view, line, index)
      else this.#outcomes[index] = { error: refusal }
      if (slice.isOver()) await slice.next()
    }
    await this.#store()
    return this.#outcomes
  }

  #refusal(line: BulkLine): CmsError | null {
    try {
      assertMayAsk(this.#writer, line)
      return null
    } catch (error) {
      if (error instanceof CmsError) return error
      throw error
    }
  }

  async #take(view: BatchView, line: BulkLine, index: number): Promise<void> {
    const context = hashingOnce(this.#context)
    const step = await this.#stepOf({ ...context, targets: view.targets }, view, line)
    if (step === 'alone') {
      await this.#store()
      await this.#runAlone(context, line, index)
    } else if ('error' in step) {
      this.#outcomes[index] = step
    } else if ('done' in step) {
      this.#outcomes[index] = step.done
    } else {
      const { fresh, isLinked } = step
      this.#isFresh.add(fresh.documentId)
      view.add(fresh.plan, fresh.versions)
      await this.#parts.add({ ...fresh, index, context }, { isLinked })
    }
  }

  async #stepOf(
    context: DocumentContext,
    view: BatchView,
    line: BulkLine,
  ): Promise<Step | { readonly error: CmsError }> {
    if (line.op === 'delete' || this.#changed === 'all') return 'alone'
    try {
      return await this.#decide(context, view, line)
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      // By now it may be otherwise.
      return this.#changed.size > 0 ? 'alone' : { error }
    }
  }

  async #decide(context: DocumentContext, view: BatchView, line: UpsertLine): Promise<Step> {
    const { plan } = line
    const located = locate(context, view, line)
    const { documentId, versions } = located
    if (this.#isUncertain(documentId)) return 'alone'
    assertMayUpsert(this.#writer, line, located)
    const target = targetOf(line, documentId, this.#writer)
    const data = payloadOf(line, view, this.#writer)
    if (versions.length > 0) {
      const { prepared } = await checkUpdate(context, target, data)
      const isSame = isUnchanged(plan, line.version, prepared, versions)
      return isSame ? { done: { result: 'unchanged', documentId } } : 'alone'
    }
    // The lines before it may hold the value that it would be given, and are not stored yet.
    if (missingUids(plan, data, 'required').length > 0) return 'alone'
    const prepared = await prepareNew(context, target, data)
    if (!isInsertedOnly(plan, prepared)) return 'alone'
    const fresh = await newVersions(context, target, prepared)
    return this.#isTaken(view, plan, fresh)
      ? 'alone'
      : { fresh: { plan, documentId, versions: fresh }, isLinked: this.#isLinked(prepared) }
  }

  /** What a line before has made or changed is not as it was looked up. */
  #isUncertain(documentId: string): boolean {
    return this.#isFresh.has(documentId) || this.#changed === 'all' || this.#changed.has(documentId)
  }

  /** Whether another document has a value that must be unique; then the database says so, of this line alone. */
  #isTaken(view: BatchView, plan: ContentTypePlan, [first]: readonly StoredVersion[]): boolean {
    if (first?.status !== 'published') return false
    return uniqueValues(plan, first).some(
      ({ attribute, value }) => view.find(plan, { attribute, value }, first.locale) !== undefined,
    )
  }

  async #runAlone(context: DocumentContext, line: BulkLine, index: number): Promise<void> {
    if (this.#broken !== null) {
      this.#outcomes[index] = { error: this.#broken }
      return
    }
    const { trial } = this.#options
    try {
      const done =
        trial === undefined
          ? await runLine(context, line, this.#writer)
          : await tryLine(context, line, this.#writer, trial)
      this.#outcomes[index] = done
      this.#noteChange(line, done)
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      this.#outcomes[index] = { error }
      if (error.status >= 500) this.#broken = error
    }
  }

  #noteChange(line: BulkLine, { result, documentId }: Done): void {
    if (result === 'unchanged' || documentId === null || this.#changed === 'all') return
    if (line.op === 'delete' || mayMoveOthers(line)) this.#changed = 'all'
    else this.#changed.add(documentId)
  }

  /** Waits until the new documents are stored; those of a part in which one is refused are carried out by themselves. */
  async #store(): Promise<void> {
    for (const { index, context } of await this.#parts.settle()) {
      const line = this.#lines[index]
      if (line !== undefined) await this.#runAlone(context, line, index)
    }
  }

  /** False where none was stored. */
  async #storeTogether(fresh: readonly Fresh[]): Promise<boolean> {
    if (this.#broken !== null) return false
    try {
      const { trial } = this.#options
      if (trial === undefined) await storeTogether(this.#context, fresh)
      else for (const { plan, versions } of fresh) trial.note(plan, versions)
    } catch (error) {
      if (!(error instanceof CmsError)) {
        if (isDuplicateKey(error)) return false
        throw error
      }
      if (error.status >= 500) this.#broken = error
      return false
    }
    for (const { index, documentId } of fresh) {
      this.#outcomes[index] = { result: 'created', documentId }
    }
    return true
  }

  /** Whether it names a document of this batch. */
  #isLinked({ changes }: PreparedValues): boolean {
    return [...changes.values()].some((change) => {
      const targets =
        change.kind === 'set' ? change.targets : change.connect.map(({ target }) => target)
      return targets.some((target) => this.#isFresh.has(target))
    })
  }
}

/** Whether what other lines name may be another document after it, or other documents may hold something else. */
function mayMoveOthers({ plan, address, data }: UpsertLine): boolean {
  const key = 'key' in address ? address.key.attribute.name : null
  return Object.keys(data).some((name) => {
    const attribute = plan.attributes.get(name)
    if (attribute?.kind === 'relation') return attribute.otherSide !== null
    return attribute?.kind === 'scalar' && attribute.unique && name !== key
  })
}

/** The one place where a batch is written: one transaction, with one command for each content-type. */
function storeTogether({ database }: DocumentContext, fresh: readonly Fresh[]): Promise<void> {
  const byPlan = new Map<ContentTypePlan, StoredVersion[]>()
  for (const { plan, versions } of fresh) {
    const own = byPlan.get(plan) ?? []
    byPlan.set(plan, own)
    own.push(...versions)
  }
  return database.transact(async (session) => {
    for (const [plan, versions] of byPlan) {
      await insertVersions(database, plan, versions, session)
    }
  })
}
