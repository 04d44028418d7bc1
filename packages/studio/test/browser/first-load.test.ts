import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { describeInBrowser, openBrowser } from './browser.ts'
import { fieldAt, openAs, PIECE, startWithEditors } from './editors.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst } from './signed-in.ts'

const BUILT = fileURLToPath(new URL('../../../../../dist/', import.meta.url))
const MAX_BYTES = 220_000
const MAX_HOME_SCRIPT_BYTES = 200_000
const MAX_ENTRY_BYTES = 520_000

/** The files that the page requests from now on, cached or not, and the sum of their gzipped bytes. */
function watchFiles(page: Page, endings: readonly string[] = ['js', 'css']) {
  const paths = new Set<string>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (endings.some((ending) => pathname.endsWith(`.${ending}`))) paths.add(pathname)
  })
  return {
    paths,
    bytes: () => {
      const sizes = [...paths].map((name) => statSync(`${BUILT}${name.slice(1)}.gz`).size)
      return sizes.reduce((sum, size) => sum + size, 0)
    },
  }
}

describeInBrowser('the first load', function () {
  let server: Server
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('takes at most 220 kB of gzipped scripts and styles', async () => {
    const window = await openBrowser()
    try {
      const files = watchFiles(window.page)
      await window.page.goto(`${server.address}/studio`, { waitUntil: 'networkidle' })
      expect(files.paths.size).to.be.above(1)
      expect(files.bytes()).to.be.above(50_000).and.at.most(MAX_BYTES)
    } finally {
      await window.close()
    }
  })

  it('takes at most 200 kB of gzipped scripts for the home screen', async () => {
    const window = await openBrowser()
    try {
      await beFirst(window.page, server)
      const files = watchFiles(window.page, ['js'])
      await window.page.reload({ waitUntil: 'networkidle' })
      await window.page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
      expect(files.paths.size).to.be.above(5)
      expect(files.bytes()).to.be.above(50_000).and.at.most(MAX_HOME_SCRIPT_BYTES)
    } finally {
      await window.close()
    }
  })

  it('names files by their content, so that browsers can cache them', async () => {
    const page = await fetch(`${server.address}/studio`)
    expect(page.headers.get('cache-control')).to.equal('no-cache')
    const [, script = ''] = /src="([^"]+\.js)"/.exec(await page.text()) ?? []
    const answer = await fetch(server.address + script, { headers: { 'Accept-Encoding': 'br' } })
    expect(answer.headers.get('content-encoding')).to.equal('br')
    expect(answer.headers.get('cache-control')).to.contain('immutable')
    expect(answer.headers.get('content-type')).to.contain('text/javascript')
  })

  it('takes at most 520 kB of gzipped scripts and styles for an entry', async () => {
    const editors = await startWithEditors()
    const window = await openAs(editors, 'Ada')
    try {
      const text = 'Opened without a cache'
      const story = [{ type: 'paragraph', children: [{ type: 'text', text }] }]
      const data = { title: 'Cold', story, body: text, extra: { read: true } }
      const { documentId } = (await editors.ask('POST', PIECE, { data })).data
      // A new tab, because a user has typed into the first one. Queries of the test count as input, too.
      const page = await window.context.newPage()
      const files = watchFiles(page)
      const address = `${editors.address}/studio/content/pieces/${documentId}`
      await page.goto(address, { waitUntil: 'networkidle' })
      expect(files.bytes()).to.be.above(300_000).and.at.most(MAX_ENTRY_BYTES)
      await fieldAt(page, 'story').locator('.ProseMirror').getByText(text).waitFor()
      expect(await fieldAt(page, 'body').locator('textarea').inputValue()).to.equal(text)
    } finally {
      await window.close()
      await editors.stop()
    }
  })
})
