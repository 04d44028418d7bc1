import { element } from '../element.ts'
import { publicClient, store } from '../store.ts'
import { language, texts } from '../texts.ts'

/** The server is asked after a pause in typing. */
const PAUSE_MS = 200
const LIMIT = 20

interface Hit {
  readonly href: string
  readonly title: readonly string[]
  /** Texts without and with a match in turn. */
  readonly part: readonly string[]
}

interface Result {
  readonly hits: readonly Hit[]
  readonly about: string
}

/** Searches the store while the user types, and then the server, which knows word forms and corrects words. */
export function search(leaving: AbortSignal): readonly HTMLElement[] {
  const list = element('ul', { class: 'rows hits' })
  const about = element('p', { class: 'quiet', role: 'status' })
  const field = element('input', {
    type: 'search',
    placeholder: texts.searchAll,
    'aria-label': texts.searchAll,
    value: new URLSearchParams(location.hash.split('?')[1]).get('q'),
  })
  const show = ({ hits, about: said }: Result): void => {
    about.textContent = said
    const rows =
      hits.length > 0 ? hits.map(row) : [element('li', { class: 'quiet' }, texts.nothing)]
    list.replaceChildren(...rows)
  }
  let typing = new AbortController()
  const run = (): void => {
    typing.abort()
    typing = new AbortController()
    const { signal } = typing
    const text = field.value.trim()
    about.textContent = ''
    list.replaceChildren()
    if (text === '') return
    show(searchStore(text))
    const timer = setTimeout(() => {
      searchServer(text, AbortSignal.any([signal, leaving])).then(
        (result) => signal.aborted || show(result),
        () => undefined, // the results of the store stay
      )
    }, PAUSE_MS)
    signal.addEventListener('abort', () => clearTimeout(timer))
  }
  leaving.addEventListener('abort', () => typing.abort())
  field.addEventListener('input', () => {
    history.replaceState(null, '', `#/search?q=${encodeURIComponent(field.value)}`)
    run()
  })
  run()
  return [element('h1', {}, texts.search), field, about, list]
}

function searchStore(text: string): Result {
  const query = { rank: text, locale: language, pageSize: LIMIT } as const
  const { entries: articles } = store.articles.query({ ...query, fields: ['title', 'excerpt'] })
  const { entries: countries } = store.countries.query({ ...query, fields: ['name', 'capital'] })
  const hits = [
    ...countries.map(({ documentId, name, capital }) =>
      hitOf(`countries/${documentId}`, [name], [capital ?? '']),
    ),
    ...articles.map(({ documentId, title, excerpt }) =>
      hitOf(`articles/${documentId}`, [title], [excerpt ?? '']),
    ),
  ]
  return { hits, about: texts.foundHere }
}

async function searchServer(text: string, signal: AbortSignal): Promise<Result> {
  const query = { locale: language, pageSize: LIMIT } as const
  const [countries, articles] = await Promise.all([
    publicClient.countries.find(
      {
        ...query,
        fields: ['name', 'capital'],
        rank: { query: text, highlights: ['name', 'capital'] },
      },
      { signal },
    ),
    publicClient.articles.find(
      {
        ...query,
        fields: ['title', 'excerpt'],
        rank: { query: text, highlights: ['title', 'body'] },
      },
      { signal },
    ),
  ])
  const hits = [
    ...countries.entries.map(({ documentId, name, capital }, at) => {
      const marked = countries.search?.highlights?.[at]
      const part = marked?.capital ?? [capital ?? '']
      return hitOf(`countries/${documentId}`, marked?.name ?? [name], part)
    }),
    ...articles.entries.map(({ documentId, title, excerpt }, at) => {
      const marked = articles.search?.highlights?.[at]
      const part = marked?.body ?? [excerpt ?? '']
      return hitOf(`articles/${documentId}`, marked?.title ?? [title], part)
    }),
  ]
  const corrected = [countries, articles].flatMap((page) =>
    Object.values(page.search?.corrected ?? {}),
  )
  const words = [...new Set(corrected)].join(', ')
  return { hits, about: words === '' ? texts.foundByServer : texts.searchedInstead(words) }
}

function hitOf(path: string, title: Hit['title'], part: Hit['part']): Hit {
  return { href: `#/${path}`, title, part }
}

function row({ href, title, part }: Hit): HTMLElement {
  return element(
    'li',
    {},
    element(
      'a',
      { href },
      element('span', {}, ...marks(title)),
      element('small', {}, ...marks(part)),
    ),
  )
}

/** Every second text is a match. */
function marks(parts: readonly string[]): readonly (Node | string)[] {
  return parts.map((part, at) => (at % 2 === 1 ? element('mark', {}, part) : part))
}
