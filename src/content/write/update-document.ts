import { NotFoundError } from '../../base/errors.ts'
import { getAllVersions, getOverwritten } from '../../mongo/read/get-versions.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { writeDocument, type WriteItem } from '../../mongo/write/write-path.ts'
import type { DocumentContext } from '../context.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { retryChanged } from '../hooks/seen-versions.ts'
import { restoreLinks } from '../payload/restore-links.ts'
import {
  type AddressedWrite,
  isHiddenDocument,
  underRules,
  UNRULED,
  withSet,
} from '../write-rules.ts'
import type { PreparedWrite, WriteRequest } from '../write-target.ts'
import { changedVersions, checkUpdate, updateVersions } from './update-versions.ts'
import { refuseOutdated } from './write-condition.ts'

/** A missing locale starts with the shared values. @throws NotFoundError, ValidationError, PreconditionFailedError */
export function updateDocument(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<StoredVersion> {
  const { writer } = target
  const write = { ...addressOf(target), data }
  return underRules(context, writer.rules, write, (permit) =>
    updatePermitted(context, { ...target, permit }, withSet(data, permit)),
  )
}

export function addressOf({
  plan,
  documentId,
  key,
  writer,
  publishes = false,
}: WriteRequest): AddressedWrite {
  const { locale } = writer
  const locales = [key.locale]
  const published = publishes ? ('all' as const) : undefined
  return { plan, documentId, verb: 'update', locale, locales, publishes: published }
}

/** The target has the permit of the write, and the data has its values. */
export function updatePermitted(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<StoredVersion> {
  const hooks = target.isTrusted === true ? null : hooksOf(context, target.plan)
  if (hooks === null || !isIdOf(target.plan, target.documentId))
    return update(context, target, data)
  const isRead = target.seen !== undefined
  const run = async (): Promise<StoredVersion> => {
    const { seen, hooked } = await hooks.readIfAsked(async (isAsked) => {
      const needsPrevious = !isRead && (isAsked || mayCreate(target))
      const previous = needsPrevious ? await findPrevious(context, target) : target.seen
      const operation = previous === null ? ('create' as const) : ('update' as const)
      const write = { ...target, operation, previous }
      const given = await restoreLinks(context, target, data)
      return { seen: previous, hooked: await hooks.hookData(write, given, { fill: false }) }
    })
    const seeing = { ...target, ...(seen !== undefined && { seen }) }
    return update(context, seeing, withSet(hooked, target.permit))
  }
  // Only the caller can read its version again.
  return isRead ? run() : retryChanged(run)
}

function mayCreate({ plan }: WriteRequest): boolean {
  return plan.localized || plan.kind === 'singleType'
}

/** @throws NotFoundError unless the update creates the version; PreconditionFailedError */
async function findPrevious(
  context: DocumentContext,
  target: WriteRequest,
): Promise<StoredVersion | null> {
  await refuseUnseen(context, target)
  const {
    plan,
    documentId,
    key: { locale },
    condition,
  } = target
  const line = { plan, documentId, locale }
  if (condition !== undefined) await refuseOutdated(context, line, condition)
  const previous = await getOverwritten(context.database, line)
  if (previous !== null || plan.kind === 'singleType') return previous
  const versions = plan.localized ? await getAllVersions(context.database, plan, documentId) : []
  if (versions.length === 0) throw new NotFoundError('Not Found')
  return null
}

/**
 * A version that a rule hides counts as missing. Callers that could not add the version get the same 403 in both cases.
 * @throws NotFoundError, ForbiddenError
 */
async function refuseUnseen(context: DocumentContext, target: WriteRequest): Promise<void> {
  const { plan, documentId, key, writer, permit = UNRULED } = target
  const { locales: _named, ...whole } = addressOf(target)
  const isHidden = await isHiddenDocument(context, writer.rules, addressOf(target))
  if (plan.localized && permit.guard !== null) {
    const line = { plan, documentId, locale: key.locale }
    const isUnseen = isHidden || (await getOverwritten(context.database, line)) === null
    const isDocumentSeen = isUnseen && !(await isHiddenDocument(context, writer.rules, whole))
    if (isDocumentSeen) await permit.guard.unseen(key.locale)
  }
  if (isHidden) throw new NotFoundError('Not Found')
}

async function update(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<StoredVersion> {
  const { item } = await checkedItem(context, target, data)
  return writeDocument(context.database, item)
}

/** The first part of `updateDocument` for types without hooks. @throws the same errors */
export function prepareUpdate(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<PreparedWrite> {
  const write = { ...addressOf(target), data }
  return underRules(context, target.writer.rules, write, (permit) =>
    checkedItem(context, { ...target, permit }, withSet(data, permit)),
  )
}

async function checkedItem(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<PreparedWrite> {
  const { plan, documentId, condition, key, origin, permit = UNRULED, after } = target
  const { database } = context
  const checked = await checkUpdate(context, target, data)
  await refuseUnseen(context, target)
  if (condition !== undefined) {
    await refuseOutdated(context, { plan, documentId, locale: key.locale }, condition)
  }
  const changes = changedVersions(target, checked)
  const item: WriteItem<StoredVersion> = {
    plan,
    documentId,
    origin,
    changes: permit.guard === null && after === undefined ? changes : null,
    write: (session) =>
      runGuarded(database, permit.guard, session, async () => {
        const written = await updateVersions(context, target, checked, session)
        await after?.(written, session)
        return written
      }),
  }
  return { item, isShareable: changes !== null }
}
