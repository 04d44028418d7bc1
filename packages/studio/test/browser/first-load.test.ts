import { existsSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { describeInBrowser, openBrowser } from './browser.ts'
import { type Server, startServer } from './server.ts'
import { ADA, beFirst } from './signed-in.ts'

const BUILT = fileURLToPath(new URL('../../../../../dist/', import.meta.url))
const MAX_BYTES = 220_000
const MAX_HOME_SCRIPT_BYTES = 200_000

describeInBrowser('the first load', function () {
  let server: Server
  before(async () => {
    server = await startServer()
  })
  after(() => server.stop())

  it('takes at most 220 kB of gzipped scripts and styles', async () => {
    const window = await openBrowser()
    try {
      const paths = new Set<string>()
      window.page.on('request', (request) => paths.add(new URL(request.url()).pathname))
      await window.page.goto(`${server.address}/studio`, { waitUntil: 'networkidle' })
      const files = [...paths].filter((path) => /\.(js|css)$/.test(path))
      expect(files.length).to.be.above(1)
      const bytes = files
        .map((path) => `${BUILT}${path.slice(1)}.gz`)
        .filter((file) => existsSync(file))
        .reduce((sum, file) => sum + statSync(file).size, 0)
      expect(bytes).to.be.above(50_000).and.at.most(MAX_BYTES)
    } finally {
      await window.close()
    }
  })

  it('takes at most 200 kB of gzipped scripts for the home screen', async () => {
    const window = await openBrowser()
    try {
      await beFirst(window.page, server)
      const scripts = new Set<string>()
      window.page.on('request', (request) => {
        if (request.url().endsWith('.js')) scripts.add(new URL(request.url()).pathname)
      })
      await window.page.reload({ waitUntil: 'networkidle' })
      await window.page.getByRole('heading', { level: 1, name: ADA.name }).waitFor()
      const sizes = [...scripts].map((name) => statSync(`${BUILT}${name.slice(1)}.gz`).size)
      expect(sizes.length).to.be.above(5)
      const bytes = sizes.reduce((sum, size) => sum + size, 0)
      expect(bytes).to.be.above(50_000).and.at.most(MAX_HOME_SCRIPT_BYTES)
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
})
