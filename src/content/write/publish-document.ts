import { ApplicationError, NotFoundError, ValidationError } from '../../base/errors.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { contentOf, haveSameContent } from '../../mongo/versions/stored-content.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { takeDocuments } from '../../mongo/sharing/write-turns.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import { versionAuthor } from '../../mongo/write/version-authors.ts'
import { setInOtherLocales } from '../../mongo/write/write-versions.ts'
import { deletePublished } from '../../mongo/write/delete-versions.ts'
import type { ActionLocales } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import type { DocumentChange } from '../payload/relation-change.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import { type HookedWrite, hooksOf, type WriteHooks } from '../hooks/document-hooks.ts'
import {
  assertSeen,
  retryChanged,
  type SeenVersions,
  seenVersions,
} from '../hooks/seen-versions.ts'
import { assertReviewed, endReview, refuseUnreviewed } from '../review/stage-of.ts'
import { pickShared } from '../payload/shared-values.ts'
import {
  beginDraft,
  inLocale,
  patchWritten,
  publishDraft,
  putCopy,
  writeRelations,
} from './version-steps.ts'
import { assertCondition } from './write-condition.ts'
import { namedLocales, refuseHidden, seenLocales, underRules, UNRULED } from '../write-rules.ts'
import type { AfterWrite, WriteTarget } from '../write-target.ts'
import { exclusiveRelations } from '../payload/write-values.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'

export interface ActionTarget extends Omit<WriteTarget, 'key' | 'seen'> {
  readonly locales: ActionLocales
  readonly seen?: SeenVersions
}

export interface ActionRequest extends ActionTarget {
  readonly origin: WriteOrigin
  readonly after?: AfterWrite
}

interface Pair {
  readonly locale: string
  readonly draft: StoredVersion | null
  readonly published: StoredVersion | null
  /** The revision before the lock of a condition. */
  readonly revision: string
}

type InLocale = (pair: Pair) => Promise<StoredVersion>

interface LocaleAction {
  readonly run: InLocale
  readonly choose?: (pairs: readonly Pair[]) => readonly Pair[]
}

type Action = (context: DocumentContext, target: ActionRequest) => Promise<readonly StoredVersion[]>

/** Atomic. Unchanged versions keep `publishedAt`. @throws NotFoundError, ValidationError, PreconditionFailedError */
export const publishDocument: Action = (context, target) =>
  withHooks(context, 'publish', target, publishInside)

export function publishInside(
  context: DocumentContext,
  target: ActionTarget,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const publish: InLocale = async ({ locale, draft, published, revision }) => {
    const isPublished =
      draft !== null && published !== null && haveSameContent(target.plan, draft, published)
    if (isPublished) return published
    const { plan, documentId, writer } = target
    const { database } = context
    const line = { plan, documentId, locale }
    const isReady = await assertReviewed(database, line, revision, session)
    const read = draft ?? (await beginDraft(context, plan, orThrow(published), session))
    const key = { locale, status: 'published' as const }
    const written = { plan, documentId, key, writer }
    const seen = plan.review?.publishesLastOnly === true ? { seen: read } : {}
    const stamped = await patchWritten(context, { ...written, ...seen }, {}, session)
    if (stamped === null) refuseUnreviewed(plan) // another write changed the reviewed draft
    const version = orThrow(stamped)
    const changes = new Map()
    const shown = await publishDraft(context, written, { draft: version, changes }, session)
    await endReview(database, line, isReady ? revisionOf(version) : null, session)
    return shown
  }
  return inEachLocale(context, target, { run: publish }, session)
}

/** Returns the drafts. Unpublished locales are ignored. @throws NotFoundError as in `publishDocument` */
export const unpublishDocument: Action = (context, target) =>
  withHooks(context, 'unpublish', target, unpublishInside)

export function unpublishInside(
  context: DocumentContext,
  target: ActionTarget,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const { plan, documentId } = target
  const unpublish: InLocale = async ({ locale, draft, published }) => {
    if (published === null) return orThrow(draft)
    const kept = draft ?? (await beginDraft(context, plan, published, session))
    await deletePublished(context.database, plan, documentId, locale, session)
    return kept
  }
  return inEachLocale(context, target, { run: unpublish }, session)
}

/** @throws NotFoundError as in `publishDocument`; ApplicationError if no version is published */
export const discardDraft: Action = (context, target) =>
  permitted(context, 'update', target, (asked) =>
    alone(context, asked, (session) => discardInside(context, asked, session)),
  )

function discardInside(
  context: DocumentContext,
  target: ActionTarget,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const { plan, locales } = target
  const discard: InLocale = async ({ locale, draft, published }) => {
    if (published === null) {
      const where = locale === NO_LOCALE ? '' : ` in locale ${locale}`
      throw new ApplicationError(
        `There is no published version${where} to revert to`,
        {},
        { code: 'not_published' },
      )
    }
    if (draft !== null && haveSameContent(plan, draft, published)) return draft
    return revertTo(context, target, published, session)
  }
  const choose = (pairs: readonly Pair[]): readonly Pair[] => {
    const published = pairs.filter((pair) => pair.published !== null)
    return locales.kind === 'every' && published.length > 0 ? published : pairs
  }
  return inEachLocale(context, target, { run: discard, choose }, session)
}

function permitted<T>(
  context: DocumentContext,
  verb: 'publish' | 'update',
  target: ActionRequest,
  act: (target: ActionRequest) => Promise<T>,
): Promise<T> {
  const { plan, documentId, writer, locales } = target
  const write = { plan, documentId, verb, locale: writer.locale, locales: namedLocales(locales) }
  return underRules(context, writer.rules, write, async (permit) => {
    await refuseHidden(context, writer.rules, write)
    const seen = await seenLocales(context, writer.rules, write, locales)
    return act({ ...target, permit, locales: seen })
  })
}

function withHooks(
  context: DocumentContext,
  operation: 'publish' | 'unpublish',
  target: ActionRequest,
  act: typeof publishInside,
): Promise<readonly StoredVersion[]> {
  const write = (asked: ActionRequest): Promise<readonly StoredVersion[]> =>
    alone(context, asked, (session) => act(context, asked, session))
  return permitted(context, 'publish', target, (asked) => {
    if (hooksOf(context, asked.plan) === null) return write(asked)
    return retryChanged(async () => {
      const seen = await hookAction(context, operation, asked)
      return write({ ...asked, ...(seen !== null && { seen }) })
    })
  })
}

/** Returns null if the hooks have seen no version. */
export async function hookAction(
  context: DocumentContext,
  operation: 'publish' | 'unpublish',
  {
    plan,
    documentId,
    locales: asked,
    origin,
  }: Pick<ActionRequest, 'plan' | 'documentId' | 'locales' | 'origin'>,
): Promise<SeenVersions | null> {
  const hooks = hooksOf(context, plan)
  if (hooks === null || !isDocumentId(documentId)) return null
  const [first = NO_LOCALE] = asked.locales
  const key = { locale: first, status: 'published' as const }
  const write = { plan, documentId, key, operation, origin, previous: undefined }
  return hooks.readIfAsked(async (isRead) => {
    if (isRead || plan.localized) return hookPairs(context, hooks, { ...write, asked })
    await hooks.assertAccepted(write)
    return null
  })
}

async function hookPairs(
  context: DocumentContext,
  hooks: WriteHooks,
  { asked, ...action }: HookedWrite & { readonly asked: ActionLocales },
): Promise<SeenVersions> {
  const { plan, documentId, operation } = action
  const versions = await getAllVersions(context.database, plan, documentId)
  for (const pair of pairsOf(versions, asked)) {
    const { locale, draft, published } = pair
    const previous = operation === 'publish' ? (draft ?? published) : published
    if (previous === null) continue
    const write = { ...action, key: { ...action.key, locale }, previous }
    await namingLocale(asked, pair, () => hooks.assertAccepted(write))
  }
  return seenVersions(versions, asked.locales)
}

function alone(
  { database }: DocumentContext,
  { plan, documentId, origin, permit = UNRULED, after }: ActionRequest,
  act: (session: Session) => Promise<readonly StoredVersion[]>,
): Promise<readonly StoredVersion[]> {
  const write = (session: Session) =>
    runGuarded(database, permit.guard, session, async () => {
      const versions = await act(session)
      await after?.(versions[0] ?? null, session)
      return versions
    })
  return writeDocument(database, { plan, documentId, origin, changes: null, write })
}

async function inEachLocale(
  context: DocumentContext,
  { plan, documentId, locales, condition, seen }: ActionTarget,
  { run, choose = (pairs) => pairs }: LocaleAction,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const { database } = context
  if (!isDocumentId(documentId)) throw new NotFoundError('Not Found')
  takeDocuments(plan, [documentId], session)
  if (plan.localized || seen !== undefined) {
    await lockDocument(database, plan, documentId, session)
  }
  const versionsNow = () => getAllVersions(database, plan, documentId, session)
  const stored = await versionsNow()
  assertSeen(seen, stored, locales.locales)
  let pairs = choose(pairsOf(stored, locales))
  if (condition !== undefined) {
    const locked = new Map<string, string>()
    for (const { locale } of pairs) {
      const line = { plan, documentId, locale }
      const before = await assertCondition(context, line, condition, session)
      if (before !== null && condition.match !== null) locked.set(locale, revisionOf(before))
    }
    // The check changes the revision.
    pairs = choose(pairsOf(await versionsNow(), locales)).map((pair) => ({
      ...pair,
      revision: locked.get(pair.locale) ?? pair.revision,
    }))
  }
  const answers: StoredVersion[] = []
  for (const pair of pairs) {
    answers.push(await namingLocale(locales, pair, () => run(pair)))
  }
  return answers
}

/** @throws NotFoundError if a named locale is missing, or if the document has no version */
function pairsOf(versions: readonly StoredVersion[], asked: ActionLocales): readonly Pair[] {
  const pairs = asked.locales.map((locale): Pair => {
    const inLocale = versions.filter((version) => version.locale === locale)
    const draft = inLocale.find(({ status }) => status === 'draft') ?? null
    const published = inLocale.find(({ status }) => status === 'published') ?? null
    const written = draft ?? published
    return { locale, draft, published, revision: written === null ? '' : revisionOf(written) }
  })
  const there = pairs.filter(({ draft, published }) => draft !== null || published !== null)
  if (there.length === 0 || (asked.kind !== 'every' && there.length < pairs.length)) {
    throw new NotFoundError('Not Found')
  }
  return there
}

async function namingLocale<T>(
  { kind }: ActionLocales,
  { locale }: Pair,
  runAction: () => Promise<T>,
): Promise<T> {
  try {
    return await runAction()
  } catch (error) {
    if (kind === 'one' || !(error instanceof ValidationError)) throw error
    throw inLocale(error, locale)
  }
}

/** The draft regains exclusive targets, and other locales get the shared values. */
async function revertTo(
  context: DocumentContext,
  { plan, documentId, writer }: ActionTarget,
  published: StoredVersion,
  session: Session,
): Promise<StoredVersion> {
  const { database, now } = context
  const content = contentOf(plan, published)
  const stamps = { updatedAt: now(), updatedBy: versionAuthor(session), publishedAt: null }
  const copy = { ...published, ...content, ...stamps, status: 'draft' } as const
  const draft = await putCopy(context, plan, copy, session)
  const key = { locale: published.locale, status: 'draft' as const }
  const sides = { changes: exclusiveTargets(plan, content), isCopy: false }
  const target = { plan, documentId, key, writer }
  const [related = draft] = await writeRelations(context, target, [draft], sides, session)
  await setInOtherLocales(database, plan, related, pickShared(plan, content), session)
  await endReview(database, { plan, documentId, locale: published.locale }, null, session)
  return related
}

function exclusiveTargets(
  plan: ContentTypePlan,
  content: Data,
): ReadonlyMap<string, DocumentChange> {
  return new Map(
    exclusiveRelations(plan).map(({ name }) => [
      name,
      { kind: 'set', targets: relationListOf(content[name]) },
    ]),
  )
}

function orThrow(version: StoredVersion | null): StoredVersion {
  if (version === null) throw new Error('the document has no version in this locale')
  return version
}
