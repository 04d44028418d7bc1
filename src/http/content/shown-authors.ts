import { titlesOf } from '../../content/read/overview.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { VersionAuthors } from '../../content/read/find-authors.ts'
import type { Access } from '../../people/access/access.ts'
import { pluginAction } from '../../people/access/actions.ts'
import { may } from '../../people/access/permissions.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { Schema } from '../../schema/plan.ts'

export interface AuthorSources {
  readonly documents: Pick<DocumentContext, 'database'>
  readonly schema: Pick<Schema, 'contentTypes'>
  readonly administrators: Pick<AdministratorsContext, 'versionedCache'>
  readonly access: Pick<Access, 'apiTokens'>
}

export interface ShownAuthor {
  readonly kind: string
  readonly id: string | number
  /** Null for removed authors, and for end users if the caller may not find them. */
  readonly name: string | null
}

export interface ShownAuthors {
  readonly createdBy: ShownAuthor | null
  readonly updatedBy: ShownAuthor | null
}

const USERS = 'plugin::users-permissions.user'

/** In the order of the given authors. Runs at most one query for each kind. */
export async function showAuthors(
  principal: Principal,
  sources: AuthorSources,
  found: readonly VersionAuthors[],
): Promise<readonly ShownAuthors[]> {
  const authors = found.flatMap(({ createdBy, updatedBy }) => [createdBy, updatedBy])
  const idsOf = (kind: string): readonly string[] => [
    ...new Set(authors.flatMap((one) => (one?.kind === kind ? [String(one.id)] : []))),
  ]
  const [people, tokens, users] = await Promise.all([
    administratorNames(sources),
    idsOf('apiToken').length === 0 ? NO_NAMES : tokenNames(sources),
    userNames(principal, sources, idsOf('user')),
  ])
  const names = new Map([
    ['administrator', people],
    ['apiToken', tokens],
    ['user', users],
  ])
  const show = (author: VersionAuthors['createdBy']): ShownAuthor | null =>
    author === null
      ? null
      : {
          kind: author.kind,
          id: author.id,
          name: names.get(author.kind)?.get(String(author.id)) ?? null,
        }
  return found.map(({ createdBy, updatedBy }) => ({
    createdBy: show(createdBy),
    updatedBy: show(updatedBy),
  }))
}

type Names = ReadonlyMap<string, string>

const NO_NAMES: Names = new Map()

async function administratorNames({ administrators }: AuthorSources): Promise<Names> {
  const known = await administrators.versionedCache.current()
  return new Map(known.administrators.map(({ _id, name }) => [_id, name]))
}

async function tokenNames({ access }: AuthorSources): Promise<Names> {
  return new Map((await access.apiTokens.list()).map(({ id, name }) => [String(id), name]))
}

async function userNames(
  principal: Principal,
  { documents, schema }: AuthorSources,
  ids: readonly string[],
): Promise<Names> {
  const plan = schema.contentTypes.get(USERS)
  if (plan === undefined || ids.length === 0) return NO_NAMES
  if (!may(principal, pluginAction(USERS, 'find'))) return NO_NAMES
  const lines = ids.map((documentId) => ({ documentId, locale: NO_LOCALE }))
  const titles = await titlesOf(documents.database, plan, lines)
  return new Map(
    ids.flatMap((id) => {
      const name = titles.get(`${id}:${NO_LOCALE}`)
      return name === undefined ? [] : [[id, name] as const]
    }),
  )
}
