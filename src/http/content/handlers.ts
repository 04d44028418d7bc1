import type { DocumentContext } from '../../content/context.ts'
import type { FilledUids } from '../../content/write-target.ts'
import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import {
  discardDraft,
  publishDocument,
  unpublishDocument,
} from '../../content/write/publish-document.ts'
import {
  readsWrittenUnderRules,
  showWrittenVersions,
  showWrittenVersion,
} from '../../content/write/show-written.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { CreationWork, IdempotentCreations } from '../../content/write/idempotent-creation.ts'
import { assertWritable } from '../../content/write/assert-writable.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { namedLocales } from '../../content/write-rules.ts'
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

export interface ContentRequest {
  readonly ctx: Context
  readonly plan: ContentTypePlan
  readonly query: Data
  readonly locales: LocaleRules
  readonly endpoint: string
  readonly filledUids?: FilledUids
  /** Whether the caller needs `publish` as well. */
  readonly publishes?: boolean
}

export type ContentHandler = (
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
) => Promise<void>

export interface VersionAction {
  readonly name: string
  readonly verb: 'publish' | 'update'
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
  request: ContentRequest,
  dependencies: ContentRouteDependencies,
): Promise<void> {
  const { ctx, plan, query, locales, endpoint } = request
  const { filledUids = 'required', publishes = false } = request
  const { documents, creations } = dependencies
  const data = dataOf(ctx)
  const key = parseWriteKey(query, localeOf(data), plan, locales)
  const shown = parseEntryQuery(query, plan, entryRulesOf(ctx, dependencies, locales))
  const documentId = documents.newDocumentId(plan)
  const writer = writerOf(ctx, shown.reader)
  const origin = readOriginOf(ctx)
  const target = { plan, documentId, key, writer, origin, filledUids, publishes }
  const work: CreationWork = {
    create: (alongside) => createDocument(documents, target, data, alongside),
    show: async (version) => {
      const written = { plan, verb: 'create', status: key.status, shown } as const
      const { entry, revision } = await showWrittenVersion(documents, writer, version, written)
      return { status: 201, body: await toJson(entryEnvelope(entry), ctx.state.answer), revision }
    },
    isRuled: readsWrittenUnderRules(writer, { plan, verb: 'create' }),
    showError: (error) => ({
      status: error.status,
      body: JSON.stringify(envelopeAt(ctx.path, error)),
      revision: null,
      errorCode: error.errorCode,
    }),
  }
  const named = readIdempotentRequest(ctx, endpoint, work)
  const { answer, replayed } =
    named === null
      ? { answer: await work.show(await work.create(null)), replayed: false }
      : await creations.run({ ...named, ...work, plan })
  if (replayed) ctx.set('Idempotency-Replayed', 'true')
  if (answer.errorCode !== undefined) ctx.set(ERROR_CODE, answer.errorCode)
  ctx.status = answer.status
  sendTagged(ctx, answer)
}

export async function update(
  { ctx, plan, query, locales, publishes = false }: ContentRequest,
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
  const origin = readOriginOf(ctx)
  const target = { plan, documentId, key, writer, origin, condition, publishes }
  const version = await updateDocument(documents, target, data)
  const written = { plan, verb: 'update', status: key.status, shown } as const
  const found = await showWrittenVersion(documents, writer, version, written)
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
    writer: writerOf(ctx, { locale: locales.defaultCode }),
    origin: readOriginOf(ctx),
    condition: readCondition(ctx),
  })
  ctx.status = 204
}

export function act({ run, answered, verb, planned: action }: VersionAction): ContentHandler {
  return async ({ ctx, plan, query, locales: rules }, dependencies) => {
    const { documents } = dependencies
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
      const { rules: own, locale } = writerOf(ctx, shown.reader)
      const addressed = { plan, documentId, verb, locale, locales: namedLocales(locales) }
      await assertWritable(documents, own, addressed)
      const on = { action, plan, documentId, locales }
      ctx.status = 202
      const planned = { at, origin: readOriginOf(ctx) }
      ctx.body = { data: showSchedule(await addSchedule(dependencies.planning, on, planned)) }
      return
    }
    const writer = writerOf(ctx, shown.reader)
    const target = { plan, documentId, locales, writer, origin: readOriginOf(ctx), condition }
    const versions = await run(documents, target)
    const [version] = versions
    const written = {
      plan,
      verb,
      status: answered,
      shown,
    } as const
    if (locales.kind === 'one' && version !== undefined) {
      await sendEntry(ctx, await showWrittenVersion(documents, writer, version, written))
    } else {
      ctx.body = entriesEnvelope(await showWrittenVersions(documents, writer, versions, written))
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
