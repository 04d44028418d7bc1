const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/
/** Reading one of these names from an object without it returns an inherited value. */
const PROTOTYPE_NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'prototype']
const RESERVED: Readonly<Record<'contentType' | 'component', ReadonlySet<string>>> = {
  contentType: new Set([
    'id',
    'documentId',
    'createdAt',
    'updatedAt',
    'publishedAt',
    'createdBy',
    'updatedBy',
    'locale',
    'localizations',
    'status',
    'meta',
    '_id',
    '_revision', // see mongo/versions/revision.ts of the server
    '_lock',
    '_commit',
    '_state', // see mongo/versions/stored-state.ts of the server
    ...PROTOTYPE_NAMES,
  ]),
  component: new Set(['id', 'documentId', '_id', '__component', ...PROTOTYPE_NAMES]),
}

/** Paths under `/api` that the server always uses. */
export const RESERVED_ROUTES: ReadonlySet<string> = new Set([
  'auth',
  'connect',
  'i18n',
  'upload',
  'users',
  'users-permissions',
])

/** Returns null for a valid name. */
export function nameProblem(
  name: string,
  holder: 'contentType' | 'component',
): 'reserved' | 'form' | null {
  if (RESERVED[holder].has(name)) return 'reserved'
  return NAME.test(name) ? null : 'form'
}
