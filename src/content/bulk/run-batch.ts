import { CmsError } from '../../base/errors.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { isDuplicateKey } from '../../mongo/connection/database-error.ts'
import { insertVersions } from '../../mongo/write/write-versions.ts'
import { uniqueValues } from '../../mongo/write/unique-values.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { beginTimeSlice } from '../../base/time-slice.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import type { PreparedValues } from '../payload/write-values.ts'
import { isInsertedOnly, newVersions, prepareNew } from '../write/create-versions.ts'
import { checkUpdate } from '../write/update-versions.ts'
import { batchIds, contextOfLine, type Done, PartStore, runLine } from './write-lines.ts'
import { type BatchView, documentPayload, readView } from './batch-view.ts'
import type { DryRunResults } from './dry-run-results.ts'
import type { BulkLine, BulkWriter, UpsertLine } from './bulk-line.ts'
import {
  assertMayAsk,
  assertMayUpsert,
  isRuledLine,
  isUnchanged,
  type Located,
  locateDocument,
  targetOf,
} from './decide-line.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { hookUpsert, prepareLine, type PreparedLine } from './prepare-line.ts'
import { dryRunLine } from './dry-run.ts'
import { runRuledLine } from './ruled-line.ts'

export type LineOutcome = Done | { readonly error: CmsError }

/** Does not affect other documents, so it is stored in a shared transaction. */
interface Fresh {
  readonly index: number
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly versions: readonly StoredVersion[]
  readonly context: DocumentContext
}

type LineStep =
  | { readonly fresh: Omit<Fresh, 'index' | 'context'>; readonly isLinked: boolean }
  | { readonly done: Done }
  | 'alone'

export interface BatchOptions {
  readonly trial?: DryRunResults | undefined
  readonly isOver: () => boolean
}

/**
 * Executes lines as if in sequence. Returns fewer outcomes than lines if `isOver` ends the batch. New documents are
 * stored in bulk; every other change runs in its own transaction.
 */
export async function runBatch(
  context: DocumentContext,
  lines: readonly BulkLine[],
  writer: BulkWriter,
  options: BatchOptions,
): Promise<readonly LineOutcome[]> {
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
  readonly #outcomes: LineOutcome[] = []
  readonly #parts = new PartStore<Fresh>((fresh) => this.#storeTogether(fresh))
  readonly #isFresh = new Set<string>()
  readonly #prepared = new Map<number, PreparedLine>()
  /** Documents changed since the view was read; `all` if a change may affect other documents. */
  #changed: Set<string> | 'all' = new Set()
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

  async run(): Promise<readonly LineOutcome[]> {
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
    const context = contextOfLine(this.#context, line)
    const step = await this.#stepOf({ ...context, targets: view.targets }, view, { line, index })
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
    { line, index }: { readonly line: BulkLine; readonly index: number },
  ): Promise<LineStep | { readonly error: CmsError }> {
    const isRuled = isRuledLine(this.#writer, line)
    if (line.op === 'delete' || this.#changed === 'all' || isRuled) return 'alone'
    try {
      return await this.#decide(context, view, line, index)
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      // A preceding line may have changed the state that caused this error.
      return this.#changed.size > 0 && !this.#prepared.has(index) ? 'alone' : { error }
    }
  }

  async #decide(
    context: DocumentContext,
    view: BatchView,
    sent: UpsertLine,
    index: number,
  ): Promise<LineStep> {
    const { plan } = sent
    const located = locateDocument(context, view, sent)
    const { documentId, versions } = located
    if (this.#isUncertain(documentId)) return 'alone'
    assertMayUpsert(this.#writer, sent, located)
    const payload = documentPayload(sent, view, this.#writer)
    const line = await this.#hook(context, { ...sent, data: payload }, located, index)
    const { data } = line
    const target = targetOf(line, documentId, this.#writer)
    if (versions.length > 0) {
      const { prepared } = await checkUpdate(context, target, data)
      const isSame = isUnchanged(target, prepared, versions)
      return isSame ? { done: { result: 'unchanged', documentId } } : 'alone'
    }
    // Generated uids depend on the preceding lines, which may not be stored yet.
    if (missingUids(plan, data, 'required').length > 0) return 'alone'
    const prepared = await prepareNew(context, target, data)
    if (!isInsertedOnly(plan, prepared)) return 'alone'
    const fresh = await newVersions(context, target, prepared)
    return this.#isTaken(view, plan, fresh)
      ? 'alone'
      : { fresh: { plan, documentId, versions: fresh }, isLinked: this.#isLinked(prepared) }
  }

  async #hook(
    context: DocumentContext,
    line: UpsertLine,
    located: Located,
    index: number,
  ): Promise<UpsertLine> {
    if (hooksOf(context, line.plan) === null) return line
    this.#prepared.set(index, { line, seen: null }) // a refusal is final
    const options = { writer: this.#writer, dryRun: this.#options.trial !== undefined }
    const prepared = await hookUpsert(context, line, located, options)
    this.#prepared.set(index, prepared)
    return prepared.line
  }

  /** The view does not reflect documents that a preceding line has created or changed. */
  #isUncertain(documentId: string): boolean {
    return this.#isFresh.has(documentId) || this.#changed === 'all' || this.#changed.has(documentId)
  }

  /** On a conflict the line runs alone, so that the database reports the conflict for this line only. */
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
    const prepared = this.#prepared.get(index)
    try {
      const done =
        trial !== undefined
          ? await this.#dryRun(context, line, trial, prepared)
          : isRuledLine(this.#writer, line)
            ? await runRuledLine(context, line, this.#writer)
            : await runLine(context, line, this.#writer, prepared)
      this.#outcomes[index] = done
      this.#noteChange(prepared?.line ?? line, done)
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      this.#outcomes[index] = { error }
      if (error.status >= 500) this.#broken = error
    }
  }

  async #dryRun(
    context: DocumentContext,
    line: BulkLine,
    trial: DryRunResults,
    prepared: PreparedLine | undefined,
  ): Promise<Done> {
    const options = { trial, dryRun: true }
    const hooked = prepared ?? (await prepareLine(context, line, this.#writer, options))
    return dryRunLine(context, hooked, this.#writer, trial)
  }

  #noteChange(line: BulkLine, { result, documentId }: Done): void {
    if (result === 'unchanged' || documentId === null || this.#changed === 'all') return
    if (line.op === 'delete' || mayMoveOthers(line)) this.#changed = 'all'
    else this.#changed.add(documentId)
  }

  /** If a part is rejected, each of its lines runs alone. */
  async #store(): Promise<void> {
    for (const { index, context } of await this.#parts.settle()) {
      const line = this.#lines[index]
      if (line !== undefined) await this.#runAlone(context, line, index)
    }
  }

  async #storeTogether(fresh: readonly Fresh[]): Promise<boolean> {
    if (this.#broken !== null) return false
    try {
      const { trial } = this.#options
      if (trial === undefined) await storeTogether(this.#context, fresh, this.#writer)
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

  #isLinked({ changes }: PreparedValues): boolean {
    return [...changes.values()].some((change) => {
      const targets =
        change.kind === 'set' ? change.targets : change.connect.map(({ target }) => target)
      return targets.some((target) => this.#isFresh.has(target))
    })
  }
}

/** Whether the line may change a unique value that later lines use as a key, or a relation with an inverse side. */
function mayMoveOthers({ plan, address, data }: UpsertLine): boolean {
  const key = 'key' in address ? address.key.attribute.name : null
  return Object.keys(data).some((name) => {
    const attribute = plan.attributes.get(name)
    if (attribute?.kind === 'relation') return attribute.otherSide !== null
    return attribute?.kind === 'scalar' && attribute.unique && name !== key
  })
}

function storeTogether(
  { database }: DocumentContext,
  fresh: readonly Fresh[],
  { origin }: BulkWriter,
): Promise<void> {
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
  }, origin)
}
