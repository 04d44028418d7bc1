import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { runLine } from '../../support/page-shell.ts'
import { codeBlocksOf, ROOT } from '../../support/pages.ts'
import { type Json, serve, type TestServer } from '../../support/server.ts'

const PAGE = 'docs/places.md'
const CLI = path.join(ROOT, 'dist/src/cli/cli.js')

const lines = codeBlocksOf(PAGE)
  .filter(({ language }) => language === '' || language === 'bash')
  .flatMap(({ text }) => text.split('\n').map((line) => line.trim()))
const examples = lines.filter((line) => line.startsWith('curl '))
const conversion = lines.filter((line) => /^(?:for|npx quire) /.test(line))

/** The type of the page, with the attributes that its guide converts. */
function shopOfPage(): object {
  const [block] = codeBlocksOf(PAGE).filter(({ language }) => language === 'json')
  const { attributes, ...type }: Json = JSON.parse(block?.text ?? '')
  const place = { type: 'component', component: 'geo.place' }
  return { ...type, attributes: { ...attributes, place, info: { type: 'json' } } }
}

describe('docs/places.md', () => {
  let folder: string
  let server: TestServer

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'quire-places-'))
    const types = path.join(folder, 'content-types')
    await mkdir(path.join(types, 'components/geo'), { recursive: true })
    await writeFile(path.join(types, 'shop.json'), JSON.stringify(shopOfPage()))
    const attributes = { latitude: { type: 'float' }, longitude: { type: 'float' } }
    await writeFile(path.join(types, 'components/geo/place.json'), JSON.stringify({ attributes }))
    server = await serve('places_page', {
      contentTypes: types,
      environment: { QUIRE_DATA_DIR: path.join(folder, 'data'), RATE_LIMIT: 'off' },
      permitted: ['api::shop.shop.find'],
    })
    for (const [name, latitude, longitude] of [
      ['Far', 52.53, 13.41],
      ['Close', 52.521, 13.411],
    ] as const) {
      const { status, text } = await server.post('/api/shops', {
        name,
        at: { latitude, longitude },
      })
      expect(status, text).to.equal(201)
    }
  })
  after(async () => {
    await server.close()
    await rm(folder, { recursive: true, force: true })
  })

  for (const example of examples) {
    it(`finds the shops with ${example}`, async () => {
      const { data, meta }: Json = JSON.parse(await runLine(`${example} -sS`, folder, server))
      const names = data.map(({ name }: Json) => name)
      const isNear = example.includes('sort=at:near')
      expect(names).to.deep.equal(isNear ? ['Close', 'Far'] : ['Far', 'Close'])
      expect(meta.distances?.length).to.equal(isNear ? 2 : undefined)
    })
  }

  const shops = [
    { name: 'Old', place: { latitude: 1.5, longitude: -2.5 } },
    { name: 'Empty' },
    { name: 'Older', info: { latitude: 3, longitude: 4 } },
  ]

  it('shows only lines that this test runs', () => {
    const run = [...examples, ...conversion]
    expect(lines.filter((line) => line !== '' && !run.includes(line))).to.deep.equal([])
    const languages = codeBlocksOf(PAGE).map(({ language }) => language)
    expect(languages.filter((language) => !['', 'bash', 'json'].includes(language))).to.deep.equal(
      [],
    )
    expect(languages.filter((language) => language === 'json')).to.have.length(1)
  })

  it('converts a component and a json attribute to a location', async () => {
    expect(conversion).to.have.length(2)
    for (const shop of shops) await server.post('/api/shops', shop)
    const run = async (change: (line: string) => string): Promise<void> => {
      for (const line of conversion) {
        const command = line.replace('npx quire', `"${process.execPath}" "${CLI}"`)
        await runLine(change(command), folder, server)
      }
    }
    await run((line) => line)
    await run((line) =>
      line.replace('fields=id&populate=place', 'fields=info').replaceAll('.place', '.info'),
    )
    const { body } = await server.get('/api/shops?sort=id&pagination[start]=2')
    expect(body.data.map(({ name, at }: Json) => [name, at])).to.deep.equal([
      ['Old', { latitude: 1.5, longitude: -2.5 }],
      ['Empty', null],
      ['Older', { latitude: 3, longitude: 4 }],
    ])
  })
})
