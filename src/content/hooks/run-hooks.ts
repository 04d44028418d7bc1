import {
  ApplicationError,
  CmsError,
  ExtensionFailedError,
  ForbiddenError,
  ServiceUnavailableError,
  ValidationError,
} from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { ExtensionHost, FailedCall } from '../../extensions/extension-host.ts'
import type { ContentService, ExtensionPrincipal } from '../../extensions/content-service.ts'
import type {
  BeforeWrite,
  BeforeWriteEvent,
  Registered,
  RegisteredHooks,
} from '../../extensions/write-hook.ts'
import type { Data } from '../../schema/definition.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { DocumentHooks, HookedWrite, WriteHooks } from './document-hooks.ts'
import { payloadForHook, versionForHook, writableMembers } from './hook-data.ts'

type Hooks = readonly Registered<BeforeWrite>[]

export function openDocumentHooks({ beforeWrite, host }: RegisteredHooks): DocumentHooks {
  const byType = new Map([...beforeWrite].map(([uid, hooks]) => [uid, writeHooks(hooks, host)]))
  return { isEmpty: byType.size === 0, of: ({ uid }) => byType.get(uid) ?? null }
}

function writeHooks(hooks: Hooks, host: ExtensionHost): WriteHooks {
  return {
    async hookData(write, data, { fill, isTrusted = false }) {
      const { plan } = write
      const valid = plan.validators.draft(data, { creating: fill, isTrusted })
      let current = payloadForHook(plan, isTrusted ? valid : writableMembers(plan, valid))
      for (const hook of hooks) current = await runHook(host, hook, write, current)
      return current
    },
    async assertAccepted(write) {
      for (const hook of hooks) await runHook(host, hook, write, Object.freeze({}))
    },
    readIfAsked: (work) => readIfAsked(hooks, work),
  }
}

class PreviousAsked extends Error {
  constructor() {
    super('The stored version was not read: the hook is called again')
    this.name = 'PreviousAsked'
  }
}

const readers = new WeakSet<BeforeWrite>()

async function readIfAsked<T>(hooks: Hooks, work: (isRead: boolean) => Promise<T>): Promise<T> {
  if (hooks.some(({ run }) => readers.has(run))) return work(true)
  try {
    return await work(false)
  } catch (error) {
    if (!(error instanceof PreviousAsked)) throw error
    return work(true)
  }
}

/** A longer chain is probably a recursion. */
const MAX_DEPTH = 5

async function runHook(
  host: ExtensionHost,
  { extension, run }: Registered<BeforeWrite>,
  write: HookedWrite,
  data: Data,
): Promise<Data> {
  const aborter = new AbortController()
  const asked = { isAsked: false }
  try {
    assertDepth(write)
    const event = eventOf(host, extension, write, { data, signal: aborter.signal, asked })
    const called: unknown = run(event)
    const returned = isThenable(called) ? await inTime(called, aborter, host) : called
    if (asked.isAsked) throw new PreviousAsked()
    return dataReturned(returned, data)
  } catch (error) {
    if (asked.isAsked) {
      readers.add(run)
      throw new PreviousAsked()
    }
    const isRefusal = error instanceof CmsError && !aborter.signal.aborted
    if (isRefusal) throw isOwnSentence(error) ? error.quoted() : error
    host.report(failedCall(extension, write, error))
    throw error instanceof CmsError ? error : new ExtensionFailedError(error)
  }
}

function assertDepth({ origin }: HookedWrite): void {
  if ((origin.authorship.by.depth ?? 0) < MAX_DEPTH) return
  throw new Error(`Hooks have caused each other ${MAX_DEPTH} times: this is a recursion`)
}

function failedCall(
  extension: string,
  { plan, operation, origin }: HookedWrite,
  error: unknown,
): FailedCall {
  return {
    extension,
    call: `beforeWrite of ${plan.uid} (${operation})`,
    requestId: origin.authorship.requestId,
    error: error instanceof Error ? error : new Error(String(error)),
  }
}

function isOwnSentence(error: CmsError): boolean {
  if (error instanceof ForbiddenError) return error.action === null
  return error instanceof ValidationError || error instanceof ApplicationError
}

interface HookInput {
  readonly data: Data
  readonly signal: AbortSignal
  readonly asked: { isAsked: boolean }
}

function eventOf(
  host: ExtensionHost,
  extension: string,
  { plan, documentId, key, operation, origin, previous, dryRun = false }: HookedWrite,
  { data, signal, asked }: HookInput,
): BeforeWriteEvent {
  const { by } = origin.authorship
  const depth = (by.depth ?? 0) + 1
  return {
    contentType: plan.declaredUid,
    operation,
    documentId,
    locale: key.locale === NO_LOCALE ? null : key.locale,
    status: key.status,
    data,
    get previous() {
      if (previous !== undefined) return previous === null ? null : versionForHook(plan, previous)
      asked.isAsked = true
      throw new PreviousAsked()
    },
    dryRun,
    principal: { kind: by.kind as ExtensionPrincipal['kind'], id: by.id, name: by.name }, // the kinds of authors
    signal,
    get content() {
      return guardContent(host.content({ extension, depth }), { signal, dryRun })
    },
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'then' in value &&
    typeof value.then === 'function'
  )
}

function inTime<T>(
  work: PromiseLike<T>,
  aborter: AbortController,
  { hookTimeoutMs }: ExtensionHost,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const late = new ServiceUnavailableError('An extension did not finish in time')
      aborter.abort(late)
      reject(late)
    }, hookTimeoutMs)
    const settled = Promise.resolve(work).finally(() => clearTimeout(timer))
    settled.then(resolve, reject)
  })
}

/** @throws Error unless the hook returned data or nothing */
function dataReturned(returned: unknown, data: Data): Data {
  if (returned === undefined || returned === data) return withoutDates(data)
  if (isRecord(returned) && !Object.isFrozen(data)) return withoutDates(returned)
  const kind = Array.isArray(returned) ? 'a list' : returned === null ? 'null' : typeof returned
  throw new Error(
    Object.isFrozen(data)
      ? 'The hook returned data, but this operation writes no data'
      : `The hook returned ${kind}; it must return an object or nothing`,
  )
}

/** Hooks often set dates to `new Date()`. The HTTP API takes texts. */
function withoutDates(data: Data): Data {
  const dates = Object.entries(data).filter(([, value]) => value instanceof Date)
  if (dates.length === 0) return data
  return {
    ...data,
    ...Object.fromEntries(dates.map(([name, value]) => [name, (value as Date).toISOString()])),
  }
}

interface Guard {
  readonly signal: AbortSignal
  readonly dryRun: boolean
}

const READS: ReadonlySet<PropertyKey> = new Set(['find', 'findOne', 'count'])

/** Refuses all calls after the deadline, and writes in a dry run. */
export function guardContent(content: ContentService, guard: Guard): ContentService {
  return new Proxy(content, {
    get: (services, plural) => {
      const service: unknown = Reflect.get(services, plural)
      return typeof service === 'object' && service !== null
        ? new Proxy(service, { get: (methods, name) => guardedMethod(methods, name, guard) })
        : service
    },
  })
}

function guardedMethod(methods: object, name: PropertyKey, { signal, dryRun }: Guard): unknown {
  const method: unknown = Reflect.get(methods, name)
  if (typeof method !== 'function') return method
  return (...given: readonly unknown[]): unknown => {
    if (signal.aborted) {
      return Promise.reject(new ServiceUnavailableError('The deadline of the extension is over'))
    }
    if (dryRun && !READS.has(name)) {
      return Promise.reject(new ApplicationError('A dry run writes nothing'))
    }
    return Reflect.apply(method, methods, given)
  }
}
