import type { Action, Actions } from './actions.ts'

/** What can be permitted to administrators beside what can be to everybody. */
const VERBS = {
  'admin::locales': ['create', 'update', 'delete'],
  'admin::api-tokens': ['read', 'create', 'update', 'regenerate', 'delete'],
  'admin::roles': ['read', 'create', 'update', 'delete'],
  'admin::audit': ['read'],
  'admin::releases': ['read', 'create', 'update', 'publish', 'delete'],
  'admin::administrators': ['read', 'create', 'update', 'reset', 'delete'],
  'admin::administrator-roles': ['read', 'create', 'update', 'delete'],
  /** Of the files that declare content; on a server in development alone there is a route for it. */
  'admin::declarations': ['read', 'update'],
  'admin::webhooks': ['read', 'create', 'update', 'delete'],
} as const

type Subject = keyof typeof VERBS

/** The name of an action of the management; one that does not exist does not compile. */
export function administratorAction<S extends Subject>(
  subject: S,
  verb: (typeof VERBS)[S][number],
): string {
  return `${subject}.${verb}`
}

/** Everything that an administrator may be permitted: content and plugins first, then the management. */
export function withAdministration({ all, readOnly }: Actions): Actions {
  const own = Object.entries(VERBS).flatMap(([subject, verbs]) =>
    verbs.map((verb): Action => Object.freeze({ name: `${subject}.${verb}`, subject, verb })),
  )
  const every = Object.freeze([...all, ...own])
  const names = new Set(every.map(({ name }) => name))
  return Object.freeze({ all: every, readOnly, has: (name: string) => names.has(name) })
}
