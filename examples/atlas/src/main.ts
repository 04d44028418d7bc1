import './style.css'
import { element } from './element.ts'
import { followLive } from './follow-live.ts'
import { account } from './screens/account.ts'
import { article, articles } from './screens/articles.ts'
import { countries, country } from './screens/countries.ts'
import { nearby } from './screens/nearby.ts'
import { notebookScreen } from './screens/notebook.ts'
import { search } from './screens/search.ts'
import { hasSessionEnded, notebook } from './notebook/store.ts'
import { store } from './store.ts'
import { language, switchLanguage, texts } from './texts.ts'

const main = element('main', { tabindex: '-1' })
const notice = element('p', { class: 'notice', role: 'status' })

/** These screens are not redrawn with public content. */
const OWN_SCREENS = /^#\/(?:account|nearby|notebook|search)/
let leaving = new AbortController()

/** The screen for the current address. */
function screen(): readonly HTMLElement[] {
  const [path = ''] = location.hash.slice(1).split('?')
  const [, name, documentId, part] = path.split('/')
  if (name === 'account') return account()
  if (name === 'notebook') return notebookScreen(documentId, part, leaving.signal)
  if (name === 'search') return search(leaving.signal)
  if (name === 'nearby') return nearby(documentId ?? '', leaving.signal)
  if (name === 'countries') return documentId === undefined ? countries() : country(documentId)
  return documentId === undefined ? articles() : article(documentId)
}

function show(): void {
  leaving.abort()
  leaving = new AbortController()
  const isContent = !OWN_SCREENS.test(location.hash)
  const { isComplete } = store.$status()
  const isEmpty = isContent && !isComplete && store.countries.query({ pageSize: 1 }).total === 0
  main.replaceChildren(...(isEmpty ? [element('p', { class: 'quiet' }, texts.loading)] : screen()))
  const [, name = 'articles'] = /^#\/(\w+)/.exec(location.hash) ?? []
  for (const link of document.querySelectorAll('nav a')) {
    link.toggleAttribute('aria-current', link.getAttribute('href') === `#/${name}`)
  }
}

/** Shows sync problems. Empty if there are none. */
function say(): void {
  const { phase, error } = store.$status()
  const isFull = error?.name === 'QuotaExceededError'
  const said = { offline: texts.offline, failed: isFull ? texts.noRoom : texts.failed }
  const told = phase === 'offline' || phase === 'failed' ? said[phase] : ''
  notice.textContent = hasSessionEnded() ? texts.signInAgain : told
}

function frame(): HTMLElement {
  const other = element('button', { type: 'button', class: 'plain' }, texts.otherLanguage)
  other.addEventListener('click', switchLanguage)
  const link = (name: string, text: string): HTMLElement =>
    element('a', { href: `#/${name}` }, text)
  return element(
    'header',
    {},
    element('a', { class: 'brand', href: '#/articles' }, 'Atlas'),
    element(
      'nav',
      {},
      link('articles', texts.articles),
      link('countries', texts.countries),
      link('search', texts.search),
      link('notebook', texts.notes),
      link('account', texts.account),
    ),
    other,
  )
}

document.documentElement.lang = language
document.querySelector('#app')?.replaceChildren(frame(), notice, main)
window.addEventListener('hashchange', () => {
  show()
  window.scrollTo(0, 0)
  main.focus({ preventScroll: true })
})
store.$subscribe((touched) => {
  say()
  if (touched.size > 0 && !OWN_SCREENS.test(location.hash)) keepingFocus(show)
})
notebook?.$subscribe(say)
notebook?.$follow()
show()
followLive()
if ('serviceWorker' in navigator) void navigator.serviceWorker.register('/service-worker.js')

/** Redraws and keeps the focus of the search field. */
function keepingFocus(draw: () => void): void {
  const { activeElement } = document
  const isTyping = activeElement instanceof HTMLInputElement
  const at = isTyping ? activeElement.selectionStart : null
  draw()
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  if (!isTyping || field === null) return
  field.focus()
  field.setSelectionRange(at, at)
}
