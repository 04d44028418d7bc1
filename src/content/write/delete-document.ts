import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { isIdOf } from '../../mongo/versions/document-id.ts'
import { lockDocument } from '../../mongo/write/lock-document.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import { takeDocuments } from '../../mongo/sharing/write-turns.ts'
import { type RowGuard, runGuarded } from '../../mongo/write/row-guard.ts'
import { writeDocument, type WriteItem } from '../../mongo/write/write-path.ts'
import { deleteVersions } from '../../mongo/write/delete-versions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { type HookedWrite, hooksOf, type WriteHooks } from '../hooks/document-hooks.ts'
import {
  assertSeen,
  retryChanged,
  type SeenVersions,
  seenVersions,
} from '../hooks/seen-versions.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import { isHiddenDocument, underRules } from '../write-rules.ts'
import type { AfterWrite, WriteCondition, Writer } from '../write-target.ts'
import { assertCondition, missingVersion } from './write-condition.ts'

export interface DeletionRequest {
  readonly plan: ContentTypePlan
  readonly documentId: string
  readonly locales: readonly string[] | 'all'
  readonly origin: WriteOrigin
  readonly writer?: Pick<Writer, 'rules' | 'locale'>
  readonly condition?: WriteCondition | undefined
  readonly after?: AfterWrite
}

export interface HookedDeletion extends Pick<
  DeletionRequest,
  'plan' | 'documentId' | 'locales' | 'origin'
> {
  readonly dryRun?: boolean
}

/** Runs in one transaction. Missing documents are ignored. @throws PreconditionFailedError, and refusals of hooks */
export async function deleteDocument(
  context: DocumentContext,
  request: DeletionRequest,
): Promise<void> {
  const { plan } = request
  const { database } = context
  await deletePermitted(context, request, async (own, guard) => {
    if (hooksOf(context, plan) === null) {
      return writeDocument(database, deletionItem(context, own, guard))
    }
    return retryChanged(async () => {
      const seen = (await hookDeletion(context, own)) ?? undefined
      return writeDocument(database, deletionItem(context, { ...own, seen }, guard))
    })
  })
}

/** The first part of `deleteDocument` for types without hooks. Null for a missing document. @throws the same errors */
export function prepareDeletion(
  context: DocumentContext,
  request: DeletionRequest,
): Promise<WriteItem<null> | null> {
  return deletePermitted(context, request, (own, guard) =>
    Promise.resolve(deletionItem(context, own, guard)),
  )
}

/** Returns null for a missing document. */
function deletePermitted<T>(
  context: DocumentContext,
  request: DeletionRequest,
  work: (own: DeletionRequest, guard: RowGuard | null) => Promise<T>,
): Promise<T | null> {
  const { plan, documentId, locales, writer } = request
  const rules = writer?.rules
  const within = locales === 'all' ? undefined : locales
  const locale = writer?.locale ?? NO_LOCALE
  const write = { plan, documentId, verb: 'delete', locale, locales: within } as const
  return underRules(context, rules, write, async ({ guard }) => {
    if (!isIdOf(plan, documentId) || (await isHiddenDocument(context, rules, write))) {
      refuseMissing(request)
      return null
    }
    const visible = locales === 'all' ? await rules?.visibleLocales(context, write) : null
    return work({ ...request, locales: visible ?? locales }, guard)
  })
}

/** A deletion ignores missing documents. @throws PreconditionFailedError */
function refuseMissing({ condition }: Pick<DeletionRequest, 'condition'>): void {
  if (condition !== undefined && condition.match !== null) throw missingVersion()
}

/** Returns undefined if the hooks have seen no version. */
export async function hookDeletion(
  context: DocumentContext,
  { plan, documentId, locales, origin, dryRun = false }: HookedDeletion,
): Promise<SeenVersions | undefined> {
  const hooks = hooksOf(context, plan)
  if (hooks === null || !isIdOf(plan, documentId)) return undefined
  const key = { locale: NO_LOCALE, status: 'published' as const }
  const operation = 'delete' as const
  const write = { plan, documentId, key, operation, origin, dryRun, previous: undefined }
  return hooks.readIfAsked(async (isRead) => {
    if (isRead || plan.localized || plan.draftAndPublish) {
      return hookLocales(context, hooks, { ...write, locales })
    }
    await hooks.assertAccepted(write)
    return undefined
  })
}

async function hookLocales(
  context: DocumentContext,
  hooks: WriteHooks,
  { locales, ...deletion }: HookedWrite & Pick<DeletionRequest, 'locales'>,
): Promise<SeenVersions> {
  const { plan, documentId } = deletion
  const versions = await getAllVersions(context.database, plan, documentId)
  const removed = storedLocales(versions, locales)
  for (const locale of removed) {
    const inLocale = versions.filter((version) => version.locale === locale)
    const previous = inLocale.find(({ status }) => status === 'draft') ?? inLocale[0] ?? null
    const status = previous?.status ?? 'published'
    await hooks.assertAccepted({ ...deletion, key: { locale, status }, previous })
  }
  return seenVersions(versions, removed)
}

function deletionItem(
  context: DocumentContext,
  request: DeletionRequest & { readonly seen?: SeenVersions | undefined },
  guard: RowGuard | null,
): WriteItem<null> {
  const { database } = context
  const { plan, documentId, locales, origin, condition, seen, after } = request
  const remove = async (session: Session): Promise<null> => {
    takeDocuments(plan, [documentId], session)
    if (plan.localized || seen !== undefined) {
      await lockDocument(database, plan, documentId, session)
    }
    await assertSeenDeletion(context, request, session)
    if (condition !== undefined) await assertAll(context, request, condition, session)
    await deleteVersions(database, plan, documentId, locales, session)
    await after?.(null, session)
    return null
  }
  const write = (session: Session): Promise<null> =>
    runGuarded(database, guard, session, () => remove(session))
  return { plan, documentId, origin, changes: null, write }
}

export async function assertSeenDeletion(
  { database }: DocumentContext,
  {
    plan,
    documentId,
    locales,
    seen,
  }: Pick<DeletionRequest, 'plan' | 'documentId' | 'locales'> & {
    readonly seen?: SeenVersions | undefined
  },
  session: Session,
): Promise<void> {
  if (seen === undefined) return
  const versions = await getAllVersions(database, plan, documentId, session)
  assertSeen(seen, versions, [...new Set([...seen.keys(), ...storedLocales(versions, locales)])])
}

function storedLocales(
  versions: readonly StoredVersion[],
  locales: DeletionRequest['locales'],
): readonly string[] {
  const stored = new Set(versions.map(({ locale }) => locale))
  return [...stored].filter((locale) => locales === 'all' || locales.includes(locale))
}

async function assertAll(
  context: DocumentContext,
  { plan, documentId, locales }: DeletionRequest,
  condition: WriteCondition,
  session: Session,
): Promise<void> {
  const versions = await getAllVersions(context.database, plan, documentId, session)
  const removed = storedLocales(versions, locales)
  if (removed.length === 0 && condition.match !== null) throw missingVersion()
  for (const locale of removed) {
    await assertCondition(context, { plan, documentId, locale }, condition, session)
  }
}
