import type { Action, Actions } from '../access/actions.ts'

export interface Permission {
  readonly action: string
  readonly locales?: readonly string[]
}

/** Locales by permitted action. Null means all locales. */
export type Rights = ReadonlyMap<string, ReadonlySet<string> | null>

export function rightsOf(actions: Actions, permissions: readonly Permission[]): Rights {
  const rights = new Map<string, ReadonlySet<string> | null>()
  for (const { action, locales } of permissions) {
    if (!actions.has(action)) continue
    const before = rights.get(action)
    if (before === null || locales === undefined) rights.set(action, null)
    else rights.set(action, new Set([...(before ?? []), ...locales]))
  }
  return rights
}

/** Null if the rights include all permissions. */
export function firstBeyond(rights: Rights, permissions: readonly Permission[]): string | null {
  const beyond = permissions.find(({ action, locales }) => {
    const held = rights.get(action)
    if (held === undefined || held === null) return held === undefined
    return locales === undefined || locales.some((code) => !held.has(code))
  })
  return beyond?.action ?? null
}

export function toPermissions(rights: Rights): readonly Permission[] {
  return [...rights].map(([action, locales]) =>
    locales === null ? { action } : { action, locales: [...locales] },
  )
}

export const ADMINISTRATOR = 'administrator'

export interface BuiltInRole {
  readonly type: string
  readonly name: string
  readonly description: string
  readonly permits: (action: Action) => boolean
}

const AUTHORS_VERBS: ReadonlySet<string> = new Set([
  'find',
  'findOne',
  'create',
  'update',
  'readDrafts',
])

export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  {
    type: ADMINISTRATOR,
    name: 'Administrator',
    description: 'May do everything.',
    permits: () => true,
  },
  {
    type: 'editor',
    name: 'Editor',
    description: 'Writes and publishes all content, alone and in releases, and manages media.',
    permits: ({ subject }) =>
      isContent(subject) || isMedia(subject) || subject === 'admin::releases',
  },
  {
    type: 'author',
    name: 'Author',
    description: 'Creates and changes content and uploads media; never publishes or deletes.',
    permits: ({ subject, verb }) =>
      (isContent(subject) && AUTHORS_VERBS.has(verb)) || (isMedia(subject) && verb !== 'destroy'),
  },
]

function isContent(subject: string): boolean {
  return subject.startsWith('api::')
}

function isMedia(subject: string): boolean {
  return subject === 'plugin::upload.content-api'
}
