import {
  type Actions,
  canonicalAction,
  QUERY_SUBJECT,
  queryAction,
} from '../../people/access/actions.ts'
import { fault, validationError } from '../../base/errors.ts'
import type { FaultCode } from '../../base/fault-codes.ts'
import type { Data } from '../../schema/definition.ts'

type Controllers = Record<string, Record<string, { enabled: boolean; policy: string }>>

export function showPermissions(permitted: readonly string[], { all }: Actions): object {
  const granted = new Set(permitted)
  const shown: Record<string, { controllers: Controllers }> = {}
  for (const { name, subject, verb } of all) {
    const [type = '', controller = type] = subject.split('.')
    const { controllers } = (shown[type] ??= { controllers: {} })
    const verbs = (controllers[controller] ??= {})
    verbs[verb] = { enabled: granted.has(name), policy: '' }
  }
  return shown
}

/** An empty array enables none, as in the reference. @throws ValidationError with the path of the value */
export function readPermissions(sent: unknown): readonly string[] {
  const path = ['permissions']
  if (Array.isArray(sent) && sent.length === 0) return []
  return Object.entries(objectAt(sent, path)).flatMap(([type, one]) =>
    Object.entries(controllersOf(one, [...path, type])).flatMap(([controller, verbs]) => {
      const at = [...path, type, 'controllers', controller]
      return Object.entries(objectAt(verbs, at)).flatMap(([verb, setting]) =>
        isEnabled(setting, [...at, verb]) ? [actionOf(type, controller, verb)] : [],
      )
    }),
  )
}

function actionOf(type: string, controller: string, verb: string): string {
  const isQuery = type === QUERY_SUBJECT && controller === QUERY_SUBJECT
  return isQuery ? queryAction(verb) : canonicalAction(`${type}.${controller}.${verb}`)
}

function controllersOf(sent: unknown, path: readonly string[]): Data {
  const { controllers } = objectAt(sent, path)
  return objectAt(controllers, [...path, 'controllers'])
}

function isEnabled(sent: unknown, path: readonly string[]): boolean {
  const { enabled } = objectAt(sent, path)
  if (typeof enabled !== 'boolean') {
    throw faultAt([...path, 'enabled'], 'must be true or false', 'boolean.base')
  }
  return enabled
}

function objectAt(sent: unknown, path: readonly string[]): Data {
  if (typeof sent === 'object' && sent !== null && !Array.isArray(sent)) return sent as Data
  throw faultAt(path, 'must be an object', 'object.base')
}

function faultAt(path: readonly string[], problem: string, code: FaultCode): Error {
  const message = `${path.join('.')} ${problem}`
  return validationError([fault(path, message, undefined, { code })])
}
