import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import type { StudioBranding } from '../../../src/base/config/studio-settings.ts'
import { brandStudio } from '../../../src/http/answer/brand-studio.ts'
import { readStudioFiles } from '../../../src/http/answer/studio-files.ts'
import { handleErrors } from '../../../src/http/middleware/handle-errors.ts'
import { securityHeaders } from '../../../src/http/middleware/security-headers.ts'
import type { RequestState } from '../../../src/http/router/state.ts'
import { serveStudio } from '../../../src/http/routes/serve-studio.ts'

const PAGE = `<!doctype html>
<html>
  <head>
    <title>Quire</title>
    <link rel="icon" type="image/svg+xml" href="/studio/assets/mark-1a2b.svg" />
  </head>
  <body></body>
</html>
`
const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>'
const ICON = Buffer.from([0, 0, 1, 0, 1, 0])
const HOSTILE = `</title></style><script>alert("1")</script>$& '&amp;`

const BRANDING: StudioBranding = {
  title: HOSTILE,
  logo: { type: 'image/svg+xml', bytes: Buffer.from(SVG) },
  favicon: { type: 'image/x-icon', bytes: ICON },
  cssVariables: { '--accent': 'light-dark(#2f4fd0, #8ea2ff)' },
  links: [{ label: HOSTILE, url: '/api/docs?a="><script>' }],
}

describe('the branding of the Studio', () => {
  let folder: string
  let branded: Listening
  let plain: Listening
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-branding-'))
    writeFileSync(path.join(folder, 'index.html'), PAGE)
    branded = await listen(folder, BRANDING)
    plain = await listen(folder, null)
  })
  after(() => {
    branded.server.close()
    plain.server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const get = (target: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(branded.address + target, { headers })

  it('is part of the page, with all texts escaped', async () => {
    for (const coding of ['br', 'gzip', 'identity']) {
      const answer = await get('/studio/content/articles', { 'accept-encoding': coding })
      const html = await answer.text()
      expect(html).to.not.contain('<script').and.not.contain('</style>')
      expect(html.match(/<\/title>/g)).to.have.length(1)
      expect(unescape(between(html, '<title>', '</title>'))).to.equal(HOSTILE)
      const { title, logo, cssVariables, links } = brandingIn(html)
      expect([title, cssVariables, links]).to.deep.equal([
        BRANDING.title,
        BRANDING.cssVariables,
        BRANDING.links,
      ])
      expect(logo).to.match(/^\/studio\/branding\/logo\?v=[\da-f]{20}$/)
      expect(html).to.match(
        /<link rel="icon" type="image\/x-icon" href="\/studio\/branding\/favicon\?v=[\da-f]{20}" \/>/,
      )
      expect(html).to.not.contain('mark-1a2b')
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).to.contain("script-src 'self';").and.not.contain('unsafe')
    }
  })

  it('changes the ETag of the page', async () => {
    const own = (await get('/studio')).headers.get('etag')
    const other = (await fetch(`${plain.address}/studio`)).headers.get('etag')
    expect(own).to.not.equal(other)
  })

  it('includes images that run no script', async () => {
    for (const [target, type, bytes] of [
      ['/studio/branding/logo', 'image/svg+xml', Buffer.from(SVG)],
      ['/studio/branding/favicon', 'image/x-icon', ICON],
    ] as const) {
      for (const coding of ['br', 'identity']) {
        const answer = await get(target, { 'accept-encoding': coding })
        expect(answer.headers.get('content-type')).to.equal(type)
        expect(answer.headers.get('x-content-type-options')).to.equal('nosniff')
        const policy = answer.headers.get('content-security-policy') ?? ''
        expect(policy)
          .to.contain("default-src 'none'")
          .and.match(/; sandbox$/)
        expect(policy).to.not.contain('script-src').and.not.contain('allow-scripts')
        expect(Buffer.from(await answer.arrayBuffer())).to.deep.equal(bytes)
      }
    }
  })

  it('includes images that browsers cache permanently by their version only', async () => {
    const { logo } = brandingIn(await (await get('/studio')).text())
    const cacheOf = async (target: string) => (await get(target)).headers.get('cache-control')
    expect(await cacheOf(String(logo))).to.equal('public, max-age=31536000, immutable')
    expect(await cacheOf('/studio/branding/logo')).to.equal('no-cache')
    expect(await cacheOf('/studio/branding/logo?v=0')).to.equal('no-cache')
    const etag = (await get('/studio/branding/logo')).headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag, 'cache-control': 'max-age=0' }
    expect((await get('/studio/branding/logo', headers)).status).to.equal(304)
  })

  it('has no other files', async () => {
    expect((await get('/studio/branding/quire.config.ts')).status).to.equal(404)
    expect((await get('/studio/branding/..%2f..%2fpackage.json')).status).to.equal(404)
    expect((await fetch(`${plain.address}/studio/branding/logo`)).status).to.equal(404)
    expect(await (await fetch(`${plain.address}/studio`)).text()).to.equal(PAGE)
  })
})

interface Listening {
  readonly server: Server
  readonly address: string
}

async function listen(folder: string, branding: StudioBranding | null): Promise<Listening> {
  const koa = new Koa<RequestState>()
  koa.use(securityHeaders())
  koa.use(handleErrors(pino({ level: 'silent' })))
  koa.use(serveStudio(async () => brandStudio(await readStudioFiles(folder), branding)).routes())
  const answer = koa.callback()
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function between(text: string, start: string, end: string): string {
  return text.split(start)[1]?.split(end)[0] ?? ''
}

function unescape(html: string): string {
  const signs: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
  return html.replaceAll(/&(amp|lt|gt|quot);/g, (_, name: string) => signs[name] ?? '')
}

function brandingIn(html: string): Record<string, unknown> {
  const content = between(html, '<meta name="quire-branding" content="', '"')
  return JSON.parse(unescape(content)) as Record<string, unknown>
}
