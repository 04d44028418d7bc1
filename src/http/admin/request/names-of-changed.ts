import type { Access } from '../../../people/access/access.ts'
import { administratorAction } from '../../../people/access/administrator-actions.ts'
import { pluginAction } from '../../../people/access/actions.ts'
import { may } from '../../../people/access/permissions.ts'
import type { Principal } from '../../../people/access/principal.ts'
import { listAdministratorRoles } from '../../../people/administrators/administrator-roles.ts'
import {
  type AdministratorsContext,
  listAdministrators,
} from '../../../people/administrators/administrators.ts'
import type { AuditItem } from '../../../content/history/find-audit.ts'
import { titlesOf } from '../../../content/read/overview.ts'
import { deletedTitles } from '../../../content/trash/list-trash.ts'
import type { Folders } from '../../../media/folders.ts'
import type { Planning } from '../../../content/planning/open-planning.ts'
import { releaseNames } from '../../../content/planning/releases.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import type { ContentTypePlan, Schema } from '../../../schema/plan.ts'
import { listWebhooks } from '../../../changes/webhooks/manage-webhooks.ts'
import { maySee, readableTypes } from './readable-types.ts'

export interface NameSources {
  readonly access: Pick<Access, 'apiTokens' | 'roles'>
  readonly administrators: AdministratorsContext
  readonly folders: Folders
  readonly planning: Planning
  readonly schema: Schema
}

type ItemName = readonly (readonly [id: string, name: string])[]

interface Kind {
  readonly action: string
  names(sources: NameSources, ids: readonly string[]): Promise<ItemName>
}

const ADMINISTRATORS: Kind = {
  action: administratorAction('admin::administrators', 'read'),
  names: async ({ administrators }) =>
    (await listAdministrators(administrators)).map(({ id, name }) => [id, name]),
}

const KINDS: Readonly<Record<string, Kind>> = {
  'admin::user': ADMINISTRATORS,
  'admin::session': ADMINISTRATORS,
  'admin::failed-sign-in': ADMINISTRATORS,
  'admin::password-link': ADMINISTRATORS,
  'admin::recovery-code': ADMINISTRATORS,
  'admin::role': {
    action: administratorAction('admin::administrator-roles', 'read'),
    names: async ({ administrators }) =>
      (await listAdministratorRoles(administrators)).map(({ type, name }) => [type, name]),
  },
  'admin::api-token': {
    action: administratorAction('admin::api-tokens', 'read'),
    names: async ({ access }) =>
      (await access.apiTokens.list()).map(({ id, name }) => [String(id), name]),
  },
  'admin::webhook': {
    action: administratorAction('admin::webhooks', 'read'),
    names: async ({ planning: { documents } }) =>
      (await listWebhooks(documents)).map(({ id, name }) => [id, name]),
  },
  'admin::release': {
    action: administratorAction('admin::releases', 'read'),
    names: ({ planning }, ids) =>
      releaseNames(
        planning,
        ids.map((_id) => ({ _id })),
      ),
  },
  'plugin::users-permissions.role': {
    action: administratorAction('admin::roles', 'read'),
    names: async ({ access }) =>
      (await access.roles.list()).map(({ documentId, name }) => [documentId, name]),
  },
  'plugin::upload.file': {
    action: pluginAction('plugin::upload.content-api', 'find'),
    names: async ({ schema, planning: { documents } }, ids) => {
      const plan = schema.contentTypes.get('plugin::upload.file')
      if (plan === undefined) return []
      const lines = ids.map((documentId) => ({ documentId, locale: NO_LOCALE }))
      const titles = await titlesOf(documents.database, plan, lines)
      const gone = lines.filter(({ documentId: id }) => !titles.has(`${id}:${NO_LOCALE}`))
      const seen = [{ type: plan.uid, locales: [NO_LOCALE], hidden: [] }]
      const deleted = await deletedTitles(documents, seen, gone)
      return ids.map((id) => [id, titles.get(`${id}:${NO_LOCALE}`) ?? deleted.get(id) ?? ''])
    },
  },
  'plugin::upload.folder': {
    action: pluginAction('plugin::upload.content-api', 'find'),
    names: async ({ folders }) => (await folders.list()).map(({ id, path }) => [id, path]),
  },
}

const CONTENT: Readonly<Record<string, string>> = {
  'plugin::users-permissions.session': 'plugin::users-permissions.user',
  'plugin::users-permissions.failed-sign-in': 'plugin::users-permissions.user',
}

/** Types with items that refer to content of any type. */
const OF_ANY_TYPE: ReadonlySet<string> = new Set([
  'admin::comment',
  'admin::review',
  'admin::schedule',
  'admin::trash',
])

const MAX_NAMES = 1_000

export type NamesOfChanged = (item: AuditItem) => string | null

/** Deleted objects have their last name. Resolves the first thousand objects only. */
export async function namesOfChanged(
  principal: Principal,
  sources: NameSources,
  items: readonly AuditItem[],
): Promise<NamesOfChanged> {
  const things = [...new Map(items.map((item) => [keyOf(item), item])).values()].slice(0, MAX_NAMES)
  const names = new Map<string, string>()
  const types = [...new Set(things.map((item) => item.type))]
  const found = await Promise.all(
    types.map((type) => {
      const own = things.filter((item) => item.type === type)
      return namesOfType(principal, sources, type, own)
    }),
  )
  for (const [item, name] of found.flat()) names.set(keyOf(item), name)
  return (item) => names.get(keyOf(item)) ?? null
}

type NamedItems = readonly (readonly [AuditItem, string])[]

async function namesOfType(
  principal: Principal,
  sources: NameSources,
  type: string,
  items: readonly AuditItem[],
): Promise<NamedItems> {
  const kind = KINDS[type]
  if (kind !== undefined) {
    if (!may(principal, kind.action)) return []
    const ids = [...new Set(items.map(({ documentId }) => documentId))]
    const names = new Map(await kind.names(sources, ids))
    return items.flatMap((item) => withName(item, names.get(item.documentId)))
  }
  const { contentTypes } = sources.schema
  if (OF_ANY_TYPE.has(type)) {
    const plans = [...contentTypes.values()].filter(({ uid }) => uid.startsWith('api::'))
    return namesIn(principal, sources.planning, plans, items)
  }
  const plan = contentTypes.get(CONTENT[type] ?? type)
  return plan === undefined ? [] : namesIn(principal, sources.planning, [plan], items)
}

async function namesIn(
  principal: Principal,
  planning: Planning,
  plans: readonly ContentTypePlan[],
  items: readonly AuditItem[],
): Promise<NamedItems> {
  const named = new Map<AuditItem, string>()
  for (const plan of plans) {
    const rest = items.filter((item) => !named.has(item))
    for (const [item, name] of await namesOfContent(principal, planning, plan, rest)) {
      named.set(item, name)
    }
  }
  return [...named]
}

async function namesOfContent(
  principal: Principal,
  { documents, locales }: Planning,
  plan: ContentTypePlan,
  items: readonly AuditItem[],
): Promise<NamedItems> {
  const seen = items
    .map((item) => ({ item, documentId: item.documentId, locale: item.locale ?? NO_LOCALE }))
    .filter(({ locale }) => maySee(principal, plan, plan.localized ? [locale] : []))
  if (seen.length === 0) return []
  const titles = await titlesOf(documents.database, plan, seen)
  const gone = seen.filter(({ documentId, locale }) => !titles.has(`${documentId}:${locale}`))
  const known = await locales.current()
  const deleted = await deletedTitles(documents, readableTypes(principal, [plan], known), gone)
  return seen.flatMap(({ item, documentId, locale }) =>
    withName(item, titles.get(`${documentId}:${locale}`) ?? deleted.get(documentId)),
  )
}

function withName(item: AuditItem, name = ''): NamedItems {
  return name === '' ? [] : [[item, name]]
}

function keyOf({ type, documentId, locale = NO_LOCALE }: AuditItem): string {
  return `${type} ${documentId} ${locale}`
}
