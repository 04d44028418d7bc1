import { ValidationError } from '../errors.ts'
import type { Database } from '../mongo/database.ts'
import { getAllVersions } from '../mongo/read-versions.ts'
import { findExisting } from '../mongo/relation-writes.ts'
import type { StoredVersion } from '../mongo/stored-version.ts'
import { patchVersion, setInOtherLocales } from '../mongo/write-versions.ts'
import { NO_LOCALE } from '../schema/no-locale.ts'
import type { ContentTypePlan, MediaPlan } from '../schema/plan.ts'
import type { DocumentContext } from './context.ts'
import { listOf, unique } from './relation-list.ts'
import { pickShared } from './shared-values.ts'
import { updateDocument } from './update-document.ts'
import type { Writer } from './write-target.ts'

/** A media attribute of one version, to which files are to be attached. */
export interface Attachment {
  readonly plan: ContentTypePlan
  readonly media: MediaPlan
  readonly version: StoredVersion
}

/**
 * The version that `refId` names, by its numeric id or as the published one (else the draft) of a
 * documentId in the default locale, and the attribute that `field` names in it.
 * @throws ValidationError when there is no such attribute or version.
 */
export async function getAttachment(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { refId, field }: { readonly refId: string; readonly field: string },
  defaultLocale: string,
): Promise<Attachment> {
  const media = plan.attributes.get(field)
  if (media?.kind !== 'media') {
    throw new ValidationError(`field: ${plan.uid} has no media attribute ${field}`)
  }
  const id = /^\d{1,15}$/.test(refId) ? Number(refId) : null
  const documentId = id === null ? refId : await documentIdOf(database, plan, id)
  const versions = documentId === undefined ? [] : await getAllVersions(database, plan, documentId)
  const locale = plan.localized ? defaultLocale : NO_LOCALE
  const version =
    id === null
      ? mostPublic(versions.filter((version) => version.locale === locale))
      : versions.find((version) => version.id === id)
  if (version === undefined) throw new ValidationError(`refId: there is no ${plan.uid} ${refId}`)
  return { plan, media, version }
}

/**
 * Adds files to a list, or puts the last of them into a single attribute. What is published has them in
 * its draft as well, so that publishing does not lose them; nothing else of the draft is published.
 * @throws ValidationError for a type that the attribute does not take.
 */
export async function attachFiles(
  context: DocumentContext,
  { plan, media, version }: Attachment,
  files: readonly string[],
  writer: Writer,
): Promise<void> {
  const { documentId, locale, status } = version
  const value = media.multiple ? { connect: files } : { set: files.slice(-1) }
  const written = plan.draftAndPublish ? 'draft' : 'published'
  const key = { locale, status: written } as const
  await updateDocument(context, { plan, documentId, key, writer }, { [media.name]: value })
  if (status === written) return
  const held = unique([...listOf(version[media.name]), ...files])
  const attached = { [media.name]: media.multiple ? held : (files.at(-1) ?? null) }
  const changes = { ...attached, updatedAt: context.now() }
  const { database } = context
  await database.transact(async (session) => {
    await patchVersion(database, plan, { documentId, key: { locale, status } }, changes, session)
    await setInOtherLocales(database, plan, version, pickShared(plan, attached), session)
  })
}

/** The document that the numeric id of one of its versions names. */
async function documentIdOf(
  database: Database,
  plan: ContentTypePlan,
  id: number,
): Promise<string | undefined> {
  const named = { documentIds: new Set<string>(), ids: new Set([id]) }
  return (await findExisting(database, plan, named)).byId.get(id)
}

function mostPublic(versions: readonly StoredVersion[]): StoredVersion | undefined {
  return versions.find(({ status }) => status === 'published') ?? versions[0]
}
