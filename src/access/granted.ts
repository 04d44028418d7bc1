import Joi from 'joi'
import { validationError, fault } from '../errors.ts'
import { didYouMean } from '../near-miss.ts'
import { type Actions, canonicalAction } from './actions.ts'
import type { Grants } from './principal.ts'

/** Looking for what was meant takes its time: of many unknown names none was a slip. */
const MAX_HINTS = 10

const MAX_PERMISSIONS = 10_000

/** The name of an action, as the reference has it or as it is here. */
export function actionRule(): Joi.StringSchema {
  return Joi.string()
    .max(255)
    .custom((name: string) => canonicalAction(name))
}

/** A list of action names, each once; that they exist is asked of `assertKnown`. */
export function permissionsRule(): Joi.ArraySchema<string[]> {
  return Joi.array().items(actionRule()).unique().max(MAX_PERMISSIONS)
}

/**
 * Actions that were stored before (`kept`) may stay although their content-type is gone.
 * @throws ValidationError that names every action that does not exist.
 */
export function assertKnown(
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
    return fault(['permissions', index], `there is no action ${name}${hint}`, name)
  })
  const [first, ...rest] = faults
  if (first !== undefined) throw validationError([first, ...rest])
}

/** Stored permissions as a set; those that no longer exist permit nothing. */
export function toGrants(actions: Actions, permissions: readonly string[]): Grants {
  return new Set(permissions.map(canonicalAction).filter((name) => actions.has(name)))
}
