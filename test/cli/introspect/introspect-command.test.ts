import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { DBRef, ObjectId } from 'mongodb'
import type { ProposedType } from '../../../src/cli/introspect/propose-types.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { type ForeignDatabase, openForeignDatabase } from '../../support/foreign-database.ts'
import { type Json, serve } from '../../support/server.ts'
import { testUri } from '../../support/test-database.ts'
import { UNOPENED } from '../unopened.ts'
import { FILMS, HOMES, SUPPLIES } from './foreign-shapes.ts'

/** The share of fields that need no edit. */
const LEAST_TYPED = 0.95

interface Ran {
  readonly code: number
  readonly text: string
}

async function run(...words: readonly string[]): Promise<Ran> {
  const lines: string[] = []
  const note = (text: string): void => {
    lines.push(text)
  }
  const code = await runCli(words, UNOPENED, { out: note, error: note })
  return { code, text: lines.join('\n') }
}

for (const shape of [FILMS, HOMES, SUPPLIES]) {
  describe(`quire introspect on ${shape.name}`, () => {
    let foreign: ForeignDatabase
    let uri: string
    let folder: string
    const names = Object.keys(shape.collections)

    before(async () => {
      foreign = await openForeignDatabase(shape.name, shape.collections)
      uri = await testUri()
      folder = mkdtempSync(path.join(tmpdir(), 'quire-introspect-'))
    })

    after(async () => {
      rmSync(folder, { recursive: true, force: true })
      await foreign.drop()
    })

    it('types at least 95 % of the fields as expected', async () => {
      const { code, text } = await run('introspect', uri, '--database', foreign.name, '--json')
      expect(code, text).to.equal(0)
      const { types }: { types: readonly ProposedType[] } = JSON.parse(text)
      const found = new Map<string, ProposedType['fields'][number]>(
        types.flatMap(({ collection, fields }) =>
          fields.map((field) => [`${collection}.${field.path}`, field] as const),
        ),
      )
      const expected = Object.entries(shape.expected)
      const wrong = expected.filter(([field, type]) => found.get(field)?.type !== type)
      const share = 1 - wrong.length / expected.length
      expect(share, JSON.stringify(wrong)).to.be.at.least(LEAST_TYPED)
      const [year] = types.flatMap(({ fields }) => fields.filter(({ path: own }) => own === 'year'))
      if (year !== undefined) expect(year).to.include({ given: 120, fitting: 119 })
    })

    it('writes files that serve every document, and never overwrites one', async () => {
      const untouched = await foreign.contents(names)
      const words = ['introspect', uri, '--database', foreign.name, '--out', folder]
      const { code, text } = await run(...words)
      expect(code, text).to.equal(0)
      const server = await serve(shape.name, {
        contentTypes: folder,
        environment: { MONGODB_DATABASE: foreign.name },
      })
      try {
        for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
          const { info, attributes }: Json = JSON.parse(
            readFileSync(path.join(folder, file), 'utf8'),
          )
          const { body, status } = await server.get(`/api/${info.pluralName}?populate=*`)
          expect(status, file).to.equal(200)
          expect(body.meta.pagination.total, file).to.equal(120)
          const required = Object.keys(attributes).filter((name) => attributes[name].required)
          const missing = body.data.flatMap((entry: Json) =>
            required.filter((name) => entry[name] === null),
          )
          expect(missing, file).to.deep.equal([])
        }
      } finally {
        await server.close()
      }
      expect(await foreign.contents(names)).to.deep.equal(untouched)
      const again = await run(...words)
      expect(again.code).not.to.equal(0)
      expect(again.text).to.include('exists already')
    })
  })
}

describe('quire introspect', () => {
  it('refuses a missing database, an unknown collection and a wrong size', async () => {
    const uri = await testUri()
    const foreign = await openForeignDatabase('introspect', { orders: [{ a: 1 }] })
    try {
      const own = ['introspect', uri, '--database', foreign.name]
      expect((await run('introspect', uri)).code).to.equal(2)
      expect((await run(...own, '--collection', 'order')).text).to.include('no collection order')
      expect((await run(...own, '--sample', '0')).text).to.include('from 1 to 10000')
      const { text, code } = await run(...own, '--collection', 'orders', '--sample', '1')
      expect(code, text).to.equal(0)
      expect(text).to.include('orders as order, 1 documents read')
      expect(text).to.match(/a +integer +1 of 1/)
    } finally {
      await foreign.drop()
    }
  })

  it('names mixed values, and references that no relation reads', async () => {
    const customer = new ObjectId()
    const reference = new DBRef('customers', customer)
    const values = {
      pair: ['width', 5],
      point: [7.5, 46.9],
      customer: reference,
      customers: [reference, reference],
      either: [reference, customer, 'c'],
      tags: ['a', 'b'],
    }
    const orders = [0, 1, 2].map((place) => ({ ...values, loose: place === 0 ? 'one' : place }))
    const foreign = await openForeignDatabase('introspect_mixed', {
      customers: [{ _id: customer, name: 'Ada' }],
      orders,
    })
    const folder = mkdtempSync(path.join(tmpdir(), 'quire-introspect-'))
    try {
      const words = ['introspect', await testUri(), '--database', foreign.name]
      const { text, code } = await run(...words, '--out', folder)
      expect(code, text).to.equal(0)
      expect(text).to.match(/pair +json +3 of 3 +lists of texts and integers/)
      expect(text).to.match(/point +json +3 of 3 *\n/)
      expect(text).to.match(/customer +json +3 of 3 +references with \$ref/)
      expect(text).to.match(/customers +json +3 of 3 +lists of references with \$ref/)
      expect(text).to.match(
        /either +json +3 of 3 +lists of references with \$ref, ObjectIds and texts/,
      )
      expect(text).to.match(/tags +json +3 of 3 *\n/)
      expect(text).to.match(/loose +json +3 of 3 +integers and texts/)
      const server = await serve('introspect_mixed', {
        contentTypes: folder,
        environment: { MONGODB_DATABASE: foreign.name },
      })
      try {
        const { body, status } = await server.get('/api/orders?pagination[limit]=1')
        expect(status, JSON.stringify(body)).to.equal(200)
        const id = customer.toHexString()
        const shown = { $ref: 'customers', $id: id }
        expect(body.data[0]).to.deep.include({
          pair: ['width', 5],
          customer: shown,
          customers: [shown, shown],
          either: [shown, id, 'c'],
        })
      } finally {
        await server.close()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await foreign.drop()
    }
  })
})
