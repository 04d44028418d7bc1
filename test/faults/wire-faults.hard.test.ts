import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { type Answer, type Json, serve, type TestServer } from '../support/server.ts'
import { testUri } from '../support/test-database.ts'
import {
  FAULT_OPERATIONS,
  FAULT_TYPES,
  type FaultOperation,
  LOCALES,
  readState,
} from './fault-operations.ts'
import { type FaultProxy, openFaultProxy } from './fault-proxy.ts'
import { FAULT_KINDS, type FaultKind } from './wire-fault-table.ts'

/**
 * `all` tries every fault at every command, which takes minutes. The default is one fault at each
 * command, and three at a commit.
 */
const IS_WHOLE = process.env['QUIRE_TEST_WIRE_FAULTS'] === 'all'
const WORLDS = 4

interface World {
  readonly proxy: FaultProxy
  readonly server: TestServer
}

interface Trial {
  readonly position: number
  readonly kind: FaultKind
  /** The number of consecutive failing commands, because a retry may fail too. */
  readonly times: number
}

const TIMES = [1, 2, 4] as const

describe('a failing command to the database', function () {
  this.slow(10_000)
  this.timeout(IS_WHOLE ? 1_800_000 : 120_000)
  const worlds: World[] = []
  let keys = 0
  const newKey = (): string => {
    keys += 1
    return `k${keys}k`
  }

  before(async () => {
    const uri = await testUri()
    for (let index = 0; index < WORLDS; index += 1) {
      const proxy = await openFaultProxy(uri)
      const server = await serve('wire_faults', {
        uri: proxy.uri,
        contentTypes: FAULT_TYPES,
        locales: LOCALES.slice(1),
      })
      worlds.push({ proxy, server })
    }
  })

  after(async () => {
    for (const { server, proxy } of worlds) {
      await server.close()
      await proxy.close()
    }
  })

  for (const [index, operation] of FAULT_OPERATIONS.entries()) {
    it(`has all effects or none: ${operation.name}`, async () => {
      const [world] = worlds
      if (world === undefined) throw new Error('no world')
      const { commands, before, after } = await rehearse(world, operation)
      const trials = commands.flatMap((command, at) =>
        chooseFaults(command, at + index).map((fault) => ({ ...fault, position: at + 1 })),
      )
      const faults: string[] = []
      let injected = 0
      const work = async (world: World): Promise<void> => {
        for (let trial = trials.shift(); trial !== undefined; trial = trials.shift()) {
          const outcome = await attempt(world, operation, trial, { before, after })
          if (outcome.isInjected) injected += 1
          faults.push(...outcome.faults)
        }
      }
      const expected = trials.length
      await Promise.all(worlds.map(work))
      expect(faults).to.deep.equal([])
      expect(injected).to.be.greaterThan(expected / 2) // ids come in blocks, so a command may be unnecessary
    })
  }

  /** The commands of the operation, and the states before and after it, without a fault. */
  async function rehearse(
    { server, proxy }: World,
    operation: FaultOperation,
  ): Promise<{ commands: readonly Json[]; before: Json; after: Json }> {
    const [first, key] = [newKey(), newKey()]
    // Ids come in blocks: this reserves the first block of each kind.
    await operation.send(server, first, await operation.prepare(server, first))
    const prepared = await operation.prepare(server, key)
    const before = await readState(server, key)
    proxy.arm(() => null)
    const answer = await operation.send(server, key, prepared)
    const commands = proxy.disarm()
    expect(answer.status, answer.text).to.be.below(300)
    const after = await readState(server, key)
    expect(after).to.not.deep.equal(before)
    return { commands, before, after }
  }

  async function attempt(
    { server, proxy }: World,
    operation: FaultOperation,
    { position, kind, times }: Trial,
    { before, after }: { readonly before: Json; readonly after: Json },
  ): Promise<{ readonly isInjected: boolean; readonly faults: readonly string[] }> {
    const key = newKey()
    const prepared = await operation.prepare(server, key)
    let isInjected = false
    let command = ''
    proxy.arm((sent, at) => {
      if (at < position || at >= position + times || !kind.suits(sent)) return null
      if (!isInjected) command = Object.entries(sent).slice(0, 1).flat().join(' ')
      isInjected = true
      return kind.fault
    })
    server.takeLog()
    const answer = await operation.send(server, key, prepared)
    proxy.disarm()
    const log = server.takeLog().map(({ err, msg }) => `${msg} ${err?.stack ?? ''}`)
    const stored = JSON.stringify(await readState(server, key))
    const [old, whole] = [JSON.stringify(before), JSON.stringify(after)]
    const faults: string[] = []
    if (!isAllowed(answer)) faults.push(`${answer.status} ${answer.text} ${log.join('; ')}`)
    if (answer.status < 300 && stored !== whole) faults.push(`not as acknowledged: ${stored}`)
    if (stored !== old && stored !== whole) faults.push(`neither old nor new: ${stored}`)
    if (stored === old && answer.status >= 300) {
      const again = await settled(() => operation.send(server, key, prepared))
      if (again.status >= 300) faults.push(`and again: ${again.status} ${again.text}`)
      const then = JSON.stringify(await readState(server, key))
      if (then !== whole) faults.push(`and again: ${then}`)
    }
    const where = `${kind.name} at ${position}, ${command}, ${times} times`
    return { isInjected, faults: faults.map((fault) => `${where}: ${fault}`) }
  }
})

/** A success, or an error with Retry-After. */
function isAllowed({ status, headers, body }: Answer): boolean {
  if (status < 300) return true
  const isEnvelope = body?.error?.status === status && body.data === null
  return (status === 503 || status === 504) && isEnvelope && headers['retry-after'] === '1'
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

function chooseFaults(command: Json, turn: number): readonly Omit<Trial, 'position'>[] {
  const suited = FAULT_KINDS.filter(({ suits }) => suits(command))
  const all = suited.flatMap((kind) => TIMES.map((times) => ({ kind, times })))
  if (IS_WHOLE) return all
  const count = 'commitTransaction' in command ? 3 : 1
  // Three does not divide the steps, so every value of `times` occurs.
  const chosen = Array.from(
    { length: count },
    (_, more) => all[(turn * 7 + more * 13) % all.length],
  )
  return chosen.filter((trial) => trial !== undefined)
}
