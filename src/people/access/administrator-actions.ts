import type { Action, Actions } from './actions.ts'

const VERBS = {
  'admin::locales': ['create', 'update', 'delete'],
  'admin::api-tokens': ['read', 'create', 'update', 'regenerate', 'delete'],
  'admin::roles': ['read', 'create', 'update', 'delete'],
  'admin::audit': ['read'],
  'admin::releases': ['read', 'create', 'update', 'publish', 'delete'],
  'admin::administrators': ['read', 'create', 'update', 'reset', 'delete'],
  'admin::administrator-roles': ['read', 'create', 'update', 'delete'],
  /** Their routes exist only in development. */
  'admin::declarations': ['read', 'update'],
  'admin::webhooks': ['read', 'create', 'update', 'delete'],
} as const

type Subject = keyof typeof VERBS

export function administratorAction<S extends Subject>(
  subject: S,
  verb: (typeof VERBS)[S][number],
): string {
  return `${subject}.${verb}`
}

export function withAdministration({ all, readOnly, schema }: Actions): Actions {
  const own = Object.entries(VERBS).flatMap(([subject, verbs]) =>
    verbs.map((verb): Action => Object.freeze({ name: `${subject}.${verb}`, subject, verb })),
  )
  const every = Object.freeze([...all, ...own])
  const names = new Set(every.map(({ name }) => name))
  return Object.freeze({ all: every, readOnly, schema, has: (name: string) => names.has(name) })
}
