import type { QueryClient } from '@tanstack/react-query'
import type { FormPlan, FoundEntry } from '../../entry/form-plan.ts'
import { componentsQuery, declarationQuery, type TypeSummary } from '../../api/content-types.ts'
import { contentPath, type Entry, type ListMeta } from '../../api/entries.ts'
import { type Author, findLastVersion } from '../../api/history.ts'
import { ApiError, request } from '../../api/request.ts'
import type { Attributes, Components } from '../../api/attributes.ts'
import type { ConflictAuthor } from '../../entry/merge.ts'
import { populateOf } from '../../entry/populate.ts'
import { randomName } from '../../api/random-name.ts'
import { KeyRing, type Reading } from '../../entry/values.ts'

export async function loadFormPlan(
  client: QueryClient,
  type: TypeSummary,
  locale: string | null,
): Promise<FormPlan> {
  const [declaration, declared] = await Promise.all([
    client.ensureQueryData(declarationQuery(type.uid)),
    client.ensureQueryData(componentsQuery),
  ])
  const attributes = declaration.attributes
  const components: Components = new Map(declared.map((one) => [one.uid, one]))
  const titles = await loadTitles(client, targetsOf(attributes, components))
  const reading: Reading = {
    components,
    keys: new KeyRing(randomName()),
    titleFieldOf: (uid) => titles.get(uid) ?? null,
  }
  const own = type.localized && locale !== null ? { locale } : {}
  const query = { ...own, status: 'draft', populate: populateOf(attributes, reading) }
  return {
    type,
    declaration,
    attributes,
    components,
    reading,
    query,
    locale: type.localized ? locale : null,
  }
}

function targetsOf(attributes: Attributes, components: Components): ReadonlySet<string> {
  const holders = [attributes, ...[...components.values()].map((one) => one.attributes)]
  return new Set(
    holders.flatMap((holder) =>
      Object.values(holder).flatMap((attribute) =>
        attribute.type === 'relation' ? [attribute.target] : [],
      ),
    ),
  )
}

/** The title attribute of each target. A type without a readable declaration has none. */
async function loadTitles(
  client: QueryClient,
  uids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string | null>> {
  const found = await Promise.all(
    [...uids].map(async (uid) => {
      try {
        return [uid, (await client.ensureQueryData(declarationQuery(uid))).titleField] as const
      } catch (error) {
        if (!(error instanceof ApiError) || ![403, 404].includes(error.status)) throw error
        return [uid, null] as const
      }
    }),
  )
  return new Map(found)
}

/** The current entry; null if it does not exist in this locale. @throws ApiError */
export async function findEntry(
  { type, query }: FormPlan,
  documentId: string,
  signal?: AbortSignal,
): Promise<FoundEntry | null> {
  try {
    const path = contentPath(type.uid, documentId)
    const { data, etag } = await request<Entry>('GET', path, { query, signal })
    return { entry: data, etag }
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/** The author of the version of this time; null if there is a newer one. @throws ApiError */
export async function findAuthor(
  plan: FormPlan,
  documentId: string,
  updatedAt: string,
): Promise<ConflictAuthor | null> {
  const { type, locale } = plan
  const { data, meta } = await request<readonly Entry[], ListMeta>('GET', contentPath(type.uid), {
    query: {
      status: 'draft',
      ...(locale !== null && { locale }),
      fields: ['updatedAt'],
      filters: { documentId: { $eq: documentId } },
      authors: true,
      pagination: { pageSize: 1 },
    },
  })
  if (data[0]?.updatedAt !== updatedAt) return null
  const author =
    meta.authors?.[documentId]?.updatedBy ?? (await findAuthorWithoutId(plan, documentId))
  return author === null ? null : { ...author, at: updatedAt }
}

/** Versions name no author without an id, such as the root token. The history does. */
async function findAuthorWithoutId(
  { type, locale }: FormPlan,
  documentId: string,
): Promise<Author | null> {
  const last = await findLastVersion(
    { uid: type.uid, documentId, locale },
    type.draftAndPublish ? 'draft' : 'published',
  )
  return last?.by.id === null ? last.by : null
}

/** The documentId of the entry of a single type; null before the first write. */
export async function findSingle(
  { type, locale }: FormPlan,
  signal?: AbortSignal,
): Promise<string | null> {
  const query = {
    status: 'draft',
    ...(locale !== null && { locale: '*' }),
    pagination: { pageSize: 1 },
  }
  const { data } = await request<readonly Entry[]>('GET', contentPath(type.uid), { query, signal })
  return data[0]?.documentId ?? null
}
