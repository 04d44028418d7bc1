import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Services } from '../../../../src/server/services/open-services.ts'

/** A site that shows articles, for the preview in the Studio. */
export interface PreviewSite {
  /** The value of `options.preview`. */
  readonly template: string
  /** Tells the site the address of the server. */
  readonly follow: (server: string) => void
}

const FILES = {
  '/preview.js': ['text/javascript', () => scriptOf('@quire/client/preview')],
  '/page.js': ['text/javascript', () => fileURLToPath(new URL('preview-page.js', import.meta.url))],
} as const

const PAGE = (server: string): string => `<!doctype html>
<html lang="en" data-studio="${server}">
<meta name="viewport" content="width=device-width">
<title>Quire sample site</title>
<style>
  body { font: 18px/1.6 Georgia, serif; max-width: 34em; margin: 3em auto; padding: 0 1.5em; color: #222 }
  h1 { line-height: 1.15 } img { max-width: 100% } .excerpt { font-style: italic }
  [data-quire-preview] [data-quire-field]:hover { outline: 2px solid #2f4fd0; outline-offset: 4px; cursor: pointer }
</style>
<article></article>
<script type="importmap">{ "imports": { "@quire/client/preview": "/preview.js" } }</script>
<script type="module" src="/page.js"></script>
</html>`

/** Listens on a free port. It does not keep the process alive. */
export async function startPreviewSite(): Promise<PreviewSite> {
  let server = ''
  const site = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site')
    const file = FILES[pathname as keyof typeof FILES] as
      (typeof FILES)[keyof typeof FILES] | undefined
    if (file !== undefined) {
      response.setHeader('Content-Type', file[0]).end(readFileSync(file[1]()))
    } else {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(PAGE(server))
    }
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  site.unref()
  const { port } = site.address() as AddressInfo
  return {
    template: `http://127.0.0.1:${port}/?id={documentId}&locale={locale}&status={status}&secret={secret}`,
    follow: (address) => {
      server = address
    },
  }
}

export function withPreview(services: Services, { template }: PreviewSite): Services {
  const contentTypes = services.definitions.contentTypes.map((type) =>
    type.uid === 'api::article.article' ? { preview: template, ...type } : type,
  )
  return { ...services, definitions: { ...services.definitions, contentTypes } }
}

function scriptOf(specifier: string): string {
  return fileURLToPath(import.meta.resolve(specifier))
}
