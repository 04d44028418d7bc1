import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { permitPushes } from '../support/push-world.ts'
import { type Answer, type Json, serve, type TestServer } from '../support/server.ts'
import { testUri } from '../support/test-database.ts'
import { checkStoredLog } from './check-stored-log.ts'
import { FAULT_TYPES, type FaultOperation, LOCALES, readState } from './fault-operations.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import type { FaultKind } from './wire-fault-table.ts'

/** A server behind a proxy that makes its commands fail. */
export interface FaultWorld {
  readonly proxy: FaultProxy
  readonly server: TestServer
  /** The data folder of the server. */
  readonly folder: string
  /** @throws Error if the commit log has a gap or differs from the stored versions */
  close(): Promise<void>
}

let keys = 0

function newKey(): string {
  keys += 1
  return `k${keys}k`
}

export async function openFaultWorld(
  storage: Readonly<Record<string, string>> = { UPLOAD_STORAGE: 'local' },
): Promise<FaultWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-faults-'))
  const proxy = await openFaultProxy(await testUri())
  const environment = { RATE_LIMIT: 'off', QUIRE_DATA_DIR: folder, ...storage }
  const server = await serve('wire_faults', {
    uri: proxy.uri,
    contentTypes: FAULT_TYPES,
    locales: LOCALES.slice(1),
    environment,
  })
  const verbs = ['push', 'create', 'update', 'delete', 'find', 'findOne', 'sync']
  const permissions = verbs.map((verb) => `api::memo.memo.${verb}`)
  await permitPushes(server, permissions)
  return {
    proxy,
    server,
    folder,
    close: async () => {
      await server.settled()
      const faults = await checkStoredLog(server)
      await server.close()
      await proxy.close()
      rmSync(folder, { recursive: true, force: true })
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
  }
}

/** A second server on the database of another one, behind a proxy of its own. */
export async function openSecondServer({ server, folder }: FaultWorld): Promise<FaultWorld> {
  const proxy = await openFaultProxy(await testUri())
  const second = await serve('wire_faults', {
    uri: proxy.uri,
    contentTypes: server.contentTypesDir,
    environment: {
      RATE_LIMIT: 'off',
      QUIRE_DATA_DIR: folder,
      MONGODB_DATABASE: server.database,
    },
  })
  return {
    proxy,
    server: second,
    folder,
    close: async () => {
      await second.close()
      await proxy.close()
    },
  }
}

/** One way to fail. */
export interface FaultForm {
  readonly name: string
  /** Injects the fault at a position. Returns a function that ends it. */
  arm(world: FaultWorld, position: number): () => Injection
}

export interface Injection {
  readonly isReached: boolean
  /** The failed step, or null if this fault does not suit the step. */
  readonly step: string | null
}

/** This number of consecutive commands fail. */
export function commandForm(kind: FaultKind, times = 1): FaultForm {
  return {
    name: `${kind.name}, ${times} times`,
    arm: ({ proxy }, position) => {
      let isReached = false
      let step: string | null = null
      proxy.arm((sent, at) => {
        isReached ||= at >= position
        if (at < position || at >= position + times || !kind.suits(sent)) return null
        step ??= Object.entries(sent).slice(0, 1).flat().join(' ')
        return kind.fault
      })
      return () => {
        proxy.disarm()
        return { isReached, step }
      }
    },
  }
}

export interface SweepReport {
  /** The number of steps of the operation: the first position that no run reached, less one. */
  readonly steps: number
  readonly injected: number
  readonly faults: readonly string[]
  /** The run that took longest. */
  readonly slowest: { readonly ms: number; readonly where: string }
}

/** The states of an operation, for any key. */
interface Rehearsal {
  readonly before: string
  readonly after: string
}

/** More steps than any operation has. */
const MAX_STEPS = 500

/**
 * Runs an operation with its first step failing, then with the second one, and so on until it ends
 * without a fault. `chooseForms` selects the faults of a step. Commands are known from a run
 * without faults.
 */
export async function sweepOperation(
  worlds: readonly FaultWorld[],
  operation: FaultOperation,
  chooseForms: (command: Json) => readonly FaultForm[],
): Promise<SweepReport> {
  const [first] = worlds
  if (first === undefined) throw new Error('no world')
  const { commands, ...rehearsal } = await rehearse(first, operation)
  const faults: string[] = []
  let injected = 0
  let slowest = { ms: 0, where: '' }
  for (let position = 1; position <= MAX_STEPS; position += 1) {
    const forms = [...chooseForms(commands[position - 1] ?? commands.at(-1))]
    const reached = await Promise.all(
      worlds.map(async (world) => {
        let isReached = false
        for (let form = forms.shift(); form !== undefined; form = forms.shift()) {
          const began = performance.now()
          const outcome = await attempt(world, operation, { form, position }, rehearsal)
          const ms = Math.round(performance.now() - began)
          if (ms > slowest.ms) slowest = { ms, where: `${form.name} at ${position}` }
          isReached ||= outcome.isReached
          if (outcome.isInjected) injected += 1
          faults.push(...outcome.faults)
        }
        return isReached
      }),
    )
    if (!reached.includes(true)) {
      return { steps: position - 1, injected, faults, slowest }
    }
  }
  throw new Error(`${operation.name} has more than ${MAX_STEPS} steps`)
}

/** Runs the operation without a fault. */
async function rehearse(
  { server, proxy }: FaultWorld,
  operation: FaultOperation,
): Promise<Rehearsal & { readonly commands: readonly Json[] }> {
  const [first, key] = [newKey(), newKey()]
  // Ids come in blocks: this reserves the first block of each kind.
  await operation.send(server, first, await operation.prepare(server, first))
  const prepared = await operation.prepare(server, key)
  const before = JSON.stringify(await readState(server, key))
  proxy.arm(() => null)
  const answer = await operation.send(server, key, prepared)
  const commands = proxy.disarm()
  const after = JSON.stringify(await readState(server, key))
  if (statusOf(operation, answer) >= 300) throw new Error(`${answer.status} ${answer.text}`)
  if (after === before) throw new Error(`${operation.name} changes nothing`)
  return { commands, before, after }
}

interface Trial {
  readonly form: FaultForm
  readonly position: number
}

interface Attempt {
  readonly isReached: boolean
  readonly isInjected: boolean
  readonly faults: readonly string[]
}

async function attempt(
  world: FaultWorld,
  operation: FaultOperation,
  { form, position }: Trial,
  { before, after }: Rehearsal,
): Promise<Attempt> {
  const { server } = world
  const key = newKey()
  const prepared = await operation.prepare(server, key)
  server.takeLog()
  const disarm = form.arm(world, position)
  const answer = await operation.send(server, key, prepared)
  const { isReached, step } = disarm()
  const log = server.takeLog().map(({ err, msg }) => `${msg} ${err?.stack ?? ''}`)
  const stored = JSON.stringify(await readState(server, key))
  const faults = [
    ...judgeAnswer(operation, answer, log),
    ...judgeState(operation, answer, stored, { before, after }),
  ]
  if (statusOf(operation, answer) >= 300 && stored !== after) {
    const again = await settled(() => operation.send(server, key, prepared))
    if (statusOf(operation, again) >= 300) faults.push(`and again: ${again.status} ${again.text}`)
    const then = JSON.stringify(await readState(server, key))
    if (then !== after) faults.push(`and again: ${then}`)
  }
  const where = `${form.name} at ${position}, ${step}`
  return {
    isReached,
    isInjected: step !== null,
    faults: faults.map((fault) => `${where}: ${fault}`),
  }
}

function judgeAnswer(
  operation: FaultOperation,
  answer: Answer,
  log: readonly string[],
): readonly string[] {
  const isExpected = isAllowed(answer) && isAllowedStatus(statusOf(operation, answer))
  return isExpected ? [] : [`${answer.status} ${answer.text} ${log.join('; ')}`]
}

function judgeState(
  operation: FaultOperation,
  answer: Answer,
  stored: string,
  { before, after }: Rehearsal,
): readonly string[] {
  const isAcknowledged = statusOf(operation, answer) < 300
  if (isAcknowledged && stored !== after) return [`not as acknowledged: ${stored}`]
  if (operation.acknowledgedBy === undefined) {
    return stored === before || stored === after ? [] : [`neither old nor new: ${stored}`]
  }
  return operation
    .acknowledgedBy(answer)
    .filter((name) => !stored.includes(name))
    .map((name) => `${name} was acknowledged, but is not stored`)
}

function statusOf({ statusOf }: FaultOperation, answer: Answer): number {
  return statusOf === undefined || answer.status >= 300 ? answer.status : statusOf(answer)
}

const isAllowedStatus = (status: number): boolean =>
  status < 300 || status === 503 || status === 504

/** A success, or an error with Retry-After. */
function isAllowed({ status, headers, body }: Answer): boolean {
  if (status < 300) return true
  const isEnvelope = body?.error?.status === status && body.data === null
  return isAllowedStatus(status) && isEnvelope && headers['retry-after'] === '1'
}

/** The failed request may hold its key for ten more seconds. */
async function settled(send: () => Promise<Answer>): Promise<Answer> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const answer = await send()
    const isSettled = ![409, 503, 504].includes(answer.status)
    if (isSettled || Date.now() > deadline) return answer
    await wait(100)
  }
}
