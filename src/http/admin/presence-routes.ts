import Joi from 'joi'
import { ForbiddenError, NotFoundError } from '../../base/errors.ts'
import { listLocales } from '../../content/read/list-locales.ts'
import { factsOfLines, isStoredDocument } from '../../content/read/visible-facts.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../content/rules/visible-documents.ts'
import { singleDocumentId } from '../../content/write/single-document-id.ts'
import type { IsShown } from '../../content/write-rules.ts'
import { contentAction } from '../../people/access/actions.ts'
import { inputError, readInput } from '../../people/access/input.ts'
import type { Present } from '../../people/administrators/presence.ts'
import type { WorkedOn } from '../../people/administrators/recent-work.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { currentPathOf } from '../../schema/stored-path.ts'
import { payloadOf, readQuery } from '../body/read-request.ts'
import type { EditorContentDependencies } from '../content/editor-content.ts'
import { adminRouter } from '../router/admin-router.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import type { Context } from '../router/state.ts'
import { prepareEvents } from '../sync/response-sink.ts'
import { meOf } from './me-routes.ts'
import { isShownComment, mayComment } from './request/commented-entry.ts'
import { isFieldPath } from './request/field-path.ts'
import type { PresenceStreams } from '../sync/presence-streams.ts'

export interface PresenceDependencies extends EditorContentDependencies {
  readonly streams: PresenceStreams
}

interface OpenedEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale?: string | null
}

interface FollowedEntry extends OpenedEntry {
  readonly updatedAt?: Date
}

interface PresenceInput extends OpenedEntry {
  readonly field?: string | null
  readonly tab?: string
}

/** Adopted entries have ids of another service. */
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/

const ENTRY = {
  uid: Joi.string().max(255).required(),
  documentId: Joi.string().max(1_024).required(),
  locale: Joi.string().max(35).allow(null),
}
const FOLLOWED = Joi.object<FollowedEntry>({
  ...ENTRY,
  updatedAt: Joi.date().iso().prefs({ convert: true }), // query parameters are text
})
const PRESENCE = Joi.object<PresenceInput>({
  ...ENTRY,
  field: Joi.string().max(255).allow(null),
  tab: Joi.string().hex().length(32).lowercase(),
})

export function presenceRoutes(dependencies: PresenceDependencies): GuardedRouter {
  const admin = adminRouter('/admin/presence', dependencies)
  admin.put('/', null, (ctx) => notePresence(ctx, dependencies))
  admin.get('/', null, (ctx) => followPresence(ctx, dependencies))
  return admin.router
}

async function notePresence(ctx: Context, dependencies: PresenceDependencies): Promise<void> {
  const { field = null, tab = '', ...input } = readInput(PRESENCE, payloadOf(ctx))
  const { id, name } = meOf(ctx)
  const { plan, entry } = await findOpened(dependencies, input)
  const isShown = await shownFields(ctx, dependencies, plan, entry)
  if (field !== null && !(isFieldPath(plan, field) && isShown(attributeOf(field)))) {
    const message = 'field must be the path of a field of the entry'
    throw inputError('field', message, field, { code: 'any.unknown' })
  }
  const others = await dependencies.administrators.presence.note({ id, name, tab }, entry, field)
  ctx.body = { data: others.map(toShown(isShown)) }
}

async function followPresence(ctx: Context, dependencies: PresenceDependencies): Promise<void> {
  const { updatedAt, ...input } = readInput(FOLLOWED, readQuery(ctx.querystring))
  const { id, name } = meOf(ctx)
  const { plan, entry } = await findOpened(dependencies, input)
  await shownFields(ctx, dependencies, plan, entry)
  prepareEvents(ctx)
  if (ctx.method === 'HEAD') return
  await dependencies.streams.open(ctx, { id, name }, entry, {
    authorize: async () => {
      await ctx.state.authorizeAgain?.()
      const isShown = await shownFields(ctx, dependencies, plan, entry)
      return {
        show: toShown(isShown),
        showsComments: (attribute) => isShown(attributeOf(currentPathOf(plan, attribute))),
      }
    },
    isOutdated: async () => {
      if (updatedAt === undefined) return false
      const locales = await listLocales(dependencies.documents.database, plan, entry.documentId)
      const stored = locales.find(({ locale }) => locale === entry.locale)
      return stored?.updatedAt.getTime() !== updatedAt.getTime()
    },
  })
}

/** @throws ValidationError, NotFoundError */
async function findOpened(
  { schema, locales }: Pick<PresenceDependencies, 'schema' | 'locales'>,
  { uid, documentId, locale }: OpenedEntry,
): Promise<{ readonly plan: ContentTypePlan; readonly entry: WorkedOn }> {
  const plan = uid.startsWith('api::') ? schema.contentTypes.get(uid) : undefined
  if (plan === undefined) throw new NotFoundError('Not Found')
  if (plan.adopted === undefined && !DOCUMENT_ID.test(documentId)) {
    const message = 'documentId must be the id of an entry'
    throw inputError('documentId', message, documentId, { code: 'any.invalid' })
  }
  const known = await locales.current()
  const code = plan.localized ? (locale ?? known.defaultCode) : NO_LOCALE
  if (plan.localized && !known.has(code)) throw new NotFoundError('Not Found')
  return { plan, entry: { uid, documentId, locale: code } }
}

/** @throws ForbiddenError without the right to read the draft, and NotFoundError if it is deleted or rules hide it */
async function shownFields(
  { state: { principal } }: Context,
  { documents, locales }: Pick<PresenceDependencies, 'documents' | 'locales'>,
  plan: ContentTypePlan,
  entry: WorkedOn,
): Promise<IsShown> {
  if (!mayComment(principal, plan, entry.locale)) {
    const action = contentAction(plan, plan.draftAndPublish ? 'readDrafts' : 'find')
    throw new ForbiddenError('Forbidden', {}, { action })
  }
  const rules = writeRulesOf(principal)
  // In any locale, because editors begin the text of further locales.
  if (!(await isStoredDocument(documents, plan, entry.documentId))) {
    const isNew = plan.kind === 'singleType' && entry.documentId === singleDocumentId(plan.uid)
    if (!isNew) throw new NotFoundError('Not Found')
  } else if (hasReadRules(rules, plan)) {
    const { defaultCode: locale } = await locales.current()
    const facts = await factsOfLines(documents, rules, { plan, locale, needsDraft: true }, [entry])
    if (facts.size === 0) throw new NotFoundError('Not Found')
  }
  const isShown = isShownComment(principal, plan)
  return (attribute) => isShown({ attribute })
}

function attributeOf(field: string): string {
  return field.split('.')[0] ?? ''
}

/** Rules that hide an attribute hide the people in it. */
function toShown(isShown: IsShown) {
  return ({ field, ...person }: Present): Present => ({
    ...person,
    field: field !== null && isShown(attributeOf(field)) ? field : null,
  })
}
