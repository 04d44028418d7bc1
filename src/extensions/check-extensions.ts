import { ExtensionError } from '../base/errors.ts'
import { isRecord } from '../base/is-record.ts'
import { isTimeZone } from '../base/is-time-zone.ts'
import { didYouMean } from '../base/near-miss.ts'
import type { ContentTypeDefinition, Definitions } from '../schema/definition.ts'
import { findComputedFaults } from './computed-faults.ts'
import type { Extension } from './extension.ts'
import { MAX_JOB_TIMEOUT_MS } from './extension-job.ts'
import { explainSchedule } from './job-schedule.ts'
import { type ExtensionFault, unknownMember } from './extension-fault.ts'

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/
const MAX_NAME_LENGTH = 60

const MEMBERS: Readonly<Record<string, 'function' | 'object' | 'list' | 'string'>> = {
  name: 'string',
  contentTypes: 'object',
  providers: 'object',
  jobs: 'list',
  routes: 'function',
  start: 'function',
  stop: 'function',
}

const TYPE_MEMBERS = ['beforeWrite', 'computed', 'afterCommit']
const PROVIDERS = ['storage', 'mailer', 'search', 'translate']

/** @throws ExtensionError with all faults, each with the name of its extension and its path */
export function checkExtensions(extensions: readonly Extension[], definitions: Definitions): void {
  const given: readonly unknown[] = extensions // by the code of a project, maybe without type checks
  const faults = given.flatMap((extension, index) =>
    findExtensionFaults(extension, definitions).map(
      ({ path, problem }) => `${labelOf(extension, index)}: ${path}: ${problem}`,
    ),
  )
  const all = [...faults, ...findShared(given.filter(isRecord))]
  if (all.length > 0) throw new ExtensionError(all)
}

function labelOf(extension: unknown, index: number): string {
  const name = isRecord(extension) ? extension['name'] : null
  return typeof name === 'string' && name !== ''
    ? `extension ${JSON.stringify(name)}`
    : `extensions[${index}]`
}

function findExtensionFaults(
  extension: unknown,
  definitions: Definitions,
): readonly ExtensionFault[] {
  if (!isRecord(extension)) {
    return [{ path: 'extension', problem: 'must be an object, as defineExtension returns it' }]
  }
  const { name, contentTypes, providers, jobs } = extension
  return [
    ...findNameFaults(name),
    ...findMemberFaults(extension),
    ...(isRecord(contentTypes) ? findTypeFaults(contentTypes, definitions) : []),
    ...(isRecord(providers) ? findProviderFaults(providers) : []),
    ...(Array.isArray(jobs) ? findJobFaults(jobs) : []),
  ]
}

function findNameFaults(name: unknown): readonly ExtensionFault[] {
  if (typeof name === 'string' && NAME.test(name) && name.length <= MAX_NAME_LENGTH) return []
  const problem = `must be a name of at most ${MAX_NAME_LENGTH} lower-case letters, digits and hyphens`
  return [{ path: 'name', problem }]
}

function findMemberFaults(extension: Readonly<Record<string, unknown>>): readonly ExtensionFault[] {
  return Object.entries(extension).flatMap(([key, value]) => {
    const expected = MEMBERS[key]
    if (expected === undefined) return [unknownMember(key, key, Object.keys(MEMBERS))]
    if (value === undefined || expected === 'string' || isOfType(value, expected)) return []
    return [{ path: key, problem: `must be ${expected === 'object' ? 'an' : 'a'} ${expected}` }]
  })
}

function isOfType(value: unknown, expected: 'function' | 'object' | 'list'): boolean {
  if (expected === 'list') return Array.isArray(value)
  return expected === 'object' ? isRecord(value) : typeof value === 'function'
}

function findTypeFaults(
  contentTypes: Readonly<Record<string, unknown>>,
  { contentTypes: declared }: Definitions,
): readonly ExtensionFault[] {
  return Object.entries(contentTypes).flatMap(([uid, members]) => {
    const path = `contentTypes[${JSON.stringify(uid)}]`
    const type = declared.find((one) => one.uid === uid)
    if (type === undefined) {
      const hint = didYouMean(
        uid,
        declared.map((one) => one.uid),
      )
      return [{ path, problem: `no content-type has this uid${hint}` }]
    }
    if (members === undefined) return []
    if (!isRecord(members)) return [{ path, problem: 'must be an object' }]
    return findMembersOfType(members, type, path)
  })
}

function findMembersOfType(
  members: Readonly<Record<string, unknown>>,
  type: ContentTypeDefinition,
  path: string,
): readonly ExtensionFault[] {
  return Object.entries(members).flatMap(([key, value]) => {
    const place = `${path}.${key}`
    if (!TYPE_MEMBERS.includes(key)) return [unknownMember(place, key, TYPE_MEMBERS)]
    if (value === undefined) return []
    if (key !== 'afterCommit' && !type.uid.startsWith('api::')) {
      return [{ path: place, problem: 'only content-types of the project (api::…) may have it' }]
    }
    if (key === 'computed') return findComputedFaults(value, type, place)
    return typeof value === 'function' ? [] : [{ path: place, problem: 'must be a function' }]
  })
}

function findProviderFaults(
  providers: Readonly<Record<string, unknown>>,
): readonly ExtensionFault[] {
  return Object.entries(providers).flatMap(([key, value]) => {
    const path = `providers.${key}`
    if (!PROVIDERS.includes(key)) return [unknownMember(path, key, PROVIDERS)]
    if (value === undefined || typeof value === 'function') return []
    return [{ path, problem: 'must be a function that returns the provider' }]
  })
}

function findJobFaults(jobs: readonly unknown[]): readonly ExtensionFault[] {
  const names = new Set<unknown>()
  return jobs.flatMap((job, index): readonly ExtensionFault[] => {
    const path = `jobs[${index}]`
    if (!isRecord(job)) return [{ path, problem: 'must be an object' }]
    const { name, run } = job
    const isTaken = names.has(name)
    names.add(name)
    return [
      ...(typeof name === 'string' && NAME.test(name)
        ? []
        : [{ path: `${path}.name`, problem: 'must be lower-case letters, digits and hyphens' }]),
      ...(isTaken ? [{ path: `${path}.name`, problem: 'an earlier job has this name' }] : []),
      ...findScheduleFaults(job, path),
      ...(typeof run === 'function'
        ? []
        : [{ path: `${path}.run`, problem: 'must be a function' }]),
    ]
  })
}

const JOB_MEMBERS = ['name', 'cron', 'timeZone', 'catchUp', 'timeoutMs', 'run']

function findScheduleFaults(
  job: Readonly<Record<string, unknown>>,
  path: string,
): readonly ExtensionFault[] {
  const { cron, timeZone, catchUp, timeoutMs } = job
  const unknown = Object.keys(job).filter((key) => !JOB_MEMBERS.includes(key))
  const faults = unknown.map((key) => unknownMember(`${path}.${key}`, key, JOB_MEMBERS))
  const add = (member: string, problem: string): void => {
    faults.push({ path: `${path}.${member}`, problem })
  }
  if (catchUp !== undefined && typeof catchUp !== 'boolean') add('catchUp', 'must be true or false')
  if (timeoutMs !== undefined && !isTimeout(timeoutMs)) {
    add('timeoutMs', `must be a whole number from 1 to ${MAX_JOB_TIMEOUT_MS}`)
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    add('timeZone', 'must be an IANA name, such as Europe/Paris')
  } else if (typeof cron === 'string') {
    const zone = typeof timeZone === 'string' ? { timeZone } : {}
    const problem = explainSchedule({ cron, ...zone })
    if (problem !== null) add('cron', problem)
  } else add('cron', 'must be a text')
  return faults
}

function isTimeout(given: unknown): boolean {
  return Number.isSafeInteger(given) && Number(given) >= 1 && Number(given) <= MAX_JOB_TIMEOUT_MS
}

function findShared(extensions: readonly Readonly<Record<string, unknown>>[]): readonly string[] {
  const owners = new Map<string, string>()
  return extensions.flatMap((extension) => {
    const name = String(extension['name'])
    return claimsOf(extension).flatMap((claim) => {
      const owner = owners.get(claim)
      owners.set(claim, owner ?? name)
      if (owner === undefined) return []
      return [
        `extension ${JSON.stringify(name)}: ${claim}: extension ${JSON.stringify(owner)} has it already`,
      ]
    })
  })
}

function claimsOf(extension: Readonly<Record<string, unknown>>): readonly string[] {
  const { name, providers, contentTypes } = extension
  const provided = isRecord(providers) ? Object.keys(providers) : []
  const types = isRecord(contentTypes) ? Object.entries(contentTypes) : []
  const computed = types.flatMap(([uid, members]) => {
    const attributes = isRecord(members) ? members['computed'] : null
    const names = isRecord(attributes) ? Object.keys(attributes) : []
    return names.map((attribute) => `contentTypes[${JSON.stringify(uid)}].computed.${attribute}`)
  })
  return [
    ...(typeof name === 'string' ? [`name ${name}`] : []),
    ...provided.map((kind) => `providers.${kind}`),
    ...computed,
  ]
}
