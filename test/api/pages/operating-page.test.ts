import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { VARIABLES } from '../../../src/base/config/variables.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../../../docs/${path}`, import.meta.url), 'utf8')

describe('docs/operating.md', () => {
  let server: TestServer
  before(async () => {
    server = await serve('operating', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      // Purges have metrics of their own.
      environment: {
        CACHE_TAGS: 'xkey',
        CDN_PURGE: 'varnish',
        CDN_PURGE_URL: 'http://127.0.0.1:9/',
      },
    })
  })
  after(() => server.close())

  it('uses existing metrics only, on the page and on the dashboard', async () => {
    await server.get('/api/notes')
    const { text } = await server.get('/metrics', { token: null })
    const measured = new Set([...text.matchAll(/^([a-z_]\w*)(?:\{| )/gm)].map(([, name]) => name))
    const dashboard = JSON.parse(read('operating/grafana-dashboard.json')) as {
      readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
    }
    const expressions = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...[...read('operating.md').matchAll(/^\| `([^`]*(?:quire_|nodejs_)[^`]*)`/gm)].map(
        ([, expression = '']) => expression,
      ),
    ]
    expect(expressions.length).to.be.above(15)
    const asked = expressions.flatMap(
      (expression) => expression.match(/\b(?:quire|nodejs|process)_\w+/g) ?? [],
    )
    expect([...new Set(asked)].filter((name) => !measured.has(name))).to.deep.equal([])
  })

  it('mounts folders that exist', () => {
    const mounts = [...read('operating/compose.yaml').matchAll(/^ {6}- (\.[^:]*):/gm)]
    const folders = mounts.map(
      ([, folder = '']) => new URL(`../../../../docs/operating/${folder}`, import.meta.url),
    )
    expect(folders.length).to.be.above(0)
    expect(folders.filter((folder) => !existsSync(folder))).to.deep.equal([])
  })

  it('sets existing variables only', () => {
    const known = new Set(Object.keys(VARIABLES))
    const compose = read('operating/compose.yaml')
    const given = [...compose.matchAll(/^ {6}([A-Z][A-Z_]+):/gm)].map(([, name = '']) => name)
    expect(given.length).to.be.above(3)
    expect(given.filter((name) => !known.has(name))).to.deep.equal([])
  })
})
