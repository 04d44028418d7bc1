import { validationError } from '../../errors.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import { newRevision } from '../../mongo/versions/revision.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { findTaken } from '../../mongo/write/unique-values.ts'
import { insertVersions, patchVersion } from '../../mongo/write/write-versions.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { toPayload } from '../payload/shared-values.ts'
import { type OtherSides, writeOtherSides } from './write-inverse.ts'
import type { WriteTarget } from '../write-target.ts'
import {
  completeValues,
  exclusiveChanges,
  inverseChanges,
  type PreparedValues,
  prepareValues,
  unsetValues,
} from '../payload/write-values.ts'

/**
 * Stores a new document and answers the version asked for. What is published in a type with draft &
 * publish has a draft of the same values beside it.
 * @throws ValidationError for data that the content-type does not allow; then nothing is stored.
 */
export function createDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
  alongside: Alongside | null = null,
): Promise<StoredVersion> {
  return retryCollisions(() => createOnce(context, target, data, alongside))
}

/** What is written in the same transaction as a new document, whose version it is given. */
export type Alongside = (version: StoredVersion, session: Session) => Promise<void>

/** `createDocument`, without trying again when another request creates the same version meanwhile. */
export async function createOnce(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
  alongside: Alongside | null = null,
): Promise<StoredVersion> {
  const { plan, key } = target
  const prepared = await prepareNew(context, target, data)
  const isAlone =
    alongside === null &&
    !hasTwoVersions(plan, key) &&
    inverseChanges(plan, prepared.changes).length === 0 &&
    exclusiveChanges(plan, prepared.changes).length === 0
  return isAlone
    ? createVersions(context, target, prepared, undefined)
    : context.database.transact(async (session) => {
        const created = await createVersions(context, target, prepared, session)
        await alongside?.(created, session)
        return created
      })
}

/** The values of a new document, checked, with defaults. */
function prepareNew(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<PreparedValues> {
  return prepareValues(context, target, parseNew(target, data), { creating: true })
}

/**
 * The values of a new version of a document, checked, with defaults. It is checked together with what it
 * begins with; that is stored already and stays as it is, its components with their ids.
 */
export function prepareNext(
  context: DocumentContext,
  target: WriteTarget,
  data: Data,
  begun: Data,
): Promise<PreparedValues> {
  const values = parseNew(target, { ...toPayload(target.plan, begun), ...data })
  const held = Object.keys(begun).filter((name) => data[name] === undefined)
  for (const name of held) delete values[name]
  return prepareValues(context, target, values, { creating: true })
}

function parseNew({ plan: { validators, draftAndPublish } }: WriteTarget, data: unknown): Data {
  return draftAndPublish
    ? validators.draft(data, { creating: true })
    : validators.direct(data, { creating: true })
}

/**
 * Puts the versions that `target` names, and carries their relations to the other ends. `begun` is stored
 * by another version already: they have it, too, where nothing else is given.
 */
export async function createVersions(
  context: DocumentContext,
  target: WriteTarget,
  prepared: PreparedValues,
  session: Session | undefined,
  begun: Data = {},
): Promise<StoredVersion> {
  const { plan, documentId, key } = target
  const values = completeValues(plan, prepared, null, begun)
  const all = { ...unsetValues(plan), ...begun, ...values }
  if (key.status === 'published') {
    if (plan.draftAndPublish) plan.validators.publishable(all)
    await assertFree(context, target, all, session)
  }
  const statuses: readonly [Status, ...Status[]] = hasTwoVersions(plan, key)
    ? ['published', 'draft']
    : [key.status]
  const ids = await context.ids.take(plan.collectionName, statuses.length)
  const now = context.now()
  const _revision = newRevision()
  const toVersion = (status: Status, index: number): StoredVersion => ({
    ...all,
    id: ids[index] ?? 0,
    documentId,
    locale: key.locale,
    status,
    createdAt: now,
    updatedAt: now,
    publishedAt: status === 'published' ? now : null,
    _revision,
  })
  const asked = toVersion(statuses[0], 0)
  const others = statuses.slice(1).map((status, index) => toVersion(status, index + 1))
  await insertVersions(context.database, plan, [asked, ...others], session)
  if (session === undefined) return asked
  const sides = { changes: prepared.changes, isCopy: false }
  const [shown = asked] = await relate(context, target, [asked, ...others], sides, session)
  return shown
}

/**
 * Carries relations of written versions to their other ends; answers the versions with what that gave them.
 * Those after the first have its orders, as has the first where it `isCopy` of one written before.
 */
export async function relate(
  context: DocumentContext,
  target: WriteTarget,
  versions: readonly StoredVersion[],
  { changes, isCopy }: OtherSides,
  session: Session,
): Promise<readonly StoredVersion[]> {
  const related: StoredVersion[] = []
  let orders: Data = {}
  for (const [index, version] of versions.entries()) {
    const shown = { ...version, ...orders }
    const sides = { changes, isCopy: isCopy || index > 0 }
    orders = await writeOtherSides(context, target, shown, sides, session)
    if (Object.keys(orders).length === 0) {
      related.push(version)
      continue
    }
    const { documentId, locale, status } = version
    const written = { documentId, key: { locale, status } }
    // Read anew: through a relation with itself the version may have changed.
    const patched = await patchVersion(context.database, target.plan, written, orders, session)
    related.push(patched ?? shown)
  }
  return related
}

/**
 * @throws ValidationError naming every unique attribute whose value another document has published in
 * this locale.
 */
export async function assertFree(
  { database }: DocumentContext,
  { plan, documentId, key }: Pick<WriteTarget, 'plan' | 'documentId' | 'key'>,
  values: Data,
  session: Session | undefined,
): Promise<void> {
  const document = { documentId, locale: key.locale }
  const [fault, ...others] = await findTaken(database, plan, document, values, session)
  if (fault !== undefined) throw validationError([fault, ...others])
}

function hasTwoVersions(plan: ContentTypePlan, key: VersionKey): boolean {
  return plan.draftAndPublish && key.status === 'published'
}
