import { isRecord } from '../base/is-record.ts'
import type { Definitions } from '../schema/definition.ts'
import type { Extension } from './extension.ts'
import { type ExtensionFault, unknownMember } from './extension-fault.ts'
import type {
  ExtensionRouteHandler,
  ExtensionRouteMethod,
  ExtensionRouter,
  ExtensionRouteSchema,
} from './extension-route.ts'

export interface RegisteredRoute {
  readonly extension: string
  readonly method: ExtensionRouteMethod
  readonly path: string
  /** `public` for everyone. */
  readonly permission: string
  readonly schema: ExtensionRouteSchema | null
  readonly isRaw: boolean
  readonly handler: ExtensionRouteHandler
}

export interface CollectedRoutes {
  readonly routes: readonly RegisteredRoute[]
  readonly faults: readonly string[]
}

const METHODS: readonly ExtensionRouteMethod[] = ['get', 'post', 'put', 'patch', 'delete']
const METHODS_WITH_BODY: readonly ExtensionRouteMethod[] = ['post', 'put', 'patch']
const OPTIONS = ['permission', 'schema', 'body']
const SCHEMA_MEMBERS = ['summary', 'query', 'body', 'response']

/** First segments of built-in routes. Names that begin with `_` are reserved as well. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'auth',
  'connect',
  'docs',
  'i18n',
  'openapi.json',
  'upload',
  'users',
  'users-permissions',
])

const MAX_PATH_LENGTH = 200
const SEGMENT = /^(?::[A-Za-z]\w*|[A-Za-z0-9_~-][\w.~-]*)$/
const PERMISSION = /^(?:api|plugin|admin)::[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[A-Za-z]\w*$/

/** Calls `routes` of each extension. Nothing is served yet. */
export function collectRoutes(
  extensions: readonly Extension[],
  definitions: Definitions,
): CollectedRoutes {
  const taken = takenNames(definitions)
  const routes: RegisteredRoute[] = []
  const faults: string[] = []
  for (const extension of extensions) {
    const label = `extension ${JSON.stringify(extension.name)}: routes`
    const add = (found: readonly ExtensionFault[]): void => {
      faults.push(...found.map(({ path, problem }) => `${label}: ${path}: ${problem}`))
    }
    try {
      extension.routes?.(recorder(extension.name, taken, routes, add))
    } catch (error) {
      faults.push(`${label}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return { routes, faults: [...faults, ...findDuplicates(routes)] }
}

export function routePermissionsOf(routes: readonly RegisteredRoute[]): readonly string[] {
  const named = routes.map(({ permission }) => permission).filter((name) => name !== 'public')
  return [...new Set(named)]
}

function recorder(
  extension: string,
  taken: ReadonlyMap<string, string>,
  routes: RegisteredRoute[],
  add: (faults: readonly ExtensionFault[]) => void,
): ExtensionRouter {
  const adding =
    (method: ExtensionRouteMethod): ExtensionRouter['get'] =>
    (path, options, handler) => {
      const given: readonly unknown[] = [path, options, handler] // maybe without type checks
      const found = findRouteFaults(extension, taken, method, given)
      add(found.map((one) => ({ ...one, path: `${method} ${one.path}` })))
      if (found.length > 0) return
      const { permission, schema = null, body = 'parsed' } = options
      const isRaw = body === 'raw'
      routes.push({ extension, method, path, permission, schema, isRaw, handler })
    }
  const [get, post, put, patch, remove] = METHODS.map(adding)
  if (!get || !post || !put || !patch || !remove) throw new Error('a method is missing')
  return { get, post, put, patch, delete: remove }
}

function findRouteFaults(
  extension: string,
  taken: ReadonlyMap<string, string>,
  method: ExtensionRouteMethod,
  [path, options, handler]: readonly unknown[],
): readonly ExtensionFault[] {
  const shown = typeof path === 'string' ? path.slice(0, MAX_PATH_LENGTH) : String(path)
  const problem = pathProblem(extension, taken, path)
  const faults: ExtensionFault[] = problem === null ? [] : [{ path: shown, problem }]
  if (typeof handler !== 'function') {
    faults.push({ path: shown, problem: 'the third argument must be a function' })
  }
  if (!isRecord(options)) {
    return [...faults, { path: shown, problem: 'the second argument must name a permission' }]
  }
  for (const key of Object.keys(options)) {
    if (!OPTIONS.includes(key)) faults.push(unknownMember(`${shown}: ${key}`, key, OPTIONS))
  }
  const refused = permissionProblem(options['permission'], shown)
  if (refused !== null) faults.push({ path: `${shown}: permission`, problem: refused })
  const body = bodyProblem(method, options)
  if (body !== null) faults.push({ path: `${shown}: body`, problem: body })
  return [...faults, ...findSchemaFaults(options['schema'], shown)]
}

function bodyProblem(
  method: ExtensionRouteMethod,
  { body, schema }: Readonly<Record<string, unknown>>,
): string | null {
  if (body === undefined || body === 'parsed') return null
  if (body !== 'raw') return 'must be parsed or raw'
  if (!METHODS_WITH_BODY.includes(method)) return `a ${method} request has no body`
  return isRecord(schema) && schema['body'] !== undefined ? 'a raw body has no schema' : null
}

function pathProblem(
  extension: string,
  taken: ReadonlyMap<string, string>,
  path: unknown,
): string | null {
  if (typeof path !== 'string' || path.length > MAX_PATH_LENGTH) {
    return `must be a text of at most ${MAX_PATH_LENGTH} characters`
  }
  const own = `/admin/extensions/${extension}/`
  if (path.startsWith('/api/')) return apiPathProblem(taken, path.slice('/api/'.length))
  if (!path.startsWith(own)) return `must begin with /api/ or ${own}`
  return path.slice(own.length).split('/').every(isSegment) ? null : SEGMENTS
}

const SEGMENTS = 'must have segments of letters, digits, - and _, or parameters such as :id'

function apiPathProblem(taken: ReadonlyMap<string, string>, path: string): string | null {
  const [first = '', ...rest] = path.split('/')
  if (![first, ...rest].every(isSegment)) return SEGMENTS
  if (first.startsWith(':')) return 'the first segment cannot be a parameter'
  if (first.startsWith('_')) return 'names that begin with _ belong to Quire'
  const owner = taken.get(first.toLowerCase())
  return owner === undefined ? null : `/api/${first} belongs to ${owner}`
}

function isSegment(segment: string): boolean {
  return SEGMENT.test(segment)
}

function permissionProblem(permission: unknown, path: string): string | null {
  const isAdmin = path.startsWith('/admin/')
  if (permission === 'public') {
    return isAdmin ? 'routes below /admin need an action, not public' : null
  }
  if (typeof permission !== 'string' || !PERMISSION.test(permission)) {
    return 'must be public, or an action such as api::health.read'
  }
  if (permission.startsWith('admin::') && !isAdmin) return 'is for routes below /admin only'
  return null
}

function findSchemaFaults(schema: unknown, path: string): readonly ExtensionFault[] {
  if (schema === undefined) return []
  if (!isRecord(schema)) return [{ path: `${path}: schema`, problem: 'must be an object' }]
  return Object.entries(schema).flatMap(([key, value]) => {
    const place = `${path}: schema.${key}`
    if (!SCHEMA_MEMBERS.includes(key)) return [unknownMember(place, key, SCHEMA_MEMBERS)]
    const isFine = key === 'summary' ? typeof value === 'string' : isRecord(value)
    const expected = key === 'summary' ? 'a text' : 'a JSON Schema'
    return isFine || value === undefined ? [] : [{ path: place, problem: `must be ${expected}` }]
  })
}

function takenNames({ contentTypes }: Definitions): ReadonlyMap<string, string> {
  const builtIn = [...BUILT_IN].map((name): [string, string] => [name, 'Quire'])
  const types = contentTypes
    .filter(({ uid }) => uid.startsWith('api::'))
    .map(({ kind, singularName, pluralName, uid }): [string, string] => {
      const name = kind === 'singleType' ? singularName : pluralName
      return [name.toLowerCase(), `the content-type ${uid}`]
    })
  return new Map([...builtIn, ...types])
}

function findDuplicates(routes: readonly RegisteredRoute[]): readonly string[] {
  const owners = new Map<string, string>()
  return routes.flatMap(({ extension, method, path }) => {
    const key = `${method} ${path.toLowerCase().replaceAll(/:\w+/g, ':')}`
    const owner = owners.get(key)
    owners.set(key, owner ?? extension)
    if (owner === undefined) return []
    return [
      `extension ${JSON.stringify(extension)}: routes: ${method} ${path}: extension ${JSON.stringify(owner)} has it already`,
    ]
  })
}
