import { groupBy } from '../../base/group-by.ts'
import { isRecord } from '../../base/is-record.ts'
import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../content/rules/visible-documents.ts'
import { findEntries } from '../../content/read/find-entries.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { EditorContentDependencies } from '../content/editor-content.ts'
import { rulesOf } from '../reads/query-rules.ts'
import type { Context } from '../router/state.ts'

interface PicturedEntry {
  readonly uid: string
  readonly documentId: string
  readonly locale: string | null
}

type PictureOf = (entry: PicturedEntry) => string | null

const FILE = { fields: ['url', 'mime', 'formats'] }

/** Addresses of thumbnails. Types with rules for the caller have none, because a rule can hide the attribute. */
export async function picturesOf(
  ctx: Context,
  dependencies: EditorContentDependencies,
  entries: readonly PicturedEntry[],
): Promise<PictureOf> {
  const pictures = new Map<string, string>()
  const rules = writeRulesOf(ctx.state.principal)
  for (const group of groupBy(entries, ({ uid, locale }) => `${uid} ${locale ?? ''}`).values()) {
    const plan = dependencies.schema.contentTypes.get(group[0]?.uid ?? '')
    const name = plan === undefined || hasReadRules(rules, plan) ? null : pictureName(plan)
    if (plan === undefined || name === null) continue
    for (const [key, address] of await readPictures(ctx, dependencies, { plan, name }, group)) {
      pictures.set(key, address)
    }
  }
  return (entry) => pictures.get(keyOf(entry)) ?? null
}

/** The entries have the same locale. */
async function readPictures(
  ctx: Context,
  { documents, locales, ...sources }: EditorContentDependencies,
  { plan, name }: { readonly plan: ContentTypePlan; readonly name: string },
  entries: readonly PicturedEntry[],
): Promise<readonly (readonly [key: string, address: string])[]> {
  const locale = entries[0]?.locale ?? null
  const ids = [...new Set(entries.map(({ documentId }) => documentId))]
  const query = {
    filters: { documentId: { $in: ids } },
    fields: ['documentId'],
    populate: { [name]: FILE },
    pagination: { pageSize: String(ids.length), withCount: 'false' },
    ...(plan.draftAndPublish && { status: 'draft' }),
    ...(locale !== null && { locale }),
  }
  const parsed = parseQuery(query, plan, rulesOf(ctx, sources, await locales.current()))
  const found = await findEntries(documents.database, parsed)
  return found.entries.flatMap((entry) => {
    const address = thumbnailOf(entry[name])
    const documentId = String(entry['documentId'])
    return address === null ? [] : [[keyOf({ uid: plan.uid, documentId, locale }), address]]
  })
}

/** The first attribute with one image, as in lists of the Studio. */
function pictureName({ attributes }: ContentTypePlan): string | null {
  const found = [...attributes.values()].find(
    (attribute) =>
      attribute.kind === 'media' &&
      !attribute.multiple &&
      (attribute.allowedTypes?.includes('images') ?? true),
  )
  return found?.name ?? null
}

function thumbnailOf(file: unknown): string | null {
  if (!isRecord(file)) return null
  const { url, mime, formats } = file
  if (typeof mime !== 'string' || !mime.startsWith('image/')) return null
  const thumbnail = isRecord(formats) ? formats['thumbnail'] : null
  const address = isRecord(thumbnail) ? thumbnail['url'] : url
  return typeof address === 'string' ? address : null
}

function keyOf({ uid, documentId, locale }: PicturedEntry): string {
  return `${uid} ${documentId} ${locale ?? ''}`
}
