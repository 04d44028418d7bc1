import { expect } from 'chai'
import { ValidationError } from '../../../src/base/errors.ts'
import type { Data } from '../../../src/schema/definition.ts'
import { validatorsOf } from '../define.ts'

const ELEMENTS = 4_000
const LEAF = { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'string' } }
const { direct, draft } = validatorsOf(
  {
    parts: { type: 'component', component: 'shared.part', repeatable: true },
    zone: { type: 'dynamiczone', components: ['shared.part'] },
    pages: { type: 'component', component: 'shared.page', repeatable: true },
  },
  {
    'shared.part': LEAF,
    'shared.page': {
      title: { type: 'string' },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
    },
  },
)

const right = { a: 'x', b: 'y', c: 'z' }
const wrong = { a: 1, b: 1, c: 1 }
const list = (element: object) => Array.from({ length: ELEMENTS }, () => element)

/** The least CPU time of eight runs, in milliseconds. */
function cpuMs(work: () => void): number {
  const times = [1, 2, 3, 4, 5, 6, 7, 8].map(() => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  return Math.min(...times)
}

function refusal(payload: Data): ValidationError {
  try {
    direct(payload, { creating: true })
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error('the payload is accepted')
}

describe('a payload with very many wrong components', () => {
  const payloads: Readonly<Record<string, (element: object) => Data>> = {
    'in a list': (element) => ({ parts: list(element) }),
    'in a dynamic zone': (element) => ({ zone: list({ __component: 'shared.part', ...element }) }),
    'in a list within a list': (element) => ({
      pages: Array.from({ length: 40 }, () => ({ title: 't', parts: list(element).slice(0, 100) })),
    }),
  }
  for (const [what, payload] of Object.entries(payloads)) {
    it(`costs less to refuse than to accept: ${what}`, () => {
      const [good, bad] = [payload(right), payload(wrong)]
      const accepted = cpuMs(() => direct(good, { creating: true }))
      expect(cpuMs(() => refusal(bad))).to.be.below(accepted)
      const { message, details } = refusal(bad)
      expect(message).to.equal('More than 100 errors occurred')
      expect(details?.['errors']).to.have.length(100)
    })
  }

  it('lists all faults up to a hundred, wherever they are', () => {
    const parts = list(right)
    for (const index of [0, 1_000, ELEMENTS - 1]) parts[index] = { ...right, b: 1 }
    const { message, details } = refusal({ parts, zone: [{ __component: 'none' }] })
    expect(message).to.equal('4 errors occurred')
    const errors = (details ?? {})['errors'] as readonly { readonly path: readonly string[] }[]
    expect(errors.map(({ path }) => path.join('.'))).to.deep.equal([
      'parts.0.b',
      'parts.1000.b',
      `parts.${ELEMENTS - 1}.b`,
      'zone.0.__component',
    ])
  })

  it('counts the faults of each payload separately', () => {
    refusal({ parts: list(wrong) })
    expect(refusal({ parts: [wrong] }).message).to.equal('3 errors occurred')
    expect(draft({ parts: [right] }, { creating: true })['parts']).to.have.length(1)
  })
})
