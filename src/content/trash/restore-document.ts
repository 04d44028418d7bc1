import { ConflictError, type Fault, NotFoundError } from '../../base/errors.ts'
import { ValidationError } from '../../base/errors.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import { assertLater } from '../../mongo/connection/commit-record.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { findDeletionsOf, findInTrash, findTrashedVersions } from '../../mongo/trash/read-trash.ts'
import { takeFromTrash } from '../../mongo/trash/take-from-trash.ts'
import type { DeletionRow, TrashedVersion } from '../../mongo/trash/trash-rows.ts'
import { isDocumentId } from '../../mongo/versions/document-id.ts'
import { newRevision } from '../../mongo/versions/version-fields.ts'
import { asVersion, type StoredVersion } from '../../mongo/versions/stored-version.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { claimTarget, findRivals, type Taken } from '../../mongo/write/relation-writes.ts'
import { findTaken } from '../../mongo/write/unique-values.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import { versionAuthor } from '../../mongo/write/version-authors.ts'
import { insertVersions } from '../../mongo/write/write-versions.ts'
import type { Status } from '../../query/query.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { type LostReference, withoutLost } from '../payload/existing-references.ts'
import { relationListOf } from '../../mongo/versions/stored-value.ts'
import { pickShared } from '../payload/shared-values.ts'
import { exclusiveRelations, unsetValues } from '../payload/write-values.ts'
import { inLocale } from '../write/version-steps.ts'
import type { Writer } from '../write-target.ts'
import { type RuledWrite, underRules, type WritePermit } from '../write-rules.ts'
import { shownInDraft } from '../rules/shown-faults.ts'
import { holdsSet, RuleRefused } from '../rules/write-guard.ts'
import { contentOf } from '../../mongo/versions/stored-content.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { contentAction } from '../../people/access/actions.ts'

export interface RestoreTarget {
  readonly plan: ContentTypePlan
  readonly documentId: string
  /** Null selects the latest deletion of each locale. */
  readonly deletion: string | null
  readonly locales: readonly string[] | null
  /** The version that becomes the draft if both were deleted, or `both` to restore each locale as it was. */
  readonly from: Status | 'both'
  readonly assertMay: (locales: readonly string[]) => void
  readonly assertMayPublish: (locales: readonly string[]) => void
  readonly writer: Pick<Writer, 'rules' | 'locale'>
  readonly origin: WriteOrigin
}

interface PermittedRestore extends RestoreTarget {
  readonly permit: WritePermit
}

export interface Restored {
  readonly versions: readonly StoredVersion[]
  /** References to deleted documents, and one-to-one targets that another document holds now. */
  readonly lost: readonly (LostReference & { readonly locale: string })[]
  /** Unique values of drafts that another document holds now, of attributes that the caller sees. They prevent publishing. */
  readonly taken: readonly (Fault & { readonly locale: string })[]
}

/**
 * Atomic for all locales. Under rules, a restore is a creation with the values of the deleted versions.
 * @throws NotFoundError; ConflictError if a locale exists again; ValidationError; ForbiddenError
 */
export async function restoreDocument(
  context: DocumentContext,
  target: RestoreTarget,
): Promise<Restored> {
  const { plan, documentId, writer, from } = target
  if (!isDocumentId(documentId)) throw notInTrash()
  const write: RuledWrite = {
    plan,
    documentId,
    verb: verbOf(plan),
    locale: writer.locale,
    isRestored: true,
    publishes: plan.draftAndPublish && from === 'both' ? 'published' : undefined,
  }
  return underRules(context, writer.rules, write, (permit) =>
    restorePermitted(context, { ...target, permit }),
  )
}

/** A single type has no `create`. */
function verbOf({ kind }: ContentTypePlan): 'create' | 'update' {
  return kind === 'singleType' ? 'update' : 'create'
}

function restorePermitted(context: DocumentContext, target: PermittedRestore): Promise<Restored> {
  const { database } = context
  const { plan, documentId, origin, permit } = target
  const write = async (session: Session): Promise<Restored> => {
    const chosen = await chooseDeletions(context, target, session)
    target.assertMay([...chosen.keys()])
    for (const { commit } of chosen.values()) assertLater(session, commit)
    await lockDocument(database, plan, documentId, session)
    const stored = await getAllVersions(database, plan, documentId, session)
    const again = stored.find(({ locale }) => chosen.has(locale))
    if (again !== undefined) throw thereAgain(plan, again.locale)
    const trashed = await takeOut(context, plan, chosen, session)
    return bringBack(context, target, { trashed, stored }, session)
  }
  const guarded = (session: Session): Promise<Restored> =>
    runGuarded(database, permit.guard, session, () => write(session))
  return writeDocument(database, { plan, documentId, origin, changes: null, write: guarded })
}

async function chooseDeletions(
  { database }: DocumentContext,
  { plan, documentId, deletion, locales }: RestoreTarget,
  session: Session,
): Promise<ReadonlyMap<string, DeletionRow>> {
  const rows = await findDeletionsOf(database, { type: plan.uid, documentId, deletion }, session)
  const newest = new Map<string, DeletionRow>()
  for (const row of rows) {
    const fitting = row.locales.filter((locale) => (locale === NO_LOCALE) !== plan.localized)
    for (const locale of fitting) if (!newest.has(locale)) newest.set(locale, row)
  }
  const asked = locales ?? [...newest.keys()]
  const chosen = new Map([...newest].filter(([locale]) => asked.includes(locale)))
  if (chosen.size === 0 || chosen.size < asked.length) throw notInTrash()
  return chosen
}

async function takeOut(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  chosen: ReadonlyMap<string, DeletionRow>,
  session: Session,
): Promise<readonly TrashedVersion[]> {
  const trashed: TrashedVersion[] = []
  for (const row of new Set(chosen.values())) {
    const own = [...chosen].filter(([, each]) => each === row).map(([locale]) => locale)
    trashed.push(...(await findTrashedVersions(database, row._id, own, session)))
    const isTaken = await takeFromTrash(database, plan, { row, locales: own }, session)
    if (!isTaken) throw notInTrash()
  }
  return trashed
}

interface Trashed {
  readonly trashed: readonly TrashedVersion[]
  readonly stored: readonly StoredVersion[]
}

interface Source {
  readonly version: StoredVersion
  readonly status: Status
}

async function bringBack(
  context: DocumentContext,
  { plan, from, assertMayPublish, permit, writer }: PermittedRestore,
  { trashed, stored }: Trashed,
  session: Session,
): Promise<Restored> {
  const { database } = context
  const sources = chooseSources(plan, trashed, from)
  if (sources.length === 0) throw notInTrash() // a sweep is deleting it
  const published = sources.filter(({ status }) => plan.draftAndPublish && status === 'published')
  assertMayPublish(published.map(({ version }) => version.locale))
  const versions: StoredVersion[] = []
  const lost: Restored['lost'][number][] = []
  for (const source of sources) {
    const made = await makeVersion(
      context,
      plan,
      shareValues(plan, source, { sources, stored }),
      session,
    )
    if (published.includes(source)) assertPublishable(plan, made.version)
    if (!holdsSet(contentOf(plan, made.version), permit.set)) {
      throw new RuleRefused(contentAction(plan, verbOf(plan)))
    }
    versions.push(made.version)
    lost.push(...made.lost.map((one) => ({ ...one, locale: source.version.locale })))
  }
  await insertVersions(database, plan, versions, session)
  const isShown = shownInDraft(writer.rules, plan)
  const taken: Restored['taken'][number][] = []
  for (const version of plan.draftAndPublish ? versions : []) {
    if (version.status === 'published') continue
    const faults = await findTaken(database, plan, version, version, session)
    const shown = faults.filter(({ path: [name = ''] }) => isShown(name))
    taken.push(...shown.map((one) => ({ ...one, locale: version.locale })))
  }
  return { versions, lost, taken }
}

function chooseSources(
  plan: ContentTypePlan,
  trashed: readonly TrashedVersion[],
  from: RestoreTarget['from'],
): readonly Source[] {
  if (from === 'both' && plan.draftAndPublish) {
    return trashed.map(({ version, status }) => ({ version: asVersion(plan, version), status }))
  }
  const byLocale = new Map<string, TrashedVersion>()
  for (const one of trashed) {
    if (one.status === from || !byLocale.has(one.locale)) byLocale.set(one.locale, one)
  }
  const status = plan.draftAndPublish ? 'draft' : 'published'
  return [...byLocale.values()].map(({ version }) => ({
    version: asVersion(plan, version),
    status,
  }))
}

/** Copies shared values from a locale that was not deleted, or else from the first restored locale. */
function shareValues(
  plan: ContentTypePlan,
  { version, status }: Source,
  {
    sources,
    stored,
  }: { readonly sources: readonly Source[]; readonly stored: readonly StoredVersion[] },
): Source {
  const ofStatus = stored.find((one) => one.status === status)
  const sibling = status === 'draft' ? (ofStatus ?? stored[0]) : ofStatus
  const first = sources.find((one) => one.status === status)?.version
  return { version: { ...version, ...pickShared(plan, sibling ?? first ?? version) }, status }
}

function assertPublishable(plan: ContentTypePlan, version: StoredVersion): void {
  try {
    plan.validators.publishable(version)
  } catch (error) {
    if (!(error instanceof ValidationError) || !plan.localized) throw error
    throw inLocale(error, version.locale)
  }
}

async function makeVersion(
  context: DocumentContext,
  plan: ContentTypePlan,
  { version: source, status }: Source,
  session: Session,
): Promise<{ readonly version: StoredVersion; readonly lost: readonly LostReference[] }> {
  const { database, ids, now } = context
  const { _commit: _deleted, ...held } = source
  const isSame = status === source.status
  const [id = 0] = isSame ? [source.id] : await ids.take(plan.collectionName, 1)
  const at = now()
  const { data, lost } = await withoutLost(context, plan, held, {
    session,
    // Targets in the trash can be restored later, so the references stay.
    alsoThere: (uid, documentIds) => findInTrash(database, uid, documentIds, session),
  })
  const publishedAt = plan.draftAndPublish && isSame ? source.publishedAt : at
  const version: StoredVersion = {
    ...unsetValues(plan),
    ...(data as StoredVersion),
    id,
    status,
    createdBy: source.createdBy ?? null,
    updatedAt: at,
    updatedBy: versionAuthor(session),
    publishedAt: status === 'published' ? publishedAt : null,
    _revision: newRevision(),
  }
  const taken = await takenByOthers(context, plan, version, session)
  const dropped = Object.fromEntries(taken.map(({ relation }) => [relation.name, null]))
  return {
    version: { ...version, ...dropped },
    lost: [
      ...lost,
      ...taken.map(({ relation: { name, targetUid }, target }) => ({
        path: [name],
        documentId: target,
        targetUid,
      })),
    ],
  }
}

async function takenByOthers(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  version: StoredVersion,
  session: Session,
): Promise<readonly Taken[]> {
  const held = exclusiveRelations(plan).flatMap((relation) =>
    relationListOf(version[relation.name]).map((target): Taken => ({ relation, target })),
  )
  for (const { relation, target } of held) {
    if (relation.otherSide === null) continue
    const claimed = { plan: relation.target(), attribute: relation.otherSide, target }
    await claimTarget(database, version, claimed, session)
  }
  const rivals = await findRivals(database, plan, version, held, session)
  return held.filter(({ relation, target }) =>
    rivals.some((rival) => relationListOf(rival[relation.name]).includes(target)),
  )
}

function notInTrash(): NotFoundError {
  return new NotFoundError('This is not in the trash')
}

function thereAgain({ localized }: ContentTypePlan, locale: string): ConflictError {
  const message = localized
    ? `The document has the locale ${locale} already`
    : 'The entry exists already'
  return new ConflictError(message, localized ? { locale } : {}, { code: 'already_there' })
}
