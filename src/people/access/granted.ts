import Joi from 'joi'
import { validationError, fault } from '../../base/errors.ts'
import { didYouMean } from '../../base/near-miss.ts'
import { type Actions, canonicalAction } from './actions.ts'
import type { Grants } from './principal.ts'

/** Maximum number of suggestions. The search for similar names is slow, and long lists are not typos. */
const MAX_HINTS = 10

const MAX_PERMISSIONS = 10_000

export function actionRule(): Joi.StringSchema {
  return Joi.string()
    .max(255)
    .custom((name: string) => canonicalAction(name))
}

export function permissionsRule(): Joi.ArraySchema<string[]> {
  return Joi.array().items(actionRule()).unique().max(MAX_PERMISSIONS)
}

/** Permissions in `kept` may outlive their content-type. @throws ValidationError with one fault per unknown action. */
export function assertKnownActions(
  actions: Actions,
  permissions: readonly string[],
  kept: readonly string[] = [],
): void {
  const unknown = permissions
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => !actions.has(name) && !kept.includes(name))
  const names = unknown.length > MAX_HINTS ? [] : actions.all.map((action) => action.name)
  const faults = unknown.map(({ name, index }) => {
    const hint = didYouMean(name, names)
    const message = `there is no action ${name}${hint}`
    return fault(['permissions', index], message, name, { code: 'any.unknown' })
  })
  const [first, ...rest] = faults
  if (first !== undefined) throw validationError([first, ...rest])
}

export function toGrants(actions: Actions, permissions: readonly string[]): Grants {
  return new Set(permissions.map(canonicalAction).filter((name) => actions.has(name)))
}
