import { expect } from 'chai'
import { modelRuns } from '../support/model-runs.ts'
import type { Answer, Json } from '../support/server.ts'
import { readState } from './fault-operations.ts'
import { interleave, type Lane, type Order, ordersOf, permutationsOf } from './interleave.ts'
import { type Write, WRITE_GROUPS, type WriteGroup } from './interleaved-writes.ts'
import { type FaultWorld, openFaultWorld, openSecondServer } from './sweep-operation.ts'

/** Number of pairs and triples of writes, spread over all. */
const PAIRS = modelRuns('INTERLEAVED_PAIRS', 2, 50)
const TRIPLES = modelRuns('INTERLEAVED_TRIPLES', 1, 20)
/** Orders of commands of each pair or triple. */
const ORDERS = modelRuns('INTERLEAVED_ORDERS', 4, 6)

interface Together {
  readonly group: WriteGroup
  readonly writes: readonly Write[]
}

const ALL_PAIRS: readonly Together[] = WRITE_GROUPS.flatMap((group) =>
  group.writes.flatMap((one, index) =>
    group.writes.slice(index).map((other): Together => ({ group, writes: [one, other] })),
  ),
)

const ALL_TRIPLES: readonly Together[] = ALL_PAIRS.flatMap(({ group, writes }) => {
  const last = group.writes.findIndex((write) => write === writes.at(-1))
  return group.writes.slice(last).map((third) => ({ group, writes: [...writes, third] }))
})

function spread(all: readonly Together[], count: number): readonly Together[] {
  return count === 0 ? [] : all.filter((_, index) => index % Math.ceil(all.length / count) === 0)
}

/** The results of the requests and the state that they leave. */
interface Outcome {
  readonly results: readonly string[]
  readonly state: string
}

interface Ran extends Outcome {
  readonly answers: readonly Answer[]
}

/** Results of writes that did nothing, because another one was faster. */
const GAVE_WAY = /^(?:409|503|504)|retry/

/** The status, and the results of lines. */
function resultOf({ status, text, headers }: Answer): string {
  const isNdjson = headers['content-type']?.startsWith('application/x-ndjson') === true
  if (!isNdjson) return String(status)
  const lines = text
    .trim()
    .split('\n')
    .map((line): Json => JSON.parse(line))
  return [status, ...lines.map(({ outcome, result }) => outcome ?? result ?? '')].join(' ')
}

describe('writes of a document in different processes', function () {
  this.slow(20_000)
  this.timeout(300_000)
  const worlds: FaultWorld[] = []
  let keys = 0

  before(async () => {
    const first = await openFaultWorld()
    worlds.push(first, await openSecondServer(first), await openSecondServer(first))
  })
  after(async () => {
    for (const world of worlds.toReversed()) await world.close()
  })

  const worldOf = (lane: number): FaultWorld => {
    const world = worlds[lane]
    if (world === undefined) throw new Error(`no server for request ${lane}`)
    return world
  }

  /** `work` sends the requests, each to another server. */
  async function run(
    { group, writes }: Together,
    work: (lanes: readonly Lane[]) => Promise<readonly Answer[]>,
  ): Promise<Ran> {
    keys += 1
    const key = `i${keys}i`
    const { server } = worldOf(0)
    const path = await group.prepare(server, key)
    const lanes: Lane[] = []
    for (const [index, write] of writes.entries()) {
      const prepared = (await write.prepare?.(server, path, key)) ?? ''
      const world = worldOf(index)
      const send = (): Promise<Answer> => write.send(world.server, path, key, prepared)
      lanes.push({ proxy: world.proxy, send })
    }
    const answers = await work(lanes)
    await server.settled()
    const state = JSON.stringify(await readState(server, key))
    return { answers, results: answers.map(resultOf), state }
  }

  /** Sends some of the requests, one after the other. The results are in the order of the requests. */
  async function serial(together: Together, order: readonly number[]): Promise<Ran> {
    return run(together, async (lanes) => {
      const answers = new Map<number, Answer>()
      for (const lane of order) {
        const answer = await lanes[lane]?.send()
        if (answer !== undefined) answers.set(lane, answer)
      }
      return [...answers.keys()]
        .toSorted((one, other) => one - other)
        .flatMap((lane) => answers.get(lane) ?? [])
    })
  }

  /** The number of commands of a write without the others. */
  async function commandsOf(together: Together, index: number): Promise<number> {
    const { proxy } = worldOf(index)
    let commands = 0
    const { results, answers } = await run(together, async (lanes) => {
      proxy.arm(() => null)
      const answer = await lanes[index]?.send()
      commands = proxy.disarm().length
      return answer === undefined ? [] : [answer]
    })
    expect(results.join(), answers[0]?.text).to.match(/^2\d\d( |applied|updated|created)*$/)
    return commands
  }

  /** Compares with each order of the writes that did something. Reads the outcomes once. */
  function comparison(together: Together): (order: Order) => Promise<string | null> {
    const known = new Map<string, Promise<Outcome>>()
    const outcomeOf = (lanes: readonly number[]): Promise<Outcome> => {
      const found = known.get(lanes.join()) ?? serial(together, lanes)
      known.set(lanes.join(), found)
      return found
    }
    return async (order) => {
      const { answers, results, state } = await run(together, (lanes) => interleave(lanes, order))
      const done = results.flatMap((result, lane) => (GAVE_WAY.test(result) ? [] : [lane]))
      if (done.length === 0) return `${JSON.stringify(order)}: no write succeeds`
      const shown = done.map((lane) => results[lane]).join()
      const instead: string[] = []
      for (const lanes of permutationsOf(done)) {
        const outcome = await outcomeOf(lanes)
        if (outcome.state === state && outcome.results.join() === shown) return null
        instead.push(`${outcome.results.join()} ${outcome.state}`)
      }
      const refusals = answers.filter(({ status }) => status >= 300).map(({ text }) => text)
      return `${JSON.stringify(order)}: ${results.join()} ${state} ${refusals.join()}\n  instead of ${instead.join('\n  or ')}`
    }
  }

  for (const together of [...spread(ALL_PAIRS, PAIRS), ...spread(ALL_TRIPLES, TRIPLES)]) {
    const names = together.writes.map(({ name }) => name).join(' and ')
    it(`end as if one came after the other: ${names} of ${together.group.name}`, async function () {
      const counts: number[] = []
      for (const index of together.writes.keys()) counts.push(await commandsOf(together, index))
      const orders = ordersOf(counts, ORDERS)
      const differs = comparison(together)
      const faults: string[] = []
      for (const order of orders) {
        const fault = await differs(order)
        if (fault !== null) faults.push(fault)
      }
      if (this.test) this.test.title += `, ${orders.length} orders`
      expect(faults, faults.join('\n')).to.be.empty
      expect(orders.length).to.be.above(1)
    })
  }
})
