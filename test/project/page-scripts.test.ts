import { expect } from 'chai'
import { planShards } from '../support/sharded-cluster/shard-plan.ts'
import { parseVariant } from '../../src/media/images/variant-request.ts'
import { codeBlocksOf, PAGES } from '../support/pages.ts'

const KEY = 'key-of-the-test-with-enough-letters'
/** Compiles a script to a function. Its parameters stand for the variables around the script. */
const AsyncFunction = (async () => Promise.resolve()).constructor as new (
  ...parameters: readonly string[]
) => (...values: readonly unknown[]) => Promise<unknown>

function scriptsOf(page: string): readonly string[] {
  return codeBlocksOf(page)
    .filter(({ language }) => language === 'js')
    .map(({ text }) => text)
}

describe('the JavaScript of the documentation', () => {
  it('is tested here on every page', () => {
    const pages = PAGES.filter((page) => scriptsOf(page).length > 0)
    // The stage `packages` of CI follows the first page.
    expect(pages).to.deep.equal([
      'docs/content-types.md',
      'docs/getting-started.md',
      'docs/live.md',
      'docs/media.md',
    ])
  })

  it('renders the table of the page: docs/content-types.md', async () => {
    const [script = ''] = scriptsOf('docs/content-types.md')
    const table = codeBlocksOf('docs/content-types.md').find(({ text }) => text.includes('"table"'))
    const render = new AsyncFunction(
      'table',
      'textsHtml',
      `${script}\nreturn tableHtml(table, textsHtml)`,
    )
    const textsHtml = (texts: readonly { readonly text: string }[]): string =>
      texts.map(({ text }) => text).join('')
    expect(await render(JSON.parse(table?.text ?? ''), textsHtml)).to.equal(
      '<table><tr><th>Port</th><th>High water</th></tr><tr><td>Brest</td><td>7.1 m</td></tr></table>',
    )
  })

  it('signs a picture: docs/media.md', async () => {
    const [script = ''] = scriptsOf('docs/media.md')
    const signing = script.replace(/process\.env\.\w+/, JSON.stringify(KEY))
    const url = `data:text/javascript,${encodeURIComponent(`${signing}\nexport { url }`)}`
    const module = (await import(url)) as { readonly url: string }
    const { pathname, searchParams } = new URL(module.url, 'http://127.0.0.1')
    const name = pathname.replace('/uploads/', '')
    const rules = { sizes: [], signingKey: KEY }
    const asked = parseVariant(name, Object.fromEntries(searchParams), '*/*', rules)
    expect(asked?.variant).to.include({ width: 300, height: 300, fit: 'cover' })
  })

  it('syncs after an event and once more: docs/live.md', async () => {
    const [script = ''] = scriptsOf('docs/live.md')
    const calls: string[] = []
    const listeners = new Map<string, () => void>()
    class EventSource {
      static readonly CLOSED = 2
      readonly readyState = 2
      constructor(url: string) {
        calls.push(url)
      }
      addEventListener(name: string, listener: () => void): void {
        listeners.set(name, listener)
      }
    }
    const later: (() => void)[] = []
    const names = ['QUIRE', 'EventSource', 'copy', 'retryLater', 'setTimeout', 'clearTimeout']
    const run = new AsyncFunction(...names, `${script}\nreturn stream`)
    const copy = { token: 't', sync: () => calls.push('sync') }
    const wait = (task: () => void): number => later.push(task)
    const retryLater = (): unknown => calls.push('retry later')
    const stream = (await run('', EventSource, copy, retryLater, wait, () => undefined)) as {
      readonly onmessage: () => void
      readonly onerror: () => void
    }
    stream.onmessage()
    for (const task of later) task()
    listeners.get('reset')?.()
    stream.onerror()
    expect(calls).to.deep.equal(['/api/_live?token=t', 'sync', 'sync', 'sync', 'retry later'])
  })

  it('shards by the keys of the shard plan: docs/sharding.md', () => {
    const [block] = codeBlocksOf('docs/sharding.md')
    const calls = block?.text.matchAll(/^ {4}sh\.shardCollection\('cms\.([^']+)', (\{.*\})\)$/gm)
    const shown = [...(calls ?? [])].map(([, name = '', key = '']) => [
      name,
      JSON.parse(key.replaceAll(/(\w+):/g, '"$1":')) as unknown,
    ])
    const collections = ['articles', 'quire_reservations', 'quire_uploads.chunks'].map((name) => ({
      name,
      indexes: name === 'articles' ? [{ name: 'quire_document', unique: false }] : [],
    }))
    expect(shown).to.deep.equal([...planShards(collections).keys])
  })
})

describe('the JSON of the documentation', () => {
  it('parses, whole or as members of an object', () => {
    const blocks = PAGES.flatMap(codeBlocksOf).filter(({ language }) => language === 'json')
    expect(blocks.length).to.be.above(10)
    for (const { page, text } of blocks) {
      const parts = text.startsWith('"') ? text.trim().split('\n') : [text]
      for (const part of parts) {
        const json = part.startsWith('"') ? `{${part}}` : part
        expect(() => JSON.parse(json) as unknown, `${page}\n${part}`).to.not.throw()
      }
    }
  })
})
