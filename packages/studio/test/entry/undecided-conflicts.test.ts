import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Address, serializeAddress, valueAt } from '../../src/entry/address.ts'
import type { Data } from '../../src/entry/data.ts'
import { toFormValues } from '../../src/entry/values.ts'
import { authorNamed, openForm, type OpenedForm } from './entry-server.ts'
import { ARTICLE, reading } from './samples.ts'

const ADDRESSES: readonly Address[] = [['title'], ['views'], ['quotes', 'shared.quote:1', 'text']]
const [TITLE] = ADDRESSES as readonly [Address]

describe('undecided conflicts of a closed form', () => {
  it('are shown again with both values and the author', async () => {
    const opened = await openConflict()
    const { form, server, saver, clock } = reopen(opened)
    await clock.pass(10_000)
    expect(form.conflictAt(TITLE)).to.deep.include({ theirs: 'theirs', by: authorNamed('Grace') })
    expect(form.get(TITLE)).to.equal('mine')
    expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['title'] })
    expect(server.entry).to.include({ title: 'theirs', views: 2 })
  })

  for (const [side, value] of [
    ['mine', 'mine'],
    ['theirs', 'theirs'],
  ] as const) {
    it(`end with the decision for ${side}`, async () => {
      const { form, server, saver, clock, kept } = reopen(reopen(await openConflict()))
      form.settle(TITLE, value)
      await clock.pass(800)
      expect(server.entry).to.include({ title: value })
      expect(saver.state().kind).to.equal('saved')
      expect(kept.work).to.equal(null)
    })
  }

  it('are removed if the other version equals the local one in the meantime', async () => {
    const opened = await openConflict()
    opened.close()
    opened.server.elsewhere({ title: 'mine' })
    const { form, saver, clock } = openForm({ before: opened })
    await clock.pass(800)
    expect(form.conflicts()).to.deep.equal([])
    expect(saver.state().kind).to.equal('saved')
  })

  it('are found in changes that an earlier version stored', async () => {
    const opened = await openConflict()
    opened.close()
    opened.kept.work = { base: { title: 'Atlas' }, mine: { title: 'mine' } }
    const { form, clock } = openForm({ before: opened })
    await clock.pass(800)
    expect(form.conflictAt(TITLE)).to.deep.include({ mine: 'mine', theirs: 'theirs' })
  })

  it('never let the form overwrite a value without a decision', async function () {
    this.timeout(60_000)
    let reopened = 0
    const run = fc.asyncProperty(fc.array(STEP, { maxLength: 30, size: 'max' }), async (steps) => {
      const session = new Session()
      for (const step of steps) await session.take(step)
      reopened += session.reopenedConflicts
      await session.decideAll()
    })
    await fc.assert(run, { numRuns: 400 })
    expect(reopened).to.be.greaterThan(100)
  })
})

interface Step {
  readonly kind:
    'clash' | 'type' | 'elsewhere' | 'pass' | 'refresh' | 'decide' | 'reload' | 'compare'
  readonly at: number
  readonly value: string
}

const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    'clash',
    'type',
    'elsewhere',
    'pass',
    'refresh',
    'decide',
    'reload',
    'compare',
  ),
  at: fc.nat({ max: ADDRESSES.length - 1 }),
  value: fc.constantFrom('2', '3', '4'),
})

/** A form that is closed and opened while others write the same entry. */
class Session {
  #opened = openForm()
  /** The values of others that the form has shown in conflicts, and that the user has not replaced. */
  readonly #undecided = new Map<string, unknown>()
  reopenedConflicts = 0
  readonly #steps: Readonly<Record<Step['kind'], (step: Step) => Promise<void> | void>> = {
    clash: async ({ at, value }) => {
      this.#type(at, value)
      this.#writeElsewhere(at, '5')
      await this.#opened.clock.pass(800)
    },
    type: ({ at, value }) => this.#type(at, value),
    elsewhere: ({ at, value }) => this.#writeElsewhere(at, value),
    pass: () => this.#opened.clock.pass(800),
    refresh: async () => void (await this.#opened.saver.refresh()),
    decide: ({ at, value }) => this.#decide(addressOf(at), value === '2'),
    reload: () => this.#reopen(),
    compare: () => this.#compare(),
  }

  constructor() {
    this.#opened.server.user = authorNamed('the user')
  }

  async take(step: Step): Promise<void> {
    await this.#steps[step.kind](step)
    await this.#opened.clock.settle()
    this.#check()
  }

  async decideAll(): Promise<void> {
    const { saver, clock } = this.#opened
    await saver.refresh()
    for (const address of ADDRESSES) this.#decide(address, address === TITLE)
    await clock.pass(800)
    await clock.pass(800)
    expect(saver.state().kind).to.equal('saved')
    expect(this.#opened.kept.work).to.equal(null)
    this.#check()
  }

  #type(at: number, value: string): void {
    this.#opened.form.set(addressOf(at), at === 1 ? Number(value) : value)
  }

  #writeElsewhere(at: number, value: string): void {
    const { server } = this.#opened
    server.elsewhere(dataFor(at, value))
    server.author = value === '2' ? null : authorNamed(`author of ${value}`)
    this.#undecided.delete(serializeAddress(addressOf(at)))
  }

  #decide(address: Address, keepsMine: boolean): void {
    const { form } = this.#opened
    const conflict = form.conflictAt(address)
    if (conflict === undefined) return
    form.settle(address, keepsMine ? form.get(address) : conflict.theirs)
    this.#undecided.delete(serializeAddress(address))
  }

  #reopen(): void {
    this.reopenedConflicts += this.#opened.form.conflicts().length
    this.#opened = reopen(this.#opened)
  }

  async #compare(): Promise<void> {
    const shown = () => {
      const { form } = this.#opened
      const conflicts = form.conflicts().map(({ address, theirs, by }) => ({ address, theirs, by }))
      return { conflicts, values: ADDRESSES.map((address) => form.get(address)) }
    }
    await this.#opened.saver.refresh()
    const before = shown()
    this.#reopen()
    expect(shown()).to.deep.equal(before)
  }

  #check(): void {
    const { form, server } = this.#opened
    const stored = toFormValues(ARTICLE, server.entry, reading())
    for (const address of ADDRESSES) {
      const key = serializeAddress(address)
      const conflict = form.conflictAt(address)
      expect(conflict?.by?.name).not.to.equal('the user')
      if (this.#undecided.has(key)) {
        expect(valueAt(stored, address), key).to.deep.equal(this.#undecided.get(key))
      } else if (conflict !== undefined) this.#undecided.set(key, valueAt(stored, address))
      if (form.get(address) === this.#undecided.get(key)) this.#undecided.delete(key)
    }
  }
}

function addressOf(at: number): Address {
  return ADDRESSES[at] ?? TITLE
}

function dataFor(at: number, value: string): Data {
  return (
    [{ title: value }, { views: Number(value) }, { quotes: [{ id: 1, text: value }] }][at] ?? {}
  )
}

/** A form whose title another user has changed as well, and that has saved its other changes. */
async function openConflict(): Promise<OpenedForm> {
  const opened = openForm()
  const { form, server, saver, clock } = opened
  server.author = authorNamed('Grace')
  server.user = authorNamed('the user')
  form.set(TITLE, 'mine')
  form.set(['views'], 2)
  server.elsewhere({ title: 'theirs' })
  await clock.pass(800)
  await clock.pass(800)
  expect(saver.state()).to.deep.equal({ kind: 'held', attributes: ['title'] })
  return opened
}

function reopen(opened: OpenedForm): OpenedForm {
  opened.close()
  return openForm({ before: opened })
}
