// Keeps the shell of the app and the pictures that were seen. Content is not its business: the store has it.
const SHELL = 'atlas-shell'
const PICTURES = 'atlas-pictures'

self.addEventListener('install', (event) => {
  event.waitUntil(keepShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(self.clients.claim())
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname, searchParams } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (searchParams.has('signature')) return // a private file
  if (request.mode === 'navigate') event.respondWith(page(request))
  else if (pathname.startsWith('/uploads/')) event.respondWith(kept(PICTURES, request))
  else if (!pathname.startsWith('/api/')) event.respondWith(kept(SHELL, request))
})

/** The page, and what it names: scripts and styles have names that change with them. */
async function keepShell() {
  const shell = await caches.open(SHELL)
  const answer = await fetch('/', { cache: 'no-cache' })
  const html = await answer.clone().text()
  const named = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path)
  await shell.addAll(named)
  await shell.put('/', answer)
}

/** The newest page where there is a network, and else the one that was kept. */
async function page(request) {
  try {
    const answer = await fetch(request)
    if (answer.ok) await (await caches.open(SHELL)).put('/', answer.clone())
    return answer
  } catch {
    return (await caches.match('/')) ?? Response.error()
  }
}

/** What was kept, or else fetched and kept. */
async function kept(name, request) {
  const cache = await caches.open(name)
  const found = await cache.match(request, { ignoreVary: true })
  if (found !== undefined) return found
  const answer = await fetch(request)
  if (answer.ok) await cache.put(request, answer.clone())
  return answer
}
