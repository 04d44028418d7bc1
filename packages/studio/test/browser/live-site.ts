import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server as Site } from 'node:http'
import { fileURLToPath } from 'node:url'

const SCRIPT = readFileSync(fileURLToPath(import.meta.resolve('@quire/client/preview')), 'utf8')

const page = (studio: string): string => `<!doctype html><html lang="en"><title>Site</title>
<h1 data-quire-field="title"></h1><p id="author" data-quire-field="author"></p><ul></ul><output></output>
<script type="module">
import { followStudio } from '/preview.js'
// A page that was loaded again has another number.
document.querySelector('output').textContent = String(Math.random())
globalThis.received = []
addEventListener('message', ({ data }) => globalThis.received.push(data))
globalThis.stop = followStudio({
  studio: '${studio}',
  load: async (address) => (await fetch('/draft' + address.search)).json(),
  show(piece) {
    document.querySelector('h1').textContent = piece.title
    document.querySelector('#author').textContent = piece.author?.name ?? ''
    document.querySelector('ul').replaceChildren(...piece.sections.map((section, at) => {
      const item = document.createElement('li')
      item.dataset.quireField = 'sections.' + at + '.' + ('text' in section ? 'text' : 'heading')
      item.textContent = section.text ?? section.heading
      return item
    }))
  },
})
</script>`

/** A site that follows the Studio at `studio` and shows pieces of the API. */
export async function startLiveSite(apiOf: () => string, studioOf: () => string): Promise<Site> {
  const site = createServer((request, response) => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://site')
    if (pathname === '/preview.js') {
      response.setHeader('Content-Type', 'text/javascript').end(SCRIPT)
    } else if (pathname === '/draft') {
      const url = `${apiOf()}/api/pieces/${query.get('id')}?locale=${query.get('locale')}&status=draft&populate[author]=true&populate[sections]=true`
      const headers = { Authorization: `Bearer ${query.get('secret')}` }
      void fetch(url, { headers }).then(async (answer) => {
        const { data } = (await answer.json()) as { readonly data: unknown }
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(data))
      })
    } else {
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(page(studioOf()))
    }
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  return site
}
