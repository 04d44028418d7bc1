import { ValidationError } from '../../base/errors.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { getAllVersions, getOverwritten, getWholeVersion } from '../../mongo/read/get-versions.ts'
import { findExisting } from '../../mongo/write/find-existing.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import { patchVersion, setInOtherLocales } from '../../mongo/write/write-versions.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { ContentTypePlan, MediaPlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { relationListOf, unique } from '../../mongo/versions/stored-value.ts'
import { pickShared } from '../payload/shared-values.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { retryChanged } from '../hooks/seen-versions.ts'
import { refuseUnreviewed } from '../review/stage-of.ts'
import { checkUpdate, updateVersions } from './update-versions.ts'
import type { WriteRequest } from '../write-target.ts'

export interface Attachment {
  readonly plan: ContentTypePlan
  readonly media: MediaPlan
  readonly version: StoredVersion
}

/** A documentId selects the published version in the default locale, or else its draft. @throws ValidationError */
export async function getAttachment(
  { database }: DocumentContext,
  plan: ContentTypePlan,
  { refId, field }: { readonly refId: string; readonly field: string },
  defaultLocale: string,
): Promise<Attachment> {
  const media = plan.attributes.get(field)
  if (media?.kind !== 'media') {
    throw new ValidationError(
      `field: ${plan.uid} has no media attribute ${field}`,
      {},
      { code: 'invalid_upload' },
    )
  }
  const id = /^\d{1,15}$/.test(refId) ? Number(refId) : null
  const documentId = id === null ? refId : await documentIdOf(database, plan, id)
  const versions = documentId === undefined ? [] : await getAllVersions(database, plan, documentId)
  const locale = plan.localized ? defaultLocale : NO_LOCALE
  const version =
    id === null
      ? mostPublic(versions.filter((version) => version.locale === locale))
      : versions.find((version) => version.id === id)
  if (version === undefined)
    throw new ValidationError(
      `refId: there is no ${plan.uid} ${refId}`,
      {},
      { code: 'invalid_upload' },
    )
  return { plan, media, version }
}

/** Also adds the files to the draft, so that publishing preserves them. @throws ValidationError, errors of hooks */
export function attachFiles(
  context: DocumentContext,
  attachment: Attachment,
  files: readonly string[],
  { writer, origin }: Pick<WriteRequest, 'writer' | 'origin'>,
): Promise<void> {
  const { plan, media, version } = attachment
  const { documentId, locale } = version
  const value = media.multiple ? { connect: files } : { set: files.slice(-1) }
  const data = { [media.name]: value }
  const written = plan.draftAndPublish ? 'draft' : 'published'
  const target = { plan, documentId, key: { locale, status: written }, writer, origin } as const
  const hooks = hooksOf(context, plan)
  if (hooks === null) return attach(context, attachment, files, { target, data })
  return retryChanged(async () => {
    const seen = await getOverwritten(context.database, { plan, documentId, locale })
    const write = { ...target, operation: 'update', previous: seen } as const
    const hooked = await hooks.hookData(write, data, { fill: false })
    await attach(context, attachment, files, { target: { ...target, seen }, data: hooked })
  })
}

async function attach(
  context: DocumentContext,
  { plan, media, version }: Attachment,
  files: readonly string[],
  { target, data }: { readonly target: WriteRequest; readonly data: unknown },
): Promise<void> {
  const { documentId, status } = version
  const { origin, key } = target
  if (status !== key.status) refuseUnreviewed(plan)
  const update = await checkUpdate(context, target, data)
  const write = async (session: Session): Promise<void> => {
    await updateVersions(context, target, update, session)
    if (status !== key.status) {
      await attachToPublished(context, { plan, media, version }, files, session)
    }
  }
  await writeDocument(context.database, { plan, documentId, origin, changes: null, write })
}

/** Reads the version again, because concurrent requests may have changed it. */
async function attachToPublished(
  { database, now }: DocumentContext,
  { plan, media, version }: Attachment,
  files: readonly string[],
  session: Session,
): Promise<void> {
  const { documentId } = version
  const stored = await getWholeVersion(database, plan, documentId, version, session)
  if (stored === null) return
  const held = unique([...relationListOf(stored[media.name]), ...files])
  const attached = { [media.name]: media.multiple ? held : (files.at(-1) ?? null) }
  const updatedAt = now()
  const changes = { ...attached, updatedAt }
  await patchVersion(database, plan, { documentId, key: version }, changes, session)
  const shared = pickShared(plan, attached)
  await setInOtherLocales(database, plan, { ...stored, updatedAt }, shared, session)
}

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
