import { expect } from 'chai'
import * as fc from 'fast-check'
import { openReleases } from '../../support/releases.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'

const PART = { info: { displayName: 'Part' }, attributes: { amount: { type: 'float' } } }
const INT32 = 2 ** 31

interface Release {
  readonly number: 'integer' | 'biginteger' | 'float' | 'decimal'
  readonly text: 'string' | 'richtext' | 'email' | 'json'
  readonly day: 'date' | 'datetime'
  readonly isList: boolean
  /** The type of the attribute in the component. */
  readonly amount: 'float' | 'decimal'
}

interface Entry {
  readonly number: number | null
  readonly text: string | null
  readonly day: string | null
  readonly parts: readonly number[]
}

const FIRST: Release = {
  number: 'float',
  text: 'string',
  day: 'date',
  isList: true,
  amount: 'float',
}

const releaseArbitrary: fc.Arbitrary<Release> = fc.record({
  number: fc.constantFrom('integer', 'biginteger', 'float', 'decimal'),
  text: fc.constantFrom('string', 'richtext', 'email', 'json'),
  day: fc.constantFrom('date', 'datetime'),
  isList: fc.boolean(),
  amount: fc.constantFrom('float', 'decimal'),
})

const entryArbitrary: fc.Arbitrary<Entry> = fc.record({
  number: fc.option(fc.constantFrom(0, -7, 12, 0.1, 2.5, 3_000_000_000), { freq: 3 }),
  text: fc.option(fc.constantFrom('a@example.org', 'b@example.org', 'plain text'), { freq: 3 }),
  day: fc.option(fc.constantFrom('2024-02-29', '1969-12-31'), { freq: 3 }),
  parts: fc.array(fc.constantFrom(0.1, 1, 0.25), { maxLength: 2 }),
})

function typesOf({ number, text, day, isList, amount }: Release, step: number) {
  const convert = { timeZone: 'UTC' }
  return {
    'components/shared/part': { ...PART, attributes: { amount: { type: amount } } },
    thing: declare('thing', {
      // No release is known, also if its types return.
      [`step${step}`]: { type: 'boolean' },
      name: { type: 'string' },
      number: { type: number },
      text: { type: text },
      day: { type: day, ...(day === 'datetime' && { convert }) },
      parts: { type: 'component', component: 'shared.part', repeatable: isList },
    }),
  }
}

/** The number of values that a release does not keep. */
function losses(before: Release, after: Release, entries: readonly Entry[]): number {
  const count = (fits: (entry: Entry) => boolean) => entries.filter((one) => !fits(one)).length
  return (
    (before.number === after.number ? 0 : count(({ number }) => fitsNumber(after, number))) +
    (before.text !== after.text && after.text === 'email'
      ? count(({ text }) => text === null || text.includes('@'))
      : 0) +
    (before.isList && !after.isList ? count(({ parts }) => parts.length < 2) : 0)
  )
}

function fitsNumber({ number: type }: Release, number: number | null): boolean {
  if (number === null || type === 'float' || type === 'decimal') return true
  return Number.isInteger(number) && (type === 'biginteger' || Math.abs(number) < INT32)
}

function shownAs({ number: type, day: dayType, isList }: Release, entry: Entry): Json {
  const { number, text, day, parts } = entry
  return {
    number: type === 'biginteger' && number !== null ? String(number) : number,
    text,
    day: dayType === 'datetime' && day !== null ? `${day}T00:00:00.000Z` : day,
    parts: isList ? parts : (parts[0] ?? null),
  }
}

const amountsOf = (parts: Json): Json =>
  Array.isArray(parts) ? parts.map(({ amount }) => amount) : (parts?.amount ?? null)

async function expectShown(
  server: TestServer,
  release: Release,
  entries: readonly Entry[],
): Promise<void> {
  const list = await server.get('/api/things?sort=name&populate=*')
  const shown = list.body.data.map(({ number, text, day, parts }: Json) => {
    return { number, text, day, parts: amountsOf(parts) }
  })
  expect(shown).to.deep.equal(entries.map((entry) => shownAs(release, entry)))
  for (const [at, { number }] of entries.entries()) {
    if (number === null) continue
    const found = await server.get(`/api/things?filters[number]=${number}`)
    expect(found.body.data.map(({ name }: Json) => name)).to.include(`n${at}`)
  }
}

describe('any sequence of types', function () {
  this.slow(60_000)

  it('keeps all values, or refuses to start', async () => {
    const history = fc.tuple(
      fc.array(entryArbitrary, { minLength: 1, maxLength: 4 }),
      fc.array(releaseArbitrary, { minLength: 1, maxLength: 4 }),
    )
    const property = fc.asyncProperty(history, async ([entries, steps]) => {
      const releases = openReleases('any_types')
      try {
        const first = await releases.start(typesOf(FIRST, 0))
        for (const [place, { parts, ...data }] of entries.entries()) {
          const body = { ...data, name: `n${place}`, parts: parts.map((amount) => ({ amount })) }
          const { status, text } = await first.post('/api/things', body)
          expect(status, text).to.equal(201)
        }
        let current = FIRST
        for (const [place, step] of steps.entries()) {
          const lost = losses(current, step, entries)
          const outcome = await releases.start(typesOf(step, place + 1)).catch(String)
          if (typeof outcome === 'string') {
            const named = [...outcome.matchAll(/that do not fit [\w ]+: (\d+);/g)]
            const sum = named.reduce((total, [, number]) => total + Number(number), 0)
            expect(sum, outcome).to.equal(lost)
            expect(lost).to.be.greaterThan(0)
            continue
          }
          expect(lost).to.equal(0)
          current = step
          await expectShown(outcome, current, entries)
        }
      } finally {
        await releases.end()
      }
    })
    await fc.assert(property, { numRuns: 8 })
  })
})
