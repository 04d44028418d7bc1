import { expect } from 'chai'
import { modelRuns } from '../support/model-runs.ts'
import type { Answer, Json } from '../support/server.ts'
import { readState } from './fault-operations.ts'
import { interleave, type Order, ordersOf } from './interleave.ts'
import { type Write, WRITE_GROUPS, type WriteGroup } from './interleaved-writes.ts'
import { type FaultWorld, openFaultWorld, openSecondServer } from './sweep-operation.ts'

/** Number of pairs of writes, spread over all pairs. */
const PAIRS = modelRuns('INTERLEAVED_PAIRS', 2, 50)
/** Orders of commands of each pair. */
const ORDERS = modelRuns('INTERLEAVED_ORDERS', 4, 6)

interface Pair {
  readonly group: WriteGroup
  readonly writes: readonly [Write, Write]
}

const ALL_PAIRS: readonly Pair[] = WRITE_GROUPS.flatMap((group) =>
  group.writes.flatMap((one, index) =>
    group.writes.slice(index).map((other): Pair => ({ group, writes: [one, other] })),
  ),
)

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

describe('two writes of a document in different processes', function () {
  this.slow(20_000)
  this.timeout(300_000)
  let one: FaultWorld
  let other: FaultWorld
  let keys = 0

  before(async () => {
    one = await openFaultWorld()
    other = await openSecondServer(one)
  })
  after(async () => {
    await other.close()
    await one.close()
  })

  type Send = readonly [() => Promise<Answer>, () => Promise<Answer>]

  /** `work` sends the two requests, to different servers. */
  async function run(
    { group, writes }: Pair,
    work: (send: Send) => Promise<readonly Answer[]>,
  ): Promise<Ran> {
    keys += 1
    const key = `i${keys}i`
    const path = await group.prepare(one.server, key)
    const [first, second] = writes
    const prepared = [
      (await first.prepare?.(one.server, path, key)) ?? '',
      (await second.prepare?.(one.server, path, key)) ?? '',
    ] as const
    const answers = await work([
      () => first.send(one.server, path, key, prepared[0]),
      () => second.send(other.server, path, key, prepared[1]),
    ])
    await one.server.settled()
    const state = JSON.stringify(await readState(one.server, key))
    return { answers, results: answers.map(resultOf), state }
  }

  /** The number of commands of a write without the other one, and its outcome. */
  async function alone(pair: Pair, index: 0 | 1): Promise<Ran & { readonly commands: number }> {
    const { proxy } = index === 0 ? one : other
    let commands = 0
    const outcome = await run(pair, async (send) => {
      proxy.arm(() => null)
      const answer = await send[index]()
      commands = proxy.disarm().length
      return [answer]
    })
    return { ...outcome, commands }
  }

  const serial = (pair: Pair, first: 0 | 1): Promise<Outcome> =>
    run(pair, async (send) => {
      const begun = await send[first]()
      const ended = await send[first === 0 ? 1 : 0]()
      return first === 0 ? [begun, ended] : [ended, begun]
    })

  interface Expected {
    readonly serial: readonly Outcome[]
    readonly alone: readonly [Outcome, Outcome]
    /** Neither request was sent. */
    readonly none: Outcome
  }

  async function differs(pair: Pair, order: Order, expected: Expected): Promise<string | null> {
    const { answers, results, state } = await run(pair, (send) =>
      interleave(
        [
          { proxy: one.proxy, send: send[0] },
          { proxy: other.proxy, send: send[1] },
        ],
        order,
      ),
    )
    const done = results.filter((result) => !GAVE_WAY.test(result))
    const allowed = results.flatMap((result, index) =>
      GAVE_WAY.test(result) ? [expected.alone[index === 0 ? 1 : 0]] : [],
    )
    const outcomes = [...expected.serial, ...(done.length === 0 ? [expected.none] : allowed)]
    const isSerial = outcomes.some(
      (outcome) => outcome.state === state && outcome.results.join() === done.join(),
    )
    if (isSerial) return null
    const refusals = answers.filter(({ status }) => status >= 300).map(({ text }) => text)
    const texts = outcomes.map((outcome) => `${outcome.results.join()} ${outcome.state}`)
    return `${JSON.stringify(order)}: ${results.join()} ${state} ${refusals.join()}\n  instead of ${texts.join('\n  or ')}`
  }

  const chosen = ALL_PAIRS.filter((_, index) => index % Math.ceil(ALL_PAIRS.length / PAIRS) === 0)
  for (const pair of chosen) {
    const [first, second] = pair.writes
    it(`end as if one came after the other: ${first.name} and ${second.name} of ${pair.group.name}`, async function () {
      const each = [await alone(pair, 0), await alone(pair, 1)] as const
      for (const { results, answers } of each)
        expect(results.join(), answers[0]?.text).to.match(/^2\d\d( |applied|updated|created)*$/)
      const both = [await serial(pair, 0), await serial(pair, 1)]
      const none = await run(pair, () => Promise.resolve([]))
      const orders = ordersOf([each[0].commands, each[1].commands], ORDERS)
      const faults: string[] = []
      for (const order of orders) {
        const fault = await differs(pair, order, { serial: both, alone: each, none })
        if (fault !== null) faults.push(fault)
      }
      if (this.test) this.test.title += `, ${orders.length} orders`
      expect(faults, faults.join('\n')).to.be.empty
      expect(orders.length).to.be.above(1)
    })
  }
})
