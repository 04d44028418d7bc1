import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import { handleErrors } from '../../../src/http/middleware/handle-errors.ts'
import { serveStudio } from '../../../src/http/routes/serve-studio.ts'
import { readStudioFiles } from '../../../src/http/answer/studio-files.ts'
import type { RequestState } from '../../../src/http/router/state.ts'

const PAGE = '<!doctype html><title>Studio</title>'
const SCRIPT = 'console.log("studio")'

describe('the files of the Studio', () => {
  let folder: string
  let server: Server
  let address: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-studio-files-'))
    writeFileSync(path.join(folder, '..', 'beside.js'), 'secret')
    mkdirSync(path.join(folder, 'assets'))
    writeFileSync(path.join(folder, 'index.html'), PAGE)
    writeFileSync(path.join(folder, 'assets/main-1a2b.js'), SCRIPT)
    writeFileSync(path.join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT))
    writeFileSync(path.join(folder, '.sources'), 'a digest')
    ;({ server, address } = await listen(folder))
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (target: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(address + target, { headers, redirect: 'manual' })

  it('include the page at every address of the app, with a policy against inline scripts', async () => {
    for (const target of ['/studio', '/studio/', '/studio/content/articles', '/studio/.sources']) {
      const answer = await get(target)
      expect(await answer.text(), target).to.equal(PAGE)
      expect(answer.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).to.equal('no-cache')
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'")
      expect(policy).to.contain("script-src 'self';").and.not.contain('unsafe')
    }
  })

  it('are served from memory', async () => {
    const before = await get('/studio/assets/main-1a2b.js')
    rmSync(path.join(folder, 'assets'), { recursive: true })
    const after = await get('/studio/assets/main-1a2b.js')
    expect(await after.text()).to.equal(await before.text())
  })

  it('are cached permanently if the name contains a digest, and are compressed', async () => {
    const packed = await get('/studio/assets/main-1a2b.js', { 'accept-encoding': 'br' })
    expect(packed.headers.get('content-encoding')).to.equal('br')
    expect(await packed.text()).to.equal(SCRIPT)
    const plain = await get('/studio/assets/main-1a2b.js', { 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).to.equal(null)
    expect(plain.headers.get('cache-control')).to.contain('immutable')
    expect(plain.headers.get('vary')).to.contain('Accept-Encoding')
    expect(await plain.text()).to.equal(SCRIPT)
  })

  it('are not sent again for a matching ETag', async () => {
    const etag = (await get('/studio')).headers.get('etag') ?? ''
    // By default `fetch` would bypass caches.
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
    expect((await get('/studio', headers)).status).to.equal(304)
  })

  it('are limited to the files of the folder at the first request', async () => {
    for (const target of [
      '/studio/assets/gone.js',
      '/studio/assets/../../beside.js',
      '/studio/assets/%2e%2e/%2e%2e/beside.js',
      '/studio/assets/..%2f..%2fbeside.js',
    ]) {
      const answer = await get(target)
      expect(await answer.text(), target).to.not.contain('secret')
    }
    expect((await get('/studio/assets/gone.js')).status).to.equal(404)
  })

  it('are the redirect target of a browser that opens /admin', async () => {
    const browser = await get('/admin', { accept: 'text/html,*/*;q=0.8' })
    expect(browser.status).to.equal(302)
    expect(browser.headers.get('location')).to.equal('/studio')
    expect((await get('/admin', { accept: 'application/json' })).status).to.equal(404)
  })

  it('respond with build instructions if they are missing', async () => {
    const none = await listen(path.join(folder, 'nothing'))
    const answer = await fetch(`${none.address}/studio`)
    expect(answer.status).to.equal(404)
    expect(await answer.text()).to.contain('npm run build')
    none.server.close()
  })
})

async function listen(folder: string): Promise<{ server: Server; address: string }> {
  const koa = new Koa<RequestState>()
  koa.use(handleErrors(pino({ level: 'silent' })))
  koa.use(serveStudio(() => readStudioFiles(folder)).routes())
  const answer = koa.callback()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
