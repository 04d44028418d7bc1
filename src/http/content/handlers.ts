import type { ContentVerb } from '../../people/access/actions.ts'
import { writingFor } from '../../people/access/writing-for.ts'
import type { DocumentContext } from '../../content/context.ts'
import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../content/write/publish-document.ts'
import { showVersion, showVersions } from '../../content/read/find-documents.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { CreationWork, IdempotentCreations } from '../../content/write/idempotent-creation.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { ValidationError } from '../../base/errors.ts'
import type { PlannedAction } from '../../content/planning/planned-action.ts'
import type { PlanningContext } from '../../content/planning/planning.ts'
import { addSchedule } from '../../content/planning/schedules.ts'
import { parseEntryQuery } from '../../query/parse-query.ts'
import {
  assertActionStatus,
  parseActionLocales,
  parseDeletedLocales,
  parseWriteKey,
} from '../../query/parse-version.ts'
import type { LocaleRules, Status } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { readCondition, sendTagged } from '../answer/entity-tag.ts'
import { entriesEnvelope, entryEnvelope, envelopeAt, ERROR_CODE } from '../answer/envelope.ts'
import { documentIdOf, prepareEntry, sendEntry } from '../reads/content-reads.ts'
import { readIdempotentRequest } from './idempotency-key.ts'
import { entryRulesOf, readOriginOf, type RuleSources, writerOf } from '../reads/query-rules.ts'
import { assertNoPayload, dataOf } from '../body/read-request.ts'
import { readTime } from '../body/read-time.ts'
import { showSchedule } from '../answer/show-schedule.ts'
import type { Context, Middleware } from '../router/state.ts'
import { toJson } from '../answer/to-json.ts'

export interface ContentRouteDependencies extends RuleSources {
  readonly planning: Pick<PlanningContext, 'documents' | 'now'>
  readonly documents: DocumentContext
  readonly creations: IdempotentCreations
  readonly locales: Locales
  /** Sets the principal. Runs for existing routes only. */
  readonly authenticate: Middleware
  readonly readBody: Middleware
}

/** The input of a handler: one content-type, the parsed query string and the locales. */
export interface ContentRequest {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly query: Data
  readonly locales: LocaleRules
  /** Normalized path of the content-type. */
  readonly endpoint: string
  /** Uid attributes of a new entry whose values were generated. */
  readonly madeUids?: readonly string[]
}

export type ContentHandler = (
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
) => Promise<void>

/**
 * A named action on the versions of a document, its permission, and the status that its response
 * shows.
 */
export interface VersionAction {
  readonly name: string
  readonly verb: ContentVerb
  readonly run: typeof publishDocument
  readonly answered: Status
  /** The same action in a schedule. Null if the action cannot be scheduled. */
  readonly planned: PlannedAction | null
}

export const VERSION_ACTIONS: readonly VersionAction[] = [
  {
    name: 'publish',
    verb: 'publish',
    run: publishDocument,
    answered: 'published',
    planned: 'publish',
  },
  {
    name: 'unpublish',
    verb: 'publish',
    run: unpublishDocument,
    answered: 'draft',
    planned: 'unpublish',
  },
  { name: 'discard', verb: 'update', run: discardDraft, answered: 'draft', planned: null },
]

export async function findOne(
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  sendTagged(request.ctx, await prepareEntry(request, dependencies).load())
}

export async function create(
  { ctx, plan, query, locales, endpoint, madeUids = [] }: ContentRequest,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { documents, creations } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, localeOf(data), plan, locales)
  const shown = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documents.newDocumentId()
  const target = {
    plan,
    documentId,
    key,
    writer: writerOf(ctx, shown.reader),
    origin: readOriginOf(ctx),
    madeUids,
  }
  const work: CreationWork = {
    create: (alongside) => createDocument(documents, target, data, alongside),
    show: async (version) => {
      const { database } = documents
      const { entry, revision } = await showVersion(database, plan, version, key.status, shown)
      return { status: 201, body: await toJson(entryEnvelope(entry), ctx.state.answer), revision }
    },
    showError: (error) => ({
      status: error.status,
      body: JSON.stringify(envelopeAt(ctx.path, error)),
      revision: null,
      errorCode: error.errorCode,
    }),
  }
  const named = readIdempotentRequest(ctx, endpoint)
  const { answer, replayed } =
    named === null
      ? { answer: await work.show(await work.create(null)), replayed: false }
      : await creations.run({ ...named, ...work })
  if (replayed) ctx.set('Idempotency-Replayed', 'true')
  if (answer.errorCode !== undefined) ctx.set(ERROR_CODE, answer.errorCode)
  ctx.status = answer.status
  sendTagged(ctx, answer)
}

/** `readMeta` reads the `meta` of the response after the write. */
export async function update(
  { ctx, plan, query, locales }: ContentRequest,
  dependencies: ContentRouteDependencies,
  readMeta: () => Promise<object> = () => Promise.resolve({}),
): Promise<void> {
  const { documents } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, undefined, plan, locales)
  assertSameLocale(plan, localeOf(data), key.locale)
  const shown = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documentIdOf(ctx, plan)
  const condition = readCondition(ctx)
  const writer = writerOf(ctx, shown.reader)
  const target = { plan, documentId, key, writer, origin: readOriginOf(ctx), condition }
  const version = await updateDocument(documents, target, data)
  const found = await showVersion(documents.database, plan, version, key.status, shown)
  await sendEntry(ctx, found, await readMeta())
}

export async function remove(
  { ctx, plan, query, locales }: ContentRequest,
  { documents }: ContentRouteDependencies,
): Promise<void> {
  await deleteDocument(documents, {
    plan,
    documentId: documentIdOf(ctx, plan),
    locales: parseDeletedLocales(query, plan, locales),
    origin: readOriginOf(ctx),
    condition: readCondition(ctx),
  })
  ctx.status = 204
}

export function act({ run, answered, planned: action }: VersionAction): ContentHandler {
  return async ({ ctx, plan, query, locales: rules }, dependencies) => {
    const { database } = dependencies.documents
    const at = action === null ? null : readTime(ctx, dependencies.planning.now())
    if (action === null) assertNoPayload(ctx)
    assertActionStatus(query, answered)
    const locales = parseActionLocales(query, plan, rules)
    const shown = parseEntryQuery(
      { ...query, status: answered },
      plan,
      entryRulesOf(ctx, dependencies, rules),
    )
    const documentId = documentIdOf(ctx, plan)
    const condition = readCondition(ctx)
    if (action !== null && at !== null) {
      if (condition !== undefined) throw conditionLater()
      const on = { action, plan, documentId, locales }
      ctx.status = 202
      const { principal, requestId } = ctx.state
      const add = () => addSchedule(dependencies.planning, on, at)
      ctx.body = { data: showSchedule(await writingFor(principal, requestId, add)) }
      return
    }
    const writer = writerOf(ctx, shown.reader)
    const target = { plan, documentId, locales, writer, origin: readOriginOf(ctx), condition }
    const versions = await run(dependencies.documents, target)
    const [version] = versions
    if (locales.kind === 'one' && version !== undefined) {
      await sendEntry(ctx, await showVersion(database, plan, version, answered, shown))
    } else {
      ctx.body = entriesEnvelope(await showVersions(database, plan, versions, answered, shown))
    }
  }
}

/** The revision will have changed by the scheduled time, so a condition would always fail. */
function conditionLater(): ValidationError {
  return new ValidationError(
    'If-Match and If-None-Match cannot go with a time',
    {},
    { code: 'invalid_header' },
  )
}

function localeOf(data: unknown): unknown {
  return (data as { readonly locale?: unknown }).locale // `dataOf` returns objects only
}

function assertSameLocale(plan: ContentTypePlan, given: unknown, addressed: string): void {
  if (!plan.localized || given === undefined || given === null || given === addressed) return
  const shown = typeof given === 'string' ? given : JSON.stringify(given)
  throw new ValidationError(
    `locale in data (${shown}) differs from locale in the query (${addressed})`,
    {},
    { code: 'locale_mismatch' },
  )
}
