import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as Site } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Window } from './browser.ts'
import { openAs, startWithEditors, TYPES } from './editors.ts'
import type { Server } from './server.ts'

interface OpenedPreview {
  readonly server: Server
  readonly window: Window
}

/** Starts a site that shows pieces and a server whose Studio shows the site, and signs Ada in. */
export function previewBefore(
  start: (apiOf: () => string) => Promise<Site>,
  use: (opened: OpenedPreview) => void,
): void {
  let site: Site
  let types: string
  let server: Server
  let window: Window
  before(async () => {
    site = await start(() => server.address)
    types = typesWithPreview(TYPES, 'piece', site)
    server = await startWithEditors({ CONTENT_TYPES_DIR: types })
    window = await openAs(server, 'Ada')
    use({ server, window })
  })
  after(async () => {
    await window.close()
    await server.stop()
    stopSite(site)
    rmSync(types, { recursive: true, force: true })
  })
}

export function stopSite(site: Site): void {
  site.close()
  site.closeAllConnections()
}

type Shown = Readonly<Record<string, string | null>>

const STYLE =
  '<style>body{font:18px/1.6 Georgia,serif;max-width:34em;margin:3em auto;padding:0 1.5em}h1{line-height:1.15}p{color:#444}</style>'

/** What a site does: asks for the entry with the secret that it was given, and shows it. */
export async function startSite(apiOf: () => string, pluralName: string): Promise<Site> {
  const site = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? '/', 'http://site')
    const url = `${apiOf()}/api/${pluralName}/${query.get('id')}?locale=${query.get('locale')}&status=${query.get('status')}`
    const headers = { Authorization: `Bearer ${query.get('secret')}` }
    void fetch(url, { headers }).then(async (answer) => {
      const { data } = (await answer.json()) as { readonly data: Shown }
      const lines = [data['excerpt'], ...(data['body'] ?? '').split(/\n+/)].filter((line) => line)
      const text = `<h1>${data['title']}</h1>${lines.map((line) => `<p>${line}</p>`).join('')}`
      response.setHeader('Content-Type', 'text/html; charset=utf-8')
      response.end(`<!doctype html><title>Site</title><html lang="en">${STYLE}${text}`)
    })
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  return site
}

/** A copy of declarations in which the site shows entries of one type; answers its folder. */
export function typesWithPreview(types: string, singularName: string, site: Site): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'quire-preview-'))
  cpSync(types, folder, { recursive: true })
  const file = path.join(folder, `${singularName}.json`)
  const declared = JSON.parse(readFileSync(file, 'utf8'))
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  declared.options.preview = `${address}/?id={documentId}&locale={locale}&status={status}&secret={secret}`
  writeFileSync(file, JSON.stringify(declared))
  return folder
}
