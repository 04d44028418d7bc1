import { adoptedVerbs } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'

/** Actions on a content-type. `readDrafts` and `publish` require draft & publish, `push` requires its option. */
export type ContentVerb =
  'find' | 'findOne' | 'sync' | 'create' | 'update' | 'delete' | 'push' | 'readDrafts' | 'publish'

const PLUGIN_VERBS = {
  'plugin::upload.content-api': ['find', 'findOne', 'sync', 'upload', 'destroy'],
  'plugin::users-permissions.auth': [
    'callback',
    'connect',
    'register',
    'forgotPassword',
    'resetPassword',
    'emailConfirmation',
    'sendEmailConfirmation',
    'changePassword',
    'refresh',
    'logout',
  ],
  'plugin::users-permissions.user': [
    'find',
    'findOne',
    'create',
    'update',
    'destroy',
    'me',
    'count',
  ],
  'plugin::users-permissions.role': ['find', 'findOne', 'createRole', 'updateRole', 'deleteRole'],
  'plugin::users-permissions.permissions': ['getPermissions'],
  'plugin::i18n.locales': ['listLocales'],
} as const

export const QUERY_SUBJECT = 'query'

export type PluginSubject = keyof typeof PLUGIN_VERBS
export type PluginVerb<Subject extends PluginSubject> = (typeof PLUGIN_VERBS)[Subject][number]

export interface Action {
  /** `<subject>.<verb>`, such as `api::article.article.find`, or `query::<name>` for a named query. */
  readonly name: string
  readonly subject: string
  readonly verb: string
}

export interface Actions {
  readonly all: readonly Action[]
  readonly readOnly: ReadonlySet<string>
  /** Rules of permissions are compiled against it. */
  readonly schema: Pick<Schema, 'contentTypes'>
  has(name: string): boolean
}

/** As in the reference, which shows drafts to every principal with `find`. Only `sync` is not in the reference. */
const READ_ONLY_VERBS: ReadonlySet<string> = new Set(['find', 'findOne', 'sync', 'readDrafts'])

export function compileActions(
  schema: Pick<Schema, 'contentTypes' | 'queries'>,
  permissions: readonly string[] = [],
): Actions {
  const content = [...schema.contentTypes.values()]
    .filter((plan) => plan.uid.startsWith('api::'))
    .flatMap((plan) => contentVerbs(plan).map((verb) => toAction(plan.uid, verb)))
  const queries = [...schema.queries.keys()].map((verb) =>
    Object.freeze({ name: queryAction(verb), subject: QUERY_SUBJECT, verb }),
  )
  const plugins = Object.entries(PLUGIN_VERBS).flatMap(([subject, verbs]) =>
    verbs.map((verb) => toAction(subject, verb)),
  )
  const builtIn = [...content, ...queries, ...plugins]
  const known = new Set(builtIn.map(({ name }) => name))
  const further = permissions
    .filter((name) => !known.has(name) && !name.startsWith('admin::'))
    .map((name) =>
      toAction(name.slice(0, name.lastIndexOf('.')), name.slice(name.lastIndexOf('.') + 1)),
    )
  const all = Object.freeze([...builtIn, ...further])
  const names = new Set(all.map((action) => action.name))
  return Object.freeze({
    all,
    schema,
    readOnly: new Set(all.filter(isReadOnly).map((action) => action.name)),
    has: (name: string) => names.has(name),
  })
}

/** A single type has neither `findOne` nor `create`. An adopted collection is synced if its changes are seen. */
export function contentVerbs(
  plan: Pick<ContentTypePlan, 'kind' | 'draftAndPublish' | 'push' | 'adopted'>,
): readonly ContentVerb[] {
  if (plan.adopted !== undefined) {
    const sync = plan.adopted.isFollowed ? (['sync'] as const) : []
    return ['find', 'findOne', ...adoptedVerbs(plan.adopted), ...sync]
  }
  const common: readonly ContentVerb[] =
    plan.kind === 'singleType'
      ? ['find', 'update', 'delete', 'sync']
      : ['find', 'findOne', 'create', 'update', 'delete', 'sync']
  const verbs: readonly ContentVerb[] = plan.push === true ? [...common, 'push'] : common
  return plan.draftAndPublish ? [...verbs, 'readDrafts', 'publish'] : verbs
}

export function canonicalAction(name: string): string {
  return /^api::.+\.readDraft$/.test(name) ? `${name}s` : name
}

export function contentAction(plan: Pick<ContentTypePlan, 'uid'>, verb: ContentVerb): string {
  return `${plan.uid}.${verb}`
}

/** Permits a named query and its whole selection, regardless of other permissions. */
export function queryAction(name: string): string {
  return `${QUERY_SUBJECT}::${name}`
}

export function pluginAction<Subject extends PluginSubject>(
  subject: Subject,
  verb: PluginVerb<Subject>,
): string {
  return `${subject}.${verb}`
}

function toAction(subject: string, verb: string): Action {
  return Object.freeze({ name: `${subject}.${verb}`, subject, verb })
}

function isReadOnly(action: Action): boolean {
  return action.subject === QUERY_SUBJECT || READ_ONLY_VERBS.has(action.verb)
}
