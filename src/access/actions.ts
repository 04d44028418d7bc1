import type { ContentTypePlan, Schema } from '../schema/plan.ts'

/** What can be done with a content-type; `readDrafts` and `publish` where it has draft & publish. */
export type ContentVerb =
  'find' | 'findOne' | 'sync' | 'create' | 'update' | 'delete' | 'readDrafts' | 'publish'

/** What can be permitted besides content; the names are the reference's. */
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

/** The subject of what named queries permit: `query::home-feed` has its name for a verb. */
export const QUERY_SUBJECT = 'query'

export type PluginSubject = keyof typeof PLUGIN_VERBS
export type PluginVerb<Subject extends PluginSubject> = (typeof PLUGIN_VERBS)[Subject][number]

export interface Action {
  /** `<subject>.<verb>`, such as `api::article.article.find`; of a named query `query::<name>`. */
  readonly name: string
  readonly subject: string
  readonly verb: string
}

/** Every action that there is; compiled once from the content-types. */
export interface Actions {
  /** Content first, in the order of the content-types; then named queries, and the plugins'. */
  readonly all: readonly Action[]
  /** What a read-only API token may do. */
  readonly readOnly: ReadonlySet<string>
  has(name: string): boolean
}

/**
 * What a read-only token may do: `find` and `findOne` everywhere, as in the reference, keep a copy of that, and read
 * drafts, which the reference shows to every principal with `find`; and run every named query.
 */
const READ_ONLY_VERBS: ReadonlySet<string> = new Set(['find', 'findOne', 'sync', 'readDrafts'])

export function compileActions(schema: Pick<Schema, 'contentTypes' | 'queries'>): Actions {
  const content = [...schema.contentTypes.values()]
    .filter((plan) => plan.uid.startsWith('api::'))
    .flatMap((plan) => contentVerbs(plan).map((verb) => toAction(plan.uid, verb)))
  const queries = [...schema.queries.keys()].map((verb) =>
    Object.freeze({ name: queryAction(verb), subject: QUERY_SUBJECT, verb }),
  )
  const plugins = Object.entries(PLUGIN_VERBS).flatMap(([subject, verbs]) =>
    verbs.map((verb) => toAction(subject, verb)),
  )
  const all = Object.freeze([...content, ...queries, ...plugins])
  const names = new Set(all.map((action) => action.name))
  return Object.freeze({
    all,
    readOnly: new Set(all.filter(isReadOnly).map((action) => action.name)),
    has: (name: string) => names.has(name),
  })
}

/** What can be done with a content-type: a single type has neither `findOne` nor `create`. */
export function contentVerbs(
  plan: Pick<ContentTypePlan, 'kind' | 'draftAndPublish'>,
): readonly ContentVerb[] {
  const verbs: readonly ContentVerb[] =
    plan.kind === 'singleType'
      ? ['find', 'update', 'delete', 'sync']
      : ['find', 'findOne', 'create', 'update', 'delete', 'sync']
  return plan.draftAndPublish ? [...verbs, 'readDrafts', 'publish'] : verbs
}

/** The name that an action has here: the reference calls `readDrafts` of a content-type `readDraft`. */
export function canonicalAction(name: string): string {
  return /^api::.+\.readDraft$/.test(name) ? `${name}s` : name
}

/** The name of an action on content; for routes to ask once, when they are made. */
export function contentAction(plan: Pick<ContentTypePlan, 'uid'>, verb: ContentVerb): string {
  return `${plan.uid}.${verb}`
}

/** The name of the action that lets run a named query: it shows what the query selects, whatever else is permitted. */
export function queryAction(name: string): string {
  return `${QUERY_SUBJECT}::${name}`
}

/** The name of an action of a plugin; one that does not exist does not compile. */
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
